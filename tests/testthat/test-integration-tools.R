# What packages for any model say of a model whose reference is fixed, against predict() itself with
# `reference`, in a loop.
toy <- toy_domains(4, 20)
inputs <- toy[c("x1", "x2", "x3", "domain")]
model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy, lambda = 0.3,
                  domain_kernel = domain_distribution())
fixed <- set_reference(model, toy)
labelled <- toy_classes(4, 25)
classes <- dg_svm(y ~ x1 + x2 | domain, data = labelled, cost = 1, calibration = "platt")
fixed_classes <- set_reference(classes, labelled)
three <- transform(toy, y = cut(y, quantile(y, 0:3 / 3), c("low", "middle", "high"), TRUE))
at <- c(-1, 0, 0.5)

# The mean prediction with x1 at a value, all else as it is, each domain as all of its rows.
effect_by_hand <- function(model, data, at, ...) {
  vapply(at, function(value) {
    mean(predict(model, replace(data, "x1", value), reference = data, ...))
  }, 0)
}

test_that("without a fixed reference a partial dependence is another curve", {
  naive <- vapply(at, function(v) mean(predict(model, replace(toy, "x1", v))), 0)
  expect_gt(max(abs(naive - effect_by_hand(model, toy, at))), 0.01)
  expect_equal(vapply(at, function(v) mean(predict(fixed, replace(toy, "x1", v))), 0),
               effect_by_hand(model, toy, at), tolerance = 1e-10)
})

test_that("pdp draws the partial dependence of a fixed model", {
  skip_if_not_installed("pdp")
  curve <- expect_silent(pdp::partial(fixed, "x1", train = inputs,
                                      pred.grid = data.frame(x1 = at)))
  expect_equal(curve$yhat, effect_by_hand(model, toy, at), tolerance = 1e-10)
  of_first <- pdp::partial(fixed_classes, "x1", train = labelled, prob = TRUE,
                           pred.grid = data.frame(x1 = at))
  by_hand <- vapply(at, function(v) {
    mean(predict(classes, replace(labelled, "x1", v), reference = labelled, type = "prob")[, 1])
  }, 0)
  expect_equal(of_first$yhat, by_hand, tolerance = 1e-10)
})

test_that("iml takes a fixed model as it is", {
  skip_if_not_installed("iml")
  predictor <- iml::Predictor$new(fixed, data = inputs, y = toy$y)
  curve <- iml::FeatureEffect$new(predictor, "x1", method = "pdp", grid.points = at)$results
  expect_equal(curve$.value, effect_by_hand(model, toy, at), tolerance = 1e-10)
  importance <- with_seed(1, iml::FeatureImp$new(predictor, loss = "mse")$results)
  expect_setequal(importance$feature, names(inputs))
  expect_true(all(importance$permutation.error > 0))
  shapley <- with_seed(1, iml::Shapley$new(predictor, x.interest = inputs[1, ])$results)
  expect_setequal(shapley$feature, names(inputs))
  of_classes <- iml::Predictor$new(fixed_classes, data = labelled[c("x1", "x2", "domain")],
                                   y = labelled$y)
  expect_identical(of_classes$task, "classification")
  expect_equal(unname(as.matrix(of_classes$predict(labelled[1:3, ]))),
               unname(predict(classes, labelled[1:3, ], reference = labelled, type = "prob")),
               tolerance = 1e-10)
})

test_that("DALEX explains a fixed model, and its classes by probabilities", {
  skip_if_not_installed("DALEX")
  explainer <- DALEX::explain(fixed, data = inputs, y = toy$y, label = "ridge", verbose = FALSE)
  expect_equal(explainer$y_hat, predict(model, toy, reference = toy), tolerance = 1e-10)
  expect_identical(explainer$model_info$type, "regression")
  profile <- DALEX::model_profile(explainer, variables = "x1", N = NULL,
                                  variable_splits = list(x1 = at))
  expect_equal(profile$agr_profiles$`_yhat_`, effect_by_hand(model, toy, at), tolerance = 1e-10)
  parts <- with_seed(1, DALEX::model_parts(explainer, B = 1, type = "raw"))
  full <- parts$dropout_loss[parts$variable == "_full_model_" & parts$permutation == 0]
  expect_equal(full, sqrt(mean((toy$y - explainer$y_hat)^2)), tolerance = 1e-10)
  y <- as.numeric(labelled$y == levels(labelled$y)[2])
  of_classes <- DALEX::explain(fixed_classes, data = labelled[c("x1", "x2", "domain")], y = y,
                               verbose = FALSE)
  expect_identical(of_classes$model_info$type, "classification")
  expect_equal(of_classes$y_hat,
               predict(classes, labelled, reference = labelled, type = "prob")[, 2],
               tolerance = 1e-10)
  kinds <- set_reference(dg_null(y ~ 1 + x1 | domain, data = three), three)
  of_three <- DALEX::explain(kinds, data = inputs, y = three$y, verbose = FALSE)
  expect_identical(of_three$model_info$type, "multiclass")
  expect_identical(colnames(of_three$y_hat), levels(three$y))
  expect_s3_class(DALEX::model_performance(of_three), "model_performance")
  expect_equal(unname(of_three$y_hat), unname(predict(kinds, three, type = "prob")))
  one <- DALEX::explain(kinds, data = inputs, y = three$y, verbose = FALSE,
                        predict_function_target_column = "high")
  expect_equal(one$y_hat, predict(kinds, three, type = "prob")[, "high"])
})

