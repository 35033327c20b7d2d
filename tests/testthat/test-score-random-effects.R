values <- c(0.6, 1.1, 1.9, 0.2, 1.4, 0.9, 1.6)
errors <- c(0.2, 0.3, 0.5, 0.25, 0.2, 0.6, 0.15)

test_that("in the mean each site counts once, with Student's interval", {
  found <- random_effects(values, errors, 1)
  test <- stats::t.test(values)
  expect_equal(found$mean, mean(values))
  expect_equal(c(found$lower, found$upper), c(test$conf.int), tolerance = 1e-8)
  wider <- random_effects(values, errors, 1, inflation = 2)
  expect_equal(wider$se, sqrt(2) * found$se)
  # values that are alike by chance: the error is at least that of their rows
  alike <- random_effects(c(1, 1.001, 0.999, 1), rep(0.2, 4), 1)
  expect_equal(alike$se, 0.1, tolerance = 1e-8)
})

test_that("a site of which next to nothing is known does not decide the mean", {
  found <- random_effects(c(values, 400), c(errors, 300), 1)
  expect_lt(abs(found$mean - mean(values)), 0.1)
  expect_lt(found$upper - found$lower, 1.5)
  expect_equal(sum(site_weights(c(1, 2, 3, 4, 1e6))), 1)
  expect_equal(site_weights(c(1, 2, 3, 4, 27 * 5))[5L] / site_weights(c(1, 2, 3, 4, 135))[1L], 0.2)
})

test_that("what sites differ by is that of Paule and Mandel, also around a regression", {
  skip_if_not_installed("metafor")
  exact <- list(tol = 1e-14)
  for (seed in 1:4) with_seed(seed, {
    k <- sample(4:30, 1)
    se <- exp(rnorm(k, -1))
    x <- rnorm(k)
    value <- 0.7 * x + rnorm(k, sd = 1.5) + se * rnorm(k)
    fit <- metafor::rma.uni(value, sei = se, method = "PM", control = exact)
    expect_equal(between_sites(value, se)^2, fit$tau2, tolerance = 1e-8)
    fit <- metafor::rma.uni(value, sei = se, mods = x, method = "PM", control = exact)
    expect_equal(between_sites(value, se, cbind(1, x))^2, fit$tau2, tolerance = 1e-8)
  })
  expect_identical(between_sites(values, 10 * errors), 0)
  # that by precision is near theirs, with a flat prior
  weighted <- posterior_summary(site_posterior(values, errors, 1e3, nodes = 4001L), 0.95)
  given <- metafor::rma.uni(values, sei = errors, tau2 = weighted$tau^2)
  expect_equal(weighted$mean, c(given$beta), tolerance = 0.02)
})

test_that("tau, a new site and the sites are those of a fine grid over mean and tau", {
  prior <- tau_scale(values, errors, 0.2)
  expect_equal(prior, 2 * between_sites(values, errors))
  grid <- expand.grid(mu = seq(-4, 6, length.out = 801), tau = seq(0.0025, 5, by = 0.005))
  log_density <- dnorm(grid$tau, 0, prior, log = TRUE)
  for (g in seq_along(values)) {
    log_density <- log_density + dnorm(values[g], grid$mu, sqrt(errors[g]^2 + grid$tau^2), TRUE)
  }
  weight <- exp(log_density - max(log_density))
  weight <- weight / sum(weight)
  found <- random_effects(values, errors, 0.2)
  expect_equal(found$weighted$mean, sum(weight * grid$mu), tolerance = 1e-3)
  expect_equal(sum(weight[grid$tau < found$tau]), 0.5, tolerance = 0.01)
  # given tau, a new site is normal around the mean in which each site counts once
  by_tau <- rowsum(weight, grid$tau)
  tau <- sort(unique(grid$tau))
  sd <- sqrt(tau^2 + vapply(tau, function(t) sum(t^2 + errors^2), 0) / 49)
  below <- function(x) sum(by_tau * pnorm(x, mean(values), sd))
  expect_equal(vapply(found$new$interval, below, 0), c(0.025, 0.975), tolerance = 2e-3)
  # a site: mean of its normal given mean and tau
  part <- errors[3L]^2 / (errors[3L]^2 + grid$tau^2)
  expect_equal(shrunken_sites(found$posterior, 0.95)[3L, 1L],
               sum(weight * (part * grid$mu + (1 - part) * values[3L])), tolerance = 1e-3)
  # the difference of both means, of known variance given tau
  w <- 1 / outer(tau^2, errors^2, "+")
  difference <- mean(values) - drop(w %*% values) / rowSums(w)
  variance <- vapply(tau, function(t) sum(t^2 + errors^2), 0) / 49 - 1 / rowSums(w)
  expect_equal(found$p, sum(by_tau * 2 * pnorm(-abs(difference) / sqrt(variance))),
               tolerance = 2e-3)
  # between limits: the sum, and quantiles over draws of mean and tau
  share <- share_between(c(0.5, Inf), found$new, 0.9)
  expect_equal(share[["share"]], 1 - below(0.5), tolerance = 2e-3)
  with_seed(1, {
    of <- sample(length(tau), 1e5, TRUE, by_tau)
    mu <- rnorm(1e5, mean(values), sqrt(sd^2 - tau^2)[of])
    ends <- quantile(1 - pnorm(0.5, mu, tau[of]), c(0.05, 0.95))
  })
  expect_equal(unname(share[2:3]), unname(ends), tolerance = 0.01)
})

