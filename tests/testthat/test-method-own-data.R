toy <- toy_domains(4, 12)
other <- toy_domains(4, 12, seed = 9)[seq_len(nrow(toy)), ]
other <- other[complete.cases(other), ]

# Under names that mean something else, or nothing, where the model is used.
made_inside <- function(rows, penalty = 0.3, ...) {
  terms <- y ~ x1 + x2 | domain
  dg_ridge(terms, data = rows, lambda = penalty, ...)
}
by_tool <- function(formula, data, weights = NULL) {
  fit(dg_ridge(lambda = 0.3), formula, data = data, weights = weights)
}

test_that("a data frame behind a model is the data of its formula", {
  model <- made_inside(toy)
  expected <- dg_cv(dg_ridge(lambda = 0.3), y ~ x1 + x2 | domain, data = toy)
  for (found in list(dg_cv(model, toy), dg_cv(model, data = toy), dg_cv(model, tibble::as_tibble(toy)),
                     dg_cv(by_tool(y ~ x1 + x2 | domain, toy), data = toy))) {
    expect_identical(found$predictions, expected$predictions)
  }
  expect_identical(dg_compare(list(own = model), toy)$scores,
                   dg_compare(list(own = model), y ~ x1 + x2 | domain, data = toy)$scores)
  expect_setequal(dg_importance(model, toy, permutations = 2)$table$predictor, c("x1", "x2"))
  expect_identical(dg_effect(model, toy, grid = 2)$average,
                   dg_effect(model, newdata = toy, grid = 2)$average)
  tuned <- dg_tune(model, toy, grid = list(lambda = 1:2), extend = FALSE)
  expect_identical(format_formula(formula(tuned)), "y ~ x1 + x2 | domain")
  expect_identical(dg_cv(tuned)$predictions, dg_cv(tuned, toy)$predictions)
  # other rows are as good
  expect_gt(dg_cv(model, other)$mean, 0)
})

test_that("a data frame behind a model has predictors where `y` stands beside it", {
  model <- made_inside(toy)
  expect_identical(dg_cv(model, toy["x3"], y = toy$y, domain = toy$domain)$predictions,
                   dg_cv(dg_ridge(lambda = 0.3), toy["x3"], y = toy$y, domain = toy$domain)$predictions)
  several <- list(model, dg_lm(y ~ x3 | domain, data = toy))
  expect_domgen_error(dg_compare(several, toy), "`x` must be a formula: the models have several")
})

test_that("a domain with many ordered levels is not coded", {
  # the README's own data
  pupils <- as.data.frame(nlme::MathAchieve)
  pupils <- subset(pupils, as.integer(School) %% 10 == 0)
  model <- dg_lm(MathAch ~ SES + Sex | School, data = pupils)
  folds <- domain_folds(pupils$School, 2)
  expect_identical(dg_cv(model, pupils, folds = folds)$predictions,
                   dg_cv(model, folds = folds)$predictions)
  expect_domgen_error(dg_lm(MathAch ~ SES + School | Sex, data = as.data.frame(nlme::MathAchieve)),
                      "`School` is ordered and has too many levels, 160, .*`as.integer\\(School\\)`")
})

test_that("a model does not take other data that have the name of its own", {
  model <- made_inside(toy)
  mapped <- made_inside(toy, feature_map = features_nystrom(5))
  calls <- list(
    cv = function(rows) dg_cv(model, refit = TRUE),
    effect = function(rows) dg_effect(model, "x1", grid = 2),
    importance = function(rows) dg_importance(model, permutations = 2),
    tune = function(rows) dg_tune(model, grid = list(lambda = 1)),
    update = function(rows) update(model), change = function(rows) update(model, lambda = 1),
    formula = function(rows) update(model, . ~ x1), lodo = function(rows) dg_cv(mapped),
    interval = function(rows) predict(mapped, toy[1:9, ], interval = "prediction")
  )
  for (call in calls) {
    expect_domgen_error(call(other), "have changed \\(", "domgen_error_data")
    expect_domgen_error(call(transform(toy, x2 = rev(x2))), "have changed \\(their values")
    expect_domgen_error(call(stats::rnorm), "are gone", "domgen_error_data")
    expect_no_error(call(toy))
  }
})

