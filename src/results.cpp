// The only unit that asks Rcpp to stop a jump of R.
#include "results.h"

#include <Rcpp/Light>

SEXP domgen::without_jump(SEXP (*call)(void*), void* data) {
  return Rcpp::unwindProtect(call, data);
}
