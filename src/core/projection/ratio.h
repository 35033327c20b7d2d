// The ratio b'Nb / b'Db that a projection maximises, over coordinates b [d] in
// which |f|^2 = b'Kb and the scores of the training rows have the inner
// products b'K^2 b. There are two such systems: the coefficients of the rows
// (d = n, K their Gram matrix), and, for features Z = Y diag(s)^1/2 V', the
// coordinates b = Y a (d = rank, K = diag(s)). The terms are those of the DICA
// paper, equations 9-13, and of its relatives:
//   N = total K(I - hh')K + plus plus'  or  the response's (1/n) P K^2;
//   D = norm K + ridge I + plus plus' - minus minus' + KWK.
#ifndef DOMGEN_CORE_PROJECTION_RATIO_H
#define DOMGEN_CORE_PROJECTION_RATIO_H

#include "row-form.h"

#include <Eigen/Core>

#include <limits>

namespace domgen {

// Scatters of cell means and terms of the response: |plus'b|^2 - |minus'b|^2, [d x t] each.
struct LowRankForms {
  Eigen::MatrixXd plus, minus;
};

struct Ratio {
  Eigen::Index rows = 0;  // n
  double gram_norm = 0;   // Frobenius norm of K
  double norm = 1, ridge = 0;
  double total = 0;  // of the scatter of all scores, in N
  LowRankForms numerator, denominator;
  const RowForm* form = nullptr;  // KWK in D
  // U [d x r] of the published numerator UU'K^2, nullptr: none
  const Eigen::MatrixXd* response = nullptr;
  // U'U of the rows less that of the coordinates; empty when these are the rows
  Eigen::MatrixXd outside;
  // h [d], h'h = 1: the constant score, when K is not centred; else empty.
  Eigen::VectorXd constant;
  // Are b the coefficients of centred rows? Then K 1 = 0.
  bool centred_rows = false;
  Eigen::Index ncomp = 1;

  // N and D are functions of K, and KPCA's eigenvectors serve.
  bool commutes() const {
    return !response && numerator.plus.cols() == 0 && denominator.plus.cols() == 0 &&
           denominator.minus.cols() == 0 && !form && constant.size() == 0 && norm > 0;
  }
};

struct Directions {
  Eigen::VectorXd values;  // gamma [m], decreasing
  Eigen::MatrixXd B;       // [d x m]
  double imaginary = 0;    // largest |Im gamma| / |gamma_1|
  Eigen::Index rank = 0;   // eigenvalues above rounding among those computed
  bool rank_known = true;  // false when there may be more
  Eigen::Index products = 0;
  bool converged = true;
};

// Eigenvalues below this fraction of the largest are rounding.
inline double rank_tolerance(Eigen::Index n) {
  return double(n) * std::numeric_limits<double>::epsilon();
}

}  // namespace domgen

#endif
