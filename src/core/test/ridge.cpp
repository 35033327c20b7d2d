#include "test.h"

#include "../ridge/conjugate.h"
#include "../ridge/factor.h"
#include "../ridge/lodo-path.h"
#include "../ridge/risk-sets.h"
#include "../ridge/without-group.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <utility>
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

domgen::ConjugateLimits exactly(Index systems, double least) {
  return {VectorXd::Constant(systems, least), VectorXd::Constant(systems, 1e300), 200};
}

// Conjugate gradients against the factor for two systems, with and without a constant, a start that
// does not add up to 0, and more steps than are needed.
void conjugate() {
  const Index n = 150;
  const MatrixXd K = positive(n), U = domgen::landmark_root(view(K), 12, pool);
  const MatrixXd z = numbers(n, 2, 5);
  MatrixXd ridge(n, 2);
  ridge << VectorXd::LinSpaced(n, 0.5, 2), VectorXd::LinSpaced(n, 3, 1);
  for (const double tolerance : {1e-24, 0.0}) {
    domgen::ConjugateProblem problem{
        view(K), view(U), 1, ridge, z, MatrixXd::Zero(1, 2), false, exactly(2, tolerance)};
    const MatrixXd plain = domgen::solve_conjugate(problem, pool).change;
    problem.constant = true;
    problem.missing.setConstant(3);
    const auto found = domgen::solve_conjugate(problem, pool);
    for (Index k = 0; k < 2; ++k) {
      const VectorXd own = ridge.col(k), c = found.change.col(k);
      const domgen::RidgeFactor factor(buffer(K), own, pool);
      check("conjugate gradients: without a constant",
            largest(plain.col(k) - factor.solve(z.col(k))), 1e-10);
      const VectorXd left =
          K * c + own.cwiseProduct(c) - z.col(k) + VectorXd::Constant(n, found.constant(0, k));
      check("conjugate gradients: with a constant", largest(left), 1e-9);
      check("conjugate gradients: the sum", std::abs(c.sum() - 3), 1e-11);
      check("conjugate gradients: the product", largest(found.product.col(k) - K * c), 1e-9);
    }
  }
}

// Three classes: what is left is the same for all classes of a row.
void conjugate_classes() {
  const Index n = 60;
  const MatrixXd K = positive(n), U = domgen::landmark_root(view(K), 12, pool);
  const MatrixXd z = numbers(n, 3, 5);
  MatrixXd shares = numbers(n, 3, 7).array().exp();
  for (Index i = 0; i < n; ++i) shares.row(i) /= shares.row(i).sum();
  const MatrixXd ridge = shares.cwiseInverse();
  MatrixXd missing(3, 1);
  missing << 1, 2, -3;
  const domgen::ConjugateProblem problem{view(K), view(U), 3,    ridge,
                                         z,       missing, true, exactly(1, 1e-24)};
  const auto found = domgen::solve_conjugate(problem, pool);
  check("conjugate gradients of classes: converged", found.converged[0] ? 0 : 1, 0);
  MatrixXd left = K * found.change + ridge.cwiseProduct(found.change) - z;
  left.rowwise() += found.constant.col(0).transpose();
  left.colwise() -= VectorXd(left.rowwise().mean());
  check("conjugate gradients of classes: the residual", largest(left), 1e-9);
  check("conjugate gradients of classes: rows", largest(found.change.rowwise().sum()), 1e-11);
  check("conjugate gradients of classes: the sums",
        largest(found.change.colwise().sum().transpose() - missing), 1e-11);
}

// A step of Cox regression against the matrix of its curvature: rows 0 to 17 are a stratum with
// times 1 and 2, the others one with time 3; every fifth row enters after the first time of its
// stratum, where there is a second one.
void risk_sets() {
  const Index n = 30, r = 8;
  const std::vector<int> first = {0, 0, 18};
  const MatrixXd Z = numbers(n, r, 2);
  domgen::RiskSets sets;
  sets.v = numbers(n, 1, 3).array().exp();
  sets.rate = VectorXd::LinSpaced(3, 1, 2);
  sets.risk.resize(3);
  std::vector<int> until, since;
  for (int i = 0; i < n; ++i) {
    until.push_back(i < 18 ? i % 3 : (i % 2) * 3);
    since.push_back(i < 18 && i % 5 == 0 && until.back() == 2 ? 1 : 0);
  }
  const auto ordered = [&](const std::vector<int>& reached) {
    domgen::RiskOrder order;
    order.reached = reached;
    order.first = first;
    for (int i = 0; i < n; ++i) order.by.push_back(i);
    std::sort(order.by.begin(), order.by.end(), [&](int i, int j) {
      const auto key = [&](int row) {
        return std::make_pair(row >= 18, -reached[static_cast<std::size_t>(row)]);
      };
      return key(i) < key(j);
    });
    for (int k = 0; k < 3; ++k) {
      int last = 0;
      for (int place = first[static_cast<std::size_t>(k)]; place < (k < 2 ? 18 : n); ++place)
        if (reached[static_cast<std::size_t>(order.by[static_cast<std::size_t>(place)])] > k)
          last = place + 1;
      order.last.push_back(last);
    }
    return order;
  };
  sets.until = ordered(until);
  sets.since = ordered(since);
  VectorXd hazard = VectorXd::Zero(n);
  MatrixXd W = MatrixXd::Zero(n, n);
  for (Index k = 0; k < 3; ++k) {
    VectorXd own = VectorXd::Zero(n);
    for (Index i = 0; i < n; ++i) {
      const auto row = static_cast<std::size_t>(i);
      if ((k < 2) == (i < 18) && until[row] > k && since[row] <= k) own(i) = 1;
    }
    hazard += sets.rate(k) * own;
    own = own.cwiseProduct(sets.v);
    sets.risk(k) = own.sum();
    W -= sets.rate(k) / sets.risk(k) * own * own.transpose();
  }
  sets.curvature = sets.v.cwiseProduct(hazard);
  W.diagonal() += sets.curvature;
  const VectorXd right = numbers(r, 1, 4);
  const MatrixXd hessian = MatrixXd::Identity(r, r) + Z.transpose() * W * Z;
  const VectorXd expected = hessian.ldlt().solve(right);
  for (const Index columns : {Index(3), r}) {
    domgen::CoxSystem system(view(Z), sets, columns, pool);
    const auto step = system.solve(right, exactly(1, 1e-26));
    check("Cox regression: a step", largest(step.change - expected), 1e-10);
    check("Cox regression: its product", largest(step.product - Z * expected), 1e-10);
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
  conjugate_classes();
  risk_sets();
  lodo_path();
  without_group();
}
