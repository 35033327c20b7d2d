// The passes over all active rows that an SMO iteration consists of: one finds
// the partner of a row, one moves F = K beta along two columns of K and finds
// the next row. Real is the type of the columns, double or float.
#ifndef DOMGEN_CORE_SVM_WORKING_SET_H
#define DOMGEN_CORE_SVM_WORKING_SET_H

#include "../simd/vector.h"

#include <Eigen/Core>

#include <cstdint>
#include <limits>

namespace domgen {

// What the passes see of the active rows, each array [m]: beta_r may rise if
// up > -Inf and fall if low < Inf, and its negative gradient is then up - F or
// low - F. (Two variables of one row differ in where they may go.)
struct RowState {
  double* F;
  const double* up;
  const double* low;
  const double* diag;  // K_rr + ridge
  Eigen::Index m;
};

struct Choice {
  double score;        // b^2 / a of a partner, the violation of a next row
  double violation;    // largest b over all rows
  Eigen::Index index;  // -1: none

  // Ties go to the first row, whatever the width of the vectors.
  void offer(double value, Eigen::Index at) {
    if (at < 0 || !(value > score || (value == score && at < index))) return;
    score = value;
    index = at;
  }

  // A partner with negative gradient b and curvature a, at least tau.
  void offer_ratio(double b, double a, double tau, Eigen::Index at) {
    if (!(b > 0)) return;
    if (b > violation) violation = b;
    offer(b * b / (a > tau ? a : tau), at);
  }
};

// W numbers from anywhere in memory. Spelt out for each W because compilers
// disagree on attributes that depend on a template parameter.
template <int W>
struct PackTypes;
template <>
struct PackTypes<2> {
  typedef double Vec __attribute__((vector_size(16), aligned(8), may_alias));
  typedef float Floats __attribute__((vector_size(8), aligned(4), may_alias));
  typedef std::int64_t Int __attribute__((vector_size(16)));
};
template <>
struct PackTypes<4> {
  typedef double Vec __attribute__((vector_size(32), aligned(8), may_alias));
  typedef float Floats __attribute__((vector_size(16), aligned(4), may_alias));
  typedef std::int64_t Int __attribute__((vector_size(32)));
};
template <>
struct PackTypes<8> {
  typedef double Vec __attribute__((vector_size(64), aligned(8), may_alias));
  typedef float Floats __attribute__((vector_size(32), aligned(4), may_alias));
  typedef std::int64_t Int __attribute__((vector_size(64)));
};

template <int W>
struct Pack : PackTypes<W> {
  using Vec = typename PackTypes<W>::Vec;
  using Int = typename PackTypes<W>::Int;
  using Floats = typename PackTypes<W>::Floats;

  static DOMGEN_INLINE const Vec& at(const double* x) { return *reinterpret_cast<const Vec*>(x); }
  static DOMGEN_INLINE void load(const double* x, Vec* to) { *to = at(x); }
  static DOMGEN_INLINE void load(const float* x, Vec* to) {
    *to = __builtin_convertvector(*reinterpret_cast<const Floats*>(x), Vec);
  }
  static DOMGEN_INLINE void first_indices(Int* index) {
    for (int lane = 0; lane < W; ++lane) (*index)[lane] = lane;
  }
};

// Running argmax of b^2 / a in each lane, by cross-multiplication: divisions
// would take longer than everything else.
template <int W>
struct BestRatio {
  using Vec = typename Pack<W>::Vec;
  using Int = typename Pack<W>::Int;
  Vec square, curvature, largest;
  Int at;

  DOMGEN_INLINE BestRatio()
      : square(Vec{}), curvature(Vec{} + 1.0), largest(Vec{}), at(Int{} - 1) {}

  DOMGEN_INLINE void offer(const Vec& gradient, const Vec& a, double tau, const Int& index) {
    const Vec zero = {};
    const Vec least = zero + tau;
    const Vec b = gradient > zero ? gradient : zero;
    const Vec c = a > least ? a : least;
    const Vec b2 = b * b;
    const Int better = b2 * curvature > square * c;
    square = better ? b2 : square;
    curvature = better ? c : curvature;
    at = better ? index : at;
    largest = b > largest ? b : largest;
  }

  DOMGEN_INLINE void reduce(Choice* choice) const {
    for (int lane = 0; lane < W; ++lane) {
      if (largest[lane] > choice->violation) choice->violation = largest[lane];
      choice->offer(square[lane] / curvature[lane], at[lane]);
    }
  }
};

// With the equality constraint: row i rises, j falls. Fan, Chen and Lin (2005),
// WSS 2: largest b^2 / a, b = v_i - v_j, a = K_ii + K_jj - 2 K_ij.
template <class Real>
struct FallingPartner {
  RowState rows;
  const Real* k;  // column i
  double v, diag, tau;
  Choice* choice;

