# A curve of known form: sites differ, training sets and rows add noise.
curve_losses <- function(sizes, sites = 30, draws = 4, a = 1, b = 2, c = 1, noise = 0.02,
                         folds = 5) {
  fold <- replicate(draws, sample(rep_len(seq_len(folds), sites)))
  of_site <- stats::rnorm(sites, 0, 0.2)
  losses <- array(0, c(sites, length(sizes), draws))
  for (r in seq_len(draws)) for (l in seq_along(sizes)) {
    set <- stats::rnorm(folds, 0, noise / sizes[l])
    losses[, l, r] <- a + b * sizes[l]^-c + of_site + set[fold[, r]] +
      stats::rnorm(sites, 0, noise)
  }
  list(losses = losses, fold = fold, mean = a + mean(of_site))
}

test_that("variances of training sets and of the rest are those that the losses were made with", {
  found <- with_seed(1, {
    made <- curve_losses(c(4, 8, 16), sites = 200, draws = 20, noise = 0.5)
    curve_components(made$losses, made$fold)
  })
  expect_equal(found$set, (0.5 / c(4, 8, 16))^2, tolerance = 0.35)
  expect_equal(found$cell, rep(0.25, 3), tolerance = 0.05)
})

test_that("the curve without noise is found, and extrapolated", {
  with_seed(2, {
    sizes <- c(3, 5, 8, 13, 20, 24)
    made <- curve_losses(sizes, noise = 1e-5)
    curve <- curve_posterior(made$losses, made$fold, sizes)
    expect_equal(stats::median(curve$draws$exponent), 1, tolerance = 0.05)
    expect_gt(curve$gain_probability, 0.99)
    middle <- apply(curve_values(curve, c(3, 24, 60, 1e6)), 2, stats::median)
    expect_equal(middle, made$mean + 2 / c(3, 24, 60, 1e6), tolerance = 0.02)
    # the sites needed for what the curve has at 60
    goal <- curve_values(curve, 60)
    needed <- vapply(1:50, function(i) {
      one <- curve
      one$draws <- curve$draws[i, ]
      curve_needed(one, goal[i])
    }, 0)
    expect_true(all(abs(needed - 60) <= 1))
    expect_true(all(is.infinite(curve_needed(curve, made$mean - 2))))
    expect_true(all(curve_needed(curve, made$mean + 2) <= 3))
  })
})

test_that("bands cover as they should where training sets and sites vary", {
  skip_on_cran()
  sizes <- c(3, 5, 8, 13, 20)
  covered <- with_seed(3, vapply(1:200, function(i) {
    made <- curve_losses(sizes, sites = 25, noise = 0.1)
    curve <- curve_posterior(made$losses, made$fold, sizes, draws = 500)
    ends <- stats::quantile(curve_predictive(curve, 100), c(0.1, 0.9))
    ends[1] <= 1.02 && 1.02 <= ends[2]
  }, NA))
  expect_gt(mean(covered), 0.73)
  expect_lt(mean(covered), 0.89)
})

test_that("the mean over few new sites, and other training sets, add their variance", {
  with_seed(7, {
    made <- curve_losses(c(3, 5, 8, 13, 20), noise = 0.3)
    curve <- curve_posterior(made$losses, made$fold, c(3, 5, 8, 13, 20), draws = 40000)
    variance <- function(x) stats::var(x[, 1])
    all <- variance(curve_predictive(curve, 50))
    expect_equal(variance(curve_predictive(curve, 50, 4)) - all, curve$sd^2 / 4, tolerance = 0.05)
    # the variance of a set, as seen in sets of 8 and more, falls as 1 / m from there
    expect_equal(stats::var(c(with_seed(8, curve_predictive(curve, 50)) - curve_values(curve, 50))),
                 mean(curve$set_variance[3:5] * c(8, 13, 20)) / 50, tolerance = 0.05)
    # sets of sites that were drawn from few vary less than sets of others
    expect_true(all(curve$set_variance >= curve$parts$set))
    expect_gt(max(curve$set_variance - curve$parts$set), 0)
  })
})

test_that("gains are never negative, also where there is none", {
  with_seed(4, {
    made <- curve_losses(c(3, 6, 12), b = 0, noise = 0.1)
    curve <- curve_posterior(made$losses, made$fold, c(3, 6, 12))
    expect_true(all(curve$draws$gain >= 0))
    values <- curve_values(curve, c(3, 12, 100))
    expect_true(all(values[, 1] >= values[, 2] - 1e-12 & values[, 2] >= values[, 3] - 1e-12))
    # a score that is missing in a draw does no harm
    made$losses[1, 1, 1] <- NA
    expect_true(all(is.finite(curve_posterior(made$losses, made$fold, c(3, 6, 12))$draws$last)))
  })
})

test_that("lines cross where the first is better from there on", {
  d <- rbind(c(1, -1, -2), c(-1, -1, -1), c(-1, 1, -1), c(1, 1, 1), c(0, 0, 0), c(1, 3, -1))
  expect_equal(labels_needed(d, c(1, 10, 100)),
               c(sqrt(10), 0, 10 * sqrt(10), Inf, Inf, 10 * 10^(3 / 4)))
})

test_that("means over sites vary as their standard error, times the root of the inflation", {
  scores <- with_seed(5, matrix(stats::rnorm(60), 20, 3))
  found <- with_seed(6, bootstrap_means(scores, 2, draws = 20000))
  expect_equal(colMeans(found), colMeans(scores), tolerance = 0.05)
  expect_equal(stats::cov(found), 2 * stats::cov(scores) / 20, tolerance = 0.05)
})
