// Feature maps: read the program, walk over the rows in blocks.
#include <memory>

#include "core/feature/fourier.h"
#include "core/feature/group-moments.h"
#include "core/feature/landmarks.h"
#include "core/feature/moments.h"
#include "core/feature/product.h"
#include "core/feature/random-pivots.h"
#include "large_matrix.h"
#include "parallel.h"
#include "program.h"

namespace {

using Map = domgen::FeatureMap;

void check_columns(Eigen::Index have, Eigen::Index need) {
  if (have != need) throw std::invalid_argument("X and the feature map differ in columns");
}

std::unique_ptr<Map> read_landmarks(const Rcpp::List& program, Eigen::Index columns) {
  const domgen::MatrixView S = domgen::matrix_of(program, "landmarks");
  check_columns(columns, S.cols());
  domgen::DomainWeights weights;
  weights.kappa = domgen::matrix_of(program, "kappa");
  if (!weights.empty()) {
    weights.x = domgen::read_domains(program["landmark_domain"], S.rows(), weights.kappa.rows());
  }
  return std::unique_ptr<Map>(new domgen::LandmarkMap(
      domgen::read_program(program["kernel"]), S, domgen::matrix_of(program, "factor"), weights));
}

std::unique_ptr<Map> read_fourier(const Rcpp::List& program, Eigen::Index columns) {
  const domgen::MatrixView frequencies = domgen::matrix_of(program, "frequencies");
  check_columns(columns, frequencies.rows());
  Eigen::VectorXd centre = Eigen::VectorXd::Zero(columns);
  if (domgen::has(program, "centre")) centre = domgen::read<Eigen::VectorXd>(program, "centre");
  return std::unique_ptr<Map>(
      new domgen::FourierMap(frequencies, domgen::matrix_of(program, "offset"), centre));
}

// The program must outlive the map, which points into its matrices.
std::unique_ptr<Map> read_map(const Rcpp::List& program, Eigen::Index columns) {
  const std::string type = Rcpp::as<std::string>(program["type"]);
  if (type == "landmarks") return read_landmarks(program, columns);
  if (type == "fourier") return read_fourier(program, columns);
  if (type == "product") {
    return std::unique_ptr<Map>(new domgen::ProductMap(read_map(program["x"], columns),
                                                       domgen::matrix_of(program, "table")));
  }
  throw std::invalid_argument("unknown feature map: " + type);
}

// A map and the rows it is to be evaluated on.
struct Input {
  std::unique_ptr<Map> map;
  domgen::MatrixView X;
  std::vector<int> codes;

  Input(const Rcpp::List& program, const Rcpp::NumericMatrix& rows,
        const Rcpp::Nullable<Rcpp::IntegerVector>& domain)
      : map(read_map(program, rows.ncol())), X(domgen::view(rows)) {
    if (map->domains() == 0) return;
    if (domain.isNull()) throw std::invalid_argument("the feature map needs domain codes");
    codes = domgen::read_domains(Rcpp::IntegerVector(domain.get()), rows.nrow(), map->domains());
  }

  const int* domain() const { return codes.empty() ? nullptr : codes.data(); }
};

}  // namespace

// Z [n x r]. domain: codes 1..G, where the map depends on domains. block: rows
// at a time; 0 lets the core choose.
// [[Rcpp::export]]
Rcpp::NumericMatrix feature_rows_(Rcpp::List program, Rcpp::NumericMatrix X,
                                  Rcpp::Nullable<Rcpp::IntegerVector> domain, int threads,
                                  int block = 0) {
  Input input(program, X, domain);
  Rcpp::NumericMatrix Z = domgen::large_matrix(X.nrow(), input.map->dim());
  domgen::feature_rows(*input.map, input.X, input.domain(), block, Z.begin(),
                       domgen::Threads(threads));
  return Z;
}

// Z' [r x n]
// [[Rcpp::export]]
Rcpp::NumericMatrix feature_columns_(Rcpp::List program, Rcpp::NumericMatrix X,
                                     Rcpp::Nullable<Rcpp::IntegerVector> domain, int threads,
                                     int block = 0) {
  Input input(program, X, domain);
  Rcpp::NumericMatrix Zt = domgen::large_matrix(input.map->dim(), X.nrow());
  domgen::feature_columns(*input.map, input.X, input.domain(), block, Zt.begin(),
                          domgen::Threads(threads));
  return Zt;
}

// Z W [n x m]
// [[Rcpp::export]]
Rcpp::NumericMatrix feature_apply_(Rcpp::List program, Rcpp::NumericMatrix X,
                                   Rcpp::Nullable<Rcpp::IntegerVector> domain,
                                   Rcpp::NumericMatrix W, int threads, int block = 0) {
  Input input(program, X, domain);
  if (W.nrow() != input.map->dim()) Rcpp::stop("W must have one row per feature");
  Rcpp::NumericMatrix out(Rcpp::no_init(X.nrow(), W.ncol()));
  domgen::feature_apply(*input.map, input.X, input.domain(), domgen::view(W), block, out.begin(),
                        domgen::Threads(threads));
  return out;
}

