// Sums over rows of features and of their products, one block at a time.
#ifndef DOMGEN_CORE_FEATURE_MOMENTS_H
#define DOMGEN_CORE_FEATURE_MOMENTS_H

#include "../linalg/assert.h"
#include "../linalg/dense.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"
#include "map.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace domgen {

struct MomentRequest {
  const int* cell = nullptr;  // 0, ..., cells - 1 for each row
  Index cells = 0;
  MatrixView response;               // F [n x ry] or empty
  const double* labelled = nullptr;  // weights of the rows in labelled_second, or absent
  bool second = true;
};

struct FeatureMoments {
  Eigen::MatrixXd second;           // Z'Z [r x r]
  Eigen::MatrixXd sums;             // [r x cells]
  Eigen::VectorXd counts;           // [cells]
  Eigen::MatrixXd cross;            // Z'F [r x ry]
  Eigen::MatrixXd response_second;  // F'F [ry x ry]
  Eigen::VectorXd response_sums;    // F'1 [ry]
  Eigen::MatrixXd labelled_second;  // Z' diag(labelled) Z [r x r]
};

inline void mirror_upper(Eigen::MatrixXd& A) {
  A.triangularView<Eigen::StrictlyLower>() = A.transpose();
}

// Columns of Zt with a positive weight, times its square root; returns their number.
inline Index weigh_columns(const double* Zt, Index dim, Index count, const double* weights,
                           double* out) {
  Index kept = 0;
  for (Index i = 0; i < count; ++i) {
    if (weights[i] == 0) continue;
    const double root = std::sqrt(weights[i]);
    for (Index k = 0; k < dim; ++k) out[k + kept * dim] = root * Zt[k + i * dim];
    ++kept;
  }
  return kept;
}

// sums[, cell] += column of Zt; each strip of coordinates has one writer.
inline void add_to_cells(const double* Zt, Index dim, Index count, const int* cell,
                         Eigen::MatrixXd& sums, const Pool& pool) {
  const Index strip = 128;
  pool.run(round_up(dim, strip) / strip, [&](Index begin, Index end) {
    const Index low = begin * strip, high = std::min(end * strip, dim);
    for (Index i = 0; i < count; ++i) {
      double* sum = sums.data() + cell[i] * dim;
      const double* z = Zt + i * dim;
      for (Index k = low; k < high; ++k) sum[k] += z[k];
    }
  });
}

// cross += Zt F, response_second += F'F for the rows of the block
inline void add_response(const double* Zt, Index dim, const RowBlock& rows, const MatrixView& F,
                         FeatureMoments& moments) {
  const double* block = F.data() + rows.first;
  const Operand own(block, rows.count, F.cols(), F.rows());
  add_product(moments.cross, Operand(Zt, dim, rows.count), own);
  add_square(Half::upper, moments.response_second, transposed(own));
  for (Index j = 0; j < F.cols(); ++j) {
    for (Index i = 0; i < rows.count; ++i) moments.response_sums[j] += block[i + j * F.rows()];
  }
}

inline FeatureMoments feature_moments(FeatureMap& map, const MatrixView& X, const int* domain,
                                      const MomentRequest& request, Index block, const Pool& pool) {
  DOMGEN_EXPECT(request.response.size() == 0 || request.response.rows() == X.rows());
  const Index r = map.dim(), ry = request.response.cols();
  const Index r2 = request.second ? r : 0, rl = request.labelled ? r : 0;
  FeatureMoments moments{
      Eigen::MatrixXd::Zero(r2, r2),        Eigen::MatrixXd::Zero(r, request.cells),
      Eigen::VectorXd::Zero(request.cells), Eigen::MatrixXd::Zero(r, ry),
      Eigen::MatrixXd::Zero(ry, ry),        Eigen::VectorXd::Zero(ry),
      Eigen::MatrixXd::Zero(rl, rl)};
  Buffer weighted;
  for_each_block(map, X, domain, block, pool, [&](const RowBlock& rows, const double* Zt) {
    const int* cell = request.cell + rows.first;
    if (request.second) add_square(Half::upper, moments.second, Operand(Zt, r, rows.count));
    add_to_cells(Zt, r, rows.count, cell, moments.sums, pool);
    for (Index i = 0; i < rows.count; ++i) moments.counts[cell[i]] += 1;
    if (ry > 0) add_response(Zt, r, rows, request.response, moments);
    if (request.labelled) {
      double* columns = weighted.reserve(r * rows.count);
      const double* weights = request.labelled + rows.first;
      const Index kept = weigh_columns(Zt, r, rows.count, weights, columns);
      add_square(Half::upper, moments.labelled_second, Operand(columns, r, kept));
    }
  });
  mirror_upper(moments.second);
  mirror_upper(moments.response_second);
  mirror_upper(moments.labelled_second);
  return moments;
}

// Z [n x r]
inline void feature_rows(FeatureMap& map, const MatrixView& X, const int* domain, Index block,
                         double* Z, const Pool& pool) {
  const Index r = map.dim(), n = X.rows();
  for_each_block(map, X, domain, block, pool, [&](const RowBlock& rows, const double* Zt) {
    pool.run(r, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) {
        double* column = Z + rows.first + k * n;
        for (Index i = 0; i < rows.count; ++i) column[i] = Zt[k + i * r];
      }
    });
  });
}

// Z' [r x n], evaluated in place
inline void feature_columns(FeatureMap& map, const MatrixView& X, const int* domain, Index block,
                            double* Zt, const Pool& pool) {
  if (block <= 0) block = block_of_rows(map.dim());
  for (Index first = 0; first < X.rows(); first += block) {
    const RowBlock rows{X, domain, first, std::min(block, X.rows() - first)};
    map.evaluate(rows, Zt + first * map.dim(), pool);
    pool.interrupt();
  }
}

// Z W [n x m] for W [r x m]
inline void feature_apply(FeatureMap& map, const MatrixView& X, const int* domain,
                          const MatrixView& W, Index block, double* out, const Pool& pool) {
  DOMGEN_EXPECT(W.rows() == map.dim());
  for_each_block(map, X, domain, block, pool, [&](const RowBlock& rows, const double* Zt) {
    set_product(panel(out + rows.first, rows.count, W.cols(), X.rows()),
                transposed(Operand(Zt, W.rows(), rows.count)), W);
  });
}

}  // namespace domgen

#endif
