// (S + lambda I)^-1 B for many lambda: S = Q T Q' with T a band matrix once, then few
// operations per lambda. The tridiagonal form needs half of its work from
// matrix-vector products, which are as slow as the memory; a band needs none. Q begins
// with B, so that the leading rows of T span the Krylov space of B: T is
// taken only as far as (S + lambda I)^-1 B needs it.
#ifndef DOMGEN_CORE_LINALG_BAND_H
#define DOMGEN_CORE_LINALG_BAND_H

#include "assert.h"
#include "dense.h"
#include "gram-buffer.h"
#include "pool.h"
#include "symmetric.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace domgen {

class BandForm {
 public:
  // S [n x n], symmetric: its diagonal and upper triangle are overwritten, the rest is not
  // read. B [n x r]: X = (S + lambda I)^-1 B, lambda >= least, is to have a residual
  // below |S| |X| n epsilon / 100, which is far below what rounding may leave.
  BandForm(Eigen::Map<Eigen::MatrixXd> S, const Eigen::MatrixXd& B, double least, const Pool& pool)
      : n_(S.rows()), width_(widest / 2) {
    DOMGEN_EXPECT(S.rows() == S.cols() && B.rows() == n_);
    const bool begins = B.cols() > 0 && B.cols() <= std::min<Eigen::Index>(widest, n_);
    const double error = norm(S) * double(n_) * std::numeric_limits<double>::epsilon() / 100;
    Elimination start(*this, least);
    Eigen::MatrixXd rest;  // of the residual of B, in the rows to come
    if (begins) {
      const Eigen::Index multiple = (B.cols() + 7) / 8 * 8;  // products are faster
      width_ = std::min(n_, std::max<Eigen::Index>(narrowest, multiple));
      rest = Eigen::MatrixXd::Zero(width_, B.cols());
      rest.topRows(B.cols()) = turn(S, 0, B);
    }
    const Eigen::RowVectorXd length = B.colwise().norm();
    Eigen::RowVectorXd form = Eigen::RowVectorXd::Zero(B.cols());  // of X: b'x <= |b| |x|
    bool shrinks = begins;
    for (Eigen::Index j = 0; j < n_; j += width_) {
      pool.interrupt();
      const Eigen::Index width = std::min(width_, n_ - j), first = j + width;
      inner_.emplace_back(S.block(j, j, width, width).selfadjointView<Eigen::Upper>());
      size_ = first;
      if (first == n_) return;
      below_.push_back(turn(S, first, S.block(j, first, width, n_ - first).transpose()));
      if (!shrinks) continue;
      shrinks = start.advance();
      if (!shrinks) continue;
      const std::size_t last = inner_.size() - 1;
      rest = start.forward(last, rest);
      form += rest.colwise().squaredNorm();
      rest = start.carry(last, rest);
      const Eigen::ArrayXd left = rest.colwise().norm().array() * length.array();
      if ((left <= error * form.transpose().array()).all()) return;
    }
  }

  // Rows of T that were taken.
  Eigen::Index size() const { return size_; }

  // Q'B [size x m]
  Eigen::MatrixXd to_band(Eigen::MatrixXd B) const {
    for (const Reflectors& block : blocks_) reflect(block, true, B);
    return B.topRows(size_);
  }

  // QB for B [size x m]
  Eigen::MatrixXd from_band(const Eigen::MatrixXd& B) const {
    Eigen::MatrixXd image = Eigen::MatrixXd::Zero(n_, B.cols());
    image.topRows(size_) = B;
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
      reflect(*block, false, image);
    return image;
  }

  // B <- (T + lambda I)^-1 B [size x m]; false where T + lambda I is not positive definite.
  bool solve(double lambda, Eigen::Ref<Eigen::MatrixXd> B) const {
    DOMGEN_EXPECT(B.rows() == size_);
    Elimination elimination(*this, lambda);
    const std::size_t blocks = inner_.size();
    for (std::size_t k = 0; k < blocks; ++k) {
      if (!elimination.advance()) return false;
      auto own = rows(B, k);
      own = elimination.forward(k, own);
      if (k + 1 < blocks) rows(B, k + 1) += elimination.carry(k, own);
    }
    for (std::size_t k = blocks; k-- > 0;) {
      auto own = rows(B, k);
      own = k + 1 < blocks ? elimination.backward(k, own, rows(B, k + 1))
                           : elimination.backward(k, own);
    }
    return true;
  }

 private:
  enum : Eigen::Index { narrowest = 16, widest = 64 };
  // I - V F V', V [m x k] unit lower trapezoidal, on the last m rows.
  struct Reflectors {
    Eigen::MatrixXd V, F;
  };

  // T + lambda I = L L', block by block: L_k in the diagonal, W_k' = C_k L_k^-T below it.
  class Elimination {
   public:
    Elimination(const BandForm& form, double lambda) : form_(form), lambda_(lambda) {}

