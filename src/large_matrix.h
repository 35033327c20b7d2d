// R matrices for results that the worker threads fill.
#ifndef DOMGEN_LARGE_MATRIX_H
#define DOMGEN_LARGE_MATRIX_H

#include <Rcpp.h>

#include "core/linalg/large-pages.h"

namespace domgen {

// Not initialised.
inline Rcpp::NumericMatrix large_matrix(R_xlen_t rows, R_xlen_t cols) {
  Rcpp::NumericMatrix result(Rcpp::no_init(rows, cols));
  advise_large_pages(result.begin(), result.size());
  return result;
}

}  // namespace domgen

#endif
