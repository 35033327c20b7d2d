// Cholesky D = R'R in the upper triangle of memory whose lower triangle and
// diagonal belong to another symmetric matrix.
#ifndef DOMGEN_CORE_LINALG_CHOLESKY_H
#define DOMGEN_CORE_LINALG_CHOLESKY_H

#include "assert.h"
#include "dense.h"
#include "pool.h"
#include "symmetric.h"

#include <Eigen/Core>

#include <algorithm>
#include <stdexcept>

namespace domgen {

// A [n x n], upper triangle: D becomes R. Right-looking in panels, and the
// trailing update in strips of a fraction of a second, so that the call can
// be stopped. False when D is not numerically positive definite (A is then spoilt).
inline bool cholesky_upper(double* A, Eigen::Index n, const Pool& pool) {
  DOMGEN_EXPECT(A || n == 0);
  Eigen::Map<Eigen::MatrixXd> D(A, n, n);
  const double strip_operations = 4e9;
  const Eigen::Index panel = 1024, least = 64;
  for (Eigen::Index begin = 0; begin < n; begin += panel) {
    const Eigen::Index width = std::min(panel, n - begin), end = begin + width;
    auto own = D.block(begin, begin, width, width);
    if (!cholesky_factor(Half::upper, own)) return false;
    for (Eigen::Index j = end; j < n;) {
      const double affordable = strip_operations / (2.0 * double(width) * double(n - end));
      const Eigen::Index columns = std::min(n - j, std::max(Eigen::Index(affordable), least));
      pool.interrupt();
      // R[panel, j] = R[panel, panel]^-T D[panel, j], then D[trailing, j] -= R'R.
      auto R = D.block(begin, j, width, columns);
      solve_triangle(transposed(upper_triangle(own)), R);
      add_product(D.block(end, j, j - end, columns),
                  transposed(D.block(begin, end, width, j - end)), R, -1);
      add_square(Half::upper, D.block(j, j, columns, columns), transposed(R), -1);
      j += columns;
    }
  }
  return true;
}

// What was added to a diagonal when factorise(added) succeeded: `first`, or the smallest multiple
// of `rounding` that helps, where the matrix is so nearly singular that rounding spoils its factor.
// Where `most` does not help either, an error that says `otherwise`.
template <class Factorise>
double raise_diagonal(double first, double rounding, double most, const Factorise& factorise,
                      const char* otherwise) {
  double added = first;
  for (; !factorise(added); added = std::max(4 * added, rounding))
    if (!(added < most)) throw std::domain_error(otherwise);
  return added;
}

// R = diag(pivots) R1 with R1 unit upper triangular, read from above the
// diagonal of A only: D^-1 = R1^-1 diag(pivots)^-2 R1^-T.
class UnitCholesky {
 public:
  UnitCholesky() : data_(nullptr), n_(0) {}
  // A holds R in its upper triangle; diagonal: what A's diagonal shall be.
  UnitCholesky(double* A, const Eigen::VectorXd& diagonal) : data_(A), n_(diagonal.size()) {
    DOMGEN_EXPECT(A || n_ == 0);
    Eigen::Map<Eigen::MatrixXd> R(A, n_, n_);
    pivots_ = R.diagonal();
    const Eigen::ArrayXd scale = pivots_.array().inverse();
    for (Eigen::Index j = 1; j < n_; ++j) R.col(j).head(j).array() *= scale.head(j);
    R.diagonal() = diagonal;
  }

  // D^-1 V, V [n x k]
  Eigen::MatrixXd solve(Eigen::MatrixXd V) const {
    triangular(true, V);
    V.array().colwise() /= pivots_.array().square();
    triangular(false, V);
    return V;
  }

  // R^-T V
  void solve_transposed(Eigen::MatrixXd& V) const {
    triangular(true, V);
    V.array().colwise() /= pivots_.array();
  }

  // R^-1 V
  void solve_upper(Eigen::MatrixXd& V) const {
    V.array().colwise() /= pivots_.array();
    triangular(false, V);
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
  Eigen::Index n_;
  Eigen::VectorXd pivots_;

  // R1 of the rows from `begin` on
  Triangle diagonal_block(Eigen::Index begin, Eigen::Index size) const {
    return with_unit_diagonal(upper_triangle(Operand(data_ + begin * (n_ + 1), size, size, n_)));
  }

  void triangular(bool turned, Eigen::MatrixXd& V) const {
    DOMGEN_EXPECT(V.rows() == n_);
    if (V.cols() <= few_columns) {
      for (Eigen::Index j = 0; j < V.cols(); ++j) {
        double* x = V.col(j).data();
        turned ? forward(x) : backward(x);
      }
      return;
    }
    const Triangle R1 = diagonal_block(0, n_);
    solve_triangle(turned ? transposed(R1) : R1, V);
  }

  // dtrsv is not threaded in OpenBLAS, dgemv is: blocks of rows, most of the
  // work in dgemv.
  static constexpr Eigen::Index block = 512;

  // What stands above the block that begins there.
  Operand above(Eigen::Index begin, Eigen::Index width) const {
    return Operand(data_ + begin * n_, begin, width, n_);
  }

  // x <- R1^-T x
  void forward(double* x) const {
    for (Eigen::Index begin = 0; begin < n_; begin += block) {
      const Eigen::Index width = std::min(+block, n_ - begin);
      add_product(x + begin, transposed(above(begin, width)), x, -1);
      solve_triangle(transposed(diagonal_block(begin, width)), x + begin);
    }
  }

  // x <- R1^-1 x
  void backward(double* x) const {
    for (Eigen::Index begin = (n_ - 1) / block * block; begin >= 0; begin -= block) {
      const Eigen::Index width = std::min(+block, n_ - begin);
      solve_triangle(diagonal_block(begin, width), x + begin);
      add_product(x, above(begin, width), x + begin, -1);
    }
  }
};

}  // namespace domgen

#endif
