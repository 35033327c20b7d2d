// Gaussian processes: convert, call, convert back.
#include "core/gp/covariance.h"
#include "core/gp/likelihood.h"
#include "core/linalg/inverse.h"

#include "gram-argument.h"
#include "parallel.h"
#include "program.h"

namespace {

// The matrices of the programs must outlive the result.
std::vector<domgen::BandwidthSlope> read_slopes(const domgen::ListArgument& slopes,
                                                const domgen::MatrixView& X) {
  std::vector<domgen::BandwidthSlope> result(static_cast<std::size_t>(slopes.size()));
  for (std::size_t s = 0; s < result.size(); ++s) {
    const domgen::ListArgument slope(slopes[static_cast<R_xlen_t>(s)], "slopes");
    result[s].kernel = domgen::read_kernel(slope["program"], X, X);
    if (!slope.has("inv")) continue;
    const Eigen::VectorXd inv = domgen::numbers(slope["inv"], "inv", X.cols());
    result[s].predictors.reset(new domgen::Rows(X, domgen::column_means(X), inv));
  }
  return result;
}

}  // namespace

// The factor R of K o kappa + diag(ridge) = R'R in the upper triangle of the matrix `A` of the
// environment `memory`, which is made where there is none; its lower triangle means nothing.
// list(positive, alpha = (R'R)^-1 y, log_determinant).
// [[Rcpp::export(rng = false)]]
SEXP gp_factor_(SEXP memory, SEXP program, SEXP X, SEXP kappa, SEXP domain, SEXP ridge, SEXP y,
                SEXP threads) {
  using domgen::infinite;
  const auto x = domgen::filled_matrix(X, "X");
  const Eigen::Index n = x.rows();
  const Eigen::VectorXd ridges = domgen::numbers(ridge, "ridge", n, -infinite, infinite);
  const Eigen::VectorXd values = domgen::numbers(y, "y", n, -infinite, infinite);
  const auto kernel = domgen::read_kernel(program, x, x);
  const auto weights = domgen::read_weights(kappa, domain, n);
  const domgen::Threads pool(threads);
  const domgen::KeptMatrix A(memory, "A", n, n, false);
  const domgen::Factorised result =
      domgen::factorise_covariance(*kernel, weights, ridges, values, A.data(), pool);
  return domgen::named_list({{"positive", result.positive},
                             {"alpha", result.alpha},
                             {"log_determinant", result.log_determinant}});
}

// R in the upper triangle of A [n x n] becomes (R'R)^-1. Returns its diagonal.
// [[Rcpp::export(rng = false)]]
SEXP gp_inverse_(SEXP memory, SEXP n) {
  const int rows = domgen::whole(n, "n", 1);
  const domgen::KeptMatrix A(memory, "A", rows, rows, true);
  domgen::inverse_from_cholesky(A.data(), rows, domgen::Threads(1));
  return domgen::for_r(
      Eigen::VectorXd(Eigen::Map<Eigen::MatrixXd>(A.data(), rows, rows).diagonal()));
}

// inverse: A^-1 in the upper triangle; slopes: list of list(program, inv); program:
// of k, for the sums by pairs of domains, or NULL. list(bandwidths, cells).
// [[Rcpp::export(rng = false)]]
SEXP gp_slopes_(SEXP inverse, SEXP alpha, SEXP s2, SEXP X, SEXP kappa, SEXP domain, SEXP slopes,
                SEXP program, SEXP threads) {
  const auto x = domgen::filled_matrix(X, "X");
  const Eigen::Index n = x.rows();
  const domgen::MatrixArgument P(inverse, "inverse", n, n);
  const Eigen::VectorXd a = domgen::numbers(alpha, "alpha", n, -domgen::infinite, domgen::infinite);
  const double variance = domgen::number(s2, "s2");
  const auto weights = domgen::read_weights(kappa, domain, n);
  const domgen::Threads pool(threads);
  const domgen::LikelihoodSlopes sums(P.data(), a, variance, weights, pool);
  const auto read = read_slopes(domgen::ListArgument(slopes, "slopes"), x);
  std::vector<Eigen::VectorXd> bandwidths;
  if (!read.empty()) bandwidths = sums.bandwidths(read);
  Eigen::MatrixXd cells;
  const bool by_domain = !Rf_isNull(program);
  if (by_domain) {
    domgen::demand(!weights.empty(), "kappa", "be given for sums by domains");
    const auto kernel = domgen::read_kernel(program, x, x);
    cells = sums.cells(*kernel, weights.x, weights.kappa.rows());
  }
  return domgen::named_list({{"bandwidths", bandwidths}, {"cells", cells, by_domain}});
}
