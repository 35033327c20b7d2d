// Inner products of mean embeddings: the mean of k over all pairs of rows of
// two domains, in memory proportional to the number of rows.
#ifndef DOMGEN_CORE_KERNEL_EMBEDDING_H
#define DOMGEN_CORE_KERNEL_EMBEDDING_H

#include "../linalg/assert.h"
#include "../linalg/pool.h"
#include "gram.h"

#include <Eigen/Core>

#include <algorithm>
#include <vector>

namespace domgen {

// The rows of X and Z with their domains 0, ..., G - 1. When `same`, Z is X.
struct DomainRows {
  Index n, m;
  std::vector<int> x, z;
  Index x_domains, z_domains;
  bool same;
};

// Sums over strips of 64 rows of X. The strips of one wave are computed in any
// order and added in theirs, which fixes the rounding.
class MeanEmbeddings {
 public:
  MeanEmbeddings(const Kernel& kernel, const DomainRows& rows, const Pool& pool)
      : kernel_(kernel), rows_(rows), pool_(pool), strip_size_(tile_rows * rows.z_domains) {
    DOMGEN_EXPECT(Index(rows.x.size()) == rows.n && Index(rows.z.size()) == rows.m);
  }

  // T [G_x x G_z], T[a, b] = mean of k(x_i, z_j) over d_i = a, d_j = b
  Eigen::MatrixXd means() const {
    const Eigen::VectorXd x_counts = counts(rows_.x, rows_.x_domains);
    const Eigen::VectorXd z_counts = counts(rows_.z, rows_.z_domains);
    Eigen::MatrixXd T = sums();
    for (Index b = 0; b < T.cols(); ++b) T.col(b).array() /= x_counts.array() * z_counts[b];
    return T;
  }

 private:
  const Kernel& kernel_;
  const DomainRows& rows_;
  const Pool& pool_;
  Index strip_size_;

  static Eigen::VectorXd counts(const std::vector<int>& domain, Index domains) {
    Eigen::VectorXd count = Eigen::VectorXd::Zero(domains);
    for (int d : domain) count[d] += 1;
    return count;
  }

  // With Z = X, U sums the tiles above the diagonal and D those on it:
  // T = U + U' + D, D made exactly symmetric.
  Eigen::MatrixXd sums() const {
    Eigen::MatrixXd U = Eigen::MatrixXd::Zero(rows_.x_domains, rows_.z_domains), D;
    if (rows_.same) D = U;
    // the sums of a wave take 16 MB, unless four strips take more
    const Index strips = count_tiles(rows_.n);
    const Index wave = std::min<Index>(256, std::max<Index>(4, (Index(1) << 20) / strip_size_));
    for (Index first = 0; first < strips; first += wave) {
      const Index count = std::min(wave, strips - first);
      AlignedBuffer above(count * strip_size_), diagonal(rows_.same ? count * strip_size_ : 0);
      pool_.run(count, [&](Index begin, Index end) {
        for (Index s = begin; s < end; ++s) {
          sum_strip(first + s, above.data() + s * strip_size_,
                    rows_.same ? diagonal.data() + s * strip_size_ : nullptr);
        }
      });
      for (Index s = 0; s < count; ++s) {
        add_strip(first + s, above.data() + s * strip_size_, U);
        if (rows_.same) add_strip(first + s, diagonal.data() + s * strip_size_, D);
      }
    }
    if (!rows_.same) return U;
    for (Index b = 0; b < U.cols(); ++b) {
      for (Index a = 0; a <= b; ++a)
        U(a, b) = U(b, a) = U(a, b) + U(b, a) + 0.5 * (D(a, b) + D(b, a));
    }
    return U;
  }

  // above [64 x G_z]: sums of k(x_i, z_j) over the rows z_j of each domain
  void sum_strip(Index I, double* above, double* diagonal) const {
    TileScratch scratch(kernel_);
    const DomainWeights unweighted;
    for (Index J = rows_.same ? I : 0; J < count_tiles(rows_.m); ++J) {
      const Patch at = patch_at(I, rows_.n, J, rows_.m);
      const double* tile = scratch.evaluate(kernel_, at, unweighted);
      double* sums = rows_.same && J == I ? diagonal : above;
      run_vectorised(DomainSumLoop{at, tile, rows_.z.data(), sums});
    }
  }

  void add_strip(Index I, const double* sums, Eigen::MatrixXd& T) const {
    const Index row = I * tile_rows, rows = std::min(tile_rows, rows_.n - row);
    for (Index b = 0; b < rows_.z_domains; ++b) {
      for (Index i = 0; i < rows; ++i) T(rows_.x[row + i], b) += sums[i + b * tile_rows];
    }
  }
};

}  // namespace domgen

#endif
