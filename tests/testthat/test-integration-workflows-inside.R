# Functions of this package that take workflows, against the same model without one.
skip_without_workflows <- function(...) {
  for (package in c("parsnip", "workflows", "recipes", ...)) skip_if_not_installed(package)
}
skip_without_workflows()

# toy data with further columns, on which the response does not depend
with_columns <- function(data) with_seed(4, {
  n <- nrow(data)
  transform(data, size = exp(x1), count = rpois(n, 4),
            kind = factor(sample(c("a", "b", "c"), n, TRUE)))
})
toy <- with_columns(toy_domains(6, 15))
new <- with_columns(transform(toy_domains(2, 12, seed = 5), domain = paste("new", domain)))
learner <- function(...) domain_learner("regression", "ridge", penalty = 0.3, ...)
in_workflow <- function(steps, model = learner()) {
  workflows::workflow() |>
    workflows::add_recipe(recipes::update_role(steps, domain, new_role = "domain"),
                          blueprint = domain_blueprint()) |>
    workflows::add_model(model)
}
# the recipe takes a logarithm, and makes numbers of categories
steps <- recipes::recipe(y ~ size + x2 + count + kind + domain, toy) |>
  recipes::step_log(size) |>
  recipes::step_dummy(kind)
flow <- in_workflow(steps)
# with a reference level, as step_dummy() has it
by_hand <- y ~ log(size) + x2 + count + C(kind, "contr.treatment") | domain
ridge <- dg_ridge(lambda = 0.3)
fitted <- fit(flow, toy)
model <- fit(ridge, by_hand, data = toy)
# all that is computed, without texts
numbers <- function(result) unclass(result)[c("table", "domains", "average", "rows", "scores")]

test_that("dg_novelty() preprocesses new rows as the workflow does", {
  expected <- dg_novelty(model, new)
  found <- dg_novelty(fitted, new)
  expect_equal(numbers(found), numbers(expected), tolerance = 1e-10)
  expect_identical(found$labels, expected$labels)
  # a fit of parsnip has nothing before it
  alone <- parsnip::fit(learner(), by_hand, data = toy)
  expect_equal(numbers(dg_novelty(alone, new)), numbers(expected), tolerance = 1e-10)
})

test_that("dg_effect() changes the columns of the data, before the recipe", {
  for (type in c("pdp", "ale", "context")) {
    expected <- dg_effect(model, newdata = toy, type = type, grid = 4)
    found <- dg_effect(fitted, newdata = toy, type = type, grid = 4)
    expect_identical(unique(found$average$predictor), c("size", "x2", "count", "kind"))
    expect_equal(numbers(found), numbers(expected), tolerance = 1e-8)
  }
  # a level that training did not have is no category
  wider <- transform(toy, kind = factor(kind, c("a", "b", "c", "d")))
  expect_identical(dg_effect(fitted, "kind", newdata = wider)$average$category, c("a", "b", "c"))
  expect_domgen_error(dg_effect(fitted), "give `data`")
  expect_domgen_error(dg_effect(flow, newdata = toy), "must be a fitted workflow")
})

test_that("variables and formulas in the place of a recipe give the same", {
  plain <- y ~ x1 + x2 + kind | domain
  expected <- fit(ridge, plain, data = toy)
  empty <- workflows::workflow()
  novel <- hardhat::default_xy_blueprint(allow_novel_levels = TRUE)
  formula <- hardhat::default_formula_blueprint(allow_novel_levels = TRUE, indicators = "none")
  flows <- list(
    workflows::add_variables(empty, y, c(x1, x2, kind, domain), blueprint = novel),
    workflows::add_formula(empty, y ~ x1 + x2 + kind + domain, blueprint = formula)
  )
  for (flow in flows) {
    flow <- workflows::add_model(flow, learner(domain = "domain"))
    fitted <- fit(flow, toy)
    expect_equal(numbers(dg_effect(fitted, newdata = toy, grid = 3)),
                 numbers(dg_effect(expected, newdata = toy, grid = 3)), tolerance = 1e-8)
    expect_equal(numbers(dg_novelty(fitted, new)), numbers(dg_novelty(expected, new)),
                 tolerance = 1e-10)
    found <- dg_compare(list(flow = flow, hand = ridge), plain, data = toy, refits = FALSE)
    expect_equal(found$scores[, "flow"], found$scores[, "hand"], tolerance = 1e-10)
  }
})

