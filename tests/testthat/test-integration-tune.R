# Scripts such as a user of tidymodels writes, held against the same analysis in base R: the same
# schools held out, the same projections, fits and scores.

for (package in c("parsnip", "workflows", "tune", "rsample", "dials", "yardstick", "nlme")) {
  skip_if_not_installed(package)
}
skip_if_not_installed("recipes", "1.1.0")
suppressPackageStartupMessages({
  library(parsnip); library(recipes); library(rsample); library(tune); library(workflows)
  library(yardstick)
})

pupils <- as.data.frame(nlme::MathAchieve)
pupils$School <- factor(as.character(pupils$School))
pupils <- droplevels(pupils[pupils$School %in% levels(pupils$School)[1:9], ])
pupils$able <- factor(pupils$MathAch > 13, labels = c("No", "Yes"))
numbers <- MathAch ~ SES + Sex + Minority | School

test_that("a workflow is tuned by left-out schools, fitted last and augmented, as by hand", {
  set.seed(1)
  split <- group_initial_split(pupils, group = School, prop = 0.7)
  train <- training(split)
  folds <- group_vfold_cv(train, group = School)

  steps <- recipe(MathAch ~ SES + Sex + Minority + School, data = train) |>
    update_role(School, new_role = "domain")
  flow <- workflow() |>
    add_recipe(steps, blueprint = domain_blueprint()) |>
    add_model(domain_learner("regression", "ridge", penalty = tune(), domain_kernel = tune()))
  grid <- expand.grid(penalty = c(0.1, 1, 10), domain_kernel = c("pooled", "distribution"),
                      stringsAsFactors = FALSE)
  tuned <- tune_grid(flow, folds, grid = grid, metrics = metric_set(yardstick::rmse))
  best <- select_best(tuned, metric = "rmse")

  # the mean over schools of the root mean squared error, for each choice
  kernels <- list(pooled = domain_pooled(), distribution = domain_distribution())
  by_hand <- vapply(seq_len(nrow(grid)), function(i) {
    spec <- dg_ridge(lambda = grid$penalty[i], domain_kernel = kernels[[grid$domain_kernel[i]]])
    dg_cv(spec, numbers, data = train, folds = folds)$mean
  }, 0)
  found <- merge(grid, collect_metrics(tuned), sort = FALSE)
  place <- match(paste(grid$penalty, grid$domain_kernel), paste(found$penalty, found$domain_kernel))
  expect_lt(max(abs(found$mean[place] - by_hand)), 1e-10)
  expect_identical(best$penalty, grid$penalty[which.min(by_hand)])
  expect_identical(best$domain_kernel, grid$domain_kernel[which.min(by_hand)])

  last <- last_fit(finalize_workflow(flow, best), split)
  model <- dg_ridge(numbers, data = train, lambda = best$penalty,
                    domain_kernel = kernels[[best$domain_kernel]])
  expected <- predict(model, testing(split))
  expect_lt(max(abs(collect_predictions(last)$.pred - expected)), 1e-10)
  more <- augment(extract_workflow(last), testing(split))
  expect_lt(max(abs(more$.pred - expected)), 1e-10)
  expect_identical(more$School, testing(split)$School)
})

