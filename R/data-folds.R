# Folds of the domains of a sample, which fits make for themselves: to calibrate, for a penalty, for
# intervals.

# Sums of weights, as shares of the largest domain; rounded, so that k copies and weight k
# are the same number.
domain_sizes <- function(sample) {
  if (length(sample$weights) == 0L) return(numeric())
  share <- sample$weights / max(sample$weights)
  size <- vapply(split(share, sample$domain), sum, numeric(1))
  signif(size / max(size), 10)
}

most_folds <- 10L

# Fold of each domain: each its own up to `most` domains, else so many folds, the next largest
# domain to the fold with the fewest rows. 0 for a domain without weight, which is never held out.
calibration_folds <- function(sample, most = most_folds) {
  whole <- left_out_whole(sample$blueprint$structure, levels(sample$domain))
  if (!is.null(whole)) {
    levels(sample$domain) <- whole
    return(stats::setNames(calibration_folds(sample[c("domain", "weights")], most)[whole],
                           names(whole)))
  }
  size <- domain_sizes(sample)
  fold <- integer(length(size))
  largest_first <- order(-size)
  largest_first <- largest_first[size[largest_first] > 0]
  if (length(largest_first) <= most) {
    fold[size > 0] <- seq_along(largest_first)
  } else {
    load <- numeric(most)
    for (g in largest_first) {
      fold[g] <- which.min(load)
      load[fold[g]] <- load[fold[g]] + size[g]
    }
  }
  stats::setNames(fold, names(size))
}