test_that("data that are given are taken, whatever the function that made the model called them", {
  model <- by_tool(y ~ x1 + x2 | domain, toy)
  expect_domgen_error(dg_cv(model, refit = TRUE), "are gone .*: give `data`")
  expect_domgen_error(update(model), "are gone .*: give `data`")
  expect_identical(coef(update(model, data = toy)), coef(model))
  expect_identical(nobs(update(model, data = toy[-1, ])), nobs(model) - 1L)
  expect_identical(dg_effect(model, "x1", newdata = toy, grid = 2)$average,
                   dg_effect(update(model, data = toy), "x1", grid = 2)$average)
  expect_s3_class(dg_importance(model, data = toy, permutations = 2), "dg_importance")
})

test_that("update() fits with the arguments that the model had, not what has their names", {
  penalty <- 100
  terms <- y ~ x3 | domain
  rows <- toy
  model <- made_inside(toy)
  again <- update(model)
  expect_identical(coef(again), coef(model))
  expect_identical(again$call, model$call)
  changed <- update(model, . ~ x1)
  expect_identical(coef(changed), coef(dg_ridge(y ~ x1 | domain, data = toy, lambda = 0.3)))
  expect_identical(environment(changed$call$x), globalenv())
  tuned <- local({
    spec <- dg_ridge()
    values <- 1:2
    dg_tune(spec, y ~ x1 | domain, data = toy, grid = list(lambda = values), extend = FALSE)
  })
  expect_identical(update(tuned)$tuning$table$score, tuned$tuning$table$score)
})

test_that("what is given beside the rows goes with them", {
  w <- rep(1:2, length.out = nrow(toy))
  model <- dg_ridge(y ~ x1 | domain, data = toy, weights = w, lambda = 1)
  own <- dg_cv(model, refit = TRUE)
  expect_domgen_error(dg_cv(model, toy), "`weights` must be given with other data")
  expect_domgen_error(update(model, data = other), "`weights` must be given with other data")
  expect_identical(dg_cv(model, toy, weights = w)$predictions, own$predictions)
  expect_identical(dg_cv(model, weights = rev(w))$predictions,
                   dg_cv(model, toy, weights = rev(w))$predictions)
  w <- rev(w)
  expect_domgen_error(dg_cv(model, refit = TRUE), "`weights` has other values")
  column <- dg_ridge(y ~ x1 | domain, data = transform(toy, w = rev(w)), weights = w, lambda = 1)
  expect_identical(dg_cv(column, transform(toy, w = rev(w)))$predictions, own$predictions)
})

test_that("models of matrices and of imputed rows find their own data, and no others", {
  x <- as.matrix(toy[c("x1", "x2")])
  y <- toy$y
  g <- toy$domain
  model <- dg_lm(x, y, g)
  expect_identical(dg_cv(model)$predictions, dg_cv(dg_lm(), x, y, g)$predictions)
  g <- rev(g)
  expect_domgen_error(dg_cv(model), "`domain` has other values")
  g <- toy$domain
  x[1] <- 0
  expect_domgen_error(update(model), "their values are others")
  gaps <- toy
  gaps$x1[1:3] <- NA
  rule <- na.impute(indicators = FALSE)
  imputed <- local(dg_lm(y ~ x1 | domain, data = gaps, na.action = rule))
  rule <- stats::na.omit
  expect_identical(nobs(update(imputed)), nrow(toy))
})

test_that("a `.` is what it stood for when the model was fitted, whatever columns came since", {
  own <- toy
  fits <- list(dg_ridge(y ~ . | domain, data = own, lambda = 0.3),
               dg_lm(y ~ . - x3 + log(x1 + 100) | domain, data = own))
  expected <- lapply(fits, function(model) {
    list(dg_cv(model, refit = TRUE)$predictions, stats::fitted(update(model)),
         dg_effect(model, grid = 2)$average)
  })
  own$y2 <- own$y
  for (k in seq_along(fits)) {
    found <- list(dg_cv(fits[[k]], refit = TRUE)$predictions, stats::fitted(update(fits[[k]])),
                  dg_effect(fits[[k]], grid = 2)$average)
    expect_equal(found, expected[[k]])
    expect_equal(dg_cv(fits[[k]], data = own)$predictions, expected[[k]][[1L]])
    expect_equal(dg_tune(fits[[k]], grid = list(scale = "none"))$blueprint$columns,
                 fits[[k]]$blueprint$columns)
  }
  compared <- dg_compare(list(own = fits[[1L]]), data = own, refits = FALSE)
  expect_equal(compared$scores[, "own"], dg_cv(fits[[1L]], refit = TRUE)$domains$score,
               ignore_attr = TRUE)
})
