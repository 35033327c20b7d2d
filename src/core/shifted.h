// (S + lambda I)^-1 B for many lambda: S = Q T Q' with T tridiagonal once, then a
// few operations per row and lambda.
#ifndef DOMGEN_CORE_SHIFTED_H
#define DOMGEN_CORE_SHIFTED_H

#include "blas.h"

#include <Eigen/Core>

#include <stdexcept>
#include <vector>

namespace domgen {

// x <- (T + lambda I)^-1 x; T positive semidefinite with this diagonal and
// off-diagonal.
inline void solve_tridiagonal(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& off,
                              double lambda, double* x) {
  const Eigen::Index n = diagonal.size();
  Eigen::VectorXd pivot(n);
  pivot[0] = diagonal[0] + lambda;
  for (Eigen::Index k = 1; k < n; ++k) {
    const double ratio = off[k - 1] / pivot[k - 1];
    pivot[k] = diagonal[k] + lambda - ratio * off[k - 1];
    x[k] -= ratio * x[k - 1];
  }
  x[n - 1] /= pivot[n - 1];
  for (Eigen::Index k = n - 2; k >= 0; --k) x[k] = (x[k] - off[k] * x[k + 1]) / pivot[k];
}

// S [r x r], its lower triangle, is overwritten; B [r x m]. Columns j + l m of the
// result belong to column j of B and lambda_l.
inline Eigen::MatrixXd solve_shifted(Eigen::MatrixXd& S, Eigen::MatrixXd B,
                                     const Eigen::VectorXd& lambda) {
  const int r = static_cast<int>(S.rows());
  Eigen::VectorXd diagonal(r), off(r > 1 ? r - 1 : 1), tau(off.size());
  int info = 0, length = -1;
  std::vector<double> work(1);
  auto with_space = [&](auto&& call) {
    length = -1;
    call();
    length = static_cast<int>(work[0]);
    work.resize(static_cast<std::size_t>(length));
    call();
    if (info != 0) throw std::runtime_error("the tridiagonal form failed");
  };
  auto rotate = [&](const char* trans, Eigen::MatrixXd& V) {
    const int columns = static_cast<int>(V.cols());
    with_space([&] {
      dormtr_("L", "L", trans, &r, &columns, S.data(), &r, tau.data(), V.data(), &r, work.data(),
              &length, &info, 1, 1, 1);
    });
  };

  with_space([&] {
    dsytrd_("L", &r, S.data(), &r, diagonal.data(), off.data(), tau.data(), work.data(), &length,
            &info, 1);
  });
  rotate("T", B);
  Eigen::MatrixXd X = B.replicate(1, lambda.size());
  for (Eigen::Index c = 0; c < X.cols(); ++c)
    solve_tridiagonal(diagonal, off, lambda[c / B.cols()], X.col(c).data());
  rotate("N", X);
  return X;
}

}  // namespace domgen

#endif
