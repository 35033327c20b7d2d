// Ridge regression on features without a group of rows, for many lambda.
#ifndef DOMGEN_CORE_RIDGE_WITHOUT_GROUP_H
#define DOMGEN_CORE_RIDGE_WITHOUT_GROUP_H

#include "../linalg/assert.h"
#include "../linalg/cholesky.h"
#include "../linalg/dense.h"
#include "../linalg/view.h"

#include <Eigen/Core>

#include <algorithm>
#include <limits>

namespace domgen {

// Of all rows, whose squares in these features, weighted by their costs, are the diagonal D: the
// fit is F'(D + Lambda)^-1 sums, and with B = (D + Lambda)^-1/2 F C^1/2 of a group's own rows the
// fit without them is less by
//   F'(D + Lambda)^-1/2 B (I - B'B)^-1 C^1/2 (y - fit).
// Or it follows from the sums of the other rows: F'(D + Lambda - FCF')^-1 (sums - FCy).
class WithoutGroup {
 public:
  // F [r x n], Y [n x k] and root [n], square roots of the costs, of the group's rows; sums
  // [r x k]: FCY of all rows, or empty where no fit is wanted.
  WithoutGroup(const MatrixView& F, const MatrixView& Y, const Eigen::VectorXd& root,
               const MatrixView& sums)
      : F_(F.data(), F.rows(), F.cols()), Y_(Y.data(), Y.rows(), Y.cols()), root_(root),
        sums_(sums.data(), sums.rows(), sums.cols()), n_(F.cols()), r_(F.rows()), k_(Y.cols()) {
    DOMGEN_EXPECT(Y.rows() == F.cols() && root.size() == F.cols());
    DOMGEN_EXPECT(sums.size() == 0 || (sums.rows() == F.rows() && sums.cols() == Y.cols()));
  }

  // penalised [r x L]: D + Lambda. Residuals of the group's rows [n x k L], column j + l k for
  // response j.
  Eigen::MatrixXd residuals(const Eigen::MatrixXd& penalised) const {
    Eigen::MatrixXd values(n_, k_ * penalised.cols());
    each(penalised, [&](Index l, const Eigen::MatrixXd& residual) {
      values.middleCols(l * k_, k_) = residual;
    });
    return values;
  }

  // use(l, residuals [n x k]) for each column l of D + Lambda.
  template <class Use>
  void each(const Eigen::MatrixXd& penalised, const Use& use) const {
    DOMGEN_EXPECT(penalised.rows() == r_);
    const bool rows = by_rows();
    const Eigen::MatrixXd costly = F_ * root_.asDiagonal();
    Eigen::MatrixXd second, cross, residual;
    if (!rows) add_sums(costly, second, cross);
    for (Index l = 0; l < penalised.cols(); ++l) {
      const Eigen::VectorXd ridge = penalised.col(l);
      if (rows) from_rows(ridge, costly, residual);
      else from_sums(ridge, second, cross, residual);
      use(l, residual);
    }
  }

  // Of the group's rows: FCF' [r x r], its upper triangle, and FCY [r x k].
  void own_sums(Eigen::MatrixXd& second, Eigen::MatrixXd& cross) const {
    second.setZero(r_, r_);
    cross.setZero(r_, k_);
    const Eigen::MatrixXd costly = F_ * root_.asDiagonal();
    add_products(1, costly, second, cross);
  }

  // use(l, W [r x k]): the fit F'W to the other rows, from their sums, for each column l of what is
  // added to the diagonal.
  template <class Use>
  static void each_fit(const Eigen::MatrixXd& ridges, const Eigen::MatrixXd& second,
                       const Eigen::MatrixXd& cross, const Use& use) {
    for (Index l = 0; l < ridges.cols(); ++l) {
      Eigen::MatrixXd S = second, W = cross;
      S.diagonal() += ridges.col(l);
      solve(S, W);
      use(l, W);
    }
  }

