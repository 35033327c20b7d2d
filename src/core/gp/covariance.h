// The covariance of a Gaussian process, A = K o kappa + diag(ridge), and its factor. Only the upper
// triangle of A is written and read.
#ifndef DOMGEN_CORE_GP_COVARIANCE_H
#define DOMGEN_CORE_GP_COVARIANCE_H

#include "../kernel/gram.h"
#include "../linalg/assert.h"
#include "../linalg/cholesky.h"
#include "../linalg/dense.h"
#include "../linalg/pool.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace domgen {

inline void upper_gram(const Kernel& kernel, const DomainWeights& weights, Index n, double* A,
                       const Pool& pool) {
  upper_tiles(kernel, weights, n, pool, [&](const Patch& at, const double* tile) {
    for (Index j = 0; j < at.cols; ++j) {
      const double* column = tile + j * tile_rows;
      const Index rows = at.row == at.col ? j + 1 : at.rows;
      std::copy(column, column + rows, A + at.row + (at.col + j) * n);
    }
  });
}

struct Factorised {
  bool positive = false;  // definite; otherwise nothing else is filled in
  Eigen::VectorXd alpha;  // A^-1 y
  double log_determinant = 0;
};

// A becomes R with A = R'R.
inline Factorised factorise_covariance(const Kernel& kernel, const DomainWeights& weights,
                                       const Eigen::VectorXd& ridge, const Eigen::VectorXd& y,
                                       double* A, const Pool& pool) {
  const Index n = y.size();
  DOMGEN_EXPECT(ridge.size() == n && A);
  upper_gram(kernel, weights, n, A, pool);
  for (Index i = 0; i < n; ++i) A[i + i * n] += ridge[i];

  Factorised result;
  if (!cholesky_upper(A, n, pool)) return result;
  result.positive = true;
  for (Index i = 0; i < n; ++i) result.log_determinant += 2 * std::log(A[i + i * n]);
  result.alpha = y;
  solve_factored(Half::upper, Operand(A, n, n), result.alpha.data());
  return result;
}

}  // namespace domgen

#endif
