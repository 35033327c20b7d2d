// Linear machines on features: convert, call, convert back.
#include <RcppEigen.h>

#include <cmath>
#include <cstdint>

#include "core/svm/linear.h"
#include "parallel.h"

// Solves core/svm/linear-problem.h. Zt: Z' [r x n]; target, epsilon, low, high, ridge: n
// numbers each; seed: a whole number that orders the rows.
// [[Rcpp::export]]
Rcpp::List linear_svm_(Rcpp::NumericMatrix Zt, Rcpp::NumericVector target,
                       Rcpp::NumericVector epsilon, Rcpp::NumericVector low,
                       Rcpp::NumericVector high, Rcpp::NumericVector ridge, bool offset, double tol,
                       double max_iter, double seed, int threads) {
  const R_xlen_t n = Zt.ncol();
  for (const R_xlen_t length :
       {target.size(), epsilon.size(), low.size(), high.size(), ridge.size()}) {
    if (length != n) Rcpp::stop("the loss must have one entry per row");
  }
  domgen::LinearProblem problem = {
      Eigen::Map<const Eigen::MatrixXd>(Zt.begin(), Zt.nrow(), n), {}, offset};
  for (R_xlen_t i = 0; i < n; ++i) {
    const domgen::TubeRow row = {target[i], epsilon[i], low[i], high[i], ridge[i]};
    if (!(row.low <= 0 && row.high >= 0 && row.ridge >= 0)) Rcpp::stop("the loss is not convex");
    if (std::isinf(row.high - row.low) && row.ridge == 0) Rcpp::stop("the loss is not finite");
    problem.rows.push_back(row);
  }
  const domgen::Threads pool(threads);
  const domgen::LinearSolution solution =
      domgen::LinearSvm(problem, tol, max_iter, static_cast<std::uint64_t>(seed), pool).solve();
  return Rcpp::List::create(
      Rcpp::Named("w") = solution.w, Rcpp::Named("beta") = solution.beta,
      Rcpp::Named("decision") = solution.decision, Rcpp::Named("b") = solution.b,
      Rcpp::Named("objective") = solution.objective, Rcpp::Named("gap") = solution.gap,
      Rcpp::Named("relative_gap") = solution.relative_gap,
      Rcpp::Named("violation") = solution.violation,
      Rcpp::Named("iterations") = solution.iterations,
      Rcpp::Named("converged") = solution.converged);
}
