// The n x n matrices of R that a solver may overwrite.
#ifndef DOMGEN_GRAM_ARGUMENT_H
#define DOMGEN_GRAM_ARGUMENT_H

#include <Rcpp.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "core/linalg/gram-buffer.h"
#include "large_matrix.h"

namespace domgen {

// R counts who holds an object. A temporary of the call has one reference, the call's own, and its
// memory is taken; whatever may have another name, a place in a list or a closure that keeps it is
// copied. R counts too many rather than too few, so that a copy may be made for nothing, but no
// matrix changes that somebody still sees. (SEXP, because Rcpp's classes are references too.)
class GramArgument {
 public:
  explicit GramArgument(SEXP K) : rows_(checked_rows(K)), matrix_(own(K)) {}

  Eigen::Index rows() const { return rows_; }
  // What the memory holds, during and after the work of who took it.
  Rcpp::NumericMatrix matrix() const { return *matrix_; }
  GramBuffer take() { return GramBuffer(matrix_->begin(), rows_, matrix_); }

 private:
  R_xlen_t rows_;
  std::shared_ptr<Rcpp::NumericMatrix> matrix_;

  static R_xlen_t checked_rows(SEXP K) {
    if (TYPEOF(K) != REALSXP || !Rf_isMatrix(K) || Rf_nrows(K) != Rf_ncols(K))
      throw std::invalid_argument("a square matrix of doubles is needed");
    return Rf_nrows(K);
  }

  static std::shared_ptr<Rcpp::NumericMatrix> own(SEXP K) {
    if (!MAYBE_SHARED(K)) return std::make_shared<Rcpp::NumericMatrix>(K);
    auto copy = std::make_shared<Rcpp::NumericMatrix>(large_matrix(Rf_nrows(K), Rf_ncols(K)));
    std::copy(REAL(K), REAL(K) + Rf_xlength(K), copy->begin());
    return copy;
  }
};

// The matrix `A` [n x n] of an environment that keeps it from call to call: its own memory where
// nothing else refers to it, else new memory in its place, with what A held where that is `wanted`.
inline Rcpp::NumericMatrix kept_matrix(Rcpp::Environment& memory, R_xlen_t n, bool wanted) {
  const SEXP A = memory.get("A");
  const bool fits = TYPEOF(A) == REALSXP && Rf_isMatrix(A) && Rf_nrows(A) == n && Rf_ncols(A) == n;
  if (wanted && !fits) throw std::invalid_argument("A must be n x n");
  if (fits && !MAYBE_SHARED(A)) return Rcpp::NumericMatrix(A);
  Rcpp::NumericMatrix fresh = large_matrix(n, n);
  if (wanted) std::copy(REAL(A), REAL(A) + Rf_xlength(A), fresh.begin());
  memory.assign("A", fresh);
  return fresh;
}

}  // namespace domgen

#endif