test_that("dg_compare() and dg_importance() fit the whole workflow without each fold", {
  folds <- domain_folds(toy$domain, folds = 3)
  found <- dg_compare(list(flow = flow, hand = ridge), by_hand, data = toy, folds = folds)
  expect_equal(found$scores[, "flow"], found$scores[, "hand"], tolerance = 1e-10)
  expect_gt(min(abs(found$scores[, "flow"] - found$scores[, "null"])), 0)
  # columns of text stay text
  words <- transform(toy, domain = as.character(domain), kind = as.character(kind))
  steps <- recipes::recipe(y ~ size + x2 + count + kind + domain, words) |>
    recipes::step_log(size) |>
    recipes::step_dummy(kind)
  text <- dg_compare(list(flow = in_workflow(steps)), by_hand, data = words, folds = folds,
                     refits = FALSE)
  expect_equal(text$scores[, "flow"], found$scores[, "flow"], tolerance = 1e-10)
  moved <- dg_importance(in_workflow(steps), by_hand, data = words, folds = folds,
                         permutations = 1)
  expect_false(anyNA(moved$table$increase))
  # fitted ones are fitted again
  again <- dg_compare(list(flow = fitted), by_hand, data = toy, folds = folds, refits = FALSE)
  expect_identical(again$scores[, "flow"], found$scores[, "flow"])
  expect_output(print(again$runs$flow$spec), "ridge")
  for (kind in list(c("within", "between"), "context")) {
    asked <- function(object) {
      set.seed(6)
      dg_importance(object, by_hand, data = toy, folds = folds, kind = kind, permutations = 2)
    }
    expected <- asked(ridge)
    expect_identical(unique(expected$table$predictor[order(expected$table$predictor)]),
                     c("count", "kind", "size", "x2"))
    expect_equal(numbers(asked(flow)), numbers(expected), tolerance = 1e-8)
  }
})

test_that("a factor with contrasts of its own is in folds as the recipe knows it", {
  coded <- toy
  contrasts(coded$kind) <- stats::contr.sum(3)
  # `[` moves them before the levels
  for (data in list(coded, coded[rev(seq_len(nrow(coded))), ])) {
    flow <- in_workflow(recipes::recipe(y ~ x1 + x2 + kind + domain, data))
    found <- dg_compare(list(flow = flow), y ~ x1 + x2 + kind | domain, data = data, refits = FALSE)
    # recipes drops them
    hand <- dg_compare(list(hand = ridge), y ~ x1 + x2 + kind | domain, data = toy, refits = FALSE)
    expect_equal(found$scores[, "flow"], hand$scores[, "hand"], tolerance = 1e-10)
  }
})

test_that("a fit of parsnip is fitted again by its own formula, to data that are given", {
  alone <- parsnip::fit(learner(), by_hand, data = toy)
  found <- dg_compare(list(alone = alone), data = toy, refits = FALSE)
  expected <- dg_compare(list(hand = ridge), by_hand, data = toy, refits = FALSE)
  expect_equal(unname(found$scores), unname(expected$scores))
  set.seed(6)
  moved <- dg_importance(alone, data = toy, permutations = 1)
  set.seed(6)
  expect_equal(numbers(moved), numbers(dg_importance(ridge, by_hand, data = toy,
                                                     permutations = 1)))
  # one workflow need not be in a list
  one <- dg_compare(flow, by_hand, data = toy, refits = FALSE)
  expect_equal(unname(one$scores), unname(expected$scores), tolerance = 1e-10)
})

