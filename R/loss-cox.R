# Censored times by the partial likelihood of Cox (1972, 1975), ties as by Breslow (1974): half the
# deviance is
#   sum_i c_i event_i [log sum_(j: t_j >= t_i) c_j exp(f_j) - f_i],
# with the risk sets of all domains together. It is no sum over rows. With S_k the sum over those at
# risk at the k-th time of events, D_k the events there, and H_j = sum_(k: t_k <= t_j) D_k / S_k,
# the curvature is
#   W = diag(v_j H_j) - sum_k D_k / S_k^2 v_k v_k',
# where v_j = c_j exp(f_j), and v_k is v at those at risk. W times a matrix is made of cumulative
# sums. Weight k is k copies of a row, which are ties; that is why they are Breslow's.
loss_cox <- function() new_loss(
  learner = "dg_glm", kinds = "censored", coupled = "rows", reads = "open", smooth = NULL,
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
    if (!any(has_event(Y) & costs > 0)) return(list(value = 0, slope = 0 * f, curvature = 0 * f))
    cox_state(cox_plan(Y, costs), f[, 1L])
  },
  # stops where all events are without weight
  begin = function(par, Y, costs, known) {
    cox_plan(Y, costs)
    par
  },
  update = function(par, Y, f, costs) {
    par$baseline <- cox_baseline(Y, f, costs)
    par
  },
  # the hazard beside that of f = 0
  mean = function(values, par) report_infinite_means(exp(values), values)
)

# What does not depend on f. reached: how many times of events a row's time has (0: it is in no
# risk set); ends: these times; deaths: the costs of the events there; by: the rows, those that
# reached most first; last: how many of these are at risk at each time.
cox_plan <- function(Y, costs) {
  time <- Re(Y[, 1L])
  event <- Im(Y[, 1L]) == 1 & costs > 0
  if (!any(event)) abort("data", "The remaining rows have no event; all times are censored.")
  ends <- sort(unique(time[event]))
  reached <- findInterval(time, ends)
  pulls <- costs * event
  list(costs = costs, pulls = pulls, reached = reached, ends = ends,
       deaths = unname(rowsum(pulls[reached > 0L], reached[reached > 0L])),
       by = order(-reached), last = rev(cumsum(rev(tabulate(reached, length(ends))))))
}

down <- function(M) {
  for (j in seq_len(ncol(M))) M[, j] <- cumsum(M[, j])
  M
}

# Sums of v, or of its columns, over those at risk at each time.
at_risk <- function(plan, v) down(as.matrix(v)[plan$by, , drop = FALSE])[plan$last, , drop = FALSE]

# Of what is added from time to time, what a row has come to.
up_to_row <- function(plan, M) rbind(0, down(M))[plan$reached + 1L, , drop = FALSE]

# Half the deviance, its slope and the diagonal of the curvature at f; infinite where f overflows.
cox_state <- function(plan, f) {
  largest <- max(f[plan$costs > 0])
  v <- plan$costs * exp(pmin(f - largest, 0))
  risk <- at_risk(plan, v)
  rate <- plan$deaths / risk
  hazard <- up_to_row(plan, rate)[, 1L]
  value <- sum(plan$deaths * (log(risk) + largest)) - sum(plan$pulls * f)
  list(value = if (is.finite(value)) value else Inf, slope = v * hazard - plan$pulls,
       curvature = v * hazard, v = v, risk = risk, rate = rate, largest = largest)
}
