# The mean score over new sites as a function of the number m of training sites, a + b m^-c, from
# fits to random subsets of the sites. All values here are losses: less is better.

# Draws from the posterior distribution.
curve_draws <- 4000L

# Exponents, with a log-normal prior around 1, the rate of a regression with independent sites.
curve_exponents <- exp(seq(log(0.2), log(5), length.out = 41L))

# losses: [sites x sizes x draws], NA where a fit has no score, but some in all draws of a site and
# size; fold: [sites x draws] of the test sites, who share training sites. list(mean [sizes], set:
# variance between training sets of a size, cell: variance of the rest, each [sizes]; site: by site
# mean over draws). Sites are the same in all draws, so that their means are taken off first.
curve_components <- function(losses, fold) {
  sites <- apply(losses, 1:2, mean, na.rm = TRUE)
  G <- nrow(sites)
  parts <- vapply(seq_len(ncol(sites)), function(l) {
    rest <- matrix(losses[, l, ] - sites[, l], G)
    scored <- !is.na(rest)
    groups <- paste(col(rest), fold)[scored]
    groups <- match(groups, unique(groups))
    rest <- rest[scored]
    n <- tabulate(groups)
    between <- sum((rowsum(rest, groups)[, 1L])^2 / n)
    # free numbers, those of means of sites taken off
    share <- 1 - G / length(rest)
    free <- c(length(n), length(rest) - length(n)) * share
    within <- if (free[2L] > 0) max(sum(rest^2) - between, 0) / free[2L] else 0
    # with a site to a fold both are one
    c(set = max(between / free[1L] - within, 0) / mean(n), cell = within)
  }, numeric(2))
  list(mean = colMeans(sites), set = parts["set", ], cell = parts["cell", ], site = sites)
}

# Draws of (last, gain, exponent): the curve is last + gain h(m), h(m) = (m^-c - M^-c) / (m1^-c -
# M^-c) with the smallest size m1 and the largest M, so that gain, at least 0, is the loss that is
# saved between these. list(draws, sizes, set: variance between training sets by size, sd: of sites)
# pool: number of sites from which training sites are drawn.
curve_posterior <- function(losses, fold, sizes, pool = dim(losses)[1L], draws = curve_draws) {
  parts <- curve_components(losses, fold)
  G <- dim(losses)[1L]
  R <- dim(losses)[3L]
  sets <- parts$set / (R * max(fold))
  # variances of few draws are uncertain: none is far below the others
  noise <- sets + parts$cell / (G * R)
  noise <- pmax(noise, stats::median(noise) / 4, 1e-12 * stats::var(parts$site[, 1L]) / G, 1e-300)
  # subsets of the same sites vary less than sets of other sites. Near its minimum a loss is a
  # square of the error of estimation, a degenerate statistic of second order: means over all
  # subsets of m of n sites have (m/n)^2 of the variance v of one set (Hoeffding, 1948), and 1 -
  # (m/n)^2 of it is seen between subsets
  used <- pmin(sizes / pool, 1 - 1 / pool)^2
  shared <- sqrt(parts$set * used / (1 - used))
  fits <- lapply(curve_exponents, function(c) {
    Z <- cbind(1, curve_shape(sizes, sizes, c))
    inverse <- solve(crossprod(Z, Z / noise))
    H <- inverse %*% t(Z / noise)
    theta <- drop(H %*% parts$mean)
    V <- stats::cov(parts$site %*% t(H)) / G + tcrossprod(H %*% shared) +
      H %*% (sets * t(H)) + 1e-12 * inverse
    list(theta = theta, V = V, misfit = sum((parts$mean - Z %*% theta)^2 / noise),
         log_det = as.numeric(determinant(inverse)$modulus))
  })
  misfit <- vapply(fits, `[[`, 0, "misfit")
  # a curve of another form is no reason to be sure of the exponent
  scale <- max(1, min(misfit) / max(length(sizes) - 3, 1))
  positive <- vapply(fits, function(fit) stats::pt(fit$theta[2L] / sqrt(fit$V[2L, 2L]), G - 1), 0)
  weight <- -misfit / (2 * scale) + vapply(fits, `[[`, 0, "log_det") / 2 +
    stats::dnorm(log(curve_exponents), 0, 0.5, log = TRUE) + log(pmax(positive, 1e-300))
  chosen <- sample.int(length(fits), draws, TRUE, exp(weight - max(weight)))
  list(draws = curve_sample(fits, chosen, G - 1), sizes = sizes, parts = parts,
       set_variance = parts$set / (1 - used), sd = stats::sd(parts$site[, ncol(parts$site)]),
       gain_probability = sum(positive * shares_of(weight)))
}

