# The threshold that a score on a new domain does not exceed with a given probability.

# Each domain's rows share its weight, and domains weigh the same: sums to 1 (Lee, Barber and
# Willett, 2024; the pooled CDFs of Dunn, Wasserman and Ramdas, 2023).
domain_shares <- function(domain, weights) {
  sums <- vapply(split(weights, domain), sum, numeric(1))
  unname(weights / sums[as.integer(domain)] / length(sums))
}

# A level that G domains cannot give: a new one is beyond the largest of them with probability
# 1/(G + 1), whatever is known of their rows.
is_beyond <- function(level, domains) level * (domains + 1) > domains * (1 + 1e-9)

# The largest level that is finite, as a number to be told.
largest_level <- function(domains) floor(1000 * domains / (domains + 1)) / 1000

# Of scores of rows, for a random row of a new domain: the smallest q with
#   sum_i share_i 1[s_i <= q] >= level (1 + 1/n), n at least G;
# n = G puts the mass 1/(G + 1) of the new domain at infinity, as in Lee, Barber and Willett.
row_threshold <- function(scores, domain, shares, level) {
  if (is_beyond(level, nlevels(domain))) return(Inf)
  level <- level * (1 + 1 / independent_rows(scores, domain, shares, level))
  share_quantile(scores, shares, level)
}

# As how many independent rows are those of G domains? As many as have the variance, over domains,
# of the share of a domain's rows below the threshold: p (1 - p) / n = s^2 / G. At least G, as if
# all rows of a domain were one; at most what shares that differ leave of n independent rows.
independent_rows <- function(scores, domain, shares, level) {
  G <- nlevels(domain)
  below <- G * vapply(split(shares * (scores <= share_quantile(scores, shares, level)), domain),
                      sum, numeric(1))
  most <- 1 / sum(shares^2)
  p <- mean(below)
  of_variance <- if (p >= 1) G else p * (1 - p) * G / stats::var(below)
  max(G, min(most, of_variance))
}

# The smallest score at which the shares of those up to it reach the level.
share_quantile <- function(scores, shares, level) {
  order <- order(scores)
  reached <- cumsum(shares[order]) >= level * (1 - 1e-9)
  if (any(reached)) scores[order][which(reached)[1L]] else Inf
}

# Of one score for each domain: the k-th smallest of G, k the integer from (G + 1) level on.
domain_threshold <- function(scores, level) {
  k <- ceiling((length(scores) + 1) * level * (1 - 1e-9))
  if (k > length(scores)) Inf else sort(unname(scores))[k]
}
