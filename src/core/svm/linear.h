// The linear SVM of linear-problem.h: dual coordinate descent gets near the
// optimum in a few sweeps, Newton steps on the rows near their kinks get there.
#ifndef DOMGEN_CORE_SVM_LINEAR_H
#define DOMGEN_CORE_SVM_LINEAR_H

#include "../linalg/assert.h"
#include "../linalg/pool.h"
#include "linear-descent.h"
#include "linear-loops.h"
#include "linear-newton.h"
#include "linear-problem.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace domgen {

class LinearSvm {
 public:
  using Index = Eigen::Index;
  using Vector = Eigen::VectorXd;

  // max_iter: sweeps and Newton steps together; 0: as many as it may take.
  LinearSvm(const LinearProblem& problem, double tol, double max_iter, std::uint64_t seed,
            const Pool& pool)
      : problem_(problem), tol_(tol), max_iter_(max_iter > 0 ? max_iter : 5000), seed_(seed),
        pool_(pool), features_(problem, pool) {
    DOMGEN_EXPECT(static_cast<Index>(problem.rows.size()) == problem.size());
    for (Index i = 0; i < problem.size(); ++i) all_.push_back(i);
  }

  LinearSolution solve() {
    solution_ = LinearSolution();
    solution_.w = Vector::Zero(problem_.dim());
    solution_.beta = Vector::Zero(problem_.size());
    Vector squares = features_.squares();
    const double longest = squares.size() > 0 ? squares.maxCoeff() : 0;
    // rows of zeros have no curvature
    squares = squares.cwiseMax(longest > 0 ? 1e-12 * longest : 1.0);
    descend(squares);
    ProximalNewton newton(problem_, features_, std::sqrt(longest), pool_);
    refine(&newton);
    solution_.converged = std::isfinite(solution_.objective) && solution_.violation < tol_;
    return solution_;
  }

 private:
  static constexpr double largest_gap = 1e-3;

  const LinearProblem& problem_;
  double tol_, max_iter_;
  std::uint64_t seed_;
  const Pool& pool_;
  FeatureRows features_;
  std::vector<Index> all_;
  LinearSolution solution_;

  // As long as sweeps cost less than a Newton step on many features would; its
  // operations are about ten times as fast.
  void descend(const Vector& squares) {
    const double side = static_cast<double>(std::min(problem_.size(), problem_.dim()));
    DualDescent descent(problem_, squares, seed_, pool_);
    descent.run(tol_ / 2, std::min(max_iter_, 1000.0), side * side * side / 20, &solution_);
  }

  void refine(ProximalNewton* newton) {
    double tol = tol_, objective = std::numeric_limits<double>::infinity(), violation = objective;
    for (int stalled = 0; stalled < 2;) {
      settle();
      if (!std::isfinite(solution_.objective)) return;
      if (solution_.violation < tol) {
        // A small violation says little about the objective when the costs are
        // large: go on until the duality gap is small as well.
        if (solution_.relative_gap <= largest_gap || tol <= 1e-9 * tol_) return;
        tol = std::max(solution_.violation / 10, 1e-9 * tol_);
      }
      if (solution_.iterations >= max_iter_) return;
      const double gained = objective - solution_.objective;
      const bool better = gained > 1e-14 * std::abs(solution_.objective);
      stalled += better || solution_.violation < violation / 2 ? 0 : 1;
      objective = solution_.objective;
      violation = solution_.violation;
      newton->widen(violation / 2);
      newton->improve(near(std::max(violation, newton->width())), tol, max_iter_, &solution_);
    }
    settle();
  }

  // Rows that may leave their bound or kink, or are at none.
  std::vector<Index> near(double reach) const {
    std::vector<Index> rows;
    for (Index i = 0; i < problem_.size(); ++i) {
      const double f = solution_.decision[i] + solution_.b;
      if (problem_[i].movable() && problem_[i].slope(solution_.beta[i], f) > -reach) {
        rows.push_back(i);
      }
    }
    return rows;
  }

  // All that follows from beta and b, from scratch.
  void settle() {
    if (problem_.intercept) balance(problem_, &solution_.beta);
    solution_.w.setZero();
    features_.combine(all_, solution_.beta, &solution_.w);
    features_.products(all_, solution_.w, &solution_.decision);
    if (problem_.intercept) centre_offset(problem_, &solution_);
    certify(problem_, &solution_);
  }
};

}  // namespace domgen

#endif
