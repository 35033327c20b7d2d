// Projections from a Gram matrix or from moments of features: convert, call,
// convert back.
#include "core/projection/features.h"
#include "core/projection/gram.h"

#include "gram-argument.h"
#include "parallel.h"

#include <RcppEigen.h>

#include <string>
#include <vector>

namespace {

using domgen::ListArgument;

domgen::Scaling scaling_of(const std::string& name) {
  if (name == "constraint") return domgen::Scaling::constraint;
  if (name == "whiten") return domgen::Scaling::whiten;
  if (name == "published_code") return domgen::Scaling::published_code;
  throw std::invalid_argument(
      "`normalise` must be \"constraint\", \"whiten\" or \"published_code\"");
}

domgen::ProjectionTerms read_terms(const ListArgument& list, Eigen::Index cells) {
  domgen::ProjectionTerms terms;
  const auto form = [&](const char* name) {
    const domgen::MatrixArgument T(list[name], name);
    domgen::demand_length(T.cols(), cells, name, "columns, one for each cell");
    return Eigen::MatrixXd(T.map());
  };
  const auto number = [&](const char* name, double low = -DBL_MAX) {
    return domgen::number(list[name], name, low);
  };
  terms.covariance = domgen::flag(list["covariance"], "covariance");
  terms.norm = number("norm");
  terms.ridge = number("ridge");
  terms.total = number("total");
  terms.numerator_plus = form("numerator_plus");
  terms.denominator_plus = form("denominator_plus");
  terms.denominator_minus = form("denominator_minus");
  terms.spread = form("spread");
  terms.within = number("within");
  terms.smooth = number("smooth");
  terms.centred = domgen::flag(list["centred"], "centred");
  terms.epsilon = number("epsilon");
  terms.labelled = static_cast<Eigen::Index>(domgen::number(list["labelled"], "labelled", 0, 9e15));
  terms.ncomp = domgen::whole(list["ncomp"], "ncomp", 1);
  terms.published = domgen::flag(list["published"], "published");
  terms.scaling = scaling_of(domgen::text(list["normalise"], "normalise"));
  return terms;
}

SEXP as_list(const domgen::Projection& fit) {
  const domgen::Directions& directions = fit.solution.directions;
  const domgen::NamedNumbers theorem5 = {{"distributional", fit.distributional},
                                         {"norm", fit.norm}};
  const domgen::NamedNumbers variance = {{"total_before", fit.total_before},
                                         {"total_after", fit.total_after},
                                         {"distributional_before", fit.distributional_before},
                                         {"distributional_after", fit.distributional}};
  return domgen::named_list({{"values", directions.values},
                             {"imaginary", directions.imaginary},
                             {"coefficients", fit.coefficients},
                             {"centre", fit.centre},
                             {"scores", fit.solution.S},
                             {"rank", double(directions.rank)},
                             {"rank_known", directions.rank_known},
                             {"residual", fit.solution.residual},
                             {"iterations", double(directions.products)},
                             {"converged", directions.converged},
                             {"jitter", fit.solution.jitter},
                             {"theorem5", theorem5},
                             {"variance", variance}});
}

SEXP as_lists(const std::vector<domgen::Projection>& fits) {
  const R_xlen_t size = static_cast<R_xlen_t>(fits.size());
  const Rcpp::Shield<SEXP> lists(
      domgen::protected_call([&] { return Rf_allocVector(VECSXP, size); }));
  for (R_xlen_t i = 0; i < size; ++i)
    SET_VECTOR_ELT(lists, i, as_list(fits[static_cast<std::size_t>(i)]));
  return lists;
}

// What the rows have beside the Gram matrix. The matrices and means must outlive the result.
struct RowData {
  domgen::CellMeans means;
  Eigen::MatrixXd response, domain;
  domgen::GramData rows;

  RowData(const ListArgument& data, const std::vector<int>& cells, int n_cells, Eigen::Index n)
      : means(cells, n_cells) {
    rows.cells = &means;
    rows.response = factor(data, "response", n, response);
    rows.domain = factor(data, "domain", n, domain);
    if (data.has("labelled"))
      rows.labelled = domgen::numbers(data["labelled"], "labelled", n, 0, 1);
    if (data.has("graph")) read_graph(ListArgument(data["graph"], "graph"), n);
  }
  RowData(const RowData&) = delete;
  RowData& operator=(const RowData&) = delete;

 private:
  static const Eigen::MatrixXd* factor(const ListArgument& data, const char* name, Eigen::Index n,
                                       Eigen::MatrixXd& F) {
    if (!data.has(name)) return nullptr;
    const auto given = domgen::filled_matrix(data[name], name);
    domgen::demand_length(given.rows(), n, name, "rows");
    F = given.map();
    return &F;
  }

