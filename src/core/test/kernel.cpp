#include "test.h"

#include "../kernel/columns.h"
#include "../kernel/embedding.h"
#include "../kernel/gram.h"
#include "../kernel/median-distance.h"
#include "../kernel/neighbours.h"
#include "../kernel/pair-sums.h"
#include "../kernel/kernel.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace domgen_test;

double rbf(const MatrixXd& X, Index i, Index j, double sigma) {
  return std::exp(-(X.row(i) - X.row(j)).squaredNorm() / (2 * sigma * sigma));
}

void kernels() {
  const Index n = 131, p = 3;
  const MatrixXd X = numbers(n, p, 2);
  domgen::KernelProgram product = program("product", 1), sum = program("sum", 1);
  product.parts = {program("rbf", 1.5), program("laplace", 2)};
  sum.parts = {product, program("linear", 1)};
  domgen::KernelProgram normalised = program("normalise", 1);
  normalised.parts = {sum};
  const auto kernel = domgen::KernelBuilder(view(X), view(X)).build(normalised);
  const MatrixXd kappa = (MatrixXd(2, 2) << 1, 0.3, 0.3, 1).finished();
  domgen::DomainWeights weights;
  weights.kappa = view(kappa);
  for (Index i = 0; i < n; ++i) weights.x.push_back(int(i % 2));
  weights.z = weights.x;
  MatrixXd K(n, n), naive(n, n);
  domgen::gram_matrix(*kernel, weights, n, K.data(), pool);
  const auto raw = [&](Index i, Index j) {
    return rbf(X, i, j, 1.5) * std::exp(-(X.row(i) - X.row(j)).norm() / 2) + X.row(i).dot(X.row(j));
  };
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      naive(i, j) = kappa(i % 2, j % 2) * raw(i, j) / std::sqrt(raw(i, i) * raw(j, j));
  check("kernel tree: Gram matrix", largest(K - naive), 1e-14);
  const MatrixXd A = numbers(n, 3, 4);
  MatrixXd out(n, 3);
  domgen::apply_kernel(*kernel, weights, n, view(A), out.data(), pool);
  check("kernel tree: Gram matrix times matrix", largest(out - naive * A), 1e-12);
  domgen::apply_gram(*kernel, weights, n, view(A), out.data(), pool);
  check("kernel tree: the same, each pair once", largest(out - naive * A), 1e-12);

  const auto gauss = domgen::KernelBuilder(view(X), view(X)).build(program("rbf", 1));
  const domgen::DomainRows rows{n, n, weights.x, weights.x, 2, 2, true};
  const MatrixXd means = domgen::MeanEmbeddings(*gauss, rows, pool).means();
  MatrixXd mean = MatrixXd::Zero(2, 2), count = mean;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) mean(i % 2, j % 2) += rbf(X, i, j, 1), count(i % 2, j % 2) += 1;
  check("mean embeddings", largest(means - mean.cwiseQuotient(count)), 1e-14);
}

void kernels_of_columns() {
  const Index n = 67;
  MatrixXd X = numbers(n, 3, 3);
  const MatrixXd table = numbers(5, 5, 4);
  for (Index i = 0; i < n; ++i) X(i, 1) = double(i % 4) - 1, X(i, 2) = double(i % 5 + 1);
  domgen::KernelProgram apart = program("categories", 1), lookup = program("lookup", 1);
  apart.gamma = 0.7;
  lookup.table = view(table);
  domgen::KernelProgram on_second = program("columns", 1), on_third = on_second;
  on_second.columns = {1};
  on_second.parts = {apart};
  on_third.columns = {2};
  on_third.parts = {lookup};
  domgen::KernelProgram sum = program("sum", 1);
  sum.parts = {on_second, on_third, program("rbf", 2)};
  const auto kernel = domgen::KernelBuilder(view(X), view(X)).build(sum);
  MatrixXd K(n, n), naive(n, n);
  domgen::cross_matrix(*kernel, domgen::DomainWeights(), n, n, K.data(), pool);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      naive(i, j) = std::exp(-0.7 * std::min(std::abs(X(i, 1) - X(j, 1)), 1.0)) +
                    table(Index(X(i, 2)) - 1, Index(X(j, 2)) - 1) + rbf(X, i, j, 2);
  check("kernels of columns", largest(K - naive), 1e-14);
  check("kernels of columns: diagonal", largest(kernel->self(domgen::Side::z) - naive.diagonal()),
        1e-14);
}

