// Cox regression: convert, call, convert back.
#include "core/cox/risk-sets.h"

#include "arguments.h"
#include "parallel.h"
#include "results.h"

namespace {

// Of risk-sets.h.
domgen::RiskOrder read_order(SEXP order, Eigen::Index n, Eigen::Index times) {
  const domgen::ListArgument parts(order, "order");
  domgen::RiskOrder out;
  out.by = domgen::places(parts["by"], "by", n, n);
  out.first = domgen::whole_numbers(parts["first"], "first", 0, n, times);
  out.last = domgen::whole_numbers(parts["last"], "last", 0, n, times);
  out.reached = domgen::whole_numbers(parts["reached"], "reached", 0, times, n);
  return out;
}

}  // namespace

// list(change, product = Z change, converged): a Newton step for Cox regression where
// -(w + Z' slope) is `right`; `first`: columns of its preconditioner; until, since: lists of the
// parts of RiskOrder, since may be NULL; the others as in core/cox/risk-sets.h.
// [[Rcpp::export(rng = false)]]
SEXP cox_step_(SEXP Z, SEXP until, SEXP since, SEXP v, SEXP curvature, SEXP rate, SEXP risk,
               SEXP right, SEXP first, SEXP tolerance, SEXP scale, SEXP most) {
  const auto features = domgen::filled_matrix(Z, "Z");
  const Eigen::Index n = features.rows(), r = features.cols();
  domgen::RiskSets sets;
  sets.rate = domgen::some_numbers(rate, "rate", 0);
  sets.risk = domgen::numbers(risk, "risk", sets.rate.size(), 0);
  sets.until = read_order(until, n, sets.rate.size());
  if (!Rf_isNull(since)) sets.since = read_order(since, n, sets.rate.size());
  sets.v = domgen::numbers(v, "v", n, 0);
  sets.curvature = domgen::numbers(curvature, "curvature", n, 0);
  domgen::ConjugateLimits limits;
  limits.least = domgen::numbers(tolerance, "tolerance", 1, 0);
  limits.scale = domgen::numbers(scale, "scale", 1, DBL_MIN);
  limits.most = domgen::whole(most, "most");
  const int columns = domgen::whole(first, "first", 1, static_cast<int>(r));
  const domgen::Threads pool(1);
  domgen::CoxSystem system(features, sets, columns, pool);
  const domgen::CoxStep step = system.solve(domgen::numbers(right, "right", r), limits);
  return domgen::named_list(
      {{"change", step.change}, {"product", step.product}, {"converged", step.converged}});
}
