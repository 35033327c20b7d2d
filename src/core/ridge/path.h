// Ridge regression for many lambda, by one band form in the memory of the Gram matrix.
#ifndef DOMGEN_CORE_RIDGE_PATH_H
#define DOMGEN_CORE_RIDGE_PATH_H

#include "../linalg/assert.h"
#include "../linalg/band.h"
#include "../linalg/gram-buffer.h"
#include "../linalg/pool.h"

#include <Eigen/Core>

#include <utility>

namespace domgen {

struct RidgePath {
  Eigen::MatrixXd coefficients;  // [n x m L], column j + l m for response j and lambda_l
  Eigen::VectorXd intercept;     // [m L]
};

// (K + lambda C^-1) a + 1 b' = Y, with an intercept 1'a = 0, for many lambda: with a = S x and S =
// sqrt(C) they are (S K S + lambda I) x = S (Y - 1 b').
inline RidgePath ridge_path(GramBuffer memory, const Eigen::MatrixXd& Y,
                            const Eigen::VectorXd& root, const Eigen::VectorXd& lambda,
                            bool intercept, const Pool& pool) {
  DOMGEN_EXPECT(memory.rows() == Y.rows() && root.size() == Y.rows());
  Eigen::Map<Eigen::MatrixXd> K = memory.matrix();
  const Eigen::Index m = Y.cols(), all = m + intercept;
  for (Eigen::Index j = 0; j < K.cols(); ++j) K.col(j).array() *= root[j] * root.array();
  Eigen::MatrixXd B(Y.rows(), all);
  B.leftCols(m) = root.asDiagonal() * Y;
  if (intercept) B.col(m) = root;
  const Eigen::MatrixXd X = root.asDiagonal() * solve_shifted(std::move(memory), B, lambda, pool);

  RidgePath path;
  path.coefficients.resize(Y.rows(), m * lambda.size());
  path.intercept = Eigen::VectorXd::Zero(m * lambda.size());
  for (Eigen::Index l = 0; l < lambda.size(); ++l) {
    auto coefficients = path.coefficients.middleCols(l * m, m);
    coefficients = X.middleCols(l * all, m);
    if (!intercept) continue;
    const auto constant = X.col(l * all + m);
    const Eigen::RowVectorXd b = coefficients.colwise().sum() / constant.sum();
    coefficients -= constant * b;
    path.intercept.segment(l * m, m) = b.transpose();
  }
  return path;
}

}  // namespace domgen

#endif
