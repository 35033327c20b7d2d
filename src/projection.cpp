// Projections from a Gram matrix or from moments of features: convert, call,
// convert back.
#include "core/projection/features.h"
#include "core/projection/gram.h"

#include "gram-argument.h"
#include "list.h"
#include "parallel.h"

#include <RcppEigen.h>

#include <string>
#include <vector>

namespace {

using domgen::has;
using domgen::read;

domgen::Scaling scaling_of(const std::string& name) {
  if (name == "constraint") return domgen::Scaling::constraint;
  if (name == "whiten") return domgen::Scaling::whiten;
  if (name == "published_code") return domgen::Scaling::published_code;
  Rcpp::stop("normalise must be \"constraint\", \"whiten\" or \"published_code\"");
}

domgen::ProjectionTerms read_terms(const Rcpp::List& list, Eigen::Index cells) {
  domgen::ProjectionTerms terms;
  auto form = [&](const char* name) {
    const Eigen::MatrixXd T = read<Eigen::MatrixXd>(list, name);
    if (T.cols() != cells) Rcpp::stop("%s must have one column per cell", name);
    return T;
  };
  terms.covariance = read<bool>(list, "covariance");
  terms.norm = read<double>(list, "norm");
  terms.ridge = read<double>(list, "ridge");
  terms.total = read<double>(list, "total");
  terms.numerator_plus = form("numerator_plus");
  terms.denominator_plus = form("denominator_plus");
  terms.denominator_minus = form("denominator_minus");
  terms.spread = form("spread");
  terms.within = read<double>(list, "within");
  terms.smooth = read<double>(list, "smooth");
  terms.centred = read<bool>(list, "centred");
  terms.epsilon = read<double>(list, "epsilon");
  terms.labelled = static_cast<Eigen::Index>(read<double>(list, "labelled"));
  terms.ncomp = static_cast<Eigen::Index>(read<double>(list, "ncomp"));
  terms.published = read<bool>(list, "published");
  terms.scaling = scaling_of(read<std::string>(list, "normalise"));
  if (terms.ncomp < 1) Rcpp::stop("ncomp must be at least 1");
  return terms;
}

Rcpp::List as_list(const domgen::Projection& fit) {
  const domgen::Directions& directions = fit.solution.directions;
  return Rcpp::List::create(
      Rcpp::_["values"] = directions.values, Rcpp::_["imaginary"] = directions.imaginary,
      Rcpp::_["coefficients"] = fit.coefficients, Rcpp::_["centre"] = fit.centre,
      Rcpp::_["scores"] = fit.solution.S, Rcpp::_["rank"] = double(directions.rank),
      Rcpp::_["rank_known"] = directions.rank_known, Rcpp::_["residual"] = fit.solution.residual,
      Rcpp::_["iterations"] = double(directions.products),
      Rcpp::_["converged"] = directions.converged, Rcpp::_["jitter"] = fit.solution.jitter,
      Rcpp::_["theorem5"] = Rcpp::NumericVector::create(
          Rcpp::_["distributional"] = fit.distributional, Rcpp::_["norm"] = fit.norm),
      Rcpp::_["variance"] = Rcpp::NumericVector::create(
          Rcpp::_["total_before"] = fit.total_before, Rcpp::_["total_after"] = fit.total_after,
          Rcpp::_["distributional_before"] = fit.distributional_before,
          Rcpp::_["distributional_after"] = fit.distributional));
}

domgen::ResponseMoments read_response(const Rcpp::List& list) {
  domgen::ResponseMoments response;
  response.cross = read<Eigen::MatrixXd>(list, "cross");
  response.second = read<Eigen::MatrixXd>(list, "second");
  response.sums = read<Eigen::VectorXd>(list, "sums");
  return response;
}

}  // namespace

