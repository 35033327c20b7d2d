# Paired comparisons over domains.

# Mean of the differences, standard error, 95 % interval, Wilcoxon's p.
paired_difference <- function(difference) {
  d <- difference[!is.na(difference)]
  interval <- bootstrap_interval(d)
  data.frame(difference = if (length(d)) mean(d) else NA_real_, se = standard_error(d),
             lower = interval[1L], upper = interval[2L], p = signed_rank(d))
}

# Percentile interval of the mean, with the level that makes up for few domains
# (Hesterberg, 2015, section 5.3); very few have too few different resamples.
bootstrap_interval <- function(d, level = 0.95, draws = 10000L) {
  n <- length(d)
  if (n < 2L || !all(is.finite(d))) return(c(NA_real_, NA_real_))
  if (n < 8L) {
    return(mean(d) + c(-1, 1) * stats::qt((1 + level) / 2, n - 1) * standard_error(d))
  }
  tail <- stats::pnorm(sqrt(n / (n - 1)) * stats::qt((1 - level) / 2, n - 1))
  means <- with_seed(1L, colMeans(matrix(d[sample.int(n, n * draws, replace = TRUE)], n)))
  unname(stats::quantile(means, c(tail, 1 - tail)))
}

signed_rank <- function(d) {
  d <- d[d != 0]
  if (length(d) < 2L) return(NA_real_)
  exact <- length(d) <= 25L && !anyDuplicated(abs(d))
  stats::wilcox.test(d, exact = exact)$p.value
}

# 1 is best, [domains x methods]; domains without all scores are left out.
rank_methods <- function(scores, better) {
  complete <- scores[!is.na(rowSums(scores)), , drop = FALSE]
  ranks <- t(apply(if (better == "low") complete else -complete, 1L, rank))
  matrix(ranks, ncol = ncol(scores), dimnames = dimnames(complete))
}

friedman <- function(ranks) {
  if (ncol(ranks) < 3L || nrow(ranks) < 2L) return(NULL)
  # all methods alike in every domain
  if (all(ranks == ranks[1L])) return(list(statistic = 0, df = ncol(ranks) - 1, p = 1))
  test <- stats::friedman.test(ranks)
  list(statistic = unname(test$statistic), df = unname(test$parameter), p = test$p.value)
}
