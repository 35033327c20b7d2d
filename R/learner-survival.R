# Probabilities of no event until given times: predict(type = "survival"). A model of proportional
# hazards has in its response a family "cox" with the baseline, a data frame of the times of events
# and the cumulative hazard of f = 0 there; another one has a method of survival_at().

# [rows x times]
survival_at <- function(object, new, times) UseMethod("survival_at")

# S(t | x) = exp(-H(t) exp(f(x)))
#' @exportS3Method
survival_at.dg_learner <- function(object, new, times) {
  baseline <- object$response$family$baseline
  if (is.null(baseline)) abort_no_survival(object)
  baseline_survival(baseline, drop(decision(object, new)), times)
}

baseline_survival <- function(baseline, f, times) {
  hazard <- outer(exp(f), steps_at(baseline$hazard, baseline$time, times, 0))
  # before the first event, however large f is
  hazard[is.nan(hazard)] <- 0
  exp(-hazard)
}

#' @exportS3Method
survival_at.dg_pipeline <- function(object, new, times) {
  survival_at(object$learner, learner_rows(object, new), times)
}

abort_no_survival <- function(object) {
  abort("argument", "`type` must not be \"survival\" for `", innermost(object$spec)$method, "()` (",
        method_of(learner_of(object)$spec)$title,
        "), which gives no probabilities of censored times",
        if (inherits(learner_of(object), "learner_custom")) "; give it a function `survival`", ".")
}

# Values of a step function [.. x steps] that jumps at sorted places; first: before the first jump.
steps_at <- function(values, places, at, first) {
  number <- findInterval(at, places) + 1L
  if (is.matrix(values)) cbind(rep(first, nrow(values)), values)[, number, drop = FALSE]
  else c(first, values)[number]
}

# The family "cox" with the baseline of values f of the rows, which have these times and costs.
cox_family <- function(y, f, costs, ties = "breslow") {
  family <- new_family("cox")
  family$baseline <- cox_baseline(time_targets(y), f, costs, ties)
  family
}

# The cumulative hazard of f = 0 at the times of events: of Breslow (1974), D_k / S_k at each, or
# where ties are as by Efron (1977) the sum over the d events at a time
#   sum_(l = 0)^(d - 1) (D_k / d) / (S_k - l / d E_k),
# with E_k the sum of v over these events.
cox_baseline <- function(Y, f, costs, ties = "breslow") {
  if (!any(has_event(Y[, 1L]) & costs > 0)) return(data.frame(time = numeric(), hazard = numeric()))
  plan <- cox_plan(Y, costs)
  at <- cox_state_(plan, f)
  rate <- at$rate
  if (ties == "efron") {
    died <- plan$pulls > 0
    events <- unname(rowsum(cbind(1, at$v)[died, , drop = FALSE], plan$until$reached[died]))
    tied <- which(events[, 1L] > 1)
    rate[tied] <- vapply(tied, function(k) {
      l <- seq_len(events[k, 1L]) - 1
      mean(plan$deaths[k] / (at$risk[k] - l / events[k, 1L] * events[k, 2L]))
    }, 0)
  }
  data.frame(time = plan$ends, hazard = cumsum(rate) * exp(-at$largest))
}

# Times at which probabilities are asked: sorted numbers, each once.
check_horizons <- function(times, arg = "times") {
  if (is.null(times)) {
    abort("argument", "`", arg, "` must be given: the times until which the probability of no ",
          "event is asked, such as `", arg, " = c(180, 365)`.")
  }
  if (!is.numeric(times) || is.object(times) || length(times) == 0L || any(!is.finite(times)) ||
        any(times < 0)) {
    abort("argument", "`", arg, "` must be non-negative finite numbers, not ",
          if (is.numeric(times) && !is.object(times) && length(times)) {
            format(times[!is.finite(times) | times < 0][1L])
          } else describe(times), ".")
  }
  as.numeric(times)
}

# Names of columns by time.
horizon_names <- function(times) vapply(times, format, "", digits = 15L)

# Beyond the last event of training nothing is known of the hazard.
warn_late_times <- function(object, times) {
  last <- object$response$last
  late <- times[times > last]
  if (length(late)) {
    warn("late_times", "`times` ", enumerate(format(late), quote = ""), " ",
         if (length(late) == 1L) "is" else "are", " after the last time of training (",
         format(last), "): the probability is that of the last event.")
  }
}
