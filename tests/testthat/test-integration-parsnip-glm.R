# The engine "glm" of domain_learner() against dg_glm() itself, and times against survival.

for (package in c("parsnip", "workflows", "recipes")) skip_if_not_installed(package)

toy <- toy_domains(5, 20)
counts <- with_seed(2, transform(toy, y = rpois(nrow(toy), exp(0.3 * x1 + 0.2)), size = 1 + x2^2))
new <- transform(toy_domains(2, 12, seed = 5), domain = paste("new", domain), size = 1 + x2^2)
glm_learner <- function(mode, ..., penalty = 1) {
  parsnip::set_engine(domain_learner(mode, "glm", penalty = penalty), "glm", ...)
}

test_that("counts are those of dg_glm() with the family of the engine, on both scales", {
  spec <- glm_learner("regression", family = poisson())
  for (formula in list(y ~ x1 + x2 | domain, y ~ x1 + offset(log(size)) | domain)) {
    model <- parsnip::fit(spec, formula, data = counts)
    expected <- dg_glm(formula, data = counts, family = poisson(), lambda = 1)
    expect_equal(predict(model, new)$.pred, predict(expected, new), tolerance = 1e-12)
    expect_equal(predict(model, new, type = "linear_pred")$.pred_linear_pred,
                 log(predict(expected, new)), tolerance = 1e-10)
  }
  found <- predict(model, new, type = "pred_int", level = 0.8)
  expect_equal(found$.pred_upper, predict(expected, new, interval = "prediction", level = 0.8)$upper)
  expect_true(all(found$.pred_lower >= 0))
  # without a family numbers are those of least squares
  plain <- parsnip::fit(glm_learner("regression"), y ~ x1 | domain, data = counts)
  expect_identical(plain$fit$family$name, "gaussian")
})

test_that("two and more classes have the probabilities of the likelihood, without a calibration", {
  groups <- list(c(-Inf, 0, Inf), c(-Inf, -0.5, 0.5, Inf))
  for (breaks in groups) for (family in c("default", if (length(breaks) > 3L) "ordinal")) {
    classes <- transform(toy, y = cut(y, breaks, labels = letters[seq_along(breaks[-1L])],
                                      ordered_result = family == "ordinal"))
    asked <- if (family == "ordinal") "ordinal"
    spec <- glm_learner("classification")
    if (!is.null(asked)) spec <- parsnip::set_engine(spec, "glm", family = asked)
    model <- parsnip::fit(spec, y ~ x1 + x2 | domain, data = classes)
    expected <- dg_glm(y ~ x1 + x2 | domain, data = classes, lambda = 1, family = asked)
    expect_equal(as.matrix(predict(model, new, type = "prob")), ignore_attr = TRUE,
                 predict(expected, new, type = "prob"), tolerance = 1e-12)
    expect_identical(as.character(predict(model, new)$.pred_class),
                     as.character(predict(expected, new)))
  }
})

skip_if_not_installed("survival")
skip_if_not_installed("prodlim")

times <- with_seed(3, transform(toy, time = round(rexp(nrow(toy), exp(0.5 * x1)), 3) + 0.001,
                                status = rbinom(nrow(toy), 1, 0.7)))
times$outcome <- survival::Surv(times$time, times$status)
hazards <- survival::Surv(time, status) ~ x1 + x2 | domain

test_that("censored times have survival probabilities at each time, and a linear predictor", {
  model <- parsnip::fit(glm_learner("censored regression"), hazards, data = times)
  expected <- dg_glm(hazards, data = times, lambda = 1)
  # 0.1 + 0.2 is not 0.3, by which tables are joined
  at <- c(0.1 + 0.2, 1, 0.05)
  found <- predict(model, new, type = "survival", eval_time = at)$.pred
  expect_length(found, nrow(new))
  expect_identical(found[[2L]]$.eval_time, at)
  expect_equal(do.call(rbind, lapply(found, `[[`, ".pred_survival")), ignore_attr = TRUE,
               predict(expected, new, type = "survival", times = at), tolerance = 1e-12)
  hazard <- predict(expected, new, type = "decision")
  expect_equal(predict(model, new, type = "linear_pred")$.pred_linear_pred, -hazard)
  expect_equal(predict(model, new, type = "linear_pred", increasing = FALSE)$.pred_linear_pred,
               hazard)
  expect_equal(rank(predict(model, new)$.pred_time), rank(-hazard))
  late <- max(times$time) + 1
  expect_warning(predict(model, new, type = "survival", eval_time = late),
                 class = "domgen_warning_late_times")
  holes <- transform(new, x1 = replace(x1, 3L, NA))
  expect_warning(found <- predict(model, holes), class = "domgen_warning_missing")
  expect_identical(which(is.na(found$.pred_time)), 3L)
})

test_that("the predicted time is survival's restricted mean of the same model", {
  spec <- glm_learner("censored regression", kernel = kernel_linear(), penalty = 1e-9,
                      domain_kernel = NULL) |>
    parsnip::set_args(domain_kernel = "pooled", scale = "none")
  model <- parsnip::fit(spec, survival::Surv(time, status) ~ x1 + x2, data = times)
  cox <- survival::coxph(survival::Surv(time, status) ~ x1 + x2, data = times, ties = "breslow")
  curves <- survival::survfit(cox, newdata = new)
  expected <- summary(curves, rmean = max(times$time))$table[, "rmean"]
  expect_equal(predict(model, new)$.pred_time, unname(expected), tolerance = 1e-6)
})

test_that("a workflow of a recipe takes censored times and predicts the same", {
  steps <- recipes::recipe(outcome ~ x1 + x2 + domain, data = times) |>
    recipes::update_role(domain, new_role = "domain")
  flow <- workflows::workflow() |>
    workflows::add_recipe(steps, blueprint = domain_blueprint()) |>
    workflows::add_model(glm_learner("censored regression"))
  fitted <- fit(flow, times)
  expected <- dg_glm(hazards, data = times, lambda = 1)
  found <- predict(fitted, new, type = "survival", eval_time = 0.5)$.pred
  expect_equal(vapply(found, `[[`, 0, ".pred_survival"), ignore_attr = TRUE,
               drop(predict(expected, new, type = "survival", times = 0.5)), tolerance = 1e-10)
  # what parsnip asks for weights of censoring
  skip_if_not_installed("prodlim", "2022.10.13")
  skip_if_not_installed("censored", "0.1.1.9002")
  expect_named(parsnip::augment(fitted, times, eval_time = 0.5)$.pred[[1L]],
               c(".eval_time", ".pred_survival", ".weight_time", ".pred_censored",
                 ".weight_censored"))
})

test_that("modes that an engine has not, and engines without censored times, are errors", {
  expect_domgen_error(domain_learner("censored regression", "ridge"),
                      "`mode` must be \"regression\", \"classification\" for the engine \"ridge\"")
  expect_error(predict(parsnip::fit(glm_learner("regression"), y ~ x1 | domain, data = toy), new,
                       type = "survival", eval_time = 1), "censored")
})
