skip_if_not_installed("survival")

lung <- function() {
  rows <- stats::na.omit(survival::lung[c("inst", "time", "status", "age", "sex", "ph.ecog")])
  rows$inst <- factor(rows$inst)
  rows$w <- rep_len(1:3, nrow(rows))
  rows
}

lung_formula <- survival::Surv(time, status) ~ age + sex + ph.ecog | inst
plain <- survival::Surv(time, status) ~ age + sex + ph.ecog
horizons <- c(0, 50, 180.5, 365, 700)

linear_cox <- function(lambda = 1e-8, ...) {
  dg_glm(lung_formula, data = lung(), lambda = lambda, kernel = kernel_linear(), scale = "none",
         domain_kernel = domain_pooled(), ...)
}

curves <- function(model, data = lung(), times = horizons) {
  unname(predict(model, data, type = "survival", times = times))
}

of_survfit <- function(fit, ...) {
  unname(t(summary(survival::survfit(fit, ...), times = horizons)$surv))
}

# S(t) = exp(-sum over events at or before t of d / sum of exp(f) at risk * exp(f)), by loops.
naive_curves <- function(time, event, costs, f, times) {
  H <- vapply(times, function(t) {
    sum(vapply(unique(time[event & time <= t]), function(at) {
      sum(costs[event & time == at]) / sum((costs * exp(f))[time >= at])
    }, 0))
  }, 0)
  exp(-outer(exp(f), H))
}

test_that("curves of a linear kernel without penalty are survival's, with and without weights", {
  rows <- lung()
  fit <- survival::coxph(plain, rows, ties = "breslow", model = TRUE)
  expect_equal(curves(linear_cox()), of_survfit(fit, newdata = rows), tolerance = 1e-6)
  fit <- survival::coxph(plain, rows, ties = "breslow", weights = w, model = TRUE)
  expect_equal(curves(linear_cox(weights = lung()$w)), of_survfit(fit, newdata = rows),
               tolerance = 1e-6)
})

test_that("curves of other kernels and penalties are those of the definition", {
  rows <- lung()
  model <- dg_glm(lung_formula, data = rows, lambda = 3, weights = w)
  expect_equal(curves(model), naive_curves(rows$time, rows$status == 2, model$costs,
                                           drop(model$decision), horizons), tolerance = 1e-10)
  # of a domain that the model did not see, after a projection, and adapted
  new <- transform(rows[1:20, ], inst = "other")
  expect_equal(curves(model, new), naive_curves(
    c(rows$time, new$time), c(rows$status == 2, logical(20)), c(model$costs, numeric(20)),
    c(drop(model$decision), predict(model, new, type = "decision")), horizons)[226 + 1:20, ],
    tolerance = 1e-10)
  both <- fit(dg_pipeline(dg_udica(ncomp = 2), dg_glm(lambda = 1)), lung_formula, data = rows)
  expect_equal(curves(both), naive_curves(rows$time, rows$status == 2, rep(1, 226),
                                          drop(both$decision), horizons), tolerance = 1e-10)
  one <- rows[rows$inst == "1", ]
  adapted <- dg_adapt(model, one, labels = survival::Surv(time, status))
  base <- model$family$baseline
  H <- stats::approx(base$time, base$hazard, 365, method = "constant")$y
  expect_equal(drop(curves(adapted, one, 365)), exp(-H * predict(adapted, one)))
})

test_that("dg_lm() is survival's coxph() with its ties, risks and curves", {
  rows <- lung()
  for (weighted in c(FALSE, TRUE)) {
    w <- if (weighted) rows$w else rep(1, nrow(rows))
    fit <- survival::coxph(plain, rows, weights = w, model = TRUE)
    model <- dg_lm(lung_formula, data = rows, weights = w)
    expect_equal(coef(model), coef(fit), tolerance = 1e-6)
    f <- predict(model, rows, type = "decision")
    expect_equal(f - mean(f), drop(fit$linear.predictors - mean(fit$linear.predictors)),
                 tolerance = 1e-6, ignore_attr = TRUE)
    expect_equal(curves(model), of_survfit(fit, newdata = rows), tolerance = 1e-6)
  }
  without <- dg_lm(lung_formula, data = rows, weights = as.numeric(rows$w != 2))
  expect_equal(coef(without), coef(survival::coxph(plain, rows[rows$w != 2, ])),
               tolerance = 1e-6)
  scaled <- dg_lm(lung_formula, data = rows, scale = "pooled")
  expect_equal(curves(scaled), curves(dg_lm(lung_formula, data = rows)), tolerance = 1e-8)
})

test_that("the null model's curve is that of a coxph() without predictors", {
  rows <- lung()
  fit <- survival::coxph(survival::Surv(time, status) ~ 1, rows, ties = "breslow", weights = w)
  expect_equal(curves(dg_null(lung_formula, data = rows, weights = w))[7, ],
               summary(survival::survfit(fit), times = horizons)$surv, tolerance = 1e-10)
})

