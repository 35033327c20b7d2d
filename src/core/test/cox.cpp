#include "test.h"

#include "../cox/risk-sets.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <utility>
#include <vector>

namespace {

using namespace domgen_test;

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
  const domgen::ConjugateLimits limits{VectorXd::Constant(1, 1e-26), VectorXd::Constant(1, 1e300),
                                       200};
  for (const Index columns : {Index(3), r}) {
    domgen::CoxSystem system(view(Z), sets, columns, pool);
    const auto step = system.solve(right, limits);
    check("Cox regression: a step", largest(step.change - expected), 1e-10);
    check("Cox regression: its product", largest(step.product - Z * expected), 1e-10);
  }
}

}  // namespace

void test_cox() { risk_sets(); }