test_that("marginaleffects predicts, compares and differentiates a fixed model", {
  skip_if_not_installed("marginaleffects")
  old <- options(marginaleffects_model_classes = "dg_fit")
  on.exit(options(old))
  found <- marginaleffects::avg_predictions(fixed, variables = list(x1 = at), newdata = toy)
  expect_equal(found$estimate, effect_by_hand(model, toy, at), tolerance = 1e-8)
  slopes <- with_globals(list(toy = toy), marginaleffects::avg_slopes(fixed))
  expect_setequal(slopes$term, c("x1", "x2", "x3"))
  slope <- marginaleffects::avg_slopes(fixed, variables = "x1", newdata = toy)$estimate
  expect_equal(slope, slopes$estimate[slopes$term == "x1"], tolerance = 1e-8)
  h <- 1e-4
  differences <- predict(model, transform(toy, x1 = x1 + h), reference = toy) -
    predict(model, toy, reference = toy)
  expect_equal(slope, mean(differences) / h, tolerance = 1e-3)
  step <- marginaleffects::avg_comparisons(fixed, variables = list(x1 = c(-1, 0.5)), newdata = toy)
  expect_equal(step$estimate, diff(effect_by_hand(model, toy, c(-1, 0.5))), tolerance = 1e-8)
  moved <- marginaleffects::avg_comparisons(fixed, variables = "domain", newdata = toy)
  as_in <- function(name) mean(predict(fixed, replace(toy, "domain", name)))
  names <- levels(toy$domain)
  expect_equal(moved$estimate, vapply(names[-1], as_in, 0, USE.NAMES = FALSE) - as_in(names[1]),
               tolerance = 1e-8)
  likely <- marginaleffects::predictions(fixed_classes, newdata = labelled)
  expect_equal(likely$estimate,
               predict(classes, labelled, reference = labelled, type = "prob")[, 2],
               tolerance = 1e-8)
  expect_error(marginaleffects::predictions(fixed_classes, newdata = labelled, type = "class"),
               "estimates must be numeric")
  expect_error(marginaleffects::avg_slopes(fixed, newdata = toy, vcov = "HC3"),
               "no covariance matrix")
  several <- marginaleffects::predictions(dg_null(y ~ x1 | domain, data = three), newdata = three)
  expect_identical(nrow(several), 3L * nrow(three))
})

test_that("marginaleffects tests contrasts of coefficients with the jackknife's errors", {
  skip_if_not_installed("marginaleffects")
  old <- options(marginaleffects_model_classes = "dg_coefficients")
  on.exit(options(old))
  found <- dg_coefficients(dg_lm(uptake ~ log(conc) + Type + Treatment | Plant, data = CO2))
  contrast <- marginaleffects::hypotheses(found, "TypeMississippi = Treatmentchilled",
                                          df = found$df)
  a <- c(0, 0, 1, -1)
  expect_equal(as.numeric(contrast$estimate), sum(a * coef(found)), tolerance = 1e-8)
  error <- sqrt(drop(a %*% vcov(found) %*% a))
  expect_equal(as.numeric(contrast$std.error), error, tolerance = 1e-6)
  expect_equal(contrast$p.value, 2 * pt(-abs(contrast$estimate / error), 11), tolerance = 1e-5,
               ignore_attr = TRUE)
  expect_equal(as.numeric(marginaleffects::hypotheses(found)$std.error), found$table$se,
               tolerance = 1e-6)
  expect_error(marginaleffects::hypotheses(found, vcov = "HC3"), "must be a matrix, TRUE")
})

test_that("tools that say which model they are given warn of one whose domains move", {
  for (package in c("DALEX", "iml", "marginaleffects", "pdp")) skip_if_not_installed(package)
  old <- options(marginaleffects_model_classes = "dg_fit")
  on.exit(options(old))
  explain <- function(model) {
    DALEX::explain(model, data = inputs, y = toy$y, verbose = FALSE, precalculate = FALSE)
  }
  expect_warning(explain(model), "set_reference", class = "domgen_warning_moving")
  expect_warning(marginaleffects::avg_slopes(model, newdata = toy), class = "domgen_warning_moving")
  expect_warning(iml::Predictor$new(model, data = inputs, y = toy$y),
                 class = "domgen_warning_moving")
  expect_warning(pdp::partial(model, "x1", train = inputs, pred.grid = data.frame(x1 = 0)),
                 class = "domgen_warning_moving")
  pooled <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy, lambda = 0.3,
                     domain_kernel = domain_pooled())
  for (quiet in list(fixed, pooled, dg_adapt(model, domains_of(toy, 1), "y"))) {
    expect_silent(explain(quiet))
    expect_silent(iml::Predictor$new(quiet, data = inputs, y = toy$y))
  }
  expect_silent(marginaleffects::avg_slopes(fixed, newdata = toy))
})