// Against the sum over all subsets of predictors, by their number; more products than predictors
// are as many as predictors.
void anova() {
  const Index n = 67, p = 5;
  const MatrixXd X = numbers(n, p, 3), Z = numbers(21, p, 9);
  double error = 0, between = 0, own = 0;
  for (const int degree : {1, 2, 3, 5, 9}) {
    const auto naive = [&](const VectorXd& x, const VectorXd& z) {
      VectorXd sums = VectorXd::Zero(p + 1), counts = sums;
      for (int subset = 0; subset < (1 << p); ++subset) {
        double value = 1;
        int size = 0;
        for (int k = 0; k < p; ++k) {
          if (subset & (1 << k)) value *= std::exp(-0.5 * std::pow((x[k] - z[k]) / 0.6, 2)), ++size;
        }
        sums[size] += value, counts[size] += 1;
      }
      const Index most = std::min(Index(degree), p);
      return (sums.array() / counts.array()).segment(1, most).sum() / double(most);
    };
    domgen::KernelProgram program = domgen_test::program("anova", 0.6);
    program.degree = degree;
    const auto kernel = domgen::KernelBuilder(view(X), view(X)).build(program);
    MatrixXd K(n, n), cross(n, Z.rows());
    domgen::gram_matrix(*kernel, domgen::DomainWeights(), n, K.data(), pool);
    domgen::cross_matrix(*domgen::KernelBuilder(view(X), view(Z)).build(program),
                         domgen::DomainWeights(), n, Z.rows(), cross.data(), pool);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j)
        error = std::max(error, std::abs(K(i, j) - naive(X.row(i), X.row(j))));
      for (Index j = 0; j < Z.rows(); ++j)
        between = std::max(between, std::abs(cross(i, j) - naive(X.row(i), Z.row(j))));
    }
    own = std::max(own, largest(K.diagonal() - kernel->self(domgen::Side::x)));
    own = std::max(own, largest(K - K.transpose()));
  }
  check("ANOVA kernel: Gram matrix", error, 1e-15);
  check("ANOVA kernel: other rows", between, 1e-15);
  check("ANOVA kernel: diagonal and symmetry", own, 0);

  // products of thousands: no overflow
  const MatrixXd wide = numbers(40, 2100, 3);
  domgen::KernelProgram program = domgen_test::program("anova", 1000);
  program.degree = 2100;
  const auto kernel = domgen::KernelBuilder(view(wide), view(wide)).build(program);
  MatrixXd K(40, 40);
  domgen::gram_matrix(*kernel, domgen::DomainWeights(), 40, K.data(), pool);
  check("ANOVA kernel: thousands of predictors", largest(K.diagonal() - VectorXd::Ones(40)), 0);
  check("ANOVA kernel: values in its range", K.minCoeff() > 0.99 && K.maxCoeff() == 1 ? 0 : 1, 0);
}

// With few values and with so many that a sample is taken, an odd and an even number, and ties.
void median_distances() {
  double error = 0;
  for (const Index n : {2, 3, 4, 30, 160, 301}) {
    for (const double step : {0.0, 0.5, 10.0}) {
      MatrixXd X = numbers(n, 3, 5);
      if (step > 0) X = (X / step).array().round() * step;
      std::vector<double> all;
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < j; ++i) all.push_back((X.row(i) - X.row(j)).norm());
      std::sort(all.begin(), all.end());
      if (all[all.size() / 2] == 0)
        all.erase(all.begin(), std::upper_bound(all.begin(), all.end(), 0));
      const double naive = all.empty() ? 0 : (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
      error = std::max(error, std::abs(domgen::median_distance(view(X), 0) - naive));
    }
  }
  check("median distance", error, 1e-14);
}

void neighbours() {
  const Index n = 131, k = 5;
  const MatrixXd X = numbers(n, 3, 5);
  const domgen::Rows rows(view(X), VectorXd::Zero(3), VectorXd::Ones(3));
  const auto found = domgen::neighbour_pairs(domgen::nearest_neighbours(rows, k, pool), k);
  std::set<std::pair<int, int>> naive;
  for (int i = 0; i < n; ++i) {
    std::vector<std::pair<double, int>> others;
    for (int j = 0; j < n; ++j)
      if (j != i) others.emplace_back((X.row(i) - X.row(j)).squaredNorm(), j);
    std::sort(others.begin(), others.end());
    for (Index a = 0; a < k; ++a) {
      const int j = others[std::size_t(a)].second;
      naive.emplace(std::min(i, j), std::max(i, j));
    }
  }
  const std::set<std::pair<int, int>> unique(found.begin(), found.end());
  check("neighbours: the pairs", unique == naive && unique.size() == found.size() ? 0 : 1, 0);
}

void pair_sums() {
  const Index n = 131, p = 2;
  const MatrixXd X = numbers(n, p, 2), left = numbers(n, 3, 4), right = numbers(n, 3, 6);
  const MatrixXd kappa = (MatrixXd(2, 2) << 1, 0.3, 0.3, 0.8).finished();
  domgen::DomainWeights weights;
  weights.kappa = view(kappa);
  for (Index i = 0; i < n; ++i) weights.x.push_back(int(i % 2));
  weights.z = weights.x;
  const MatrixXd half = left * right.transpose(), W = (half + half.transpose()) / 2;
  VectorXd slopes = VectorXd::Zero(p);
  MatrixXd cells = MatrixXd::Zero(2, 2);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      const double k = rbf(X, i, j, 1.5);
      cells(i % 2, j % 2) += W(i, j) * k;
      slopes +=
          W(i, j) * kappa(i % 2, j % 2) * k * ((X.row(i) - X.row(j)) / 1.5).cwiseAbs2().transpose();
    }
  const domgen::PairWeights pairs(view(left), view(right));
  const domgen::PairSums sums(pairs, pool);
  const domgen::Rows scaled(view(X), VectorXd::Zero(p), VectorXd::Constant(p, 1 / 1.5));
  const domgen::KernelBuilder builder(view(X), view(X));
  const VectorXd found =
      sums.by_predictor(*builder.build(program("rbf_rate", 1.5)), weights, scaled);
  check("sums over pairs: by predictor", largest(found - slopes), 1e-9);
  const MatrixXd by = sums.by_domains(*builder.build(program("rbf", 1.5)), weights.x, 2);
  check("sums over pairs: by domains", largest(by + by.transpose() - cells - cells.transpose()),
        1e-9);
}

}  // namespace

void test_kernel() {
  kernels();
  kernels_of_columns();
  anova();
  median_distances();
  neighbours();
  pair_sums();
}