test_that("a summary has the unit of its values, and no order", {
  for (seed in 1:5) with_seed(seed, {
    k <- sample(3:12, 1)
    value <- rnorm(k)
    se <- runif(k, 0.05, 1)
    unit <- 10^runif(1, -4, 4)
    shift <- rnorm(1)
    order <- sample(k)
  })
  numbers <- function(found) unlist(found[c("mean", "lower", "upper")])
  for (large in list(NULL, 0.7)) {
    found <- random_effects(value, se, large)
    other <- random_effects(unit * (value + shift)[order], unit * se[order],
                            if (!is.null(large)) unit * large)
    expect_equal(numbers(other), unit * (numbers(found) + shift), tolerance = 1e-6)
    expect_equal(other$new$interval, unit * (found$new$interval + shift), tolerance = 1e-5)
    expect_equal(other$tau, unit * found$tau, tolerance = 1e-5)
    expect_equal(other$p, found$p, tolerance = 1e-5)
  }
})

test_that("intervals cover however much sites differ, and whatever goes with precision", {
  worlds <- list(
    much = function(k, z) 3 * rnorm(k), heavy = function(k, z) 2 * rt(k, 3),
    units = function(k, z) ifelse(runif(k) < 0.3, 18, 1),
    precise = function(k, z) 0.5 * (0.7 * z + 0.7 * rnorm(k)),
    little = function(k, z) 0.05 * rnorm(k)
  )
  for (name in names(worlds)) {
    draws <- with_seed(1, replicate(60L, {
      k <- sample(c(10L, 40L), 1L)
      z <- runif(k, -1.7, 1.7)
      se <- exp(-1.4 - z)
      found <- random_effects(worlds[[name]](k, z) + se * rnorm(k), se, 0.5)
      further <- worlds[[name]](2000L, runif(2000L, -1.7, 1.7))
      # with rounding, where all of a kind are the same
      ends <- found$new$interval + c(-1e-9, 1e-9)
      passed <- mean(further > 0.2)
      share <- share_between(c(0.2, Inf), found$new, 0.95)
      c(mean(ends[1L] <= further & further <= ends[2L]),
        found$lower <= mean(further) && mean(further) <= found$upper,
        share[[2L]] - 0.02 <= passed && passed <= share[[3L]] + 0.02)
    }))
    expect_gte(mean(draws[1L, ]), 0.9)
    expect_gte(mean(draws[2L, ]), 0.87)
    expect_gte(mean(draws[3L, ]), 0.87)
  }
})

test_that("a proportion of sites that are known is what they show, whatever they are like", {
  known <- c(rep(1, 14), rep(18, 6)) + 1:20 / 1e4
  found <- random_effects(known, rep(1e-3, 20), 0.5)
  share <- share_between(c(10, Inf), found$new, 0.95)
  shown <- stats::t.test(as.numeric(known > 10))$conf.int
  expect_lte(share[["lower"]], shown[1L])
  expect_gte(share[["upper"]], shown[2L])
  # sites that say nothing leave it to mean and tau
  unknown <- random_effects(rep(0, 20), rep(1, 20), 0.5)$new
  expect_identical(share_between(c(-0.1, Inf), unknown, 0.95), local({
    unknown$site_mean <- unknown$site_mean[, c(1L, 1L)]
    unknown$site_sd <- unknown$site_sd[, c(1L, 1L)]
    share_between(c(-0.1, Inf), unknown, 0.95)
  }))
})

