// Kernel matrices between rows, and their distances.
#include "core/kernel/median-distance.h"
#include "core/linalg/group-means.h"

#include "parallel.h"
#include "program.h"

// [[Rcpp::export(rng = false)]]
SEXP kernel_gram_(SEXP program, SEXP X, SEXP kappa, SEXP domain, SEXP threads) {
  const domgen::MatrixArgument x(X, "X");
  const auto kernel = domgen::read_kernel(program, x, x);
  const auto weights = domgen::read_weights(kappa, domain, x.rows());
  const domgen::Threads pool(threads);
  const domgen::ResultMatrix K(x.rows(), x.rows());
  domgen::gram_matrix(*kernel, weights, x.rows(), K.data(), pool);
  return K;
}

// [[Rcpp::export(rng = false)]]
SEXP kernel_cross_(SEXP program, SEXP X, SEXP Z, SEXP kappa, SEXP dx, SEXP dz, SEXP threads) {
  const domgen::MatrixArgument x(X, "X"), z(Z, "Z");
  const auto kernel = domgen::read_kernel(program, x, z);
  const auto weights = domgen::read_weights(kappa, dx, "dx", x.rows(), dz, "dz", z.rows());
  const domgen::Threads pool(threads);
  const domgen::ResultMatrix K(x.rows(), z.rows());
  domgen::cross_matrix(*kernel, weights, x.rows(), z.rows(), K.data(), pool);
  return K;
}

// [[Rcpp::export(rng = false)]]
SEXP kernel_apply_(SEXP program, SEXP X, SEXP Z, SEXP A, SEXP kappa, SEXP dx, SEXP dz,
                   SEXP threads) {
  const domgen::MatrixArgument x(X, "X"), z(Z, "Z");
  const auto a = domgen::matrix_with_rows(A, "A", z.rows());
  const auto kernel = domgen::read_kernel(program, x, z);
  const auto weights = domgen::read_weights(kappa, dx, "dx", x.rows(), dz, "dz", z.rows());
  const domgen::Threads pool(threads);
  const domgen::ResultMatrix out(x.rows(), a.cols());
  domgen::apply_kernel(*kernel, weights, x.rows(), a, out.data(), pool);
  return out;
}

// [[Rcpp::export(rng = false)]]
SEXP kernel_diag_(SEXP program, SEXP X) {
  const domgen::MatrixArgument x(X, "X");
  return domgen::for_r(domgen::read_kernel(program, x, x)->self(domgen::Side::x));
}

// sum_g |mean of group g - mean of these means|^2 / G of the columns of Z [r x n], for each
// grouping, a column of codes [n x B], 1..G.
// [[Rcpp::export(rng = false)]]
SEXP variance_of_means_(SEXP Z, SEXP codes, SEXP groups, SEXP threads) {
  const auto features = domgen::filled_matrix(Z, "Z");
  const Eigen::Index n = features.cols();
  const int most = domgen::whole(groups, "groups", 1);
  const auto shape = domgen::matrix_with_rows(codes, "codes", n);
  const std::vector<int> places = domgen::places(codes, "codes", most, n * shape.cols());
  const domgen::Threads pool(threads);
  return domgen::for_r(domgen::variance_of_means(features, places, most, pool));
}

// list(count [groups], mean, square [groups x p]), see core/linalg/group-means.h. groups: codes
// 1..n_groups of the rows.
// [[Rcpp::export(rng = false)]]
SEXP group_squares_(SEXP X, SEXP unit, SEXP weights, SEXP groups, SEXP n_groups) {
  const domgen::MatrixArgument x(X, "X");
  const Eigen::VectorXd units = domgen::numbers(unit, "unit", x.cols());
  const Eigen::VectorXd weight = domgen::numbers(weights, "weights", x.rows(), 0);
  const int size = domgen::whole(n_groups, "n_groups");
  const std::vector<int> codes = domgen::places(groups, "groups", size, x.rows());
  const domgen::GroupSquares found = domgen::group_squares(x, units, weight, codes, size);
  return domgen::named_list(
      {{"count", found.count}, {"mean", found.mean}, {"square", found.square}});
}

// [[Rcpp::export(rng = false)]]
SEXP median_distance_(SEXP X, SEXP rounding) {
  const domgen::MatrixArgument x(X, "X");
  return domgen::for_r(domgen::median_distance(x, domgen::number(rounding, "rounding", 0)));
}
