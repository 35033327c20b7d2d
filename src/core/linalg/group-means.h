// How far the means of groups of rows are from each other, for many groupings.
#ifndef DOMGEN_CORE_LINALG_GROUP_MEANS_H
#define DOMGEN_CORE_LINALG_GROUP_MEANS_H

#include "assert.h"
#include "pool.h"
#include "view.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace domgen {

// sum_g |mean of group g - mean of these means|^2 / G of the columns of Z [r x n], for each
// grouping: codes 0, ..., G - 1 of n columns, one grouping after the other. The mean of no rows
// is 0.
inline Eigen::VectorXd variance_of_means(const MatrixView& Z, const std::vector<int>& codes,
                                         Index groups, const Pool& pool) {
  const Index r = Z.rows(), n = Z.cols(), groupings = n > 0 ? Index(codes.size()) / n : 0;
  DOMGEN_EXPECT(Index(codes.size()) == n * groupings);
  const Eigen::Map<const Eigen::MatrixXd> rows(Z.data(), r, n);
  Eigen::VectorXd variances(groupings);
  pool.run(groupings, [&](Index begin, Index end) {
    Eigen::MatrixXd means(r, groups);
    Eigen::VectorXd sizes(groups);
    for (Index b = begin; b < end; ++b) {
      const int* code = codes.data() + b * n;
      means.setZero();
      sizes.setZero();
      for (Index i = 0; i < n; ++i) {
        means.col(code[i]) += rows.col(i);
        ++sizes[code[i]];
      }
      means.array().rowwise() /= sizes.cwiseMax(1).transpose().array();
      const Eigen::VectorXd middle = means.rowwise().mean();
      variances[b] = (means.colwise() - middle).squaredNorm() / double(groups);
    }
  });
  return variances;
}

}  // namespace domgen

#endif
