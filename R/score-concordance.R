# Concordance of censored times: Harrell's and Uno's.

# The proportion of pairs of rows, of those with a known order of events, in which the earlier one
# has the larger value; ties count half (Harrell and others, 1982). An event precedes a time that is
# censored at the same time; two events at one time are no pair, nor is an event with a row that
# enters at this time or later. NA without a pair. Values that differ by rounding are the same, as
# in pair_areas().
# uno: pairs weigh by 1 / G(t-)^2 of the earlier one, with G that of censoring_curve() (Uno and
# others, 2011), so that the limit does not depend on the censoring; until: of earlier events.
concordance <- function(truth, f, uno = FALSE, until = Inf) {
  if (anyNA(f)) return(NA_real_)
  sums <- concordant_pairs(truth, f, uno, until)
  if (sums$pairs == 0) NA_real_ else sums$good / sums$pairs
}

# list(good, pairs: sums of weights; of each row, if `by_row`: won, played: the same of its pairs).
concordant_pairs <- function(truth, f, uno = FALSE, until = Inf, by_row = FALSE) {
  f <- signif(drop(f), 12L)
  time <- Re(truth)
  event <- has_event(truth)
  entry <- entries(truth)
  if (uno) refuse_entries(truth, "Uno's concordance")
  weight <- if (uno) 1 / curve_before(censoring_curve(time, event), time)^2 else rep(1, length(f))
  order <- order(time, !event)
  time <- time[order]
  event <- event[order]
  f <- f[order]
  weight <- weight[order]
  entry <- entry[order]
  n <- length(f)
  # the last row that has the time of a row and an event too: behind it all are later
  groups <- cumsum(c(TRUE, diff(time) != 0 | diff(event) != 0))
  last <- cumsum(tabulate(groups))[groups]
  pairs <- good <- 0
  won <- played <- numeric(if (by_row) n else 0L)
  for (i in which(event & last < n & time <= until)) {
    behind <- (last[i] + 1L):n
    if (!is.null(entry)) behind <- behind[entry[behind] < time[i]]
    right <- (f[i] > f[behind]) + (f[i] == f[behind]) / 2
    right_sum <- weight[i] * sum(right)
    all <- weight[i] * length(behind)
    pairs <- pairs + all
    good <- good + right_sum
    if (by_row) {
      won[i] <- won[i] + right_sum
      played[i] <- played[i] + all
      won[behind] <- won[behind] + weight[i] * right
      played[behind] <- played[behind] + weight[i]
    }
  }
  sums <- list(good = good, pairs = pairs)
  if (by_row) sums[c("won", "played")] <- list(won[order(order)], played[order(order)])
  sums
}

# All pairs within domains, as of survival's strata: domains weigh by their pairs.
pooled_concordance <- function(d, ...) {
  if (anyNA(d$decision)) return(NA_real_)
  groups <- if (is.null(d$domain)) rep("", length(d$truth)) else paste(d$domain, d$rep)
  sums <- vapply(split(seq_along(d$truth), groups), function(i) {
    unlist(concordant_pairs(d$truth[i], d$decision[i], ...))
  }, c(good = 0, pairs = 0))
  sums <- rowSums(sums)
  if (sums[["pairs"]] == 0) NA_real_ else sums[["good"]] / sums[["pairs"]]
}
