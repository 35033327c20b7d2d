// Sums of squared differences between the rows of a tile, one per predictor.
#ifndef DOMGEN_CORE_KERNEL_PAIR_DIFFERENCE_H
#define DOMGEN_CORE_KERNEL_PAIR_DIFFERENCE_H

#include "rows.h"
#include "tile.h"

namespace domgen {

// sums[k] += sum_ij tile_ij (x_ik - x_jk)^2. Four accumulators hide the latency of a multiply-add.
struct PairDifferenceLoop {
  const Rows& x;
  Patch at;
  const double* tile;
  double* sums;

  template <int W>
  DOMGEN_INLINE void run() const {
    typedef typename Simd<W>::Vec Vec;
    for (Index k = 0; k < x.p(); ++k) {
      Vec total0 = Vec{}, total1 = Vec{}, total2 = Vec{}, total3 = Vec{};
      for (Index i = 0; i < at.padded_rows(); i += 4 * W) {
        const double* a = x.row(at.row + i) + k * block_rows;
        const Vec a0 = Simd<W>::at(a), a1 = Simd<W>::at(a + W);
        const Vec a2 = Simd<W>::at(a + 2 * W), a3 = Simd<W>::at(a + 3 * W);
        const double* weights = tile + i;
        for (Index j = 0; j < at.cols; ++j, weights += tile_rows) {
          const double other = x.row(at.col + j)[k * block_rows];
          const Vec d0 = a0 - other, d1 = a1 - other, d2 = a2 - other, d3 = a3 - other;
          total0 += d0 * d0 * Simd<W>::at(weights);
          total1 += d1 * d1 * Simd<W>::at(weights + W);
          total2 += d2 * d2 * Simd<W>::at(weights + 2 * W);
          total3 += d3 * d3 * Simd<W>::at(weights + 3 * W);
        }
      }
      const Vec total = (total0 + total1) + (total2 + total3);
      for (int i = 0; i < W; ++i) sums[k] += total[i];
    }
  }
};

}  // namespace domgen

#endif
