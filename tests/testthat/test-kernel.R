x <- matrix(c(0.3, -1.2, 2.1, 0.4, 1.1, -0.7, 0.2, 0.9, -1.4, 0.6), 5)
z <- matrix(c(0.1, 0.5, -2, 1, 0.3, 0.8), 3)

test_that("every kernel is the formula it prints", {
  r <- pair_distance(x, z)
  expect_equal(kernel_matrix(kernel_rbf(1.3), x, z), exp(-r^2 / (2 * 1.3^2)), tolerance = 1e-13)
  expect_equal(kernel_matrix(kernel_laplace(1.3), x, z), exp(-r / 1.3), tolerance = 1e-13)
  expect_equal(kernel_matrix(kernel_matern(1.3, nu = 0.5), x, z), exp(-r / 1.3), tolerance = 1e-13)
  s <- sqrt(3) * r / 1.3
  expect_equal(kernel_matrix(kernel_matern(1.3, nu = 1.5), x, z), (1 + s) * exp(-s), tolerance = 1e-13)
  s <- sqrt(5) * r / 1.3
  expect_equal(kernel_matrix(kernel_matern(1.3, nu = 2.5), x, z), (1 + s + s^2 / 3) * exp(-s),
               tolerance = 1e-13)
  expect_equal(kernel_matrix(kernel_cauchy(1.3), x, z), 1 / (1 + r^2 / 1.3^2), tolerance = 1e-13)
  expect_equal(kernel_matrix(kernel_cauchy(1.3, alpha = 2.5), x, z), (1 + r^2 / 1.3^2 / 2.5)^-2.5,
               tolerance = 1e-13)
  expect_equal(kernel_matrix(kernel_cauchy(1.3, alpha = 1e17), x, z), exp(-r^2 / 1.3^2),
               tolerance = 1e-13)
  # heavy tails: far rows are told apart that the Gaussian kernel takes for unrelated
  expect_equal(kernel_matrix(kernel_cauchy(1), x, z + 1e4), 1 / (1 + pair_distance(x, z + 1e4)^2),
               tolerance = 1e-12)
  inner <- x %*% t(z)
  expect_equal(kernel_matrix(kernel_linear(), x, z), inner, tolerance = 1e-13)
  expect_equal(kernel_matrix(kernel_poly(3, gamma = 0.5, coef0 = 2), x, z), (0.5 * inner + 2)^3,
               tolerance = 1e-13)
  expect_equal(kernel_matrix(kernel_exponential(2), x, z), exp(inner / 4), tolerance = 1e-13)
  labels <- matrix(c(1, 1, 2, 3))
  expect_identical(kernel_matrix(kernel_delta(), labels), outer(c(1, 1, 2, 3), c(1, 1, 2, 3), "==") + 0)
})

test_that("a bandwidth per predictor divides each column", {
  sigma <- c(0.5, 3)
  scaled <- function(m) sweep(m, 2, sigma, "/")
  expect_equal(kernel_matrix(kernel_rbf(sigma), x, z), kernel_matrix(kernel_rbf(1), scaled(x), scaled(z)),
               tolerance = 1e-13)
})

test_that("kernels add, multiply and normalise", {
  a <- kernel_rbf(1)
  b <- kernel_poly(2)
  A <- kernel_matrix(a, x)
  B <- kernel_matrix(b, x)
  expect_equal(kernel_matrix(a + b, x), A + B, tolerance = 1e-13)
  expect_equal(kernel_matrix(a * b, x), A * B, tolerance = 1e-13)
  expect_equal(kernel_matrix(2 * a + b * (a + 1), x), 2 * A + B * (A + 1), tolerance = 1e-13)
  expect_equal(kernel_matrix(kernel_normalise(b), x), B / sqrt(outer(diag(B), diag(B))), tolerance = 1e-13)
  expect_identical(format(a + b + a), paste(format(a), format(b), format(a), sep = " + "))
})

test_that("the normalised exponential kernel is the Gaussian kernel", {
  expect_equal(kernel_matrix(kernel_normalise(kernel_exponential(1.7)), x, z),
               kernel_matrix(kernel_rbf(1.7), x, z), tolerance = 1e-13)
})

test_that("a user's kernel is evaluated as given, alone and in sums", {
  cosine <- kernel_custom(function(x, z) tcrossprod(x, z) / outer(sqrt(rowSums(x^2)), sqrt(rowSums(z^2))))
  K <- tcrossprod(x, z) / outer(sqrt(rowSums(x^2)), sqrt(rowSums(z^2)))
  expect_equal(kernel_matrix(cosine, x, z), K, tolerance = 1e-13)
  expect_equal(kernel_matrix(cosine + kernel_linear(), x, z), K + tcrossprod(x, z), tolerance = 1e-13)
  square <- kernel_custom(function(x, z) (1 + tcrossprod(x, z))^2)
  expect_equal(kernel_matrix(kernel_normalise(square), x), kernel_matrix(kernel_normalise(kernel_poly(2)), x),
               tolerance = 1e-13)
  wrong <- kernel_custom(function(x, z) matrix(1, 2, 2))
  expect_domgen_error(kernel_matrix(wrong, x), "5 x 5, not")
  expect_domgen_error(kernel_matrix(kernel_custom(function(x, z) tcrossprod(x, z) / 0), x), "finite")
})

