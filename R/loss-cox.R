# Censored times by the partial likelihood of Cox (1972, 1975), ties as by Breslow (1974): half the
# deviance is
#   sum_i c_i event_i [log sum_(j: at risk at t_i) c_j exp(f_j) - f_i].
# At risk are rows of the same stratum with e_j < t_i <= t_j, where e is the entry. It is no sum
# over rows. With S_k the sum over those at risk at the k-th time of events, D_k the events there,
# and H_j = sum_(k: e_j < t_k <= t_j) D_k / S_k, the curvature is
#   W = diag(v_j H_j) - sum_k D_k / S_k^2 v_k v_k',
# where v_j = c_j exp(f_j), and v_k is v at those at risk. W times a matrix is made of cumulative
# sums. Weight k is k copies of a row, which are ties; that is why they are Breslow's.
loss_cox <- function() new_loss(
  learner = "dg_glm", kinds = "censored", coupled = "rows", reads = "open", smooth = NULL,
  constant = function(Y, costs, offset) 0,
  check = function(y) {
    if (!is_censored(y)) {
      abort("data", "The response of `family = \"cox\"` must be censored times, ",
            "`survival::Surv(time, ",
            "status)`, not ", if (is.factor(y)) "classes" else "numbers", ".")
    }
    if (!any(has_event(y))) {
      abort("data", "The response of `family = \"cox\"` must have an event; all times are ",
            "censored.")
    }
  },
  targets = function(y) time_targets(y),
  # with the diagonal of the curvature, which is no less than all of it
  together = function(Y, f, costs) {
    # rows that are left out may have no event, and then say nothing
    if (!any(has_event(Y[, 1L]) & costs > 0)) {
      return(list(value = 0, slope = 0 * f, curvature = 0 * f))
    }
    cox_state_(cox_plan(Y, costs), f[, 1L])
  },
  # stops where all events are without weight
  begin = function(par, Y, costs, offset) {
    cox_plan(Y, costs)
    par
  },
  # of a new domain: that of all, whatever the strata
  update = function(par, Y, f, costs) {
    par$baseline <- cox_baseline(in_strata(Y), f, costs)
    par
  },
  # the hazard beside that of f = 0
  mean = function(values, par) report_infinite_means(exp(values), values)
)

# The part that does not depend on f. Each stratum has its own risk sets, in which a row is after
# its entry until its time; the strata stand one behind the other. ends: times of events in each;
# part: their strata; deaths: the costs of the events there; until, since: how a row's time and its
# entry stand to them, see core/cox/risk-sets.h; since is NULL without entries.
cox_plan <- function(Y, costs) {
  event <- Im(Y[, 1L]) == 1
  if (!any(event & costs > 0)) {
    abort("data", "The remaining rows have no event; all times are censored.")
  }
  # see time_targets()
  more <- ncol(Y) > 1L
  stratum <- if (more) Re(Y[, 2L])
  cox_plan_(Re(Y[, 1L]), as.integer(event), if (more) Im(Y[, 2L]),
            if (more) match(stratum, sort(unique(stratum))), costs)
}
