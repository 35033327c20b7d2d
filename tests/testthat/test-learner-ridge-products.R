# Ridge regression without a Gram matrix, which is that of many rows: here of all.

# Values of the code with so small a number of rows from which on there is none.
without_gram <- function(code, error = 1e-26) {
  code <- substitute(code)
  env <- parent.frame()
  with_replaced("gram_rows", 0L, with_replaced("product_error", error, eval(code, env)))
}

kernels <- list(kernel_rbf(), kernel_laplace(), kernel_matern(), kernel_linear() + kernel_rbf(),
                kernel_rbf(1) * kernel_cauchy())

test_that("coefficients are those of the formula, whatever kernels, weights and responses are", {
  set.seed(3)
  for (draw in 1:24) {
    n <- sample(c(70, 150, 200), 1L)
    toy <- toy_domains(sample(2:6, 1L), n, seed = draw)
    toy <- toy[sample(nrow(toy), n), ]
    toy$w <- sample(c(0, 1, 2.5), nrow(toy), replace = TRUE)
    if (draw %% 3L == 0L) toy$y <- cut(toy$y, sample(2:4, 1L))
    given <- list(
      kernel = sample(kernels, 1L)[[1L]], intercept = sample(c(TRUE, FALSE), 1L),
      domain_kernel = sample(list(domain_pooled(), domain_distribution(),
                                  domain_multitask(tau = 0.4)), 1L)[[1L]],
      domain_weights = sample(c("size", "equal"), 1L)
    )
    lambda <- 10^runif(1, -1, 1)
    model <- without_gram(dg_ridge(
      y ~ x1 + x2 + x3 | domain, data = toy, weights = w, kernel = given$kernel, lambda = lambda,
      domain_kernel = given$domain_kernel, intercept = given$intercept,
      domain_weights = given$domain_weights
    ))
    K <- model_gram(model)
    naive <- naive_kernel_ridge(K, code_rows(model$response, model$y), model$costs, lambda,
                                given$intercept)
    expect_equal(unname(model$coefficients), naive$alpha, tolerance = 1e-7)
    expect_equal(unname(model$intercept), naive$intercept, tolerance = 1e-7)
    expect_equal(unname(model$decision), unname(naive_ridge_fitted(K, naive)), tolerance = 1e-7)
  }
})

test_that("the number of threads changes nothing, nor do the draws of landmarks random numbers", {
  toy <- toy_domains(5, 120)
  set.seed(1)
  before <- .Random.seed
  one <- without_gram(dg_ridge(y ~ . | domain, data = toy, lambda = 0.1, threads = 1), 1e-10)
  expect_identical(.Random.seed, before)
  set.seed(2)
  three <- without_gram(dg_ridge(y ~ . | domain, data = toy, lambda = 0.1, threads = 3), 1e-10)
  expect_identical(one$coefficients, three$coefficients)
})

test_that("predictions are to the usual error those of the Gram matrix", {
  toy <- toy_domains(6, 150)
  new <- toy_domains(3, 50, seed = 9)
  exact <- dg_ridge(y ~ . | domain, data = toy)
  found <- without_gram(update(exact), product_error)
  expect_equal(predict(found, new), predict(exact, new), tolerance = 1e-7)
  expect_identical(found$lambda, exact$lambda)
  expect_equal(predict(found, toy), fitted(found), tolerance = 1e-10)
})

test_that("a lambda near rounding, a constant response and a user's kernel take a Gram matrix", {
  toy <- toy_domains(4, 60)
  tiny <- suppressWarnings(dg_ridge(y ~ . | domain, data = toy, lambda = 1e-11))
  expect_equal(suppressWarnings(without_gram(update(tiny)))$coefficients, tiny$coefficients)
  own <- kernel_custom(function(x, z) {
    exp(-as.matrix(dist(rbind(x, z)))[seq_len(nrow(x)), nrow(x) + seq_len(nrow(z))])
  })
  custom <- dg_ridge(y ~ . | domain, data = toy, lambda = 1, kernel = own,
                     domain_kernel = domain_pooled())
  expect_identical(without_gram(update(custom))$coefficients, custom$coefficients)
})

test_that("the limit of memory is that of a Gram matrix only where there is one", {
  toy <- toy_domains(6, 200)
  old <- options(domgen.memory_limit = 8 * 1100^2)
  on.exit(options(old))
  expect_error(dg_ridge(y ~ . | domain, data = toy, lambda = 1), class = "domgen_error_memory")
  expect_s3_class(without_gram(dg_ridge(y ~ . | domain, data = toy, lambda = 1)), "dg_ridge")
})

test_that("a product with the Gram matrix that is never made is that with the matrix", {
  set.seed(4)
  for (n in c(1, 5, 64, 65, 130, 700)) {
    X <- matrix(rnorm(3 * n), n)
    domain <- sample(3L, n, replace = TRUE)
    kappa <- crossprod(matrix(rnorm(9), 3))
    A <- matrix(rnorm(n * 2), n)
    K <- kernel_matrix(kernel_rbf(1), X)
    asked <- list(program = kernel_program(kernel_fit(kernel_rbf(1), X), X, X), X = X, threads = 2L)
    expect_equal(gram_product_(asked, A), K %*% A, tolerance = 1e-12)
    asked <- c(asked, list(kappa = kappa, domain = domain))
    expect_equal(gram_product_(asked, A), (K * kappa[domain, domain]) %*% A, tolerance = 1e-12)
    expect_equal(gram_product_(K, A), K %*% A, tolerance = 1e-12)
  }
})

test_that("a generalised regression of many rows is that of the Gram matrix", {
  set.seed(5)
  for (draw in 1:8) {
    toy <- toy_domains(5, 120, seed = draw)
    family <- sample(c("binomial", "multinomial", "poisson", "cox", "ordinal"), 1L)
    toy$y <- switch(family, binomial = factor(toy$y > 0),
                    poisson = rpois(nrow(toy), exp(toy$x1 / 2)), multinomial = cut(toy$y, 3),
                    ordinal = cut(toy$y, 3, ordered_result = TRUE),
                    cox = survival::Surv(rexp(nrow(toy)), toy$x2 > 0))
    lambda <- 10^runif(1, -1, 1)
    exact <- dg_glm(y ~ . | domain, data = toy, lambda = lambda, family = family)
    found <- without_gram(update(exact))
    expect_equal(found$decision, exact$decision, tolerance = 1e-4)
    expect_true(all(found$converged))
  }
})
