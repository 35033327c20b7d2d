// Cox regression: convert, call, convert back.
#include "core/cox/newton.h"

#include "arguments.h"
#include "parallel.h"
#include "results.h"

#include <limits>
#include <vector>

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// As cox_plan_() gives them.
domgen::RiskOrder read_order(SEXP order, Eigen::Index n, Eigen::Index times) {
  const domgen::ListArgument parts(order, "order");
  domgen::RiskOrder out;
  out.by = domgen::places(parts["by"], "by", n, n);
  out.first = domgen::whole_numbers(parts["first"], "first", 0, n, times);
  out.last = domgen::whole_numbers(parts["last"], "last", 0, n, times);
  out.reached = domgen::whole_numbers(parts["reached"], "reached", 0, times, n);
  return out;
}

domgen::CoxPlan read_plan(SEXP plan) {
  const domgen::ListArgument parts(plan, "plan");
  domgen::CoxPlan out;
  out.costs = domgen::some_numbers(parts["costs"], "costs", 0);
  const Eigen::Index n = out.costs.size();
  out.pulls = domgen::numbers(parts["pulls"], "pulls", n, 0);
  out.deaths = domgen::some_numbers(parts["deaths"], "deaths", 0);
  const Eigen::Index times = out.deaths.size();
  out.until = read_order(parts["until"], n, times);
  if (!Rf_isNull(parts["since"])) out.since = read_order(parts["since"], n, times);
  return out;
}

SEXP order_for_r(const domgen::RiskOrder& order) {
  std::vector<int> by = order.by;
  for (int& row : by) ++row;
  return domgen::named_list(
      {{"by", by}, {"first", order.first}, {"last", order.last}, {"reached", order.reached}});
}

}  // namespace

// The plan of core/cox/risk-sets.h: list(costs, pulls, ends, deaths, part, until, since), the last
// two lists of the parts of RiskOrder, since NULL where no row enters after an event. event: 0 or
// 1; entry and stratum, from 1, may be NULL.
// [[Rcpp::export(rng = false)]]
SEXP cox_plan_(SEXP time, SEXP event, SEXP entry, SEXP stratum, SEXP costs) {
  domgen::CensoredRows rows;
  rows.time = domgen::some_numbers(time, "time");
  const Eigen::Index n = rows.size();
  rows.event = domgen::whole_numbers(event, "event", 0, 1, n);
  if (!Rf_isNull(entry)) rows.entry = domgen::numbers(entry, "entry", n, -infinite);
  if (!Rf_isNull(stratum)) rows.stratum = domgen::places(stratum, "stratum", n, n);
  const domgen::CoxPlan plan = domgen::cox_plan(rows, domgen::numbers(costs, "costs", n, 0));
  std::vector<int> part = plan.part;
  for (int& number : part) ++number;
  const domgen::Shield until(order_for_r(plan.until));
  const bool late = !plan.since.by.empty();
  const domgen::Shield since(late ? order_for_r(plan.since) : R_NilValue);
  return domgen::named_list({{"costs", plan.costs},
                             {"pulls", plan.pulls},
                             {"ends", plan.ends},
                             {"deaths", plan.deaths},
                             {"part", part},
                             {"until", until},
                             {"since", since}});
}

// Half the deviance at f, infinite where f overflows, its slope, the diagonal of its curvature and
// what these are made of.
// [[Rcpp::export(rng = false)]]
SEXP cox_state_(SEXP plan, SEXP f) {
  const domgen::CoxPlan read = read_plan(plan);
  const domgen::CoxState state(read,
                               domgen::numbers(f, "f", read.costs.size(), -infinite, infinite));
  return domgen::named_list({{"value", state.value},
                             {"largest", state.largest},
                             {"slope", state.slope},
                             {"curvature", state.curvature},
                             {"v", state.v},
                             {"rate", state.rate},
                             {"risk", state.risk}});
}

// Sums of x over those at risk at each time.
// [[Rcpp::export(rng = false)]]
SEXP cox_at_risk_(SEXP plan, SEXP x) {
  const domgen::CoxPlan read = read_plan(plan);
  return domgen::for_r(read.at_risk(domgen::numbers(x, "x", read.costs.size())));
}

// Sums of x, a number for each time, over the times at which each row was at risk.
// [[Rcpp::export(rng = false)]]
SEXP cox_while_at_risk_(SEXP plan, SEXP x) {
  const domgen::CoxPlan read = read_plan(plan);
  return domgen::for_r(read.while_at_risk(domgen::numbers(x, "x", read.deaths.size())));
}

// list(w, u = Z w, solved, converged, iterations): Cox regression on the features Zt [r x n], whose
// first r columns may be an upper triangle, from the coefficients w on, by steps of Newton's method
// of at most `steps` steps of conjugate gradients each; least, tolerance: see core/cox/newton.h.
// rounds: 0 is one whole step.
// [[Rcpp::export(rng = false)]]
SEXP cox_fit_(SEXP Zt, SEXP triangular, SEXP plan, SEXP offset, SEXP w, SEXP least, SEXP tolerance,
              SEXP steps, SEXP rounds) {
  const auto matrix = domgen::filled_matrix(Zt, "Zt");
  const domgen::CoxFeatures features{matrix, domgen::flag(triangular, "triangular")};
  domgen::demand(!features.triangular || matrix.rows() <= matrix.cols(), "Zt",
                 "have as many columns as rows");
  const domgen::CoxPlan read = read_plan(plan);
  domgen::demand_length(read.costs.size(), features.rows(), "plan", "rows");
  const Eigen::VectorXd known = domgen::numbers(offset, "offset", features.rows());
  domgen::CoxLimits limits;
  limits.least = domgen::number(least, "least", 0);
  limits.tolerance = domgen::number(tolerance, "tolerance", 0);
  limits.steps = domgen::whole(steps, "steps");
  limits.rounds = domgen::whole(rounds, "rounds");
  const domgen::Threads pool(1);
  domgen::CoxNewton newton(features, read, known, domgen::numbers(w, "w", features.size()), pool);
  if (limits.rounds > 0) {
    newton.run(limits);
  } else {
    newton.move(limits);
  }
  return domgen::named_list({{"w", newton.w},
                             {"u", newton.u},
                             {"solved", newton.solved},
                             {"converged", newton.converged},
                             {"iterations", newton.rounds}});
}
