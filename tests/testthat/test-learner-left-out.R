# Left-out predictions for many values of lambda, against single ones.

toy <- toy_domains(5, 12)
set.seed(1)
toy <- toy[sample(nrow(toy)), ]
toy$w <- rep_len(c(1, 2, 0, 3), nrow(toy))
three <- transform(toy, y = cut(y, 3, labels = c("low", "mid", "top")))
lambdas <- 10^seq(-6, 3, length.out = 12)

for (intercept in c(FALSE, TRUE)) for (name in c("numbers", "classes")) {
  test_that(paste("a path over lambda is as many single fits:", name, if (intercept) "with an intercept"), {
    data <- if (name == "numbers") toy else three
    model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = data, weights = w, intercept = intercept)
    each <- vapply(lambdas, function(lambda) matrix(left_out(model, lambda), nrow(data)),
                   matrix(0, nrow(data), ncol(model$coefficients)))
    task <- list(response = model$response, Y = code_rows(model$response, model$y))
    sample <- list(domain = model$domain, weights = model$weights)
    centre <- left_out_centre(sample, task, model$spec$args)
    path <- ridge_path(model_gram(model), task$Y, model$domain, model$costs, lambdas, centre, intercept,
                       tolerance = 1e-10)
    expect_equal(array(path$prediction, dim(each)), array(each, dim(each)), tolerance = 1e-7)
    # some by the Gram matrix, some by a pole
    expect_gt(length(path$poles), 0)
    errors <- apply(each, 3, function(f) sum(model$costs * (f - task$Y)^2)) / sum(model$costs)
    expect_equal(path$error, errors, tolerance = 1e-7)
    d2 <- toy$domain == "d2"
    expect_equal(path$domains[3, 2], sum((model$costs * (matrix(each[, , 3], nrow(data)) - task$Y)^2)[d2, ]) /
                   sum(model$costs[d2]), tolerance = 1e-7)
  })
}

test_that("a path keeps its tolerance, with fewer products the larger it is", {
  data <- toy_domains(6, 60)
  model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = data, domain_kernel = domain_pooled())
  K <- model_gram(model)
  Y <- matrix(drop(code_rows(model$response, model$y)))
  path <- function(tolerance) {
    ridge_path(K, Y, model$domain, model$costs, lambdas, tolerance = tolerance)
  }
  exact <- path(1e-11)
  for (tolerance in c(1e-2, 1e-4)) {
    loose <- path(tolerance)
    error <- apply(loose$prediction - exact$prediction, 2, function(e) {
      max(sqrt(tapply(e^2, model$domain, mean)))
    })
    expect_lt(max(error), tolerance)
    expect_lt(loose$steps, exact$steps)
  }
  expect_identical(path(1e-2), path(1e-2))
  expect_equal(ridge_path(K, Y, model$domain, model$costs, lambdas, threads = 1L),
               ridge_path(K, Y, model$domain, model$costs, lambdas, threads = 2L), tolerance = 1e-10)
})

test_that("a path of many systems is the same, in closed form and by steps", {
  data <- toy_domains(20, 4)
  data$y <- cut(data$y, 3)
  # more than advance together, and a row without a cost has no closed form
  expect_gt(nlevels(data$domain) * 3, 32)
  set.seed(2)
  for (least in c(1, 0)) for (intercept in c(TRUE, FALSE)) {
    data$w <- replace(runif(nrow(data), 0.5, 2), 7, least)
    model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = data, weights = w, intercept = intercept)
    path <- left_out(model, c(0.1, 1, 10, 100, 1000))
    for (l in 1:5) {
      expect_equal(path[, , l], left_out(model, 10^(l - 2))[, , 1], ignore_attr = TRUE,
                   tolerance = if (least == 0) 1e-2 else 1e-8)
    }
    expect_equal(left_out(model, c(0.1, 1)), path[, , 1:2], tolerance = if (least == 0) 1e-2 else 1e-8)
  }
})

test_that("many lambdas on features are as many single ones", {
  set.seed(1)
  for (data in list(toy, three)) for (intercept in c(FALSE, TRUE)) {
    model <- dg_ridge(y ~ x1 + x2 | domain, data = data, weights = w, intercept = intercept,
                      feature_map = features_nystrom(12))
    model$space$X <- apply_scaling(as.matrix(toy[c("x1", "x2")]), model$blueprint$scaling)
    path <- left_out(model, lambdas[4:12])
    for (l in 1:9) {
      expect_equal(path[, , l], left_out(model, lambdas[l + 3])[, , 1], tolerance = 1e-7,
                   ignore_attr = TRUE)
    }
  }
})

test_that("(S + lambda)^-1 B of many lambdas is that of each", {
  set.seed(1)
  for (r in c(1, 2, 30, 33, 34, 35, 64, 150)) {
    S <- crossprod(matrix(rnorm(2 * r * r), 2 * r))
    B <- matrix(rnorm(r * 3), r)
    X <- ridge_shifted_(S + 0, B, c(0.1, 10), 2L)
    expect_equal(X, cbind(solve(S + diag(0.1, r), B), solve(S + diag(10, r), B)), tolerance = 1e-10)
  }
})
