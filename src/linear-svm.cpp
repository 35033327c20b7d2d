// Linear SVM on features: convert, call, convert back.
#include <cmath>
#include <cstdint>

#include "arguments.h"
#include "core/svm/linear.h"
#include "parallel.h"

// Solves core/svm/linear-problem.h. Zt: Z' [r x n]; target, epsilon, low, high, ridge: n
// numbers each; seed: a whole number that orders the rows.
// [[Rcpp::export(rng = false)]]
SEXP linear_svm_(SEXP Zt, SEXP target, SEXP epsilon, SEXP low, SEXP high, SEXP ridge,
                 SEXP intercept, SEXP tol, SEXP max_iter, SEXP seed, SEXP threads) {
  using domgen::infinite;
  using domgen::numbers;
  const domgen::MatrixArgument features(Zt, "Zt");
  const Eigen::Index n = features.cols();
  const Eigen::VectorXd targets = numbers(target, "target", n);
  const Eigen::VectorXd tubes = numbers(epsilon, "epsilon", n);
  const Eigen::VectorXd lows = numbers(low, "low", n, -infinite, 0);
  const Eigen::VectorXd highs = numbers(high, "high", n, 0, infinite);
  const Eigen::VectorXd ridges = numbers(ridge, "ridge", n, 0, infinite);
  domgen::LinearProblem problem = {features.map(), {}, domgen::flag(intercept, "intercept")};
  for (Eigen::Index i = 0; i < n; ++i) {
    domgen::demand(std::isfinite(highs[i] - lows[i]) || ridges[i] > 0, "ridge",
                   "be positive where the loss is not finite");
    problem.rows.push_back({targets[i], tubes[i], lows[i], highs[i], ridges[i]});
  }
  const double violation = domgen::number(tol, "tol", 0);
  const double most = domgen::number(max_iter, "max_iter", 0, infinite);
  const auto order = static_cast<std::uint64_t>(domgen::number(seed, "seed", 0, 9e15));
  const domgen::Threads pool(threads);
  const domgen::LinearSolution solution =
      domgen::LinearSvm(problem, violation, most, order, pool).solve();
  return domgen::named_list({{"w", solution.w},
                             {"beta", solution.beta},
                             {"decision", solution.decision},
                             {"b", solution.b},
                             {"objective", solution.objective},
                             {"gap", solution.gap},
                             {"relative_gap", solution.relative_gap},
                             {"violation", solution.violation},
                             {"iterations", solution.iterations},
                             {"converged", solution.converged}});
}
