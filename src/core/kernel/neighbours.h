// Exact nearest neighbours in Euclidean distance, and the graph they span.
#ifndef DOMGEN_CORE_KERNEL_NEIGHBOURS_H
#define DOMGEN_CORE_KERNEL_NEIGHBOURS_H

#include "../linalg/pool.h"
#include "gram.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace domgen {

// The k nearest of the rows seen so far, those with the lower index first among
// equals. Rows must come in increasing order: a row as far as the farthest that
// is kept then ranks behind it.
class NearestRows {
 public:
  explicit NearestRows(std::size_t k) : k_(k) { kept_.reserve(k); }

  // A row at this distance or beyond changes nothing.
  double limit() const { return limit_; }

  void add(double distance, int row) {
    if (kept_.size() == k_) {
      std::pop_heap(kept_.begin(), kept_.end());
      kept_.pop_back();
    }
    kept_.emplace_back(distance, row);
    std::push_heap(kept_.begin(), kept_.end());
    if (kept_.size() == k_) limit_ = kept_.front().first;
  }

  bool full() const { return kept_.size() == k_; }

  template <class Visit>
  void each(const Visit& visit) const {
    for (const std::pair<double, int>& row : kept_) visit(row.second);
  }

 private:
  std::size_t k_;
  double limit_ = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, int>> kept_;  // a heap, the farthest in front
};

// Row i without itself has its k nearest in neighbours[i k], ..., in no
// particular order. 64 rows at a time against all others.
inline std::vector<int> nearest_neighbours(const Rows& x, Index k, const Pool& pool) {
  const Index n = x.n();
  if (k < 1 || k >= n) throw std::invalid_argument("k must be between 1 and the rows less one");
  std::vector<int> neighbours(static_cast<std::size_t>(n * k));

  pool.run(count_tiles(n), [&](Index begin, Index end) {
    AlignedBuffer tile(tile_size);
    for (Index I = begin; I < end; ++I) {
      const Index first = I * tile_rows, rows = std::min(tile_rows, n - first);
      std::vector<NearestRows> nearest(static_cast<std::size_t>(rows),
                                       NearestRows(static_cast<std::size_t>(k)));
      for (Index J = 0; J < count_tiles(n); ++J) {
        const Patch at = patch_at(I, n, J, n);
        run_vectorised(PairLoop<SquaredDifference>{x, x, at, tile.data()});
        for (Index j = 0; j < at.cols; ++j) {
          const double* distance = tile.data() + j * tile_rows;
          const int other = static_cast<int>(at.col + j);
          for (Index i = 0; i < rows; ++i) {
            NearestRows& row = nearest[static_cast<std::size_t>(i)];
            if ((distance[i] < row.limit() || !row.full()) && first + i != other)
              row.add(distance[i], other);
          }
        }
      }
      for (Index i = 0; i < rows; ++i) {
        auto next = neighbours.begin() + (first + i) * k;
        nearest[static_cast<std::size_t>(i)].each([&](int row) { *next++ = row; });
      }
    }
  });
  return neighbours;
}

// (i, j), i < j, where either is among the k nearest of the other; each pair
// once, in increasing order.
inline std::vector<std::pair<int, int>> neighbour_pairs(const std::vector<int>& neighbours,
                                                        Index k) {
  std::vector<std::pair<int, int>> pairs;
  pairs.reserve(neighbours.size());
  for (std::size_t at = 0; at < neighbours.size(); ++at) {
    const int i = static_cast<int>(at / static_cast<std::size_t>(k)), j = neighbours[at];
    pairs.emplace_back(std::min(i, j), std::max(i, j));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace domgen

#endif
