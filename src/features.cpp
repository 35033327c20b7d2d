// Feature maps: read the program, walk over the rows in blocks.
#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <R_ext/Random.h>

#include "core/feature/fourier.h"
#include "core/feature/given.h"
#include "core/feature/group-moments.h"
#include "core/feature/landmarks.h"
#include "core/feature/moments.h"
#include "core/feature/product.h"
#include "core/feature/random-pivots.h"
#include "gram-argument.h"
#include "parallel.h"
#include "program.h"

namespace {

using Map = domgen::FeatureMap;
using domgen::ListArgument;
using domgen::MatrixArgument;

// A matrix of the program, with a row and a column.
domgen::MatrixView filled_view(const ListArgument& program, const char* name) {
  const domgen::MatrixView view = program.view(name);
  domgen::demand(view.size() > 0, name, "be a matrix with a row and a column");
  return view;
}

std::unique_ptr<Map> read_landmarks(const ListArgument& program, const domgen::MatrixView& X) {
  const domgen::MatrixView S = filled_view(program, "landmarks");
  domgen::demand_length(X.cols(), S.cols(), "X", "columns, as the feature map");
  domgen::DomainWeights weights;
  weights.kappa = program.view("kappa");
  if (!weights.empty())
    weights.x = domgen::places(program["landmark_domain"], "landmark_domain", weights.kappa.rows(),
                               S.rows());
  const domgen::KernelProgram kernel = domgen::read_program(program["kernel"]);
  domgen::check_given(kernel, S.rows(), X.rows());
  return std::unique_ptr<Map>(new domgen::LandmarkMap(kernel, S, program.view("factor"), weights));
}

std::unique_ptr<Map> read_fourier(const ListArgument& program, const domgen::MatrixView& X) {
  const domgen::MatrixView frequencies = filled_view(program, "frequencies");
  domgen::demand_length(X.cols(), frequencies.rows(), "X", "columns, as the feature map");
  Eigen::VectorXd centre = Eigen::VectorXd::Zero(X.cols());
  if (program.has("centre")) centre = domgen::numbers(program["centre"], "centre", X.cols());
  return std::unique_ptr<Map>(new domgen::FourierMap(frequencies, program.view("offset"), centre));
}

std::unique_ptr<Map> read_given(const ListArgument& program, const domgen::MatrixView& X) {
  const domgen::MatrixView values = filled_view(program, "values");
  domgen::demand_length(values.cols(), X.rows(), "values", "columns, one per row of `X`");
  return std::unique_ptr<Map>(new domgen::GivenMap(values));
}

// The program must outlive the map, which points into its matrices.
std::unique_ptr<Map> read_map(SEXP from, const domgen::MatrixView& X) {
  const ListArgument program(from, "program");
  const std::string type = domgen::text(program["type"], "type");
  if (type == "landmarks") return read_landmarks(program, X);
  if (type == "fourier") return read_fourier(program, X);
  if (type == "given") return read_given(program, X);
  if (type == "product") {
    return std::unique_ptr<Map>(
        new domgen::ProductMap(read_map(program["x"], X), filled_view(program, "table")));
  }
  throw std::invalid_argument("unknown feature map: " + type);
}

// A map and the rows it is to be evaluated on.
struct Input {
  MatrixArgument X;
  std::unique_ptr<Map> map;
  std::vector<int> codes;
  Eigen::Index block;

  Input(SEXP program, SEXP rows, SEXP domain, SEXP block_size)
      : X(rows, "X"), map(read_map(program, X)),
        block(Rf_isNull(block_size) ? 0 : domgen::whole(block_size, "block")) {
    if (map->domains() > 0) codes = domgen::places(domain, "domain", map->domains(), X.rows());
  }

  const int* domain() const { return codes.empty() ? nullptr : codes.data(); }
};

}  // namespace

// Z [n x r]. domain: codes 1..G, where the map depends on domains. block: rows
// at a time; NULL or 0 lets the core choose.
// [[Rcpp::export(rng = false)]]
SEXP feature_rows_(SEXP program, SEXP X, SEXP domain, SEXP threads, SEXP block = R_NilValue) {
  const Input input(program, X, domain, block);
  const domgen::Threads pool(threads);
  const domgen::ResultMatrix Z(input.X.rows(), input.map->dim());
  domgen::feature_rows(*input.map, input.X, input.domain(), input.block, Z.data(), pool);
  return Z;
}

// Z' [r x n]
// [[Rcpp::export(rng = false)]]
SEXP feature_columns_(SEXP program, SEXP X, SEXP domain, SEXP threads, SEXP block = R_NilValue) {
  const Input input(program, X, domain, block);
  const domgen::Threads pool(threads);
  const domgen::ResultMatrix Zt(input.map->dim(), input.X.rows());
  domgen::feature_columns(*input.map, input.X, input.domain(), input.block, Zt.data(), pool);
  return Zt;
}

// Z W [n x m]
// [[Rcpp::export(rng = false)]]
SEXP feature_apply_(SEXP program, SEXP X, SEXP domain, SEXP W, SEXP threads,
                    SEXP block = R_NilValue) {
  const Input input(program, X, domain, block);
  const auto w = domgen::matrix_with_rows(W, "W", input.map->dim());
  const domgen::Threads pool(threads);
  const domgen::ResultMatrix out(input.X.rows(), w.cols());
  domgen::feature_apply(*input.map, input.X, input.domain(), w, input.block, out.data(), pool);
  return out;
}

