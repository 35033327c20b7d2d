#include "test.h"

#include "../feature/fourier.h"
#include "../feature/moments.h"
#include "../projection/features.h"

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

}  // namespace

void test_projection() { moments(); }
