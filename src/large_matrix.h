// R matrices for results that the worker threads fill.
#ifndef DOMGEN_LARGE_MATRIX_H
#define DOMGEN_LARGE_MATRIX_H

#include <Rcpp.h>

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace domgen {

// Not initialised. The first touch of fresh memory in pages of 4 kB takes
// longer than computing a kernel value, so Linux is asked for large pages; it
// is free to refuse.
inline Rcpp::NumericMatrix large_matrix(R_xlen_t rows, R_xlen_t cols) {
  Rcpp::NumericMatrix result(Rcpp::no_init(rows, cols));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const std::uintptr_t page = std::uintptr_t(1) << 21;
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(result.begin());
  const std::uintptr_t begin = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + result.size() * sizeof(double)) / page * page;
  if (end > begin + 4 * page) {
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  }
#endif
  return result;
}

}  // namespace domgen

#endif
