// Sums over pairs of rows, weighted.
#include "core/kernel/pair-sums.h"

#include "parallel.h"
#include "program.h"

// Sums over pairs of rows with the weights W = (left right' + right left') / 2, left and
// right [n x k]: sum_ij W_ij kappa_ij rate_ij ((x_ik - x_jk) inv_k)^2 for each predictor.
// rate: program of a kernel's rate, see core/kernel/profile.h; inv: 1 / sigma.
// [[Rcpp::export(rng = false)]]
SEXP pair_slopes_(SEXP left, SEXP right, SEXP rate, SEXP inv, SEXP X, SEXP kappa, SEXP domain,
                  SEXP threads) {
  const auto x = domgen::filled_matrix(X, "X");
  const Eigen::Index n = x.rows();
  const auto a = domgen::matrix_with_rows(left, "left", n);
  const domgen::MatrixArgument b(right, "right", n, a.cols());
  const domgen::Rows scaled(x, domgen::column_means(x), domgen::numbers(inv, "inv", x.cols()));
  const auto weights = domgen::read_weights(kappa, domain, n);
  const auto kernel = domgen::read_kernel(rate, x, x);
  const domgen::PairWeights pairs(a, b);
  const domgen::Threads pool(threads);
  return domgen::for_r(domgen::PairSums(pairs, pool).by_predictor(*kernel, weights, scaled));
}

// sum_ij W_ij k_ij over the rows i of domain g and j of h, [G x G].
// [[Rcpp::export(rng = false)]]
SEXP pair_cells_(SEXP left, SEXP right, SEXP program, SEXP X, SEXP domain, SEXP domains,
                 SEXP threads) {
  const auto x = domgen::filled_matrix(X, "X");
  const Eigen::Index n = x.rows();
  const auto a = domgen::matrix_with_rows(left, "left", n);
  const domgen::MatrixArgument b(right, "right", n, a.cols());
  const int G = domgen::whole(domains, "domains", 1);
  const std::vector<int> codes = domgen::places(domain, "domain", G, n);
  const auto kernel = domgen::read_kernel(program, x, x);
  const domgen::PairWeights pairs(a, b);
  const domgen::Threads pool(threads);
  return domgen::for_r(domgen::PairSums(pairs, pool).by_domains(*kernel, codes, G));
}
