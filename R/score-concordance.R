# Harrell's concordance of censored times.

# The proportion of pairs of rows, of those with a known order of events, in which the earlier one
# has the larger value; ties count half (Harrell et al., 1982). An event precedes a time that is
# censored at the same time; two events at one time are no pair. NA without a pair. Values that
# differ by rounding are the same, as in pair_area().
concordance <- function(truth, f) {
  if (anyNA(f)) return(NA_real_)
  f <- signif(drop(f), 12L)
  time <- Re(truth)
  event <- has_event(truth)
  order <- order(time, !event)
  time <- time[order]
  event <- event[order]
  f <- f[order]
  n <- length(f)
  # the last row that has the time of a row and an event too: behind it all are later
  groups <- cumsum(c(TRUE, diff(time) != 0 | diff(event) != 0))
  last <- cumsum(tabulate(groups))[groups]
  pairs <- good <- 0
  for (i in which(event & last < n)) {
    later <- f[(last[i] + 1L):n]
    pairs <- pairs + length(later)
    good <- good + sum(f[i] > later) + sum(f[i] == later) / 2
  }
  if (pairs == 0) NA_real_ else good / pairs
}
