// Low-rank factor of a kernel matrix.
#include "core/kernel/pivoted-cholesky.h"

#include "parallel.h"
#include "program.h"

// [[Rcpp::export]]
Rcpp::List kernel_pivoted_cholesky_(Rcpp::List program, Rcpp::NumericMatrix Y, double tol,
                                    int max_rank) {
  const auto kernel = domgen::read_kernel(program, Y, Y);
  const domgen::PivotedCholesky result =
      domgen::pivoted_cholesky(*kernel, Y.nrow(), tol, max_rank, domgen::Threads(1));
  Rcpp::IntegerVector pivots(result.pivots.begin(), result.pivots.end());
  return Rcpp::List::create(Rcpp::Named("factor") = result.factor,
                            Rcpp::Named("pivots") = pivots + 1,
                            Rcpp::Named("rank") = static_cast<int>(result.pivots.size()),
                            Rcpp::Named("error") = result.error);
}