test_that("a difference of the mean by precision is reported where there is one, and seldom else", {
  p <- function(informative) {
    z <- runif(40L, -1.7, 1.7)
    se <- exp(-1.4 - z)
    theta <- 0.3 * if (informative) z else rnorm(40L)
    random_effects(theta + se * rnorm(40L), se, 0.5)$p
  }
  expect_lte(with_seed(1, sum(replicate(100L, p(FALSE)) < 0.05)), 11)
  expect_gte(with_seed(1, sum(replicate(30L, p(TRUE)) < 0.05)), 20)
  expect_identical(random_effects(values, rep(0.3, 7), 1)$p, 1)
})

test_that("a regression on sites is least squares with errors of HC3", {
  x <- c(1, 3, 2, 5, 4, 6, 8)
  fit <- lm(values ~ x)
  found <- regress_sites(values, errors, cbind(1, x))
  expect_equal(found$beta, unname(coef(fit)), ignore_attr = TRUE)
  X <- model.matrix(fit)
  bread <- solve(crossprod(X))
  meat <- crossprod(X * (resid(fit) / (1 - hatvalues(fit))))
  expect_equal(found$covariance, bread %*% meat %*% bread, ignore_attr = TRUE)
  # one site has the level alone
  alone <- regress_sites(values, errors, cbind(1, x == 8))
  expect_equal(unname(sum(alone$beta)), values[7L])
  expect_gt(sqrt(alone$covariance[2L, 2L]), errors[7L])
})

test_that("a regression on sites is that of metafor with its weights and robust errors", {
  skip_if_not_installed("metafor")
  for (seed in 1:4) with_seed(seed, {
    k <- 2L * sample(3:12, 1)
    # two sites count less
    se <- c(exp(rnorm(k - 2L, -1, 0.3)), 12, 20)
    x <- rnorm(k)
    value <- 0.7 * x + rnorm(k) + se * rnorm(k)
    found <- regress_sites(value, se, cbind(1, x))
    weights <- site_weights(found$tau^2 + se^2)
    expect_gt(max(weights) / min(weights), 3)
    fit <- metafor::rma.uni(value, sei = se, mods = x, method = "PM", weights = weights,
                            control = list(tol = 1e-14))
    expect_equal(found$beta, c(fit$beta), tolerance = 1e-8, ignore_attr = TRUE)
    expect_equal(found$tau^2, fit$tau2, tolerance = 1e-8)
    # HC3 by the leverages of lm(); metafor's errors are HC0, which is HC3 times (1 - leverage)^2
    by_lm <- lm(value ~ x, weights = weights)
    X <- weights * model.matrix(by_lm)
    bread <- solve(crossprod(model.matrix(by_lm), X))
    meat <- crossprod(X * (resid(by_lm) / (1 - hatvalues(by_lm))))
    expect_equal(found$covariance, bread %*% meat %*% bread, tolerance = 1e-8, ignore_attr = TRUE)
    # groups of equal size: all sites have the same leverage
    group <- rep(0:1, k / 2)
    se <- rep(0.3, k)
    fit <- metafor::rma.uni(value, sei = se, mods = group, method = "PM", weights = rep(1, k))
    fit <- metafor::robust(fit, cluster = seq_len(k), adjust = FALSE)
    expect_equal(regress_sites(value, se, cbind(1, group))$covariance, fit$vb / (1 - 2 / k)^2,
                 tolerance = 1e-8, ignore_attr = TRUE)
  })
})

test_that("with even errors a regression by precision counts each site once", {
  with_seed(1, se <- runif(12, 0.1, 1))
  with_seed(2, value <- rnorm(12) + se * rnorm(12))
  expect_equal(even_errors(value, se), rep(sqrt(mean(se^2)), 12))
  # weights by precision are then those of site_weights()
  se[12] <- 15
  tau2 <- between_sites(value, se)^2
  weights <- 1 / (tau2 + even_errors(value, se)^2)
  expect_equal(weights / sum(weights), site_weights(tau2 + se^2))
  # and posterior means those in which each site counts once
  alike <- even_errors(values, errors)
  expect_equal(posterior_summary(site_posterior(values, alike, 1), 0.95)$mean, mean(values))
})

