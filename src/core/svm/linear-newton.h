// The linear SVM by the proximal point method on its dual. Each round solves
//   minimise over beta   dual(beta) + sum_i (beta_i - start_i)^2 width / (2 range_i),
// whose own dual in (w, b) has no constraints, is smooth and piecewise quadratic:
//   1/2 |w|^2 + sum_i sup_beta { beta (t_i - f_i) - ... },   f = Zw + b,
// and takes a few Newton steps with an exact line search. `width` is how far, in
// units of f, a row may be from its optimality condition at most; it falls from
// round to round. (Known as the augmented Lagrangian method, of Rockafellar,
// 1976; with semismooth Newton steps for SVMs: Yan and Li, 2020.)
#ifndef DOMGEN_CORE_SVM_LINEAR_NEWTON_H
#define DOMGEN_CORE_SVM_LINEAR_NEWTON_H

#include "../linalg/pool.h"
#include "linear-loops.h"
#include "linear-system.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace domgen {

class ProximalNewton {
 public:
  using Index = Eigen::Index;
  using Vector = Eigen::VectorXd;

  // longest: the largest |z_i|
  ProximalNewton(const LinearProblem& problem, const FeatureRows& features, double longest,
                 const Pool& pool)
      : problem_(problem), features_(features), system_(problem, pool), longest_(longest) {
    for (const TubeRow& row : problem.rows) {
      if (row.movable()) ranges_ += row.range();
    }
  }

  double width() const { return width_; }
  void widen(double width) { width_ = std::max(width_, width); }

  // Optimises over the betas of `active` until their conditions hold to `tol`, or
  // to a number of `iterations`. Needs w = Z'beta and decision = Zw.
  void improve(const std::vector<Index>& active, double tol, double most_iterations,
               LinearSolution* solution) {
    start(active, solution);
    for (int round = 0; round < 200; ++round) {
      if (minimise(tol, most_iterations)) {
        if (farthest_ <= tol / 2) break;
        start_ = beta_;
        width_ = std::max(width_ / 3, least_width_);
      } else {
        move_to(start_);
        if (stopped_) break;
        width_ *= 9;
      }
    }
    for (Index k = 0; k < beta_.size(); ++k) solution_->beta[row(k)] = beta_[k];
  }

 private:
  const LinearProblem& problem_;
  const FeatureRows& features_;
  LinearSystem system_;
  double longest_;
  double width_ = 0, least_width_ = 0;

  LinearSolution* solution_ = nullptr;  // w and b move; beta and decision rest meanwhile
  std::vector<Index> active_, free_;
  Vector start_, beta_, pull_, f_;  // of the active rows; pull = width / range
  Vector next_, change_, df_, g_, dw_;
  Vector weight_;  // 1 / (pull + ridge) of the free rows
  Vector w_of_beta_;
  double sum_ = 0, size_ = 0, ranges_ = 0;  // of beta, of |beta|, of their ranges
  double farthest_ = 0;                     // largest |beta - start| pull
  double response_ = 0;                     // sum of |f| times how much beta responds to f
  bool stopped_ = false;

  Index row(Index k) const { return active_[static_cast<std::size_t>(k)]; }
  const TubeRow& tube(Index k) const { return problem_[row(k)]; }

  void start(const std::vector<Index>& active, LinearSolution* solution) {
    solution_ = solution;
    active_ = active;
    stopped_ = false;
    const Index m = static_cast<Index>(active.size());
    for (Vector* v : {&start_, &beta_, &pull_, &f_, &next_, &df_, &weight_}) v->resize(m);
    for (Index k = 0; k < m; ++k) {
      beta_[k] = solution->beta[row(k)];
      f_[k] = solution->decision[row(k)] + solution->b;
    }
    start_ = beta_;
    w_of_beta_ = solution->w;
    sum_ = solution->beta.sum();
    size_ = solution->beta.cwiseAbs().sum();
  }

  // Exactly, so that bounds are reached.
  void move_to(const Vector& beta) {
    change_ = beta - beta_;
    size_ += beta.cwiseAbs().sum() - beta_.cwiseAbs().sum();
    sum_ += change_.sum();
    beta_ = beta;
    features_.combine(active_, change_, &w_of_beta_);
  }

  // The best beta of active row k at f.
  double response(Index k, double f) const {
    const TubeRow& tube = this->tube(k);
    const double curvature = pull_[k] + tube.ridge;
    return tube.minimiser((pull_[k] * start_[k] + tube.target - f) / curvature, curvature);
  }

