// Greedy pivoted Cholesky of a kernel matrix, L ~ F F': the columns are
// evaluated when they are needed, so n (r + 5) numbers are kept, not n^2.
#ifndef DOMGEN_CORE_KERNEL_PIVOTED_CHOLESKY_H
#define DOMGEN_CORE_KERNEL_PIVOTED_CHOLESKY_H

#include "../linalg/pool.h"
#include "gram.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace domgen {

struct PivotedCholesky {
  Eigen::MatrixXd factor;  // F [n x r]
  std::vector<Index> pivots;
  double error;  // trace of L - F F'
};

// L[, j], from the four columns that the inner loops compute together
inline void kernel_column(const Kernel& kernel, Index j, TileScratch& scratch,
                          Eigen::VectorXd& column) {
  const Index n = column.size(), first = j / 4 * 4;
  const DomainWeights unweighted;
  for (Index row = 0; row < n; row += tile_rows) {
    const Patch at{row, std::min(tile_rows, n - row), first, j - first + 1};
    const double* tile = scratch.evaluate(kernel, at, unweighted) + (j - first) * tile_rows;
    std::copy(tile, tile + at.rows, column.data() + row);
  }
}

// Stops when no remaining diagonal entry exceeds tol times the largest of L.
inline PivotedCholesky pivoted_cholesky(const Kernel& kernel, Index n, double tol, Index max_rank,
                                        const Pool& pool) {
  Eigen::VectorXd left = kernel.self(Side::x);  // diagonal of L - F F'
  if (!left.allFinite()) throw std::invalid_argument("the kernel overflows on these rows");
  const double enough = tol * std::max(left.maxCoeff(), 0.0);
  max_rank = std::min(max_rank, n);

  PivotedCholesky result;
  Eigen::MatrixXd& F = result.factor;
  F.resize(n, std::min<Index>(max_rank, 32));
  TileScratch scratch(kernel);
  Eigen::VectorXd column(n);
  Index rank = 0;
  for (; rank < max_rank; ++rank) {
    pool.interrupt();
    Index pivot;
    const double largest = left.maxCoeff(&pivot);
    if (!(largest > enough)) break;
    if (rank == F.cols()) F.conservativeResize(n, std::min(2 * rank, max_rank));

    // f = (L[, j] - F F[j, ]') / sqrt(left[j])
    kernel_column(kernel, pivot, scratch, column);
    column.noalias() -= F.leftCols(rank) * F.row(pivot).head(rank).transpose();
    column *= 1 / std::sqrt(largest);
    column[pivot] = std::sqrt(largest);
    for (Index earlier : result.pivots) column[earlier] = 0;
    F.col(rank) = column;

    left = (left.array() - column.array().square()).max(0.0);
    left[pivot] = 0;
    result.pivots.push_back(pivot);
  }
  F.conservativeResize(n, rank);
  result.error = left.sum();
  return result;
}

}  // namespace domgen

#endif
