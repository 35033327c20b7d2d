// The rows an SMO run still works on, contiguous in memory: their F, bounds and
// columns of K. At first the columns are those of K itself; later each is
// gathered at its first use, so that an iteration costs what the active rows
// cost.
#ifndef DOMGEN_CORE_SVM_SMO_ACTIVE_H
#define DOMGEN_CORE_SVM_SMO_ACTIVE_H

#include "working-set.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

namespace domgen {

class ActiveRows {
 public:
  using Index = Eigen::Index;

  ActiveRows(const Eigen::Map<const Eigen::MatrixXd>& K, bool intercept)
      : K_(K), intercept_(intercept) {}

  Index size() const { return static_cast<Index>(rows_.size()); }
  Index row(Index at) const { return rows_[static_cast<std::size_t>(at)]; }
  bool gathered() const { return gathered_; }

  // `rows` ascending. If not gathered, the arrays hold all rows of K, and the
  // caller must give the others no freedom to move. F, diag [n].
  void assign(const std::vector<Index>& rows, bool gathered, const Eigen::VectorXd& F,
              const Eigen::VectorXd& diag) {
    gathered_ = gathered;
    rows_ = rows;
    if (!gathered_) {
      rows_.resize(static_cast<std::size_t>(K_.rows()));
      for (Index r = 0; r < K_.rows(); ++r) rows_[static_cast<std::size_t>(r)] = r;
    }
    const Index m = size();
    F_.resize(m);
    diag_.resize(m);
    up_.resize(m);
    low_.resize(m);
    for (Index at = 0; at < m; ++at) {
      F_[at] = F[row(at)];
      diag_[at] = diag[row(at)];
    }
    const std::size_t width = static_cast<std::size_t>(gathered_ ? m : 0);
    ready_.assign(width, false);
    columns_.reset(gathered_ ? new float[width * width] : nullptr);
  }

  double gram(Index i, Index j) const { return K_(row(i), row(j)); }
  double rise(Index at) const { return up_[at] - F_[at]; }
  double fall(Index at) const { return low_[at] - F_[at]; }
  double F(Index at) const { return F_[at]; }
  double up(Index at) const { return up_[at]; }
  double low(Index at) const { return low_[at]; }
  void set_bounds(Index at, double up, double low) {
    up_[at] = up;
    low_[at] = low;
  }

  // The largest slope upwards and the smallest downwards: optimal if the first
  // does not exceed the second (with the equality constraint) or zero.
  void slopes(double* rise_most, double* fall_least) const {
    *rise_most = -std::numeric_limits<double>::infinity();
    *fall_least = -*rise_most;
    for (Index at = 0; at < size(); ++at) {
      *rise_most = std::max(*rise_most, rise(at));
      *fall_least = std::min(*fall_least, fall(at));
    }
  }

  double violation() const {
    double most, least;
    slopes(&most, &least);
    return std::max(0.0, intercept_ ? most - least : std::max(most, -least));
  }

  // The second row of a working set. first: the slope v_i of row i with the
  // equality constraint, its step t without.
  Choice partner(Index i, double first, double diag, double tau) {
    return gathered_ ? partner_along(gathered_column(i), first, diag, tau)
                     : partner_along(whole_column(i), first, diag, tau);
  }

  // F += t_i K_i + t_j K_j; the first row of the next working set.
  Choice advance(Index i, double ti, Index j, double tj) {
    return gathered_ ? advance_along(gathered_column(i), ti, gathered_column(j), tj)
                     : advance_along(whole_column(i), ti, whole_column(j), tj);
  }

 private:
  Eigen::Map<const Eigen::MatrixXd> K_;
  bool intercept_;
  std::vector<Index> rows_;
  bool gathered_ = false;
  Eigen::VectorXd F_, up_, low_, diag_;
  std::vector<bool> ready_;
  std::unique_ptr<float[]> columns_;

  RowState state() { return RowState{F_.data(), up_.data(), low_.data(), diag_.data(), size()}; }

  const double* whole_column(Index at) const { return K_.data() + row(at) * K_.rows(); }

  // Single precision halves the traffic: the error in F is 6e-8 of what beta
  // has moved since F was last computed from K itself, which happens before any
  // result is accepted.
  const float* gathered_column(Index at) {
    float* column = columns_.get() + at * size();
    if (!ready_[static_cast<std::size_t>(at)]) {
      const double* whole = whole_column(at);
      for (Index k = 0; k < size(); ++k) column[k] = static_cast<float>(whole[row(k)]);
      ready_[static_cast<std::size_t>(at)] = true;
    }
    return column;
  }

  template <class Real>
  Choice partner_along(const Real* k, double first, double diag, double tau) {
    Choice choice = {0, 0, -1};
    if (intercept_) {
      run_vectorised(FallingPartner<Real>{state(), k, first, diag, tau, &choice});
    } else {
      run_vectorised(AnyPartner<Real>{state(), k, first, diag, tau, &choice});
    }
    return choice;
  }

  template <class Real>
  Choice advance_along(const Real* ki, double ti, const Real* kj, double tj) {
    Choice next;
    if (intercept_) {
      run_vectorised(Advance<true, Real>{state(), ki, kj, ti, tj, &next});
    } else {
      run_vectorised(Advance<false, Real>{state(), ki, kj, ti, tj, &next});
    }
    return next;
  }
};

}  // namespace domgen

#endif
