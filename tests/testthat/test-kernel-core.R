program <- function(type, ...) list(type = type, ...)

leaves <- function(p) {
  list(
    rbf = program("rbf", inv = 0.4 / sqrt(p)),
    rbf_per_column = program("rbf", inv = seq(0.2, 0.5, length.out = p)),
    laplace = program("laplace", inv = 0.3),
    matern3 = program("matern3", inv = 0.3), matern5 = program("matern5", inv = 0.3),
    cauchy = program("cauchy", inv = 0.3),
    linear = program("linear"),
    poly = program("poly", degree = 3L, gamma = 1 / p, coef0 = 0.5),
    constant = program("poly", degree = 1L, gamma = 0, coef0 = 2),
    exponential = program("exponential", inv = 0.5 / sqrt(p)),
    delta = program("delta")
  )
}

composites <- function(p) {
  leaf <- leaves(p)
  both <- program("sum", parts = list(leaf$rbf, leaf$linear, leaf$laplace))
  list(
    sum = both,
    product = program("product", parts = list(leaf$poly, leaf$matern5)),
    nested = program("product", parts = list(both, program("sum", parts = list(leaf$delta, both)))),
    normalised = program("normalise", part = leaf$poly),
    deep = program("sum", parts = list(program("normalise", part = both), leaf$delta))
  )
}

all_programs <- function(p) c(leaves(p), composites(p))

# Some equal rows, so that delta and the zero distance are met.
rows <- function(n, p) {
  set.seed(n + p)
  x <- matrix(rnorm(n * p), n, p)
  x[sample(n, n %/% 3), ] <- x[rep(1L, n %/% 3), ]
  x
}

gram <- function(k, x, kappa = NULL, domain = NULL, threads = 2L) {
  kernel_gram_(k, x, kappa, domain, threads)
}
cross <- function(k, x, z, kappa = NULL, dx = NULL, dz = NULL, threads = 2L) {
  kernel_cross_(k, x, z, kappa, dx, dz, threads)
}

expect_close <- function(ours, naive, tolerance = 1e-13) {
  expect_identical(dim(ours), dim(naive))
  expect_lt(max(abs(ours - naive) / pmax(1, abs(naive))), tolerance)
}

test_that("every kernel agrees with its formula at every number of columns", {
  for (p in c(1, 2, 7, 16, 66)) {
    x <- rows(70, p)
    z <- rbind(x[1:20, , drop = FALSE], rows(17, p))
    for (k in all_programs(p)) {
      K <- naive_kernel(k, x)
      between <- naive_kernel(k, x, z)
      expect_close(gram(k, x), K)
      expect_close(cross(k, x, z), between)
      expect_close(cross(k, z, x), t(between))
      expect_close(kernel_diag_(k, x), diag(K))
    }
  }
})

test_that("every number of rows around a tile is filled", {
  k <- composites(3)$nested
  for (n in c(1, 2, 31, 32, 33, 63, 64, 65, 127, 129)) {
    x <- rows(n, 3)
    expect_close(gram(k, x), naive_kernel(k, x))
    expect_close(cross(k, x, x[n:1, , drop = FALSE]), naive_kernel(k, x, x[n:1, , drop = FALSE]))
  }
})

test_that("many columns are summed slice by slice", {
  x <- rows(70, 600)
  for (k in leaves(600)) expect_close(gram(k, x), naive_kernel(k, x))
})

test_that("a Gram matrix is exactly symmetric and the same for one and two threads", {
  x <- rows(333, 5)
  domain <- rep_len(1:4, 333)
  kappa <- crossprod(matrix(cos(1:16), 4))
  for (k in all_programs(5)) {
    K <- gram(k, x, kappa, domain)
    expect_identical(K, t(K))
    expect_identical(K, gram(k, x, kappa, domain, threads = 1L))
    expect_identical(cross(k, x, x[1:99, ]), cross(k, x, x[1:99, ], threads = 1L))
  }
})

test_that("equal rows have a stationary kernel of exactly 1", {
  x <- rows(130, 7) * 100 + 1e8
  for (inv in c(1e-3, 1, 1e3)) {
    for (k in leaves(7)[c("rbf", "laplace", "matern3", "matern5", "cauchy")]) {
      k$inv <- inv
      expect_identical(diag(gram(k, x)), rep(1, 130))
      expect_identical(diag(cross(k, x, x[1:100, ])), rep(1, 100))
    }
  }
})

