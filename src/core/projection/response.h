// P = L (L + n epsilon I)^-1 of the central subspace, from a factor F of the
// kernel on the response, L = FF'.
#ifndef DOMGEN_CORE_PROJECTION_RESPONSE_H
#define DOMGEN_CORE_PROJECTION_RESPONSE_H

#include "../linalg/dense.h"
#include "../linalg/tridiagonal.h"
#include "centre.h"
#include "ratio.h"

#include <Eigen/Core>

#include <algorithm>
#include <utility>

namespace domgen {

// F centred: its image [d x r0] in the coordinates of the ratio (F itself, or
// Y'F), its inner products F'F, and their trace before centring.
struct ResponseFactor {
  Eigen::MatrixXd image, second;
  double uncentred = 0;
};

inline ResponseFactor centred_factor(Eigen::MatrixXd F) {
  ResponseFactor factor;
  factor.uncentred = F.squaredNorm();
  centre_columns(F);
  factor.second.resize(F.cols(), F.cols());
  set_square(Half::lower, factor.second, transposed(F));
  factor.second.triangularView<Eigen::StrictlyUpper>() = factor.second.transpose();
  factor.image = std::move(F);
  return factor;
}

// U = F T [d x r] with P = UU': for FF' = V diag(s) V', P = V diag(s/(s + n
// epsilon)) V'.
struct ResponseDirections {
  Eigen::MatrixXd U;
  Eigen::MatrixXd second;  // U'U over the rows [r x r]
};

inline ResponseDirections response_directions(const ResponseFactor& factor, Eigen::Index n,
                                              double epsilon) {
  ResponseDirections directions;
  directions.U = factor.image;
  if (factor.image.cols() == 0) return directions;
  Eigen::MatrixXd second = factor.second;
  const EigenPairs pairs = dense_leading_pairs(second, second.rows());
  const Eigen::VectorXd& s = pairs.values;

  const double least =
      std::max(rank_tolerance(n) * s[0], centring_noise * centring_noise * factor.uncentred);
  const Eigen::Index r = (s.array() > least).count();
  const Eigen::VectorXd scale = (s.head(r).array() + double(n) * epsilon).rsqrt();
  directions.U = factor.image * (pairs.vectors.leftCols(r) * scale.asDiagonal());
  directions.second = s.head(r).cwiseProduct(scale.cwiseAbs2()).asDiagonal();
  return directions;
}

}  // namespace domgen

#endif
