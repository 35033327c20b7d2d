// Large pages for large memory: the first touch of fresh memory in pages of 4 kB takes longer than
// computing a kernel value.
#ifndef DOMGEN_CORE_LINALG_LARGE_PAGES_H
#define DOMGEN_CORE_LINALG_LARGE_PAGES_H

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace domgen {

// Before the memory is touched. Linux is free to refuse, others are not asked.
inline void advise_large_pages(double* data, std::ptrdiff_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const std::uintptr_t page = std::uintptr_t(1) << 21;
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t begin = (address + page - 1) / page * page;
  const std::uintptr_t end =
      (address + static_cast<std::uintptr_t>(size) * sizeof(double)) / page * page;
  if (end > begin)
    madvise(reinterpret_cast<char*>(data) + (begin - address), end - begin, MADV_HUGEPAGE);
#else
  static_cast<void>(data);
  static_cast<void>(size);
#endif
}

}  // namespace domgen

#endif