test_that("values that stand for likelihoods have the mean of the model, however few the events", {
  hermite <- gauss_hermite(15L)
  for (expected in c(0.3, 3, 20)) {
    mean <- -0.2
    tau <- 0.4
    events <- 0:120
    likelihoods <- lapply(events, function(o) function(at) o * at - expected * exp(at))
    at <- linear_values(numeric(121), rep(1, 121), likelihoods, vector("list", 121), mean, tau)
    chance <- vapply(events, function(o) {
      sum(hermite$weights * dpois(o, expected * exp(mean + tau * hermite$nodes)))
    }, 0)
    expect_equal(sum(chance * at$value), mean, tolerance = 1e-3)
    expect_equal(at$se[1L], 1 / sqrt(expected * exp(mean)), tolerance = 1e-3)
  }
})

test_that("of few events too the mean is that of sites, not of events", {
  # theta = -0.2 (log(expected) - 2.6) + N(0, 0.2), expected from 2 to 100: the mean of sites, and
  # that by precision, in which sites differ by the trend too
  at <- qunif((1:400 - 0.5) / 400, log(2), log(100))
  trend <- -0.2 * (at - 2.6)
  truth <- mean(trend)
  weights <- 1 / (var(trend) + 0.04 + 1 / exp(at + trend))
  by_precision <- sum(weights * trend) / sum(weights)
  covered <- with_seed(1, replicate(25L, {
    expected <- exp(runif(60L, log(2), log(100)))
    theta <- -0.2 * (log(expected) - 2.6) + 0.2 * rnorm(60L)
    events <- rpois(60L, expected * exp(theta))
    likelihoods <- Map(function(o, e) if (o < 40) function(at) o * at - e * exp(at), events,
                       expected)
    found <- random_effects(log(pmax(events, 0.5) / expected), 1 / sqrt(pmax(events, 0.5)), 1,
                            likelihoods = likelihoods)
    inside <- function(of, truth) of$lower < truth && truth < of$upper
    c(inside(found, truth), inside(found$weighted, by_precision), found$p < 0.05,
      found$mean - found$weighted$mean)
  }))
  expect_gte(mean(covered[1L, ]), 0.87)
  expect_gte(mean(covered[2L, ]), 0.87)
  expect_gte(mean(covered[3L, ]), 0.8)
  expect_equal(mean(covered[4L, ]), truth - by_precision, tolerance = 0.1)
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
  normal <- random_effects(values, errors, 1, inflation = 2)
  expect_equal(given$mean, normal$mean, tolerance = 0.01)
  expect_equal(given$weighted$mean, normal$weighted$mean, tolerance = 0.01)
  expect_equal(given$tau, normal$tau, tolerance = 0.02)
  expect_equal(given$p, normal$p, tolerance = 0.05)
  expect_equal(shrunken_sites(given$posterior, 0.95), shrunken_sites(normal$posterior, 0.95),
               tolerance = 0.01)
  # of sites with a likelihood the error is the standard deviation of the posterior, with the tail
  # of what tau may be; of normal ones it goes with Student's quantiles, so that intervals are alike
  of_mean <- posterior_summary(normal$new, 0.95)
  numbers <- c("mean", "se", "lower", "upper")
  expect_equal(unlist(given[numbers]), unlist(of_mean[numbers]), tolerance = 0.01)
  expect_equal(given$upper - given$lower, normal$upper - normal$lower, tolerance = 0.1)
  expect_equal(given$new$interval, normal$new$interval, tolerance = 0.02)
})

test_that("with few events mean and tau are not those of weights that depend on the events", {
  set.seed(1)
  expected <- rep(3, 300)
  events <- rpois(300, expected * exp(rnorm(300, 0, 0.3)))
  value <- ifelse(events > 0, log(events / expected), log(0.5 / expected))
  se <- ifelse(events > 0, 1 / sqrt(events), sqrt(2))
  likelihoods <- Map(function(o, e) function(at) o * at - e * exp(at), events, expected)
  found <- random_effects(value, se, 1, likelihoods = likelihoods)
  expect_lt(abs(found$mean), 0.08)
  expect_equal(found$tau, 0.3, tolerance = 0.3)
  # what values with half an event for none would give, by weights and without
  of_values <- random_effects(value, se, 1)
  expect_gt(of_values$weighted$mean, 0.1)
  expect_lt(of_values$mean, -0.1)
})

test_that("without an event the interval of the mean is near that of all rows together", {
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
