// Exact projections from a Gram matrix: convert, call, convert back.
#include "core/projection.h"

#include "parallel.h"

#include <RcppEigen.h>

#include <memory>
#include <string>
#include <vector>

namespace {

domgen::Scaling scaling_of(const std::string& name) {
  if (name == "constraint") return domgen::Scaling::constraint;
  if (name == "whiten") return domgen::Scaling::whiten;
  if (name == "published_code") return domgen::Scaling::published_code;
  Rcpp::stop("normalise must be \"constraint\", \"whiten\" or \"published_code\"");
}

Rcpp::List as_list(const domgen::Projection& fit) {
  const domgen::Directions& directions = fit.directions;
  return Rcpp::List::create(
      Rcpp::_["values"] = directions.values, Rcpp::_["imaginary"] = directions.imaginary,
      Rcpp::_["coefficients"] = directions.B, Rcpp::_["centre"] = fit.centre,
      Rcpp::_["scores"] = fit.scores, Rcpp::_["rank"] = double(directions.rank),
      Rcpp::_["rank_known"] = directions.rank_known, Rcpp::_["residual"] = fit.residual,
      Rcpp::_["iterations"] = double(directions.products),
      Rcpp::_["converged"] = directions.converged, Rcpp::_["jitter"] = fit.jitter,
      Rcpp::_["theorem5"] = Rcpp::NumericVector::create(
          Rcpp::_["distributional"] = fit.distributional, Rcpp::_["norm"] = fit.norm),
      Rcpp::_["variance"] = Rcpp::NumericVector::create(
          Rcpp::_["total_before"] = fit.total_before, Rcpp::_["total_after"] = fit.total_after,
          Rcpp::_["distributional_before"] = fit.distributional_before,
          Rcpp::_["distributional_after"] = fit.distributional));
}

}  // namespace

// K [n x n], the uncentred Gram matrix, is OVERWRITTEN: hand over one that
// nobody else holds. response: F [n x r0] with L = FF', or NULL for P = I.
// domain: codes 1..G, or NULL for one domain; they enter the denominator
// when denominator_q, else only the variances that are reported.
// [[Rcpp::export]]
Rcpp::List projection_exact_(Eigen::Map<Eigen::MatrixXd> K,
                             Rcpp::Nullable<Rcpp::NumericMatrix> response,
                             Rcpp::Nullable<Rcpp::IntegerVector> domain, int n_domains,
                             bool denominator_q, double epsilon, double lambda, int ncomp,
                             bool published, std::string normalise, int threads) {
  if (K.rows() < 1 || K.rows() != K.cols()) Rcpp::stop("K must be a square matrix");
  if (ncomp < 1) Rcpp::stop("ncomp must be at least 1");
  domgen::ProjectionProblem problem;
  Eigen::MatrixXd F;
  if (response.isNotNull()) {
    F = Rcpp::as<Eigen::MatrixXd>(response.get());
    if (F.rows() != K.rows()) Rcpp::stop("response must have one row per row of K");
    if (F.cols() == 0) Rcpp::stop("response must have at least one column");
    problem.response = &F;
  }
  std::unique_ptr<domgen::DomainMeans> domains;
  if (domain.isNotNull()) {
    const std::vector<int> code = Rcpp::as<std::vector<int>>(domain.get());
    if (Eigen::Index(code.size()) != K.rows()) Rcpp::stop("domain must have one code per row of K");
    domains.reset(new domgen::DomainMeans(code, n_domains));
    problem.domains = domains.get();
  }
  problem.distributional = denominator_q;
  problem.epsilon = epsilon;
  problem.lambda = lambda;
  problem.ncomp = ncomp;
  problem.published = published;
  problem.scaling = scaling_of(normalise);

  return as_list(domgen::fit_projection(K, problem, domgen::Threads(threads)));
}
