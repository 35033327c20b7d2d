# Random-effects summary of one value per site: value_g = theta_g + error of the site's rows, with
# theta_g normal around a mean with standard deviation tau. Every site counts once in the mean:
# weights by precision would give another mean where precision goes with the value. tau, and what a
# new site may have, are a posterior distribution, since intervals from an estimate of tau cover too
# little with few sites.

# value, se: of each site, on the scale of the measure; prior_sd: a large tau, NULL where the
# measure has none, see tau_scale(); inflation: of the variance of the mean, for values whose
# training sets overlap; likelihoods: of sites with few events the logarithm of their likelihood, a
# function of values on the scale, NULL for others; information: of sites whose errors go with their
# values by chance, see site_value(). Sites without an error are left out.
# list(domains: their number, known: which, mean, se, lower, upper, tau: posterior median, weighted:
# list(mean, lower, upper) by precision, p: of a difference of both means, new: posterior of a new
# site, see counted_once(), with its interval; posterior: that by precision); NA where there are too
# few sites.
random_effects <- function(value, se, prior_sd = NULL, inflation = 1, level = 0.95,
                           likelihoods = vector("list", length(value)),
                           information = vector("list", length(value))) {
  usable <- has_error(value, se)
  k <- sum(usable)
  none <- list(mean = NA_real_, lower = NA_real_, upper = NA_real_)
  result <- c(list(domains = k, known = usable), none, list(
    se = NA_real_, tau = NA_real_, weighted = none, p = NA_real_,
    new = list(interval = c(NA_real_, NA_real_))
  ))
  if (k < 2L) {
    same <- unique(value[if (k) usable else is.finite(value)])
    if (length(same) == 1L) result$mean <- result$weighted$mean <- same
    return(result)
  }
  value <- value[usable]
  se <- se[usable]
  likelihoods <- likelihoods[usable]
  few <- !vapply(likelihoods, is.null, NA)
  scale <- tau_scale(value, se, prior_sd)
  posterior <- if (any(few)) count_posterior(value, se, likelihoods, scale, inflation)
               else site_posterior(value, se, scale, inflation)
  weighted <- posterior_summary(posterior, level)
  at <- linear_values(value, se, likelihoods, information[usable], weighted$mean, weighted$tau)
  weights <- site_weights(weighted$tau^2 + at$se^2)
  new <- counted_once(posterior, at$value, at$se, weights, inflation)
  counted <- if (any(few)) posterior_summary(new, level)
             else student_mean(value, at$se, weights, inflation, level)
  result[c("mean", "se", "lower", "upper")] <- counted[c("mean", "se", "lower", "upper")]
  result$tau <- weighted$tau
  result$weighted <- weighted[c("mean", "lower", "upper")]
  result$p <- new$p
  ends <- central_ends(level)
  # a new site is not surer than the mean, nor less different than most of these are
  new$interval <- range(mixture_quantiles(ends, new$weights, new$mean, new$sd),
                        counted$lower, counted$upper, middle_sites(posterior, ends))
  result$new <- new
  result$posterior <- posterior
  result
}

# Standard deviation of the half-normal prior of tau: that of the measure, or, where sites differ
# more than that, twice what they differ by; of measures without one at least twice the usual error.
tau_scale <- function(value, se, prior_sd = NULL) {
  if (is.null(prior_sd)) prior_sd <- 2 * stats::median(se)
  max(prior_sd, 2 * between_sites(value, se))
}

# Sites that say anything of the others: with a value and an error of it.
has_error <- function(value, se) is.finite(value) & is.finite(se) & se > 0

# The probabilities between which the middle is that has this level.
central_ends <- function(level) (1 + c(-1, 1) * level) / 2

# Standard deviation between sites without sampling error, around a regression on X.
between_sites <- function(value, se, ...) sqrt(paule_mandel(value, se^2, ...))

