values <- c(0.6, 1.1, 1.9, 0.2, 1.4, 0.9, 1.6)
errors <- c(0.2, 0.3, 0.5, 0.25, 0.2, 0.6, 0.15)

test_that("mean, tau and interval are metafor's", {
  skip_if_not_installed("metafor")
  fit <- metafor::rma.uni(values, sei = errors, method = "REML", test = "adhoc")
  found <- random_effects(values, errors, 1)
  expect_equal(found$mean, c(fit$beta), tolerance = 1e-8)
  expect_equal(found$tau^2, fit$tau2, tolerance = 1e-8)
  expect_equal(c(found$lower, found$upper), c(fit$ci.lb, fit$ci.ub), tolerance = 1e-8)
  wider <- random_effects(values, errors, 1, inflation = 2)
  expect_equal(wider$se, sqrt(2) * found$se)
})

test_that("without differences between sites the interval is not narrower than that of the weights", {
  skip_if_not_installed("metafor")
  found <- random_effects(c(1, 1.001, 0.999, 1), rep(0.2, 4), 1)
  expect_equal(found$se, 0.1, tolerance = 1e-3)
})

test_that("the posterior is that of a fine grid over mean and tau", {
  grid <- expand.grid(mu = seq(-4, 6, length.out = 801), tau = seq(0.0025, 5, by = 0.005))
  log_density <- dnorm(grid$tau, 0, 1, log = TRUE)
  for (g in seq_along(values)) {
    log_density <- log_density + dnorm(values[g], grid$mu, sqrt(errors[g]^2 + grid$tau^2), TRUE)
  }
  weight <- exp(log_density - max(log_density))
  weight <- weight / sum(weight)
  below <- function(x) sum(weight * pnorm(x, grid$mu, grid$tau))
  new <- new_site(site_posterior(values, errors, 1), 0.95)
  expect_equal(vapply(new$interval, below, 0), c(0.025, 0.975), tolerance = 2e-3)
  # a site: mean of its normal given mean and tau
  part <- errors[3L]^2 / (errors[3L]^2 + grid$tau^2)
  expect_equal(new$sites[3L, 1L], sum(weight * (part * grid$mu + (1 - part) * values[3L])),
               tolerance = 1e-3)
})

test_that("a mixture's quantiles are where its distribution function says", {
  at <- mixture_quantiles(c(0.1, 0.7), c(0.3, 0.7), c(0, 5), c(1, 2))
  expect_equal(mixture_below(at, c(0.3, 0.7), c(0, 5), c(1, 2)), c(0.1, 0.7), tolerance = 1e-6)
})

test_that("one site has a value and no summary, none has neither", {
  expect_identical(random_effects(1, 0.1, 1)$lower, NA_real_)
  expect_identical(random_effects(NA_real_, NA_real_, 1)$domains, 0L)
})

test_that("a likelihood that is normal gives what the normal one does", {
  likelihoods <- Map(function(value, error) {
    function(at) stats::dnorm(value, at, error, log = TRUE)
  }, values, errors)
  given <- random_effects(values, errors, 1, inflation = 2, likelihoods = likelihoods)
  posterior <- new_site(site_posterior(values, errors, 1, inflation = 2), 0.95)
  expect_equal(given$new$interval, posterior$interval, tolerance = 0.01)
  expect_equal(given$new$sites, posterior$sites, tolerance = 0.01)
})

test_that("with few events mean and tau are not those of weights that depend on the events", {
  skip_if_not_installed("metafor")
  set.seed(1)
  expected <- rep(3, 300)
  events <- rpois(300, expected * exp(rnorm(300, 0, 0.3)))
  value <- ifelse(events > 0, log(events / expected), log(0.5 / expected))
  se <- ifelse(events > 0, 1 / sqrt(events), sqrt(2))
  likelihoods <- Map(function(o, e) function(at) o * at - e * exp(at), events, expected)
  found <- random_effects(value, se, 1, likelihoods = likelihoods)
  expect_lt(abs(found$mean), 0.08)
  expect_equal(found$tau, 0.3, tolerance = 0.3)
  # what weights by the events would give
  expect_gt(random_effects(value, se, 1)$mean, 0.1)
})