    // The next block; false where it is not positive definite.
    bool advance() {
      const std::size_t k = L_.size();
      Eigen::MatrixXd A = form_.inner_[k];
      A.diagonal().array() += lambda_;
      if (k > 0) add_product(A, transposed(W_[k - 1]), W_[k - 1], -1);
      if (!cholesky_factor(Half::lower, A)) return false;
      L_.push_back(std::move(A));
      if (k < form_.below_.size()) W_.push_back(forward(k, form_.below_[k].transpose()));
      return true;
    }

    // L_k^-1 B
    Eigen::MatrixXd forward(std::size_t k, Eigen::MatrixXd B) const {
      solve_triangle(lower_triangle(L_[k]), B);
      return B;
    }
    // What B, L_k^-1 of its block of a right side, adds to the next.
    Eigen::MatrixXd carry(std::size_t k, const Eigen::MatrixXd& B) const {
      Eigen::MatrixXd next = Eigen::MatrixXd::Zero(W_[k].cols(), B.cols());
      add_product(next, transposed(W_[k]), B, -1);
      return next;
    }
    // L_k^-T B, and L_k^-T (B - W_k next)
    Eigen::MatrixXd backward(std::size_t k, Eigen::MatrixXd B) const {
      solve_triangle(transposed(lower_triangle(L_[k])), B);
      return B;
    }
    Eigen::MatrixXd backward(std::size_t k, Eigen::MatrixXd B, const Eigen::MatrixXd& next) const {
      add_product(B, W_[k], next, -1);
      return backward(k, std::move(B));
    }

   private:
    const BandForm& form_;
    const double lambda_;
    std::vector<Eigen::MatrixXd> L_, W_;
  };

  const Eigen::Index n_;
  Eigen::Index width_, size_ = 0;
  // T: its diagonal blocks [width x width], and those below them, upper trapezoidal
  std::vector<Eigen::MatrixXd> inner_, below_;
  std::vector<Reflectors> blocks_;

  static double norm(const Eigen::Map<Eigen::MatrixXd>& S) {
    double squares = S.diagonal().squaredNorm();
    for (Eigen::Index j = 1; j < S.cols(); ++j) squares += 2 * S.col(j).head(j).squaredNorm();
    return std::sqrt(squares);
  }

  template <class Matrix>
  Eigen::Block<Matrix> rows(Matrix& B, std::size_t block) const {
    const Eigen::Index first = Eigen::Index(block) * width_;
    return {B, first, 0, inner_[block].rows(), B.cols()};
  }

  // H = I - V F V' on the rows `first`, ..., with `panel` = H R, R upper trapezoidal, the result:
  // S <- H'S H.
  Eigen::MatrixXd turn(Eigen::Map<Eigen::MatrixXd>& S, Eigen::Index first, Eigen::MatrixXd panel) {
    const Eigen::Index m = n_ - first, k = std::min(m, panel.cols());
    Reflectors block;
    block.F = reflectors(panel);
    const Eigen::MatrixXd R = panel.topRows(k).triangularView<Eigen::Upper>();
    Eigen::MatrixXd& V = block.V;
    V.swap(panel);
    V.conservativeResize(m, k);
    V.topRows(k).triangularView<Eigen::Upper>().setZero();
    V.topRows(k).diagonal().setOnes();

    auto rest = S.bottomRightCorner(m, m);
    Eigen::MatrixXd SV, X(m, k), inner(k, k);
    symmetric_product(Symmetric(Half::upper, rest), V, SV);
    set_product(X, SV, block.F);
    set_product(inner, transposed(V), X);
    inner = product_of(transposed(block.F), inner);
    add_product(X, V, inner, -0.5);
    add_pair(Half::upper, rest, V, X, -1);
    blocks_.push_back(std::move(block));
    return R;
  }

  static void reflect(const Reflectors& block, bool turned, Eigen::MatrixXd& B) {
    Eigen::MatrixXd VB(block.V.cols(), B.cols());
    auto last = B.bottomRows(block.V.rows());
    set_product(VB, transposed(block.V), last);
    VB = product_of(turned ? transposed(block.F) : block.F, VB);
    add_product(last, block.V, VB, -1);
  }
};

// S [r x r], positive semidefinite; B [r x m]. Columns
// j + l m of the result belong to column j of B and lambda_l.
inline Eigen::MatrixXd solve_shifted(GramBuffer S, const Eigen::MatrixXd& B,
                                     const Eigen::VectorXd& lambda, const Pool& pool) {
  DOMGEN_EXPECT(S.rows() == B.rows());
  if (lambda.size() == 0) return Eigen::MatrixXd(B.rows(), 0);
  const BandForm form(S.matrix(), B, lambda.minCoeff(), pool);
  Eigen::MatrixXd X = form.to_band(B).replicate(1, lambda.size());
  for (Eigen::Index l = 0; l < lambda.size(); ++l) {
    pool.interrupt();
    if (!form.solve(lambda[l], X.middleCols(l * B.cols(), B.cols())))
      throw std::domain_error("`lambda` must be large enough for a positive definite matrix");
  }
  return form.from_band(X);
}

}  // namespace domgen

#endif
