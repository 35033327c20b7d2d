#include "test.h"

#include "../feature/fourier.h"
#include "../feature/given.h"
#include "../feature/landmarks.h"
#include "../feature/random-pivots.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <vector>

namespace {

using namespace domgen_test;

// z'z is k_x' W^-1 k_x, W the kernel's matrix at the landmarks.
void landmarks() {
  const Index n = 70, q = 6;
  const MatrixXd X = numbers(n, 2, 4), S = numbers(q, 2, 9);
  const MatrixXd kappa = (MatrixXd(2, 3) << 1, 0.3, 0.1, 0.3, 1, 0.6).finished();
  domgen::DomainWeights weights;
  weights.kappa = view(kappa);
  std::vector<int> domain;
  for (Index s = 0; s < q; ++s) weights.x.push_back(int(s % 2));
  for (Index i = 0; i < n; ++i) domain.push_back(int(i % 3));
  MatrixXd W(q, q), K(q, n);
  for (Index s = 0; s < q; ++s) {
    for (Index t = 0; t < q; ++t)
      W(s, t) = std::exp(-(S.row(s) - S.row(t)).squaredNorm() / 2) + (s == t ? 0.1 : 0);
    for (Index i = 0; i < n; ++i)
      K(s, i) = kappa(s % 2, i % 3) * std::exp(-(S.row(s) - X.row(i)).squaredNorm() / 2);
  }
  const Eigen::LLT<MatrixXd> factor(W);
  const MatrixXd L = factor.matrixL();
  domgen::LandmarkMap map(program("rbf", 1), view(S), view(L), weights);
  MatrixXd Zt(q, n);
  for (Index first = 0; first < n; first += 32) {
    const domgen::RowBlock rows{view(X), domain.data(), first, std::min<Index>(32, n - first)};
    map.evaluate(rows, Zt.col(first).data(), pool);
  }
  check("landmarks: Z Z'", largest(Zt.transpose() * Zt - K.transpose() * factor.solve(K)), 1e-12);
}

// Cosines and sines of each domain's angles, also of those beyond the limit of the fast ones; what
// is not a number stays so. More rows than are evaluated at a time.
void fourier() {
  const Index n = 300, D = 11, p = 3;
  MatrixXd X = numbers(n, p, 4);
  X.row(270) << 1e12, 0, 0;
  const MatrixXd W = numbers(p, D, 9), shift = numbers(D, 2, 3);
  std::vector<int> domain;
  for (Index i = 0; i < n; ++i) domain.push_back(int(i % 2));
  domgen::FourierMap map(view(W), view(shift), Eigen::VectorXd::Zero(p));
  MatrixXd Zt(2 * D, n), expected(2 * D, n);
  map.evaluate({view(X), domain.data(), 0, n}, Zt.data(), pool);
  for (Index i = 0; i < n; ++i) {
    for (Index d = 0; d < D; ++d) {
      double angle = 0;
      for (Index k = 0; k < p; ++k) angle += W(k, d) * X(i, k);
      angle += shift(d, i % 2);
      expected(d, i) = std::cos(angle) / std::sqrt(double(D));
      expected(D + d, i) = std::sin(angle) / std::sqrt(double(D));
    }
  }
  check("Fourier features", largest(Zt - expected), 1e-14);
  X(270, 0) = std::numeric_limits<double>::quiet_NaN();
  map.evaluate({view(X), domain.data(), 0, n}, Zt.data(), pool);
  check("Fourier features of what is not a number", Zt.col(270).array().isNaN().all() ? 0 : 1, 0);
}

// Of rows that come several times one each is drawn, and then nothing is left.
void pivots() {
  const Index n = 60, distinct = 7;
  MatrixXd X(n, 2);
  for (Index i = 0; i < n; ++i) X.row(i) = 3 * numbers(distinct, 2, 6).row(i % distinct);
  unsigned state = 1;
  const std::function<double()> uniform = [&] {
    state = state * 1664525u + 1013904223u;
    return (double(state >> 8) + 0.5) / double(1u << 24);
  };
  const domgen::KernelProgram rbf = program("rbf", 1);
  const domgen::DomainWeights unweighted;
  const auto draw = [&](Index wanted) {
    return domgen::RandomPivots(rbf, view(X), unweighted, uniform, pool).draw(wanted, 1e-10, 0);
  };
  const std::vector<Index> all = draw(20), some = draw(3);
  std::set<Index> classes;
  for (const Index row : all) classes.insert(row % distinct);
  check("random pivots: one of each row", std::abs(double(all.size()) - distinct), 0);
  check("random pivots: all rows", std::abs(double(classes.size()) - distinct), 0);
  check("random pivots: as many as wanted", std::abs(double(some.size()) - 3), 0);
  domgen::RandomPivots drawn(rbf, view(X), unweighted, uniform, pool);
  const std::vector<Index> at = drawn.draw(20, 1e-10, 0);
  // beside a row that stays
  MatrixXd Ft = MatrixXd::Constant(drawn.rank() + 1, n, 5), K(n, n);
  drawn.features(Ft.data(), drawn.rank() + 1);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) K(i, j) = std::exp(-(X.row(i) - X.row(j)).squaredNorm() / 2);
  const MatrixXd features = Ft.topRows(drawn.rank());
  check("random pivots: features", largest(features.transpose() * features - K), 1e-10);
  const MatrixXd L = drawn.factor();
  MatrixXd wrong = L * L.transpose();
  for (Index a = 0; a < L.rows(); ++a)
    for (Index b = 0; b < L.rows(); ++b) wrong(a, b) -= K(at[a], at[b]);
  check("random pivots: factor", largest(wrong), 1e-14);
  check("random pivots: beside the features", largest(Ft.bottomRows(1).array() - 5), 0);
}

// Blocks of known features are theirs.
void given() {
  const Index n = 50;
  const MatrixXd X = numbers(n, 2, 4), known = numbers(5, n, 6);
  domgen::GivenMap map(view(known));
  MatrixXd Zt(5, n);
  domgen::for_each_block(map, view(X), nullptr, 16, pool,
                         [&](const domgen::RowBlock& rows, const double* block) {
                           std::copy(block, block + 5 * rows.count, Zt.col(rows.first).data());
                         });
  check("given features", largest(Zt - known), 0);
}

}  // namespace

void test_feature() {
  landmarks();
  fourier();
  pivots();
  given();
}
