// The one form of every dual SVM on a stored Gram matrix K [n x n]:
//   minimise  1/2 a'Qa + p'a,   0 <= a_i <= u_i,   optionally sum_i s_i a_i = 0,
//   Q_ij = s_i s_j (K[r_i, r_j] + (i == j) ridge_i),
// for variables i = 1..l with rows r_i and signs s_i, at most one variable of
// each sign in a row. With beta_r = sum of s_i a_i over the variables of row r,
// the model is f = K beta + b.
#ifndef DOMGEN_CORE_SVM_SMO_PROBLEM_H
#define DOMGEN_CORE_SVM_SMO_PROBLEM_H

#include "loss.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>

namespace domgen {

struct DualProblem {
  using Index = Eigen::Index;

  Eigen::Map<const Eigen::MatrixXd> K;          // K [n x n]
  Eigen::Matrix<Index, Eigen::Dynamic, 1> row;  // [l], from 0
  Eigen::VectorXd sign, p, upper, ridge;        // [l]
  bool intercept;

  Index rows() const { return K.rows(); }
  Index size() const { return row.size(); }
  const double* column(Index r) const { return K.data() + r * K.rows(); }

  // How far s_i a_i can rise and fall.
  double rise(Index i, double a) const { return sign[i] > 0 ? upper[i] - a : a; }
  double fall(Index i, double a) const { return sign[i] > 0 ? a : upper[i] - a; }
};

struct DualSolution {
  Eigen::VectorXd alpha, beta, decision;  // [l], [n], [n]; decision = K beta
  double b = 0;
  double objective = 0;
  double gap = 0;
  double relative_gap = 0;
  double iterations = 0;
  bool converged = false;
};

// From the optimality conditions: -s_i G_i <= b where s_i a_i may rise, >= b
// where it may fall. The mean over free variables, else the interval's middle.
inline double dual_offset(const DualProblem& problem, const Eigen::VectorXd& alpha,
                          const Eigen::VectorXd& F) {
  if (!problem.intercept) return 0;
  const double infinity = std::numeric_limits<double>::infinity();
  double sum = 0, least = -infinity, most = infinity;
  Eigen::Index free = 0;
  for (Eigen::Index i = 0; i < problem.size(); ++i) {
    const double a = alpha[i], s = problem.sign[i];
    const double v = -F[problem.row[i]] - s * (problem.p[i] + problem.ridge[i] * a);
    const bool rises = problem.rise(i, a) > 0, falls = problem.fall(i, a) > 0;
    if (rises && falls) {
      sum += v;
      ++free;
    }
    if (rises) least = std::max(least, v);
    if (falls) most = std::min(most, v);
  }
  if (free > 0) return sum / static_cast<double>(free);
  return middle(least, most, 0);
}

// Fills in everything that follows from alpha, beta and decision. The primal is
//   1/2 beta'K beta + sum_i loss_i(-(s_i (f_i) + p_i)),   f = K beta + b,
// so gap = beta'K beta + p'a + 1/2 sum_i ridge_i a_i^2 + sum_i loss_i. Where
// u_i = Inf without ridge, the box counts as twice the largest multiplier.
inline void certify(const DualProblem& problem, DualSolution* solution) {
  const Eigen::VectorXd& alpha = solution->alpha;
  const Eigen::VectorXd& F = solution->decision;
  solution->b = dual_offset(problem, alpha, F);

  const double largest = alpha.size() > 0 ? std::max(alpha.maxCoeff(), 0.5) : 0.5;
  const double norm = solution->beta.dot(F);
  double linear = 0, loss = 0;
  for (Eigen::Index i = 0; i < problem.size(); ++i) {
    const double a = alpha[i], ridge = problem.ridge[i];
    const double f = F[problem.row[i]] + solution->b;
    double upper = problem.upper[i];
    if (std::isinf(upper) && !(ridge > 0)) upper = 2 * largest;
    linear += (problem.p[i] + ridge * a / 2) * a;
    loss += conjugate_loss(-(problem.sign[i] * f + problem.p[i]), upper, ridge);
  }
  solution->objective = norm / 2 + linear;
  solution->gap = norm + linear + loss;
  const double primal = norm / 2 + loss;
  const double scale = std::max(std::abs(primal), std::abs(solution->objective));
  solution->relative_gap = scale > 0 ? solution->gap / scale : 0;
}

}  // namespace domgen

#endif