test_that("dg_net() is glmnet's Cox regression with its curves, and its cv.glmnet()", {
  skip_if_not_installed("glmnet")
  rows <- lung()
  y <- survival::Surv(rows$time, rows$status)
  X <- as.matrix(rows[c("age", "sex", "ph.ecog")])
  # in units of powers of two paths are nearly those of others
  fit <- glmnet::glmnet(X, y, "cox", alpha = 0.5, lambda = 0.05, thresh = 1e-14)
  model <- dg_net(lung_formula, data = rows, alpha = 0.5, lambda = 0.05)
  expect_equal(coef(model)[-1L], as.matrix(coef(fit))[, 1L], tolerance = 1e-3)
  fit <- glmnet::glmnet(X, y, "cox")
  model <- dg_net(lung_formula, data = rows)
  s <- model$engine$object$lambda
  expect_equal(curves(model), of_survfit(fit, x = X, y = y, newx = X, s = s), tolerance = 1e-4)
  fold <- domgen:::calibration_folds(list(weights = rep(1, nrow(rows)), domain = rows$inst))
  cv <- glmnet::cv.glmnet(X, y, family = "cox", foldid = fold[as.integer(rows$inst)])
  # means of folds weigh by events there and by rows here; the choice is the same
  expect_equal(s, cv$lambda.min, tolerance = 0.35)
})

test_that("dg_forest() is ranger's survival forest", {
  skip_if_not_installed("ranger")
  rows <- lung()
  set.seed(1)
  model <- dg_forest(lung_formula, data = rows, trees = 30)
  set.seed(1)
  own <- ranger::ranger(x = rows[c("age", "sex", "ph.ecog")],
                        y = survival::Surv(rows$time, rows$status), num.trees = 30)
  theirs <- predict(own, rows)
  expect_equal(predict(model, rows), rowSums(theirs$chf))
  at <- findInterval(horizons, theirs$unique.death.times)
  expect_equal(curves(model), cbind(1, theirs$survival)[, at + 1])
  path <- tempfile()
  saveRDS(model, path)
  expect_identical(curves(readRDS(path)), curves(model))
})

test_that("users' functions get Surv objects and may give curves", {
  rows <- lung()
  train <- function(x, y) survival::coxph(y ~ ., data = cbind(x, y = y))
  own <- learner_custom(train, function(object, x) predict(object, x),
                        survival = function(object, x, times) {
                          t(summary(survival::survfit(object, newdata = x), times = times)$surv)
                        })
  model <- fit(own, lung_formula, data = rows)
  expect_equal(curves(model), curves(dg_lm(lung_formula, data = rows)), tolerance = 1e-8)
  without <- fit(learner_custom(train, function(object, x) predict(object, x)), lung_formula,
                 data = rows)
  expect_equal(predict(without, rows, type = "decision"), predict(model, rows, type = "decision"))
  expect_error(curves(without), "give it a function `survival`", class = "domgen_error_argument")
  bad <- update(own, survival = function(object, x, times) matrix(2, nrow(x), length(times)))
  expect_error(curves(fit(bad, lung_formula, data = rows)), "not with 2",
               class = "domgen_error_learner")
  expect_error(learner_custom(train, predict, survival = function(object, x) 1),
               "the times", class = "domgen_error_argument")
})

test_that("rows of a source have the same curves, in memory and in a file", {
  rows <- lung()
  model <- dg_lm(lung_formula, data = rows)
  source <- row_source(rows, block_size = 40)
  expect_equal(unname(predict(model, source, type = "survival", times = c(100, 200))),
               curves(model, times = c(100, 200)))
  file <- tempfile(fileext = ".csv")
  predict(model, source, type = "survival", times = c(100, 200), to = file)
  found <- utils::read.csv(file)
  expect_equal(as.matrix(found[c("survival_100", "survival_200")]),
               curves(model, times = c(100, 200)), tolerance = 1e-10, ignore_attr = TRUE)
})

test_that("curves that there are not are refused in words", {
  rows <- lung()
  model <- dg_lm(lung_formula, data = rows)
  refused <- function(call, words, kind = "argument") {
    expect_error(call, words, class = paste0("domgen_error_", kind))
  }
  refused(predict(model, rows, type = "survival"), "`times` must be given")
  refused(predict(model, rows, type = "survival", times = -1), "not -1")
  refused(predict(model, rows, type = "survival", times = "a"), "not \"a\"")
  refused(predict(model, rows, times = 1), "must be NULL unless")
  refused(predict(model, type = "survival", times = 1), "newdata")
  refused(predict(dg_lm(age ~ sex | inst, data = rows), rows, type = "survival", times = 1),
          "response is a number")
  refused(dg_forest(lung_formula, data = rows, calibration = "platt"), "censored times")
  expect_warning(found <- predict(model, rows[1, ], type = "survival", times = c(1, 2000)),
                 class = "domgen_warning_late_times")
  expect_identical(colnames(found), c("1", "2000"))
  rows$age[2] <- NA
  expect_warning(found <- curves(model, rows), class = "domgen_warning_missing")
  expect_identical(which(is.na(rowSums(found))), 2L)
})
