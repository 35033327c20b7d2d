#include "test.h"

#include "../svm/smo.h"

#include <algorithm>
#include <cmath>

namespace {

using namespace domgen_test;

void machine() {
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
  check("dual machine: conditions of optimality", violation, 1e-8);
}

}  // namespace

void test_svm() { machine(); }
