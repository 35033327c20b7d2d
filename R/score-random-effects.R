# Random-effects summary of one value per site: value_g = theta_g + error of the site's rows, with
# theta_g normal around a mean with standard deviation tau. The mean and its interval are those of
# metafor; what a new site may have is a posterior distribution, since intervals from estimates of
# tau alone cover too little with few sites.

# value, se: of each site, on the scale of the measure; large: a large tau, see site_posterior();
# inflation: of the variance of the mean, for values whose training sets overlap; likelihoods: of
# sites with few events the logarithm of their likelihood, a function of values on the scale, NULL
# for others. Sites without an error are left out.
# list(domains: their number, known: which, mean, se, lower, upper, tau, new: see new_site()); NA
# where there are too few sites.
random_effects <- function(value, se, large, inflation = 1, level = 0.95,
                           likelihoods = vector("list", length(value))) {
  known <- is.finite(value) & is.finite(se) & se > 0
  k <- sum(known)
  found <- list(domains = k, known = known, mean = NA_real_, se = NA_real_, lower = NA_real_,
                upper = NA_real_, tau = NA_real_,
                new = list(interval = c(NA_real_, NA_real_), sites = matrix(NA_real_, k, 3L)))
  if (k < 2L) {
    same <- unique(value[if (k) known else is.finite(value)])
    if (length(same) == 1L) found$mean <- same
    return(found)
  }
  value <- value[known]
  se <- se[known]
  likelihoods <- likelihoods[known]
  if (!all(vapply(likelihoods, is.null, NA))) {
    posterior <- count_posterior(value, se, likelihoods, large, inflation)
    found[c("mean", "se", "lower", "upper", "tau")] <- posterior_summary(posterior, level)
    found$new <- new_site(posterior, level)
    return(found)
  }
  fit <- fit_metafor(value, se)
  error <- fit$se * sqrt(inflation)
  ends <- c(fit$beta) + c(-1, 1) * stats::qt((1 + level) / 2, k - 1) * error
  found[c("mean", "se", "lower", "upper", "tau")] <- c(fit$beta, error, ends, sqrt(fit$tau2))
  found$new <- new_site(site_posterior(value, se, large, inflation), level)
  # a new site is not surer than the mean
  found$new$interval <- range(found$new$interval, ends)
  found
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

# Proportions of nodes from the logarithm of their weights.
shares_of <- function(log_density) {
  shares <- exp(log_density - max(log_density))
  shares / sum(shares)
}

# Of a sum over nodes that stands for an integral, twice.
node_widths <- function(x) c(diff(x), 0) + c(0, diff(x))

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
  shrink <- 1 / (1 + outer(tau^2, 1 / se^2))
  list(weights = shares_of(log_density + log(node_widths(tau))), mean = mean, tau = tau,
       mean_sd = sqrt(inflation / total),
       sd = sqrt(tau^2 + inflation / total),
       site_mean = shrink * mean + (1 - shrink) * rep(value, each = nodes),
       site_sd = sqrt((1 - shrink) * rep(se^2, each = nodes) + shrink^2 / total))
}