// cells: codes 1..n_cells; F [n x ry] or NULL; labelled: n non-negative weights
// or NULL; second: whether Z'Z is wanted.
// [[Rcpp::export]]
Rcpp::List feature_moments_(Rcpp::List program, Rcpp::NumericMatrix X,
                            Rcpp::Nullable<Rcpp::IntegerVector> domain, Rcpp::IntegerVector cells,
                            int n_cells, Rcpp::Nullable<Rcpp::NumericMatrix> F,
                            Rcpp::Nullable<Rcpp::NumericVector> labelled, int threads,
                            bool second = true, int block = 0) {
  Input input(program, X, domain);
  const std::vector<int> cell = domgen::read_domains(cells, X.nrow(), n_cells);
  domgen::MomentRequest request;
  request.cell = cell.data();
  request.cells = n_cells;
  request.second = second;
  Rcpp::NumericMatrix response;
  if (F.isNotNull()) {
    response = Rcpp::NumericMatrix(F.get());
    if (response.nrow() != X.nrow()) Rcpp::stop("F must have one row per row of X");
    request.response = domgen::view(response);
  }
  Rcpp::NumericVector weights;
  if (labelled.isNotNull()) {
    weights = Rcpp::NumericVector(labelled.get());
    if (weights.size() != X.nrow()) Rcpp::stop("labelled must have one weight per row of X");
    for (double weight : weights) {
      if (!(weight >= 0)) Rcpp::stop("labelled must not be negative");
    }
    request.labelled = weights.begin();
  }
  const domgen::FeatureMoments moments = domgen::feature_moments(
      *input.map, input.X, input.domain(), request, block, domgen::Threads(threads));

  const auto given = [](bool wanted, const Rcpp::RObject& value) {
    return wanted ? value : Rcpp::RObject(R_NilValue);
  };
  return Rcpp::List::create(
      Rcpp::_["n"] = double(X.nrow()),
      Rcpp::_["second"] = given(second, Rcpp::wrap(moments.second)), Rcpp::_["sums"] = moments.sums,
      Rcpp::_["counts"] = moments.counts,
      Rcpp::_["cross"] = given(F.isNotNull(), Rcpp::wrap(moments.cross)),
      Rcpp::_["response_second"] = given(F.isNotNull(), Rcpp::wrap(moments.response_second)),
      Rcpp::_["response_sums"] = given(F.isNotNull(), Rcpp::wrap(moments.response_sums)),
      Rcpp::_["labelled_second"] =
          given(labelled.isNotNull(), Rcpp::wrap(moments.labelled_second)));
}

// `wanted` rows of X [n x p] chosen by randomly pivoted Cholesky with R's random
// numbers, or fewer when no more than a negligible share of the kernel is left.
// [[Rcpp::export]]
Rcpp::IntegerVector feature_pivots_(Rcpp::List program, Rcpp::NumericMatrix X,
                                    Rcpp::Nullable<Rcpp::NumericMatrix> kappa,
                                    Rcpp::Nullable<Rcpp::IntegerVector> domain, int wanted,
                                    double negligible, int threads) {
  const domgen::KernelProgram kernel = domgen::read_program(program);
  const auto weights = domgen::read_weights(kappa, domain, X.nrow(), domain, X.nrow());
  const std::function<double()> uniform = [] { return unif_rand(); };
  const domgen::Threads pool(threads);
  domgen::RandomPivots pivots(kernel, domgen::view(X), weights, uniform, pool);
  const std::vector<Eigen::Index> rows = pivots.draw(wanted, negligible);
  return Rcpp::IntegerVector(rows.begin(), rows.end()) + 1;
}

// Adds to the sums of groups, see group-moments.h, which are changed in place: nobody else may hold
// them. groups: codes 1..n_groups of the rows, ascending; weights: non-negative; F [n x m].
// [[Rcpp::export]]
void feature_group_moments_(Rcpp::List program, Rcpp::NumericMatrix X,
                            Rcpp::Nullable<Rcpp::IntegerVector> domain, Rcpp::IntegerVector groups,
                            Rcpp::NumericVector weights, Rcpp::NumericMatrix F,
                            Rcpp::NumericMatrix second, Rcpp::NumericMatrix cross,
                            Rcpp::NumericMatrix response, int threads, int block = 0) {
  Input input(program, X, domain);
  const Eigen::Index r = input.map->dim(), m = F.ncol(), n_groups = second.ncol();
  const std::vector<int> group = domgen::read_domains(groups, X.nrow(), n_groups);
  if (!std::is_sorted(group.begin(), group.end())) Rcpp::stop("groups must be in order");
  if (F.nrow() != X.nrow() || weights.size() != X.nrow()) Rcpp::stop("one weight is needed a row");
  if (second.nrow() != r * r || cross.nrow() != r * m || response.nrow() != m * m ||
      cross.ncol() != n_groups || response.ncol() != n_groups) {
    Rcpp::stop("sums of another shape");
  }
  domgen::GroupMoments sums{second.begin(), cross.begin(), response.begin()};
  const domgen::GroupRequest request{group.data(), weights.begin(), domgen::view(F)};
  domgen::add_group_moments(*input.map, input.X, input.domain(), request, block,
                            domgen::Threads(threads), sums);
}
