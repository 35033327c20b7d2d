// The directions that maximise b'Nb / b'Db for centred K [n x n]
// (DICA paper, equations 9-13):
//   N = (1/n) P K^2 (published), (1/n) K P K (symmetric) or, without a
//   response, (1/n) K^2; D = KQK + K + lambda I.
#ifndef DOMGEN_CORE_RATIO_H
#define DOMGEN_CORE_RATIO_H

#include "denominator.h"
#include "lanczos.h"
#include "symmetric.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

namespace domgen {

// Eigenvalues below this fraction of the largest are rounding.
inline double rank_tolerance(Eigen::Index n) {
  return double(n) * std::numeric_limits<double>::epsilon();
}

struct Directions {
  Eigen::VectorXd values;  // gamma [m], decreasing
  Eigen::MatrixXd B;       // [n x m]
  double imaginary = 0;    // largest |Im gamma| / |gamma_1|
  Eigen::Index rank = 0;   // eigenvalues above rounding among those computed
  bool rank_known = true;  // false when there may be more
  Eigen::Index products = 0;
  bool converged = true;
};

// N = (1/n) right left' for low-rank P, (1/n) K^2 without factors.
struct Numerator {
  Eigen::MatrixXd right, left;  // [n x r]
  bool low_rank = false;

  // N B given S = KB.
  Eigen::MatrixXd apply(const SymmetricLower& K, const Eigen::MatrixXd& B,
                        const Eigen::MatrixXd& S) const {
    const double n = double(B.rows());
    if (low_rank) return right * (left.transpose() * B) / n;
    return K * S / n;
  }
};

// U diag(delta)^1/2 [n x r] with P = U diag(delta) U', delta = s/(s + n epsilon),
// from F centred [n x r0], FF' = U diag(s) U'; `uncentred` is the squared norm
// of F before centring.
inline Eigen::MatrixXd response_factor(const Eigen::MatrixXd& F, double uncentred,
                                       double epsilon) {
  const Eigen::Index n = F.rows();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(F.transpose() * F);
  const Eigen::VectorXd s = solver.eigenvalues().reverse();
  const Eigen::MatrixXd W = solver.eigenvectors().rowwise().reverse();
  if (s.size() == 0) return Eigen::MatrixXd(n, 0);

  const double least = std::max(rank_tolerance(n) * s[0],
                                centring_noise * centring_noise * uncentred);
  const Eigen::Index r = (s.array() > least).count();
  const Eigen::VectorXd scale = (s.head(r).array() + double(n) * epsilon).rsqrt();
  return F * W.leftCols(r) * scale.asDiagonal();
}

// T c = gamma c for small T [r x r], by decreasing real part; real parts.
inline void small_eigenproblem(const Eigen::MatrixXd& T, bool symmetric, Eigen::VectorXd& values,
                               Eigen::MatrixXd& vectors, double& imaginary) {
  imaginary = 0;
  if (symmetric) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver((T + T.transpose()) / 2);
    values = solver.eigenvalues().reverse();
    vectors = solver.eigenvectors().rowwise().reverse();
    return;
  }
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(T);
  const Eigen::VectorXcd& gamma = solver.eigenvalues();
  const Eigen::MatrixXcd C = solver.eigenvectors();
  std::vector<Eigen::Index> order(static_cast<std::size_t>(T.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index(0));
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index i, Eigen::Index j) {
    return gamma[i].real() > gamma[j].real();
  });

  values.resize(T.rows());
  vectors.resize(T.rows(), T.rows());
  for (Eigen::Index j = 0; j < T.rows(); ++j) {
    const Eigen::Index from = order[static_cast<std::size_t>(j)];
    values[j] = gamma[from].real();
    vectors.col(j) = C.col(from).real();
  }
  if (values[0] > 0) imaginary = gamma.imag().cwiseAbs().maxCoeff() / values[0];
}