# The variance t between values with variances v of their own at which the squares around their
# regression on X, weighted by 1 / (v + t), are their degrees of freedom (Paule and Mandel, 1982); 0
# where they are smaller. X without columns: around 0.
paule_mandel <- function(value, v, X = matrix(1, length(value))) {
  df <- length(value) - ncol(X)
  squares <- function(weights) {
    fitted <- 0
    if (ncol(X)) {
      weighted <- weights * X
      fitted <- X %*% solve(crossprod(X, weighted), crossprod(weighted, value))
    }
    sum(weights * drop(value - fitted)^2)
  }
  if (df < 1L) return(0)
  # an upper end: weights are at most 1 / most, and squares around the weighted regression at most
  # those around the other one
  most <- squares(rep(1, length(value))) / df
  if (most == 0 || all(v == 0)) return(most)
  excess <- function(t) squares(1 / (v + t)) - df
  if (!is.finite(excess(0)) || excess(0) <= 0) return(0)
  if (excess(most) >= 0) return(most)
  stats::uniroot(excess, c(0, most), tol = 1e-12 * most)$root
}

# Each site counts once, but one whose error is more than three times the usual: a single site of
# which next to nothing is known must not decide the mean of all.
site_weights <- function(variance) {
  weights <- 1 / pmax(variance, 9 * stats::median(variance))
  weights / sum(weights)
}

# Errors with which each site counts once, see site_weights(), also where weights are by precision:
# alike, with the mean variance of the usual sites.
even_errors <- function(value, se) {
  tau2 <- between_sites(value, se)^2
  weights <- site_weights(tau2 + se^2)
  less <- max(weights) / weights
  usual <- less < 1 + 1e-9
  sqrt((tau2 + mean(se[usual]^2)) * less - tau2)
}

# The mean with Student's interval from the squares of the values, which covers enough whatever
# their variances are (Ibragimov and Mueller, 2010). The error is at least that of the sites' rows:
# values can be alike by chance.
student_mean <- function(value, se, weights, inflation, level) {
  mean <- sum(weights * value)
  squares <- sum((weights * (value - mean))^2) / (1 - sum(weights^2))
  error <- sqrt(inflation * max(squares, sum((weights * se)^2)))
  half <- stats::qt((1 + level) / 2, length(value) - 1) * error
  list(mean = mean, se = error, lower = mean - half, upper = mean + half)
}

# The posterior by precision moved to the mean in which sites have these weights. Given tau, both
# means differ by a sum over sites of known variance: the mean is moved by that difference, and its
# deviations are stretched by the ratio of the standard deviations of both means. With sd, that of a
# new site given the node, and p, that of the difference, the mean over the posterior of tau. The
# covariance of both means is the variance of that by precision, the smallest (Gauss and Markov), so
# that of their difference is the difference of their variances (Hausman, 1978).
counted_once <- function(posterior, value, se, weights, inflation) {
  of_tau <- unique(posterior$tau)
  at <- match(posterior$tau, of_tau)
  variance <- outer(of_tau^2, se^2, "+")
  total <- rowSums(1 / variance)
  moved <- sum(weights * value) - drop((1 / variance) %*% value) / total
  of_mean <- drop(variance %*% weights^2)
  stretch <- sqrt(of_mean * total)
  # what rounding leaves where all weights are equal
  error <- sqrt(inflation * pmax(of_mean - 1 / total, 0))
  p <- ifelse(error > 1e-6 * sqrt(of_mean), 2 * stats::pnorm(-abs(moved) / error), 1)
  mean_sd <- stretch[at] * posterior$mean_sd
  list(weights = posterior$weights, tau = posterior$tau,
       mean = posterior$middle + moved[at] + stretch[at] * (posterior$mean - posterior$middle),
       mean_sd = mean_sd, sd = sqrt(posterior$tau^2 + mean_sd^2),
       p = sum(posterior$weights * p[at]), site_mean = posterior$site_mean,
       site_sd = posterior$site_sd)
}

