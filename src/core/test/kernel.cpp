#include "test.h"

#include "../kernel/columns.h"
#include "../kernel/embedding.h"
#include "../kernel/gram.h"
#include "../kernel/tree.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace {

using namespace domgen_test;

domgen::KernelProgram program(const std::string& type, double sigma) {
  domgen::KernelProgram k;
  k.type = type;
  k.inv = VectorXd::Constant(1, 1 / sigma);
  return k;
}

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

}  // namespace

void test_kernel() {
  kernels();
  kernels_of_columns();
}
