# Bandwidths fitted to left-out domains: gradients, and what the search finds.

toy <- toy_domains(5, 12)
toy$w <- rep_len(c(1, 2, 0, 3), nrow(toy))

problem_of <- function(spec, data) {
  input <- read_input(list(x = y ~ x1 + x2 + x3 | domain, data = data, weights = data$w))
  sample <- read_sample(input, spec_needs(spec), "pooled")
  bandwidth_problem(ridge_task(sample, spec$args), sample, spec$args)
}

kernels <- list(
  rbf = kernel_rbf(), laplace = kernel_laplace(), matern3 = kernel_matern(nu = 1.5),
  matern5 = kernel_matern(nu = 2.5), sum = kernel_rbf() * kernel_laplace() + kernel_linear(),
  given = kernel_rbf(2)
)
domain_kernels <- list(
  pooled = domain_pooled(), multitask = domain_multitask(0.5), embeddings = domain_distribution(),
  given = domain_distribution(kernel_rbf(1), kernel_rbf()),
  laplace = domain_distribution(kernel_laplace(), kernel_matern(nu = 2.5)),
  exponential = domain_distribution(kernel_rbf(), kernel_exponential())
)

for (name in names(kernels)) {
  test_that(paste("the gradient is that of differences:", name), {
    set.seed(1)
    for (of_domains in names(domain_kernels)) {
      open <- name != "given" || !of_domains %in% c("pooled", "multitask")
      if (!open) next
      for (data in list(toy, transform(toy, y = cut(y, 3)))) {
        spec <- dg_ridge(kernel = kernels[[name]], domain_kernel = domain_kernels[[of_domains]],
                         lambda = 0.5, intercept = is.factor(data$y), domain_weights = "equal")
        problem <- problem_of(spec, data)
        theta <- rnorm(length(problem$of), sd = 0.3)
        step <- 1e-5
        differences <- vapply(seq_along(theta), function(j) {
          at <- function(change) lodo_slopes(problem, replace(theta, j, theta[j] + change))$error
          (at(step) - at(-step)) / (2 * step)
        }, numeric(1))
        slopes <- lodo_slopes(problem, theta)$slopes
        expect_equal(slopes, differences, tolerance = 1e-6, label = of_domains)
        expect_gt(max(abs(slopes)), 1e-6)
      }
    }
  })
}

test_that("the error that is minimised is that of the domains left out", {
  model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy, weights = w, lambda = 1)
  problem <- problem_of(dg_ridge(lambda = 1, kernel = kernel_rbf()), toy)
  residual <- (toy$y - dg_cv(model)$predictions$prediction) / model$response$scale
  expect_equal(lodo_slopes(problem, rep(0, length(problem$of)))$error,
               sum(toy$w * residual^2) / sum(toy$w), tolerance = 1e-8)
})

test_that("pair sums are those of the matrices, on one thread as on two", {
  set.seed(1)
  n <- 150
  X <- matrix(rnorm(n * 2), n)
  left <- matrix(rnorm(n * 3), n)
  right <- matrix(rnorm(n * 3), n)
  domain <- sort(rep_len(1:4, n))
  kappa <- crossprod(matrix(rnorm(16), 4))
  W <- (tcrossprod(left, right) + tcrossprod(right, left)) / 2
  sigma <- c(1, 2)
  K <- exp(-(outer(X[, 1], X[, 1], "-")^2 / sigma[1]^2 + outer(X[, 2], X[, 2], "-")^2 / sigma[2]^2) / 2)
  expected <- vapply(1:2, function(k) {
    sum(W * kappa[domain, domain] * K * outer(X[, k], X[, k], "-")^2) / sigma[k]^2
  }, numeric(1))
  program <- list(type = "rbf", inv = 1 / sigma)
  slopes <- pair_slopes_(left, right, program, 1 / sigma, X, kappa, domain, 2L)
  expect_equal(slopes, expected, tolerance = 1e-10)
  expect_identical(pair_slopes_(left, right, program, 1 / sigma, X, kappa, domain, 1L), slopes)
  cells <- pair_cells_(left, right, program, X, domain, 4L, 2L)
  sums <- rowsum(t(rowsum(W * K, domain)), domain)
  expect_equal(cells + t(cells), unname(sums + t(sums)), tolerance = 1e-10)
  expect_identical(pair_cells_(left, right, program, X, domain, 4L, 1L), cells)
})

test_that("fitted bandwidths predict other domains better, and ignore a predictor that does not", {
  set.seed(1)
  n <- 240
  domain <- factor(rep_len(letters[1:6], n))
  X <- matrix(rnorm(n * 3), n) + matrix(rnorm(18, sd = 0.5), 6)[domain, ]
  y <- sin(2 * X[, 1]) + rnorm(n, sd = 0.2)
  given <- dg_ridge(X, y, domain, lambda = 0.1, domain_kernel = domain_pooled())
  model <- update(given, bandwidths = "fitted")
  sigma <- model$space$kernel$bandwidth
  expect_length(sigma, 3)
  expect_gt(min(sigma[2:3]), 10 * sigma[1])
  expect_lt(model$search$error, 0.5 * model$search$start)
  expect_true(model$search$converged)
  expect_equal(dg_cv(given)$overall^2, model$search$start * given$response$scale^2, tolerance = 1e-8)
  expect_equal(dg_cv(model)$overall^2, model$search$error * given$response$scale^2, tolerance = 1e-8)
  X_new <- matrix(rnorm(300), 100)
  error <- function(fit) mean((predict(fit, X_new) - sin(2 * X_new[, 1]))^2)
  expect_lt(error(model), 0.5 * error(given))
  # at the minimum
  problem <- bandwidth_problem(list(response = model$response, Y = matrix(drop(code_rows(model$response, model$y))),
                                    costs = model$costs),
                               list(X = given$space$X, domain = domain, weights = rep(1, n)),
                               replace(given$spec$args, "kernel", list(kernel_rbf())))
  slopes <- lodo_slopes(problem, log(sigma / median_bandwidth(given$space$X)))$slopes
  inside <- abs(log(sigma / median_bandwidth(given$space$X))) < log(999)
  expect_lt(max(abs(slopes[inside])), 1e-3)
  expect_output(print(model), "bandwidths +fitted")
  expect_identical(predict(update(model), X_new), predict(model, X_new))
})

test_that("bandwidths that are given stay", {
  model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy, kernel = kernel_rbf(1.5),
                    bandwidths = "fitted")
  expect_identical(model$space$kernel$bandwidth, 1.5)
  given <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy, kernel = kernel_rbf(1.5))
  expect_lte(model$search$error, model$search$start)
  expect_false(identical(model$space$domain_kernel$embedding_kernel$bandwidth, given$space$domain_kernel$embedding_kernel$bandwidth))
})

test_that("bandwidths that cannot be fitted are named", {
  expect_refusals({
    dg_ridge(y ~ x1 | domain, data = toy, bandwidths = "fitted", feature_map = features_nystrom(5))
    dg_ridge(y ~ x1 | domain, data = toy, bandwidths = "fitted", kernel = kernel_linear(),
             domain_kernel = domain_pooled())
    dg_ridge(y ~ x1 | domain, data = domains_of(toy, 1), bandwidths = "fitted")
  })
})
