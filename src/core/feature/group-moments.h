// Sums of products of features by groups of rows: what regressions without some domains need. The
// rows stand in the order of their groups, so that each group is a run of rows.
#ifndef DOMGEN_CORE_FEATURE_GROUP_MOMENTS_H
#define DOMGEN_CORE_FEATURE_GROUP_MOMENTS_H

#include "../linalg/assert.h"
#include "../linalg/dense.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"
#include "map.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <vector>

namespace domgen {

// One column for each group, C = diag(weight). The upper triangles of squares only.
struct GroupMoments {
  double* second;    // Z'CZ [r r x groups]
  double* cross;     // Z'CF [r m x groups]
  double* response;  // F'CF [m m x groups]
};

struct GroupRequest {
  const int* group;      // 0, ..., groups - 1 for each row, ascending
  const double* weight;  // C
  MatrixView F;          // [n x m]
};

// Columns of Zt, in place, and rows of F, each times the square root of its weight.
inline void weigh_rows(double* Zt, Index dim, Index first, Index count, const GroupRequest& request,
                       double* Fw) {
  const Index n = request.F.rows(), m = request.F.cols();
  for (Index i = 0; i < count; ++i) {
    const double root = std::sqrt(request.weight[first + i]);
    for (Index j = 0; j < m; ++j) Fw[j + i * m] = root * request.F.data()[first + i + j * n];
    if (root == 1) continue;
    for (Index k = 0; k < dim; ++k) Zt[k + i * dim] *= root;
  }
}

// sums += those of the rows of X
inline void add_group_moments(FeatureMap& map, const MatrixView& X, const int* domain,
                              const GroupRequest& request, Index block, const Pool& pool,
                              GroupMoments& sums) {
  DOMGEN_EXPECT(request.F.rows() == X.rows());
  const Index r = map.dim(), m = request.F.cols();
  Buffer response;
  for_each_block(map, X, domain, block, pool, [&](const RowBlock& rows, double* Zt) {
    double* Fw = response.reserve(m * rows.count);
    weigh_rows(Zt, r, rows.first, rows.count, request, Fw);
    const int* group = request.group + rows.first;
    for (Index i = 0, end; i < rows.count; i = end) {
      end = std::upper_bound(group + i, group + rows.count, group[i]) - group;
      const Index g = group[i];
      const Operand z(Zt + i * r, r, end - i), f(Fw + i * m, m, end - i);
      add_square(Half::upper, panel(sums.second + g * r * r, r, r, r), z);
      add_product(panel(sums.cross + g * r * m, r, m, r), z, transposed(f));
      add_square(Half::upper, panel(sums.response + g * m * m, m, m, m), f);
    }
  });
}

// The sum of the squares of some groups, whole: [r x r].
inline Eigen::MatrixXd sum_of_triangles(const double* second, Index r,
                                        const std::vector<int>& groups) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(r, r);
  for (const int g : groups) {
    const Eigen::Map<const Eigen::MatrixXd> own(second + g * r * r, r, r);
    for (Index j = 0; j < r; ++j) sum.col(j).head(j + 1) += own.col(j).head(j + 1);
  }
  sum.triangularView<Eigen::StrictlyLower>() = sum.transpose();
  return sum;
}

}  // namespace domgen

#endif
