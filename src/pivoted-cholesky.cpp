// Low-rank factor of a kernel matrix.
#include "core/kernel/pivoted-cholesky.h"

#include "parallel.h"
#include "program.h"

// [[Rcpp::export(rng = false)]]
SEXP kernel_pivoted_cholesky_(SEXP program, SEXP Y, SEXP tol, SEXP max_rank) {
  const auto y = domgen::filled_matrix(Y, "Y");
  const double least = domgen::number(tol, "tol", 0);
  const int most = domgen::whole(max_rank, "max_rank");
  const auto kernel = domgen::read_kernel(program, y, y);
  const domgen::PivotedCholesky result =
      domgen::pivoted_cholesky(*kernel, y.rows(), least, most, domgen::Threads(1));
  std::vector<int> pivots;
  for (const Eigen::Index pivot : result.pivots) pivots.push_back(static_cast<int>(pivot) + 1);
  return domgen::named_list({{"factor", result.factor},
                             {"pivots", pivots},
                             {"rank", static_cast<int>(pivots.size())},
                             {"error", result.error}});
}
