# Random-effects summary of one value per site: value_g = theta_g + error of the site's rows, with
# theta_g normal around a mean with standard deviation tau. The mean and its interval are those of
# metafor; what a new site may have is a posterior distribution, since intervals from estimates of
# tau alone cover too little with few sites.

# value, se: of each site, on the scale of the measure; large: see site_posterior(); inflation: of
# the variance of the mean, for values whose training sets overlap; likelihoods: for sites with few
# events the logarithm of their likelihood, a function of values on the scale, NULL for others.
random_effects <- function(value, se, large, inflation = 1, level = 0.95,
                           likelihoods = vector("list", length(value))) {
  known <- is.finite(value) & is.finite(se) & se > 0
  value <- value[known]
  se <- se[known]
  likelihoods <- likelihoods[known]
  k <- length(value)
  empty <- list(domains = k, mean = NA_real_, se = NA_real_, lower = NA_real_, upper = NA_real_,
                tau = NA_real_, new = NULL, known = known)
  if (k == 0L) return(empty)
  if (k == 1L) return(utils::modifyList(empty, list(mean = value, se = se)))
  if (!all(vapply(likelihoods, is.null, NA))) {
    posterior <- count_posterior(value, se, likelihoods, large, inflation)
    return(c(list(domains = k, known = known, new = new_site(posterior, level)),
             posterior_summary(posterior, level)))
  }
  fit <- fit_metafor(value, se)
  mean <- c(fit$beta)
  error <- fit$se * sqrt(inflation)
  half <- stats::qt((1 + level) / 2, k - 1) * error
  new <- new_site(site_posterior(value, se, large, inflation), level)
  # a new site is not surer than the mean
  new$interval <- range(new$interval, mean - half, mean + half)
  list(domains = k, mean = mean, se = error, lower = mean - half, upper = mean + half,
       tau = sqrt(fit$tau2), known = known, new = new)
}

# With the interval of a new site, and posterior mean and interval [sites x 3] of these.
new_site <- function(posterior, level) {
  ends <- (1 + c(-1, 1) * level) / 2
  posterior$interval <- mixture_quantiles(ends, posterior$weights, posterior$mean, posterior$sd)
  posterior$sites <- t(vapply(seq_len(ncol(posterior$site_mean)), function(g) {
    mean <- posterior$site_mean[, g]
    c(sum(posterior$weights * mean),
      mixture_quantiles(ends, posterior$weights, mean, posterior$site_sd[, g]))
  }, numeric(3)))
  posterior
}

# Restricted maximum likelihood with Knapp and Hartung's standard error, which can be far too small
# by chance and is therefore at least that of the weights ("adhoc"). What does not converge in the
# usual steps does in smaller ones.
fit_metafor <- function(value, se, X = NULL) {
  given <- list(yi = value, sei = se, method = "REML", test = "adhoc")
  given$mods <- X
  # its warning of errors that differ much says nothing to users of sites of different sizes
  fit <- function(...) {
    given$control <- list(maxiter = 1000L, ...)
    suppressWarnings(do.call(metafor::rma.uni, given))
  }
  on_error(fit(), function(e) fit(stepadj = 0.3, threshold = 1e-6))
}

# The posterior distribution by quadrature over tau, with a flat density of the mean and a
# half-normal one of tau with standard deviation `large`: given tau, the mean, each site and a new
# site are normal. list(weights, mean, tau, mean_sd: of the mean; sd: of a new site; site_mean,
# site_sd [nodes x sites]).
site_posterior <- function(value, se, large, inflation = 1, nodes = 201L) {
  # narrow steps near zero
  tau <- seq(0, 1, length.out = nodes)^3 * 4 * large
  precision <- 1 / outer(tau^2, se^2, "+")
  total <- rowSums(precision)
  mean <- drop(precision %*% value) / total
  misfit <- rowSums(precision * outer(mean, value, "-")^2)
  log_density <- (rowSums(log(precision)) - log(total) - misfit) / 2 +
    stats::dnorm(tau, 0, large, log = TRUE)
  step <- c(diff(tau), 0) + c(0, diff(tau))
  weights <- exp(log_density - max(log_density)) * step
  shrink <- 1 / (1 + outer(tau^2, 1 / se^2))
  list(weights = weights / sum(weights), mean = mean, tau = tau, mean_sd = sqrt(inflation / total),
       sd = sqrt(tau^2 + inflation / total),
       site_mean = shrink * mean + (1 - shrink) * rep(value, each = nodes),
       site_sd = sqrt((1 - shrink) * rep(se^2, each = nodes) + shrink^2 / total))
}

