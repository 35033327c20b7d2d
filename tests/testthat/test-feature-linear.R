test_that("features_linear() is kernel_linear() without a Gram matrix", {
  toy <- simulate_dica(domains = 5, n = 20, seed = 1)
  pairs <- list(
    list(dg_ridge(lambda = 2, intercept = TRUE), 1e-8), list(dg_ridge(lambda = 2), 1e-8),
    list(dg_svm(cost = 1, tolerance = 1e-8), 1e-5),
    list(dg_gp(signal_sd = 1, noise_sd = 0.5), 1e-8)
  )
  for (pair in pairs) {
    exact <- set_parameters(pair[[1]], list(kernel = kernel_linear(),
                                             domain_kernel = domain_pooled()))
    by_features <- set_parameters(exact, list(feature_map = features_linear()))
    models <- lapply(list(exact, by_features), fit, y ~ . | domain, data = toy)
    expect_equal(predict(models[[2]], toy), predict(models[[1]], toy), tolerance = pair[[2]])
  }
  exact <- dg_kpca(~ x1 + x2 + x3 | domain, data = toy, kernel = kernel_linear())
  ours <- update(exact, feature_map = features_linear())
  expect_equal(abs(unclass(predict(ours, toy))), abs(unclass(predict(exact, toy))), tolerance = 1e-6,
               ignore_attr = TRUE)
  expect_output(print(ours), "the predictors themselves, 3 features")
})

test_that("it adds over pieces, and refuses what it does not represent", {
  toy <- simulate_dica(domains = 5, n = 20, seed = 1)
  first <- feature_sums(y ~ . | domain, data = toy[1:60, ], feature_map = features_linear(),
                        kernel = kernel_linear(), scale = "none")
  whole <- fit(dg_ridge(lambda = 1, scale = "none"), update(first, toy[-(1:60), ]) + first)
  direct <- dg_ridge(y ~ . | domain, data = toy, lambda = 1, scale = "none",
                     kernel = kernel_linear(), domain_kernel = domain_pooled())
  expect_equal(predict(whole, toy), predict(direct, toy), tolerance = 1e-8)
  expect_domgen_error(dg_ridge(y ~ . | domain, data = toy, feature_map = features_linear()),
                      "needs `kernel_linear", "domgen_error_argument")
})

test_that("support needs rows, which it does not keep", {
  toy <- simulate_dica(domains = 3, n = 20, seed = 1)
  model <- dg_ridge(y ~ . | domain, data = toy, lambda = 1, kernel = kernel_linear(),
                    domain_kernel = domain_pooled(), feature_map = features_linear())
  expect_domgen_error(predict(model, toy, type = "similarity"), "keeps no rows",
                      "domgen_error_argument")
})

test_that("with an offset the features are the other columns", {
  set.seed(1)
  data <- data.frame(clinic = rep(letters[1:6], each = 20), x = rnorm(120), z = rnorm(120),
                     years = runif(120, 1, 5))
  data$y <- rpois(120, data$years * exp(0.3 * data$x - 1))
  rates <- function(...) {
    dg_glm(y ~ x + offset(log(years)) + z | clinic, data = data, family = "poisson", lambda = 1,
           kernel = kernel_linear(), domain_kernel = domain_pooled(), ...)
  }
  by_features <- rates(feature_map = features_linear())
  expect_identical(by_features$space$dim, 2L)
  expect_equal(predict(by_features, data), predict(rates(), data), tolerance = 1e-6)
})
