test_that("kappa is a function of the quantiles' distance, also for new domains", {
  toy <- simulate_dica(domains = 5, n = 30, seed = 1)
  X <- as.matrix(toy[c("x1", "x2")])
  known <- toy$domain %in% levels(toy$domain)[1:3]
  rows <- function(at) list(X = X[at, ], domain = droplevels(toy$domain[at]), threads = 1L)
  kernel <- domain_kernel_fit(domain_wasserstein(kernel_rbf(0.7), 9), rows(known))
  Q <- t(sapply(split(seq_along(known), toy$domain), function(i) {
    c(apply(X[i, ], 2, quantile, (1:9 - 0.5) / 9))
  }))
  squared <- as.matrix(dist(Q))^2 / 9
  expected <- unname(exp(-squared / (2 * 0.7^2)))
  expect_equal(kernel$kappa, expected[1:3, 1:3])
  expect_equal(domain_kappa(kernel, rows(!known)), expected[4:5, 1:3])
  expect_equal(domain_kappa(kernel, rows(!known), among = TRUE), expected[4:5, 4:5])
  expect_equal(domain_own(kernel, rows(!known)), c(1, 1))
})

test_that("a bandwidth of the outer kernel is one number", {
  for (make in list(domain_wasserstein, domain_distribution)) {
    for (bandwidths in list(c(1, 2), rep(1, 40))) {
      expect_domgen_error(make(embedding_kernel = kernel_rbf(bandwidths)), "`bandwidth` of `embedding_kernel` must be one",
                          "domgen_error_argument")
      expect_domgen_error(make(embedding_kernel = kernel_linear() + 2 * kernel_laplace(bandwidths)),
                          "`bandwidth` of `embedding_kernel` must be one", "domgen_error_argument")
    }
  }
})

test_that("its width is chosen with the penalty, and left at the median where that is given", {
  toy <- simulate_dica(domains = 8, n = 25, seed = 1)
  width <- function(model) model$space$domain_kernel$embedding_kernel$bandwidth
  plain <- dg_ridge(y ~ . | domain, data = toy, lambda = 1, domain_kernel = domain_wasserstein())
  median <- width(plain)
  expect_equal(median, stats::median(dist(domain_coordinates(domain_wasserstein(), plain$space))))
  given <- dg_ridge(y ~ . | domain, data = toy, domain_kernel = domain_wasserstein(kernel_rbf(0.3)))
  expect_equal(width(given), 0.3)
  # a relation that does not move is pooled as far as that goes
  pooled <- transform(toy, y = x1 + x2)
  chosen <- dg_ridge(y ~ . | domain, data = pooled, domain_kernel = domain_wasserstein())
  expect_equal(width(chosen), 8 * median)
  expect_equal(predict(chosen, toy), predict(update(chosen, lambda = chosen$lambda, domain_kernel =
    domain_wasserstein(kernel_rbf(8 * median))), toy), tolerance = 1e-8)
  expect_equal(width(dg_gp(y ~ . | domain, data = toy, domain_kernel = domain_wasserstein(),
                           restarts = 1)), median)
})

test_that("it serves every learner, on features and in chains", {
  toy <- simulate_ellipses(domains = 6, n = 30, seed = 1)
  new <- simulate_ellipses(domains = 2, n = 20, seed = 9)
  between <- domain_wasserstein()
  for (spec in list(dg_svm(cost = 1, domain_kernel = between),
                    dg_ridge(domain_kernel = between, feature_map = features_product()),
                    dg_pipeline(dg_kpca(), dg_svm(cost = 1, domain_kernel = between)))) {
    model <- fit(spec, y ~ x1 + x2 | domain, data = toy)
    expect_s3_class(predict(model, new), "factor")
  }
  expect_output(print(between), "20 quantiles of each predictor")
  expect_domgen_error(domain_wasserstein(quantiles = 0), "`quantiles`", "domgen_error_argument")
})

test_that("a domain far from all of training is named", {
  toy <- simulate_ellipses(domains = 6, n = 30, seed = 1)
  model <- dg_svm(y ~ x1 + x2 | domain, data = toy, cost = 1, domain_kernel = domain_wasserstein())
  far <- transform(toy[1:20, ], x1 = x1 + 1e3, domain = "moon")
  expect_warning(predict(model, far), "\"moon\" is far", class = "domgen_warning_far_domain")
})