# The same where some sites have a likelihood that is not normal, by quadrature over mean and tau;
# given both, over the site's value in units of tau.
count_posterior <- function(value, se, likelihoods, large, inflation) {
  few <- !vapply(likelihoods, is.null, NA)
  tau <- seq(0, 1, length.out = 51L)^3 * 4 * large
  # means around that of the normal likelihoods, in units of its error
  precision <- 1 / outer(tau^2, se^2, "+")
  total <- rowSums(precision)
  steps <- seq(-10, 10, length.out = 51L)
  means <- drop(precision %*% value) / total + outer(1 / sqrt(total), steps)
  width <- diff(steps)[1L] / sqrt(total)
  tau <- rep(tau, length(steps))
  mean <- c(means)
  nodes <- length(mean)
  units <- seq(-5, 5, length.out = 51L)
  normal <- rep(stats::dnorm(units, log = TRUE), each = nodes)
  site_mean <- site_sd <- matrix(0, nodes, length(value))
  log_density <- stats::dnorm(tau, 0, large, log = TRUE)
  for (g in seq_along(value)) {
    if (few[g]) {
      at <- mean + outer(tau, units)
      terms <- array(likelihoods[[g]](at), dim(at)) + normal
      top <- terms[cbind(seq_len(nodes), max.col(terms, "first"))]
      share <- exp(terms - top)
      sum <- rowSums(share)
      log_density <- log_density + top + log(sum)
      site_mean[, g] <- rowSums(share * at) / sum
      site_sd[, g] <- sqrt(pmax(rowSums(share * (at - site_mean[, g])^2) / sum, 0))
    } else {
      variance <- se[g]^2 + tau^2
      log_density <- log_density + stats::dnorm(value[g], mean, sqrt(variance), log = TRUE)
      shrink <- se[g]^2 / variance
      site_mean[, g] <- shrink * mean + (1 - shrink) * value[g]
      site_sd[, g] <- se[g] * sqrt(1 - shrink)
    }
  }
  own <- tau[seq_along(total)]
  weights <- exp(log_density - max(log_density)) * (c(diff(own), 0) + c(0, diff(own))) * width
  weights <- weights / sum(weights)
  # the mean given tau is as uncertain as overlapping training sets make it
  by_tau <- matrix(weights, length(own))
  middle <- rowSums(by_tau * means) / rowSums(by_tau)
  middle <- ifelse(is.finite(middle), middle, means[, (length(steps) + 1L) / 2])
  # what lies between the nodes
  between <- rep(width / sqrt(12), length(steps))
  list(weights = weights, mean = middle + sqrt(inflation) * (mean - middle),
       tau = tau, mean_sd = between, sd = sqrt(tau^2 + between^2), site_mean = site_mean,
       site_sd = pmax(site_sd, 1e-8))
}

# Of the mean, and of tau the median.
posterior_summary <- function(posterior, level) {
  weights <- posterior$weights
  mean <- sum(weights * posterior$mean)
  ends <- mixture_quantiles((1 + c(-1, 1) * level) / 2, weights, posterior$mean,
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

mixture_quantiles <- function(probabilities, weights, mean, sd) {
  ends <- c(min(mean - 10 * sd), max(mean + 10 * sd))
  vapply(probabilities, function(p) {
    stats::uniroot(function(x) mixture_below(x, weights, mean, sd) - p, ends,
                   tol = 1e-9 * diff(ends))$root
  }, 0)
}
