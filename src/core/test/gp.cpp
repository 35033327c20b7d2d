#include "test.h"

#include "../gp/covariance.h"
#include "../gp/likelihood.h"
#include "../kernel/kernel.h"
#include "../linalg/inverse.h"

#include <Eigen/Cholesky>

#include <cmath>
#include <vector>

namespace {

using namespace domgen_test;

// log N(y; 0, s2 A), A = K o kappa + diag(ridge), and its slopes, with K dense.
void likelihood() {
  const Index n = 70, p = 2;
  const MatrixXd X = numbers(n, p, 3);
  const VectorXd y = numbers(n, 1, 5), ridge = VectorXd::LinSpaced(n, 0.2, 0.4);
  const MatrixXd kappa = (MatrixXd(2, 2) << 1, 0.3, 0.3, 0.9).finished();
  domgen::DomainWeights weights;
  weights.kappa = view(kappa);
  for (Index i = 0; i < n; ++i) weights.x.push_back(int(i % 2));
  weights.z = weights.x;
  domgen::KernelProgram rbf = program("rbf", 1.5), slope = program("rbf_slope", 1.5);
  const auto kernel = domgen::KernelBuilder(view(X), view(X)).build(rbf);

  MatrixXd k(n, n), d2(n, n), A(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      d2(i, j) = (X.row(i) - X.row(j)).squaredNorm() / (1.5 * 1.5);
      k(i, j) = std::exp(-d2(i, j) / 2);
      A(i, j) = kappa(i % 2, j % 2) * k(i, j) + (i == j ? ridge[i] : 0);
    }
  const Eigen::LLT<MatrixXd> naive(A);
  const MatrixXd R = naive.matrixU();
  MatrixXd factor(n, n);
  const domgen::Factorised fit =
      domgen::factorise_covariance(*kernel, weights, ridge, y, factor.data(), pool);
  check("Gaussian process: positive", fit.positive ? 0 : 1, 0);
  check("Gaussian process: A^-1 y", largest(fit.alpha - naive.solve(y)), 1e-11);
  check("Gaussian process: log|A|",
        std::abs(fit.log_determinant - 2 * R.diagonal().array().log().sum()), 1e-11);

  const double s2 = 1.7;
  domgen::inverse_from_cholesky(factor.data(), n, pool);
  const domgen::LikelihoodSlopes slopes(factor.data(), fit.alpha, s2, weights, pool);
  const MatrixXd V = fit.alpha * fit.alpha.transpose() / s2 - naive.solve(MatrixXd::Identity(n, n));
  double bandwidth = 0;
  MatrixXd cells = MatrixXd::Zero(2, 2);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      bandwidth += V(i, j) * kappa(i % 2, j % 2) * k(i, j) * d2(i, j) / 2;
      cells(i % 2, j % 2) += V(i, j) * k(i, j) / 2;
    }
  std::vector<domgen::BandwidthSlope> wanted(2);
  wanted[0].kernel = domgen::KernelBuilder(view(X), view(X)).build(slope);
  wanted[1].kernel = domgen::KernelBuilder(view(X), view(X)).build(program("rbf_rate", 1.5));
  wanted[1].predictors.reset(
      new domgen::Rows(view(X), VectorXd::Zero(p), VectorXd::Constant(p, 1 / 1.5)));
  const std::vector<VectorXd> found = slopes.bandwidths(wanted);
  check("Gaussian process: slope in a bandwidth", std::abs(found[0][0] - bandwidth), 1e-10);
  check("Gaussian process: slopes by predictor", std::abs(found[1].sum() - bandwidth), 1e-10);
  const MatrixXd by_domain = slopes.cells(*kernel, weights.x, 2);
  check("Gaussian process: slopes in kappa",
        largest(by_domain + by_domain.transpose() - cells - cells.transpose()), 1e-10);
}

}  // namespace

void test_gp() { likelihood(); }
