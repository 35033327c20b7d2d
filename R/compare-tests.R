# Paired comparisons over domains.

# One line: mean of the differences, standard error, 95 % interval, the p value that belongs to it,
# and that of the signed ranks. error: made by mean_error().
paired_line <- function(difference, error) {
  d <- difference[!is.na(difference)]
  interval <- mean_interval(mean(d), error)
  data.frame(difference = if (length(d)) mean(d) else NA_real_, se = error$se,
             lower = interval[1L], upper = interval[2L], p = mean_p(mean(d), error),
             p_rank = signed_rank(d, error))
}

# Of scores alone, each domain held out once by itself.
paired_difference <- function(difference) paired_line(difference, mean_error(difference))

mean_p <- function(mean, error) {
  if (is.na(error$se) || error$se == 0) return(NA_real_)
  2 * stats::pt(-abs(mean) / error$se, error$df)
}

# Wilcoxon's test, whose exact distribution is that of independent differences: its statistic is
# divided by what divides the mean's. Never below the exact p.
signed_rank <- function(d, error = list(inflation = 1, df = Inf)) {
  d <- d[d != 0]
  n <- length(d)
  if (n < 2L) return(NA_real_)
  exact <- n <= 25L && !anyDuplicated(abs(d))
  p <- stats::wilcox.test(d, exact = exact)$p.value
  if (is.na(error$inflation) || error$inflation <= 1) return(p)
  ranks <- rank(abs(d))
  z <- (sum(ranks[d > 0]) - n * (n + 1) / 4) / sqrt(sum(ranks^2) / 4 * error$inflation)
  max(p, 2 * stats::pt(-abs(z), error$df))
}

# 1 is best, [domains x methods]; domains without all scores are left out.
rank_methods <- function(scores, better) {
  complete <- scores[!is.na(rowSums(scores)), , drop = FALSE]
  ranks <- t(apply(if (better == "low") complete else -complete, 1L, rank))
  matrix(ranks, ncol = ncol(scores), dimnames = dimnames(complete))
}

# inflation: of the variance of mean differences by the overlap of training sets, of each method. A
# method's deviation is divided by its own: one that differs from the others by little, and so by
# the training set alone, must not hide one that differs by much. Ranks of wholly dependent domains
# vary as one domain's, so that no factor is more than their number.
friedman <- function(ranks, inflation = rep(1, ncol(ranks))) {
  if (ncol(ranks) < 3L || nrow(ranks) < 2L) return(NULL)
  # all methods alike in every domain
  if (all(ranks == ranks[1L])) return(list(statistic = 0, df = ncol(ranks) - 1, p = 1))
  test <- stats::friedman.test(ranks)
  deviation <- (colMeans(ranks) - (ncol(ranks) + 1) / 2)^2
  shares <- if (any(deviation > 0)) deviation / sum(deviation) else deviation
  statistic <- unname(test$statistic) * sum(shares / rank_inflation(inflation, nrow(ranks)))
  list(statistic = statistic, df = unname(test$parameter),
       p = stats::pchisq(statistic, test$parameter, lower.tail = FALSE))
}

# Where a method has no factor, as that with which the others are compared, the mean of the others'.
rank_inflation <- function(inflation, domains) {
  factors <- pmin(pmax(inflation, 1), domains)
  factors[is.na(factors)] <- if (all(is.na(factors))) 1 else mean(factors, na.rm = TRUE)
  factors
}
