# Fits of parsnip and workflows whose reference is fixed, and what tools are told of those that move.
skip_without_workflows <- function(...) {
  for (package in c("parsnip", "workflows", "recipes", ...)) skip_if_not_installed(package)
}

toy <- toy_domains(4, 15)
learner <- function(...) {
  domain_learner("regression", "ridge", penalty = 0.3, scale = "domain", ...)
}
by_parsnip <- function() fit(learner(domain = "domain"), y ~ x1 + x2 + domain, data = toy)
by_recipe <- function() {
  steps <- recipes::recipe(y ~ x1 + x2 + domain, toy) |>
    recipes::update_role(domain, new_role = "domain")
  workflows::workflow() |>
    workflows::add_recipe(steps, blueprint = domain_blueprint()) |>
    workflows::add_model(learner()) |>
    fit(toy)
}
by_variables <- function() {
  workflows::workflow() |>
    workflows::add_variables(y, c(x1, x2, domain),
                             blueprint = hardhat::default_xy_blueprint(allow_novel_levels = TRUE)) |>
    workflows::add_model(learner(domain = "domain")) |>
    fit(toy)
}

test_that("set_reference() takes a fit of parsnip and a workflow, with rows as they come", {
  skip_without_workflows()
  model <- dg_ridge(y ~ x1 + x2 | domain, data = toy, lambda = 0.3, scale = "domain")
  new <- transform(toy_domains(2, 12, seed = 5), domain = paste("new", domain))
  expected <- predict(model, new[1:3, ], reference = new)
  for (fitted in list(by_parsnip(), by_recipe(), by_variables())) {
    fixed <- set_reference(fitted, new)
    expect_equal(predict(fixed, new[1:3, ])$.pred, expected, tolerance = 1e-10)
    expect_identical(class(fixed), class(fitted))
    training <- set_reference(fitted, "training")
    expect_equal(predict(training, toy[1:3, ])$.pred,
                 predict(model, toy[1:3, ], reference = "training"), tolerance = 1e-10)
    expect_domgen_error(set_reference(fixed, new), "has a fixed reference already")
  }
  expect_domgen_error(set_reference(workflows::workflow(), new), "must be a fitted workflow")
})

test_that("DALEX is told that the reference of a workflow moves, and not of a fixed one", {
  skip_without_workflows("DALEX")
  explained <- function(model) {
    explainer <- DALEX::explain(model, data = toy[c("x1", "x2", "domain")], y = toy$y,
                                predict_function = function(m, d) predict(m, d)$.pred,
                                verbose = FALSE)
    DALEX::model_profile(explainer, variables = "x1", N = NULL,
                         variable_splits = list(x1 = c(-1, 1)))$agr_profiles$`_yhat_`
  }
  for (fitted in list(by_parsnip(), by_recipe())) {
    # of each function of DALEX one, and of the two rows by which it tries the model
    said <- capture_warnings(moving <- explained(fitted))
    expect_identical(sum(grepl("DALEX makes up rows", said)), 2L)
    expect_identical(sum(grepl("described by few rows .*\\(2 rows\\)", said)), 1L)
    expect_length(said, 3L)
    expect_silent(still <- explained(set_reference(fitted, toy)))
    expect_gt(max(abs(diff(moving) - diff(still))), 0.1)
  }
  expect_silent(predict(by_recipe(), toy))
})

test_that("marginaleffects is told the same", {
  skip_without_workflows("marginaleffects")
  old <- options(marginaleffects_model_classes = c("workflow", "model_fit"))
  on.exit(options(old))
  slope <- function(model) {
    marginaleffects::avg_slopes(model, newdata = toy, variables = "x1")$estimate
  }
  for (fitted in list(by_parsnip(), by_recipe())) {
    expect_warning(moving <- slope(fitted), class = "domgen_warning_moving")
    expect_silent(still <- slope(set_reference(fitted, toy)))
    # scaled by domain, rows that move together do not move
    expect_lt(abs(moving), 1e-6)
    expect_gt(abs(still), 0.01)
  }
})

test_that("a fit of parsnip says that its data are to be given, and takes those that are", {
  skip_without_workflows()
  engine <- by_parsnip()$fit
  expect_domgen_error(dg_cv(engine, refit = TRUE), "are gone .*: give `data`")
  own <- dg_cv(dg_ridge(lambda = 0.3, scale = "domain"), y ~ x1 + x2 | domain, data = toy)
  expect_equal(dg_cv(engine, data = toy)$mean, own$mean)
  expect_identical(coef(update(engine, data = toy)), coef(engine))
  expect_s3_class(dg_importance(engine, toy, permutations = 1), "dg_importance")
})
