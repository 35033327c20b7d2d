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

  // penalised [r x L]: D + Lambda. Predictions of the group's rows [n x k L], column j + l k for
  // response j.
  Eigen::MatrixXd predict(const Eigen::MatrixXd& penalised) const {
    DOMGEN_EXPECT(penalised.rows() == r_);
    Eigen::MatrixXd values(n_, k_ * penalised.cols());
    const bool rows = by_rows();
    const Eigen::MatrixXd costly = F_ * root_.asDiagonal();
    Eigen::MatrixXd second, cross;
    if (!rows) add_sums(costly, second, cross);
    for (Index l = 0; l < penalised.cols(); ++l) {
      const Eigen::VectorXd ridge = penalised.col(l);
      Eigen::Ref<Eigen::MatrixXd> at = values.middleCols(l * k_, k_);
      if (rows) from_rows(ridge, costly, at);
      else from_sums(ridge, second, cross, at);
    }
    return values;
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

  void from_rows(const Eigen::VectorXd& ridge, const Eigen::MatrixXd& costly,
                 Eigen::Ref<Eigen::MatrixXd> values) const {
    const double one = 1, minus_one = -1;
    const Eigen::VectorXd root = ridge.array().rsqrt();
    const Eigen::MatrixXd B = root.asDiagonal() * costly;
    Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n_, n_);
    dsyrk_("U", "T", &n_, &r_, &minus_one, B.data(), &r_, &one, M.data(), &n_, 1, 1);
    Eigen::MatrixXd weights = ridge.array().inverse().matrix().asDiagonal() * sums_;
    Eigen::MatrixXd residual = root_.asDiagonal() * (Y_ - project(weights));
    solve(M, residual);
    weights.noalias() -= root.asDiagonal() * (B * residual);
    values = project(weights);
  }

  void from_sums(const Eigen::VectorXd& ridge, const Eigen::MatrixXd& second,
                 const Eigen::MatrixXd& cross, Eigen::Ref<Eigen::MatrixXd> values) const {
    Eigen::MatrixXd S = second, W = cross;
    S.diagonal() += ridge;
    solve(S, W);
    values = project(W);
  }

  // F'W
  Eigen::MatrixXd project(const Eigen::MatrixXd& W) const {
    const double one = 1, zero = 0;
    Eigen::MatrixXd values(n_, k_);
    dgemm_("T", "N", &n_, &k_, &r_, &one, F_.data(), &r_, W.data(), &r_, &zero, values.data(), &n_,
           1, 1);
    return values;
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

}  // namespace domgen

#endif
