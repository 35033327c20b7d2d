// Leading eigenpairs of a symmetric positive semidefinite operator by
// restarted Lanczos. The only file that knows Spectra.
#ifndef DOMGEN_CORE_LANCZOS_H
#define DOMGEN_CORE_LANCZOS_H

#include "symmetric.h"

#include <Spectra/SymEigsSolver.h>

#include <Eigen/Core>
#include <Eigen/QR>

#include <algorithm>
#include <numeric>
#include <vector>

namespace domgen {

// y = (A x - V diag(values) V'x) / size + shift x; V holds the pairs already
// found. With size near the norm of A and a shift of 1, Spectra's relative and
// absolute tolerances both bound the residual by the norm of A, so that
// eigenvalues at zero converge too.
template <class Apply>
class ShiftedOperator {
 public:
  ShiftedOperator(const Apply& apply, Eigen::Index n) : apply_(apply), n_(n) {}

  Eigen::Index products = 0;
  double size = 1, shift = 0;
  const EigenPairs* found = nullptr;

  int rows() const { return static_cast<int>(n_); }
  int cols() const { return static_cast<int>(n_); }

  void perform_op(const double* x_in, double* y_out) {
    const Eigen::Map<const Eigen::VectorXd> x(x_in, n_);
    Eigen::Map<Eigen::VectorXd> y(y_out, n_);
    apply_(x_in, y_out);
    ++products;
    if (found) {
      const Eigen::VectorXd weight = found->values.cwiseProduct(found->vectors.transpose() * x);
      y.noalias() -= found->vectors * weight;
    }
    y = y / size + shift * x;
  }

 private:
  const Apply& apply_;
  Eigen::Index n_;
};

template <class Apply>
EigenPairs run_lanczos(ShiftedOperator<Apply>& op, const Eigen::VectorXd& start, Eigen::Index m,
                       Eigen::Index basis, double tolerance) {
  const Eigen::Index n = start.size(), restarts = 300;
  Spectra::SymEigsSolver<double, Spectra::LARGEST_ALGE, ShiftedOperator<Apply>> solver(
      &op, m, std::min(basis, n));
  solver.init(start.data());
  solver.compute(restarts, tolerance, Spectra::LARGEST_ALGE);

  EigenPairs pairs;
  pairs.values = (solver.eigenvalues().array() - op.shift) * op.size;
  pairs.vectors = solver.eigenvectors();
  pairs.converged = solver.info() == Spectra::SUCCESSFUL;
  return pairs;
}

// The m leading of two sets of pairs; the vectors made orthonormal again.
inline EigenPairs merge_pairs(const EigenPairs& a, const EigenPairs& b, Eigen::Index m) {
  const Eigen::Index total = a.values.size() + b.values.size(), n = a.vectors.rows();
  Eigen::VectorXd values(total);
  Eigen::MatrixXd vectors(n, total);
  values << a.values, b.values;
  vectors << a.vectors, b.vectors;
  std::vector<Eigen::Index> order(static_cast<std::size_t>(total));
  std::iota(order.begin(), order.end(), Eigen::Index(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index i, Eigen::Index j) { return values[i] > values[j]; });

  EigenPairs merged;
  merged.converged = a.converged && b.converged;
  merged.values.resize(m);
  merged.vectors.resize(n, m);
  for (Eigen::Index j = 0; j < m; ++j) {
    const Eigen::Index from = order[static_cast<std::size_t>(j)];
    merged.values[j] = values[from];
    merged.vectors.col(j) = vectors.col(from);
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::VectorXd overlap =
          merged.vectors.leftCols(j).transpose() * merged.vectors.col(j);
      merged.vectors.col(j) -= merged.vectors.leftCols(j) * overlap;
    }
    merged.vectors.col(j).normalize();
  }
  return merged;
}

// apply(x, y): y = A x for A symmetric positive semidefinite [n x n], 1 <= m < n.
// A Krylov space holds one vector of each eigenspace, so a multiple eigenvalue
// (a grid, a symmetric design) is found once. A short second run orthogonal to
// what was found tells whether anything larger was missed.
template <class Apply>
EigenPairs lanczos_leading_pairs(const Apply& apply, Eigen::Index n, Eigen::Index m) {
  const double tolerance = 1e-14, loose = 1e-4, tie = 1e-10;
  Spectra::SimpleRandom<double> random(0);
  ShiftedOperator<Apply> op(apply, n);

  // Two power iterations: a start vector rich in the leading directions, and
  // the size of A.
  Eigen::VectorXd start = random.random_vec(n), image(n);
  for (int i = 0; i < 2; ++i) {
    start.normalize();
    op.perform_op(start.data(), image.data());
    start.swap(image);
  }
  EigenPairs pairs;
  op.size = start.norm();
  op.shift = 1;
  if (!(op.size > 0)) {
    pairs.converged = false;
    return pairs;
  }
  const Eigen::Index basis = std::min(n, 2 * m + 14), short_basis = std::min<Eigen::Index>(n, 10);
  pairs = run_lanczos(op, start, m, basis, tolerance);

  for (int round = 0; round < 10 && pairs.converged; ++round) {
    op.found = &pairs;
    const EigenPairs rest = run_lanczos(op, random.random_vec(n), 1, short_basis, loose);
    if (!rest.converged || rest.values[0] <= pairs.values[m - 1] + tie * pairs.values[0]) break;
    const EigenPairs missed = run_lanczos(op, random.random_vec(n), m, basis, tolerance);
    pairs = merge_pairs(pairs, missed, m);
    op.found = nullptr;
  }
  pairs.products = op.products;
  return pairs;
}

}  // namespace domgen

#endif
