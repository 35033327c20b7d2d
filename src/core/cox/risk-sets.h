// Censored times by the partial likelihood of Cox, ties as by Breslow: with v_i = c_i exp(f_i), S_k
// the sum of v over those at risk at the k-th time of events and D_k the costs of the events there,
// half the deviance is
//   sum_k D_k log S_k - sum_(i: event) c_i f_i,
// and its curvature
//   W = diag(curvature) - sum_k D_k / S_k^2 v_k v_k',   v_k: v of those at risk.
// Rows of a stratum are at risk together, each after its entry until its time, so that all of this,
// and W times a vector, is made of cumulative sums over rows that are sorted once.
#ifndef DOMGEN_CORE_COX_RISK_SETS_H
#define DOMGEN_CORE_COX_RISK_SETS_H

#include "../linalg/assert.h"
#include "../linalg/exact-math.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace domgen {

// How rows have reached times of events. Strata stand one behind the other.
struct RiskOrder {
  std::vector<int> by;       // the rows, in each stratum those that have reached most times first
  std::vector<int> first;    // [times] how many of these stand before the stratum of each time
  std::vector<int> last;     // [times] behind the rows that have reached it; 0: no row has
  std::vector<int> reached;  // [n] the last time that a row has reached, from 1; 0: none

  bool begins(std::size_t k) const { return k == 0 || first[k] != first[k - 1]; }

  // Sums of x over the rows that have reached each time.
  Eigen::VectorXd sums(const Eigen::VectorXd& x) const {
    Eigen::VectorXd out(static_cast<Eigen::Index>(first.size()));
    // in a stratum more and more rows have reached a time the earlier it is
    for (std::size_t end = first.size(); end > 0;) {
      std::size_t k = end;
      double sum = 0;
      int place = first[end - 1];
      do {
        --k;
        for (; place < last[k]; ++place) sum += x(by[static_cast<std::size_t>(place)]);
        out(static_cast<Eigen::Index>(k)) = sum;
      } while (!begins(k));
      end = k;
    }
    return out;
  }
};

// Rows as they are given: entry and stratum may be empty; strata are numbered from 0 without gaps.
struct CensoredRows {
  Eigen::VectorXd time, entry;
  std::vector<int> event, stratum;

  Eigen::Index size() const { return time.size(); }
  int part(int i) const { return stratum.empty() ? 0 : stratum[static_cast<std::size_t>(i)]; }
};

// The part that does not depend on f.
struct CoxPlan {
  RiskOrder until, since;        // by the times of rows, and by their entries (empty without)
  Eigen::VectorXd costs, pulls;  // [n] costs, and those of events
  Eigen::VectorXd ends, deaths;  // [times] of events with a cost, in each stratum; D
  std::vector<int> part;         // [times] the strata

  // Sums of x over those at risk at each time.
  Eigen::VectorXd at_risk(const Eigen::VectorXd& x) const {
    Eigen::VectorXd sums = until.sums(x);
    if (!since.by.empty()) sums -= since.sums(x);
    return sums;
  }

