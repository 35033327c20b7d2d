// Projections from a Gram matrix or from moments of features: convert, call,
// convert back.
#include "core/projection/features.h"
#include "core/projection/gram.h"

#include "gram-argument.h"
#include "parallel.h"

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
  terms.ncomp = domgen::whole(list["ncomp"], "ncomp", 1);
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
  const domgen::Shield lists(domgen::protected_call([&] { return Rf_allocVector(VECSXP, size); }));
  for (R_xlen_t i = 0; i < size; ++i)
    SET_VECTOR_ELT(lists, i, as_list(fits[static_cast<std::size_t>(i)]));
  return lists;
}

// Matrices of `rows` rows each, or NULL.
domgen::ResponseTerms read_response(const ListArgument& list, Eigen::Index rows) {
  domgen::ResponseTerms response;
  const auto read = [&](const char* name, Eigen::MatrixXd& U) {
    if (list.has(name)) U = domgen::matrix_with_rows(list[name], name, rows).map();
    return list.has(name);
  };
  response.given = read("response", response.published);
  response.paired = read("domain", response.domain);
  read("numerator", response.numerator);
  read("denominator", response.denominator);
  return response;
}

void demand_pair(const domgen::ProjectionTerms& terms, const domgen::ResponseTerms& response) {
  domgen::demand(!terms.covariance || (response.given && response.paired), "response",
                 "be given with `domain` where there are two of them");
}

// What the rows have beside the Gram matrix. The terms and means must outlive the result.
struct RowData {
  domgen::CellMeans means;
  domgen::ResponseTerms response;
  domgen::GramData rows;

  RowData(const ListArgument& data, const std::vector<int>& cells, int n_cells, Eigen::Index n)
      : means(cells, n_cells), response(read_response(data, n)) {
    rows.cells = &means;
    rows.response = &response;
    if (data.has("labelled"))
      rows.labelled = domgen::numbers(data["labelled"], "labelled", n, 0, 1);
    if (data.has("graph")) read_graph(ListArgument(data["graph"], "graph"), n);
  }
  RowData(const RowData&) = delete;
  RowData& operator=(const RowData&) = delete;

 private:
  void read_graph(const ListArgument& graph, Eigen::Index n) {
    rows.graph.from = domgen::places(graph["from"], "from", n);
    const Eigen::Index edges = static_cast<Eigen::Index>(rows.graph.from.size());
    rows.graph.to = domgen::places(graph["to"], "to", n, edges);
    const Eigen::VectorXd weight = domgen::numbers(graph["weight"], "weight", edges);
    rows.graph.weight.assign(weight.data(), weight.data() + edges);
  }
};

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
  sums.response = read_response(list, r);
  if (sums.response.given)
    sums.response.second = square("response_second", sums.response.published.cols());
  return sums;
}

}  // namespace

// K [n x n], the uncentred Gram matrix, is consumed (gram-argument.h). cells: codes 1, ...,
// n_cells. data: response, domain, numerator and denominator, see ResponseTerms, or NULL; labelled
// [n] or NULL; graph or NULL. ridges: a list of projections instead, one for each in the place of
// the terms' ridge.
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
  demand_pair(method, given.response);
  Eigen::VectorXd several;
  if (!Rf_isNull(ridges)) several = domgen::some_numbers(ridges, "ridges");
  const domgen::Threads pool(threads);
  domgen::GramProjection problem(gram.take(), method, given.rows, pool);
  if (Rf_isNull(ridges)) return as_list(problem.solve());
  return as_lists(problem.solve(several));
}

// moments: sums over rows of the features z [r], as feature_moments_ makes them; of the response
// Z'U, and U'U of the first one as response_second. ridges: as above.
// [[Rcpp::export(rng = false)]]
SEXP projection_features_(SEXP terms, SEXP moments, SEXP ridges = R_NilValue) {
  const ListArgument list(moments, "moments");
  domgen::ProjectionMoments sums = read_moments(list);
  const domgen::ProjectionTerms method = read_terms(ListArgument(terms, "terms"), sums.sums.cols());
  domgen::demand(!(method.smooth > 0) || sums.laplacian.size() > 0, "laplacian",
                 "be given where the projection is to be smooth");
  demand_pair(method, sums.response);
  Eigen::VectorXd several;
  if (!Rf_isNull(ridges)) several = domgen::some_numbers(ridges, "ridges");
  const domgen::Threads here(1);
  const domgen::FeatureProjection problem(method, sums, here);
  if (Rf_isNull(ridges)) return as_list(problem.solve(method.ridge));
  std::vector<domgen::Projection> fits;
  for (Eigen::Index i = 0; i < several.size(); ++i) fits.push_back(problem.solve(several[i]));
  return as_lists(fits);
}
