// A symmetric matrix A [n x n] of which only the diagonal and what lies below
// it is read, so that the other triangle of the same memory is free for a
// factor.
#ifndef DOMGEN_CORE_LINALG_SYMMETRIC_H
#define DOMGEN_CORE_LINALG_SYMMETRIC_H

#include "assert.h"
#include "blas.h"
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

// Y = A V for A [n x n] of which one triangle is read, 'L' or 'U', and few columns: dsymm reads
// such a triangle element by element, dgemm does not.
inline void symmetric_product(char triangle, const double* A, Eigen::Index stride,
                              const Eigen::MatrixXd& V, Eigen::MatrixXd& Y) {
  const int n = static_cast<int>(V.rows()), k = static_cast<int>(V.cols()),
            ld = static_cast<int>(stride), block = 256;
  const double one = 1, zero = 0;
  Y.resize(n, k);
  for (int j = 0; j < n; j += block) {
    const int width = std::min(block, n - j);
    dsymm_("L", &triangle, &width, &k, &one, A + j + j * stride, &ld, &V(j, 0), &n, &zero, &Y(j, 0),
           &n, 1, 1);
  }
  for (int j = 0; j < n; j += block) {
    const int width = std::min(block, n - j), other = triangle == 'U' ? 0 : j + width,
              rows = triangle == 'U' ? j : n - other;
    if (rows == 0) continue;
    const double* panel = A + other + j * stride;
    dgemm_("N", "N", &rows, &k, &width, &one, panel, &ld, &V(j, 0), &n, &one, &Y(other, 0), &n, 1,
           1);
    dgemm_("T", "N", &width, &k, &rows, &one, panel, &ld, &V(other, 0), &n, &one, &Y(j, 0), &n, 1,
           1);
  }
}

class SymmetricLower {
 public:
  SymmetricLower(const double* data, Eigen::Index n) : data_(data), n_(static_cast<int>(n)) {}

  Eigen::Index rows() const { return n_; }

  // y = A x
  void multiply(const double* x, double* y) const {
    const double one = 1, zero = 0;
    const int step = 1;
    dsymv_("L", &n_, &one, data_, &n_, x, &step, &zero, y, &step, 1);
  }

  // A V [n x k]
  Eigen::MatrixXd operator*(const Eigen::MatrixXd& V) const {
    DOMGEN_EXPECT(V.rows() == n_);
    Eigen::MatrixXd product(n_, V.cols());
    if (V.cols() <= few_columns) {
      for (Eigen::Index j = 0; j < V.cols(); ++j) multiply(V.col(j).data(), product.col(j).data());
      return product;
    }
    symmetric_product('L', data_, n_, V, product);
    return product;
  }

  // The same for many columns.
  Eigen::MatrixXd times(const Eigen::MatrixXd& V, const Pool& pool) const {
    Eigen::MatrixXd product(n_, V.cols());
    in_strips(V.cols(), 2.0 * n_ * n_, pool, [&](Eigen::Index first, Eigen::Index width) {
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
  int n_;
};

struct EigenPairs {
  Eigen::VectorXd values;   // [m], decreasing
  Eigen::MatrixXd vectors;  // [n x m], orthonormal
  Eigen::Index products = 0;
  bool converged = true;
};

}  // namespace domgen

#endif