  // Sums of x [times] over the times at which each row was at risk.
  Eigen::VectorXd while_at_risk(const Eigen::VectorXd& x) const {
    Eigen::VectorXd come(x.size() + 1);
    come(0) = 0;
    for (Eigen::Index k = 0; k < x.size(); ++k)
      come(k + 1) = (until.begins(static_cast<std::size_t>(k)) ? 0 : come(k)) + x(k);
    Eigen::VectorXd out(static_cast<Eigen::Index>(until.reached.size()));
    for (Eigen::Index i = 0; i < out.size(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      out(i) = come(until.reached[row]) - (since.by.empty() ? 0 : come(since.reached[row]));
    }
    return out;
  }
};

// rows: by stratum; count: of rows that have reached each time.
inline RiskOrder risk_order(std::vector<int> reached, const CensoredRows& rows,
                            const std::vector<int>& part) {
  RiskOrder out;
  out.by.resize(reached.size());
  std::iota(out.by.begin(), out.by.end(), 0);
  const auto place = [&](int i) {
    return std::make_pair(rows.part(i), -reached[static_cast<std::size_t>(i)]);
  };
  std::stable_sort(out.by.begin(), out.by.end(), [&](int i, int j) { return place(i) < place(j); });
  const auto end_of = [&](const std::pair<int, int>& wanted) {
    const auto above = [&](const std::pair<int, int>& one, int i) { return one < place(i); };
    return static_cast<int>(std::upper_bound(out.by.begin(), out.by.end(), wanted, above) -
                            out.by.begin());
  };
  for (std::size_t k = 0; k < part.size(); ++k) {
    const int first = k > 0 && part[k] == part[k - 1] ? out.first.back() : end_of({part[k] - 1, 0});
    const int last = end_of({part[k], -static_cast<int>(k) - 1});
    out.first.push_back(first);
    out.last.push_back(last > first ? last : 0);
  }
  out.reached = std::move(reached);
  return out;
}

inline CoxPlan cox_plan(const CensoredRows& rows, const Eigen::VectorXd& costs) {
  const auto n = static_cast<std::size_t>(rows.size());
  DOMGEN_EXPECT(costs.size() == rows.size() && rows.event.size() == n);
  CoxPlan plan;
  plan.costs = costs;
  plan.pulls = costs;
  std::vector<int> by;
  for (std::size_t i = 0; i < n; ++i) {
    if (rows.event[i] == 0) plan.pulls(static_cast<Eigen::Index>(i)) = 0;
    if (plan.pulls(static_cast<Eigen::Index>(i)) > 0) by.push_back(static_cast<int>(i));
  }
  const auto place = [&](int i) { return std::make_pair(rows.part(i), rows.time(i)); };
  std::sort(by.begin(), by.end(), [&](int i, int j) { return place(i) < place(j); });
  std::vector<std::pair<int, double>> ends;
  std::vector<double> deaths;
  for (const int i : by) {
    if (ends.empty() || ends.back() != place(i)) {
      ends.push_back(place(i));
      deaths.push_back(0);
    }
    deaths.back() += plan.pulls(i);
  }
  plan.deaths =
      Eigen::Map<const Eigen::VectorXd>(deaths.data(), static_cast<Eigen::Index>(deaths.size()));
  plan.ends.resize(plan.deaths.size());
  for (std::size_t k = 0; k < ends.size(); ++k) {
    plan.ends(static_cast<Eigen::Index>(k)) = ends[k].second;
    plan.part.push_back(ends[k].first);
  }
  // the last time of its stratum that is not after this one
  const auto reached = [&](const Eigen::VectorXd& times) {
    std::vector<int> out(n);
    for (std::size_t i = 0; i < n; ++i) {
      const int row = static_cast<int>(i), part = rows.part(row);
      const auto end = std::upper_bound(ends.begin(), ends.end(), std::make_pair(part, times(row)));
      if (end != ends.begin() && std::prev(end)->first == part)
        out[i] = static_cast<int>(end - ends.begin());
    }
    return out;
  };
  plan.until = risk_order(reached(rows.time), rows, plan.part);
  if (rows.entry.size() > 0) {
    std::vector<int> entered = reached(rows.entry);
    if (std::any_of(entered.begin(), entered.end(), [](int k) { return k > 0; }))
      plan.since = risk_order(std::move(entered), rows, plan.part);
  }
  return plan;
}

// Half the deviance at f, infinite where f overflows, its slope and curvature.
struct CoxState {
  double value, largest;                // largest: of f
  Eigen::VectorXd slope, curvature, v;  // [n] v and risk: over exp(largest)
  Eigen::VectorXd rate, risk;           // [times] D / S and S, of which the square would underflow

  CoxState(const CoxPlan& plan, const Eigen::VectorXd& f) {
    largest = -std::numeric_limits<double>::infinity();
    for (Eigen::Index i = 0; i < f.size(); ++i)
      if (plan.costs(i) > 0 && !(f(i) <= largest)) largest = f(i);
    v = plan.costs.array() * (f.array() - largest).min(0.0).exp();
    risk = plan.at_risk(v);
    rate = plan.deaths.cwiseQuotient(risk);
    curvature = v.cwiseProduct(plan.while_at_risk(rate));
    slope = curvature - plan.pulls;
    value = plan.deaths.dot(risk.array().log().matrix()) + plan.deaths.sum() * largest -
            plan.pulls.dot(f);
    if (!std::isfinite(value)) value = std::numeric_limits<double>::infinity();
  }

  // W u
  Eigen::VectorXd times(const CoxPlan& plan, const Eigen::VectorXd& u) const {
    const Eigen::VectorXd share = plan.at_risk(v.cwiseProduct(u)).cwiseQuotient(risk);
    return curvature.cwiseProduct(u) - v.cwiseProduct(plan.while_at_risk(rate.cwiseProduct(share)));
  }
};

}  // namespace domgen

#endif