test_that("large offsets and extreme scales do not spoil distances", {
  x <- rows(100, 4)
  for (k in leaves(4)[c("rbf", "laplace", "matern3", "matern5", "cauchy")]) {
    shifted <- x + 1e8
    expect_close(gram(k, shifted), naive_kernel(k, shifted))
    # Far rows move the centre; the distances of the others lose 5 digits, not 12.
    far <- rbind(x, 1e6, 1e6 + 1e-3)
    expect_close(gram(k, far), naive_kernel(k, far), 1e-11)
    for (scale in 2^c(-498, 498)) {
      scaled <- k
      scaled$inv <- k$inv / scale
      expect_close(gram(scaled, x * scale), naive_kernel(k, x))
    }
    # Distances whose square overflows are far, not undefined.
    expect_identical(gram(k, matrix(c(-1e200, 0, 1e200))), diag(3))
  }
})

test_that("the exponential function is exact to rounding and runs out at 0", {
  a <- c(seq(0, 745, length.out = 5000), 746, 1e4)
  K <- cross(program("rbf", inv = 1), matrix(0), matrix(sqrt(2 * a)))
  exact <- exp(-sqrt(2 * a)^2 / 2)
  normal <- exact > 1e-300
  expect_lt(max(abs(K[normal] / exact[normal] - 1)), 2e-13)
  expect_lt(max(abs(K[!normal] - exact[!normal])), 1e-300)
  expect_identical(K[a >= 746], c(0, 0))
  # The exponential kernel meets positive arguments, and no rounding before exp().
  b <- matrix(seq(-700, 709, length.out = 5001))
  E <- cross(program("exponential", inv = 1), matrix(1), b)
  expect_lt(max(abs(E / exp(t(b)) - 1)), 4e-16)
  expect_identical(cross(program("exponential", inv = 1), matrix(1), matrix(c(710, 1e5)))[1, ],
                   c(Inf, Inf))
})

test_that("kappa weighs the tiles by domain", {
  x <- rows(140, 3)
  z <- rows(75, 3)
  kappa <- matrix(sin(1:12), 3, 4)
  dx <- rep_len(1:3, 140)
  dz <- sort(rep_len(1:4, 75))
  k <- composites(3)$sum
  expect_close(cross(k, x, z, kappa, dx, dz), naive_kernel(k, x, z) * kappa[dx, dz])
  square <- crossprod(kappa)
  dx <- rep_len(1:4, 140)
  expect_close(gram(k, x, square, dx), naive_kernel(k, x) * square[dx, dx])
})

test_that("a product with the kernel matrix needs no kernel matrix", {
  x <- rows(140, 3)
  z <- rows(135, 3)
  kappa <- matrix(sin(1:12), 3, 4)
  dx <- rep_len(1:3, 140)
  dz <- rep_len(1:4, 135)
  for (q in c(1, 4, 6)) {
    A <- matrix(cos(seq_len(135 * q)), 135, q)
    for (k in composites(3)) {
      expect_close(kernel_apply_(k, x, z, A, NULL, NULL, NULL, 2L), naive_kernel(k, x, z) %*% A)
      weighted <- kernel_apply_(k, x, z, A, kappa, dx, dz, 2L)
      expect_close(weighted, (naive_kernel(k, x, z) * kappa[dx, dz]) %*% A)
      expect_identical(weighted, kernel_apply_(k, x, z, A, kappa, dx, dz, 1L))
    }
  }
})

test_that("means over pairs of domains agree with the averaged kernel matrix", {
  x <- rows(150, 4)
  z <- rows(77, 4)
  dx <- rep_len(c(1L, 3L, 2L, 3L), 150)
  dz <- sort(rep_len(1:5, 77))
  for (k in all_programs(4)) {
    M <- kernel_means_(k, x, dx, 3L, NULL, NULL, 3L, 2L)
    expect_close(M, naive_means(naive_kernel(k, x), dx))
    expect_identical(M, t(M))
    expect_identical(M, kernel_means_(k, x, dx, 3L, NULL, NULL, 3L, 1L))
    M <- kernel_means_(k, x, dx, 3L, z, dz, 5L, 2L)
    expect_close(M, naive_means(naive_kernel(k, x, z), dx, dz))
    expect_identical(M, kernel_means_(k, x, dx, 3L, z, dz, 5L, 1L))
  }
})

