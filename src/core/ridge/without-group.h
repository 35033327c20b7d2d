// Ridge regression on features without a group of rows, for many lambda.
#ifndef DOMGEN_CORE_RIDGE_WITHOUT_GROUP_H
#define DOMGEN_CORE_RIDGE_WITHOUT_GROUP_H

#include "../linalg/assert.h"
#include "../linalg/blas.h"
#include "../linalg/view.h"

#include <Eigen/Core>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace domgen {

// Of all rows, whose squares in these features, weighted by their costs, are the diagonal D: the
// fit is F'(D + Lambda)^-1 sums, and with B = (D + Lambda)^-1/2 F C^1/2 of a group's own rows the
// fit without them is less by
//   F'(D + Lambda)^-1/2 B (I - B'B)^-1 C^1/2 (y - fit).
// Or it follows from the sums of the other rows: F'(D + Lambda - FCF')^-1 (sums - FCy).
class WithoutGroup {
 public:
  // F [r x n], Y [n x k] and root [n], square roots of the costs, of the group's rows; sums
  // [r x k]: FCY of all rows.
  WithoutGroup(const MatrixView& F, const MatrixView& Y, const Eigen::VectorXd& root,
               const MatrixView& sums)
      : F_(F.data(), F.rows(), F.cols()), Y_(Y.data(), Y.rows(), Y.cols()), root_(root),
        sums_(sums.data(), sums.rows(), sums.cols()), n_(static_cast<int>(F.cols())),
        r_(static_cast<int>(F.rows())), k_(static_cast<int>(Y.cols())) {
    DOMGEN_EXPECT(Y.rows() == F.cols() && root.size() == F.cols());
    DOMGEN_EXPECT(sums.rows() == F.rows() && sums.cols() == Y.cols());
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

 private:
  Eigen::Map<const Eigen::MatrixXd> F_, Y_;
  Eigen::VectorXd root_;
  Eigen::Map<const Eigen::MatrixXd> sums_;
  int n_, r_, k_;

  // Operations of a factor and its solutions, which are fewer?
  bool by_rows() const {
    const double n = n_, r = r_, k = k_;
    return n * n * (r + n / 3 + 2 * k) <= r * r * (r / 3 + 2 * k);
  }

  void add_sums(const Eigen::MatrixXd& costly, Eigen::MatrixXd& second,
                Eigen::MatrixXd& cross) const {
    const double one = 1, minus_one = -1, zero = 0;
    second.resize(r_, r_);
    dsyrk_("U", "N", &r_, &n_, &minus_one, costly.data(), &r_, &zero, second.data(), &r_, 1, 1);
    cross = sums_;
    const Eigen::MatrixXd targets = root_.asDiagonal() * Y_;
    dgemm_("N", "N", &r_, &k_, &n_, &minus_one, costly.data(), &r_, targets.data(), &n_, &one,
           cross.data(), &r_, 1, 1);
  }

  // By C^1/2 residual = (I - B'B)^-1 C^1/2 (y - fit), but for rows whose cost is next to nothing.
  void from_rows(const Eigen::VectorXd& ridge, const Eigen::MatrixXd& costly,
                 Eigen::MatrixXd& residual) const {
    const double one = 1, minus_one = -1;
    const Eigen::VectorXd root = ridge.array().rsqrt();
    const Eigen::MatrixXd B = root.asDiagonal() * costly;
    Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n_, n_);
    dsyrk_("U", "T", &n_, &r_, &minus_one, B.data(), &r_, &one, M.data(), &n_, 1, 1);
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
  void subtract(const Eigen::MatrixXd& W, Eigen::MatrixXd& residual) const {
    const double one = 1, minus_one = -1;
    residual = Y_;
    dgemm_("T", "N", &n_, &k_, &r_, &minus_one, F_.data(), &r_, W.data(), &r_, &one,
           residual.data(), &n_, 1, 1);
  }

  // V <- A^-1 V, with the upper triangle of A, which is lost. A group that is nearly all there is
  // leaves a difference of rounding, to which the smallest multiple of it that helps is added.
  static void solve(Eigen::MatrixXd& A, Eigen::MatrixXd& V) {
    const int size = static_cast<int>(A.rows()), columns = static_cast<int>(V.cols());
    const double one = 1, rounding = std::numeric_limits<double>::epsilon() * double(size);
    const Eigen::MatrixXd kept = A;
    double added = 0;
    for (int info = 1; info != 0;) {
      dpotrf_("U", &size, A.data(), &size, &info, 1);
      if (info == 0) break;
      if (!(added < 1e-3))
        throw std::domain_error("a ridge regression without some of the rows has no solution");
      added = std::max(4 * added, rounding);
      A = kept;
      A.diagonal().array() += added * std::max(1.0, kept.diagonal().maxCoeff());
    }
    for (const char* trans : {"T", "N"})
      dtrsm_("L", "U", trans, "N", &size, &columns, &one, A.data(), &size, V.data(), &size, 1, 1, 1,
             1);
  }
};

// Weighted squared errors of responses that are linear in columns.
struct SquaredErrors {
  Eigen::VectorXd share;  // [n] weights of the rows
  Index own, targets;     // columns before those of the worlds; columns of one response
  MatrixView combine;     // [columns x worlds], or empty: each column is a response

  Index columns(Index k) const { return (k - own) / targets; }
  Index worlds(Index k) const { return combine.size() > 0 ? combine.cols() : columns(k); }

  // residual [n x k] of the rows from `first` on
  Eigen::VectorXd of(Eigen::MatrixXd& residual, Index first) const {
    const Index n = residual.rows(), k = residual.cols();
    residual.array().colwise() *= share.segment(first, n).array().sqrt();
    Eigen::VectorXd sums = Eigen::VectorXd::Zero(worlds(k));
    const Eigen::OuterStride<> next(n * targets);
    for (Index t = 0; t < targets; ++t) {
      const Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>> error(
          residual.data() + (own + t) * n, n, columns(k), next);
      if (combine.size() == 0) {
        sums += error.colwise().squaredNorm().transpose();
        continue;
      }
      const int rows = static_cast<int>(n), inner = static_cast<int>(error.cols());
      const int lead = static_cast<int>(n * targets), cols = static_cast<int>(combine.cols());
      const double one = 1, zero = 0;
      Eigen::MatrixXd world(n, combine.cols());
      dgemm_("N", "N", &rows, &cols, &inner, &one, error.data(), &lead, combine.data(), &inner,
             &zero, world.data(), &rows, 1, 1);
      sums += world.colwise().squaredNorm().transpose();
    }
    return sums;
  }
};

}  // namespace domgen

#endif
