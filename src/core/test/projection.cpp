#include "test.h"

#include "../feature/fourier.h"
#include "../feature/moments.h"
#include "../projection/features.h"
#include "../projection/gram.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <cmath>
#include <vector>

namespace {

using namespace domgen_test;

void moments() {
  const Index n = 301, p = 2, d = 5;
  const MatrixXd X = numbers(n, p, 8), W = numbers(p, d, 9), F = numbers(n, 2, 10);
  MatrixXd Z(n, 2 * d);
  Z << (X * W).array().cos().matrix(), (X * W).array().sin().matrix();
  Z /= std::sqrt(double(d));
  domgen::FourierMap map(view(W), MatrixView(), VectorXd::Zero(p));
  std::vector<int> cell;
  for (Index i = 0; i < n; ++i) cell.push_back(int(i % 3));
  domgen::MomentRequest request;
  request.cell = cell.data();
  request.cells = 3;
  request.response = view(F);
  const domgen::FeatureMoments sums =
      domgen::feature_moments(map, view(X), nullptr, request, 64, pool);
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
  const domgen::Projection fit = domgen::FeatureProjection(terms, given, pool).solve(0);
  const MatrixXd centred = Z.rowwise() - Z.colwise().mean();
  const VectorXd scatter =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(centred.transpose() * centred).eigenvalues();
  check("projection: KPCA's values from moments",
        std::abs(fit.solution.directions.values[0] - scatter[2 * d - 1] / double(n)), 1e-12);
}

// (P_y K + I) alpha = (P_d K + I) alpha Gamma for the scores alpha = (K + lambda I) B,
// P = F (F'F + n epsilon I)^-1 F' with F centred.
void covariance() {
  const Index n = 40;
  const double epsilon = 0.01, lambda = 0.1;
  const MatrixXd K = positive(n) / double(n), Fy = numbers(n, 3, 2), Fd = numbers(n, 2, 8);
  domgen::ProjectionTerms terms;
  terms.covariance = true;
  terms.centred = false;
  terms.ridge = lambda;
  terms.ncomp = 2;
  terms.numerator_plus = terms.denominator_plus = terms.denominator_minus = terms.spread =
      MatrixXd::Zero(0, 1);
  const domgen::CellMeans cells(std::vector<int>(std::size_t(n), 1), 1);
  domgen::GramData data;
  data.cells = &cells;
  // U with P = UU'
  const auto root = [&](const MatrixXd& F) {
    const MatrixXd C = F.rowwise() - F.colwise().mean();
    const MatrixXd inner =
        C.transpose() * C + double(n) * epsilon * MatrixXd::Identity(C.cols(), C.cols());
    return MatrixXd(C * inner.inverse().llt().matrixL().toDenseMatrix());
  };
  domgen::ResponseTerms response;
  response.given = response.paired = true;
  response.published = root(Fy);
  response.domain = root(Fd);
  data.response = &response;
  const domgen::Projection fit = domgen::GramProjection(buffer(K), terms, data, pool).solve();
  const auto project = [&](const MatrixXd& F) { return MatrixXd(root(F) * root(F).transpose()); };
  const MatrixXd alpha = K * fit.coefficients + lambda * fit.coefficients;
  const MatrixXd one = MatrixXd::Identity(n, n);
  const MatrixXd left = (project(Fy) * K + one) * alpha, right = (project(Fd) * K + one) * alpha;
  const VectorXd& gamma = fit.solution.directions.values;
  check("projection: DCM has two directions", std::abs(double(gamma.size()) - 2), 0);
  check("projection: DCM's pencil", largest(left - right * gamma.asDiagonal()),
        1e-11 * largest(left));
}

}  // namespace

void test_projection() {
  moments();
  covariance();
}
