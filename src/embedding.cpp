// Inner products of the mean embeddings of domains.
#include "core/kernel/embedding.h"

#include "parallel.h"
#include "program.h"

// [[Rcpp::export]]
Eigen::MatrixXd kernel_means_(Rcpp::List program, Rcpp::NumericMatrix X, Rcpp::IntegerVector dx,
                              int Gx, Rcpp::Nullable<Rcpp::NumericMatrix> Z,
                              Rcpp::Nullable<Rcpp::IntegerVector> dz, int Gz, int threads) {
  const bool same = Z.isNull();
  const Rcpp::NumericMatrix other(same ? static_cast<SEXP>(X) : Z.get());
  domgen::DomainRows rows{
      X.nrow(), other.nrow(), domgen::read_domains(dx, X.nrow(), Gx), {}, Gx, same ? Gx : Gz, same};
  if (!same && dz.isNull()) throw std::invalid_argument("Z needs domain codes");
  rows.z = same ? rows.x : domgen::read_domains(Rcpp::IntegerVector(dz.get()), other.nrow(), Gz);
  const auto kernel = domgen::read_kernel(program, X, other);
  const domgen::Threads pool(threads);
  return domgen::MeanEmbeddings(*kernel, rows, pool).means();
}
