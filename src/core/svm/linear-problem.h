// A linear SVM on features Z [n x r]:
//   minimise  1/2 |w|^2 + sum_i loss_i(z_i'w + b)   over w [r] and, with an intercept, b.
// Every loss is a tube around a target with a bounded or growing slope on
// either side,
//   loss(f) = sup { beta (t - f) - epsilon |beta| - ridge beta^2 / 2 : low <= beta <= high },
// with low <= 0 <= high, so that the dual has one variable a row:
//   minimise  1/2 |Z'beta|^2 + sum_i (epsilon_i |beta_i| - t_i beta_i + ridge_i beta_i^2 / 2)
// in the box, with sum_i beta_i = 0 if there is an intercept. Then w = Z'beta.
//
//   hinge, y = 1 / -1               t = y, low, high = 0, c / -c, 0
//   epsilon-insensitive             t = y, low, high = -c, c, epsilon
//   squared, c max(0, .)^2          the same with c = Inf, ridge = 1 / (2c)
#ifndef DOMGEN_CORE_SVM_LINEAR_PROBLEM_H
#define DOMGEN_CORE_SVM_LINEAR_PROBLEM_H

#include "loss.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace domgen {

struct TubeRow {
  double target, epsilon, low, high, ridge;

  bool movable() const { return low < high; }

  // How fast the dual falls as beta rises and as it falls, at f = z'w + b; -Inf
  // where it may not. Optimal if neither is positive.
  double rise(double beta, double f) const {
    if (!(beta < high)) return -std::numeric_limits<double>::infinity();
    return target - f - (beta >= 0 ? epsilon : -epsilon) - ridge * beta;
  }
  double fall(double beta, double f) const {
    if (!(beta > low)) return -std::numeric_limits<double>::infinity();
    return f - target - (beta <= 0 ? epsilon : -epsilon) + ridge * beta;
  }
  double slope(double beta, double f) const { return std::max(rise(beta, f), fall(beta, f)); }

  // Inside the box and not at the kink of |beta|.
  bool is_free(double beta) const {
    return beta > low && beta < high && (beta != 0 || epsilon == 0);
  }

  // argmin over the box of curvature (beta - centre)^2 / 2 + epsilon |beta|.
  double minimiser(double centre, double curvature) const {
    const double shift = epsilon / curvature;
    const double free = centre > 0 ? std::max(centre - shift, 0.0) : std::min(centre + shift, 0.0);
    return std::min(std::max(free, low), high);
  }

  // The row's part of the dual and of the primal objective.
  double dual(double beta) const {
    return (ridge * beta / 2 - target) * beta + epsilon * std::abs(beta);
  }
  double loss(double f) const {
    const double above = target - f - epsilon, below = f - target - epsilon;
    return above > 0 ? conjugate_loss(above, high, ridge) : conjugate_loss(below, -low, ridge);
  }

  // The range of beta, or how far beta moves for a unit of f.
  double range() const { return std::isinf(high - low) ? 1 / ridge : high - low; }
};

struct LinearProblem {
  using Index = Eigen::Index;

  Eigen::Map<const Eigen::MatrixXd> Zt;  // Z' [r x n]: the features of a row are contiguous
  std::vector<TubeRow> rows;             // [n]
  bool intercept;

  Index size() const { return Zt.cols(); }
  Index dim() const { return Zt.rows(); }
  const double* features(Index i) const { return Zt.data() + i * Zt.rows(); }
  const TubeRow& operator[](Index i) const { return rows[static_cast<std::size_t>(i)]; }
};

struct LinearSolution {
  Eigen::VectorXd w, beta, decision;  // [r], [n], [n]; decision = Z w
  double b = 0;
  double objective = 0;  // of the dual
  double gap = 0;
  double relative_gap = 0;
  double violation = 0;  // of the optimality conditions, in units of f
  double iterations = 0;
  bool converged = false;
};

// Moves beta into sum_i beta_i = 0 up to rounding: the free variables bear it if
// they can, else all of the heavier side are scaled down.
inline void balance(const LinearProblem& problem, Eigen::VectorXd* beta) {
  const double excess = beta->sum(), sign = excess > 0 ? 1 : -1;
  if (std::abs(excess) <= 1e-12 * beta->cwiseAbs().sum()) return;
  double room = 0, heavier = 0;
  for (Eigen::Index i = 0; i < beta->size(); ++i) {
    const double weight = sign * (*beta)[i];
    if (!(weight > 0)) continue;
    heavier += weight;
    if (problem[i].is_free((*beta)[i])) room += weight;
  }
  const bool enough = room / 2 > std::abs(excess);
  const double keep = 1 - std::abs(excess) / (enough ? room : heavier);
  for (Eigen::Index i = 0; i < beta->size(); ++i) {
    double& value = (*beta)[i];
    if (sign * value > 0 && (!enough || problem[i].is_free(value))) value *= keep;
  }
}

// Where no variable is free, every b between two rows is optimal: the middle.
inline void centre_offset(const LinearProblem& problem, LinearSolution* solution) {
  const double infinity = std::numeric_limits<double>::infinity();
  double least = -infinity, most = infinity;
  for (Eigen::Index i = 0; i < problem.size(); ++i) {
    const double beta = solution->beta[i], f = solution->decision[i];
    if (!problem[i].movable()) continue;
    if (problem[i].is_free(beta)) return;
    least = std::max(least, problem[i].rise(beta, f));
    most = std::min(most, -problem[i].fall(beta, f));
  }
  solution->b = middle(least, most, solution->b);
}

// Objective, gap and violation from w = Z'beta, decision = Z w and b. The gap is
// relative to the objective, or to a billionth of the loss of f = 0 where the
// objective is zero up to rounding.
inline void certify(const LinearProblem& problem, LinearSolution* solution) {
  double primal = solution->w.squaredNorm() / 2, dual = primal;
  double loss_of_zero = 0;
  solution->violation = 0;
  for (Eigen::Index i = 0; i < problem.size(); ++i) {
    const TubeRow& row = problem[i];
    if (!row.movable()) continue;
    const double beta = solution->beta[i], f = solution->decision[i] + solution->b;
    dual += row.dual(beta);
    primal += row.loss(f);
    loss_of_zero += row.loss(0);
    solution->violation = std::max(solution->violation, row.slope(beta, f));
  }
  const double scale = std::max(std::max(std::abs(primal), std::abs(dual)), 1e-9 * loss_of_zero);
  solution->objective = dual;
  solution->gap = primal + dual;
  solution->relative_gap = scale > 0 ? solution->gap / scale : 0;
}

}  // namespace domgen

#endif