  const Eigen::Map<const Eigen::MatrixXd>& targets() const { return Y_; }

  // Y - F'W of the first columns, as many as W has.
  Eigen::MatrixXd residuals_of(const Eigen::Ref<const Eigen::MatrixXd>& W) const {
    Eigen::MatrixXd residual;
    subtract(W, residual);
    return residual;
  }

 private:
  Eigen::Map<const Eigen::MatrixXd> F_, Y_;
  Eigen::VectorXd root_;
  Eigen::Map<const Eigen::MatrixXd> sums_;
  Index n_, r_, k_;

  // Operations of a factor and its solutions, which are fewer?
  bool by_rows() const {
    const double n = double(n_), r = double(r_), k = double(k_);
    return n * n * (r + n / 3 + 2 * k) <= r * r * (r / 3 + 2 * k);
  }

  void add_sums(const Eigen::MatrixXd& costly, Eigen::MatrixXd& second,
                Eigen::MatrixXd& cross) const {
    second.setZero(r_, r_);
    cross = sums_;
    add_products(-1, costly, second, cross);
  }

  void add_products(double sign, const Eigen::MatrixXd& costly, Eigen::MatrixXd& second,
                    Eigen::MatrixXd& cross) const {
    add_square(Half::upper, second, costly, sign);
    const Eigen::MatrixXd targets = root_.asDiagonal() * Y_;
    add_product(cross, costly, targets, sign);
  }

  // By C^1/2 residual = (I - B'B)^-1 C^1/2 (y - fit), but for rows whose cost is next to nothing.
  void from_rows(const Eigen::VectorXd& ridge, const Eigen::MatrixXd& costly,
                 Eigen::MatrixXd& residual) const {
    const Eigen::VectorXd root = ridge.array().rsqrt();
    const Eigen::MatrixXd B = root.asDiagonal() * costly;
    Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n_, n_);
    add_square(Half::upper, M, transposed(B), -1);
    Eigen::MatrixXd weights = ridge.array().inverse().matrix().asDiagonal() * sums_;
    subtract(weights, residual);
    residual = root_.asDiagonal() * residual;
    solve(M, residual);
    if (root_.minCoeff() > 1e-3 * root_.maxCoeff()) {
      residual = root_.array().inverse().matrix().asDiagonal() * residual;
      return;
    }
    weights.noalias() -= root.asDiagonal() * (B * residual);
    subtract(weights, residual);
  }

  void from_sums(const Eigen::VectorXd& ridge, const Eigen::MatrixXd& second,
                 const Eigen::MatrixXd& cross, Eigen::MatrixXd& residual) const {
    Eigen::MatrixXd S = second, W = cross;
    S.diagonal() += ridge;
    solve(S, W);
    subtract(W, residual);
  }

  // Y - F'W
  void subtract(const Eigen::Ref<const Eigen::MatrixXd>& W, Eigen::MatrixXd& residual) const {
    residual = Y_.leftCols(W.cols());
    add_product(residual, transposed(F_), W, -1);
  }

  // V <- A^-1 V, with the upper triangle of A, which is lost. A group that is nearly all there is
  // leaves a difference of rounding, to which the smallest multiple of it that helps is added.
  static void solve(Eigen::MatrixXd& A, Eigen::MatrixXd& V) {
    const double rounding = std::numeric_limits<double>::epsilon() * double(A.rows());
    const Eigen::MatrixXd kept = A;
    const auto factorise = [&](double part) {
      if (part > 0) {
        A = kept;
        A.diagonal().array() += part * std::max(1.0, kept.diagonal().maxCoeff());
      }
      return cholesky_factor(Half::upper, A);
    };
    raise_diagonal(0, rounding, 1e-3, factorise,
                   "a ridge regression without some of the rows has no solution");
    solve_factored(Half::upper, A, V);
  }
};

}  // namespace domgen

#endif
