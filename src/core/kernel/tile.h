// Tiles of a kernel matrix and the loops over them.
#ifndef DOMGEN_CORE_KERNEL_TILE_H
#define DOMGEN_CORE_KERNEL_TILE_H

#include "rows.h"

#include <algorithm>

namespace domgen {

// Tiles are stored with this leading dimension: 64 x 64 doubles and the rows
// they come from stay in the first-level cache.
constexpr Index tile_rows = 64;
constexpr Index tile_size = tile_rows * tile_rows;

// k(x_i, z_j) for i = row, ..., row + rows - 1 and j = col, ..., col + cols - 1.
// row is a multiple of 32 and col of 4; up to the next multiples, a tile is
// filled with values that nobody reads.
struct Patch {
  Index row, rows, col, cols;

  Index padded_rows() const { return round_up(rows, block_rows); }
  Index padded_cols() const { return round_up(cols, 4); }
};

// C [2W x 4] (+)= A B over `depth` terms: A in steps of lda, B in steps of
// b_step between terms and b_col between columns. Eight accumulators hide the
// latency of a multiply-add.
template <int W, class Term>
DOMGEN_INLINE void accumulate_block(Index depth, const double* a, Index lda, const double* b,
                                    Index b_step, Index b_col, bool fresh, double* c, Index ldc) {
  typedef typename Simd<W>::Vec Vec;
  Vec low0 = Vec{}, low1 = Vec{}, low2 = Vec{}, low3 = Vec{};
  Vec high0 = Vec{}, high1 = Vec{}, high2 = Vec{}, high3 = Vec{};
  if (!fresh) {
    low0 = Simd<W>::at(c), high0 = Simd<W>::at(c + W);
    low1 = Simd<W>::at(c + ldc), high1 = Simd<W>::at(c + ldc + W);
    low2 = Simd<W>::at(c + 2 * ldc), high2 = Simd<W>::at(c + 2 * ldc + W);
    low3 = Simd<W>::at(c + 3 * ldc), high3 = Simd<W>::at(c + 3 * ldc + W);
  }

  for (Index k = 0; k < depth; ++k, a += lda, b += b_step) {
    const Vec low = Simd<W>::at(a), high = Simd<W>::at(a + W);
    Term::add(low0, low, b[0]);
    Term::add(high0, high, b[0]);
    Term::add(low1, low, b[b_col]);
    Term::add(high1, high, b[b_col]);
    Term::add(low2, low, b[2 * b_col]);
    Term::add(high2, high, b[2 * b_col]);
    Term::add(low3, low, b[3 * b_col]);
    Term::add(high3, high, b[3 * b_col]);
  }

  Simd<W>::at(c) = low0, Simd<W>::at(c + W) = high0;
  Simd<W>::at(c + ldc) = low1, Simd<W>::at(c + ldc + W) = high1;
  Simd<W>::at(c + 2 * ldc) = low2, Simd<W>::at(c + 2 * ldc + W) = high2;
  Simd<W>::at(c + 3 * ldc) = low3, Simd<W>::at(c + 3 * ldc + W) = high3;
}

// tile[i, j] = sum over predictors of Term(x_i, z_j).
template <class Term>
struct PairLoop {
  const Rows& x;
  const Rows& z;
  Patch at;
  double* tile;

  // Slices of the predictors keep the rows in cache; one accumulator is carried
  // from slice to slice, so that they do not change the rounding.
  template <int W>
  DOMGEN_INLINE void run() const {
    const Index slice = 256;
    for (Index first = 0; first < x.p(); first += slice) {
      const Index depth = std::min(slice, x.p() - first);
      for (Index i = 0; i < at.padded_rows(); i += 2 * W) {
        const double* a = x.row(at.row + i) + first * block_rows;
        for (Index j = 0; j < at.padded_cols(); j += 4) {
          const double* b = z.row(at.col + j) + first * block_rows;
          accumulate_block<W, Term>(depth, a, block_rows, b, block_rows, 1, first == 0,
                                    tile + i + j * tile_rows, tile_rows);
        }
      }
    }
  }
};

// C [rows x 4m] += tile B, with B [cols x 4m], leading dimension ldb; C has the
// leading dimension of a tile.
struct TileProductLoop {
  Patch at;
  const double* tile;
  const double* B;
  Index ldb, columns;
  double* C;