  template <int W>
  DOMGEN_INLINE void offer(BestRatio<W>* best, Eigen::Index r,
                           const typename Pack<W>::Int& index) const {
    typename Pack<W>::Vec K;
    Pack<W>::load(k + r, &K);
    best->offer(v + Pack<W>::at(rows.F + r) - Pack<W>::at(rows.low + r),
                diag + Pack<W>::at(rows.diag + r) - 2.0 * K, tau, index);
  }

  template <int W>
  DOMGEN_INLINE void run() const {
    typename Pack<W>::Int index;
    Pack<W>::first_indices(&index);
    BestRatio<W> even, odd;  // two chains hide the latency of one
    Eigen::Index r = 0;
    for (; r + 2 * W <= rows.m; r += 2 * W) {
      offer<W>(&even, r, index);
      index += W;
      offer<W>(&odd, r + W, index);
      index += W;
    }
    even.reduce(choice);
    odd.reduce(choice);
    for (; r < rows.m; ++r) {
      choice->offer_ratio(v + rows.F[r] - rows.low[r], diag + rows.diag[r] - 2.0 * k[r], tau, r);
    }
  }
};

// Without it: once row i has moved by t, row j gains w^2 / a with the negative
// gradient w = v_j - t K_ij and the Schur complement a = K_jj - K_ij^2 / K_ii.
template <class Real>
struct AnyPartner {
  RowState rows;
  const Real* k;
  double t, diag, tau;
  Choice* choice;

  template <int W>
  DOMGEN_INLINE void run() const {
    using Vec = typename Pack<W>::Vec;
    typename Pack<W>::Int index;
    Pack<W>::first_indices(&index);
    BestRatio<W> best;
    const double inverse = 1 / diag;
    Eigen::Index r = 0;
    for (; r + W <= rows.m; r += W) {
      Vec K;
      Pack<W>::load(k + r, &K);
      const Vec F = Pack<W>::at(rows.F + r) + t * K;
      const Vec rise = Pack<W>::at(rows.up + r) - F, fall = F - Pack<W>::at(rows.low + r);
      best.offer(rise > fall ? rise : fall, Pack<W>::at(rows.diag + r) - K * K * inverse, tau,
                 index);
      index += W;
    }
    best.reduce(choice);
    for (; r < rows.m; ++r) {
      const double K = k[r], F = rows.F[r] + t * K;
      const double rise = rows.up[r] - F, fall = F - rows.low[r];
      choice->offer_ratio(rise > fall ? rise : fall, rows.diag[r] - K * K * inverse, tau, r);
    }
  }
};

// F += t_i K_i + t_j K_j, and the row with the largest negative gradient among
// those that may rise (with the equality constraint) or move at all (without).
template <bool intercept, class Real>
struct Advance {
  RowState rows;
  const Real* ki;
  const Real* kj;
  double ti, tj;
  Choice* next;

  template <int W>
  DOMGEN_INLINE void run() const {
    using Vec = typename Pack<W>::Vec;
    using Int = typename Pack<W>::Int;
    const double infinity = std::numeric_limits<double>::infinity();
    Vec best = Vec{} - infinity;
    Int at = Int{} - 1, index;
    Pack<W>::first_indices(&index);
    Eigen::Index r = 0;
    for (; r + W <= rows.m; r += W) {
      Vec Ki, Kj;
      Pack<W>::load(ki + r, &Ki);
      Pack<W>::load(kj + r, &Kj);
      const Vec F = Pack<W>::at(rows.F + r) + ti * Ki + tj * Kj;
      *reinterpret_cast<Vec*>(rows.F + r) = F;
      Vec gradient = Pack<W>::at(rows.up + r) - F;
      if (!intercept) {
        const Vec fall = F - Pack<W>::at(rows.low + r);
        gradient = fall > gradient ? fall : gradient;
      }
      const Int better = gradient > best;
      best = better ? gradient : best;
      at = better ? index : at;
      index += W;
    }
    *next = Choice{-infinity, 0, -1};
    for (int lane = 0; lane < W; ++lane) next->offer(best[lane], at[lane]);
    for (; r < rows.m; ++r) {
      rows.F[r] += ti * ki[r] + tj * kj[r];
      const double rise = rows.up[r] - rows.F[r], fall = rows.F[r] - rows.low[r];
      next->offer(!intercept && fall > rise ? fall : rise, rise > -infinity || !intercept ? r : -1);
    }
  }
};

}  // namespace domgen

#endif
