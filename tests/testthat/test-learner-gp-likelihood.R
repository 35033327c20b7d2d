# The likelihood and its derivatives, against the dense formula.

set.seed(4)
n <- 70
X <- matrix(rnorm(n * 3), n, dimnames = list(NULL, c("a", "b", "c")))
domain <- factor(rep(c("u", "v", "w", "x"), c(10, 20, 15, 25)))[sample(n)]
X[, 1] <- X[, 1] + as.integer(domain) / 2
y <- rnorm(n)
weights <- rep_len(c(1, 2, 0.5, 0, 3), n)

kernels <- list(
  rbf = kernel_rbf(1.3), laplace = kernel_laplace(c(1, 2, 3)), matern1 = kernel_matern(1.5, nu = 0.5),
  matern3 = kernel_matern(1.5), matern5 = kernel_matern(c(2, 1, 1.5), nu = 2.5),
  cauchy = kernel_cauchy(c(2, 1, 1.5)), rational = kernel_cauchy(c(2, 1, 1.5), alpha = 3),
  linear = kernel_linear(), poly = kernel_poly(2, gamma = 0.3), exponential = kernel_exponential(3),
  sum = kernel_rbf(0.7) + 0.5 * kernel_linear(), product = kernel_rbf(2) * kernel_matern(3),
  normalised = kernel_normalise(kernel_poly(2))
)
domain_kernels <- list(
  pooled = domain_pooled(), multitask = domain_multitask(0.4),
  rbf = domain_distribution(kernel_rbf(1), kernel_rbf(0.3)),
  laplace = domain_distribution(kernel_laplace(2), kernel_laplace(0.5)),
  linear = domain_distribution(kernel_matern(2), kernel_linear()),
  poly = domain_distribution(kernel_poly(2), kernel_normalise(kernel_poly(2)))
)

test_that("the likelihood is the dense formula's, for every kernel and domain kernel, weighted", {
  for (k in names(kernels)) for (d in names(domain_kernels)) {
    point <- list(signal_sd = 1.2, noise_sd = 0.6, kernel = kernels[[k]], domain_kernel = domain_kernels[[d]])
    model <- dg_gp(X, y, domain, kernel = kernels[[k]], domain_kernel = domain_kernels[[d]], signal_sd = 1.2,
                   noise_sd = 0.6, weights = weights, scale = "none")
    expect_equal(model$log_likelihood, naive_log_likelihood(point, X, domain, y, weights),
                 tolerance = 1e-10, label = paste(k, d))
    K <- naive_gram(kernels[[k]], domain_kernels[[d]], X, domain)
    naive <- naive_posterior(K, which(weights > 0), seq_len(n), y, 1.2, 0.6, weights)
    expect_equal(fitted(model), naive$mean, tolerance = 1e-9, label = paste(k, d))
  }
})

# `kernel` and `domain_kernel` say by open bandwidths what is to be differentiated.
expect_gradient <- function(kernel, domain_kernel, per_predictor = FALSE, label = "") {
  sample <- list(X = X, domain = domain, weights = weights)
  args <- list(kernel = kernel, domain_kernel = domain_kernel, ard = per_predictor,
               threads = 2L)
  problem <- gp_problem(args, sample, y)
  blocks <- free_blocks(args, ncol(X), nlevels(domain))
  point <- start_point(args, problem$rows, 1, list(bandwidth = 0.8, embedding_kernel = 1.4, noise_sd = 1))
  theta <- point_theta(point, blocks) + 0.1 * sin(seq_along(point_theta(point, blocks)))
  objective <- gp_objective(problem, point, blocks)
  naive <- function(theta) {
    here <- absolute_point(theta_point(theta, point, blocks), problem$rows)
    -naive_log_likelihood(here, X, domain, y, weights)
  }
  expect_equal(objective$value(theta), naive(theta), tolerance = 1e-10, label = label)
  expect_equal(objective$gradient(theta), naive_gradient(naive, theta), tolerance = 1e-6, label = label)
  length(theta)
}

