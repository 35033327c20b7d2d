// Room for the BLAS.
#include <Rcpp.h>

#include <vector>

#include "core/linalg/blas.h"

// A small product: OpenBLAS maps its buffer, of 128 MB, in the first call that needs one, and tries
// for ever where the process may have no more.
// [[Rcpp::export(rng = false)]]
void ready_blas_() {
  const int n = 48;
  const double one = 1, zero = 0;
  std::vector<double> a(n * n, 1.0), c(n * n, 0.0);
  dsyrk_("U", "N", &n, &n, &one, a.data(), &n, &zero, c.data(), &n, 1, 1);
}
