// Kernel matrices, and products with them that never store them, tile by tile.
// Each tile has one writer and is computed in one way, so that the results do
// not depend on the number of threads.
#ifndef DOMGEN_CORE_KERNEL_GRAM_H
#define DOMGEN_CORE_KERNEL_GRAM_H

#include "../linalg/assert.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"
#include "kernel.h"
#include "tile.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace domgen {

// kappa [G x G'], and the domain 0, ..., G - 1 of each row of X and Z; empty
// when there is only k.
struct DomainWeights {
  MatrixView kappa;
  std::vector<int> x, z;

  bool empty() const { return kappa.size() == 0; }
  bool fit(Index n, Index m) const {
    return empty() || (Index(x.size()) == n && Index(z.size()) == m);
  }

  // tile[i, j] *= kappa[d_i, d_j]
  void multiply(const Patch& at, double* tile) const {
    if (!empty()) run_vectorised(Multiply{*this, at, tile});
  }

 private:
  struct Multiply {
    const DomainWeights& weights;
    const Patch& at;
    double* tile;

    template <int W>
    DOMGEN_INLINE void run() const {
      alignas(64) double row[tile_rows] = {};
      for (Index j = 0; j < at.cols; ++j) {
        const int domain = weights.z[at.col + j];
        if (j == 0 || domain != weights.z[at.col + j - 1]) {
          for (Index i = 0; i < at.rows; ++i) row[i] = weights.kappa(weights.x[at.row + i], domain);
        }
        double* column = tile + j * tile_rows;
        for (Index i = 0; i < at.padded_rows(); i += W)
          Simd<W>::at(column + i) *= Simd<W>::at(row + i);
      }
    }
  };
};

class TileScratch {
 public:
  explicit TileScratch(const Kernel& kernel) : space_(tile_size * (1 + kernel.scratch_tiles())) {}
  double* tile() { return space_.data(); }

  const double* evaluate(const Kernel& kernel, const Patch& at, const DomainWeights& weights) {
    DOMGEN_EXPECT(at.row % block_rows == 0 && at.col % 4 == 0);
    DOMGEN_EXPECT(at.rows <= tile_rows && at.cols <= tile_rows);
    kernel.evaluate(at, space_.data() + tile_size, tile());
    weights.multiply(at, tile());
    return tile();
  }

 private:
  AlignedBuffer space_;
};

inline Index count_tiles(Index n) { return round_up(n, tile_rows) / tile_rows; }

inline Patch patch_at(Index I, Index n, Index J, Index m) {
  const Index row = I * tile_rows, col = J * tile_rows;
  return Patch{row, std::min(tile_rows, n - row), col, std::min(tile_rows, m - col)};
}

// K [n x m], k(x_i, z_j) kappa[d_i, d_j]
inline void cross_matrix(const Kernel& kernel, const DomainWeights& weights, Index n, Index m,
                         double* K, const Pool& pool) {
  DOMGEN_EXPECT(weights.fit(n, m));
  const Index tiles = count_tiles(n);
  pool.run(tiles * count_tiles(m), [&](Index begin, Index end) {
    TileScratch scratch(kernel);
    for (Index piece = begin; piece < end; ++piece) {
      const Patch at = patch_at(piece % tiles, n, piece / tiles, m);
      const double* tile = scratch.evaluate(kernel, at, weights);
      for (Index j = 0; j < at.cols; ++j) {
        const double* column = tile + j * tile_rows;
        std::copy(column, column + at.rows, K + at.row + (at.col + j) * n);
      }
    }
  });
}

// Writes a tile of the upper half and its mirror image, which makes the matrix
// exactly symmetric. Each column of K is written in one go, because the columns
// may lie in the same cache set.
inline void write_mirrored(const Patch& at, const double* tile, Index n, double* K) {
  const bool diagonal = at.row == at.col;
  for (Index j = 0; j < at.cols; ++j) {
    const double* column = tile + j * tile_rows;
    std::copy(column, column + (diagonal ? j + 1 : at.rows), K + at.row + (at.col + j) * n);
  }
  for (Index i = 0; i < at.rows; ++i) {
    double* mirror = K + at.col + (at.row + i) * n;
    for (Index j = diagonal ? i + 1 : 0; j < at.cols; ++j) mirror[j] = tile[i + j * tile_rows];
  }
}

// Piece 0, 1, 2, ... -> tile (0, 0), (0, 1), (1, 1), (0, 2), ...: the column J
// starts at piece J (J + 1) / 2.
inline Patch upper_patch(Index piece, Index n) {
  Index J = static_cast<Index>((std::sqrt(8.0 * static_cast<double>(piece) + 1) - 1) / 2);
  while (J * (J + 1) / 2 > piece) --J;
  while ((J + 1) * (J + 2) / 2 <= piece) ++J;
  return patch_at(piece - J * (J + 1) / 2, n, J, n);
}

