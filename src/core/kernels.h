// The kernels, one line each: k as a function of the squared distance
// d = |(x - z) * inv|^2 (stationary) or of the inner product s = <x, z>.
// A new profile is a struct here and a row in the table of kernel-tree.h.
#ifndef DOMGEN_CORE_KERNELS_H
#define DOMGEN_CORE_KERNELS_H

#include "exp.h"

namespace domgen {

// exp(-d / 2)
struct Rbf {
  template <int W, class Vec> DOMGEN_INLINE void apply(Vec& d) const {
    d = -0.5 * d;
    exp_negative_in_place<W>(d);
  }
};

// exp(-sqrt(d)), also the Matern kernel of smoothness 1/2
struct Laplace {
  template <int W, class Vec> DOMGEN_INLINE void apply(Vec& d) const {
    sqrt_in_place<W>(d);
    d = -d;
    exp_negative_in_place<W>(d);
  }
};

// (1 + r) exp(-r), r = sqrt(3 d)
struct Matern3 {
  template <int W, class Vec> DOMGEN_INLINE void apply(Vec& d) const {
    Vec r = 3.0 * d;
    sqrt_in_place<W>(r);
    d = -r;
    exp_negative_in_place<W>(d);
    d = (1.0 + r) * d;
  }
};

// (1 + r + r^2 / 3) exp(-r), r = sqrt(5 d)
struct Matern5 {
  template <int W, class Vec> DOMGEN_INLINE void apply(Vec& d) const {
    Vec r = 5.0 * d;
    sqrt_in_place<W>(r);
    d = -r;
    exp_negative_in_place<W>(d);
    d = (1.0 + r + r * r * (1.0 / 3.0)) * d;
  }
};

struct Linear {
  template <int W, class Vec> DOMGEN_INLINE void apply(Vec&) const {}
};

// exp(s); x and z come divided by sigma
struct Exponential {
  template <int W, class Vec> DOMGEN_INLINE void apply(Vec& s) const { exp_in_place<W>(s); }
};

// (gamma s + coef0)^degree, by repeated squaring
struct Poly {
  int degree;
  double gamma, coef0;

  template <int W, class Vec> DOMGEN_INLINE void apply(Vec& s) const {
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
  template <int W, class Vec> DOMGEN_INLINE void apply(Vec& mismatches) const {
    const Vec zero = Vec{};
    mismatches = mismatches == zero ? zero + 1.0 : zero;
  }
};

}  // namespace domgen

#endif
