adapt_world <- function(domains, rows, shift, seed) {
  with_seed(seed, {
    d <- data.frame(g = rep(seq_len(domains), each = rows))
    d$x <- stats::rnorm(nrow(d))
    d$y <- d$x + stats::rnorm(domains, 0, shift)[d$g] + stats::rnorm(nrow(d))
    d
  })
}

test_that("errors as a new domain are those of corrections by hand", {
  d <- adapt_world(5, 8, 1, 1)
  model <- dg_ridge(y ~ x | g, data = d, domain_kernel = domain_multitask(0.5), lambda = 1)
  i <- which(d$g == 3)
  left <- matrix(stats::rnorm(8))
  grid <- expand.grid(lambda = c(0.1, 10), constant = c(0, 2))
  K <- kernel_matrix(model$space$kernel, model$space$X[i, , drop = FALSE])
  found <- with_seed(1, errors_as_new(model, i, left, 3, grid))
  expected <- with_seed(1, rowMeans(replicate(3, {
    order <- sample.int(8)
    mapply(function(lambda, constant) {
      known <- order[1:3]
      g <- (K + constant)[order[4:8], known] %*%
        solve((K + constant)[known, known] + lambda * diag(3), left[known])
      mean((left[order[4:8]] - g)^2)
    }, grid$lambda, grid$constant)
  })))
  expect_equal(found, unname(expected))
  # residuals without the domain are those of its cross-validation
  left_out <- residuals_as_new(model, seq_len(nrow(d)), 1) * model$response$scale
  expect_equal(c(left_out), d$y - dg_cv(model)$predictions$prediction, tolerance = 1e-2)
})

test_that("what the training domains had no use for is not done, what they had is", {
  same <- adapt_world(13, 20, 0, 2)
  apart <- adapt_world(13, 20, 3, 3)
  adapt_last <- function(d, ...) {
    model <- dg_ridge(y ~ x | g, data = d[d$g < 13, ])
    new <- d[d$g == 13, ]
    dg_adapt(model, new, replace(new$y, 7:20, NA), ...)
  }
  still <- adapt_last(same)
  change <- function(adapted) max(abs(adapted$decision - adapted$start))
  expect_lt(change(still), 0.2 * change(adapt_last(same, lambda = 1)))
  moved <- adapt_last(apart)
  expect_gt(moved$args$constant, 0)
  rest <- 7:20
  error <- function(values) mean((values - apart$y[apart$g == 13])[rest]^2)
  plain <- dg_ridge(y ~ x | g, data = apart[apart$g < 13, ])
  expect_lt(error(fitted(moved)), 0.5 * error(predict(plain, apart[apart$g == 13, ])))
  # the same each time, whatever the generator
  set.seed(8)
  expect_equal(adapt_last(apart)$args, moved$args)
  expect_equal(stats::runif(1), with_seed(8, stats::runif(1)))
})

test_that("lambda and constant are what is given, and a model's given lambda stays", {
  d <- adapt_world(6, 12, 1, 4)
  new <- d[d$g == 6, ]
  labels <- replace(new$y, 5:12, NA)
  chosen <- dg_ridge(y ~ x | g, data = d[d$g < 6, ])
  given <- dg_ridge(y ~ x | g, data = d[d$g < 6, ], lambda = 2)
  expect_identical(dg_adapt(given, new, labels)$args[c("lambda", "constant")],
                   list(lambda = 2, constant = 0))
  expect_identical(dg_adapt(chosen, new, labels, lambda = 3)$args$lambda, 3)
  expect_identical(dg_adapt(chosen, new, labels, constant = 5)$args$constant, 5)
  # the closed form with the constant
  adapted <- dg_adapt(given, new, labels, constant = 4)
  X <- read_new(given, new, NULL, NULL, NULL)$X
  K <- kernel_matrix(given$space$kernel, X) + 4
  r <- (labels[1:4] - predict(given, new)[1:4])
  expect_equal(fitted(adapted) - predict(given, new),
               drop(K[, 1:4] %*% solve(K[1:4, 1:4] + 2 * diag(4), r)))
  features <- dg_ridge(y ~ x | g, data = d[d$g < 6, ], feature_map = features_nystrom(10))
  expect_error(dg_adapt(features, new, labels, constant = 1), "`constant` must be 0")
  expect_identical(dg_adapt(features, new, labels)$args$lambda, features$lambda)
  expect_error(dg_adapt(chosen, new, labels, constant = -1), "`constant`")
})

test_that("few domains or rows leave the model's own lambda", {
  d <- adapt_world(3, 12, 1, 5)
  model <- dg_ridge(y ~ x | g, data = d[d$g < 3, ])
  new <- d[d$g == 3, ]
  expect_identical(dg_adapt(model, new, replace(new$y, 5:12, NA))$args$lambda, model$lambda)
})
