// The core without R, as .ci/check-core builds it: every header in one translation unit, at -O0
// with the assertions of Eigen and of the standard library, against loops of two lines.
// `core-test assertion` must die of a failed assertion.
#include "../band.h"
#include "../blas.h"
#include "../cell-means.h"
#include "../centre.h"
#include "../cholesky.h"
#include "../dcm.h"
#include "../denominator.h"
#include "../directions.h"
#include "../embedding.h"
#include "../exp.h"
#include "../feature-map.h"
#include "../feature-moments.h"
#include "../feature-product.h"
#include "../feature-projection.h"
#include "../fourier.h"
#include "../gp.h"
#include "../gram-projection.h"
#include "../gram.h"
#include "../inverse.h"
#include "../kernel-columns.h"
#include "../kernel-leaf.h"
#include "../kernel-tree.h"
#include "../kernels.h"
#include "../lanczos.h"
#include "../landmarks.h"
#include "../linear-descent.h"
#include "../linear-loops.h"
#include "../linear-newton.h"
#include "../linear-problem.h"
#include "../linear-svm.h"
#include "../linear-system.h"
#include "../lodo-path.h"
#include "../lodo.h"
#include "../neighbours.h"
#include "../numerator.h"
#include "../pair-difference.h"
#include "../pair-sums.h"
#include "../pivoted_cholesky.h"
#include "../projection.h"
#include "../random-pivots.h"
#include "../ratio.h"
#include "../response.h"
#include "../ridge.h"
#include "../row-form.h"
#include "../rows.h"
#include "../simd.h"
#include "../sincos.h"
#include "../smo-active.h"
#include "../smo-pair.h"
#include "../smo-problem.h"
#include "../smo-variables.h"
#include "../smo.h"
#include "../solve.h"
#include "../symmetric.h"
#include "../tile.h"
#include "../tridiagonal.h"
#include "../working-set.h"

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using domgen::Index;
using domgen::MatrixView;
using Eigen::MatrixXd;
using Eigen::VectorXd;

int failures = 0, polls = 0;

void check(const std::string& what, double error, double tolerance) {
  const bool fine = error <= tolerance;
  if (!fine) ++failures;
  std::printf("%s: %s (%.1e, allowed %.1e)\n", fine ? "ok" : "WRONG", what.c_str(), error,
              tolerance);
}

// What src/parallel.h is in the package, on one thread.
struct Serial {
  template <class Body>
  void run(Index pieces, const Body& body) const {
    for (Index i = 0; i < pieces; ++i) body(i, i + 1);
  }
  void interrupt() const { ++polls; }
  int count() const { return 1; }
};

const Serial pool;
const std::function<void()> poll = [] { ++polls; };
const double unit = std::numeric_limits<double>::epsilon();

MatrixXd numbers(Index rows, Index cols, int seed) {
  MatrixXd A(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) A(i, j) = std::sin(double(seed + 7 * i + 13 * j + i * j));
  return A;
}

MatrixView view(const MatrixXd& A) { return MatrixView(A.data(), A.rows(), A.cols()); }

double largest(const MatrixXd& A) { return A.cwiseAbs().maxCoeff(); }

// A [n x n] with eigenvalues of about n beside 1.
MatrixXd positive(Index n) {
  const MatrixXd B = numbers(n, 20, 1);
  return MatrixXd::Identity(n, n) + B * B.transpose();
}

void cholesky() {
  const Index n = 1100;  // more than a panel
  const MatrixXd A = positive(n);
  MatrixXd R = A;
  const bool done = domgen::cholesky_upper(R.data(), n, poll);
  const MatrixXd upper = R.triangularView<Eigen::Upper>();
  const Index few = 5;  // last columns
  const MatrixXd rebuilt = upper.transpose() * upper.rightCols(few);
  check("Cholesky: R'R = A", done ? largest(rebuilt - A.rightCols(few)) : 1, n * unit * A.trace());
  MatrixXd P = upper;
  domgen::inverse_from_cholesky(P.data(), n, poll);
  const MatrixXd whole = P.selfadjointView<Eigen::Upper>();
  const MatrixXd identity = MatrixXd::Identity(n, n).rightCols(few);
  check("inverse: PA = I", largest(whole * A.rightCols(few) - identity), n * unit * A.trace());

  MatrixXd K = A;
  const VectorXd ridge = VectorXd::LinSpaced(n, 0.5, 2);
  const domgen::RidgeFactor factor(Eigen::Map<MatrixXd>(K.data(), n, n), ridge, poll);
  const MatrixXd Y = numbers(n, 2, 5), X = factor.solve(Y);
  check("ridge: (A + D) X = Y", largest(A * X + ridge.asDiagonal() * X - Y), n * unit * A.trace());

  MatrixXd S = A.topLeftCorner(150, 150);
  VectorXd lambda(2);
  lambda << 0.1, 3;
  const MatrixXd B = numbers(150, 1, 3);
  const MatrixXd shifted =
      domgen::solve_shifted(Eigen::Map<MatrixXd>(S.data(), 150, 150), B, lambda, pool);
  const MatrixXd a = A.topLeftCorner(150, 150);
  check("band: (S + lambda I) x = b",
        std::max(largest(a * shifted.col(0) + 0.1 * shifted.col(0) - B),
                 largest(a * shifted.col(1) + 3 * shifted.col(1) - B)), 150 * unit * a.trace());
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
  const MatrixXd means = domgen::MeanEmbeddings<Serial>(*gauss, rows, pool).means();
  MatrixXd mean = MatrixXd::Zero(2, 2), count = mean;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      mean(i % 2, j % 2) += rbf(X, i, j, 1), count(i % 2, j % 2) += 1;
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
  check("kernels of columns: diagonal",
        largest(kernel->self(domgen::Side::z) - naive.diagonal()), 1e-14);
}

