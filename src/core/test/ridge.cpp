#include "test.h"

#include "../ridge/conjugate.h"
#include "../ridge/factor.h"
#include "../ridge/lodo-path.h"
#include "../ridge/lodo-tridiagonal.h"
#include "../ridge/squared-errors.h"
#include "../ridge/without-group.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <algorithm>
#include <vector>

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

// The twin of solve_conjugate(): all that it finds from one dense system for each of its systems,
//   (K + D_k) c_k + 1 b_k + e = z_k,  1'c_k = missing_k,  sum_k c_k = 0
// for the classes k; b only with a constant, e, the number that is not known, only with classes.
MatrixXd naive_conjugate(const MatrixXd& K, const domgen::ConjugateProblem& problem) {
  const Index n = K.rows(), classes = problem.classes, all = n * classes;
  const Index constants = problem.constant ? classes : 0, unknown = classes > 1 ? n : 0;
  MatrixXd change(n, problem.ridge.cols());
  for (Index g = 0; g < problem.missing.cols(); ++g) {
    MatrixXd A = MatrixXd::Zero(all + constants + unknown, all + constants + unknown);
    VectorXd z = VectorXd::Zero(A.rows());
    for (Index k = 0; k < classes; ++k) {
      auto rows = A.middleRows(k * n, n);
      rows.middleCols(k * n, n) = K;
      rows.middleCols(k * n, n).diagonal() += problem.ridge.col(g * classes + k);
      if (constants > 0) rows.col(all + k).setOnes();
      if (unknown > 0) rows.rightCols(n).setIdentity();
      z.segment(k * n, n) = problem.right.col(g * classes + k);
    }
    A.bottomRows(constants + unknown) = A.rightCols(constants + unknown).transpose();
    z.segment(all, constants) = problem.missing.col(g).head(constants);
    const VectorXd solution = A.fullPivLu().solve(z);
    for (Index k = 0; k < classes; ++k) change.col(g * classes + k) = solution.segment(k * n, n);
  }
  return change;
}

// One class and two systems, or three classes and one; with and without a constant and a start that
// does not add up to 0; with more steps than are needed.
void conjugate() {
  const Index n = 60;
  const MatrixXd K = positive(n), U = domgen::landmark_root(view(K), 12, pool);
  MatrixXd ridge(n, 2), shares = numbers(n, 3, 7).array().exp();
  ridge << VectorXd::LinSpaced(n, 0.5, 2), VectorXd::LinSpaced(n, 3, 1);
  for (Index i = 0; i < n; ++i) shares.row(i) /= shares.row(i).sum();
  for (const Index classes : {1, 3}) {
    const Index systems = classes == 1 ? 2 : 1;
    MatrixXd missing = MatrixXd::Constant(classes, systems, 3);
    if (classes > 1) missing << 1, 2, -3;
    for (const double tolerance : {1e-24, 0.0}) {
      for (const bool constant : {false, true}) {
        const domgen::ConjugateLimits limits{VectorXd::Constant(systems, tolerance),
                                             VectorXd::Constant(systems, 1e300), 200};
        const domgen::ConjugateProblem problem{
            [&](const MatrixXd& x, MatrixXd& y) { domgen::multiply_gram(view(K), x, y); },
            view(U),
            classes,
            classes == 1 ? ridge : MatrixXd(shares.cwiseInverse()),
            numbers(n, classes * systems, 5),
            constant ? missing : MatrixXd(0 * missing),
            constant,
            limits};
        const auto found = domgen::solve_conjugate(problem, pool);
        const MatrixXd& c = found.change;
        check("conjugate gradients: as by one dense system",
              largest(c - naive_conjugate(K, problem)), 1e-9);
        check("conjugate gradients: the product", largest(found.product - K * c), 1e-9);
        if (tolerance > 0) check("conjugate gradients: converged", found.converged[0] ? 0 : 1, 0);
        if (classes > 1) check("conjugate gradients: rows", largest(c.rowwise().sum()), 1e-11);
        if (!constant) continue;
        check("conjugate gradients: the sums",
              largest(c.colwise().sum() -
                      Eigen::Map<const Eigen::RowVectorXd>(missing.data(), missing.size())),
              1e-11);
        MatrixXd left = K * c + problem.ridge.cwiseProduct(c) - problem.right;
        left.rowwise() += Eigen::Map<const Eigen::RowVectorXd>(found.constant.data(), c.cols());
        if (classes > 1) left.colwise() -= VectorXd(left.rowwise().mean());
        check("conjugate gradients: the constant", largest(left), 1e-9);
      }
    }
  }
}

