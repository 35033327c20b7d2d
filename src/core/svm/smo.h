// Sequential minimal optimisation of the dual in smo-problem.h, two variables
// at a time.
//
// In terms of beta the signs disappear: row r keeps F_r = (K beta)_r and two
// numbers up_r, low_r (DualVariables), so that up_r - F_r is the slope of the
// dual as beta_r rises and low_r - F_r as it falls. With the equality
// constraint one row rises as much as another falls.
#ifndef DOMGEN_CORE_SVM_SMO_H
#define DOMGEN_CORE_SVM_SMO_H

#include "../linalg/assert.h"
#include "../linalg/pool.h"
#include "smo-active.h"
#include "smo-problem.h"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace domgen {

// Two coordinates of the dual in their box, solved exactly:
// maximise v'x - 1/2 x'Hx over least <= x <= most, H = [h_0 k; k h_1], h > 0.
struct BoxPair {
  double v[2] = {0, 0}, h[2] = {1, 1}, k = 0;
  double least[2] = {0, 0}, most[2] = {0, 0};

  double clip(double x, int i) const { return std::min(std::max(x, least[i]), most[i]); }

  // One coordinate while the other rests.
  double single(int i) const { return clip(v[i] / h[i], i); }

  double gain(const double* x) const {
    return v[0] * x[0] + v[1] * x[1] -
           (h[0] * x[0] * x[0] + 2 * k * x[0] * x[1] + h[1] * x[1] * x[1]) / 2;
  }

  // Inside the box if the stationary point is, else the best point of an edge.
  void solve(double* x) const {
    const double det = h[0] * h[1] - k * k;
    if (det > 1e-14 * h[0] * h[1]) {
      const double x0 = (v[0] * h[1] - k * v[1]) / det;
      const double x1 = (v[1] * h[0] - k * v[0]) / det;
      if (clip(x0, 0) == x0 && clip(x1, 1) == x1) {
        x[0] = x0;
        x[1] = x1;
        return;
      }
    }
    x[0] = single(0);
    x[1] = 0;
    for (int fixed = 0; fixed < 2; ++fixed) {
      const int other = 1 - fixed;
      for (const double edge : {least[fixed], most[fixed]}) {
        if (std::isinf(edge)) continue;
        double trial[2];
        trial[fixed] = edge;
        trial[other] = clip((v[other] - k * edge) / h[other], other);
        if (gain(trial) > gain(x)) std::copy(trial, trial + 2, x);
      }
    }
  }
};

// alpha clipped to its bounds; where the equality constraint then fails, the
// heavier side is scaled down to the lighter one.
inline Eigen::VectorXd feasible_start(const DualProblem& problem, const Eigen::VectorXd& alpha) {
  Eigen::VectorXd start = alpha.cwiseMax(0.0).cwiseMin(problem.upper);
  if (!problem.intercept) return start;
  double plus = 0, minus = 0;
  for (Eigen::Index i = 0; i < start.size(); ++i) {
    (problem.sign[i] > 0 ? plus : minus) += start[i];
  }
  if (std::abs(plus - minus) <= 1e-14 * (plus + minus)) return start;
  const double lighter = std::min(plus, minus);
  for (Eigen::Index i = 0; i < start.size(); ++i) {
    const double side = problem.sign[i] > 0 ? plus : minus;
    if (side > lighter) start[i] *= lighter / side;
  }
  return start;
}

// alpha, and what it says about the rows of K.
class DualVariables {
 public:
  using Index = Eigen::Index;

  // up - F and low - F are the slopes of the dual as beta_r rises and falls,
  // with -Inf and Inf where it may not.
  struct Bounds {
    double up, low;
  };

  DualVariables(const DualProblem& problem, const Eigen::VectorXd& start)
      : problem_(problem), alpha_(feasible_start(problem, start)),
        beta_(Eigen::VectorXd::Zero(problem.rows())),
        plus_(static_cast<std::size_t>(problem.rows()), -1), minus_(plus_), rising_(plus_),
        falling_(plus_) {
    for (Index i = 0; i < problem.size(); ++i) {
      const Index r = problem.row[i];
      (problem.sign[i] > 0 ? plus_ : minus_)[static_cast<std::size_t>(r)] = i;
      beta_[r] += problem.sign[i] * alpha_[i];
    }
  }

  const Eigen::VectorXd& alpha() const { return alpha_; }
  const Eigen::VectorXd& beta() const { return beta_; }
  Index rising(Index row) const { return rising_[static_cast<std::size_t>(row)]; }
  Index falling(Index row) const { return falling_[static_cast<std::size_t>(row)]; }

  // How far s_i a_i may rise and fall.
  double rise(Index i) const { return problem_.rise(i, alpha_[i]); }
  double fall(Index i) const { return problem_.fall(i, alpha_[i]); }

  // Rows without a variable of positive cost are as good as removed.
  std::vector<Index> movable_rows() const {
    std::vector<Index> rows;
    for (Index r = 0; r < problem_.rows(); ++r) {
      bool movable = false;
      for (const Index i : of_row(r)) movable = movable || (i >= 0 && problem_.upper[i] > 0);
      if (movable) rows.push_back(r);
    }
    return rows;
  }

  // Of two variables of one row, the steeper one moves.
  Bounds bounds(Index row) {
    const std::size_t r = static_cast<std::size_t>(row);
    const double infinity = std::numeric_limits<double>::infinity();
    Bounds bounds = {-infinity, infinity};
    for (const Index i : of_row(row)) {
      if (i < 0) continue;
      const double slope = -problem_.sign[i] * (problem_.p[i] + problem_.ridge[i] * alpha_[i]);
      if (rise(i) > 0 && slope > bounds.up) {
        bounds.up = slope;
        rising_[r] = i;
      }
      if (fall(i) > 0 && slope < bounds.low) {
        bounds.low = slope;
        falling_[r] = i;
      }
    }
    return bounds;
  }

  // s_i a_i += t, landing exactly on a bound it reaches.
  void move(Index i, double t) {
    if (t == 0) return;
    const double change = problem_.sign[i] * t, u = problem_.upper[i];
    double& a = alpha_[i];
    if (change > 0) {
      a = change >= u - a ? u : std::min(a + change, u);
    } else {
      a = -change >= a ? 0 : std::max(a + change, 0.0);
    }
    const Index row = problem_.row[i];
    beta_[row] = 0;
    for (const Index k : of_row(row)) {
      if (k >= 0) beta_[row] += problem_.sign[k] * alpha_[k];
    }
  }

 private:
  const DualProblem& problem_;
  Eigen::VectorXd alpha_, beta_;
  std::vector<Index> plus_, minus_;      // the variable of each sign in a row, -1: none
  std::vector<Index> rising_, falling_;  // the variable that moves when beta_r does

  std::array<Index, 2> of_row(Index row) const {
    const std::size_t r = static_cast<std::size_t>(row);
    return {{plus_[r], minus_[r]}};
  }
};

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
