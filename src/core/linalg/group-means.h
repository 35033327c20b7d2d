// Means of groups of rows: with the squares about them, and how far they are from each other for
// many groupings.
#ifndef DOMGEN_CORE_LINALG_GROUP_MEANS_H
#define DOMGEN_CORE_LINALG_GROUP_MEANS_H

#include "assert.h"
#include "pool.h"
#include "view.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <limits>
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

// Sums of weights of the rows of each group, and of the columns of X [n x p] over `unit` the
// weighted means and sums of squared distances from these, [groups x p]. The mean of no weight is
// 0.
struct GroupSquares {
  Eigen::VectorXd count;
  Eigen::MatrixXd mean, square;
};

inline GroupSquares group_squares(const MatrixView& X, const Eigen::VectorXd& unit,
                                  const Eigen::VectorXd& weights, const std::vector<int>& group,
                                  Index groups) {
  const Index n = X.rows(), p = X.cols();
  DOMGEN_EXPECT(unit.size() == p && weights.size() == n && Index(group.size()) == n);
  GroupSquares found{Eigen::VectorXd::Zero(groups), Eigen::MatrixXd::Zero(groups, p),
                     Eigen::MatrixXd::Zero(groups, p)};
  const int* code = group.data();
  for (Index i = 0; i < n; ++i) found.count[code[i]] += weights[i];
  const Eigen::VectorXd least = found.count.cwiseMax(std::numeric_limits<double>::min());
  for (Index j = 0; j < p; ++j) {
    const double* x = X.data() + j * n;
    double *mean = found.mean.data() + j * groups, *square = found.square.data() + j * groups;
    for (Index i = 0; i < n; ++i) mean[code[i]] += weights[i] * (x[i] / unit[j]);
    for (Index g = 0; g < groups; ++g) mean[g] /= least[g];
    for (Index i = 0; i < n; ++i) {
      const double distance = x[i] / unit[j] - mean[code[i]];
      square[code[i]] += weights[i] * (distance * distance);
    }
  }
  return found;
}

}  // namespace domgen

#endif