  template <int W>
  DOMGEN_INLINE void run() const {
    for (Index c = 0; c < columns; c += 4) {
      for (Index i = 0; i < at.padded_rows(); i += 2 * W) {
        accumulate_block<W, Product>(at.cols, tile + i, tile_rows, B + c * ldb, 1, ldb, false,
                                     C + i + c * tile_rows, tile_rows);
      }
    }
  }
};

// out[j + c ldo] += sum_i tile[i, j] B[i, c] for the 64 rows of a whole tile; B [64 x columns] has
// the leading dimension ldb.
struct TileTransposedLoop {
  Index cols;
  const double* tile;
  const double* B;
  Index ldb, columns;
  double* out;
  Index ldo;

  template <int W>
  DOMGEN_INLINE void run() const {
    typedef typename Simd<W>::Vec Vec;
    for (Index j = 0; j < cols; ++j) {
      for (Index c = 0; c < columns; ++c) {
        Vec sum = Vec{};
        for (Index i = 0; i < tile_rows; i += W)
          sum += Simd<W>::at(tile + i + j * tile_rows) * Simd<W>::at(B + i + c * ldb);
        for (int k = 0; k < W; ++k) out[j + c * ldo] += sum[k];
      }
    }
  }
};

struct Sum {
  template <class T>
  static DOMGEN_INLINE void apply(T& value, const T& part) {
    value += part;
  }
};

struct Times {
  template <class T>
  static DOMGEN_INLINE void apply(T& value, const T& part) {
    value *= part;
  }
};

// tile = Operation(tile, part), value by value
template <class Operation>
struct TileCombineLoop {
  Index rows, cols;
  const double* part;
  double* tile;

  template <int W>
  DOMGEN_INLINE void run() const {
    for (Index j = 0; j < cols; ++j) {
      for (Index i = j * tile_rows; i < j * tile_rows + rows; i += W) {
        Operation::apply(Simd<W>::at(tile + i), Simd<W>::at(part + i));
      }
    }
  }
};

// sums[, domains[j]] += tile[, j]
struct DomainSumLoop {
  Patch at;
  const double* tile;
  const int* domains;
  double* sums;

  template <int W>
  DOMGEN_INLINE void run() const {
    for (Index j = 0; j < at.cols; ++j) {
      const double* column = tile + j * tile_rows;
      double* sum = sums + domains[at.col + j] * tile_rows;
      for (Index i = 0; i < at.padded_rows(); i += W) {
        Simd<W>::at(sum + i) += Simd<W>::at(column + i);
      }
    }
  }
};

// value = profile(value) for each value of the tile.
template <class Profile>
struct ProfileLoop {
  const Profile& profile;
  Index rows, cols;
  double* tile;

  template <int W>
  DOMGEN_INLINE void run() const {
    for (Index j = 0; j < cols; ++j) {
      double* column = tile + j * tile_rows;
      for (Index i = 0; i < rows; i += W) profile.template apply<W>(Simd<W>::at(column + i));
    }
  }
};

// value = profile(max(|x|^2 + |z|^2 - 2 <x, z>, 0)). NaN passes the clamp.
template <class Profile>
struct DistanceProfileLoop {
  const Profile& profile;
  const double* x_norms;
  const double* z_norms;
  Index rows, cols;
  double* tile;

  template <int W>
  DOMGEN_INLINE void run() const {
    typedef typename Simd<W>::Vec Vec;
    const Vec zero = Vec{};
    for (Index j = 0; j < cols; ++j) {
      double* column = tile + j * tile_rows;
      for (Index i = 0; i < rows; i += W) {
        Vec& value = Simd<W>::at(column + i);
        Vec v = (Simd<W>::at(x_norms + i) + z_norms[j]) - 2.0 * value;
        v = v < zero ? zero : v;
        profile.template apply<W>(v);
        value = v;
      }
    }
  }
};

}  // namespace domgen

#endif
