// Reads the lists that R hands over.
#ifndef DOMGEN_LIST_H
#define DOMGEN_LIST_H

#include <RcppEigen.h>

#include <stdexcept>
#include <string>

#include "core/linalg/view.h"

namespace domgen {

inline MatrixView view(const Rcpp::NumericMatrix& x) {
  return MatrixView(x.begin(), x.nrow(), x.ncol());
}

inline bool has(const Rcpp::List& list, const char* name) {
  return list.containsElementNamed(name) && !Rf_isNull(list[name]);
}

template <class T>
T read(const Rcpp::List& list, const char* name) {
  if (!has(list, name)) Rcpp::stop("the element %s is missing", name);
  return Rcpp::as<T>(list[name]);
}

// A view into a list's matrix of doubles, or an empty one where there is none.
inline MatrixView matrix_of(const Rcpp::List& list, const char* name) {
  if (!has(list, name)) return MatrixView();
  const SEXP x = list[name];
  if (TYPEOF(x) != REALSXP) throw std::invalid_argument(std::string(name) + " must be of doubles");
  return MatrixView(REAL(x), Rf_nrows(x), Rf_ncols(x));
}

}  // namespace domgen

#endif
