// The kernels, a struct each: k as a function of the squared distance
// d = |(x - z) * inv|^2 (stationary) or of the inner product s = <x, z>.
// A new kernel is a struct here and a name in build() of tree.h; its value is 1 at 0 and, where it
// decreases to 0, exactly 0 at infinity, which d may be. As kernels the rates and
// slopes have tiles only: what self() says of them is not their diagonal.
#ifndef DOMGEN_CORE_KERNEL_PROFILE_H
#define DOMGEN_CORE_KERNEL_PROFILE_H

#include "../simd/exp.h"

namespace domgen {

// Kernels of the distance: the value, and rate = -2 dk/dd, of which the derivatives in the
// bandwidths are made. With d_j = ((x_j - z_j) / sigma_j)^2 and d = sum_j d_j,
//   dk / d log sigma_j = rate(d) d_j  for one bandwidth per predictor,
//   dk / d log sigma   = rate(d) d    for a common one.
//
// Whether |x|^2 + |z|^2 - 2 <x, z> may serve as the distance where its rounding
// error is small. exp(-r) has a kink at 0 and needs small distances exactly.
enum class Distance { any, exact };

// exp(-d / 2)
struct Rbf {
  static constexpr Distance distance() { return Distance::any; }
  template <int W, class Vec>
  static DOMGEN_INLINE void value(Vec& d) {
    d = -0.5 * d;
    exp_negative_in_place<W>(d);
  }
  template <int W, class Vec>
  static DOMGEN_INLINE void rate(Vec& d) {
    value<W>(d);
  }
};

// exp(-r), r = sqrt(d): also the Matern kernel of smoothness 1/2. The rate exp(-r) / r is
// infinite at 0, where it is multiplied by d_j <= d: no product is wrong by more than the
// bound on r.
struct Laplace {
  static constexpr Distance distance() { return Distance::exact; }
  template <int W, class Vec>
  static DOMGEN_INLINE void value(Vec& d) {
    sqrt_in_place<W>(d);
    d = -d;
    exp_negative_in_place<W>(d);
  }
  template <int W, class Vec>
  static DOMGEN_INLINE void rate(Vec& d) {
    Vec r = d;
    sqrt_in_place<W>(r);
    d = -r;
    exp_negative_in_place<W>(d);
    const Vec least = Vec{} + 1e-8;
    r = r < least ? least : r;
    d = d / r;
  }
};

// r = sqrt(factor d), and d becomes exp(-r)
template <int W, class Vec>
DOMGEN_INLINE void damp(double factor, Vec& d, Vec& r) {
  r = factor * d;
  sqrt_in_place<W>(r);
  d = -r;
  exp_negative_in_place<W>(d);
}

// (1 + r) exp(-r), r = sqrt(3 d); rate 3 exp(-r)
struct Matern3 {
  static constexpr Distance distance() { return Distance::any; }
  template <int W, class Vec>
  static DOMGEN_INLINE void value(Vec& d) {
    Vec r;
    damp<W>(3.0, d, r);
    d = (1.0 + r) * d;
  }
  template <int W, class Vec>
  static DOMGEN_INLINE void rate(Vec& d) {
    Vec r;
    damp<W>(3.0, d, r);
    d = 3.0 * d;
  }
};

// (1 + r + r^2 / 3) exp(-r), r = sqrt(5 d); rate 5/3 (1 + r) exp(-r)
struct Matern5 {
  static constexpr Distance distance() { return Distance::any; }
  template <int W, class Vec>
  static DOMGEN_INLINE void value(Vec& d) {
    Vec r;
    damp<W>(5.0, d, r);
    d = (1.0 + r + r * r * (1.0 / 3.0)) * d;
  }
  template <int W, class Vec>
  static DOMGEN_INLINE void rate(Vec& d) {
    Vec r;
    damp<W>(5.0, d, r);
    d = (5.0 / 3.0) * (1.0 + r) * d;
  }
};

// 1 / (1 + d); rate 2 / (1 + d)^2
struct Cauchy {
  static constexpr Distance distance() { return Distance::any; }
  template <int W, class Vec>
  static DOMGEN_INLINE void value(Vec& d) {
    d = 1.0 / (1.0 + d);
  }
  template <int W, class Vec>
  static DOMGEN_INLINE void rate(Vec& d) {
    value<W>(d);
    d = 2.0 * d * d;
  }
};

// What is evaluated of a kernel of the distance.
template <class Kernel>
struct ValueOf {
  template <int W, class Vec>
  DOMGEN_INLINE void apply(Vec& d) const {
    Kernel::template value<W>(d);
  }
};
template <class Kernel>
struct RateOf {
  template <int W, class Vec>
  DOMGEN_INLINE void apply(Vec& d) const {
    Kernel::template rate<W>(d);
  }
};
template <class Kernel>
struct SlopeOf {
  template <int W, class Vec>
  DOMGEN_INLINE void apply(Vec& d) const {
    Vec rate = d;
    Kernel::template rate<W>(rate);
    d = d * rate;
  }
};

// Kernels of the inner product.
struct Linear {
  template <int W, class Vec>
  DOMGEN_INLINE void apply(Vec&) const {}
};

// exp(s); x and z come divided by sigma
struct Exponential {
  template <int W, class Vec>
  DOMGEN_INLINE void apply(Vec& s) const {
    exp_in_place<W>(s);
  }
};

// (gamma s + coef0)^degree, by repeated squaring
struct Poly {
  int degree;
  double gamma, coef0;

  template <int W, class Vec>
  DOMGEN_INLINE void apply(Vec& s) const {
    Vec base = gamma * s + coef0;
    Vec power = Vec{} + 1.0;
    for (int left = degree; left > 0; left /= 2) {
      if (left % 2 == 1) power = power * base;
      if (left > 1) base = base * base;
    }
    s = power;
  }
};

// 1 if no column differs, else 0; applied to the number of columns that differ
struct Delta {
  template <int W, class Vec>
  DOMGEN_INLINE void apply(Vec& mismatches) const {
    const Vec zero = Vec{};
    mismatches = mismatches == zero ? zero + 1.0 : zero;
  }
};

}  // namespace domgen

#endif
