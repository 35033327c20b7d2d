// A symmetric matrix A [n x n] of which only the diagonal and what lies below
// it is read, so that the other triangle of the same memory is free for a
// factor.
#ifndef DOMGEN_CORE_LINALG_SYMMETRIC_H
#define DOMGEN_CORE_LINALG_SYMMETRIC_H

#include "assert.h"
#include "dense.h"
#include "pool.h"

#include <Eigen/Core>

#include <algorithm>

namespace domgen {

// body(first, width) for strips of `columns` columns that take `operations` each, a fraction of a
// second all together; before each the call can be stopped.
template <class Body>
void in_strips(Eigen::Index columns, double operations, const Pool& pool, const Body& body) {
  const Eigen::Index affordable = static_cast<Eigen::Index>(2e9 / operations);
  const Eigen::Index width = std::max<Eigen::Index>(affordable, 16);
  for (Eigen::Index first = 0; first < columns; first += width) {
    pool.interrupt();
    body(first, std::min(width, columns - first));
  }
}

// Up to this many columns one dsymv (dtrsv) each is faster than dsymm (dtrsm).
constexpr Eigen::Index few_columns = 8;

// Y = S V for S [n x n] and few columns: dsymm reads a half element by element, dgemm does not.
inline void symmetric_product(const Symmetric& S, const Eigen::MatrixXd& V, Eigen::MatrixXd& Y) {
  const Eigen::Index n = V.rows(), block = 256;
  const bool upper = S.half == Half::upper;
  Y.resize(n, V.cols());
  for (Eigen::Index j = 0; j < n; j += block) {
    const Eigen::Index width = std::min(block, n - j);
    set_product(Y.middleRows(j, width), Symmetric(S.half, S.A.block(j, j, width, width)),
                V.middleRows(j, width));
  }
  for (Eigen::Index j = 0; j < n; j += block) {
    const Eigen::Index width = std::min(block, n - j), other = upper ? 0 : j + width,
                       rows = upper ? j : n - other;
    if (rows == 0) continue;
    const Operand part = S.A.block(other, j, rows, width);
    add_product(Y.middleRows(other, rows), part, V.middleRows(j, width));
    add_product(Y.middleRows(j, width), transposed(part), V.middleRows(other, rows));
  }
}

class SymmetricLower {
 public:
  SymmetricLower(const double* data, Eigen::Index n) : data_(data), n_(n) {}

  Eigen::Index rows() const { return n_; }

  // y = A x
  void multiply(const double* x, double* y) const { set_product(y, whole(), x); }

  // A V [n x k]
  Eigen::MatrixXd operator*(const Eigen::MatrixXd& V) const {
    DOMGEN_EXPECT(V.rows() == n_);
    Eigen::MatrixXd product(n_, V.cols());
    if (V.cols() <= few_columns) {
      for (Eigen::Index j = 0; j < V.cols(); ++j) multiply(V.col(j).data(), product.col(j).data());
      return product;
    }
    symmetric_product(whole(), V, product);
    return product;
  }

  // The same for many columns.
  Eigen::MatrixXd times(const Eigen::MatrixXd& V, const Pool& pool) const {
    Eigen::MatrixXd product(n_, V.cols());
    in_strips(V.cols(), 2.0 * double(n_) * double(n_), pool,
              [&](Eigen::Index first, Eigen::Index width) {
                product.middleCols(first, width) = *this * V.middleCols(first, width).eval();
              });
    return product;
  }

  // Columns first, ..., first + width - 1, both triangles written out.
  Eigen::MatrixXd columns(Eigen::Index first, Eigen::Index width) const {
    const Eigen::Map<const Eigen::MatrixXd> A(data_, n_, n_);
    Eigen::MatrixXd panel(n_, width);
    panel.topRows(first) = A.block(first, 0, width, first).transpose();
    panel.middleRows(first, width) =
        A.block(first, first, width, width).selfadjointView<Eigen::Lower>();
    const Eigen::Index below = n_ - first - width;
    panel.bottomRows(below) = A.block(first + width, first, below, width);
    return panel;
  }

  // Both triangles written out.
  Eigen::MatrixXd dense() const { return columns(0, n_); }

 private:
  const double* data_;
  Eigen::Index n_;

  Symmetric whole() const { return {Half::lower, Operand(data_, n_, n_)}; }
};

struct EigenPairs {
  Eigen::VectorXd values;   // [m], decreasing
  Eigen::MatrixXd vectors;  // [n x m], orthonormal
  Eigen::Index products = 0;
  bool converged = true;
};

}  // namespace domgen

#endif
