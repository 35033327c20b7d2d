// The graph of nearest neighbours.
#include "core/kernel/neighbours.h"

#include "parallel.h"
#include "program.h"

// Edges as rows 1, ..., n, from < to.
// [[Rcpp::export]]
Rcpp::List neighbour_graph_(Rcpp::NumericMatrix X, int k, int threads) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(X.ncol());
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(X.ncol());
  const domgen::Rows rows(domgen::view(X), zero, one);
  const auto pairs =
      domgen::neighbour_pairs(domgen::nearest_neighbours(rows, k, domgen::Threads(threads)), k);

  const R_xlen_t edges = static_cast<R_xlen_t>(pairs.size());
  Rcpp::IntegerVector from(edges), to(edges);
  for (R_xlen_t e = 0; e < edges; ++e) {
    from[e] = pairs[static_cast<std::size_t>(e)].first + 1;
    to[e] = pairs[static_cast<std::size_t>(e)].second + 1;
  }
  return Rcpp::List::create(Rcpp::Named("from") = from, Rcpp::Named("to") = to);
}
