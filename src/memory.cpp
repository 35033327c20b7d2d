// The BLAS that R was given: room for it, and the processor that it takes this one for.
#if !defined(_WIN32)
#include <dlfcn.h>
#endif

#include <set>
#include <string>

#include "core/linalg/dense.h"

#include "arguments.h"
#include "results.h"

namespace {

bool has_avx2() {
#if defined(__x86_64__) && defined(__GNUC__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

// What OpenBLAS calls its kernels for processors without AVX2.
bool are_old(const std::string& kernels) {
  static const std::set<std::string> old = {
      "Atom",         "Banias",     "Barcelona",   "Bobcat",     "Bulldozer",
      "Core2",        "Dunnington", "Generic",     "Katmai",     "Nano",
      "Nehalem",      "Northwood",  "Opteron",     "Penryn",     "Prescott",
      "Opteron_SSE3", "Piledriver", "Sandybridge", "Steamroller"};
  return old.count(kernels) > 0;
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

// The kernels of an OpenBLAS that takes a processor with AVX2 for an older one, else "". kernels:
// others in the place of those that it has.
// [[Rcpp::export(rng = false)]]
SEXP old_blas_kernels_(SEXP kernels = R_NilValue) {
  const std::string taken =
      Rf_isNull(kernels) ? openblas_kernels() : domgen::text(kernels, "kernels");
  const bool old = has_avx2() && are_old(taken);
  return domgen::protected_call([&] { return Rf_mkString(old ? taken.c_str() : ""); });
}