  // beta as the response to f; which rows are free.
  void respond() {
    free_.clear();
    farthest_ = response_ = 0;
    for (Index k = 0; k < beta_.size(); ++k) {
      const double beta = response(k, f_[k]);
      next_[k] = beta;
      farthest_ = std::max(farthest_, std::abs(beta - start_[k]) * pull_[k]);
      if (tube(k).is_free(beta)) {
        const double weight = 1 / (pull_[k] + tube(k).ridge);
        weight_[static_cast<Index>(free_.size())] = weight;
        response_ += weight * std::abs(f_[k]);
        free_.push_back(row(k));
      }
    }
    move_to(next_);
  }

  // Newton's method for one width. False if it did not get there.
  bool minimise(double tol, double most_iterations) {
    const int most_steps = 50, most_idle = 5;
    double best = std::numeric_limits<double>::infinity();
    for (Index k = 0; k < pull_.size(); ++k) pull_[k] = width_ / tube(k).range();
    for (int step = 0, idle = 0;; ++step, ++idle) {
      respond();
      g_ = solution_->w - w_of_beta_;
      // |z'g| is how far f = z'w is from z'(Z'beta)
      const double residual = longest_ * g_.norm();
      if (is_balanced(tol) && residual <= target(tol)) return true;
      if (residual < best / 2) {
        best = residual;
        idle = 0;
      }
      stopped_ = !std::isfinite(residual) || !std::isfinite(width_) ||
                 solution_->iterations >= most_iterations;
      if (stopped_ || step >= most_steps) return false;
      if (idle >= most_idle && residual <= rounding(size_ + response_)) return too_narrow();
      solution_->iterations += 1;
      if (!take_step()) return too_narrow();
    }
  }

  double target(double tol) const {
    return std::max(std::max(0.2 * tol, 0.1 * farthest_), rounding(size_));
  }

  // What errors of rounding in numbers of this size mean for f.
  double rounding(double size) const { return 1e-15 * longest_ * longest_ * size; }

  // beta responds to f more than f is known.
  bool too_narrow() {
    least_width_ = std::max(least_width_, 3 * width_);
    return false;
  }

  // Does sum beta vanish, or do all beta? They do where a constant has no loss.
  bool is_balanced(double tol) const {
    if (!problem_.intercept || std::abs(sum_) <= 5e-13 * size_) return true;
    return longest_ * longest_ * size_ <= 0.01 * tol && size_ <= 1e-6 * ranges_;
  }

  bool take_step() {
    double db = 0;
    if (free_.empty()) {
      dw_ = -g_;
      if (problem_.intercept) db = sum_ > 0 ? 1 : -1;
    } else if (!system_.solve(free_, weight_, g_, -sum_, &dw_, &db)) {
      return false;
    }
    features_.products(active_, dw_, &df_);
    df_.array() += db;
    const double t = line_search(db);
    solution_->w += t * dw_;
    solution_->b += t * db;
    f_ += t * df_;
    return true;
  }

  // A zero of the slope along (dw, db), which increases and is piecewise linear.
  double line_search(double db) const {
    const double at_zero = dw_.dot(g_) - db * sum_, curvature = dw_.squaredNorm();
    const auto slope = [&](double t) {
      double value = at_zero + t * curvature;
      for (Index k = 0; k < beta_.size(); ++k) {
        value -= (response(k, f_[k] + t * df_[k]) - beta_[k]) * df_[k];
      }
      return value;
    };
    const double enough = 0.02 * std::abs(at_zero);
    double low = 0, high = 1, at_low = at_zero, at_high = slope(high);
    while (at_high < -enough && high < 1e12) {
      low = high;
      at_low = at_high;
      high *= 4;
      at_high = slope(high);
    }
    if (!(at_high > enough)) return high;
    for (int trial = 0; trial < 60; ++trial) {
      // the secant's zero, but not too close to either end
      const double secant = low - at_low * (high - low) / (at_high - at_low);
      const double margin = 0.05 * (high - low);
      const double t = std::min(std::max(secant, low + margin), high - margin);
      const double at_t = slope(t);
      if (std::abs(at_t) <= enough) return t;
      (at_t < 0 ? low : high) = t;
      (at_t < 0 ? at_low : at_high) = at_t;
    }
    return low;
  }
};

}  // namespace domgen

#endif