curve_shape <- function(m, sizes, c) {
  last <- max(sizes)^-c
  (m^-c - last) / (min(sizes)^-c - last)
}

# Student's distribution, truncated to gains of at least 0.
curve_sample <- function(fits, chosen, df) {
  part <- function(of) vapply(fits, of, 0)[chosen]
  last <- part(function(fit) fit$theta[1L])
  gain <- part(function(fit) fit$theta[2L])
  sd <- part(function(fit) sqrt(fit$V[2L, 2L]))
  slope <- part(function(fit) fit$V[1L, 2L] / fit$V[2L, 2L])
  rest <- part(function(fit) sqrt(max(fit$V[1L, 1L] - fit$V[1L, 2L]^2 / fit$V[2L, 2L], 0)))
  n <- length(chosen)
  wide <- sqrt(df / stats::rchisq(n, df))
  below <- stats::pnorm(0, gain, sd * wide)
  moved <- stats::qnorm(below + (1 - below) * stats::runif(n), gain, sd * wide)
  moved <- ifelse(is.finite(moved), pmax(moved, 0), 0)
  data.frame(last = last + slope * (moved - gain) + rest * wide * stats::rnorm(n), gain = moved,
             exponent = curve_exponents[chosen])
}

# The losses of draws at m sites, [draws x m].
curve_values <- function(curve, m) {
  d <- curve$draws
  vapply(m, function(at) d$last + d$gain * curve_shape(at, curve$sizes, d$exponent),
         numeric(nrow(d)))
}

# The same of one set of m training sites, and as means over so many new sites.
curve_predictive <- function(curve, m, new_sites = Inf) {
  values <- curve_values(curve, m)
  large <- curve$sizes >= stats::median(curve$sizes)
  set <- mean(curve$set_variance[large] * curve$sizes[large])
  for (j in seq_along(m)) {
    variance <- set / m[j] + curve$sd^2 / new_sites
    values[, j] <- values[, j] + stats::rnorm(nrow(values), 0, sqrt(variance))
  }
  values
}

# The least number of sites at which the curve of each draw is at or below the loss; Inf if at none.
curve_needed <- function(curve, loss) {
  d <- curve$draws
  ends <- vapply(range(curve$sizes), function(m) m^-d$exponent, numeric(nrow(d)))
  ends <- matrix(ends, nrow(d))
  power <- ends[, 2L] + (loss - d$last) / d$gain * (ends[, 1L] - ends[, 2L])
  sites <- ifelse(power > 0, pmax(power, 0)^(-1 / d$exponent), Inf)
  # a flat curve is below it at every number or at none
  sites[d$gain == 0] <- ifelse(d$last[d$gain == 0] <= loss, 1, Inf)
  pmax(ceiling(sites - 1e-9), 1)
}

# ---- where two curves of labels cross ---------------------------------------------------------

# From which number of labels on is the first better? differences: [draws x labels] of losses, first
# less second; between numbers by a line in log(labels). 0: better at every number; Inf: not better
# at the largest.
labels_needed <- function(differences, labels) {
  L <- length(labels)
  # what differs by rounding does not
  differences[abs(differences) < 1e-10] <- 0
  apply(differences, 1L, function(d) {
    if (d[L] >= 0) return(Inf)
    worse <- which(d >= 0)
    if (length(worse) == 0L) return(0)
    j <- max(worse)
    exp(log(labels[j]) + log(labels[j + 1L] / labels[j]) * d[j] / (d[j] - d[j + 1L]))
  })
}

# Means of columns over new sites: draws of a Bayesian bootstrap of the sites (Rubin, 1981), further
# from their mean by the root of `inflation`, as training sets overlap. [draws x columns]
bootstrap_means <- function(scores, inflation, draws = curve_draws) {
  G <- nrow(scores)
  weights <- matrix(stats::rexp(draws * G), draws)
  weights <- weights / rowSums(weights)
  mean <- colMeans(scores)
  # the variance of the bootstrap is that of the sample, over G + 1
  wide <- sqrt(inflation * (G + 1) / max(G - 1, 1))
  t(mean + wide * (t(weights %*% scores) - mean))
}