// body(patch, strip) for the tiles on and above the diagonal of the strips begin, ..., end - 1 of
// columns, for sums that each strip adds up in its order.
template <class Body>
void each_upper_tile(Index begin, Index end, Index n, const Body& body) {
  for (Index J = begin; J < end; ++J) {
    for (Index I = 0; I <= J; ++I) body(patch_at(I, n, J, n), J);
  }
}

// write(patch, tile) for each tile on or above the diagonal of k(x_i, x_j) kappa[d_i, d_j] [n x n].
template <class Write>
void upper_tiles(const Kernel& kernel, const DomainWeights& weights, Index n, const Pool& pool,
                 const Write& write) {
  DOMGEN_EXPECT(weights.fit(n, n));
  const Index tiles = count_tiles(n);
  pool.run(tiles * (tiles + 1) / 2, [&](Index begin, Index end) {
    TileScratch scratch(kernel);
    for (Index piece = begin; piece < end; ++piece) {
      const Patch at = upper_patch(piece, n);
      write(at, scratch.evaluate(kernel, at, weights));
    }
  });
}

// K [n x n], kappa symmetric
inline void gram_matrix(const Kernel& kernel, const DomainWeights& weights, Index n, double* K,
                        const Pool& pool) {
  upper_tiles(kernel, weights, n, pool,
              [&](const Patch& at, const double* tile) { write_mirrored(at, tile, n, K); });
}

// out [n x q] = (K(X, Z) o kappa[d, d]) A, A [m x q], 64 rows of K at a time
inline void apply_kernel(const Kernel& kernel, const DomainWeights& weights, Index n,
                         const MatrixView& A, double* out, const Pool& pool) {
  DOMGEN_EXPECT(weights.fit(n, A.rows()));
  const Index m = A.rows(), columns = round_up(A.cols(), 4);
  AlignedBuffer padded(m * columns);
  std::copy(A.data(), A.data() + A.size(), padded.data());

  pool.run(count_tiles(n), [&](Index begin, Index end) {
    TileScratch scratch(kernel);
    for (Index I = begin; I < end; ++I) {
      AlignedBuffer sums(tile_rows * columns);
      for (Index J = 0; J < count_tiles(m); ++J) {
        const Patch at = patch_at(I, n, J, m);
        const double* tile = scratch.evaluate(kernel, at, weights);
        run_vectorised(TileProductLoop{at, tile, padded.data() + at.col, m, columns, sums.data()});
      }
      const Index row = I * tile_rows, rows = std::min(tile_rows, n - row);
      for (Index c = 0; c < A.cols(); ++c) {
        const double* column = sums.data() + c * tile_rows;
        std::copy(column, column + rows, out + row + c * n);
      }
    }
  });
}

// The same for the rows of X alone, kappa symmetric, out = (K o kappa) A: each pair of rows is
// evaluated once, and a few strips of sums are all that is kept. A strip is 64 columns of K, above
// the diagonal and on it; its products, and those of its mirror image, are sums of its own, added
// in the order of the strips.
inline void apply_gram(const Kernel& kernel, const DomainWeights& weights, Index n,
                       const MatrixView& A, double* out, const Pool& pool) {
  DOMGEN_EXPECT(weights.fit(n, n) && A.rows() == n);
  const Index strips = count_tiles(n), columns = round_up(A.cols(), 4);
  const Index padded = strips * tile_rows, block = tile_rows * columns;
  AlignedBuffer right(padded * columns), total(strips * block);
  for (Index c = 0; c < A.cols(); ++c)
    std::copy(A.data() + c * n, A.data() + (c + 1) * n, right.data() + c * padded);

  // sums of so many strips take 16 MB, unless four take more
  const Index size = strips * block, wave = std::max<Index>(4, (Index(1) << 21) / size);
  AlignedBuffer own(std::min(wave, strips) * size);
  for (Index first = 0; first < strips; first += wave) {
    const Index count = std::min(wave, strips - first);
    pool.run(count, [&](Index begin, Index end) {
      TileScratch scratch(kernel);
      for (Index s = begin; s < end; ++s) {
        const Index J = first + s;
        double* sums = own.data() + s * size;
        std::fill(sums, sums + (J + 1) * block, 0.0);
        for (Index I = 0; I <= J; ++I) {
          const Patch at = patch_at(I, n, J, n);
          const double* tile = scratch.evaluate(kernel, at, weights);
          run_vectorised(
              TileProductLoop{at, tile, right.data() + at.col, padded, columns, sums + I * block});
          if (I == J) continue;
          run_vectorised(TileTransposedLoop{at.cols, tile, right.data() + at.row, padded, A.cols(),
                                            sums + J * block, tile_rows});
        }
      }
    });
    for (Index s = 0; s < count; ++s) {
      const double* sums = own.data() + s * size;
      for (Index k = 0; k < (first + s + 1) * block; ++k) total.data()[k] += sums[k];
    }
  }
  for (Index c = 0; c < A.cols(); ++c) {
    for (Index i = 0; i < n; ++i)
      out[i + c * n] = total.data()[i / tile_rows * block + c * tile_rows + i % tile_rows];
  }
}

}  // namespace domgen

#endif
