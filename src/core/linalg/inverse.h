// Inverse of a positive definite matrix from its Cholesky factor, in the memory
// of the factor.
#ifndef DOMGEN_CORE_LINALG_INVERSE_H
#define DOMGEN_CORE_LINALG_INVERSE_H

#include "assert.h"
#include "dense.h"
#include "pool.h"

#include <Eigen/Core>

#include <algorithm>
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
      : P_(A, n, n), n_(n), pool_(pool), W_(Eigen::Index(panel_rows), n) {}

  void run() {
    for (Eigen::Index begin = (n_ - 1) / panel_rows * panel_rows; begin >= 0; begin -= panel_rows)
      add_panel(begin, std::min(+panel_rows, n_ - begin));
  }

 private:
  static constexpr Eigen::Index panel_rows = 256, strip_columns = 512;
  Eigen::Map<Eigen::MatrixXd> P_;
  const Eigen::Index n_;
  const Pool& pool_;
  Eigen::MatrixXd W_;  // [panel x n], its first `width` rows and n - end columns in use

  void add_panel(Eigen::Index begin, Eigen::Index width) {
    const Eigen::Index end = begin + width, rest = n_ - end;
    auto own = P_.block(begin, begin, width, width);
    auto right = P_.block(begin, end, width, rest);
    auto W = W_.topLeftCorner(width, rest);
    solve_triangle(upper_triangle(own), right);
    W = right;
    if (!invert_factored(Half::upper, own))
      throw std::runtime_error("the Cholesky factor is singular");
    for (Eigen::Index j = 0; j < rest; j += strip_columns) {
      multiply_strip(width, end, j, std::min(+strip_columns, rest - j), right);
      pool_.interrupt();
    }
    if (rest > 0) add_product(own, right, transposed(W), -1);
  }

  // Columns j, ..., j + columns - 1 of -W P2; P2 is read from its upper triangle.
  void multiply_strip(Eigen::Index width, Eigen::Index end, Eigen::Index j, Eigen::Index columns,
                      Out right) {
    const Eigen::Index after = n_ - end - j - columns;
    auto out = right.middleCols(j, columns);
    const Symmetric own(Half::upper, P_.block(end + j, end + j, columns, columns));
    set_product(out, W_.block(0, j, width, columns), own, -1);
    if (j > 0) add_product(out, W_.topLeftCorner(width, j), P_.block(end, end + j, j, columns), -1);
    if (after > 0) {
      add_product(out, W_.block(0, j + columns, width, after),
                  transposed(P_.block(end + j, end + j + columns, columns, after)), -1);
    }
  }
};

inline void inverse_from_cholesky(double* A, Eigen::Index n, const Pool& pool) {
  DOMGEN_EXPECT(A || n == 0);
  CholeskyInverse(A, n, pool).run();
}

}  // namespace domgen

#endif
