// exp and sqrt on vectors, without branches and without calls.
#ifndef DOMGEN_CORE_SIMD_EXP_H
#define DOMGEN_CORE_SIMD_EXP_H

#include "vector.h"

#include <cmath>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace domgen {

// exp(x) = 2^n exp(r), n = round(x / log 2), |r| <= log(2) / 2, and
// exp(r) = 1 + r + r^2 q(r) with q of degree 9 (Chebyshev interpolation,
// error 2e-17). `shifted` keeps n in its low bits.
template <int W>
DOMGEN_INLINE void exp_parts(const typename Simd<W>::Vec& x, typename Simd<W>::Vec& shifted,
                             typename Simd<W>::Vec& power) {
  typedef typename Simd<W>::Vec Vec;
  // Adding 1.5 * 2^52 rounds to an integer.
  const double to_integer = 6755399441055744.0;
  shifted = x * 1.4426950408889634 + to_integer;
  const Vec n = shifted - to_integer;
  const Vec r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;

  // Even and odd powers apart: two short chains instead of a long one.
  const Vec r2 = r * r;
  Vec odd = r2 * 2.5100424157005067e-08 + 2.7557268378684192e-06;
  Vec even = r2 * 2.7620138719733994e-07 + 2.480152119021773e-05;
  odd = odd * r2 + 0.00019841269863105968;
  even = even * r2 + 0.0013888888917281794;
  odd = odd * r2 + 0.008333333333330051;
  even = even * r2 + 0.04166666666662399;
  odd = odd * r2 + 0.16666666666666669;
  even = even * r2 + 0.5;
  power = ((odd * r + even) * r2 + r) + 1.0;
}

// 2^k for the integer k in the low bits of each element
template <class Int>
DOMGEN_INLINE void power_of_two(Int& k) {
  const std::uint64_t one = 0x3FF0000000000000;
  k = (k << 52) + one;
}

// exp(x) with relative error below 4e-16 where the result is normal; 0 below
// -745.2, Inf above 709.8, NaN stays NaN.
template <int W>
DOMGEN_INLINE void exp_in_place(typename Simd<W>::Vec& x) {
  typedef typename Simd<W>::Vec Vec;
  typedef typename Simd<W>::Int Int;
  const Vec bound = Vec{} + 750.0;
  x = x < -bound ? -bound : x;
  x = x > bound ? bound : x;
  Vec shifted, power;
  exp_parts<W>(x, shifted, power);

  // 2^n in two factors, because 2^n alone leaves the range before the product does.
  const Vec halved = (shifted - 6755399441055744.0) * 0.5 + 6755399441055744.0;
  Int first = reinterpret_cast<Int>(halved);
  Int second = reinterpret_cast<Int>(shifted) - first;
  power_of_two(first);
  power_of_two(second);
  x = power * reinterpret_cast<Vec>(first) * reinterpret_cast<Vec>(second);
}

// The same for x <= 0, with fewer steps.
template <int W>
DOMGEN_INLINE void exp_negative_in_place(typename Simd<W>::Vec& x) {
  typedef typename Simd<W>::Vec Vec;
  typedef typename Simd<W>::Int Int;
  const Vec bound = Vec{} - 750.0;
  x = x < bound ? bound : x;
  Vec shifted, power;
  exp_parts<W>(x, shifted, power);

  // 2^(n + 64) is normal; the last product rounds into the subnormal numbers.
  Int scale = reinterpret_cast<Int>(shifted) + std::uint64_t(64);
  power_of_two(scale);
  x = power * reinterpret_cast<Vec>(scale) * 5.421010862427522e-20;
}

// sqrt(x) for x >= 0; x above 1e300 counts as 1e300. By its instruction, because with R's compiler
// flags sqrt() sets errno, which keeps it scalar.
template <int W>
DOMGEN_INLINE void root_in_place(typename Simd<W>::Vec& x) {
  for (int i = 0; i < W; ++i) x[i] = std::sqrt(x[i]);
}

#if defined(__SSE2__)
template <>
DOMGEN_INLINE void root_in_place<2>(Simd<2>::Vec& x) {
  x = _mm_sqrt_pd(x);
}
#endif

#ifdef DOMGEN_WIDE_VECTORS
template <>
DOMGEN_INLINE void root_in_place<4>(Simd<4>::Vec& x) {
  __asm__("vsqrtpd %0, %0" : "+x"(x));
}
template <>
DOMGEN_INLINE void root_in_place<8>(Simd<8>::Vec& x) {
  __asm__("vsqrtpd %0, %0" : "+x"(x));
}
#endif

template <int W>
DOMGEN_INLINE void sqrt_in_place(typename Simd<W>::Vec& x) {
  typedef typename Simd<W>::Vec Vec;
  const Vec largest = Vec{} + 1e300;
  x = x > largest ? largest : x;
  root_in_place<W>(x);
}

}  // namespace domgen

#endif
