// Sums of squared differences between the rows of a tile, one per predictor.
#ifndef DOMGEN_CORE_KERNEL_PAIR_DIFFERENCE_H
#define DOMGEN_CORE_KERNEL_PAIR_DIFFERENCE_H

#include "rows.h"
#include "tile.h"

namespace domgen {

// sums[k] += sum_ij tile_ij (x_ik - x_jk)^2
struct PairDifferenceLoop {
  const Rows& x;
  Patch at;
  const double* tile;
  double* sums;

  template <int W>
  DOMGEN_INLINE void run() const {
    typedef typename Simd<W>::Vec Vec;
    for (Index k = 0; k < x.p(); ++k) {
      Vec total = Vec{};
      for (Index j = 0; j < at.cols; ++j) {
        const double other = x.row(at.col + j)[k * block_rows];
        for (Index i = 0; i < at.padded_rows(); i += W) {
          const Vec difference = Simd<W>::at(x.row(at.row + i) + k * block_rows) - other;
          total += difference * difference * Simd<W>::at(tile + i + j * tile_rows);
        }
      }
      for (int i = 0; i < W; ++i) sums[k] += total[i];
    }
  }
};

}  // namespace domgen

#endif