// P of low rank r: N B = D B Gamma with N = (1/n) right left' has its
// directions in span(D^-1 right): B = D^-1 right C, T C = C Gamma with
// T = (1/n) left' D^-1 right [r x r].
inline Directions supervised_directions(Denominator& D, const Eigen::MatrixXd& U, bool published,
                                        Eigen::Index ncomp,
                                        const std::function<void()>& interrupt,
                                        Numerator& numerator) {
  const SymmetricLower K = D.gram();
  const Eigen::Index n = K.rows();
  Directions directions;
  numerator.low_rank = true;
  numerator.left = K * U;
  numerator.right = published ? U : numerator.left;
  if (published) numerator.left = K * numerator.left;
  if (U.cols() == 0) {
    directions.B.resize(n, 0);
    return directions;
  }

  D.factorise(interrupt);
  const Eigen::MatrixXd V = D.cholesky().solve(numerator.right);
  const Eigen::MatrixXd T = numerator.left.transpose() * V / double(n);
  // Without Q, K commutes with D and T is symmetric in the published form too.
  Eigen::MatrixXd C;
  small_eigenproblem(T, !published || !D.distributional(), directions.values, C,
                     directions.imaginary);

  const double least = rank_tolerance(n) * directions.values[0];
  if (directions.values[0] > 0) directions.rank = (directions.values.array() > least).count();
  const Eigen::Index m = std::min(ncomp, directions.rank);
  directions.values.conservativeResize(m);
  directions.B = V * C.leftCols(m);
  return directions;
}

// The leading pairs of a positive semidefinite operator: Lanczos, or the dense
// solver of dense() when many are wanted of few or Lanczos does not converge.
template <class Apply, class Dense>
EigenPairs leading_pairs(const Apply& apply, const Dense& dense, Eigen::Index n, Eigen::Index m) {
  if (n > 100 && m <= n / 8) {
    const EigenPairs pairs = lanczos_leading_pairs(apply, n, m);
    if (pairs.converged) return pairs;
  }
  Eigen::MatrixXd A = dense();
  return dense_leading_pairs(A, m);
}

// Keeps the pairs above rounding; `floor` is an absolute bound on it.
inline void truncate_pairs(EigenPairs& pairs, Eigen::Index n, double floor,
                           Directions& directions) {
  const double least = std::max(rank_tolerance(n) * pairs.values[0], floor);
  const Eigen::Index m = (pairs.values.array() > least).count();
  directions.rank = m;
  directions.rank_known = m < pairs.values.size() || m == n;
  directions.products = pairs.products;
  directions.converged = pairs.converged;
  pairs.values.conservativeResize(m);
  pairs.vectors.conservativeResize(n, m);
}

// Without Q everything commutes with K: for K v = mu v,
// gamma = mu^2 / (n (mu + lambda)), b = v / sqrt(mu + lambda). KPCA is lambda = 0.
inline Directions principal_directions(const Denominator& D, Eigen::Index ncomp, double floor,
                                       const std::function<void()>& interrupt) {
  const SymmetricLower K = D.gram();
  const Eigen::Index n = K.rows();
  auto apply = [&](const double* x, double* y) {
    interrupt();
    K.multiply(x, y);
  };
  EigenPairs pairs = leading_pairs(apply, [&] { return K.dense(); }, n, std::min(ncomp, n));

  Directions directions;
  truncate_pairs(pairs, n, floor, directions);
  const Eigen::ArrayXd mu = pairs.values.array();
  directions.values = mu / (mu + D.lambda()) * mu / double(n);
  directions.B = pairs.vectors * (mu + D.lambda()).rsqrt().matrix().asDiagonal();
  return directions;
}

// UDICA: (1/n) K^2 B = D B Gamma through R^-T K^2 R^-1 / n, D = R'R.
inline Directions unsupervised_directions(Denominator& D, Eigen::Index ncomp, double floor,
                                          const std::function<void()>& interrupt) {
  if (!D.distributional()) return principal_directions(D, ncomp, floor, interrupt);
  const SymmetricLower K = D.gram();
  const Eigen::Index n = K.rows();
  D.factorise(interrupt);
  const UnitCholesky& R = D.cholesky();
  Eigen::VectorXd buffer(n);
  auto apply = [&](const double* x, double* y) {
    interrupt();
    Eigen::Map<Eigen::VectorXd> image(y, n);
    image = Eigen::Map<const Eigen::VectorXd>(x, n);
    R.solve_upper(y);
    K.multiply(y, buffer.data());
    K.multiply(buffer.data(), y);
    R.solve_transposed(y);
    image /= double(n);
  };
  auto dense = [&] {
    Eigen::MatrixXd Y = K.dense();
    R.solve_transposed(Y);
    const Eigen::MatrixXd A = Y * Y.transpose() / double(n);
    return A;
  };
  EigenPairs pairs = leading_pairs(apply, dense, n, std::min(ncomp, n));

  Directions directions;
  truncate_pairs(pairs, n, 0, directions);
  directions.values = pairs.values;
  R.solve_upper(pairs.vectors);
  directions.B = pairs.vectors;
  return directions;
}

}  // namespace domgen

#endif