test_that("predictions of left-out schools are those of dg_cv() with the same folds", {
  set.seed(2)
  theirs <- group_vfold_cv(pupils, group = School, v = 4)
  ours <- domain_folds(pupils$School, folds = 3)
  models <- list(
    list(domain_learner("regression", "svm", domain = School, cost = 1), dg_svm(cost = 1),
         theirs, theirs),
    list(domain_learner("regression", "ridge", domain = School, penalty = 1, scale = "domain"),
         dg_ridge(lambda = 1, scale = "domain"),
         as_rsample(ours, pupils, domain = pupils$School), ours)
  )
  for (pair in models) {
    flow <- workflow() |>
      add_variables(MathAch, c(SES, Sex, Minority, School)) |>
      add_model(pair[[1L]])
    resampled <- fit_resamples(flow, pair[[3L]], control = control_grid(save_pred = TRUE))
    found <- collect_predictions(resampled)
    cv <- dg_cv(pair[[2L]], numbers, data = pupils, folds = pair[[4L]])
    found <- found[order(found$.row), ]
    expect_identical(unname(found$.row), cv$predictions$row[order(cv$predictions$row)])
    expect_lt(max(abs(found$.pred - cv$predictions$prediction[order(cv$predictions$row)])), 1e-10)
    by_school <- tapply((found$.pred - found$MathAch)^2, pupils$School[found$.row], mean)
    expect_lt(max(abs(sqrt(by_school)[cv$domains$domain] - cv$domains$score)), 1e-10)
  }
})

test_that("classes are resampled with their probabilities", {
  set.seed(3)
  folds <- group_vfold_cv(pupils, group = School, v = 3)
  steps <- recipe(able ~ SES + Minority + School, data = pupils) |>
    update_role(School, new_role = "domain")
  flow <- workflow() |>
    add_recipe(steps, blueprint = domain_blueprint()) |>
    add_model(domain_learner("classification", "ridge", penalty = 1))
  # other attached packages have functions of these names
  scores <- metric_set(yardstick::roc_auc, yardstick::brier_class, yardstick::accuracy)
  found <- fit_resamples(flow, folds, metrics = scores, control = control_grid(save_pred = TRUE))
  cv <- dg_cv(dg_ridge(lambda = 1, calibration = "platt"), able ~ SES + Minority | School,
              data = pupils, folds = folds, metric = "brier")
  rows <- collect_predictions(found)
  rows <- rows[order(rows$.row), ]
  expected <- cv$predictions[order(cv$predictions$row), ]
  expect_lt(max(abs(rows$.pred_Yes - expected$prob[, "Yes"])), 1e-10)
  expect_identical(rows$.pred_class, expected$prediction)
  expect_setequal(collect_metrics(found)$.metric, c("roc_auc", "brier_class", "accuracy"))
})

test_that("a step and a model behind it are a dg_pipeline()", {
  set.seed(4)
  folds <- group_vfold_cv(pupils, group = School)
  steps <- recipe(MathAch ~ SES + Sex + Minority + School, data = pupils) |>
    update_role(School, new_role = "domain") |>
    step_domain(all_predictors(), num_comp = 3, options = list(normalise = "whiten"))
  # a chain divides the scores by their root mean squared length, here of 3 scores of variance 1,
  # and centres the response, here by an offset, as the scores have mean 0
  model <- domain_learner("regression", "ridge", domain_kernel = "pooled", penalty = 3,
                          scale = "none") |>
    set_engine("ridge", kernel = kernel_linear(), intercept = TRUE)
  flow <- workflow() |>
    add_recipe(steps, blueprint = domain_blueprint()) |>
    add_model(model)
  found <- collect_predictions(fit_resamples(flow, folds, control = control_grid(save_pred = TRUE)))
  found <- found[order(found$.row), ]
  spec <- dg_pipeline(dg_dica(ncomp = 3, normalise = "whiten"),
                dg_ridge(lambda = 1, domain_kernel = domain_pooled()))
  cv <- dg_cv(spec, numbers, data = pupils, folds = folds)
  expected <- cv$predictions[order(cv$predictions$row), ]
  expect_lt(max(abs(found$.pred - expected$prediction)), 1e-10)
  by_school <- tapply((found$.pred - found$MathAch)^2, pupils$School[found$.row], mean)
  expect_lt(max(abs(sqrt(by_school)[cv$domains$domain] - cv$domains$score)), 1e-10)
})

