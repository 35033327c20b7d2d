// The variables of the dual, alpha, and what they say about the rows of K.
#ifndef DOMGEN_CORE_SVM_SMO_VARIABLES_H
#define DOMGEN_CORE_SVM_SMO_VARIABLES_H

#include "smo-problem.h"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace domgen {

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

}  // namespace domgen

#endif
