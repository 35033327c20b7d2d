// The directions that maximise a ratio: N B = D B Gamma.
#ifndef DOMGEN_CORE_PROJECTION_DIRECTIONS_H
#define DOMGEN_CORE_PROJECTION_DIRECTIONS_H

#include "../linalg/lanczos.h"
#include "../linalg/pool.h"
#include "../linalg/symmetric.h"
#include "../linalg/tridiagonal.h"
#include "denominator.h"
#include "numerator.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

namespace domgen {

// T c = gamma c for small T [r x r], by decreasing real part; real parts.
inline void small_eigenproblem(const Eigen::MatrixXd& T, bool symmetric, Eigen::VectorXd& values,
                               Eigen::MatrixXd& vectors, double& imaginary) {
  imaginary = 0;
  if (symmetric) {
    Eigen::MatrixXd A = (T + T.transpose()) / 2;
    const EigenPairs pairs = dense_leading_pairs(A, T.rows());
    values = pairs.values;
    vectors = pairs.vectors;
    return;
  }
  Eigen::VectorXd real, rest;
  Eigen::MatrixXd C;
  general_pairs(T, real, rest, C);
  std::vector<Eigen::Index> order(static_cast<std::size_t>(T.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index i, Eigen::Index j) { return real[i] > real[j]; });

  values.resize(T.rows());
  vectors.resize(T.rows(), T.rows());
  for (Eigen::Index j = 0; j < T.rows(); ++j) {
    const Eigen::Index from = order[static_cast<std::size_t>(j)];
    values[j] = real[from];
    vectors.col(j) = C.col(from);
  }
  if (values[0] > 0) imaginary = rest.cwiseAbs().maxCoeff() / values[0];
}

// N = right left' has its directions in the span of V = D^-1 right: B = V C,
// T C = C Gamma with T = left' V [r x r]. V and left in any orthogonal coordinates.
inline Directions span_directions(const Eigen::MatrixXd& V, const Eigen::MatrixXd& left,
                                  const Numerator& N, const Ratio& ratio) {
  Directions directions;
  directions.B.resize(V.rows(), 0);
  if (V.cols() == 0) return directions;
  const Eigen::MatrixXd T = product_of(transposed(left), V);
  // When K commutes with D, T is symmetric in the published form too.
  const bool symmetric = N.symmetric() || (ratio.denominator.plus.cols() == 0 && !ratio.form);
  Eigen::MatrixXd C;
  small_eigenproblem(T, symmetric, directions.values, C, directions.imaginary);

  const double least = rank_tolerance(ratio.rows) * directions.values[0];
  if (directions.values[0] > 0) directions.rank = (directions.values.array() > least).count();
  const Eigen::Index m = std::min(ratio.ncomp, directions.rank);
  directions.values.conservativeResize(m);
  directions.B = product_of(V, C.leftCols(m));
  return directions;
}

inline Directions low_rank_directions(Denominator& D, const Numerator& N, const Ratio& ratio,
                                      const Pool& pool) {
  if (N.right().cols() == 0) return span_directions(N.right(), N.left(), N, ratio);
  D.factorise(pool);
  return span_directions(D.cholesky().solve(N.right()), N.left(), N, ratio);
}

// The leading pairs of a positive semidefinite operator: Lanczos, or the dense
// solver of dense() when many are wanted of few or Lanczos does not converge.
inline EigenPairs leading_pairs(const Lanczos::Apply& apply,
                                const std::function<Eigen::MatrixXd()>& dense, Eigen::Index n,
                                Eigen::Index m, const Pool& pool) {
  if (n > 100 && m <= n / 8) {
    EigenPairs pairs = lanczos_leading_pairs(apply, n, m, pool);
    if (pairs.converged) return pairs;
  }
  Eigen::MatrixXd A = dense();
  return dense_leading_pairs(A, m, pool);
}

// Where the constant score is among those of b [d], N vanishes there.
inline Eigen::Index most_directions(const Ratio& ratio, Eigen::Index d) {
  const Eigen::VectorXd& h = ratio.constant;
  const double unit = std::sqrt(rank_tolerance(ratio.rows));
  const bool constant = h.size() > 0 && !(1 - h.squaredNorm() > unit);
  return d - (ratio.centred_rows || constant);
}

// Keeps the pairs above rounding; `floor` is an absolute bound on it, and `most`
// one on their number.
inline void truncate_pairs(EigenPairs& pairs, Eigen::Index rows, double floor, Eigen::Index most,
                           Directions& directions) {
  const Eigen::Index d = pairs.vectors.rows();
  const double least = std::max(rank_tolerance(rows) * pairs.values[0], floor);
  const Eigen::Index m = std::min<Eigen::Index>((pairs.values.array() > least).count(), most);
  directions.rank = m;
  directions.rank_known = m < pairs.values.size() || m == most;
  directions.products = pairs.products;
  directions.converged = pairs.converged;
  pairs.values.conservativeResize(m);
  pairs.vectors.conservativeResize(d, m);
}

// Where everything commutes with K: for K v = mu v, gamma = total mu^2 / (norm
// mu + ridge), b = v / sqrt(norm mu + ridge). KPCA is ridge = 0. Eigenvalues of
// K below `floor` are rounding.
inline Directions principal_directions(const Denominator& D, const Ratio& ratio, double floor,
                                       const Pool& pool) {
  const SymmetricLower K = D.gram();
  const Eigen::Index d = K.rows();
  auto apply = [&](const double* x, double* y) {
    pool.interrupt();
    K.multiply(x, y);
  };
  EigenPairs pairs = leading_pairs(
      apply, [&] { return K.dense(); }, d, std::min(ratio.ncomp, d), pool);

  Directions directions;
  truncate_pairs(pairs, ratio.rows, floor, most_directions(ratio, d), directions);
  const Eigen::ArrayXd mu = pairs.values.array();
  const Eigen::ArrayXd denominator = ratio.norm * mu + ratio.ridge;
  directions.values = ratio.total * mu / denominator * mu;
  directions.B = pairs.vectors * denominator.rsqrt().matrix().asDiagonal();
  return directions;
}

// N of full rank: R^-T N R^-1, D = R'R.
inline Directions full_rank_directions(Denominator& D, const Numerator& N, const Ratio& ratio,
                                       const Pool& pool) {
  const SymmetricLower K = D.gram();
  const Eigen::Index d = K.rows();
  D.factorise(pool);
  const UnitCholesky& R = D.cholesky();
  auto apply = [&](const double* x, double* y) {
    pool.interrupt();
    Eigen::MatrixXd b = Eigen::Map<const Eigen::VectorXd>(x, d), s(d, 1);
    R.solve_upper(b.data());
    K.multiply(b.data(), s.data());
    Eigen::Map<Eigen::VectorXd> image(y, d);
    image = N.apply(b, s);
    R.solve_transposed(y);
  };
  auto dense = [&] {
    Eigen::MatrixXd image(d, d);
    const double operations = 3.0 * double(d) * double(d);
    in_strips(d, operations, pool, [&](Eigen::Index first, Eigen::Index width) {
      const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(d, d).middleCols(first, width);
      Eigen::MatrixXd NB = N.apply(I, K.columns(first, width));
      R.solve_transposed(NB);
      image.middleCols(first, width) = NB;
    });
    image.transposeInPlace();
    in_strips(d, operations, pool, [&](Eigen::Index first, Eigen::Index width) {
      Eigen::MatrixXd part = image.middleCols(first, width);
      R.solve_transposed(part);
      image.middleCols(first, width) = part;
    });
    return image;
  };
  EigenPairs pairs = leading_pairs(apply, dense, d, std::min(ratio.ncomp, d), pool);

  Directions directions;
  truncate_pairs(pairs, ratio.rows, 0, most_directions(ratio, d), directions);
  directions.values = pairs.values;
  R.solve_upper(pairs.vectors);
  directions.B = pairs.vectors;
  return directions;
}

inline Directions leading_directions(Denominator& D, const Numerator& N, const Ratio& ratio,
                                     double floor, const Pool& pool) {
  if (N.low_rank()) return low_rank_directions(D, N, ratio, pool);
  if (ratio.commutes()) return principal_directions(D, ratio, floor, pool);
  return full_rank_directions(D, N, ratio, pool);
}

}  // namespace domgen

#endif