test_that("a recipe that learns from rows does not see those that are held out", {
  steps <- recipes::recipe(y ~ x1 + x2 + x3 + domain, toy) |>
    recipes::step_pca(x1, x2, x3, num_comp = 2)
  flow <- in_workflow(steps)
  found <- dg_compare(list(flow = flow), y ~ x1 + x2 + x3 | domain, data = toy, refits = FALSE)
  for (one in levels(toy$domain)) {
    held <- toy$domain == one
    predicted <- predict(fit(flow, toy[!held, ]), toy[held, ])$.pred
    expect_equal(found$scores[one, "flow"], sqrt(mean((toy$y[held] - predicted)^2)),
                 tolerance = 1e-10)
  }
})

test_that("classes and censored times are scored by their own measures", {
  classes <- transform(toy, y = factor(y > 0, labels = c("no", "yes")))
  steps <- recipes::recipe(y ~ x1 + x2 + domain, classes)
  glm_learner <- function(mode) domain_learner(mode, "glm", penalty = 1)
  found <- dg_compare(list(flow = in_workflow(steps, glm_learner("classification")),
                           glm = dg_glm(lambda = 1)), y ~ x1 + x2 | domain, data = classes,
                      folds = 3, metric = "log_loss", refits = FALSE)
  expect_equal(found$scores[, "flow"], found$scores[, "glm"], tolerance = 1e-10)
  skip_if_not_installed("survival")
  skip_if_not_installed("prodlim")
  times <- with_seed(7, transform(toy, time = rexp(nrow(toy), exp(x1)),
                                  status = rbinom(nrow(toy), 1, 0.8)))
  times$outcome <- survival::Surv(times$time, times$status)
  steps <- recipes::recipe(outcome ~ x1 + x2 + domain, times)
  found <- dg_compare(list(flow = in_workflow(steps, glm_learner("censored regression")),
                           cox = dg_glm(lambda = 1)),
                      survival::Surv(time, status) ~ x1 + x2 | domain, data = times,
                      folds = 3, metric = metric_brier(0.5), refits = FALSE)
  expect_equal(found$scores[, "flow"], found$scores[, "cox"], tolerance = 1e-10)
})

test_that("what cannot be answered is an error", {
  expect_domgen_error(dg_compare(list(flow = flow), log(size) ~ x2 | domain, data = toy),
                      "must predict the response of the formula, not `y`")
  lines <- parsnip::set_engine(parsnip::linear_reg(), "lm")
  plain <- workflows::workflow() |> workflows::add_formula(y ~ x1) |> workflows::add_model(lines)
  expect_domgen_error(dg_compare(list(plain), y ~ x1 | domain, data = toy),
                      "must have the model `domain_learner\\(\\)`, not `linear_reg\\(\\)`")
  expect_domgen_error(dg_novelty(fit(plain, toy), new), "must be a fit of `domain_learner\\(\\)`")
  suppressMessages(expect_error(
    dg_compare(list(flow), by_hand, data = toy, metric = "coverage", refits = FALSE),
    "must not be of intervals"
  ))
  expect_domgen_error(dg_cv(flow, by_hand, data = toy), "must be a learner or a pipeline")
  # components that depend on the other rows of a domain
  moving <- recipes::recipe(y ~ x1 + x2 + domain, toy) |>
    recipes::update_role(domain, new_role = "domain") |>
    step_domain(x1, x2, num_comp = 1, scale = "domain")
  moving <- in_workflow(moving)
  expect_domgen_error(dg_effect(fit(moving, toy), newdata = toy), "steps that use the domain's other")
  expect_domgen_error(set_reference(fit(moving, toy), new), "such as `step_domain\\(\\)`")
  expect_error(dg_importance(moving, y ~ x1 + x2 | domain, data = toy, folds = 2), "step_domain")
  expect_s3_class(dg_novelty(fit(moving, toy), new), "dg_novelty")
})
