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
  list(domains = k, mean = mean, se = error, lower = mean - half, upper = mean + half,
       tau = sqrt(fit$tau2), known = known,
       new = new_site(site_posterior(value, se, large, inflation), level))
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
# site are normal. list(weights, mean, sd: of a new site; site_mean,
# site_sd [nodes x sites]).
site_posterior <- function(value, se, large, inflation = 1, nodes = 201L) {
  spread <- max(stats::sd(value), min(se))
  # quadratic: narrow steps near zero
  tau <- seq(0, 1, length.out = nodes)^2 * min(5 * large, 10 * spread)
  precision <- 1 / outer(tau^2, se^2, "+")
  total <- rowSums(precision)
  mean <- drop(precision %*% value) / total
  misfit <- rowSums(precision * outer(mean, value, "-")^2)
  log_density <- (rowSums(log(precision)) - log(total) - misfit) / 2 + 
    stats::dnorm(tau, 0, large, log = TRUE)
  step <- c(diff(tau), 0) + c(0, diff(tau))
  weights <- exp(log_density - max(log_density)) * step
  shrink <- 1 / (1 + outer(tau^2, 1 / se^2))
  list(weights = weights / sum(weights), mean = mean, sd = sqrt(tau^2 + inflation / total),
       tau = tau,
       site_mean = shrink * mean + (1 - shrink) * rep(value, each = nodes),
       site_sd = sqrt((1 - shrink) * rep(se^2, each = nodes) + shrink^2 / total))
}

# The same where some sites have a likelihood that is not normal, by quadrature over mean and tau;
# given both, over the site's value in units of tau.
count_posterior <- function(value, se, likelihoods, large, inflation) {
  few <- !vapply(likelihoods, is.null, NA)
  spread <- max(stats::sd(value), min(se))
  tau <- seq(0, 1, length.out = 41L)^2 * min(4 * large, 6 * spread)
  centre <- stats::weighted.mean(value, 1 / (se^2 + spread^2))
  means <- centre + seq(-7, 7, length.out = 57L) * sqrt((spread^2 + mean(se^2)) / length(value))
  grid <- expand.grid(mean = means, tau = tau)
  units <- seq(-5, 5, length.out = 61L)
  normal <- stats::dnorm(units, log = TRUE)
  site_mean <- site_sd <- matrix(0, nrow(grid), length(value))
  log_density <- stats::dnorm(grid$tau, 0, large, log = TRUE)
  for (g in seq_along(value)) {
    if (few[g]) {
      at <- grid$mean + outer(grid$tau, units)
      terms <- array(likelihoods[[g]](at), dim(at)) + rep(normal, each = nrow(grid))
      top <- terms[cbind(seq_len(nrow(grid)), max.col(terms, "first"))]
      share <- exp(terms - top)
      total <- rowSums(share)
      log_density <- log_density + top + log(total)
      site_mean[, g] <- rowSums(share * at) / total
      site_sd[, g] <- sqrt(pmax(rowSums(share * (at - site_mean[, g])^2) / total, 0))
    } else {
      variance <- se[g]^2 + grid$tau^2
      log_density <- log_density + stats::dnorm(value[g], grid$mean, sqrt(variance), log = TRUE)
      shrink <- se[g]^2 / variance
      site_mean[, g] <- shrink * grid$mean + (1 - shrink) * value[g]
      site_sd[, g] <- se[g] * sqrt(1 - shrink)
    }
  }
  step <- c(diff(tau), 0) + c(0, diff(tau))
  weights <- exp(log_density - max(log_density)) * step[match(grid$tau, tau)]
  weights <- weights / sum(weights)
  # the mean given tau is as uncertain as overlapping training sets make it
  given_tau <- rowsum(weights * grid$mean, grid$tau) / rowsum(weights, grid$tau)
  middle <- given_tau[match(grid$tau, sort(tau))]
  middle[!is.finite(middle)] <- centre
  wider <- middle + sqrt(inflation) * (grid$mean - middle)
  # what lies between the nodes
  between <- diff(means)[1L] / sqrt(12)
  list(weights = weights, mean = wider, sd = sqrt(grid$tau^2 + between^2), tau = grid$tau,
       between = between, site_mean = site_mean, site_sd = pmax(site_sd, 1e-8))
}

# Of the mean and of tau.
posterior_summary <- function(posterior, level) {
  weights <- posterior$weights
  mean <- sum(weights * posterior$mean)
  ends <- mixture_quantiles((1 + c(-1, 1) * level) / 2, weights, posterior$mean,
                            rep(posterior$between, length(weights)))
  order <- order(posterior$tau)
  list(mean = mean, se = sqrt(sum(weights * (posterior$mean - mean)^2)), lower = ends[1L],
       upper = ends[2L], tau = posterior$tau[order][sum(cumsum(weights[order]) < 0.5) + 1L])
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