// The twin of lodo_path(): for each domain, response and lambda the ridge regression on the rows o
// of the others,
//   (K_oo + lambda C^-1) a + 1 b = y - centre,  1'a = 0 with an intercept, else b = 0,
// solved for itself.
MatrixXd naive_lodo_path(const MatrixXd& K, const domgen::PathProblem& problem) {
  const Index n = K.rows(), m = problem.Y.cols(), L = problem.lambda.size();
  const domgen::LeftOut& out = problem.out;
  MatrixXd prediction(n, m * L);
  for (Index g = 0; g < out.domains(); ++g) {
    std::vector<Index> others;
    for (Index i = 0; i < n; ++i)
      if (i < out.begin[g] || i >= out.begin[g + 1]) others.push_back(i);
    const Index left = Index(others.size()), all = left + (out.intercept ? 1 : 0);
    for (Index l = 0; l < L; ++l) {
      MatrixXd A = MatrixXd::Ones(all, all), right = MatrixXd::Zero(all, m);
      A(all - 1, all - 1) = 0;
      for (Index i = 0; i < left; ++i) {
        for (Index j = 0; j < left; ++j) A(i, j) = K(others[i], others[j]);
        A(i, i) += problem.lambda[l] / (problem.root[others[i]] * problem.root[others[i]]);
        right.row(i) = problem.Y.row(others[i]) - out.centre.row(g);
      }
      const MatrixXd a = A.fullPivLu().solve(right);
      for (Index i = out.begin[g]; i < out.begin[g + 1]; ++i) {
        Eigen::RowVectorXd f = out.centre.row(g);
        for (Index j = 0; j < left; ++j) f += K(i, others[j]) * a.row(j);
        if (out.intercept) f += a.row(left);
        prediction.row(i).segment(l * m, m) = f;
      }
    }
  }
  return prediction;
}

// Domains of unequal sizes, with and without a pole and an intercept. Responses whose squares
// overflow have none, and the walk ends with the first step, because there is no further direction.
void lodo_path() {
  const Index n = 30;
  const MatrixXd K = positive(n);
  domgen::PathProblem problem;
  problem.Y = numbers(n, 2, 6);
  problem.root = VectorXd::LinSpaced(n, 0.7, 1.4);
  problem.lambda = VectorXd::LinSpaced(3, 0.5, 2);
  problem.out.begin = {0, 4, 15, 30};
  problem.out.centre = numbers(3, 2, 4);
  problem.tolerance = 1e-13;
  problem.patience = 1e6;
  for (const double pole : {0.0, 0.8}) {
    MatrixXd M = K;
    if (pole > 0) {
      M.diagonal().array() += pole / problem.root.array().square();
      M = M.inverse().eval();
    }
    problem.K = view(M);
    problem.pole = pole;
    for (const bool intercept : {false, true}) {
      problem.out.intercept = intercept;
      const domgen::LodoPath path = domgen::lodo_path(problem, pool);
      check("path of lambda: as by a regression each",
            largest(path.prediction - naive_lodo_path(K, problem)), 1e-10);
      for (const char lost : path.lost) check("path of lambda: nothing is lost", lost, 0);
    }
  }
  problem.K = view(K);
  problem.pole = 0;
  for (const bool intercept : {false, true}) {
    problem.out.intercept = intercept;
    const domgen::LodoPath path = domgen::lodo_tridiagonal(problem, pool);
    check("path of lambda by a tridiagonal form",
          largest(path.prediction - naive_lodo_path(K, problem)), 1e-10);
    for (const char lost : path.lost) check("path of lambda: nothing is lost", lost, 0);
  }
  problem.out.intercept = false;
  problem.Y *= 1e200;
  const domgen::LodoPath overflow = domgen::lodo_path(problem, pool);
  check("path of lambda: overflow is lost", overflow.lost[0] && overflow.lost[1] ? 0 : 1, 0);
  check("path of lambda: one step a system", overflow.steps - 6, 0);
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
    const MatrixXd found = group.residuals(penalised);
    double error = 0;
    for (Index l = 0; l < 2; ++l) {
      MatrixXd A = weighted * rest.transpose();
      A.diagonal() += ridges.col(l);
      const MatrixXd W = A.ldlt().solve(weighted * Y.bottomRows(n - own));
      const MatrixXd residual = targets - part.transpose() * W;
      error = std::max(error, largest(found.middleCols(2 * l, 2) - residual));
    }
    check(own == 3 ? "ridge without few rows" : "ridge without many rows", error, 1e-10);

    // the same from sums of the group's rows in any basis, and squared errors of the second column
    const MatrixXd plain = Z.topRows(own).transpose();
    const domgen::WithoutGroup rows(view(plain), view(targets), root.head(own), {});
    MatrixXd own_second, own_cross;
    rows.own_sums(own_second, own_cross);
    domgen::SquaredErrors errors;
    errors.share = costs;
    errors.own = errors.targets = 1;
    const MatrixXd all_cross = Z.transpose() * costs.asDiagonal() * Y;
    double fits = 0, squares = 0;
    domgen::WithoutGroup::each_fit(
        ridges, second - own_second, all_cross - own_cross, [&](Index l, const MatrixXd& W) {
          const MatrixXd residual = rows.residuals_of(W);
          fits = std::max(fits, largest(residual - found.middleCols(2 * l, 2)));
          const VectorXd from_sums =
              errors.of_fits(W, {own_second.data(), r, r}, {own_cross.data(), r, 2},
                             errors.squares_of(targets, 0));
          squares = std::max(
              squares, std::abs(from_sums[0] - costs.head(own).dot(residual.col(1).cwiseAbs2())));
        });
    check("ridge without rows, from sums", fits, 1e-10);
    check("squared errors without rows, from sums", squares, 1e-10);
  }
}

}  // namespace

void test_ridge() {
  factor();
  conjugate();
  lodo_path();
  without_group();
}