test_that("means are the same when the strips come in several waves", {
  set.seed(1)
  x <- matrix(rnorm(17000))
  d <- rep_len(1:2, 17000)
  k <- program("linear")
  M <- kernel_means_(k, x, d, 2L, NULL, NULL, 2L, 2L)
  expect_close(M, tcrossprod(tapply(x, d, mean)))
})

test_that("a kernel evaluated in R is taken as it is", {
  x <- rows(70, 2)
  z <- rows(40, 2)
  values <- tcrossprod(x, z) + 1
  given <- program("given", values = values, diag_x = rowSums(x^2) + 1, diag_z = rowSums(z^2) + 1)
  expect_identical(cross(given, x, z), values)
  expect_identical(kernel_diag_(program("given", values = tcrossprod(x), diag_x = rowSums(x^2),
                                        diag_z = rowSums(x^2)), x), rowSums(x^2))
  plus <- program("poly", degree = 1L, gamma = 1, coef0 = 1)
  expect_close(cross(program("normalise", part = given), x, z),
               naive_kernel(program("normalise", part = plus), x, z))
})

test_that("a row without norm has a normalised kernel of 0, not NaN", {
  K <- gram(program("normalise", part = program("linear")), matrix(c(0, 1, 2)))
  expect_identical(K[1, ], c(0, 0, 0))
})

test_that("pivoted Cholesky reaches its tolerance and reports what is left", {
  y <- rows(300, 1)
  for (k in c(leaves(1)[c("rbf", "matern5", "poly", "delta")], composites(1)["sum"])) {
    K <- naive_kernel(k, y)
    f <- kernel_pivoted_cholesky_(k, y, 1e-10, 300L)
    left <- K - tcrossprod(f$factor)
    expect_identical(dim(f$factor), c(300L, f$rank))
    expect_lt(max(diag(left)), 1.01e-10 * max(diag(K)))
    expect_lt(max(abs(left)), 2e-10 * max(diag(K)))
    expect_lt(abs(f$error - sum(diag(left))), 1e-11 * sum(diag(K)))
    expect_identical(anyDuplicated(f$pivots), 0L)
    upper <- f$factor[f$pivots, ]
    expect_true(all(upper[upper.tri(upper)] == 0))
  }
  expect_identical(kernel_pivoted_cholesky_(leaves(1)$rbf, y, 0, 5L)$rank, 5L)
  expect_identical(kernel_pivoted_cholesky_(program("linear"), y, 1e-12, 300L)$rank, 1L)
  expect_identical(kernel_pivoted_cholesky_(program("linear"), matrix(0, 3), 0, 3L)$rank, 0L)
})

test_that("the core refuses what does not fit together", {
  x <- rows(10, 3)
  k <- program("rbf", inv = 1)
  expect_error(cross(k, x, x[, 1:2]), "columns")
  expect_error(gram(program("rbf", inv = c(1, 1)), x), "inv")
  expect_error(gram(program("sinc"), x), "unknown kernel")
  expect_error(gram(program("sum", parts = list()), x), "parts")
  expect_error(gram(k, x, diag(2), rep(3L, 10)), "out of range")
  expect_error(gram(k, x, diag(2), 1:2), "`domain` must have 10 values, not 2")
  expect_error(gram(k, x, diag(2)), "`domain` must have 10 values, not 0")
  expect_error(kernel_apply_(k, x, x, x[1:2, ], NULL, NULL, NULL, 1L),
               "`A` must have 10 rows, not 2")
  given <- program("given", values = diag(2), diag_x = c(1, 1), diag_z = c(1, 1))
  expect_error(gram(given, x), "does not match")
})

test_that("a diagonal draws no random number", {
  drawn <- in_new_session({
    domgen:::kernel_diag_(list(type = "linear"), matrix(1, 2, 2))
    exists(".Random.seed", globalenv())
  }, list())
  expect_false(drawn)
})