test_that("a Gram matrix is symmetric to the bit and the same for any threads", {
  set.seed(3)
  big <- matrix(rnorm(301 * 5), 301)
  for (kernel in list(kernel_rbf(), kernel_laplace(), kernel_matern(), kernel_poly(2), kernel_anova(),
                      kernel_rbf(1) * kernel_linear() + 1)) {
    one <- kernel_matrix(kernel, big, threads = 1)
    expect_identical(one, t(one))
    expect_identical(one, kernel_matrix(kernel, big, threads = 2))
  }
  expect_identical(diag(kernel_matrix(kernel_rbf(1), big)), rep(1, 301))
})

test_that("kernels of the distance keep their digits far from the origin and at odd scales", {
  near <- kernel_matrix(kernel_rbf(1), x)
  expect_equal(kernel_matrix(kernel_rbf(1), x + 1e7), near, tolerance = 1e-7)
  expect_equal(kernel_matrix(kernel_rbf(1e150), x * 1e150), near, tolerance = 1e-12)
  expect_equal(kernel_matrix(kernel_rbf(1e-150), x * 1e-150), near, tolerance = 1e-12)
  expect_equal(kernel_matrix(kernel_rbf(), x * 1e150), kernel_matrix(kernel_rbf(), x), tolerance = 1e-12)
})

test_that("the median bandwidth is the median distance, whatever the order of the rows", {
  expect_equal(median_bandwidth(x), median(dist(x)))
  set.seed(1)
  big <- matrix(rnorm(3000 * 2), 3000)
  expect_identical(median_bandwidth(big), median_bandwidth(big[sample(3000), ]))
  expect_equal(median_bandwidth(big), 1.66, tolerance = 0.05)
  expect_equal(median_bandwidth(matrix(c(0, 0, 0, 0, 3))), 3)
  expect_equal(median_bandwidth(matrix(1, 4, 2)), 1)
  # few pairs and many, an odd and an even number of them, with ties
  for (n in c(2, 3, 4, 50, 299, 300)) {
    rows <- matrix(round(rnorm(n * 3), 1), n)
    expect_equal(median_bandwidth(rows), median(dist(rows)), tolerance = 1e-14)
  }
})

test_that("wrong kernels and data are refused by name", {
  expect_refusals({
    kernel_rbf(-1)
    kernel_rbf(c(1, NA))
    kernel_matern(nu = 1)
    kernel_poly(degree = 1.5)
    kernel_custom(3)
    kernel_rbf(1) - kernel_rbf(2)
    kernel_rbf(1) + -1
    kernel_matrix("rbf", x)
    kernel_matrix(kernel_rbf(c(1, 2, 3)), x)
    kernel_matrix(kernel_rbf(1), letters)
    kernel_matrix(kernel_rbf(1), x, z[, 1])
    kernel_matrix(kernel_rbf(1), rbind(x, NA))
    kernel_matrix(kernel_rbf(1), x, threads = 0)
  })
})

test_that("a matrix over the memory limit is refused before it is allocated", {
  old <- options(domgen.memory_limit = 1e6)
  on.exit(options(old))
  expect_domgen_error(kernel_matrix(kernel_rbf(1), matrix(rnorm(4000), 2000)), "features_nystrom",
                      "domgen_error_memory")
  options(domgen.memory_limit = -1)
  expect_domgen_error(kernel_matrix(kernel_rbf(1), x), "domgen.memory_limit")
})

test_that("an overflowing kernel is an error, not a matrix of infinities", {
  expect_domgen_error(kernel_matrix(kernel_linear(), x * 1e200), "overflows")
})

test_that("kernels print their formula", {
  expect_snapshot({
    kernel_rbf()
    kernel_laplace(2)
    kernel_matern(bandwidth = c(1, 2), nu = 2.5)
    kernel_poly(2) * (kernel_rbf(1) + 1)
    kernel_normalise(kernel_exponential())
    kernel_delta()
    domain_distribution(kernel_rbf(1), embedding_kernel = kernel_laplace())
    domain_multitask(0.3)
    domain_pooled()
  })
})

test_that("a custom kernel may answer with a data frame, and prints the formula it is given", {
  inner <- kernel_custom(function(x, z) as.data.frame(tcrossprod(x, z)), "x'z")
  expect_equal(kernel_matrix(inner, x), tcrossprod(x), ignore_attr = TRUE)
  expect_output(print(inner), "k(x, z) = x'z", fixed = TRUE)
  expect_domgen_error(kernel_custom(tcrossprod, formula = 1), "`formula` must be one string")
  expect_domgen_error(kernel_matrix(kernel_rbf(1), x[0, ]), "at least one row")
})
