#include "test.h"

#include "../cox/newton.h"

#include <Eigen/Cholesky>

#include <cmath>
#include <vector>

namespace {

using namespace domgen_test;

// Rows with ties, some of them without a cost, in strata and with late entries where wanted.
domgen::CensoredRows censored_rows(Index n, bool strata, bool entries) {
  const MatrixXd x = numbers(n, 4, 11);
  domgen::CensoredRows rows;
  rows.time = (3 * x.col(0)).array().round().abs() + 1;
  if (entries) rows.entry = (rows.time.array() - 1 - (3 * x.col(1)).array().round().abs());
  for (Index i = 0; i < n; ++i) {
    rows.event.push_back(x(i, 2) > -0.5);
    if (strata) rows.stratum.push_back(x(i, 3) > 0.3 ? 2 : x(i, 3) > -0.3);
  }
  return rows;
}

// As they are defined, a time of events after the other.
struct Naive {
  double value = 0;
  VectorXd slope;
  MatrixXd curvature;

  Naive(const domgen::CensoredRows& rows, const VectorXd& costs, const VectorXd& f)
      : slope(VectorXd::Zero(f.size())), curvature(MatrixXd::Zero(f.size(), f.size())) {
    for (Index i = 0; i < f.size(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      if (rows.event[row] == 0 || costs(i) == 0) continue;
      VectorXd v = VectorXd::Zero(f.size());
      for (Index j = 0; j < f.size(); ++j) {
        const bool entered = rows.entry.size() == 0 || rows.entry(j) < rows.time(i);
        if (entered && rows.time(j) >= rows.time(i) &&
            rows.part(static_cast<int>(i)) == rows.part(static_cast<int>(j)))
          v(j) = costs(j) * std::exp(f(j));
      }
      value += costs(i) * (std::log(v.sum()) - f(i));
      slope += costs(i) / v.sum() * v;
      slope(i) -= costs(i);
      curvature -= costs(i) / (v.sum() * v.sum()) * v * v.transpose();
      curvature.diagonal() += costs(i) / v.sum() * v;
    }
  }
};

void partial_likelihood() {
  const Index n = 60, r = 8;
  for (const bool strata : {false, true}) {
    for (const bool entries : {false, true}) {
      const domgen::CensoredRows rows = censored_rows(n, strata, entries);
      VectorXd costs = numbers(n, 1, 3).array().abs();
      for (Index i = 0; i < n; i += 7) costs(i) = 0;
      const domgen::CoxPlan plan = domgen::cox_plan(rows, costs);
      const VectorXd f = 2 * numbers(n, 1, 4);
      const domgen::CoxState state(plan, f);
      const Naive naive(rows, costs, f);
      const VectorXd u = numbers(n, 1, 5);
      check("Cox regression: half the deviance", std::abs(state.value - naive.value), 1e-10);
      check("Cox regression: its slope", largest(state.slope - naive.slope), 1e-12);
      check("Cox regression: its curvature", largest(state.times(plan, u) - naive.curvature * u),
            1e-11);

      MatrixXd Zt = numbers(r, n, 2);
      if (entries) Zt.leftCols(r).triangularView<Eigen::StrictlyLower>().setZero();
      const domgen::CoxFeatures Z{view(Zt), entries};
      const domgen::ConjugateLimits limits{VectorXd::Constant(1, 1e-26),
                                           VectorXd::Constant(1, 1e300), 200};
      const VectorXd right = numbers(r, 1, 6);
      const MatrixXd hessian = MatrixXd::Identity(r, r) + Zt * naive.curvature * Zt.transpose();
      const VectorXd expected = hessian.ldlt().solve(right);
      for (const Index columns : {Index(3), r}) {
        const auto step = domgen::CoxSystem(Z, plan, state, columns, pool).solve(right, limits);
        check("Cox regression: a step", largest(step.change - expected), 1e-10);
        check("Cox regression: its product", largest(step.product - Zt.transpose() * expected),
              1e-10);
      }

      const VectorXd offset = numbers(n, 1, 7);
      domgen::CoxNewton newton(Z, plan, offset, 3 * numbers(r, 1, 8), pool);
      newton.run({1e-14, 1e-24, 200, 50});
      const Naive least(rows, costs, offset + Zt.transpose() * newton.w);
      check("Cox regression: the fit", largest(newton.w + Zt * least.slope), 1e-8);
      check("Cox regression: the fit ends", newton.converged && newton.solved ? 0 : 1, 0.5);
    }
  }
}

}  // namespace

void test_cox() { partial_likelihood(); }
