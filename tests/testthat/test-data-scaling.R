# A kernel model on scaled predictors does not see their units.
test_that("units and offsets of predictors do not matter", {
  d <- mixed_data()
  expected <- dg_kpca(~ x + z | site, data = d)
  scales <- list(c(1e150, 0), c(1e-150, 0), c(-1e8, 3), c(1, 1e8), c(1e-3, -1e8), c(1e300, 0))
  for (s in scales) {
    other <- transform(d, x = s[2] + s[1] * x)
    model <- dg_kpca(~ x + z | site, data = other)
    tolerance <- if (s[2] == 0) 1e-8 else 1e-4
    expect_equal(abs(fitted(model)), abs(fitted(expected)), tolerance = tolerance)
    expect_equal(predict(model, other), fitted(model), tolerance = 1e-8)
  }
})

test_that("scaling gives mean 0 and standard deviation 1, learned on training rows alone", {
  X <- cbind(a = c(1, 2, 6), b = c(-1e200, 0, 1e200), c = 1e8 + 1:3)
  scaling <- learn_scaling(X, "pooled")
  expect_equal(scaling$scale, c(sd(c(1, 2, 6)), 1e200, 1))
  expect_equal(apply_scaling(X, scaling), scale(X / rep(c(1, 1e200, 1), each = 3)),
               ignore_attr = TRUE)
  expect_equal(apply_scaling(X[2, , drop = FALSE], scaling),
               apply_scaling(X, scaling)[2, , drop = FALSE])
  expect_identical(apply_scaling(X, learn_scaling(X, "none")), X)
})

test_that("a constant predictor gives a warning, and other values of it are ignored", {
  d <- transform(mixed_data(), fixed = 0.1, huge = 1e8 / 3)
  expect_warning(model <- dg_kpca(~ x + fixed + huge | site, data = d),
                 "constant on the training data; other values in new data are ignored: `fixed`, `huge`",
                 class = "domgen_warning_constant")
  expect_equal(fitted(model), fitted(dg_kpca(~ x | site, data = d)))
  expect_equal(predict(model, transform(d, fixed = 5, huge = -2)), fitted(model))
  # of kernels in which it counts, and where a new domain has several values of it
  for (scale in c("pooled", "rank", "domain", "both")) {
    expect_warning(model <- dg_ridge(y ~ x + fixed | site, data = d, scale = scale, lambda = 1,
                                     kernel = kernel_anova(2), domain_kernel = domain_pooled()),
                   "ignored: `fixed`", class = "domgen_warning_constant")
    other <- transform(d, fixed = seq_along(fixed), site = paste("new", site))
    expect_equal(predict(model, other), unname(fitted(model)), label = scale)
  }
})

test_that("scale = none leaves predictors alone", {
  d <- transform(mixed_data(), fixed = 1)
  expect_silent(model <- dg_kpca(~ x + fixed | site, data = d, scale = "none",
                              kernel = kernel_rbf(bandwidth = 1)))
  expect_equal(unname(training_rows(model)$X), cbind(d$x, 1))
  expect_false(isTRUE(all.equal(predict(model, transform(d, fixed = 2)), fitted(model))))
  expect_domgen_error(dg_kpca(~ x, data = d, scale = "each"), "`scale` must be one of")
})

test_that("what was scaled in any way is taken back, and scaled again is the same", {
  set.seed(1)
  for (draw in 1:60) {
    n <- sample(12:30, 1)
    p <- sample(3, 1)
    coded <- sample(0:1, 1)
    X <- matrix(rnorm(n * (p + coded), 5, 3), n)
    colnames(X) <- paste0("x", seq_len(ncol(X)))
    # ties, and what is constant in a domain or everywhere
    X[, 1] <- round(X[, 1])
    domain <- factor(sample(c("a", "", "c"), n, TRUE), c("a", "", "c"))
    if (p > 1 && draw %% 2) X[domain == "a", 2] <- 1
    if (p > 2 && draw %% 3 == 0) X[, 3] <- 4
    kind <- c(sample(scalings, 1), if (draw %% 2) "means")
    weights <- if (draw %% 4 == 0) sqrt(0.5)
    scaling <- quietly(learn_scaling(X, kind, domain, coded, weights))
    scaled <- apply_scaling(X, scaling, domain)
    raw <- before_scaling(scaled, scaling, domain)
    expect_equal(raw, X, ignore_attr = TRUE)
    colnames(raw) <- colnames(X)
    expect_equal(apply_scaling(raw, scaling, domain), scaled)
  }
})
