#include "test.h"

#include "../svm/linear.h"
#include "../svm/smo.h"

#include <algorithm>
#include <cmath>

namespace {

using namespace domgen_test;

void dual_svm() {
  const Index n = 60;
  const MatrixXd A = positive(n);
  domgen::DualProblem problem = {Eigen::Map<const MatrixXd>(A.data(), n, n),
                                 Eigen::Matrix<Index, Eigen::Dynamic, 1>::LinSpaced(n, 0, n - 1),
                                 VectorXd::Ones(n),
                                 VectorXd::Constant(n, -1),
                                 VectorXd::Constant(n, 10),
                                 VectorXd::Zero(n),
                                 false};
  for (Index i = 1; i < n; i += 2) problem.sign[i] = -1;
  const domgen::DualSolution solution =
      domgen::Smo(problem, VectorXd::Zero(n), 1e-10, 1e6, pool).solve();
  const MatrixXd Q = problem.sign.asDiagonal() * A * problem.sign.asDiagonal();
  double violation = 0;  // of the optimality conditions
  const VectorXd gradient = Q * solution.alpha - VectorXd::Ones(n);
  for (Index i = 0; i < n; ++i)
    violation = std::max(violation, solution.alpha[i] > 0 ? std::abs(gradient[i]) : -gradient[i]);
  check("dual SVM: conditions of optimality", violation, 1e-8);
}

// The SVM on features is the dual one on their inner products, here with an intercept.
void linear_machine() {
  const Index n = 60, r = 4;
  const MatrixXd Zt = numbers(r, n, 3), K = Zt.transpose() * Zt;
  VectorXd sign(n);
  for (Index i = 0; i < n; ++i) sign[i] = Zt(0, i) + 0.3 * Zt(1, i) > 0 ? 1 : -1;
  sign[0] *= -1;
  domgen::LinearProblem problem = {Eigen::Map<const MatrixXd>(Zt.data(), r, n), {}, true};
  for (Index i = 0; i < n; ++i)
    problem.rows.push_back({sign[i], 0, std::min(2 * sign[i], 0.0), std::max(2 * sign[i], 0.0), 0});
  const domgen::LinearSolution found = domgen::LinearSvm(problem, 1e-9, 1e5, 7, pool).solve();
  const domgen::DualProblem dual = {Eigen::Map<const MatrixXd>(K.data(), n, n),
                                    Eigen::Matrix<Index, Eigen::Dynamic, 1>::LinSpaced(n, 0, n - 1),
                                    sign,
                                    VectorXd::Constant(n, -1),
                                    VectorXd::Constant(n, 2),
                                    VectorXd::Zero(n),
                                    true};
  const domgen::DualSolution other = domgen::Smo(dual, VectorXd::Zero(n), 1e-10, 1e6, pool).solve();
  const VectorXd decision = found.decision.array() + found.b;
  check("linear SVM: decisions of the dual one",
        largest(decision - (other.decision.array() + other.b).matrix()), 1e-6);
  check("linear SVM: w = Z'beta", largest(found.w - Zt * found.beta), 1e-10);
}

}  // namespace

void test_svm() {
  dual_svm();
  linear_machine();
}
