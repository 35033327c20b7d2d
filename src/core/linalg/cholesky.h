// Cholesky D = R'R in the upper triangle of memory whose lower triangle and
// diagonal belong to another symmetric matrix.
#ifndef DOMGEN_CORE_LINALG_CHOLESKY_H
#define DOMGEN_CORE_LINALG_CHOLESKY_H

#include "assert.h"
#include "blas.h"
#include "pool.h"
#include "symmetric.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>

namespace domgen {

// A [n x n], upper triangle: D becomes R. Right-looking in panels, and the
// trailing update in strips of a fraction of a second, so that the call can
// be stopped. False when D is not numerically positive definite (A is then spoilt).
inline bool cholesky_upper(double* A, Eigen::Index size, const Pool& pool) {
  DOMGEN_EXPECT(A || size == 0);
  const int n = static_cast<int>(size), panel = 1024;
  const double one = 1, minus_one = -1, strip_operations = 4e9;
  auto at = [&](int i, int j) { return A + i + static_cast<std::ptrdiff_t>(j) * n; };

  for (int begin = 0; begin < n; begin += panel) {
    const int width = std::min(panel, n - begin), end = begin + width;
    int info = 0;
    dpotrf_("U", &width, at(begin, begin), &n, &info, 1);
    if (info != 0) return false;
    for (int j = end; j < n;) {
      const double affordable = strip_operations / (2.0 * width * (n - end));
      const int columns = std::min(n - j, std::max(static_cast<int>(affordable), 64));
      const int above = j - end;
      pool.interrupt();
      // R[panel, j] = R[panel, panel]^-T D[panel, j], then D[trailing, j] -= R'R.
      dtrsm_("L", "U", "T", "N", &width, &columns, &one, at(begin, begin), &n, at(begin, j), &n, 1,
             1, 1, 1);
      if (above > 0)
        dgemm_("T", "N", &above, &columns, &width, &minus_one, at(begin, end), &n, at(begin, j), &n,
               &one, at(end, j), &n, 1, 1);
      dsyrk_("U", "T", &columns, &width, &minus_one, at(begin, j), &n, &one, at(j, j), &n, 1, 1);
      j += columns;
    }
  }
  return true;
}

// R = diag(pivots) R1 with R1 unit upper triangular, read from above the
// diagonal of A only: D^-1 = R1^-1 diag(pivots)^-2 R1^-T.
class UnitCholesky {
 public:
  UnitCholesky() : data_(nullptr), n_(0) {}
  // A holds R in its upper triangle; diagonal: what A's diagonal shall be.
  UnitCholesky(double* A, const Eigen::VectorXd& diagonal)
      : data_(A), n_(static_cast<int>(diagonal.size())) {
    DOMGEN_EXPECT(A || n_ == 0);
    Eigen::Map<Eigen::MatrixXd> R(A, n_, n_);
    pivots_ = R.diagonal();
    const Eigen::ArrayXd scale = pivots_.array().inverse();
    for (Eigen::Index j = 1; j < n_; ++j) R.col(j).head(j).array() *= scale.head(j);
    R.diagonal() = diagonal;
  }

  // D^-1 V, V [n x k]
  Eigen::MatrixXd solve(Eigen::MatrixXd V) const {
    triangular("T", V);
    V.array().colwise() /= pivots_.array().square();
    triangular("N", V);
    return V;
  }

  // R^-T V
  void solve_transposed(Eigen::MatrixXd& V) const {
    triangular("T", V);
    V.array().colwise() /= pivots_.array();
  }

  // R^-1 V
  void solve_upper(Eigen::MatrixXd& V) const {
    V.array().colwise() /= pivots_.array();
    triangular("N", V);
  }

  // The same for one vector x [n], in place.
  void solve_transposed(double* x) const {
    forward(x);
    Eigen::Map<Eigen::ArrayXd>(x, n_) /= pivots_.array();
  }
  void solve_upper(double* x) const {
    Eigen::Map<Eigen::ArrayXd>(x, n_) /= pivots_.array();
    backward(x);
  }

 private:
  const double* data_;
  int n_;
  Eigen::VectorXd pivots_;

  const double* at(int i, int j) const { return data_ + i + static_cast<std::ptrdiff_t>(j) * n_; }

  void triangular(const char* trans, Eigen::MatrixXd& V) const {
    DOMGEN_EXPECT(V.rows() == n_);
    if (V.cols() <= few_columns) {
      for (Eigen::Index j = 0; j < V.cols(); ++j) {
        double* x = V.col(j).data();
        trans[0] == 'T' ? forward(x) : backward(x);
      }
      return;
    }
    const double one = 1;
    const int k = static_cast<int>(V.cols());
    dtrsm_("L", "U", trans, "U", &n_, &k, &one, data_, &n_, V.data(), &n_, 1, 1, 1, 1);
  }

  // dtrsv is not threaded in OpenBLAS, dgemv is: blocks of rows, most of the
  // work in dgemv.
  static constexpr int block = 512;

  // x <- R1^-T x
  void forward(double* x) const {
    const double one = 1, minus_one = -1;
    const int step = 1;
    for (int begin = 0; begin < n_; begin += int(block)) {
      const int width = std::min(int(block), n_ - begin);
      if (begin > 0)
        dgemv_("T", &begin, &width, &minus_one, at(0, begin), &n_, x, &step, &one, x + begin, &step,
               1);
      dtrsv_("U", "T", "U", &width, at(begin, begin), &n_, x + begin, &step, 1, 1, 1);
    }
  }

  // x <- R1^-1 x
  void backward(double* x) const {
    const double one = 1, minus_one = -1;
    const int step = 1;
    for (int begin = (n_ - 1) / block * block; begin >= 0; begin -= int(block)) {
      const int width = std::min(int(block), n_ - begin);
      dtrsv_("U", "N", "U", &width, at(begin, begin), &n_, x + begin, &step, 1, 1, 1);
      if (begin > 0)
        dgemv_("N", &begin, &width, &minus_one, at(0, begin), &n_, x + begin, &step, &one, x, &step,
               1);
    }
  }
};

}  // namespace domgen

#endif