# The same where some sites have a likelihood that is not normal, by quadrature over tau, the mean,
# and the values of these sites, of which a table at equal steps serves all nodes. The density of
# the mean is that of Jeffreys for sites that are alike, the root of the information, at most that
# at 0: where no site has an event a flat one has no end.
count_posterior <- function(value, se, likelihoods, large, inflation) {
  few <- !vapply(likelihoods, is.null, NA)
  of_tau <- seq(0, 1, length.out = 51L)^3 * 4 * large
  ends <- range(value) + c(-30, 30)
  # where all errors are large, the distribution of sites is what must be resolved
  step <- min(se[few], large) / 3
  theta <- seq(ends[1L] - 20 * large, ends[2L] + 20 * large, by = step)
  table <- vapply(likelihoods[few], function(of) of(theta), theta)
  top <- apply(table, 2L, max)
  curvature <- -diff(rowSums(table), differences = 2L) / step^2
  known_information <- c(NA, curvature, NA) + sum(1 / se[!few]^2)
  known_information[!is.finite(known_information)] <- NA
  information <- stats::approxfun(theta, known_information, rule = 2)
  prior <- function(mean) log(pmin(pmax(information(mean), 1e-12), information(0))) / 2
  table <- exp(table - rep(top, each = length(theta)))
  # what is 0 at all sites adds nothing to any sum
  positive <- rowSums(table) > 0
  theta <- theta[positive]
  table <- table[positive, , drop = FALSE]
  hermite <- gauss_hermite(9L)

  # The logarithm of the density at means given tau; with moments of the values of sites.
  given_tau <- function(tau, mean, moments = FALSE) {
    variance <- outer(rep(tau^2, length(mean)), se[!few]^2, "+")
    residual <- outer(mean, value[!few], function(m, v) v - m)
    density <- prior(mean) - rowSums(residual^2 / variance + log(variance)) / 2
    if (tau >= step) {
      near <- theta > min(mean) - 9 * tau & theta < max(mean) + 9 * tau
      at <- theta[near]
      # the normal density
      kernel <- exp(-(outer(mean, at, "-") / tau)^2 / 2) * (step / (tau * sqrt(2 * pi)))
      own <- table[near, , drop = FALSE]
      sums <- list(kernel %*% own, if (moments) kernel %*% (own * at),
                   if (moments) kernel %*% (own * at^2))
    } else {
      # steps are too wide for so narrow a distribution
      at <- outer(mean, tau * hermite$nodes, "+")
      own <- lapply(which(few), function(g) {
        likelihood <- exp(array(likelihoods[[g]](at), dim(at)) - top[match(g, which(few))])
        rep(hermite$weights, each = length(mean)) * likelihood
      })
      bind <- function(of) matrix(vapply(own, of, mean), length(mean))
      sums <- list(bind(rowSums), if (moments) bind(function(w) rowSums(w * at)),
                   if (moments) bind(function(w) rowSums(w * at^2)))
    }
    density <- density + rowSums(log(pmax(sums[[1L]], 1e-300))) + sum(top)
    if (!moments) return(density)
    centre <- spread <- matrix(0, length(mean), length(few))
    mass <- pmax(sums[[1L]], 1e-300)
    centre[, few] <- sums[[2L]] / mass
    spread[, few] <- sqrt(pmax(sums[[3L]] / mass - centre[, few]^2, 1e-16))
    own <- rep(se[!few]^2, each = length(mean))
    shrink <- own / variance
    centre[, !few] <- shrink * mean + (1 - shrink) * rep(value[!few], each = length(mean))
    spread[, !few] <- sqrt(own * (1 - shrink))
    list(density = density, site_mean = centre, site_sd = pmax(spread, 1e-8))
  }

  # the means that are likely given tau; of taus between, those of the next larger one
  likely <- function(tau) {
    within <- ends
    for (round in 1:4) {
      at <- seq(within[1L], within[2L], length.out = 41L)
      density <- given_tau(tau, at)
      within <- range(at[density > max(density) - 14]) + c(-1, 1) * diff(at[1:2])
    }
    within
  }
  some <- c(1L, 11L, 21L, 31L, 41L, 51L)
  ranges <- vapply(of_tau[some], likely, c(0, 0))
  ranges <- ranges[, findInterval(seq_along(of_tau), some, left.open = TRUE) + 1L]
  means <- apply(ranges, 2L, function(ends) seq(ends[1L], ends[2L], length.out = 51L))
  nodes <- lapply(seq_along(of_tau), function(k) given_tau(of_tau[k], means[, k], TRUE))
  width <- means[2L, ] - means[1L, ]
  log_density <- vapply(nodes, `[[`, numeric(51L), "density") +
    rep(stats::dnorm(of_tau, 0, large, log = TRUE), each = 51L)
  weights <- shares_of(log_density + log(rep(node_widths(of_tau) * width, each = 51L)))
  # the mean given tau is as uncertain as overlapping training sets make it
  middle <- colSums(weights * means) / colSums(weights)
  middle <- rep(ifelse(is.finite(middle), middle, means[26L, ]), each = 51L)
  tau <- rep(of_tau, each = 51L)
  # what lies between the nodes
  between <- rep(width / sqrt(12), each = 51L)
  list(weights = c(weights), mean = middle + sqrt(inflation) * (c(means) - middle), tau = tau,
       mean_sd = between, sd = sqrt(tau^2 + between^2),
       site_mean = do.call(rbind, lapply(nodes, `[[`, "site_mean")),
       site_sd = do.call(rbind, lapply(nodes, `[[`, "site_sd")))
}

# Nodes and weights for the mean of a function of a standard normal variable (Golub and Welsch,
# 1969).
gauss_hermite <- function(n) {
  found <- eigen(outer(seq_len(n), seq_len(n), function(i, j) {
    ifelse(abs(i - j) == 1, sqrt(pmin(i, j)), 0)
  }), symmetric = TRUE)
  list(nodes = found$values, weights = found$vectors[1L, ]^2)
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
