// The ANOVA kernel: with k_j = exp(-d_j / 2), d_j the squared distance in predictor j,
//   k = (a_1 + ... + a_q) / q,  a_m = mean of k_{j_1} ... k_{j_m} over all j_1 < ... < j_m,
// the elementary symmetric polynomials of k_1, ..., k_p, each divided by its number of terms.
#ifndef DOMGEN_CORE_KERNEL_ANOVA_H
#define DOMGEN_CORE_KERNEL_ANOVA_H

#include "../linalg/assert.h"
#include "../simd/exp.h"
#include "leaf.h"

#include <Eigen/Core>

#include <algorithm>
#include <utility>

namespace domgen {

// With one more predictor, the j-th, a_m becomes a_m + m/j (a_{m-1} k_j - a_m): terms of one sign,
// where sums of powers would cancel, of at most 1, where the number of terms would overflow. Of
// equal rows, whose k_j are 1, every step is exact. means: four columns of W rows for each m.
struct AnovaLoop {
  const Rows& x;
  const Rows& z;
  Patch at;
  Index degree;
  double* means;
  double* tile;

  template <int W>
  DOMGEN_INLINE void run() const {
    for (Index i = 0; i < at.padded_rows(); i += W) {
      for (Index j = 0; j < at.padded_cols(); j += 4) four_columns<W>(i, j);
    }
  }

 private:
  template <int W>
  DOMGEN_INLINE void four_columns(Index i, Index j) const {
    typedef typename Simd<W>::Vec Vec;
    const double* a = x.row(at.row + i);
    const double* b = z.row(at.col + j);
    std::fill(means, means + 4 * W * degree, 0.0);
    for (Index k = 0; k < x.p(); ++k, a += block_rows, b += block_rows) {
      const Vec row = Simd<W>::at(a);
      Vec own[4];
      for (int c = 0; c < 4; ++c) {
        const Vec difference = row - b[c];
        own[c] = -0.5 * (difference * difference);
        exp_negative_in_place<W>(own[c]);
      }
      for (Index m = std::min(degree, k + 1); m > 0; --m) {
        const double share = static_cast<double>(m) / static_cast<double>(k + 1);
        double* mean = means + 4 * W * (m - 1);
        for (int c = 0; c < 4; ++c) {
          Vec& value = Simd<W>::at(mean + c * W);
          const Vec with = m == 1 ? own[c] : own[c] * Simd<W>::at(mean + (c - 4) * W);
          value += share * (with - value);
        }
      }
    }
    for (int c = 0; c < 4; ++c) {
      Vec sum = Vec{};
      for (Index m = 0; m < degree; ++m) sum += Simd<W>::at(means + (4 * m + c) * W);
      Simd<W>::at(tile + i + (j + c) * tile_rows) = sum / static_cast<double>(degree);
    }
  }
};

class AnovaKernel : public Kernel {
 public:
  // With at most as many predictors in a product as there are.
  AnovaKernel(RowPair pair, Index degree)
      : pair_(std::move(pair)), degree_(std::min(degree, pair_.z->p())) {
    DOMGEN_EXPECT(degree_ > 0);
  }

  int scratch_tiles() const override {
    return static_cast<int>(round_up(4 * 8 * degree_, tile_size) / tile_size);
  }

  void evaluate(const Patch& at, double* scratch, double* tile) const override {
    run_vectorised(AnovaLoop{*pair_.x, *pair_.z, at, degree_, scratch, tile});
  }

  Eigen::VectorXd self(Side side) const override {
    return Eigen::VectorXd::Ones(pair_.rows(side).n());
  }

 private:
  RowPair pair_;
  Index degree_;
};

}  // namespace domgen

#endif
