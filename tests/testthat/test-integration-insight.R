skip_if_not_installed("insight")
toy <- toy_domains(4, 20)
model <- dg_ridge(y ~ . | domain, data = toy, lambda = 0.3, domain_kernel = domain_distribution())
labelled <- toy_classes(4, 25)
inputs <- c("x1", "x2", "x3")

test_that("insight finds the response, the predictors, and the domain as a grouping", {
  expect_identical(deparse1(insight::find_formula(model)$conditional), "y ~ x1 + x2 + x3")
  expect_identical(deparse1(insight::find_formula(model)$random), "~1 | domain")
  expect_identical(insight::find_predictors(model), list(conditional = inputs))
  expect_identical(insight::find_predictors(model, effects = "all", flatten = TRUE),
                   c(inputs, "domain"))
  expect_identical(insight::find_random(model), list(random = "domain"))
  expect_identical(insight::find_response(model), "y")
  expect_identical(insight::find_variables(model, flatten = TRUE), c("y", inputs, "domain"))
  expect_identical(insight::n_obs(model), nrow(toy))
  logged <- dg_lm(log(y + 9) ~ log(x1 + 9) | interaction(domain, x3 > 0), data = toy)
  expect_identical(insight::find_response(logged), "log(y + 9)")
  expect_identical(insight::find_response(logged, combine = FALSE), "y")
  expect_identical(insight::find_predictors(logged, effects = "all"),
                   list(conditional = "x1", random = c("domain", "x3")))
  alone <- dg_kpca(~ x1 + x2 | domain, data = toy)
  expect_null(insight::find_response(alone))
  expect_identical(insight::find_predictors(alone, flatten = TRUE), c("x1", "x2"))
})

test_that("insight gets the data and the response of the call", {
  with_globals(list(toy = toy), {
    found <- insight::get_data(model)
    expect_identical(insight::get_response(model), toy$y)
    expect_identical(insight::get_predictors(model), found[inputs])
  })
  expect_identical(names(found), c("y", inputs, "domain"))
  expect_equal(found, toy[names(found)], ignore_attr = TRUE)
})

test_that("of a model fitted to a matrix insight has the names of the columns", {
  bare <- dg_ridge(as.matrix(toy[inputs]), toy$y, toy$domain, lambda = 1)
  expect_null(insight::find_formula(bare))
  expect_identical(insight::find_predictors(bare, flatten = TRUE), inputs)
  expect_null(insight::find_response(bare))
  expect_domgen_error(insight::get_predicted(bare), "`data` must be given")
})

test_that("insight predicts numbers, probabilities, classes, components and intervals", {
  few <- toy[1:4, ]
  found <- insight::get_predicted(model, data = few, reference = toy)
  expect_s3_class(found, "get_predicted")
  expect_equal(as.vector(found), predict(model, few, reference = toy))
  with_globals(list(toy = toy), all <- as.data.frame(insight::get_predicted(model)))
  expect_equal(all$Predicted, fitted(model), tolerance = 1e-9)
  svm <- dg_svm(y ~ x1 + x2 | domain, data = labelled, cost = 1, calibration = "platt")
  expect_equal(as.vector(insight::get_predicted(svm, data = labelled)),
               predict(svm, labelled, type = "prob")[, 2])
  expect_identical(as.character(insight::get_predicted(svm, labelled, "classification")),
                   as.character(predict(svm, labelled)))
  scores <- as.data.frame(insight::get_predicted(dg_kpca(~ x1 + x2 | domain, data = toy), toy))
  expect_identical(nrow(scores), 2L * nrow(toy))
  process <- dg_gp(y ~ . | domain, data = toy, optimise = FALSE)
  expected <- predict(process, few, reference = toy, interval = "confidence", level = 0.9)
  intervals <- as.data.frame(insight::get_predicted(process, data = few, ci = 0.9,
                                                    reference = toy))
  expect_equal(intervals$CI_low, expected[, "lower"], ignore_attr = TRUE)
  expect_equal(intervals$Predicted, expected[, "fit"], ignore_attr = TRUE)
  expect_domgen_error(insight::get_predicted(model, few, ci = 0.9), "`ci` must be NULL")
  expect_domgen_error(insight::get_predicted(model, few, "zero"), "`predict` must be one of")
})

test_that("insight knows whether the response is a number or classes", {
  expect_true(insight::model_info(model)$is_linear)
  two <- insight::model_info(dg_null(y ~ x1 | domain, data = labelled))
  expect_true(two$is_binomial)
  expect_false(two$is_logit)
  three <- transform(toy, y = cut(y, quantile(y, 0:3 / 3), c("low", "middle", "high"), TRUE))
  expect_true(insight::model_info(dg_null(y ~ x1 | domain, data = three))$is_multinomial)
  expect_null(insight::model_info(dg_kpca(~ x1 + x2 | domain, data = toy)))
})
