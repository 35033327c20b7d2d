// Squared lengths of the means of groups of rows, from their Gram matrix, for many groupings.
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

// sum_g 1/n_g^2 sum_ij K_ij over the rows i and j of group g, for each grouping. A column of K is
// read once for all groupings, and only the rows below its diagonal.
class GroupMeans {
 public:
  // codes: 0, ..., groups - 1 of n rows, one grouping after the other
  GroupMeans(const std::vector<int>& codes, Index n, Index groups)
      : n_(n), groupings_(n > 0 ? Index(codes.size()) / n : 0), members_(codes.size()),
        own_(codes.size()) {
    DOMGEN_EXPECT(Index(codes.size()) == n_ * groupings_);
    std::vector<int> end(std::size_t(groups) + 1);
    for (Index b = 0; b < groupings_; ++b) {
      const int* code = codes.data() + b * n_;
      int* members = members_.data() + b * n_;
      std::fill(end.begin(), end.end(), 0);
      for (Index i = 0; i < n_; ++i) ++end[std::size_t(code[i]) + 1];
      for (std::size_t g = 1; g < end.size(); ++g) end[g] += end[g - 1];
      std::vector<int> next(end.begin(), end.end() - 1);
      for (Index i = 0; i < n_; ++i) {
        const std::size_t g = std::size_t(code[i]);
        const double size = end[g + 1] - end[g];
        members[next[g]] = static_cast<int>(i);
        own_[std::size_t(i * groupings_ + b)] = {++next[g], end[g + 1], 1 / (size * size)};
      }
    }
  }

  Eigen::VectorXd run(const MatrixView& K, const Pool& pool) const {
    DOMGEN_EXPECT(K.rows() == n_ && K.cols() == n_);
    const Index width = 64, pieces = (n_ + width - 1) / width;
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(groupings_, pieces);
    pool.run(pieces, [&](Index begin, Index end) {
      for (Index piece = begin; piece < end; ++piece)
        for (Index j = piece * width; j < std::min((piece + 1) * width, n_); ++j)
          add_column(K.data() + j * n_, j, sums.col(piece).data());
    });
    return sums.rowwise().sum();
  }

 private:
  // Where the rows of a row's group that come after it are among the members.
  struct Later {
    int begin, end;
    double weight;
  };

  Index n_, groupings_;
  std::vector<int> members_;
  std::vector<Later> own_;

  void add_column(const double* column, Index j, double* sums) const {
    const Later* own = own_.data() + j * groupings_;
    for (Index b = 0; b < groupings_; ++b) {
      const int* members = members_.data() + b * n_;
      double below = 0;
      for (int k = own[b].begin; k < own[b].end; ++k) below += column[members[k]];
      sums[b] += own[b].weight * (2 * below + column[j]);
    }
  }
};

}  // namespace domgen

#endif
