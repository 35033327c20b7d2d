test_that("Fourier features are cosines and sines of the angles, with an offset by domain", {
  s <- toy_pairs(150)
  frequencies <- matrix(rnorm(39, sd = 3), 3)
  offset <- matrix(rnorm(52), 13)
  codes <- as.integer(s$domain)
  ours <- function(...) {
    feature_rows_(list(type = "fourier", frequencies = frequencies, ...), s$X, codes, 2L, 60L)
  }
  expect_equal(ours(), naive_fourier(s$X, frequencies), tolerance = 1e-14)
  expect_equal(ours(offset = offset), naive_fourier(s$X, frequencies, offset, codes),
               tolerance = 1e-14)
  centred <- sweep(s$X, 2, 1:3)
  expect_equal(ours(centre = 1:3), naive_fourier(centred, frequencies), tolerance = 1e-14)
})

test_that("cosine and sine are exact to rounding at every size of the angle", {
  one <- list(type = "fourier", frequencies = matrix(1))
  set.seed(1)
  for (size in c(1e-300, 1e-9, 1, 10, 1e3, 1e5, 8e5, 8.1e5, 1e7, 1e15, 1e300)) {
    x <- matrix(c(-size, size, runif(999, -size, size)))
    expect_lt(max(abs(feature_rows_(one, x, NULL, 2L) - cbind(cos(x), sin(x)))), 4e-16)
  }
  quarters <- matrix(c(-400:400, 509295 + -9:9) * (pi / 4))
  near <- rbind(quarters, quarters * (1 + 2^-52), quarters * (1 - 2^-52))
  expect_lt(max(abs(feature_rows_(one, near, NULL, 2L) - cbind(cos(near), sin(near)))), 4e-16)
  wrong <- matrix(c(0, Inf, -Inf, NaN, NA, 0))
  expect_identical(is.na(feature_rows_(one, wrong, NULL, 1L))[, 2], c(FALSE, rep(TRUE, 4), FALSE))
})

# An average over D independent frequencies has variance (1 + k(2 d)) / 2 - k(d)^2 over D
# for a difference d.
test_that("Fourier features are unbiased for every kernel they know", {
  set.seed(11)
  x <- matrix(rnorm(3), 1)
  z <- matrix(rnorm(24, sd = 2), 8)
  s <- list(X = rbind(x, z), domain = factor(rep("a", 9)))
  kernels <- list(kernel_rbf(2), kernel_rbf(c(1, 2, 4)), kernel_laplace(3),
                  kernel_laplace(c(2, 4, 8)),
                  kernel_matern(2, nu = 0.5), kernel_matern(c(3, 2, 1), nu = 1.5),
                  kernel_matern(2, nu = 2.5), kernel_cauchy(2),
                  kernel_cauchy(c(3, 2, 1), alpha = 2.5))
  D <- if (long_form()) 8000 else 2000
  for (kernel in kernels) {
    k <- kernel_matrix(kernel, x, z)
    error <- sqrt(((1 + kernel_matrix(kernel, 2 * x, 2 * z)) / 2 - k^2) / D)
    for (orthogonal in c(FALSE, TRUE)) {
      Z <- rows_of(fit_map(features_rff(D, orthogonal), kernel, s), s)
      expect_lt(max(abs(tcrossprod(Z)[1, -1] - k) / error), 4.5)
      expect_equal(rowSums(Z^2), rep(1, 9))
    }
  }
})

test_that("orthogonal frequencies are orthogonal in blocks, with chi lengths, and more accurate", {
  set.seed(5)
  W <- orthogonal_normal(4, 10)
  expect_lt(max(abs(crossprod(W[, 1:4])[upper.tri(diag(4))])), 1e-14)
  expect_lt(max(abs(crossprod(W[, 5:8])[upper.tri(diag(4))])), 1e-14)
  expect_gt(max(abs(crossprod(W[, 1:4], W[, 5:8]))), 0.1)
  lengths <- colSums(orthogonal_normal(4, 4000)^2)
  expect_gt(stats::ks.test(lengths, "pchisq", 4)$p.value, 1e-3)
  # each coordinate of a direction times its length is standard normal
  expect_gt(stats::ks.test(orthogonal_normal(4, 4000)[2, ], "pnorm")$p.value, 1e-3)

  s <- toy_pairs(60, p = 8)
  K <- kernel_matrix(kernel_rbf(3), s$X)
  error <- function(orthogonal) {
    mean(replicate(40, {
      Z <- rows_of(fit_map(features_rff(32, orthogonal), kernel_rbf(3), s), s)
      mean((tcrossprod(Z) - K)^2)
    }))
  }
  expect_lt(error(TRUE), 0.7 * error(FALSE))
})

test_that("far predictors lose no digits of Fourier features", {
  s <- toy_pairs(50)
  set.seed(2)
  near <- fit_map(features_rff(50), kernel_rbf(1), s)
  expected <- tcrossprod(rows_of(near, s))
  s$X <- s$X + 2^26
  set.seed(2)
  far <- fit_map(features_rff(50), kernel_rbf(1), s)
  expect_lt(max(abs(tcrossprod(rows_of(far, s)) - expected)), 1e-6)
})
