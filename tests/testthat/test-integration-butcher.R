skip_if_not_installed("butcher")
toy <- toy_domains(4, 20)
new <- toy_domains(3, 15, seed = 6)
labelled <- toy_classes(4, 25)
size <- function(object) length(serialize(object, NULL))

models <- list(
  ridge = dg_ridge(y ~ . | domain, data = toy, lambda = 1),
  process = dg_gp(y ~ . | domain, data = toy, optimise = FALSE),
  map = dg_ridge(y ~ . | domain, data = toy, lambda = 1, feature_map = features_nystrom(20)),
  linear = dg_lm(y ~ . | domain, data = toy, scale = "both"),
  components = dg_kpca(~ x1 + x2 | domain, data = toy),
  chain = fit(dg_pipeline(dg_dica(ncomp = 2), dg_ridge(lambda = 1)), y ~ . | domain, data = toy),
  ensemble = fit(dg_ensemble(list(a = dg_ridge(lambda = 1), b = dg_lm()), member_weights = "stacked"),
                 y ~ . | domain, data = toy),
  tuned = dg_tune(dg_ridge(), y ~ . | domain, data = toy, grid = list(lambda = c(0.1, 1)),
                  progress = FALSE),
  own = fit(learner_custom(function(x, y) mean(y), function(object, x) rep(object, nrow(x))),
            y ~ . | domain, data = toy)
)

test_that("a butchered model predicts as before, alone, saved, fixed, and prints as before", {
  for (name in names(models)) {
    model <- models[[name]]
    small <- butcher::butcher(model)
    # a search is sealed before it says how it chose
    expect_lt(size(small), size(seal(model)))
    expect_identical(predict(small, new), predict(model, new), label = name)
    file <- tempfile()
    saveRDS(small, file)
    expect_identical(predict(readRDS(file), new[1, ], reference = new),
                     predict(model, new[1, ], reference = new), label = name)
    expect_equal(predict(set_reference(small, new), new), predict(model, new, reference = new),
                 tolerance = 1e-8, label = name)
    expect_identical(utils::capture.output(print(small)), utils::capture.output(print(model)))
    expect_identical(nobs(small), nobs(model))
    unlink(file)
  }
})

test_that("sizes are those of the help page", {
  rows <- simulate_dica(domains = 10, n = 60, p = 8, seed = 1)
  model <- dg_ridge(y ~ . | domain, data = rows, lambda = 1)
  n <- nrow(rows)
  expect_gt((size(model) - size(butcher::butcher(model))) / n, 28)
  expect_gt((size(model) - size(set_reference(model, rows))) / (8 * n * 8), 0.9)
})

test_that("intervals, support and probabilities stay", {
  process <- models$process
  expect_equal(predict(butcher::butcher(process), new, interval = "posterior"),
               predict(process, new, interval = "posterior"))
  expect_equal(predict(butcher::butcher(process), new, type = "similarity"),
               predict(process, new, type = "similarity"))
  svm <- dg_svm(y ~ . | domain, data = labelled, cost = 1, calibration = "platt")
  expect_identical(predict(butcher::butcher(svm), labelled, type = "prob"),
                   predict(svm, labelled, type = "prob"))
  adapted <- dg_adapt(models$ridge, domains_of(new, 1), "y")
  expect_identical(predict(butcher::butcher(adapted)), predict(adapted))
})

test_that("what a slimmed model cannot do is refused in words", {
  small <- butcher::butcher(models$ridge)
  expect_refusals({
    predict(small)
    fitted(small)
    residuals(small)
    update(small, lambda = 2)
    dg_cv(small)
    predict(butcher::butcher(models$ensemble), new, reference = "training")
    butcher::butcher(replace(models$ridge, "decision", list(1)))
  })
  expect_null(butcher::axe_call(models$ridge)$call)
  expect_identical(fitted(butcher::axe_call(models$ridge)), fitted(models$ridge))
  expect_message(butcher::axe_fitted(models$ridge, verbose = TRUE),
                 "Memory released: .* B; disabled")
})
