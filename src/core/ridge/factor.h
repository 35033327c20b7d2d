// Ridge regression in the memory of the Gram matrix: A = K + diag(ridge) = R'R.
#ifndef DOMGEN_CORE_RIDGE_FACTOR_H
#define DOMGEN_CORE_RIDGE_FACTOR_H

#include "../linalg/assert.h"
#include "../linalg/dense.h"
#include "../linalg/cholesky.h"
#include "../linalg/gram-buffer.h"
#include "../linalg/inverse.h"
#include "../linalg/pool.h"
#include "../linalg/symmetric.h"

#include <Eigen/Core>

#include <limits>
#include <utility>

namespace domgen {

class RidgeFactor {
 public:
  // R lies on and above the diagonal of the buffer, K below.
  RidgeFactor(GramBuffer K, const Eigen::VectorXd& ridge, const Pool& pool)
      : memory_(std::move(K)), R_(memory_.matrix()), n_(R_.rows()) {
    DOMGEN_EXPECT(ridge.size() == n_);
    const Eigen::VectorXd diagonal = R_.diagonal();
    // The ridge may be below rounding.
    const double rounding = std::numeric_limits<double>::epsilon() * diagonal.sum();
    const auto factorise = [&](double jitter) {
      R_.diagonal() = (diagonal + ridge).array() + jitter;
      if (cholesky_upper(R_.data(), n_, pool)) return true;
      R_.triangularView<Eigen::StrictlyUpper>() = R_.transpose();
      return false;
    };
    jitter_ = raise_diagonal(0, rounding, 64 * rounding, factorise,
                             "the matrix to be inverted is not positive definite");
  }

  Eigen::Index rows() const { return n_; }
  double jitter() const { return jitter_; }  // what was added to every ridge
  // Both triangles of A^-1, in the place of the factor.
  void invert(const Pool& pool) {
    inverse_from_cholesky(R_.data(), R_.rows(), pool);
    for (Eigen::Index j = 0; j + 1 < R_.cols(); ++j) {
      const Eigen::Index below = R_.rows() - j - 1;
      R_.col(j).tail(below) = R_.row(j).tail(below).transpose();
    }
  }

  // A^-1 V
  Eigen::MatrixXd solve(Eigen::MatrixXd V) const {
    solve_transposed(V);
    solve_upper(V);
    return V;
  }

  // V <- R^-1 V
  void solve_upper(Eigen::MatrixXd& V) const { triangular(false, 0, V); }

  // V <- R^-T V for a matrix that is 0 above row `first`, V being what lies below
  void solve_transposed(Eigen::MatrixXd& V, Eigen::Index first = 0) const {
    triangular(true, first, V);
  }

 private:
  GramBuffer memory_;
  Eigen::Map<Eigen::MatrixXd> R_;
  Eigen::Index n_;
  double jitter_ = 0;

  void triangular(bool turned, Eigen::Index first, Eigen::MatrixXd& V) const {
    DOMGEN_EXPECT(V.rows() == n_ - first);
    Triangle R = upper_triangle(R_.bottomRightCorner(n_ - first, n_ - first));
    if (turned) R = transposed(R);
    if (V.cols() > few_columns) return solve_triangle(R, V);
    for (Eigen::Index j = 0; j < V.cols(); ++j) solve_triangle(R, V.col(j).data());
  }
};

}  // namespace domgen

#endif