# Weighted least squares over sites. covariance: HC3 (MacKinnon and White, 1985), by the squared
# residuals over (1 - leverage)^2, whatever the variances are; a site with leverage 1 has no
# residual, and its variance is tau^2 + se^2. list(beta, covariance, tau)
regress_sites <- function(value, se, X) {
  tau <- between_sites(value, se, X)
  variance <- tau^2 + se^2
  weights <- site_weights(variance)
  inverse <- solve(crossprod(X, weights * X))
  linear <- inverse %*% t(weights * X)
  beta <- drop(linear %*% value)
  left <- 1 - rowSums((X %*% inverse) * (weights * X))
  square <- ifelse(left > 1e-8, (drop(value - X %*% beta) / left)^2, variance)
  list(beta = beta, covariance = linear %*% (square * t(linear)), tau = tau)
}

# Values and errors as seen from the mean. Where a site has a likelihood, its value is one step of
# Newton's method for the mean of the site: the score of its marginal likelihood over the
# information. The score has expectation 0 under the model however few the events are, as no
# estimate by site has; of a normal likelihood it gives the value. With theta = mean + at the score
# is E(at | rows) / tau^2 (Fisher's identity), and the information 1 / (tau^2 + se^2).
linear_values <- function(value, se, likelihoods, information, mean, tau) {
  few <- which(!vapply(likelihoods, is.null, NA))
  precision <- 1 / se^2
  precision[few] <- vapply(likelihoods[few], function(of) {
    -diff(of(mean + c(-1, 0, 1) * 0.05), differences = 2L) / 0.05^2
  }, 0)
  precision <- ifelse(is.finite(precision) & precision > 1e-6, precision, 1 / se^2)
  se <- 1 / sqrt(expected_information(precision, information, mean))
  for (g in few) {
    of <- likelihoods[[g]]
    step <- min(tau, se[g]) / 4
    at <- seq(-10 * tau, 10 * tau, length.out = 2 * min(ceiling(10 * tau / step), 2000) + 1)
    share <- shares_of(of(mean + at) - (at / tau)^2 / 2)
    value[g] <- mean + sum(share * at) / tau^2 * (tau^2 + se[g]^2)
  }
  list(value = value, se = se)
}

# Errors that follow from what was found go with the values by chance. precision: 1 / error^2 of
# each site.
expected_information <- function(precision, information, mean) {
  expected <- vapply(seq_along(precision), function(g) {
    of <- information[[g]]
    if (is.null(of)) NA_real_ else of(mean, precision[g])
  }, 0)
  usable <- which(is.finite(expected) & expected > 0)
  precision[usable] <- expected[usable] * stats::median(precision[usable] / expected[usable])
  precision
}

# Quantiles of a site drawn from these. Where sites are not normal, as where some have other units,
# an interval by tau can leave out more of them than it should. A rule of ours, see
# inst/experiments/domgen-sites.R.
middle_sites <- function(posterior, probabilities) {
  weights <- posterior$weights
  mean <- colSums(weights * posterior$site_mean)
  away <- posterior$site_mean - rep(mean, each = length(weights))
  sd <- sqrt(colSums(weights * (posterior$site_sd^2 + away^2)))
  mixture_quantiles(probabilities, rep(1 / length(mean), length(mean)), mean, sd)
}

# Posterior mean and interval of each site [sites x 3], drawn to the mean by precision.
shrunken_sites <- function(posterior, level) {
  t(vapply(seq_len(NCOL(posterior$site_mean)), function(g) {
    mean <- posterior$site_mean[, g]
    c(sum(posterior$weights * mean),
      mixture_quantiles(central_ends(level), posterior$weights, mean,
                        posterior$site_sd[, g]))
  }, numeric(3)))
}

