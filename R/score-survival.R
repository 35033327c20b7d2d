# Scores of survival probabilities, where times are censored: means over rows by inverse probability
# of censoring weights.

# Kaplan and Meier's estimate G of the probability of not being censored until a time: list(time: of
# the jumps, value, left: rows that could be censored there, censored). Events come before the
# censoring at the same time.
censoring_curve <- function(time, event) {
  at <- sort(unique(time[!event]))
  censored <- tabulate(match(time[!event], at), length(at))
  left <- length(time) - findInterval(at, sort(time), left.open = TRUE) -
    tabulate(match(time[event], at), length(at))
  list(time = at, value = cumprod(1 - censored / left), left = left, censored = censored)
}

# G(t-) and G(t).
curve_before <- function(curve, t) {
  c(1, curve$value)[findInterval(t, curve$time, left.open = TRUE) + 1L]
}

curve_at <- function(curve, t) c(1, curve$value)[findInterval(t, curve$time) + 1L]

# The mean of a value of all rows at time t, as if no time were censored: rows with an event until t
# weigh 1 / G(T-), those that are later than t weigh 1 / G(t), others 0 (Graf and others, 1999).
# values: list(event, later), of rows with an event until t and of those later than t. NA where no
# row is followed as long as t. list(mean, effect: of each row on it, with that by G).
ipcw_mean <- function(truth, t, values) {
  time <- Re(truth)
  event <- has_event(truth)
  n <- length(time)
  if (n == 0L || t > max(time)) return(list(mean = NA_real_, effect = rep(NA_real_, n)))
  curve <- censoring_curve(time, event)
  later <- time > t
  weighted <- numeric(n)
  weighted[later] <- (values$later / curve_at(curve, t))[later]
  died <- event & !later
  weighted[died] <- (values$event / curve_before(curve, time))[died]
  mean <- mean(weighted)
  # G is a product over its jumps, of which row k changes each by its own censoring less that
  # expected of it
  own <- curve$time <= t
  jumps <- curve$time[own]
  share <- curve$censored[own] / curve$left[own]
  ordered <- order(time)
  behind <- c(rev(cumsum(rev(weighted[ordered]))), 0) / n
  after <- behind[findInterval(jumps, time[ordered]) + 1L]
  by_jump <- ifelse(after == 0, 0, after / (curve$left[own] * (1 - share)))
  seen <- findInterval(time, jumps, left.open = TRUE) + (!event & time %in% jumps)
  effect <- (weighted - mean) / n - c(0, cumsum(by_jump * share))[seen + 1L]
  censored <- which(!event & time <= t)
  effect[censored] <- effect[censored] + by_jump[match(time[censored], jumps)]
  list(mean = mean, effect = effect)
}

# survival: of the rows at time t.
brier_at <- function(truth, survival, t) {
  ipcw_mean(truth, t, list(event = survival^2, later = (1 - survival)^2))
}

# At several times the mean over the range of these, by the trapezoidal rule.
integrated_brier <- function(truth, survival, times) {
  found <- vapply(seq_along(times), function(k) {
    if (times[k] == 0) 0 else brier_at(truth, survival[, k], times[k])$mean
  }, 0)
  if (length(times) == 1L) return(found)
  sum(diff(times) * (found[-1L] + found[-length(found)]) / 2) / (max(times) - min(times))
}

# The columns of the probabilities at these times.
survival_columns <- function(survival, times) {
  survival[, match(horizon_names(times), colnames(survival)), drop = FALSE]
}

#' @rdname metric_custom
#' @order 3
#' @param times Positive numbers in the unit of the response. One time: the Brier score at it.
#'   Several: the integrated Brier score, its mean over the time from the first to the last by the
#'   trapezoidal rule.
#' @examples
#'
#' # censored times
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   lung <- na.omit(survival::lung[c("time", "status", "age", "sex", "ph.ecog", "inst")])
#'   dg_cv(dg_lm(), survival::Surv(time, status) ~ age + sex + ph.ecog | inst, data = lung,
#'         folds = 5, metric = list("concordance", "uno", metric_brier(365),
#'                                  metric_brier(seq(0, 365, by = 30))))
#' }
#' @export
metric_brier <- function(times) {
  check_given(times, "times")
  times <- check_horizons(times)
  if (is.unsorted(times, strictly = TRUE)) {
    abort("argument", "`times` must be in ascending order, each once.")
  }
  title <- if (length(times) == 1L) paste("Brier score at", format(times)) else {
    paste("integrated Brier score,", format(times[1L]), "to", format(times[length(times)]))
  }
  new_survival_metric("low", title, needs = "survival", times = times, value = function(d) {
    integrated_brier(d$truth, survival_columns(d$survival, times), times)
  })
}

#' @rdname metric_custom
#' @order 4
#' @param type `"harrell"`: all pairs have the same weight. `"uno"`: pairs are weighted by the
#'   inverse probability of censoring.
#' @param until Positive number: only events until then are compared with later times. Default
#'   `NULL`: all.
#' @export
metric_concordance <- function(type = c("harrell", "uno"), until = NULL) {
  uno <- check_choice(type, "type", c("harrell", "uno")) == "uno"
  end <- if (is.null(until)) Inf else check_number(until, "until", "positive")
  title <- paste0(if (uno) "Uno's concordance" else "concordance",
                  if (is.finite(end)) paste(" until", format(end)))
  new_survival_metric("high", title, range = c(0, 1),
                      value = function(d) concordance(d$truth, d$decision, uno, end),
                      overall = function(d) pooled_concordance(d, uno, end))
}

new_survival_metric <- function(better, title, ...) {
  structure(list(kind = "censored", better = better, title = title, ...), class = "dg_metric")
}
