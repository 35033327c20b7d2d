// Vectors of doubles for the inner loops of the kernels, and the choice of the
// widest instruction set at run time. R compiles packages for the oldest
// processor, so every loop exists three times: 2, 4 and 8 doubles wide.
#ifndef DOMGEN_CORE_SIMD_VECTOR_H
#define DOMGEN_CORE_SIMD_VECTOR_H

#include "../linalg/assert.h"
#include "../linalg/exact-math.h"

#include <cstddef>
#include <cstdint>
#include <vector>

// A loop body can only be compiled for another instruction set when it is
// inlined into the function that asks for it.
#define DOMGEN_INLINE inline __attribute__((always_inline))

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define DOMGEN_WIDE_VECTORS
#endif

namespace domgen {

// W doubles, and W integers of the same size. Loads and stores of Vec are
// aligned to their size.
template <int W>
struct Simd {
  typedef double Vec __attribute__((vector_size(8 * W)));
  typedef std::uint64_t Int __attribute__((vector_size(8 * W)));

  static DOMGEN_INLINE Vec& at(double* x) {
    DOMGEN_EXPECT(reinterpret_cast<std::uintptr_t>(x) % sizeof(Vec) == 0);
    return *reinterpret_cast<Vec*>(x);
  }
  static DOMGEN_INLINE const Vec& at(const double* x) {
    DOMGEN_EXPECT(reinterpret_cast<std::uintptr_t>(x) % sizeof(Vec) == 0);
    return *reinterpret_cast<const Vec*>(x);
  }
};

#ifdef DOMGEN_WIDE_VECTORS
template <class Loop>
__attribute__((target("avx2,fma"), noinline)) void run_avx2(const Loop& loop) {
  loop.template run<4>();
}

template <class Loop>
__attribute__((target("avx512f,avx2,fma"), noinline)) void run_avx512(const Loop& loop) {
  loop.template run<8>();
}

inline int vector_width() {
  static const int width = !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ? 2
                           : __builtin_cpu_supports("avx512f")                               ? 8
                                                                                             : 4;
  return width;
}
#endif

// Runs loop.run<W>() with the widest vectors of this machine. Results are
// bitwise reproducible on one machine because the choice is made once.
template <class Loop>
void run_vectorised(const Loop& loop) {
#ifdef DOMGEN_WIDE_VECTORS
  if (vector_width() == 8) return run_avx512(loop);
  if (vector_width() == 4) return run_avx2(loop);
#endif
  loop.template run<2>();
}

// Zeroed doubles that start on a cache line.
class AlignedBuffer {
 public:
  explicit AlignedBuffer(std::size_t size = 0) : store_(size + 7, 0.0) {
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(store_.data());
    shift_ = (64 - address % 64) % 64 / sizeof(double);
  }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  AlignedBuffer(AlignedBuffer&&) = default;
  AlignedBuffer& operator=(AlignedBuffer&&) = default;

  double* data() { return store_.data() + shift_; }
  const double* data() const { return store_.data() + shift_; }

 private:
  std::vector<double> store_;
  std::size_t shift_;
};

}  // namespace domgen

#endif