// K [n x n], the uncentred Gram matrix, is consumed (gram-argument.h). cells: codes 1, ...,
// n_cells. data: response and domain, F [n x r] with L = FF' or NULL; labelled [n] or NULL; graph
// or NULL. ridges: a list of projections instead, one for each in the place of the terms' ridge.
// [[Rcpp::export]]
Rcpp::List projection_gram_(SEXP K, Rcpp::List terms, std::vector<int> cells, int n_cells,
                            Rcpp::List data, int threads,
                            Rcpp::Nullable<Rcpp::NumericVector> ridges = R_NilValue) {
  domgen::GramArgument gram(K);
  const Eigen::Index n = gram.rows();
  if (n < 1) Rcpp::stop("K must have a row");
  if (Eigen::Index(cells.size()) != n) Rcpp::stop("cells must have one code per row of K");
  const domgen::CellMeans means(cells, n_cells);
  domgen::GramData rows;
  rows.cells = &means;
  auto factor = [&](const char* name, Eigen::MatrixXd& F) -> const Eigen::MatrixXd* {
    if (!has(data, name)) return nullptr;
    F = read<Eigen::MatrixXd>(data, name);
    if (F.rows() != n) Rcpp::stop("%s must have one row per row of K", name);
    if (F.cols() == 0) Rcpp::stop("%s must have at least one column", name);
    return &F;
  };
  Eigen::MatrixXd response, domain;
  rows.response = factor("response", response);
  rows.domain = factor("domain", domain);
  if (has(data, "labelled")) rows.labelled = read<Eigen::VectorXd>(data, "labelled");
  if (has(data, "graph")) {
    const Rcpp::List graph = data["graph"];
    rows.graph.from = read<std::vector<int>>(graph, "from");
    rows.graph.to = read<std::vector<int>>(graph, "to");
    rows.graph.weight = read<std::vector<double>>(graph, "weight");
    for (std::vector<int>* end : {&rows.graph.from, &rows.graph.to})
      for (int& i : *end) {
        if (i < 1 || i > n) Rcpp::stop("the graph must join rows of K");
        --i;
      }
  }
  const domgen::Threads pool(threads);
  const domgen::ProjectionTerms method = read_terms(terms, n_cells);
  domgen::GramProjection problem(gram.take(), method, rows, pool);
  if (ridges.isNull()) return as_list(problem.solve());
  Rcpp::List fits;
  for (const domgen::Projection& fit : problem.solve(Rcpp::as<Eigen::VectorXd>(ridges.get())))
    fits.push_back(as_list(fit));
  return fits;
}

// moments: sums over rows of the features z [r], as feature_moments_ makes them. ridges: as
// above.
// [[Rcpp::export]]
Rcpp::List projection_features_(Rcpp::List terms, Rcpp::List moments,
                                Rcpp::Nullable<Rcpp::NumericVector> ridges = R_NilValue) {
  domgen::ProjectionMoments sums;
  sums.n = read<double>(moments, "n");
  sums.second = read<Eigen::MatrixXd>(moments, "second");
  sums.sums = read<Eigen::MatrixXd>(moments, "sums");
  sums.counts = read<Eigen::VectorXd>(moments, "counts");
  sums.labelled = read<Eigen::VectorXd>(moments, "labelled");
  domgen::ResponseMoments response, domain;
  if (has(moments, "response")) {
    response = read_response(moments["response"]);
    sums.response = &response;
  }
  if (has(moments, "domain")) {
    domain = read_response(moments["domain"]);
    sums.domain = &domain;
  }
  if (has(moments, "labelled_second"))
    sums.labelled_second = read<Eigen::MatrixXd>(moments, "labelled_second");
  if (has(moments, "laplacian")) sums.laplacian = read<Eigen::MatrixXd>(moments, "laplacian");
  const domgen::ProjectionTerms method = read_terms(terms, sums.sums.cols());
  const domgen::Threads here(1);
  const domgen::FeatureProjection problem(method, sums, here);
  if (ridges.isNull()) return as_list(problem.solve(method.ridge));
  Rcpp::List fits;
  for (double ridge : Rcpp::as<std::vector<double>>(ridges.get()))
    fits.push_back(as_list(problem.solve(ridge)));
  return fits;
}
