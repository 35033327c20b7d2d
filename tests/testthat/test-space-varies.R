# What a solver would learn from a kernel that is the same for all rows but for rounding is
# rounding: an error says so, whatever the learner and the representation.

vanishing <- function() {
  d <- simulate_dica(domains = 6, n = 20, p = 2, seed = 3)
  d$b <- factor(d$y > mean(d$y))
  d
}

linear_means <- domain_distribution(kernel_linear(), kernel_linear())

test_that("a domain kernel of means that scaling sets to 0 is an error of every method", {
  d <- vanishing()
  specs <- list(
    dg_svm(cost = 1, scale = "domain", domain_kernel = linear_means),
    dg_ridge(scale = "domain", domain_kernel = linear_means),
    dg_ridge(lambda = 1, scale = "domain", domain_kernel = 2 * linear_means),
    dg_glm(lambda = 1, scale = "domain", domain_kernel = linear_means * domain_distribution()),
    dg_gp(optimise = FALSE, scale = "domain", domain_kernel = linear_means),
    dg_pipeline(dg_dica(scale = "domain", domain_kernel = linear_means), dg_svm())
  )
  for (map in list(features_exact(), features_nystrom(20), features_product())) {
    for (spec in specs) {
      if (is.null(spec$projection)) spec$args$feature_map <- map
      else spec$projection$args$feature_map <- map
      response <- if (identical(spec$method, "dg_gp")) "y" else "b"
      formula <- reformulate("x1 + x2 | domain", response)
      for (data in list(d, row_source(d, block_size = 31))) {
        expect_domgen_error(fit(spec, formula, data = data), "0 for all training domains")
      }
    }
  }
  # the same kernels where means differ
  expect_s3_class(dg_ridge(y ~ x1 + x2 | domain, data = d, lambda = 1, domain_kernel = linear_means),
                  "dg_ridge")
})

test_that("a kernel of rows that is lost beside its origin, or in its bandwidth, is an error", {
  d <- vanishing()
  far <- transform(d, x1 = 1e9 + x1, x2 = 0)
  for (kernel in list(kernel_linear(), kernel_poly(3), kernel_linear() + kernel_linear())) {
    expect_domgen_error(dg_svm(b ~ x1 + x2 | domain, data = far, cost = 1, scale = "none",
                               kernel = kernel), "same value for all training rows.*scale = \"pooled")
  }
  for (kernel in list(kernel_rbf(1e8), kernel_laplace(1e17), kernel_poly(2, gamma = 0),
                      kernel_rbf(1e8) * kernel_rbf(1e9))) {
    expect_domgen_error(dg_ridge(b ~ x1 | domain, data = d, lambda = 1, kernel = kernel,
                                 domain_kernel = domain_pooled()), "nothing can be learned")
  }
  # with a constant of its own the origin of a pooled linear kernel is the mean of the rows
  near <- dg_ridge(y ~ x1 | domain, data = d, lambda = 1, scale = "none", kernel = kernel_linear(),
                   domain_kernel = domain_pooled(), intercept = TRUE)
  moved <- update(near, data = transform(d, x1 = 1e6 + x1))
  expect_equal(fitted(moved), fitted(near), tolerance = 1e-6)
})

test_that("rows that are all the same give the null model, after the warning", {
  d <- transform(vanishing(), x1 = 3, x2 = 5)
  for (spec in list(dg_svm(cost = 1), dg_ridge(lambda = 1), dg_glm(lambda = 1),
                    dg_svm(cost = 1, kernel = kernel_linear(), domain_kernel = domain_pooled()))) {
    expect_warning(model <- fit(spec, b ~ x1 + x2 | domain, data = d), "constant",
                   class = "domgen_warning_constant")
    values <- predict(model, d, type = "decision")
    expect_identical(length(unique(c(values))), 1L)
    expect_identical(unname(predict(model, row_source(d, block_size = 7))), unname(predict(model, d)))
  }
})

test_that("one row that differs is enough", {
  d <- vanishing()[rep(1, 500), ]
  d$domain <- factor(rep(1:5, 100))
  d$x1[487] <- d$x1[487] + 1
  d$y <- seq_len(500)
  model <- dg_ridge(y ~ x1 | domain, data = d, lambda = 1, domain_kernel = domain_pooled())
  expect_gt(diff(range(fitted(model))), 0)
})
