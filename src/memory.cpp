// The BLAS that R was given: room for it, and the processor that it takes this one for.
#if !defined(_WIN32)
#include <dlfcn.h>
#endif

#include "core/linalg/dense.h"

#include "results.h"

namespace {

bool has_avx2() {
#if defined(__x86_64__) && defined(__GNUC__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

// Of an OpenBLAS the name of the kernels that it took; no other BLAS has the function.
const char* openblas_kernels() {
#if !defined(_WIN32)
  if (void* const found = dlsym(RTLD_DEFAULT, "openblas_get_corename"))
    return reinterpret_cast<const char* (*)()>(found)();
#endif
  return "";
}

}  // namespace

// A small product: OpenBLAS maps its buffer, of 128 MB, in the first call that needs one, and tries
// for ever where the process may have no more.
// [[Rcpp::export(rng = false)]]
void ready_blas_() {
  const Eigen::MatrixXd A = Eigen::MatrixXd::Ones(48, 48);
  Eigen::MatrixXd C(48, 48);
  domgen::set_square(domgen::Half::upper, C, A);
}

// The kernels of an OpenBLAS, "" of another BLAS and where the processor has no AVX2.
// [[Rcpp::export(rng = false)]]
SEXP blas_kernels_() {
  const char* const kernels = has_avx2() ? openblas_kernels() : "";
  return domgen::protected_call([&] { return Rf_mkString(kernels); });
}
