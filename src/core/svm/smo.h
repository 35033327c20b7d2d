// Sequential minimal optimisation of the dual in smo-problem.h, two variables
// at a time.
//
// In terms of beta the signs disappear: row r keeps F_r = (K beta)_r and two
// numbers up_r, low_r (smo-variables.h), so that up_r - F_r is the slope of the
// dual as beta_r rises and low_r - F_r as it falls. With the equality
// constraint one row rises as much as another falls.
#ifndef DOMGEN_CORE_SVM_SMO_H
#define DOMGEN_CORE_SVM_SMO_H

#include "../linalg/assert.h"
#include "../linalg/pool.h"
#include "smo-active.h"
#include "smo-pair.h"
#include "smo-problem.h"
#include "smo-variables.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace domgen {

class Smo {
 public:
  using Index = Eigen::Index;

  // start [l]: clipped to the bounds, the equality constraint is repaired.
  // max_iter = 0: as many as it may reasonably take.
  Smo(const DualProblem& problem, const Eigen::VectorXd& start, double tol, double max_iter,
      const Pool& pool)
      : problem_(problem), variables_(problem, start), active_(problem.K, problem.intercept),
        tol_(tol),
        max_iter_(max_iter > 0 ? max_iter
                               : std::max(1e6, 1000 * static_cast<double>(problem.size()))),
        pool_(pool), F_(Eigen::VectorXd::Zero(problem.rows())), beta_of_F_(F_),
        diag_(problem.K.diagonal()) {
    DOMGEN_EXPECT(problem.K.rows() == problem.K.cols() && start.size() == problem.size());
    DOMGEN_EXPECT(problem.size() == 0 ||
                  (problem.row.minCoeff() >= 0 && problem.row.maxCoeff() < problem.rows()));
    const double scale = diag_.size() > 0 ? diag_.cwiseAbs().maxCoeff() : 0;
    tau_ = 1e-12 * (scale > 0 ? scale : 1.0);
    for (Index i = 0; i < problem.size(); ++i) {
      const Index r = problem.row[i];
      diag_[r] = std::max(diag_[r], problem.K(r, r) + problem.ridge[i]);
    }
  }

  DualSolution solve() {
    synchronise();
    double tol = tol_;
    for (int rounds = 0;; ++rounds) {
      const double before = iterations_;
      const bool stopped = descend(tol);
      synchronise();
      const bool met = active_.violation() < tol || iterations_ == before;
      if (!stopped && !met) {
        // Rarely many: beta then moves too far for columns in single precision.
        may_gather_ = rounds < 20;
        shrink();
        continue;
      }
      if (!met && may_gather_ && iterations_ < max_iter_) {
        // Nothing to be gained any more in single precision.
        may_gather_ = false;
        synchronise();
        continue;
      }
      // A small violation says little about the objective when the costs are
      // large: go on until the duality gap is small as well.
      DualSolution solution = result();
      if (stopped || solution.relative_gap <= largest_gap || tol <= 1e-6 * tol_) return solution;
      tol /= 10;
    }
  }

 private:
  static constexpr double largest_gap = 1e-3;

  const DualProblem& problem_;
  DualVariables variables_;
  ActiveRows active_;
  double tol_, max_iter_;
  const Pool& pool_;
  Eigen::VectorXd F_;          // K beta_of_F [n]; for active rows active_ has K beta
  Eigen::VectorXd beta_of_F_;  // [n]
  Eigen::VectorXd diag_;       // K_rr + ridge [n]
  double tau_;                 // least curvature: K may be indefinite
  double iterations_ = 0;
  double gained_ = 0;       // decrease of the objective since the last check
  double whole_since_ = 0;  // iteration since which the columns are those of K
  bool may_gather_ = true;
  Choice next_ = {0, 0, -1};  // first row of the next working set

  // F of all rows, from the columns of K whose beta has changed.
  void synchronise() {
    std::vector<Index> changed;
    for (Index r = 0; r < problem_.rows(); ++r) {
      if (variables_.beta()[r] != beta_of_F_[r]) changed.push_back(r);
    }
    for (std::size_t c = 0; c < changed.size(); ++c) {
      const Index r = changed[c];
      F_.noalias() += problem_.K.col(r) * (variables_.beta()[r] - beta_of_F_[r]);
      if (c % 64 == 0) pool_.interrupt();
    }
    beta_of_F_ = variables_.beta();
    const std::vector<Index> rows = variables_.movable_rows();
    whole_since_ = iterations_;
    activate(rows, may_gather_ && few(rows, problem_.rows()), F_);
  }

  void activate(const std::vector<Index>& rows, bool gathered, const Eigen::VectorXd& F) {
    active_.assign(rows, gathered, F, diag_);
    for (Index at = 0; at < active_.size(); ++at) refresh(at);
    next_ = Choice{0, 0, -1};
    if (active_.size() > 0) next_ = active_.advance(0, 0, 0, 0);
  }

  void refresh(Index at) {
    const DualVariables::Bounds bounds = variables_.bounds(active_.row(at));
    active_.set_bounds(at, bounds.up, bounds.low);
  }

