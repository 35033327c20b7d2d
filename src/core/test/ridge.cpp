#include "test.h"

#include "../ridge/conjugate.h"
#include "../ridge/factor.h"
#include "../ridge/lodo-path.h"
#include "../ridge/without-group.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace {

using namespace domgen_test;

void factor() {
  const Index n = 1100;  // more than a panel
  const MatrixXd A = positive(n);
  const VectorXd ridge = VectorXd::LinSpaced(n, 0.5, 2);
  const domgen::RidgeFactor factor(buffer(A), ridge, pool);
  const MatrixXd Y = numbers(n, 2, 5), X = factor.solve(Y);
  check("ridge: (A + D) X = Y", largest(A * X + ridge.asDiagonal() * X - Y), n * unit * A.trace());
}

// Conjugate gradients against the factor, with and without a constant, a start that does not add up
// to 0, and more steps than are needed.
void conjugate() {
  const Index n = 150;
  const MatrixXd K = positive(n), U = domgen::landmark_root(view(K), 12, pool);
  const VectorXd ridge = VectorXd::LinSpaced(n, 0.5, 2), z = numbers(n, 1, 5);
  const domgen::RidgeFactor factor(buffer(K), ridge, pool);
  for (const double tolerance : {1e-24, 0.0}) {
    domgen::ConjugateProblem problem{view(K), view(U), ridge, z, 0, false, tolerance, 200};
    const VectorXd plain = domgen::solve_conjugate(problem, pool).change;
    check("conjugate gradients: without a constant", largest(plain - factor.solve(z)), 1e-10);
    problem.constant = true;
    problem.missing = 3;
    const auto found = domgen::solve_conjugate(problem, pool);
    const VectorXd left = K * found.change + ridge.cwiseProduct(found.change) - z +
                          VectorXd::Constant(n, found.constant);
    check("conjugate gradients: with a constant", largest(left), 1e-9);
    check("conjugate gradients: the sum", std::abs(found.change.sum() - 3), 1e-11);
    check("conjugate gradients: the product", largest(found.product - K * found.change), 1e-9);
  }
}

// A path of lambda for three domains against solves without each. Responses whose squares overflow
// have none, and the walk ends with the first step, because there is no further direction.
void lodo_path() {
  const Index n = 12;
  const MatrixXd K = positive(n);
  domgen::PathProblem problem;
  problem.K = view(K);
  problem.pole = 0;
  problem.Y = numbers(n, 1, 6);
  problem.root = VectorXd::Ones(n);
  problem.lambda = VectorXd::LinSpaced(2, 0.5, 2);
  problem.out.begin = {0, 4, 8, 12};
  problem.out.centre = MatrixXd::Zero(3, 1);
  problem.tolerance = 1e-13;
  problem.patience = 1e6;
  const domgen::LodoPath path = domgen::lodo_path(problem, pool);
  const MatrixXd kept = K.topLeftCorner(8, 8) + 0.5 * MatrixXd::Identity(8, 8);
  const VectorXd last =
      K.bottomLeftCorner(4, 8) * kept.ldlt().solve(VectorXd(problem.Y.col(0).head(8)));
  check("path of lambda: without the last domain",
        path.lost[0] ? 1 : largest(path.prediction.col(0).tail(4) - last), 1e-10);
  problem.Y *= 1e200;
  const domgen::LodoPath overflow = domgen::lodo_path(problem, pool);
  check("path of lambda: overflow is lost", overflow.lost[0] && overflow.lost[1] ? 0 : 1, 0);
  check("path of lambda: one step a domain", overflow.steps - 3, 0);
}

// A group with few rows and one with more than there are features, some of them without a cost,
// against fits to the other rows.
void without_group() {
  const Index r = 6, n = 40;
  const MatrixXd Z = numbers(n, r, 2), Y = numbers(n, 2, 3);
  VectorXd costs = VectorXd::LinSpaced(n, 0.5, 2);
  costs[1] = costs[30] = 0;
  MatrixXd ridges = MatrixXd::Zero(r, 2);
  ridges.col(0).setConstant(0.3);
  ridges.col(1).setConstant(5);
  const MatrixXd second = Z.transpose() * costs.asDiagonal() * Z;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> basis(second);
  const MatrixXd F = basis.eigenvectors().transpose() * Z.transpose();
  const MatrixXd penalised = ridges.colwise() + basis.eigenvalues();
  const MatrixXd sums = F * costs.asDiagonal() * Y;
  const VectorXd root = costs.cwiseSqrt();
  for (const Index own : {3, 25}) {
    const MatrixXd part = F.leftCols(own), targets = Y.topRows(own), rest = F.rightCols(n - own);
    const MatrixXd weighted = rest * costs.tail(n - own).asDiagonal();
    const domgen::WithoutGroup group(view(part), view(targets), root.head(own), view(sums));
    const MatrixXd found = group.predict(penalised);
    double error = 0;
    for (Index l = 0; l < 2; ++l) {
      MatrixXd A = weighted * rest.transpose();
      A.diagonal() += ridges.col(l);
      const MatrixXd W = A.ldlt().solve(weighted * Y.bottomRows(n - own));
      error = std::max(error, largest(found.middleCols(2 * l, 2) - part.transpose() * W));
    }
    check(own == 3 ? "ridge without few rows" : "ridge without many rows", error, 1e-10);
  }
}

}  // namespace

void test_ridge() {
  factor();
  conjugate();
  lodo_path();
  without_group();
}
