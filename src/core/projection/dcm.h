// Domain-based covariance minimisation (DCM paper, equation 12),
//   (P_y K^2 + K) B = (P_d K^2 + K) B Gamma,
// for the scores alpha = KB:  (P_y K + I) alpha = (P_d K + I) alpha Gamma. What
// has gamma != 1 lies in span(U), U = [U_y U_d], P = UU' each. With alpha = Uc
// and J = U'KU = W diag(j) W', c = W diag(j)^-1/2 x, this is the
// symmetric-definite problem of the size of U
//   (M_y M_y' + I) x = (M_d M_d' + I) x Gamma,   M = diag(j)^1/2 W' I[, y or d].
// The coefficients of the scores need a ridge: B = (K + lambda I)^-1 alpha.
#ifndef DOMGEN_CORE_PROJECTION_DCM_H
#define DOMGEN_CORE_PROJECTION_DCM_H

#include "../linalg/pool.h"
#include "../linalg/tridiagonal.h"
#include "denominator.h"
#include "ratio.h"

#include <Eigen/Core>

#include <algorithm>

namespace domgen {

struct CovarianceDirections {
  Directions directions;  // x'(M_d M_d' + I)x = 1
  Eigen::VectorXd residual;
};

// |r| / (n eps (|N| + gamma |D|) |v|) per column for the symmetric-definite problem
// of v = Z'alpha in feature space, r = Z'((P_y K + I) alpha - gamma (P_d K + I) alpha):
// |Z'u|^2 = u'Ku. |N|, |D| are the largest |Nv|/|v| and |Dv|/|v| met.
inline Eigen::VectorXd covariance_residual(const Denominator& D, const Eigen::MatrixXd& Uy,
                                           const Eigen::MatrixXd& Ud, const Eigen::MatrixXd& alpha,
                                           const Eigen::VectorXd& gamma, Eigen::Index rows) {
  const Eigen::Index m = alpha.cols();
  if (m == 0) return Eigen::VectorXd(0);
  const Eigen::MatrixXd S = D.gram_product(alpha);
  Eigen::MatrixXd sides(alpha.rows(), 3 * m);
  sides.leftCols(m) = product_of(Uy, product_of(transposed(Uy), S)) + alpha;
  sides.middleCols(m, m) = product_of(Ud, product_of(transposed(Ud), S)) + alpha;
  sides.rightCols(m) = sides.leftCols(m) - sides.middleCols(m, m) * gamma.asDiagonal();
  const Eigen::ArrayXd squares =
      sides.cwiseProduct(D.gram_product(sides)).colwise().sum().transpose().array().max(0.0);
  const Eigen::ArrayXd length =
      alpha.cwiseProduct(S).colwise().sum().transpose().array().max(0.0).sqrt();
  const double norm_N = (squares.head(m).sqrt() / length).maxCoeff();
  const double norm_D = (squares.segment(m, m).sqrt() / length).maxCoeff();
  return squares.tail(m).sqrt() /
         (rank_tolerance(rows) * (norm_N + gamma.array() * norm_D) * length);
}

// D is K + lambda I; Uy, Ud [d x r].
inline CovarianceDirections covariance_directions(Denominator& D, const Eigen::MatrixXd& Uy,
                                                  const Eigen::MatrixXd& Ud, const Ratio& ratio,
                                                  const Pool& pool) {
  const Eigen::Index d = D.gram().rows();
  CovarianceDirections result;
  Directions& found = result.directions;
  found.B.resize(d, 0);
  Eigen::MatrixXd U(d, Uy.cols() + Ud.cols());
  U << Uy, Ud;
  if (Uy.cols() == 0) return result;

  Eigen::MatrixXd J = product_of(transposed(U), D.gram_product(U));
  const EigenPairs pairs = dense_leading_pairs(J, J.rows());
  const double least = std::max(rank_tolerance(ratio.rows) * pairs.values[0], 0.0);
  const Eigen::Index q = (pairs.values.array() > least).count();
  if (q == 0) return result;
  const Eigen::ArrayXd root = pairs.values.head(q).array().sqrt();
  const Eigen::MatrixXd W = pairs.vectors.leftCols(q);
  const Eigen::MatrixXd M = root.matrix().asDiagonal() * W.transpose();

  Eigen::MatrixXd A = square_of(M.leftCols(Uy.cols())), L = square_of(M.rightCols(Ud.cols()));
  A.diagonal().array() += 1;
  L.diagonal().array() += 1;
  if (!cholesky_factor(Half::lower, L)) throw std::runtime_error("a factor of I + M M' failed");
  solve_triangle(lower_triangle(L), A);
  solve_triangle(A, transposed(lower_triangle(L)));
  A = ((A + A.transpose()) / 2).eval();
  const EigenPairs leading = dense_leading_pairs(A, q);

  // Everywhere else gamma is exactly 1, and the directions are arbitrary.
  const double one = 1 + rank_tolerance(ratio.rows) * leading.values[0];
  found.rank = (leading.values.array() > one).count();
  const Eigen::Index m = std::min(ratio.ncomp, found.rank);
  found.values = leading.values.head(m);
  if (m == 0) return result;
  Eigen::MatrixXd x = leading.vectors.leftCols(m);
  solve_triangle(transposed(lower_triangle(L)), x);
  x.array().colwise() /= root;
  const Eigen::MatrixXd alpha = product_of(U, product_of(W, x));
  result.residual = covariance_residual(D, Uy, Ud, alpha, found.values, ratio.rows);
  D.factorise(pool);
  found.B = D.cholesky().solve(alpha);
  return result;
}

}  // namespace domgen

#endif
