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
    cox_state(cox_plan(Y, costs), f[, 1L])
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
# entry stand to them, see risk_order(); since is NULL without entries.
cox_plan <- function(Y, costs) {
  event <- Im(Y[, 1L]) == 1 & costs > 0
  if (!any(event)) abort("data", "The remaining rows have no event; all times are censored.")
  # see time_targets()
  entry <- if (ncol(Y) > 1L) Im(Y[, 2L]) else -Inf
  stratum <- if (ncol(Y) > 1L) Re(Y[, 2L]) else rep(1, nrow(Y))
  stratum <- match(stratum, sort(unique(stratum)))
  times <- sort(unique(Re(Y[, 1L])))
  # whole numbers that are in order within strata, and strata one behind the other
  code <- function(time) stratum * (length(times) + 1) + findInterval(time, times)
  exits <- code(Re(Y[, 1L]))
  pulls <- costs * event
  ends <- sort(unique(exits[event]))
  before <- findInterval(code(-Inf), ends)
  last_end <- function(codes) {
    number <- findInterval(codes, ends)
    replace(number, number == before, 0L)
  }
  reached <- last_end(exits)
  entered <- last_end(code(entry))
  part <- ends %/% (length(times) + 1)
  list(costs = costs, pulls = pulls, ends = times[ends %% (length(times) + 1)], part = part,
       deaths = unname(rowsum(pulls[reached > 0L], reached[reached > 0L])),
       until = risk_order(reached, stratum, part),
       since = if (any(entered > 0L)) risk_order(entered, stratum, part))
}

# reached: of each row the last time that it has reached, 0 if none; by: the rows, those of a
# stratum together, of these those that have reached most times first; part: their strata. Of each
# time, first: how many rows stand before its stratum; last: where the rows end that have reached
# it, 0 if none has.
risk_order <- function(reached, stratum, part) {
  by <- order(stratum, -reached)
  sizes <- tabulate(stratum)
  first <- (cumsum(sizes) - sizes)[part]
  at_least <- rev(cumsum(rev(tabulate(reached, length(part)))))
  # without those of the strata behind
  count <- at_least - c(at_least, 0)[findInterval(part, part) + 1L]
  list(reached = reached, by = by, part = stratum[by], first = first,
       last = (first + count) * (count > 0))
}

# Cumulative sums of columns, which begin again in each part; parts are in order.
running <- function(M, part) {
  several <- length(part) && part[1L] != part[length(part)]
  for (j in seq_len(ncol(M))) {
    M[, j] <- if (several) unlist(lapply(split(M[, j], part), cumsum)) else cumsum(M[, j])
  }
  M
}

# Sums of v, or of its columns, over those at risk at each time.
at_risk <- function(plan, v) {
  sums <- function(order) {
    rbind(0, running(as.matrix(v)[order$by, , drop = FALSE], order$part))[order$last + 1L, ,
                                                                          drop = FALSE]
  }
  if (is.null(plan$since)) sums(plan$until) else sums(plan$until) - sums(plan$since)
}

# Sums of M over the times at which a row was at risk.
up_to_row <- function(plan, M) {
  sums <- rbind(0, running(M, plan$part))
  up_to <- function(order) sums[order$reached + 1L, , drop = FALSE]
  if (is.null(plan$since)) up_to(plan$until) else up_to(plan$until) - up_to(plan$since)
}

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