# The proportion of sites between two limits: the probability that a new one is there, and an
# interval of the proportion, by the posterior of mean and tau and by that of each site: where sites
# are not normal, the former may leave out the truth. Where sites may not differ at all, the
# proportion is 0 or 1, which ends beyond 0.001 and 0.999 stand for.
share_between <- function(limits, new, level) {
  below <- mixture_below(limits, new$weights, new$mean, new$sd)
  steps <- stats::qnorm((seq_len(41L) - 0.5) / 41)
  heavy <- new$weights > 1e-9 * max(new$weights)
  mean <- new$mean[heavy] + outer(new$mean_sd[heavy], steps)
  share <- stats::pnorm(limits[2L], mean, new$tau[heavy]) -
    stats::pnorm(limits[1L], mean, new$tau[heavy])
  order <- order(share)
  sums <- cumsum(rep(new$weights[heavy], length(steps))[order])
  ends <- share[order][1L + findInterval(central_ends(level) * max(sums), sums,
                                         left.open = TRUE)]
  # Student's interval of the mean of the sites' own probabilities
  of_site <- colSums(new$weights * (stats::pnorm(limits[2L], new$site_mean, new$site_sd) -
                                      stats::pnorm(limits[1L], new$site_mean, new$site_sd)))
  half <- stats::qt((1 + level) / 2, length(of_site) - 1) * stats::sd(of_site) /
    sqrt(length(of_site))
  ends <- range(ends, pmin(pmax(mean(of_site) + c(-half, half), 0), 1))
  c(share = below[2L] - below[1L], lower = floor(1000 * ends[1L]) / 1000,
    upper = ceiling(1000 * ends[2L]) / 1000)
}

# Proportions of nodes from the logarithm of their weights.
shares_of <- function(log_density) {
  shares <- exp(log_density - max(log_density))
  shares / sum(shares)
}

# Twice the widths of the nodes in a sum that stands for an integral.
node_widths <- function(x) c(diff(x), 0) + c(0, diff(x))

# The posterior distribution by quadrature over tau, with a flat density of the mean and a
# half-normal one of tau with standard deviation `scale`: given tau, the mean and each site are
# normal (Gelman et al., Bayesian Data Analysis, 3rd edition, section 5.4; Roever, 2020, on the
# prior). list(weights, mean, middle: the mean given tau; tau, mean_sd: of the mean; site_mean,
# site_sd [nodes x sites]).
site_posterior <- function(value, se, scale, inflation = 1, nodes = 201L) {
  # narrow steps near zero
  tau <- seq(0, 1, length.out = nodes)^3 * 4 * scale
  precision <- 1 / outer(tau^2, se^2, "+")
  total <- rowSums(precision)
  mean <- drop(precision %*% value) / total
  misfit <- rowSums(precision * outer(mean, value, "-")^2)
  log_density <- (rowSums(log(precision)) - log(total) - misfit) / 2 +
    stats::dnorm(tau, 0, scale, log = TRUE)
  shrink <- 1 / (1 + outer(tau^2, 1 / se^2))
  list(weights = shares_of(log_density + log(node_widths(tau))), mean = mean, middle = mean,
       tau = tau, mean_sd = sqrt(inflation / total),
       site_mean = shrink * mean + (1 - shrink) * rep(value, each = nodes),
       site_sd = sqrt((1 - shrink) * rep(se^2, each = nodes) + shrink^2 / total))
}

# The same where some sites have a likelihood that is not normal, by quadrature over tau, the mean,
# and the values of these sites. The density of the mean is that of Jeffreys for sites that are
# alike, the root of the information, at most that at 0: where no site has an event a flat one has
# no end.
count_posterior <- function(value, se, likelihoods, scale, inflation) {
  of_tau <- seq(0, 1, length.out = 51L)^3 * 4 * scale
  sites <- tabled_sites(value, se, likelihoods, scale)
  means <- node_means(sites, of_tau)
  nodes <- lapply(seq_along(of_tau), function(k) given_tau(sites, of_tau[k], means[, k]))
  width <- means[2L, ] - means[1L, ]
  log_density <- vapply(nodes, `[[`, numeric(51L), "density") +
    rep(stats::dnorm(of_tau, 0, scale, log = TRUE), each = 51L)
  weights <- shares_of(log_density + log(rep(node_widths(of_tau) * width, each = 51L)))
  # the mean given tau is as uncertain as overlapping training sets make it
  middle <- colSums(weights * means) / colSums(weights)
  middle <- rep(ifelse(is.finite(middle), middle, means[26L, ]), each = 51L)
  list(weights = c(weights), mean = middle + sqrt(inflation) * (c(means) - middle),
       middle = middle, tau = rep(of_tau, each = 51L),
       # what lies between the nodes
       mean_sd = rep(width / sqrt(12), each = 51L),
       site_mean = do.call(rbind, lapply(nodes, `[[`, "site_mean")),
       site_sd = do.call(rbind, lapply(nodes, `[[`, "site_sd")))
}

