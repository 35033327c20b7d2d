# Random-effects summary of one value per site: value_g = theta_g + error of the site's rows, with
# theta_g normal around a mean with standard deviation tau. The mean and its interval are those of
# metafor; what a new site may have is a posterior distribution, since intervals from estimates of
# tau alone cover too little with few sites.

# value, se: of each site, on the scale of the measure; large: see site_posterior(); inflation: of
# the variance of the mean, for values whose training sets overlap.
random_effects <- function(value, se, large, inflation = 1, level = 0.95) {
  known <- is.finite(value) & is.finite(se) & se > 0
  value <- value[known]
  se <- se[known]
  k <- length(value)
  empty <- list(domains = k, mean = NA_real_, se = NA_real_, lower = NA_real_, upper = NA_real_,
                tau = NA_real_, new = NULL, known = known)
  if (k == 0L) return(empty)
  if (k == 1L) return(utils::modifyList(empty, list(mean = value, se = se)))
  fit <- fit_metafor(value, se)
  mean <- c(fit$beta)
  # Knapp and Hartung's error can be far too small by chance: at least that of the weights
  error <- max(fit$se, 1 / sqrt(sum(1 / (se^2 + fit$tau2)))) * sqrt(inflation)
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

# Restricted maximum likelihood with Knapp and Hartung's standard error. What converges to no tau in
# the usual steps does in smaller ones.
fit_metafor <- function(value, se, X = NULL) {
  given <- list(yi = value, sei = se, method = "REML", test = "knha")
  given$mods <- X
  # sites of very different size are expected, and warned of at each call
  fit <- function(...) withCallingHandlers(
    do.call(metafor::rma.uni, c(given, list(control = list(maxiter = 1000L, ...)))),
    warning = function(w) {
      if (grepl("sampling variance", conditionMessage(w))) invokeRestart("muffleWarning")
    }
  )
  tryCatch(fit(), error = function(e) fit(stepadj = 0.3, threshold = 1e-6))
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
