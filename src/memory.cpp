// Room for the BLAS.
#include "core/linalg/dense.h"

// A small product: OpenBLAS maps its buffer, of 128 MB, in the first call that needs one, and tries
// for ever where the process may have no more.
// [[Rcpp::export(rng = false)]]
void ready_blas_() {
  const Eigen::MatrixXd A = Eigen::MatrixXd::Ones(48, 48);
  Eigen::MatrixXd C(48, 48);
  domgen::set_square(domgen::Half::upper, C, A);
}
