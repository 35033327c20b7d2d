// Ridge regression in the memory of the Gram matrix: A = K + diag(ridge) = R'R, or many lambda
// by one band form.
#ifndef DOMGEN_CORE_RIDGE_H
#define DOMGEN_CORE_RIDGE_H

#include "band.h"
#include "blas.h"
#include "cholesky.h"
#include "symmetric.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>

namespace domgen {

class RidgeFactor {
 public:
  // K [n x n] is overwritten: R lies on and above its diagonal, K below.
  RidgeFactor(Eigen::Map<Eigen::MatrixXd> K, const Eigen::VectorXd& ridge,
              const std::function<void()>& interrupt)
      : R_(K), n_(static_cast<int>(K.rows())) {
    const Eigen::VectorXd diagonal = K.diagonal();
    const double rounding = std::numeric_limits<double>::epsilon() * diagonal.sum();
    for (int attempt = 0; attempt < 5; ++attempt) {
      R_.diagonal() = (diagonal + ridge).array() + jitter_;
      if (cholesky_upper(R_.data(), R_.rows(), interrupt)) return;
      // The ridge is below rounding: the smallest multiple of it that helps.
      jitter_ = std::max(4 * jitter_, rounding);
      R_.triangularView<Eigen::StrictlyUpper>() = R_.transpose();
    }
    throw std::domain_error("the matrix to be inverted is not positive definite");
  }

  Eigen::Index rows() const { return n_; }
  double jitter() const { return jitter_; }  // what was added to every ridge

  // A^-1 V
  Eigen::MatrixXd solve(Eigen::MatrixXd V) const {
    solve_transposed(V);
    solve_upper(V);
    return V;
  }

  // V <- R^-1 V
  void solve_upper(Eigen::MatrixXd& V) const { triangular("N", 0, V); }

  // V <- R^-T V for a matrix that is 0 above row `first`, V being what lies below
  void solve_transposed(Eigen::MatrixXd& V, Eigen::Index first = 0) const {
    triangular("T", first, V);
  }

 private:
  Eigen::Map<Eigen::MatrixXd> R_;
  int n_;
  double jitter_ = 0;

  void triangular(const char* trans, Eigen::Index first, Eigen::MatrixXd& V) const {
    const double* R = R_.data() + first * (std::ptrdiff_t(n_) + 1);
    const int size = static_cast<int>(V.rows()), k = static_cast<int>(V.cols()), step = 1;
    const double one = 1;
    if (V.cols() > few_columns) {
      dtrsm_("L", "U", trans, "N", &size, &k, &one, R, &n_, V.data(), &size, 1, 1, 1, 1);
      return;
    }
    for (Eigen::Index j = 0; j < V.cols(); ++j)
      dtrsv_("U", trans, "N", &size, R, &n_, V.col(j).data(), &step, 1, 1, 1);
  }
};

struct RidgePath {
  Eigen::MatrixXd coefficients;  // [n x m L], column j + l m for response j and lambda_l
  Eigen::VectorXd offset;        // [m L]
};

// (K + lambda C^-1) a + 1 b' = Y, with an offset 1'a = 0, for many lambda: with a = S x and S =
// sqrt(C) they are (S K S + lambda I) x = S (Y - 1 b'). K [n x n] is overwritten.
template <class Pool>
RidgePath ridge_path(Eigen::Map<Eigen::MatrixXd> K, const Eigen::MatrixXd& Y,
                     const Eigen::VectorXd& root, const Eigen::VectorXd& lambda, bool offset,
                     const Pool& pool) {
  const Eigen::Index m = Y.cols(), all = m + offset;
  for (Eigen::Index j = 0; j < K.cols(); ++j) K.col(j).array() *= root[j] * root.array();
  Eigen::MatrixXd B(Y.rows(), all);
  B.leftCols(m) = root.asDiagonal() * Y;
  if (offset) B.col(m) = root;
  const Eigen::MatrixXd X = root.asDiagonal() * solve_shifted(K, B, lambda, pool);

  RidgePath path;
  path.coefficients.resize(Y.rows(), m * lambda.size());
  path.offset = Eigen::VectorXd::Zero(m * lambda.size());
  for (Eigen::Index l = 0; l < lambda.size(); ++l) {
    auto coefficients = path.coefficients.middleCols(l * m, m);
    coefficients = X.middleCols(l * all, m);
    if (!offset) continue;
    const auto constant = X.col(l * all + m);
    const Eigen::RowVectorXd b = coefficients.colwise().sum() / constant.sum();
    coefficients -= constant * b;
    path.offset.segment(l * m, m) = b.transpose();
  }
  return path;
}

}  // namespace domgen

#endif
