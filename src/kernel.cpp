// Kernel matrices between rows.
#include "large_matrix.h"
#include "parallel.h"
#include "program.h"

// [[Rcpp::export]]
Rcpp::NumericMatrix kernel_gram_(Rcpp::List program, Rcpp::NumericMatrix X,
                                 Rcpp::Nullable<Rcpp::NumericMatrix> kappa,
                                 Rcpp::Nullable<Rcpp::IntegerVector> domain, int threads) {
  const auto kernel = domgen::read_kernel(program, X, X);
  const auto weights = domgen::read_weights(kappa, domain, X.nrow(), domain, X.nrow());
  Rcpp::NumericMatrix K = domgen::large_matrix(X.nrow(), X.nrow());
  domgen::gram_matrix(*kernel, weights, X.nrow(), K.begin(), domgen::Threads(threads));
  return K;
}

// [[Rcpp::export]]
Rcpp::NumericMatrix kernel_cross_(Rcpp::List program, Rcpp::NumericMatrix X, Rcpp::NumericMatrix Z,
                                  Rcpp::Nullable<Rcpp::NumericMatrix> kappa,
                                  Rcpp::Nullable<Rcpp::IntegerVector> dx,
                                  Rcpp::Nullable<Rcpp::IntegerVector> dz, int threads) {
  const auto kernel = domgen::read_kernel(program, X, Z);
  const auto weights = domgen::read_weights(kappa, dx, X.nrow(), dz, Z.nrow());
  Rcpp::NumericMatrix K = domgen::large_matrix(X.nrow(), Z.nrow());
  domgen::cross_matrix(*kernel, weights, X.nrow(), Z.nrow(), K.begin(), domgen::Threads(threads));
  return K;
}

// [[Rcpp::export]]
Rcpp::NumericMatrix kernel_apply_(Rcpp::List program, Rcpp::NumericMatrix X, Rcpp::NumericMatrix Z,
                                  Rcpp::NumericMatrix A, Rcpp::Nullable<Rcpp::NumericMatrix> kappa,
                                  Rcpp::Nullable<Rcpp::IntegerVector> dx,
                                  Rcpp::Nullable<Rcpp::IntegerVector> dz, int threads) {
  if (A.nrow() != Z.nrow()) throw std::invalid_argument("A must have one row per row of Z");
  const auto kernel = domgen::read_kernel(program, X, Z);
  const auto weights = domgen::read_weights(kappa, dx, X.nrow(), dz, Z.nrow());
  Rcpp::NumericMatrix out(Rcpp::no_init(X.nrow(), A.ncol()));
  domgen::apply_kernel(*kernel, weights, X.nrow(), domgen::view(A), out.begin(),
                       domgen::Threads(threads));
  return out;
}

// [[Rcpp::export]]
Eigen::VectorXd kernel_diag_(Rcpp::List program, Rcpp::NumericMatrix X) {
  return domgen::read_kernel(program, X, X)->self(domgen::Side::x);
}
