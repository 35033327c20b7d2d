// cos and sin on vectors, without branches and without calls.
#ifndef DOMGEN_CORE_SIMD_SINCOS_H
#define DOMGEN_CORE_SIMD_SINCOS_H

#include "vector.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace domgen {

// Up to here the reduction below loses nothing: n fits into 20 bits, and n times
// a number of 33 bits is exact.
constexpr double sincos_limit = 8e5;

// x = n pi/2 + r, n = round(x / (pi/2)), |r| <= pi/4, with pi/2 in two parts (Cody
// and Waite); sin(r) = r + r^3 S(r^2) and cos(r) = 1 - r^2/2 + r^4 C(r^2), with S
// and C of degree 5 (Chebyshev interpolation, errors 2e-17 and 1e-18). The
// quarter n mod 4 decides which is which and the signs. Absolute error below
// 4e-16 for |x| <= sincos_limit.
template <int W>
DOMGEN_INLINE void sincos(const typename Simd<W>::Vec& x, typename Simd<W>::Vec& cosine,
                          typename Simd<W>::Vec& sine) {
  typedef typename Simd<W>::Vec Vec;
  typedef typename Simd<W>::Int Int;
  // Adding 1.5 * 2^52 rounds to an integer, which is then in the low bits.
  const double to_integer = 6755399441055744.0;
  const Vec shifted = x * 0.6366197723675814 + to_integer;
  const Vec n = shifted - to_integer;
  const Vec r = (x - n * 1.5707963267341256) - n * 6.077100506506192e-11;

  const Vec t = r * r;
  Vec s = t * 1.5918126488531496e-10 + -2.5051131806051286e-08;
  Vec c = t * -1.1382630669902987e-11 + 2.0876146244035124e-09;
  s = s * t + 2.755731610236554e-06;
  c = c * t + -2.755731727161287e-07;
  s = s * t + -0.00019841269836758213;
  c = c * t + 2.4801587298765462e-05;
  s = s * t + 0.008333333333330948;
  c = c * t + -0.0013888888888887398;
  s = s * t + -0.16666666666666666;
  c = c * t + 0.041666666666666664;
  s = s * (t * r) + r;
  c = (c * t - 0.5) * t + 1.0;

  const Int quarter = reinterpret_cast<Int>(shifted);
  const Int zero = Int{};
  const Int swapped = zero - (quarter & 1);
  const Int s_bits = reinterpret_cast<Int>(s), c_bits = reinterpret_cast<Int>(c);
  const Int sine_sign = (quarter & 2) << 62, cosine_sign = ((quarter + 1) & 2) << 62;
  const Int sine_bits = ((s_bits & ~swapped) | (c_bits & swapped)) ^ sine_sign;
  const Int cosine_bits = ((c_bits & ~swapped) | (s_bits & swapped)) ^ cosine_sign;
  sine = reinterpret_cast<Vec>(sine_bits);
  cosine = reinterpret_cast<Vec>(cosine_bits);
}

// cosines[i] = scale cos(angles[i] + shifts[i]), sines[i] likewise, for aligned
// arrays of whole cache lines. outside: 8 numbers on a cache line, one of them
// with its highest bit set afterwards if an angle was beyond the limit or not a number.
struct SinCosLoop {
  const double* angles;
  const double* shifts;
  std::ptrdiff_t size;
  double scale;
  double *cosines, *sines;
  std::uint64_t* outside;

  template <int W>
  DOMGEN_INLINE void run() const {
    typedef typename Simd<W>::Vec Vec;
    typedef typename Simd<W>::Int Int;
    // Without the sign, doubles are ordered as their bits are, NaN above all; the difference of
    // smaller bits wraps around. GCC 12 makes eight scalar comparisons of one of eight numbers.
    const Int limit = reinterpret_cast<Int>(Vec{} + sincos_limit);
    const Int size_bits = Int{} + (~std::uint64_t(0) >> 1);
    Int beyond = Int{};
    for (std::ptrdiff_t i = 0; i < size; i += W) {
      const Vec x = Simd<W>::at(angles + i) + Simd<W>::at(shifts + i);
      Vec c, s;
      sincos<W>(x, c, s);
      Simd<W>::at(cosines + i) = scale * c;
      Simd<W>::at(sines + i) = scale * s;
      beyond |= limit - (reinterpret_cast<Int>(x) & size_bits);
    }
    *reinterpret_cast<Int*>(outside) = beyond;
  }
};

// The same for every angle: those beyond the limit by the functions of the
// standard library, which give NaN for what is not finite.
inline void scaled_sincos(const double* angles, const double* shifts, std::ptrdiff_t size,
                          double scale, double* cosines, double* sines) {
  alignas(64) std::uint64_t outside[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  run_vectorised(SinCosLoop{angles, shifts, size, scale, cosines, sines, outside});
  std::uint64_t beyond = 0;
  for (const std::uint64_t bits : outside) beyond |= bits;
  if (beyond >> 63 == 0) return;
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    const double x = angles[i] + shifts[i];
    if (std::fabs(x) <= sincos_limit) continue;
    cosines[i] = scale * std::cos(x);
    sines[i] = scale * std::sin(x);
  }
}

}  // namespace domgen

#endif
