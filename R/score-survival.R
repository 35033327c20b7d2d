# Scores of survival probabilities, where times are censored: means over rows by inverse probability
# of censoring weights.

refuse_entries <- function(y, what) {
  if (!is.null(entries(y))) {
    abort("data", "Times with late entry, `Surv(start, stop, status)`, must be scored by ",
          "\"concordance\"; ", what, " need the follow-up from the start.")
  }
}

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
  refuse_entries(truth, "the Brier score and the proportion with an event")
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
  until <- curve$time <= t
  jumps <- curve$time[until]
  share <- curve$censored[until] / curve$left[until]
  ordered <- order(time)
  behind <- c(rev(cumsum(rev(weighted[ordered]))), 0) / n
  after <- behind[findInterval(jumps, time[ordered]) + 1L]
  by_jump <- ifelse(after == 0, 0, after / (curve$left[until] * (1 - share)))
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
  scores <- vapply(seq_along(times), function(k) {
    if (times[k] == 0) 0 else brier_at(truth, survival[, k], times[k])$mean
  }, 0)
  if (length(times) == 1L) return(scores)
  sum(diff(times) * (scores[-1L] + scores[-length(scores)]) / 2) / (max(times) - min(times))
}

# Of the order of events in a group g with E_g of them, by Cox's partial likelihood with Breslow's
# ties: D_g = 2 / E_g sum over events i of (log sum over j at risk of exp(f_j) - f_i), less the same
# of f = 0, the logarithm of how many are at risk. NA without events.
partial_deviance <- list(
  kind = "censored", better = "low", title = "partial deviance", uses = c("truth", "decision"),
  groups = function(d, groups) {
    event <- has_event(d$truth)
    if (!any(event)) return(rep(NA_real_, nlevels(groups)))
    number <- as.integer(groups)
    plan <- cox_plan(in_strata(time_targets(d$truth), number), rep(1, length(event)))
    # the level of a group says nothing: its largest value becomes 0
    f <- d$decision - c(tapply(d$decision, groups, max))[number]
    risk <- plan$deaths * log(cox_at_risk_(plan, exp(f)) / cox_at_risk_(plan, rep(1, length(f))))
    # strata are numbered without groups that have no rows
    group <- factor(sort(unique(number))[plan$part], seq_len(nlevels(groups)))
    events <- level_sums(event, groups)
    ifelse(events > 0, 2 * (level_sums(risk, group) - level_sums(event * f, groups)) / events,
           NA)
  }
)

# ---- at one site, see score-measures.R ---------------------------------------------------------

# Effects of the pairs of each row, with G as known.
site_concordance <- function(d, uno) {
  n <- length(d$y)
  sums <- concordant_pairs(d$y, d$score, uno, by_row = TRUE)
  if (sums$pairs == 0) return(no_value(n))
  area <- sums$good / sums$pairs
  site <- site_value(area, (sums$won - area * sums$played) / sums$pairs * sqrt(n / (n - 1)))
  events <- sum(has_event(d$y))
  pairs <- if (uno) concordant_pairs(d$y, d$score)$pairs else sums$pairs
  site$information <- area_information(events, max(pairs / events, 1))
  if (events < few_events || area %in% c(0, 1)) {
    # of few rows the pairs say little of the error
    near <- (area * pairs + 0.5) / (pairs + 1)
    error <- max(area_error(near, events, max(pairs / events, 1)), site$se)
    site$value <- stats::qlogis(near)
    site$value_se <- error / (near * (1 - near))
    size <- near * (1 - near) / error^2
    site$likelihood <- function(value) size * (area * value - log1p(exp(value)))
  }
  site
}

site_brier <- function(y, S, t) {
  n <- length(y)
  brier <- brier_at(y, S, t)
  if (is.na(brier$mean) || brier$mean <= 0) return(no_value(n))
  site_value(brier$mean, brier$effect * sqrt(n / (n - 1)))
}

# Kaplan and Meier's estimate of the proportion with an event until t, over the mean of the
# predicted ones.
events_ratio <- function(y, S, t) {
  n <- length(y)
  expected <- mean(1 - S)
  incidence <- ipcw_mean(y, t, list(event = rep(1, n), later = numeric(n)))
  if (n < 2L || is.na(incidence$mean) || expected <= 0) return(no_value(n))
  ratio <- incidence$mean / expected
  effect <- (incidence$effect - ratio * (1 - S - expected) / n) / expected * sqrt(n / (n - 1))
  site <- site_value(ratio, effect)
  site$information <- function(value, precision) n * odds_of(exp(value) * expected)
  observed <- sum(has_event(y) & Re(y) <= t)
  if (observed == 0) {
    site$value <- log(0.5 / (n * expected))
    site$value_se <- sqrt(2)
  }
  if (observed < some_events && incidence$mean < 1) {
    # binomial, of as many rows as give the error of the logarithm
    size <- if (observed == 0) n else (1 - incidence$mean) / incidence$mean / (site$se / ratio)^2
    events <- incidence$mean * size
    site$likelihood <- function(value) {
      share <- pmin(exp(value) * expected, 1)
      ifelse(value > -log(expected), -Inf, events * value + (size - events) * log1p(-share))
    }
  }
  site
}

# b of log hazard = log h0(t) + b f, by Cox regression with ties as by Breslow.
hazard_slope <- function(d) {
  n <- length(d$y)
  x <- d$score - mean(d$score)
  events <- sum(has_event(d$y))
  if (events < calibration_rows || stats::sd(x) <= 1e-8 * max(abs(d$score))) return(no_value(n))
  plan <- cox_plan(time_targets(d$y), rep(1, n))
  # mean of x among those at risk at each time, gradient and information
  at <- function(b) {
    state <- cox_state_(plan, b * x)
    mean <- cox_at_risk_(plan, state$v * x) / state$risk
    square <- cox_at_risk_(plan, state$v * x^2) / state$risk
    list(state = state, mean = mean, gradient = -sum(state$slope * x),
         information = sum(plan$deaths * (square - mean^2)))
  }
  b <- 0
  now <- at(b)
  for (round in seq_len(50L)) {
    move <- now$gradient / now$information
    if (!is.finite(move)) return(no_value(n))
    t <- 1
    ahead <- at(b + move)
    while (t > 1e-6 && !isTRUE(ahead$state$value <= now$state$value + 1e-12 * events)) {
      t <- t / 2
      ahead <- at(b + t * move)
    }
    b <- b + t * move
    now <- ahead
    if (abs(move) < 1e-9 * max(1, abs(b))) break
  }
  # a perfect order of events has no finite slope
  if (abs(move) >= 1e-6 * max(1, abs(b)) || !(now$information > 0)) return(no_value(n))
  effect <- x * -now$state$slope - plan$pulls * c(0, now$mean)[plan$until$reached + 1L] +
    now$state$v * cox_while_at_risk_(plan, now$state$rate * now$mean)
  site <- site_value(b, effect / now$information, 1 / sqrt(now$information))
  if (events < some_events) {
    site$likelihood <- smooth_likelihood(seq(-10, 10, by = 0.2), function(b) {
      -cox_state_(plan, b * x)$value
    })
  }
  site
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
  if (identical(times, 0)) abort("argument", "`times` must be positive.")
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