# What all nodes have in common: list(value, se, few: which sites have a likelihood, likelihoods:
# theirs; table: of them at theta, in equal steps, over their largest, exp(top); prior: log density
# of the mean; ends: where the mean is looked for; hermite: see gauss_hermite()).
tabled_sites <- function(value, se, likelihoods, scale) {
  few <- !vapply(likelihoods, is.null, NA)
  ends <- range(value) + c(-30, 30)
  # where all errors are large, the distribution of sites is what must be resolved
  step <- min(se[few], scale) / 3
  theta <- seq(ends[1L] - 20 * scale, ends[2L] + 20 * scale, by = step)
  table <- vapply(likelihoods[few], function(of) of(theta), theta)
  top <- apply(table, 2L, max)
  curvature <- -diff(rowSums(table), differences = 2L) / step^2
  information <- c(NA, curvature, NA) + sum(1 / se[!few]^2)
  finite <- is.finite(information)
  information <- stats::approxfun(theta[finite], information[finite], rule = 2)
  table <- exp(table - rep(top, each = length(theta)))
  # what is 0 at all sites adds nothing to any sum
  positive <- rowSums(table) > 0
  list(value = value, se = se, few = few, likelihoods = likelihoods[few],
       theta = theta[positive], table = table[positive, , drop = FALSE], top = top, step = step,
       prior = function(mean) log(pmin(pmax(information(mean), 1e-12), information(0))) / 2,
       ends = ends, hermite = gauss_hermite(9L))
}

# The logarithm of the density of means given tau. mass: see site_integrals().
mean_density <- function(sites, tau, mean, mass = site_integrals(sites, tau, mean, 0)[[1L]]) {
  variance <- tau^2 + sites$se[!sites$few]^2
  residual <- outer(mean, sites$value[!sites$few], function(m, v) v - m)
  sites$prior(mean) - drop(residual^2 %*% (1 / variance)) / 2 - sum(log(variance)) / 2 +
    rowSums(log(pmax(mass, 1e-300))) + sum(sites$top)
}

# list(density, site_mean, site_sd [means x sites]: of the sites' values given tau and the mean).
given_tau <- function(sites, tau, mean) {
  few <- sites$few
  sums <- site_integrals(sites, tau, mean, 0:2)
  centre <- spread <- matrix(0, length(mean), length(few))
  mass <- pmax(sums[[1L]], 1e-300)
  centre[, few] <- sums[[2L]] / mass
  spread[, few] <- sqrt(pmax(sums[[3L]] / mass - centre[, few]^2, 1e-16))
  error <- rep(sites$se[!few]^2, each = length(mean))
  shrink <- error / (tau^2 + error)
  centre[, !few] <- shrink * mean + (1 - shrink) * rep(sites$value[!few], each = length(mean))
  spread[, !few] <- sqrt(error * (1 - shrink))
  list(density = mean_density(sites, tau, mean, sums[[1L]]), site_mean = centre,
       site_sd = pmax(spread, 1e-8))
}

# For each power the integrals over a site's value theta of theta^power times its likelihood times
# the normal density around the mean [means x sites with a likelihood].
site_integrals <- function(sites, tau, mean, powers) {
  if (tau >= sites$step) {
    near <- sites$theta > min(mean) - 9 * tau & sites$theta < max(mean) + 9 * tau
    at <- sites$theta[near]
    density <- exp(-(outer(mean, at, "-") / tau)^2 / 2) * (sites$step / (tau * sqrt(2 * pi)))
    table <- sites$table[near, , drop = FALSE]
    return(lapply(powers, function(power) density %*% (table * at^power)))
  }
  # steps are too wide for so narrow a distribution
  at <- outer(mean, tau * sites$hermite$nodes, "+")
  lapply(powers, function(power) {
    matrix(vapply(seq_along(sites$likelihoods), function(g) {
      likelihood <- exp(array(sites$likelihoods[[g]](at), dim(at)) - sites$top[g])
      drop((likelihood * at^power) %*% sites$hermite$weights)
    }, mean), length(mean))
  })
}

