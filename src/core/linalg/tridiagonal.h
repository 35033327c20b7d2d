// Leading eigenpairs of a dense symmetric matrix by way of its tridiagonal form, as LAPACK's dsyevr
// goes about it, but in pieces of a fraction of a second, between which the call can be stopped.
#ifndef DOMGEN_CORE_LINALG_TRIDIAGONAL_H
#define DOMGEN_CORE_LINALG_TRIDIAGONAL_H

#include "assert.h"
#include "dense.h"
#include "pool.h"
#include "symmetric.h"

#include <Eigen/Core>

namespace domgen {

// A = Q T Q' [n x n], T tridiagonal.
class TridiagonalForm {
 public:
  // The lower triangle of A is overwritten; A must outlive this.
  TridiagonalForm(Eigen::MatrixXd& A, const Pool& pool)
      : A_(A), n_(A.rows()), pool_(pool), diagonal_(n_), below_(n_), tau_(n_) {
    // The pairs of matrix-vector products of a panel are bound by memory.
    const Eigen::Index panel = n_ > 3000 ? 16 : 32;
    Eigen::MatrixXd W(n_, panel);
    Eigen::Index begin = 0;
    for (; begin < n_ - panel; begin += panel) {
      pool_.interrupt();
      const Eigen::Index size = n_ - begin, rest = size - panel;
      tridiagonal_panel(A_.bottomRightCorner(size, size), panel, &below_[begin], &tau_[begin], W);
      add_pair(Half::lower, A_.bottomRightCorner(rest, rest),
               A_.block(n_ - rest, begin, rest, panel), W.middleRows(panel, rest), -1);
      for (Eigen::Index j = begin; j < begin + panel; ++j) {
        A_(j + 1, j) = below_[j];
        diagonal_[j] = A_(j, j);
      }
    }
    tridiagonal_form(A_.bottomRightCorner(n_ - begin, n_ - begin), &diagonal_[begin],
                     &below_[begin], &tau_[begin]);
  }

  const Eigen::VectorXd& diagonal() const { return diagonal_; }
  // [n], the last unused
  const Eigen::VectorXd& below() const { return below_; }

  // Q
  Eigen::MatrixXd rotation() const {
    Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(n_, n_);
    rotate(Q);
    return Q;
  }

  // The m largest, in decreasing order.
  EigenPairs leading(Eigen::Index m) const {
    EigenPairs pairs;
    Eigen::MatrixXd vectors;
    if (!tridiagonal_pairs(diagonal_, below_, m, pairs.values, vectors)) {
      all_tridiagonal_pairs(diagonal_, below_, pairs.values, vectors);
      pairs.values = pairs.values.tail(m).eval();
      vectors = vectors.rightCols(m).eval();
    }
    pairs.values.reverseInPlace();
    rotate(vectors);
    pairs.vectors = vectors.rowwise().reverse();
    return pairs;
  }

 private:
  Eigen::MatrixXd& A_;
  const Eigen::Index n_;
  const Pool& pool_;
  Eigen::VectorXd diagonal_, below_, tau_;  // [n], of the last two n - 1 in use

  // V <- Q V
  void rotate(Eigen::MatrixXd& V) const {
    in_strips(V.cols(), 2.0 * double(n_) * double(n_), pool_,
              [&](Eigen::Index first, Eigen::Index width) {
                rotate_from_tridiagonal(A_, tau_.data(), V.middleCols(first, width));
              });
  }
};

// V [n x m] <- V (V'V)^-1/2 by a step of Newton's method, where V'V is nearly I.
inline void orthonormalise(Eigen::MatrixXd& V, const Pool& pool) {
  const Eigen::Index m = V.cols();
  const double operations = 2.0 * double(V.rows()) * double(m);
  Eigen::MatrixXd G(m, m), result(V.rows(), m);
  in_strips(m, operations, pool, [&](Eigen::Index first, Eigen::Index width) {
    set_product(G.middleCols(first, width), transposed(V), V.middleCols(first, width), -0.5);
  });
  G.diagonal().array() += 1.5;
  in_strips(m, operations, pool, [&](Eigen::Index first, Eigen::Index width) {
    set_product(result.middleCols(first, width), V, G.middleCols(first, width));
  });
  V.swap(result);
}

// The m leading eigenpairs of A (its lower triangle; overwritten). The vectors are orthogonal up
// to rounding where m < n, and up to some ten times n machine epsilons where m = n.
inline EigenPairs dense_leading_pairs(Eigen::MatrixXd& A, Eigen::Index m, const Pool& pool) {
  DOMGEN_EXPECT(A.rows() == A.cols() && m <= A.rows());
  // Squares of the entries must neither overflow nor vanish.
  const double size = A.cwiseAbs().maxCoeff();
  const bool scaled = size > 0 && !(size > 1e-100 && size < 1e100);
  if (scaled) A /= size;
  EigenPairs pairs = TridiagonalForm(A, pool).leading(m);
  if (scaled) pairs.values *= size;
  if (m < A.rows()) orthonormalise(pairs.vectors, pool);
  return pairs;
}

// Of a small matrix.
inline EigenPairs dense_leading_pairs(Eigen::MatrixXd& A, Eigen::Index m) {
  return dense_leading_pairs(A, m, SmallWork());
}

}  // namespace domgen

#endif
