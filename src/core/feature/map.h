// Feature maps z(d, x) with <z, z'> ~ kappa(d, d') k(x, x'), evaluated on blocks
// of rows, one column of Zt a row, so that the large products run in the BLAS
// and no more than a block of features is kept.
#ifndef DOMGEN_CORE_FEATURE_MAP_H
#define DOMGEN_CORE_FEATURE_MAP_H

#include "../kernel/rows.h"
#include "../linalg/assert.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"

#include <Eigen/Core>

#include <algorithm>
#include <vector>

namespace domgen {

// Rows first, ..., first + count - 1 of X [n x p] with domains 0, 1, ...; no
// domains where the map does not use them.
struct RowBlock {
  MatrixView X;
  const int* domain;
  Index first, count;

  const int* domains() const { return domain ? domain + first : nullptr; }
};

class FeatureMap {
 public:
  virtual ~FeatureMap() = default;
  virtual Index dim() const = 0;
  // Number of domains the map has tables for; 0 where it does not use them.
  virtual Index domains() const { return 0; }
  // Zt [dim x count]. Not const: buffers are kept from block to block.
  virtual void evaluate(const RowBlock& rows, double* Zt, const Pool& pool) = 0;
};

// Memory that grows when it must and is not cleared.
class Buffer {
 public:
  double* reserve(Index size) {
    if (size > Index(store_.size())) store_.resize(size);
    return store_.data();
  }

 private:
  std::vector<double> store_;
};

// Rows of a block with p values each, one row after the other, minus `centre`.
inline const double* copy_transposed(const RowBlock& rows, const Eigen::VectorXd& centre,
                                     Buffer& buffer) {
  const Index p = rows.X.cols();
  double* out = buffer.reserve(p * rows.count);
  for (Index k = 0; k < p; ++k) {
    const double* column = rows.X.data() + k * rows.X.rows() + rows.first;
    for (Index i = 0; i < rows.count; ++i) out[k + i * p] = column[i] - centre[k];
  }
  return out;
}

// The rows of a block as a matrix of their own.
inline MatrixView copy_rows(const RowBlock& rows, Buffer& buffer) {
  const Index p = rows.X.cols();
  double* out = buffer.reserve(p * rows.count);
  for (Index k = 0; k < p; ++k) {
    const double* column = rows.X.data() + k * rows.X.rows() + rows.first;
    std::copy(column, column + rows.count, out + k * rows.count);
  }
  return MatrixView(out, rows.count, p);
}

// About 2,000 rows, fewer where that would be more than 32 MB.
inline Index block_of_rows(Index dim) {
  const Index most = (Index(1) << 22) / std::max<Index>(dim, 1) / 64 * 64;
  return std::min<Index>(2048, std::max<Index>(most, 256));
}

// Calls body(rows, Zt) for block after block of the n rows; Zt is body's to change.
template <class Body>
void for_each_block(FeatureMap& map, const MatrixView& X, const int* domain, Index block,
                    const Pool& pool, const Body& body) {
  DOMGEN_EXPECT(domain || map.domains() == 0);
  if (block <= 0) block = block_of_rows(map.dim());
  Buffer features;
  double* Zt = features.reserve(map.dim() * std::min(block, X.rows()));
  for (Index first = 0; first < X.rows(); first += block) {
    const RowBlock rows{X, domain, first, std::min(block, X.rows() - first)};
    map.evaluate(rows, Zt, pool);
    body(rows, Zt);
    pool.interrupt();
  }
}

}  // namespace domgen

#endif
