skip_if_not_installed("glmnet")
toy <- simulate_dica(domains = 5, n = 30, p = 6, seed = 1)
classes <- simulate_dcm(domains = 5, n = 40, p = 6, seed = 1)
flowers <- transform(iris, site = factor(rep_len(letters[1:5], 150)))
predictors <- function(data) as.matrix(data[grep("^x", names(data))])

test_that("numbers, two and three classes are those of cv.glmnet() with folds of domains", {
  compare <- function(model, X, y, family, domain, ...) {
    direct <- glmnet::cv.glmnet(X, y, family = family, foldid = as.integer(domain), ...)
    expect_equal(model$engine$object$lambda, direct$lambda.min)
    expect_equal(model$engine$object$search$loss, unname(direct$cvm))
    direct
  }
  model <- dg_net(y ~ . | domain, data = toy)
  direct <- compare(model, predictors(toy), toy$y, "gaussian", toy$domain)
  expect_equal(coef(model), as.matrix(coef(direct, s = "lambda.min"))[, 1])
  expect_equal(predict(model, toy), c(predict(direct, predictors(toy), s = "lambda.min")))

  w <- rep_len(1:3, nrow(classes))
  model <- dg_net(y ~ . | domain, data = classes, alpha = 0.3, weights = w)
  direct <- compare(model, predictors(classes), classes$y, "binomial", classes$domain, alpha = 0.3,
                    weights = w)
  expect_equal(predict(model, classes, type = "prob")[, 2],
               c(predict(direct, predictors(classes), s = "lambda.min", type = "response")))

  model <- dg_net(Species ~ . | site, data = flowers)
  direct <- compare(model, as.matrix(iris[1:4]), iris$Species, "multinomial", flowers$site)
  expect_equal(predict(model, flowers, type = "prob"),
               predict(direct, as.matrix(iris[1:4]), s = "lambda.min", type = "response")[, , 1],
               ignore_attr = TRUE)
  expect_identical(colnames(coef(model)), levels(iris$Species))
})

test_that("a given penalty is the one that is used, and one predictor is enough", {
  model <- dg_net(y ~ . | domain, data = toy, lambda = 0.05, alpha = 0.5)
  direct <- glmnet::glmnet(predictors(toy), toy$y, alpha = 0.5)
  exact <- coef(direct, s = 0.05, exact = TRUE, x = predictors(toy), y = toy$y)
  expect_equal(coef(model), as.matrix(exact)[, 1], tolerance = 1e-4)
  expect_null(model$engine$object$search)
  # without any it is least squares
  one <- dg_net(y ~ x1 | domain, data = toy, lambda = 0)
  expect_equal(coef(one), coef(lm(y ~ x1, toy)), tolerance = 1e-4)
})

test_that("few domains and rare classes are no obstacle", {
  two <- droplevels(subset(toy, as.integer(domain) <= 2))
  expect_s3_class(dg_net(y ~ . | domain, data = two), "dg_net")
  one <- droplevels(subset(toy, as.integer(domain) <= 1))
  set.seed(1)
  model <- dg_net(y ~ . | domain, data = one)
  set.seed(1)
  expect_identical(coef(dg_net(y ~ . | domain, data = one)), coef(model))
  # a class in one domain: without it nothing is known of the class
  alone <- transform(flowers, site = factor(ifelse(Species == "setosa", "z", as.character(site))))
  model <- dg_net(Species ~ . | site, data = alone)
  expect_gt(mean(predict(model, alone) == alone$Species), 0.9)
})

test_that("it is searched, compared, calibrated, and comes back from a file", {
  tuned <- dg_tune(dg_net(), y ~ . | domain, data = toy)
  expect_identical(unlist(tuned$tuning$table$alpha), c(0, 0.5, 1))
  model <- dg_net(y ~ . | domain, data = classes, calibration = "platt", lambda = 0.01)
  expect_equal(rowSums(predict(model, classes, type = "prob")), rep(1, nrow(classes)))
  back <- unserialize(serialize(model, NULL))
  expect_identical(predict(back, classes), predict(model, classes))
  expect_error(dg_net(alpha = 2), "`alpha` must be one number from 0 to 1, not 2")
  expect_error(dg_net(lambda = -1), "`lambda` must be one non-negative number")
  toy$y <- 3
  expect_error(dg_net(y ~ . | domain, data = toy), "^Elastic net: `fit` failed: y is constant",
               class = "domgen_error_learner")
})

test_that("units make no difference, however large or small", {
  small <- droplevels(subset(toy, as.integer(domain) <= 3))
  fitted_with <- function(data, unit = 1, ...) {
    quietly(predict(dg_net(y ~ . | domain, data = data, ...), data)) / unit
  }
  expected <- fitted_with(small)
  by_lambda <- fitted_with(small, lambda = 0.01)
  for (unit in c(1e150, 1e-150, 1e300)) {
    expect_equal(fitted_with(transform(small, x1 = x1 * unit)), expected, tolerance = 1e-10)
    expect_equal(fitted_with(transform(small, y = y * unit), unit), expected, tolerance = 1e-10)
    expect_equal(fitted_with(transform(small, y = y * unit), unit, lambda = 0.01 * unit), by_lambda,
                 tolerance = 1e-10)
  }
})