test_that("the gradient is that of the dense formula in every bandwidth of k", {
  open <- list(kernel_rbf(), kernel_laplace(), kernel_matern(nu = 0.5), kernel_matern(nu = 1.5),
               kernel_matern(nu = 2.5))
  for (kernel in open) {
    label <- format(kernel)
    expect_identical(expect_gradient(kernel, domain_pooled(), label = label), 3L)
    expect_identical(expect_gradient(kernel, domain_pooled(), TRUE, label = label), 5L)
    expect_identical(expect_gradient(kernel, domain_multitask(0.3), TRUE, label = label), 5L)
  }
  both <- kernel_rbf() * (kernel_laplace() + kernel_linear()) + 0.3 * kernel_matern()
  expect_identical(expect_gradient(both, domain_pooled()), 5L)
  expect_identical(expect_gradient(both, domain_multitask(NULL), TRUE), 12L)
  # numbers that were given are not differentiated
  expect_identical(expect_gradient(kernel_rbf(1) + kernel_rbf(), domain_pooled()), 3L)
  expect_identical(expect_gradient(kernel_linear(), domain_pooled()), 2L)
})

test_that("the gradient is that of the dense formula in every bandwidth of kappa, and in tau", {
  outers <- list(kernel_rbf(), kernel_laplace(), kernel_matern(nu = 0.5), kernel_matern(nu = 1.5),
                 kernel_matern(nu = 2.5), kernel_linear(), kernel_poly(2), kernel_exponential(2),
                 kernel_rbf() * kernel_poly(2) * kernel_laplace() + kernel_matern(), kernel_normalise(kernel_poly(3)),
                 kernel_rbf(0.2))
  for (outer in outers) for (kernel in list(kernel_rbf(), kernel_laplace() + kernel_matern())) {
    expect_gradient(kernel_rbf(1), domain_distribution(kernel, outer), label = format(outer))
  }
  expect_identical(expect_gradient(kernel_rbf(), domain_distribution()), 5L)
  expect_identical(expect_gradient(kernel_rbf(), domain_distribution(), TRUE), 7L)
  expect_identical(expect_gradient(kernel_rbf(), domain_multitask(NULL)), 4L)
  expect_identical(expect_gradient(kernel_rbf(), domain_distribution(kernel_linear(), kernel_linear())), 3L)
})

test_that("the gradient of a Gaussian process on features is that of its likelihood", {
  basis <- list(square = 9, n = 12, log_weights = -0.3, values = c(4, 1, 0.1, 0), cross = c(3, -1, 0.2, 0))
  value <- function(theta) feature_likelihood(basis, exp(theta[1]), exp(theta[2]))$value
  for (theta in list(c(0, 0), c(0.5, -1), c(-1, 0.7))) {
    expect_equal(unname(feature_likelihood(basis, exp(theta[1]), exp(theta[2]))$gradient),
                 naive_gradient(value, theta), tolerance = 1e-7)
  }
})

test_that("the inverse from the Cholesky factor is the inverse, over one panel and many", {
  for (size in c(1, 2, 255, 256, 257, 600, 1100)) {
    set.seed(size)
    root <- matrix(rnorm(size^2), size)
    A <- crossprod(root) / size + diag(size)
    R <- chol(A)
    R[lower.tri(R)] <- NaN
    memory <- list2env(list(A = R))
    diagonal <- gp_inverse_(memory, size)
    inverse <- chol2inv(chol(A))
    upper <- upper.tri(A, diag = TRUE)
    expect_equal(memory$A[upper], inverse[upper], tolerance = 1e-11)
    expect_identical(diagonal, diag(memory$A))
  }
})

test_that("the sums over tiles do not depend on threads, to the bit", {
  set.seed(1)
  rows <- matrix(rnorm(300 * 4), 300)
  program <- kernel_program(kernel_rbf(2), rows, rows)
  kappa <- 0.3 + 0.7 * diag(3)
  codes <- rep_len(1:3, 300)
  run <- function(threads) {
    memory <- new.env()
    solved <- gp_factor_(memory, program, rows, kappa, codes, rep(0.1, 300), rnorm(300), threads)
    gp_inverse_(memory, 300L)
    slope <- function(by_predictor) {
      slope_program(kernel_rbf(2), program, integer(), rows, by_predictor)
    }
    slopes <- list(list(program = slope(FALSE), inv = NULL),
                   list(program = slope(TRUE), inv = rep(0.5, 4)))
    gp_slopes_(memory$A, solved$alpha, 1, rows, kappa, codes, slopes, program, threads)
  }
  with_seed(3, one <- run(1L))
  with_seed(3, two <- run(2L))
  expect_identical(two, one)
  # one bandwidth is the sum over predictors with the same
  expect_equal(sum(one$bandwidths[[2]]), one$bandwidths[[1]], tolerance = 1e-12)
})