// cells: codes 1..n_cells; F [n x ry] or NULL; labelled: n non-negative weights
// or NULL; second: whether Z'Z is wanted.
// [[Rcpp::export(rng = false)]]
SEXP feature_moments_(SEXP program, SEXP X, SEXP domain, SEXP cells, SEXP n_cells, SEXP F,
                      SEXP labelled, SEXP threads, SEXP second, SEXP block = R_NilValue) {
  const Input input(program, X, domain, block);
  const Eigen::Index n = input.X.rows();
  const int size = domgen::whole(n_cells, "n_cells");
  const std::vector<int> cell = domgen::places(cells, "cells", size, n);
  domgen::MomentRequest request;
  request.cell = cell.data();
  request.cells = size;
  request.second = domgen::flag(second, "second");
  const bool responses = !Rf_isNull(F), weighted = !Rf_isNull(labelled);
  MatrixArgument response;
  if (responses) response = domgen::matrix_with_rows(F, "F", n);
  request.response = response;
  Eigen::VectorXd weights;
  if (weighted) weights = domgen::numbers(labelled, "labelled", n, 0);
  if (weighted) request.labelled = weights.data();
  const domgen::Threads pool(threads);
  const domgen::FeatureMoments moments =
      domgen::feature_moments(*input.map, input.X, input.domain(), request, input.block, pool);
  return domgen::named_list({{"n", double(n)},
                             {"second", moments.second, request.second},
                             {"sums", moments.sums},
                             {"counts", moments.counts},
                             {"cross", moments.cross, responses},
                             {"response_second", moments.response_second, responses},
                             {"response_sums", moments.response_sums, responses},
                             {"labelled_second", moments.labelled_second, weighted}});
}

// `wanted` rows of X [n x p] chosen by randomly pivoted Cholesky with R's random numbers, or fewer
// when no more than a negligible share of the kernel is left, or `share` of its trace: list(rows,
// factor L [rows x rows], features [rows x n] and `ones` rows of 1, where wanted, left: of the
// trace, in the mean over rows).
// [[Rcpp::export]]
SEXP feature_pivots_(SEXP program, SEXP X, SEXP kappa, SEXP domain, SEXP wanted, SEXP negligible,
                     SEXP share, SEXP features, SEXP ones, SEXP threads) {
  const auto x = domgen::filled_matrix(X, "X");
  const Eigen::Index n = x.rows();
  const domgen::KernelProgram kernel = domgen::read_program(program);
  const auto weights = domgen::read_weights(kappa, domain, n);
  const Eigen::Index most = std::min<Eigen::Index>(domgen::whole(wanted, "wanted"), n);
  const double least = domgen::number(negligible, "negligible", 0);
  const double little = domgen::number(share, "share", 0);
  const bool give = domgen::flag(features, "features");
  const Eigen::Index constants = domgen::whole(ones, "ones");
  const std::function<double()> uniform = [] { return unif_rand(); };
  const domgen::Threads pool(threads);
  domgen::RandomPivots pivots(kernel, x, weights, uniform, pool);
  std::vector<int> rows;
  for (const Eigen::Index row : pivots.draw(most, least, little))
    rows.push_back(static_cast<int>(row) + 1);
  const Eigen::Index size = pivots.rank() + constants;
  const domgen::ResultMatrix values(give ? size : 0, give ? n : 0);
  if (give) {
    pivots.features(values.data(), size);
    for (Eigen::Index i = 0; i < n; ++i)
      std::fill_n(values.data() + i * size + pivots.rank(), constants, 1.0);
  }
  const SEXP found = values;
  const Eigen::MatrixXd factor = pivots.factor();
  return domgen::named_list({{"rows", rows},
                             {"factor", factor},
                             {"features", found, give},
                             {"left", pivots.left() / double(n)}});
}

// Adds to the sums of groups, see group-moments.h: the matrices `second`, `cross` and `response` of
// the environment `sums`, changed in place where nobody else holds them. groups: codes 1..n_groups
// of the rows, ascending; weights: non-negative; F [n x m].
// [[Rcpp::export(rng = false)]]
void feature_group_moments_(SEXP program, SEXP X, SEXP domain, SEXP groups, SEXP weights, SEXP F,
                            SEXP n_groups, SEXP sums, SEXP threads, SEXP block = R_NilValue) {
  const Input input(program, X, domain, block);
  const Eigen::Index n = input.X.rows(), r = input.map->dim();
  const auto f = domgen::filled_matrix(F, "F");
  domgen::demand_length(f.rows(), n, "F", "rows");
  const Eigen::Index m = f.cols();
  const int size = domgen::whole(n_groups, "n_groups");
  const std::vector<int> group = domgen::places(groups, "groups", size, n);
  domgen::demand(std::is_sorted(group.begin(), group.end()), "groups", "be in order");
  const Eigen::VectorXd weight = domgen::numbers(weights, "weights", n, 0);
  const domgen::Threads pool(threads);
  const domgen::KeptMatrix second(sums, "second", r * r, size, true);
  const domgen::KeptMatrix cross(sums, "cross", r * m, size, true);
  const domgen::KeptMatrix response(sums, "response", m * m, size, true);
  domgen::GroupMoments moments{second.data(), cross.data(), response.data()};
  const domgen::GroupRequest request{group.data(), weight.data(), f};
  domgen::add_group_moments(*input.map, input.X, input.domain(), request, input.block, pool,
                            moments);
}

// The sum of the upper triangles of some groups, whole [r x r]; second: as feature_group_moments_()
// leaves it, which: numbers of groups.
// [[Rcpp::export(rng = false)]]
SEXP feature_group_sum_(SEXP second, SEXP dim, SEXP which) {
  const domgen::MatrixArgument all(second, "second");
  const Eigen::Index r = domgen::whole(dim, "dim", 1);
  domgen::demand_length(all.rows(), r * r, "second", "rows");
  const std::vector<int> groups = domgen::places(which, "which", all.cols());
  return domgen::for_r(domgen::sum_of_triangles(all.data(), r, groups));
}