test_that("without an event the interval of the mean is near that of all rows together", {
  skip_if_not_installed("metafor")
  found <- dg_validate(rep(c(0.01, 0.03), 180), y = integer(360), domain = rep(1:6, each = 60))
  oe <- found$summary[found$summary$measure == "oe", ]
  # with the density of Jeffreys and 7.2 events expected; sites may differ
  upper <- qgamma(0.975, 0.5) / 7.2
  expect_gt(oe$upper, 0.9 * upper)
  expect_lt(oe$upper, 1.5 * upper)
})

test_that("a quantile is found where Newton's steps would go to and fro without end", {
  parts <- with_seed(1791, {
    mean <- seq(-10, 10, length.out = sample(5:60, 1))
    sd <- 10^runif(length(mean), -8, 0.3)
    list(weights = dnorm(mean, 0, runif(1, 1, 4)) * rexp(length(mean)), mean = mean, sd = sd)
  })
  weights <- parts$weights / sum(parts$weights)
  p <- c(0.025, 0.2, 0.5, 0.975)
  found <- mixture_quantiles(p, weights, parts$mean, parts$sd)
  expect_true(all(mixture_below(found - 1e-6, weights, parts$mean, parts$sd) <= p))
  expect_true(all(mixture_below(found + 1e-6, weights, parts$mean, parts$sd) >= p))
})

test_that("weights of few events do not bias the mean of true probabilities", {
  skip_if_not_installed("metafor")
  set.seed(1)
  means <- rowMeans(replicate(6, {
    x <- rnorm(600)
    p <- plogis(x - 0.5)
    found <- dg_validate(p, y = rbinom(600, 1, p), domain = rep(1:40, each = 15))$summary
    found$mean[match(c("oe", "slope", "auc"), found$measure)]
  }))
  expect_lt(abs(means[1L] - 1), 0.06)
  expect_lt(abs(means[2L] - 1), 0.12)
  # the area of these probabilities
  expect_lt(abs(means[3L] - 0.74), 0.02)
})

test_that("the posterior of likelihoods is that of a sum over a fine grid", {
  events <- c(0, 2, 5)
  n <- c(20, 30, 25)
  likelihoods <- Map(function(k, n) function(value) k * value - n * log1p(exp(value)), events, n)
  value <- qlogis((events + 0.5) / (n + 1))
  se <- sqrt(1 / (events + 0.5) + 1 / (n - events + 0.5))
  found <- posterior_summary(count_posterior(value, se, likelihoods, 1, 1), 0.95)
  theta <- seq(-25, 15, by = 0.05)
  mean <- seq(-14, 6, by = 0.1)
  of_tau <- seq(0.05, 4, by = 0.1)
  information <- sum(n) * plogis(mean) * (1 - plogis(mean))
  density <- vapply(of_tau, function(tau) {
    kernel <- outer(mean, theta, function(m, t) dnorm(t, m, tau)) * 0.05
    rowSums(vapply(likelihoods, function(of) log(drop(kernel %*% exp(of(theta)))), mean)) +
      log(information) / 2 + dnorm(tau, 0, 1, log = TRUE)
  }, mean)
  weights <- exp(density - max(density))
  of_mean <- cumsum(rowSums(weights)) / sum(weights)
  expect_equal(found$mean, sum(rowSums(weights) * mean) / sum(weights), tolerance = 0.01)
  expect_equal(c(found$lower, found$upper), approx(of_mean, mean, c(0.025, 0.975))$y,
               tolerance = 0.03)
})

test_that("sites whose likelihoods say next to nothing give a wide interval, not an error", {
  flat <- function(value) -value^2 / 2e6
  found <- random_effects(c(0.5, 0.2), c(1e3, 1e3), 0.5, likelihoods = list(flat, flat))
  expect_true(all(is.finite(c(found$mean, found$lower, found$upper))))
  expect_gt(found$upper - found$lower, 10)
})