# The means that are likely given tau, 51 of them [means x tau]; at taus between some, those of the
# next larger one.
node_means <- function(sites, of_tau) {
  likely <- function(tau) {
    within <- sites$ends
    for (round in 1:4) {
      at <- seq(within[1L], within[2L], length.out = 41L)
      density <- mean_density(sites, tau, at)
      within <- range(at[density > max(density) - 14]) + c(-1, 1) * diff(at[1:2])
    }
    within
  }
  some <- round(seq(1, length(of_tau), length.out = 6L))
  means <- vapply(lapply(of_tau[some], likely), function(ends) {
    seq(ends[1L], ends[2L], length.out = 51L)
  }, numeric(51L))
  means[, findInterval(seq_along(of_tau), some, left.open = TRUE) + 1L]
}

# Nodes and weights for the mean of a function of a standard normal variable (Golub and Welsch,
# 1969).
gauss_hermite <- function(n) {
  spectrum <- eigen(outer(seq_len(n), seq_len(n), function(i, j) {
    ifelse(abs(i - j) == 1, sqrt(pmin(i, j)), 0)
  }), symmetric = TRUE)
  list(nodes = spectrum$values, weights = spectrum$vectors[1L, ]^2)
}

# The posterior mean with its error and interval, and the median of tau.
posterior_summary <- function(posterior, level) {
  weights <- posterior$weights
  mean <- sum(weights * posterior$mean)
  ends <- mixture_quantiles(central_ends(level), weights, posterior$mean,
                            posterior$mean_sd)
  by_tau <- rowsum(weights, posterior$tau)
  variance <- sum(weights * ((posterior$mean - mean)^2 + posterior$mean_sd^2))
  list(mean = mean, se = sqrt(variance), lower = ends[1L],
       upper = ends[2L],
       tau = stats::approx(cumsum(by_tau) - by_tau / 2, sort(unique(posterior$tau)), 0.5,
                           rule = 2, ties = "ordered")$y)
}

# The probability that a mixture of normals is below x.
mixture_below <- function(x, weights, mean, sd) {
  vapply(x, function(at) sum(weights * stats::pnorm(at, mean, sd)), 0)
}

# By Newton's method from the quantile of a normal distribution of the same moments. A step that
# leaves where the quantile must be, or is not half as long as the one before, halves that instead:
# between two peaks steps would go to and fro without end.
mixture_quantiles <- function(probabilities, weights, mean, sd) {
  heavy <- weights > 1e-12 * max(weights)
  weights <- weights[heavy]
  mean <- mean[heavy]
  sd <- sd[heavy]
  ends <- c(min(mean - 10 * sd), max(mean + 10 * sd))
  centre <- sum(weights * mean) / sum(weights)
  spread <- sqrt(sum(weights * ((mean - centre)^2 + sd^2)) / sum(weights))
  density <- weights / (sd * sqrt(2 * pi))
  vapply(probabilities, function(p) {
    low <- ends[1L]
    high <- ends[2L]
    x <- min(max(centre + spread * stats::qnorm(p), low), high)
    last <- Inf
    while (high - low > 1e-9 * diff(ends)) {
      above <- mixture_below(x, weights, mean, sd) - p
      if (above > 0) high <- x else low <- x
      moved <- x - above / sum(density * exp(-((x - mean) / sd)^2 / 2))
      if (!is.finite(moved) || moved < low || moved > high || abs(moved - x) > last / 2) {
        moved <- (low + high) / 2
      }
      last <- abs(moved - x)
      done <- last <= 1e-9 * diff(ends)
      x <- moved
      if (done) break
    }
    x
  }, 0)
}
