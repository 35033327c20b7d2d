# One analysis in base R, in tidymodels and in mlr3: a projection, a learner behind it, left-out
# schools, and schools that nobody has seen.

test_that("base R, tidymodels and mlr3 give the same numbers", {
  skip_without_mlr3("mlr3pipelines")
  for (package in c("parsnip", "workflows", "tune", "recipes", "rsample", "yardstick")) {
    skip_if_not_installed(package)
  }
  skip_if_not_installed("recipes", "1.1.0")
  train <- some_pupils(6)
  new <- some_pupils(8)
  new <- droplevels(new[!new$School %in% train$School, ])
  set.seed(1)
  folds <- domain_folds(train$School, folds = 3)

  # base R
  ridge <- dg_ridge(pupil_formula, data = train)
  cv <- dg_cv(dg_ridge(), pupil_formula, data = train, folds = folds, progress = FALSE)
  cv <- cv$predictions[order(cv$predictions$row), ]
  components <- dg_dica(pupil_formula, data = train, ncomp = 2)
  behind <- dg_ridge(as.data.frame(predict(components, train)), y = train$MathAch,
                     domain = train$School, domain_kernel = domain_pooled())
  expected <- list(predict(ridge, new), cv$prediction,
                   predict(behind, as.data.frame(predict(components, new))))

  # tidymodels
  steps <- recipes::recipe(MathAch ~ Minority + SES + Sex + School, data = train)
  steps <- recipes::update_role(steps, School, new_role = "domain")
  with_steps <- function(steps, ...) {
    flow <- workflows::add_recipe(workflows::workflow(), steps, blueprint = domain_blueprint())
    workflows::add_model(flow, domain_learner("regression", "ridge", ...))
  }
  flow <- with_steps(steps)
  held <- tune::fit_resamples(flow, as_rsample(folds, train, "School"),
                              control = tune::control_grid(save_pred = TRUE))
  held <- tune::collect_predictions(held)
  two <- with_steps(step_domain(steps, Minority, SES, Sex, outcome = MathAch, num_comp = 2),
                    domain_kernel = "pooled")
  tidy <- list(predict(fit(flow, train), new)$.pred, held$.pred[order(held$.row)],
               predict(fit(two, train), new)$.pred)

  # mlr3
  task <- pupil_task(train)
  learner <- mlr3::lrn("regr.domgen_ridge")
  held <- mlr3::resample(task, learner, mlr3::as_resampling(folds, task))$prediction()
  graph <- mlr3pipelines::concat_graphs(
    mlr3pipelines::po("domain_dica", ncomp = 2),
    mlr3pipelines::po("learner", mlr3::lrn("regr.domgen_ridge", domain_kernel = domain_pooled()))
  )
  graph <- mlr3::as_learner(graph)$train(task)
  mlr <- list(learner$train(task)$predict_newdata(new)$response,
              held$response[order(held$row_ids)], graph$predict_newdata(new)$response)

  expect_equal(tidy, expected, tolerance = 1e-10, ignore_attr = TRUE)
  expect_equal(mlr, expected, tolerance = 1e-10, ignore_attr = TRUE)
})
