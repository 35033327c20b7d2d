// Ridge regression on features without a group of rows, for many lambda.
#ifndef DOMGEN_CORE_RIDGE_WITHOUT_GROUP_H
#define DOMGEN_CORE_RIDGE_WITHOUT_GROUP_H

#include "../linalg/assert.h"
#include "../linalg/blas.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"

#include <Eigen/Core>

#include <stdexcept>

namespace domgen {

// Of all rows, whose squares in these features are the diagonal D: H = F'(D + Lambda)^-1 F projects
// the responses on the fit, and of a group's own rows (I - H)^-1 (y - H y) are the residuals
// without them. Or from the sums of the other rows: F'(D + Lambda - FF')^-1 (sums - F y).
class WithoutGroup {
 public:
  // F [r x n] and Y [n x k] of the group's rows; sums [r x k]: FY of all rows.
  WithoutGroup(const MatrixView& F, const MatrixView& Y, const MatrixView& sums)
      : F_(F.data(), F.rows(), F.cols()), Y_(Y.data(), Y.rows(), Y.cols()),
        sums_(sums.data(), sums.rows(), sums.cols()), n_(static_cast<int>(F.cols())),
        r_(static_cast<int>(F.rows())), k_(static_cast<int>(Y.cols())) {
    DOMGEN_EXPECT(Y.rows() == F.cols() && sums.rows() == F.rows() && sums.cols() == Y.cols());
  }

  // penalised [r x L]: D + Lambda. Predictions of the group's rows [n x k L], column j + l k for
  // response j.
  Eigen::MatrixXd predict(const Eigen::MatrixXd& penalised, const Pool& pool) const {
    DOMGEN_EXPECT(penalised.rows() == r_);
    Eigen::MatrixXd values(n_, k_ * penalised.cols());
    const bool rows = by_rows();
    Eigen::MatrixXd second, cross;
    if (!rows) add_sums(second, cross);
    for (Index l = 0; l < penalised.cols(); ++l) {
      pool.interrupt();
      const Eigen::VectorXd ridge = penalised.col(l);
      Eigen::Ref<Eigen::MatrixXd> at = values.middleCols(l * k_, k_);
      if (rows) from_rows(ridge, at);
      else from_sums(ridge, second, cross, at);
    }
    return values;
  }

 private:
  Eigen::Map<const Eigen::MatrixXd> F_, Y_, sums_;
  int n_, r_, k_;

  // Operations of a factor and its solutions, which are fewer?
  bool by_rows() const {
    const double n = n_, r = r_, k = k_;
    return n * n * (r + n / 3 + 2 * k) <= r * r * (r / 3 + 2 * k);
  }

  void add_sums(Eigen::MatrixXd& second, Eigen::MatrixXd& cross) const {
    const double one = 1, minus_one = -1, zero = 0;
    second.resize(r_, r_);
    dsyrk_("U", "N", &r_, &n_, &minus_one, F_.data(), &r_, &zero, second.data(), &r_, 1, 1);
    cross = sums_;
    dgemm_("N", "N", &r_, &k_, &n_, &minus_one, F_.data(), &r_, Y_.data(), &n_, &one, cross.data(),
           &r_, 1, 1);
  }

  void from_rows(const Eigen::VectorXd& ridge, Eigen::Ref<Eigen::MatrixXd> values) const {
    const double one = 1, minus_one = -1;
    const Eigen::VectorXd root = ridge.array().rsqrt();
    const Eigen::MatrixXd B = root.asDiagonal() * F_;
    Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n_, n_);
    dsyrk_("U", "T", &n_, &r_, &minus_one, B.data(), &r_, &one, M.data(), &n_, 1, 1);
    const Eigen::MatrixXd shrunk = ridge.array().inverse().matrix().asDiagonal() * sums_;
    Eigen::MatrixXd residual = Y_;
    dgemm_("T", "N", &n_, &k_, &r_, &minus_one, F_.data(), &r_, shrunk.data(), &r_, &one,
           residual.data(), &n_, 1, 1);
    solve(M, residual);
    values = Y_ - residual;
  }

  void from_sums(const Eigen::VectorXd& ridge, const Eigen::MatrixXd& second,
                 const Eigen::MatrixXd& cross, Eigen::Ref<Eigen::MatrixXd> values) const {
    const double one = 1, zero = 0;
    Eigen::MatrixXd S = second, W = cross;
    S.diagonal() += ridge;
    solve(S, W);
    dgemm_("T", "N", &n_, &k_, &r_, &one, F_.data(), &r_, W.data(), &r_, &zero, values.data(), &n_,
           1, 1);
  }

  // V <- A^-1 V, with the upper triangle of A, which is lost.
  static void solve(Eigen::MatrixXd& A, Eigen::MatrixXd& V) {
    const int size = static_cast<int>(A.rows()), columns = static_cast<int>(V.cols());
    const double one = 1;
    int info = 0;
    dpotrf_("U", &size, A.data(), &size, &info, 1);
    if (info != 0)
      throw std::domain_error("a ridge regression without some of the rows has no solution");
    for (const char* trans : {"T", "N"})
      dtrsm_("L", "U", trans, "N", &size, &columns, &one, A.data(), &size, V.data(), &size, 1, 1, 1,
             1);
  }
};

}  // namespace domgen

#endif