  // Gathering columns of fewer rows pays.
  static bool few(const std::vector<Index>& rows, Index all) {
    return 10 * static_cast<Index>(rows.size()) <= 7 * all;
  }

  // Until the active rows are optimal (false) or nothing is to be gained any
  // more, by rounding or max_iter (true).
  bool descend(double tol) {
    const Index period = std::min<Index>(std::max<Index>(problem_.rows(), 64), 1000);
    double value = std::abs(result().objective);
    gained_ = 0;
    for (Index step = 1;; ++step) {
      if (iterations_ >= max_iter_) return true;
      if (!(problem_.intercept ? step_pair(tol) : step_free(tol))) return false;
      iterations_ += 1;
      if (!std::isfinite(gained_)) return true;
      if (step % 128 == 0) pool_.interrupt();
      if (step % period != 0) continue;
      value += gained_;
      if (gained_ <= 1e-16 * value) return true;
      gained_ = 0;
      shrink();
    }
  }

  // s_i a_i + s_j a_j constant: beta rises in row i and falls in row j.
  bool step_pair(double tol) {
    const Index i = next_.index;
    if (i < 0) return false;
    const Index p = variables_.rising(active_.row(i));
    const double h = active_.gram(i, i) + problem_.ridge[p];
    const Choice partner = active_.partner(i, active_.rise(i), h, tau_);
    if (partner.index < 0 || partner.violation < tol) return false;

    const Index j = partner.index;
    const Index q = variables_.falling(active_.row(j));
    const double b = active_.rise(i) - active_.fall(j);
    const double a = h + active_.gram(j, j) + problem_.ridge[q] - 2 * active_.gram(i, j);
    const double room = std::min(variables_.rise(p), variables_.fall(q));
    const double t = std::min(b / std::max(a, tau_), room);
    gained_ += t * (b - t * a / 2);
    apply(i, p, t, j, q, -t);
    return true;
  }

  // No equality constraint: the two rows move independently in their box.
  bool step_free(double tol) {
    const Index i = next_.index;
    if (i < 0 || next_.score < tol) return false;
    BoxPair box;
    const Index p = coordinate(i, active_.F(i), 0, &box);
    double t[2] = {box.single(0), 0};

    // The row itself is no partner.
    const double up = active_.up(i), low = active_.low(i);
    const double infinity = std::numeric_limits<double>::infinity();
    active_.set_bounds(i, -infinity, infinity);
    const Index j = active_.partner(i, t[0], box.h[0], tau_).index;
    active_.set_bounds(i, up, low);
    if (j < 0) {
      gained_ += box.gain(t);
      apply(i, p, t[0], i, p, 0);
      return true;
    }
    box.k = active_.gram(i, j);
    const Index q = coordinate(j, active_.F(j) + t[0] * box.k, 1, &box);
    box.solve(t);
    gained_ += box.gain(t);
    apply(i, p, t[0], j, q, t[1]);
    return true;
  }

  // The variable of row `at` that moves if (K beta)_at is F, as coordinate k.
  Index coordinate(Index at, double F, int k, BoxPair* box) const {
    const Index row = active_.row(at);
    const bool rises = active_.up(at) - F >= F - active_.low(at);
    const Index i = rises ? variables_.rising(row) : variables_.falling(row);
    box->v[k] = rises ? active_.rise(at) : active_.fall(at);
    box->h[k] = std::max(active_.gram(at, at) + problem_.ridge[i], tau_);
    box->least[k] = -variables_.fall(i);
    box->most[k] = variables_.rise(i);
    return i;
  }

  void apply(Index i, Index p, double ti, Index j, Index q, double tj) {
    variables_.move(p, ti);
    variables_.move(q, tj);
    refresh(i);
    refresh(j);
    next_ = active_.advance(i, ti, j, tj);
  }

  // Leaves out rows that no violating pair can contain.
  void shrink() {
    double rise, fall;
    active_.slopes(&rise, &fall);
    const double worst = std::max(rise, -fall);
    const double most_up = problem_.intercept ? fall : -worst;
    const double least_low = problem_.intercept ? rise : worst;
    std::vector<Index> kept;
    for (Index at = 0; at < active_.size(); ++at) {
      const bool idle = active_.rise(at) < most_up && active_.fall(at) > least_low;
      if (!idle) kept.push_back(active_.row(at));
    }
    // Even without fewer rows it pays once each column is used often.
    const bool used_often =
        !active_.gathered() && iterations_ - whole_since_ > 2 * static_cast<double>(active_.size());
    if (!may_gather_ || !(few(kept, active_.size()) || used_often)) return;
    Eigen::VectorXd F = F_;
    for (Index at = 0; at < active_.size(); ++at) F[active_.row(at)] = active_.F(at);
    activate(kept, true, F);
  }

  // Called with F_ synchronised.
  DualSolution result() {
    DualSolution solution;
    solution.alpha = variables_.alpha();
    solution.beta = variables_.beta();
    solution.decision = F_;
    certify(problem_, &solution);
    solution.iterations = iterations_;
    solution.converged = std::isfinite(solution.objective) && active_.violation() < tol_;
    return solution;
  }
};

}  // namespace domgen

#endif
