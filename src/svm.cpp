#include <RcppEigen.h>

#include "core/svm/smo.h"

#include "parallel.h"

// Solves the dual of core/svm/smo-problem.h. row: 1-based; alpha0: a start or NULL.
// [[Rcpp::export]]
Rcpp::List smo_(Rcpp::NumericMatrix K, Rcpp::IntegerVector row, Rcpp::NumericVector sign,
                Rcpp::NumericVector p, Rcpp::NumericVector upper, Rcpp::NumericVector ridge,
                bool offset, double tol, double max_iter,
                Rcpp::Nullable<Rcpp::NumericVector> alpha0) {
  using Vector = Eigen::VectorXd;
  const Eigen::Index l = row.size();
  domgen::DualProblem problem = {Eigen::Map<const Eigen::MatrixXd>(K.begin(), K.nrow(), K.ncol()),
                                 Eigen::Matrix<Eigen::Index, Eigen::Dynamic, 1>(l),
                                 Rcpp::as<Vector>(sign),
                                 Rcpp::as<Vector>(p),
                                 Rcpp::as<Vector>(upper),
                                 Rcpp::as<Vector>(ridge),
                                 offset};
  for (Eigen::Index i = 0; i < l; ++i) problem.row[i] = row[i] - 1;

  const Vector start = alpha0.isNull() ? Vector(Vector::Zero(l)) : Rcpp::as<Vector>(alpha0.get());
  const domgen::Threads here(1);
  const domgen::DualSolution solution = domgen::Smo(problem, start, tol, max_iter, here).solve();
  return Rcpp::List::create(
      Rcpp::Named("alpha") = solution.alpha, Rcpp::Named("beta") = solution.beta,
      Rcpp::Named("decision") = solution.decision, Rcpp::Named("b") = solution.b,
      Rcpp::Named("objective") = solution.objective, Rcpp::Named("gap") = solution.gap,
      Rcpp::Named("relative_gap") = solution.relative_gap,
      Rcpp::Named("iterations") = solution.iterations,
      Rcpp::Named("converged") = solution.converged);
}
