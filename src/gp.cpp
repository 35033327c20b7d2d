// Gaussian processes: convert, call, convert back.
#include "core/gp/covariance.h"
#include "core/gp/likelihood.h"
#include "core/linalg/inverse.h"

#include "gram-argument.h"
#include "parallel.h"
#include "program.h"

namespace {

// The matrices of the programs must outlive the result.
std::vector<domgen::BandwidthSlope> read_slopes(const Rcpp::List& slopes,
                                                const Rcpp::NumericMatrix& X) {
  std::vector<domgen::BandwidthSlope> result(static_cast<std::size_t>(slopes.size()));
  for (R_xlen_t s = 0; s < slopes.size(); ++s) {
    const Rcpp::List slope = slopes[s];
    domgen::BandwidthSlope& read = result[static_cast<std::size_t>(s)];
    read.kernel = domgen::read_kernel(slope["program"], X, X);
    if (Rf_isNull(slope["inv"])) continue;
    const Eigen::VectorXd inv = Rcpp::as<Eigen::VectorXd>(slope["inv"]);
    if (inv.size() != X.ncol()) throw std::invalid_argument("inv must have length ncol(X)");
    const domgen::MatrixView rows = domgen::view(X);
    read.predictors.reset(new domgen::Rows(rows, domgen::column_means(rows), inv));
  }
  return result;
}

}  // namespace

// The factor R of K o kappa + diag(ridge) = R'R in the upper triangle of the matrix `A` of the
// environment `memory`, which is made where there is none; its lower triangle means nothing.
// list(positive, alpha = (R'R)^-1 y, log_determinant).
// [[Rcpp::export]]
Rcpp::List gp_factor_(Rcpp::Environment memory, Rcpp::List program, Rcpp::NumericMatrix X,
                      Rcpp::Nullable<Rcpp::NumericMatrix> kappa,
                      Rcpp::Nullable<Rcpp::IntegerVector> domain, Eigen::VectorXd ridge,
                      Eigen::VectorXd y, int threads) {
  const R_xlen_t n = X.nrow();
  if (ridge.size() != n || y.size() != n) throw std::invalid_argument("y must have a value a row");
  const auto kernel = domgen::read_kernel(program, X, X);
  const auto weights = domgen::read_weights(kappa, domain, n, domain, n);
  const domgen::Factorised result = domgen::factorise_covariance(
      *kernel, weights, ridge, y, domgen::kept_matrix(memory, n, false).begin(),
      domgen::Threads(threads));
  return Rcpp::List::create(Rcpp::_["positive"] = result.positive, Rcpp::_["alpha"] = result.alpha,
                            Rcpp::_["log_determinant"] = result.log_determinant);
}

// R in the upper triangle of A [n x n] becomes (R'R)^-1. Returns its diagonal.
// [[Rcpp::export]]
Eigen::VectorXd gp_inverse_(Rcpp::Environment memory, int n) {
  Rcpp::NumericMatrix A = domgen::kept_matrix(memory, n, true);
  domgen::inverse_from_cholesky(A.begin(), n, domgen::Threads(1));
  return Eigen::Map<Eigen::MatrixXd>(A.begin(), n, n).diagonal();
}

// inverse: A^-1 in the upper triangle; slopes: list of list(program, inv); program:
// of k, for the sums by pairs of domains, or NULL. list(bandwidths, cells).
// [[Rcpp::export]]
Rcpp::List gp_slopes_(Rcpp::NumericMatrix inverse, Eigen::VectorXd alpha, double s2,
                      Rcpp::NumericMatrix X, Rcpp::Nullable<Rcpp::NumericMatrix> kappa,
                      Rcpp::Nullable<Rcpp::IntegerVector> domain, Rcpp::List slopes,
                      Rcpp::Nullable<Rcpp::List> program, int threads) {
  const R_xlen_t n = X.nrow();
  if (alpha.size() != n) throw std::invalid_argument("alpha must have a value a row");
  if (inverse.nrow() != n || inverse.ncol() != n)
    throw std::invalid_argument("inverse must be n x n");
  const auto weights = domgen::read_weights(kappa, domain, n, domain, n);
  const domgen::Threads pool(threads);
  const domgen::LikelihoodSlopes sums(inverse.begin(), alpha, s2, weights, pool);
  Rcpp::List bandwidths(slopes.size());
  if (slopes.size() > 0) {
    const std::vector<Eigen::VectorXd> values = sums.bandwidths(read_slopes(slopes, X));
    for (std::size_t s = 0; s < values.size(); ++s) bandwidths[R_xlen_t(s)] = values[s];
  }
  Rcpp::RObject cells = R_NilValue;
  if (program.isNotNull()) {
    if (weights.empty()) throw std::invalid_argument("sums by domains need kappa");
    const auto kernel = domgen::read_kernel(Rcpp::List(program.get()), X, X);
    cells = Rcpp::wrap(sums.cells(*kernel, weights.x, weights.kappa.rows()));
  }
  return Rcpp::List::create(Rcpp::_["bandwidths"] = bandwidths, Rcpp::_["cells"] = cells);
}