test_that("parameters of a step and of a model are tuned together, from their parameter objects", {
  set.seed(5)
  folds <- group_vfold_cv(pupils, group = School, v = 2)
  steps <- recipe(MathAch ~ SES + Sex + Minority + School, data = pupils) |>
    update_role(School, new_role = "domain") |>
    step_domain(all_predictors(), method = "udica", num_comp = tune(), lambda = tune(), bandwidth = tune(),
               scale = tune())
  flow <- workflow() |>
    add_recipe(steps, blueprint = domain_blueprint()) |>
    add_model(domain_learner("regression", "svm", cost = tune(), domain_kernel = tune(),
                             scale = tune("inner")))
  tuned <- tune_grid(flow, folds, grid = 3, metrics = metric_set(yardstick::rmse))
  expect_identical(nrow(collect_notes(tuned)), 0L)
  table <- collect_metrics(tuned)
  expect_identical(nrow(table), 3L)
  expect_true(all(is.finite(table$mean)))
  final <- fit(finalize_workflow(flow, select_best(tuned, metric = "rmse")), pupils)
  chosen <- select_best(tuned, metric = "rmse")
  expect_identical(ncol(fitted(extract_recipe(final)$steps[[1L]]$res)), as.integer(chosen$num_comp))
})

test_that("folds that split schools get a warning, drawn by rows, not those of whole schools", {
  steps <- recipe(MathAch ~ SES + School, data = pupils) |>
    update_role(School, new_role = "domain")
  flow <- workflow() |>
    add_recipe(steps, blueprint = domain_blueprint()) |>
    add_model(domain_learner("regression", "ridge", penalty = 1))
  notes <- function(folds) {
    resampled <- suppressMessages(fit_resamples(flow, folds,
                                                metrics = metric_set(yardstick::rmse)))
    # besides, some rows of a school describe it badly
    grep("Held-out", collect_notes(resampled)$note, value = TRUE)
  }
  set.seed(6)
  said <- "Held-out rows are of 9 domains of training.*group_vfold_cv"
  for (folds in list(vfold_cv(pupils, v = 2), mc_cv(pupils, times = 2))) {
    expect_match(notes(folds), said)
    expect_length(notes(folds), 2L)
  }
  by_hand <- as_rsample(row_folds(pupils$School, 2), pupils)
  for (folds in list(group_vfold_cv(pupils, group = School, v = 2), by_hand)) {
    expect_length(notes(folds), 0L)
  }
  last <- suppressMessages(last_fit(flow, initial_split(pupils)))
  expect_match(collect_notes(last)$note, said, all = FALSE)
  # rows of known schools, whose predictions nobody scores
  expect_silent(predict(fit(flow, pupils), pupils))
})

test_that("a workflow set of models of ours and of others is made as ?domain_blueprint says", {
  skip_if_not_installed("workflowsets")
  from <- function(name) getExportedValue("workflowsets", name)
  steps <- recipe(MathAch ~ SES + Sex + School, data = pupils) |>
    update_role(School, new_role = "domain")
  models <- list(ridge = domain_learner("regression", "ridge", penalty = 1), lm = linear_reg())
  flows <- lapply(models, function(model) workflow(steps, model) |>
                    update_recipe(steps, blueprint = domain_blueprint()))
  set.seed(7)
  folds <- group_vfold_cv(pupils, group = School, v = 3)
  run <- from("workflow_map")(do.call(from("as_workflow_set"), flows), "fit_resamples",
                              resamples = folds, metrics = metric_set(yardstick::rmse))
  expect_identical(vapply(run$result, function(x) nrow(collect_notes(x)), 0L), c(0L, 0L))
  by_hand <- dg_cv(dg_ridge(lambda = 1), MathAch ~ SES + Sex | School, data = pupils,
                   folds = folds)$predictions
  scores <- vapply(folds$splits, function(split) {
    held <- by_hand[by_hand$row %in% setdiff(seq_len(nrow(pupils)), split$in_id), ]
    sqrt(mean((held$prediction - pupils$MathAch[held$row])^2))
  }, 0)
  expect_equal(collect_metrics(run$result[[1L]])$mean, mean(scores), tolerance = 1e-10)
})