void moments() {
  const Index n = 301, p = 2, d = 5;
  const MatrixXd X = numbers(n, p, 8), W = numbers(p, d, 9), F = numbers(n, 2, 10);
  MatrixXd Z(n, 2 * d);
  Z << (X * W).array().cos().matrix(), (X * W).array().sin().matrix();
  Z /= std::sqrt(double(d));
  domgen::FourierMap<Serial> map(view(W), MatrixView(), VectorXd::Zero(p));
  std::vector<int> cell;
  for (Index i = 0; i < n; ++i) cell.push_back(int(i % 3));
  domgen::MomentRequest request;
  request.cell = cell.data();
  request.cells = 3;
  request.response = view(F);
  const domgen::FeatureMoments sums =
      domgen::feature_moments<Serial>(map, view(X), nullptr, request, 64, pool);
  MatrixXd cells = MatrixXd::Zero(2 * d, 3);
  for (Index i = 0; i < n; ++i) cells.col(i % 3) += Z.row(i).transpose();
  check("moments: Z'Z", largest(sums.second - Z.transpose() * Z), 1e-12);
  check("moments: sums by cell", largest(sums.sums - cells), 1e-12);
  check("moments: Z'F", largest(sums.cross - Z.transpose() * F), 1e-12);

  domgen::ProjectionMoments given;
  given.n = double(n);
  given.second = sums.second;
  given.sums = sums.sums;
  given.counts = sums.counts;
  given.labelled = sums.counts;
  domgen::ProjectionTerms terms;  // KPCA
  terms.norm = 1;
  terms.total = 1.0 / double(n);
  terms.ncomp = 2;
  terms.numerator_plus = terms.denominator_plus = terms.denominator_minus = terms.spread =
      MatrixXd::Zero(0, 3);
  const domgen::Projection fit = domgen::FeatureProjection(terms, given, poll).solve(0);
  const MatrixXd centred = Z.rowwise() - Z.colwise().mean();
  const VectorXd scatter =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(centred.transpose() * centred).eigenvalues();
  check("projection: KPCA's values from moments",
        std::abs(fit.solution.directions.values[0] - scatter[2 * d - 1] / double(n)), 1e-12);
}

void eigenpairs() {
  const Index n = 200, m = 5;
  const MatrixXd B = numbers(n, n, 1), A = positive(n) + 0.01 * B * B.transpose();
  const auto apply = [&](const double* x, double* y) {
    Eigen::Map<VectorXd>(y, n) = A * Eigen::Map<const VectorXd>(x, n);
  };
  const domgen::EigenPairs pairs = domgen::lanczos_leading_pairs(apply, n, m, poll);
  const MatrixXd defect = A * pairs.vectors - pairs.vectors * pairs.values.asDiagonal();
  check("Lanczos: A v = v theta", largest(defect), n * unit * A.norm());

  for (const double size : {1.0, 1e-200}) {
    MatrixXd D = size * A, E = D;
    const MatrixXd part = domgen::dense_leading_pairs(E, n - 1, poll).vectors;
    check("dense, all but one: V'V = I",
          largest(part.transpose() * part - MatrixXd::Identity(n - 1, n - 1)), n * unit);
    const domgen::EigenPairs dense = domgen::dense_leading_pairs(D, n, poll);
    const MatrixXd& V = dense.vectors;
    check("dense: A V = V Theta", largest(A * V - V * (dense.values / size).asDiagonal()),
          n * unit * A.norm());
    check("dense: V'V = I", largest(V.transpose() * V - MatrixXd::Identity(n, n)), 100 * n * unit);
    check("Lanczos and dense agree", largest(dense.values.head(m) / size - pairs.values),
          n * unit * A.norm());
  }
}

void machine() {
  const Index n = 60;
  const MatrixXd A = positive(n);
  domgen::DualProblem problem = {Eigen::Map<const MatrixXd>(A.data(), n, n),
                                 Eigen::Matrix<Index, Eigen::Dynamic, 1>::LinSpaced(n, 0, n - 1),
                                 VectorXd::Ones(n), VectorXd::Constant(n, -1),
                                 VectorXd::Constant(n, 10), VectorXd::Zero(n), false};
  for (Index i = 1; i < n; i += 2) problem.sign[i] = -1;
  const domgen::DualSolution solution =
      domgen::Smo(problem, VectorXd::Zero(n), 1e-10, 1e6, poll).solve();
  const MatrixXd Q = problem.sign.asDiagonal() * A * problem.sign.asDiagonal();
  double violation = 0;  // of the optimality conditions
  const VectorXd gradient = Q * solution.alpha - VectorXd::Ones(n);
  for (Index i = 0; i < n; ++i)
    violation = std::max(violation, solution.alpha[i] > 0 ? std::abs(gradient[i]) : -gradient[i]);
  check("dual machine: conditions of optimality", violation, 1e-8);
}

}  // namespace

int main(int argc, char**) {
  if (argc > 1) return int(VectorXd::Zero(3)[polls + argc + 1]);
  cholesky();
  lodo_path();
  kernels();
  kernels_of_columns();
  moments();
  eigenpairs();
  machine();
  check("interrupts were polled", polls > 0 ? 0 : 1, 0);
  return failures > 0;
}
