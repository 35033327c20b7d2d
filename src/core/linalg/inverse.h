// Inverse of a positive definite matrix from its Cholesky factor, in the memory
// of the factor.
#ifndef DOMGEN_CORE_LINALG_INVERSE_H
#define DOMGEN_CORE_LINALG_INVERSE_H

#include "assert.h"
#include "blas.h"
#include "pool.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace domgen {

// A [n x n] holds R in its upper triangle, which becomes that of P = (R'R)^-1; the
// lower triangle is spoilt. From the last panel k of rows to the first, with P2 the
// inverse found so far and W = R_kk^-1 R_k2:
//   P_k2 = -W P2,   P_kk = (R_kk' R_kk)^-1 - P_k2 W'.
// All large work is in matrix products of strips, between which the call
// can be stopped.
class CholeskyInverse {
 public:
  CholeskyInverse(double* A, Eigen::Index n, const Pool& pool)
      : data_(A), n_(static_cast<int>(n)), pool_(pool), W_(Eigen::Index(panel_rows), n) {}

  void run() {
    for (int begin = (n_ - 1) / panel_rows * panel_rows; begin >= 0; begin -= int(panel_rows)) {
      add_panel(begin, std::min(int(panel_rows), n_ - begin));
    }
  }

 private:
  static constexpr int panel_rows = 256, strip_columns = 512;
  double* data_;
  int n_;
  const Pool& pool_;
  Eigen::MatrixXd W_;  // [panel x n], its first `width` rows and n - end columns in use

  double* at(int i, int j) { return data_ + i + static_cast<std::ptrdiff_t>(j) * n_; }
  double* w(int j) { return W_.data() + static_cast<std::ptrdiff_t>(j) * panel_rows; }

  void add_panel(int begin, int width) {
    const int end = begin + width, rest = n_ - end, ldw = panel_rows;
    const double one = 1, minus_one = -1;
    if (rest > 0) {
      dtrsm_("L", "U", "N", "N", &width, &rest, &one, at(begin, begin), &n_, at(begin, end), &n_, 1,
             1, 1, 1);
      for (int j = 0; j < rest; ++j) {
        std::copy(at(begin, end + j), at(begin, end + j) + width, w(j));
      }
    }
    int info = 0;
    dpotri_("U", &width, at(begin, begin), &n_, &info, 1);
    if (info != 0) throw std::runtime_error("the Cholesky factor is singular");
    for (int j = 0; j < rest; j += strip_columns) {
      multiply_strip(begin, width, end, rest, j, std::min(int(strip_columns), rest - j));
      pool_.interrupt();
    }
    if (rest > 0) {
      dgemm_("N", "T", &width, &width, &rest, &minus_one, at(begin, end), &n_, w(0), &ldw, &one,
             at(begin, begin), &n_, 1, 1);
    }
  }

  // Columns j, ..., j + columns - 1 of -W P2; P2 is read from its upper triangle.
  void multiply_strip(int begin, int width, int end, int rest, int j, int columns) {
    const double zero = 0, one = 1, minus_one = -1;
    const int ldw = panel_rows, after = rest - j - columns;
    double* out = at(begin, end + j);
    dsymm_("R", "U", &width, &columns, &minus_one, at(end + j, end + j), &n_, w(j), &ldw, &zero,
           out, &n_, 1, 1);
    if (j > 0) {
      dgemm_("N", "N", &width, &columns, &j, &minus_one, w(0), &ldw, at(end, end + j), &n_, &one,
             out, &n_, 1, 1);
    }
    if (after > 0) {
      dgemm_("N", "T", &width, &columns, &after, &minus_one, w(j + columns), &ldw,
             at(end + j, end + j + columns), &n_, &one, out, &n_, 1, 1);
    }
  }
};

inline void inverse_from_cholesky(double* A, Eigen::Index n, const Pool& pool) {
  DOMGEN_EXPECT(A || n == 0);
  CholeskyInverse(A, n, pool).run();
}

}  // namespace domgen

#endif