  void read_graph(const ListArgument& graph, Eigen::Index n) {
    rows.graph.from = domgen::places(graph["from"], "from", n);
    const Eigen::Index edges = static_cast<Eigen::Index>(rows.graph.from.size());
    rows.graph.to = domgen::places(graph["to"], "to", n, edges);
    const Eigen::VectorXd weight = domgen::numbers(graph["weight"], "weight", edges);
    rows.graph.weight.assign(weight.data(), weight.data() + edges);
  }
};

domgen::ResponseMoments read_response(SEXP from, const char* name, Eigen::Index features) {
  const ListArgument list(from, name);
  domgen::ResponseMoments response;
  const auto second = domgen::filled_matrix(list["second"], "second");
  const Eigen::Index size = second.rows();
  domgen::demand_length(second.cols(), size, "second", "columns");
  response.second = second.map();
  response.cross = domgen::MatrixArgument(list["cross"], "cross", features, size).map();
  response.sums = domgen::numbers(list["sums"], "sums", size);
  return response;
}

domgen::ProjectionMoments read_moments(const ListArgument& list) {
  domgen::ProjectionMoments sums;
  const auto square = [&](const char* name, Eigen::Index r) {
    return Eigen::MatrixXd(domgen::MatrixArgument(list[name], name, r, r).map());
  };
  sums.n = domgen::number(list["n"], "n", 1);
  sums.sums = domgen::filled_matrix(list["sums"], "sums").map();
  const Eigen::Index r = sums.sums.rows(), cells = sums.sums.cols();
  sums.second = square("second", r);
  sums.counts = domgen::numbers(list["counts"], "counts", cells, 0);
  sums.labelled = domgen::numbers(list["labelled"], "labelled", cells, 0);
  if (list.has("labelled_second")) sums.labelled_second = square("labelled_second", r);
  if (list.has("laplacian")) sums.laplacian = square("laplacian", r);
  return sums;
}

}  // namespace

// K [n x n], the uncentred Gram matrix, is consumed (gram-argument.h). cells: codes 1, ...,
// n_cells. data: response and domain, F [n x r] with L = FF' or NULL; labelled [n] or NULL; graph
// or NULL. ridges: a list of projections instead, one for each in the place of the terms' ridge.
// [[Rcpp::export(rng = false)]]
SEXP projection_gram_(SEXP K, SEXP terms, SEXP cells, SEXP n_cells, SEXP data, SEXP threads,
                      SEXP ridges = R_NilValue) {
  domgen::GramArgument gram(K, "K");
  const Eigen::Index n = gram.rows();
  const int size = domgen::whole(n_cells, "n_cells", 1);
  std::vector<int> codes = domgen::places(cells, "cells", size, n);
  for (int& code : codes) ++code;
  const RowData given(ListArgument(data, "data"), codes, size, n);
  const domgen::ProjectionTerms method = read_terms(ListArgument(terms, "terms"), size);
  domgen::demand(!(method.smooth > 0) || !given.rows.graph.from.empty(), "graph",
                 "be given where the projection is to be smooth");
  Eigen::VectorXd several;
  if (!Rf_isNull(ridges)) several = domgen::some_numbers(ridges, "ridges");
  const domgen::Threads pool(threads);
  domgen::GramProjection problem(gram.take(), method, given.rows, pool);
  if (Rf_isNull(ridges)) return as_list(problem.solve());
  return as_lists(problem.solve(several));
}

// moments: sums over rows of the features z [r], as feature_moments_ makes them. ridges: as
// above.
// [[Rcpp::export(rng = false)]]
SEXP projection_features_(SEXP terms, SEXP moments, SEXP ridges = R_NilValue) {
  const ListArgument list(moments, "moments");
  domgen::ProjectionMoments sums = read_moments(list);
  const Eigen::Index r = sums.sums.rows();
  domgen::ResponseMoments response, domain;
  if (list.has("response")) {
    response = read_response(list["response"], "response", r);
    sums.response = &response;
  }
  if (list.has("domain")) {
    domain = read_response(list["domain"], "domain", r);
    sums.domain = &domain;
  }
  const domgen::ProjectionTerms method = read_terms(ListArgument(terms, "terms"), sums.sums.cols());
  domgen::demand(!(method.smooth > 0) || sums.laplacian.size() > 0, "laplacian",
                 "be given where the projection is to be smooth");
  Eigen::VectorXd several;
  if (!Rf_isNull(ridges)) several = domgen::some_numbers(ridges, "ridges");
  const domgen::Threads here(1);
  const domgen::FeatureProjection problem(method, sums, here);
  if (Rf_isNull(ridges)) return as_list(problem.solve(method.ridge));
  std::vector<domgen::Projection> fits;
  for (Eigen::Index i = 0; i < several.size(); ++i) fits.push_back(problem.solve(several[i]));
  return as_lists(fits);
}
