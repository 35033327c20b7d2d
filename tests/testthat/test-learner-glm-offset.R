# offset(): what is known of the link, which no kernel sees.
exposed <- with_seed(3, {
  d <- data.frame(g = factor(rep(1:8, each = 15)), x = rnorm(120), z = rnorm(120),
                  e = rexp(120) + 0.2)
  d$y <- rpois(120, d$e * exp(0.5 + 0.6 * d$x + 0.4 * rnorm(8)[d$g]))
  d$two <- factor(ifelse(runif(120) < plogis(d$x + d$z - 1), "b", "a"))
  d
})
unshrunk <- function(formula, family, data = exposed, ...) {
  dg_glm(formula, data = data, family = family, lambda = 1e-6, kernel = kernel_linear(),
         domain_kernel = domain_pooled(), scale = "none", ...)
}

test_that("without a penalty offsets are those of stats::glm(), with its null deviance", {
  exact <- list(epsilon = 1e-14, maxit = 100)
  new <- transform(exposed, x = -x, e = 2 * e)
  model <- unshrunk(y ~ x + offset(log(e)) + offset(z) | g, poisson())
  oracle <- glm(y ~ x + offset(log(e)) + offset(z), poisson(), exposed, control = exact)
  expect_equal(predict(model, new), unname(predict(oracle, new, "response")), tolerance = 1e-6)
  expect_equal(fitted(model), unname(fitted(oracle)), tolerance = 1e-6)
  expect_equal(c(deviance(model), model$null_deviance), c(deviance(oracle), oracle$null.deviance),
               tolerance = 1e-6)
  expect_equal(residuals(model, "deviance"), unname(residuals(oracle)), tolerance = 1e-4)
  model <- unshrunk(two ~ x + offset(z) | g, binomial())
  oracle <- glm(two ~ x + offset(z), binomial(), exposed, control = exact)
  expect_equal(predict(model, new, type = "prob")[, "b"], unname(predict(oracle, new, "response")),
               tolerance = 1e-6)
  expect_equal(model$null_deviance, oracle$null.deviance, tolerance = 1e-8)
})

test_that("offsets are those of survival::coxph() and MASS::polr()", {
  skip_if_not_installed("survival")
  skip_if_not_installed("MASS")
  lung <- stats::na.omit(survival::lung[c("time", "status", "age", "ph.ecog", "inst")])
  oracle <- survival::coxph(survival::Surv(time, status) ~ age + offset(ph.ecog / 3), lung,
                            ties = "breslow")
  model <- unshrunk(survival::Surv(time, status) ~ age + offset(ph.ecog / 3) | inst, "cox", lung)
  apart <- predict(model, lung, type = "decision") - oracle$linear.predictors
  expect_lt(diff(range(apart)), 1e-6)

  housing <- MASS::housing
  oracle <- MASS::polr(Sat ~ Infl + Type + offset(Freq / 50), housing)
  model <- unshrunk(Sat ~ Infl + Type + offset(Freq / 50) | Cont, "ordinal", housing)
  expect_equal(unname(predict(model, housing, type = "prob")), unname(fitted(oracle)),
               tolerance = 1e-4)
  expect_equal(deviance(model), oracle$deviance, tolerance = 1e-7)
})

test_that("an exposure as an offset is the rate with weights", {
  count <- dg_glm(y ~ x + z + offset(log(e)) | g, data = exposed, family = poisson(), lambda = 3)
  rate <- dg_glm(I(y / e) ~ x + z | g, data = exposed, family = poisson(), lambda = 3, weights = e)
  expect_equal(predict(count, exposed), exposed$e * predict(rate, exposed), tolerance = 1e-10)
  left <- function(model) quietly(lodo(model, metric_deviance("poisson")), "domgen_warning")
  expect_equal(left(count)$predictions$prediction,
               exposed$e * left(rate)$predictions$prediction, tolerance = 1e-8)
  expect_output(print(count), "2 predictors.*known: offset\\(log\\(e\\)\\)")
  expect_identical(tidy(count)$value[1L], "poisson(log)")
  expect_no_warning(shown <- summary(count))
  raw <- exposed[c("x", "z")]
  expect_equal(shown$predictors$min, unname(vapply(raw, min, 0)))
  # chosen by left-out domains: the same too
  count <- dg_glm(y ~ x + z + offset(log(e)) | g, data = exposed, family = poisson())
  rate <- dg_glm(I(y / e) ~ x + z | g, data = exposed, family = poisson(), weights = e)
  expect_equal(count$lambda, rate$lambda, tolerance = 1e-6)
})

test_that("features, scalings, folds, searches and adaptation know the offset", {
  formula <- y ~ x + z + offset(log(e)) | g
  twice <- transform(exposed, e = 2 * e)
  for (args in list(list(scale = "both"), list(scale = "rank", domain_means = TRUE),
                    list(features = features_nystrom(30)),
                    list(features = features_rff(40), domain_kernel = domain_pooled()))) {
    model <- do.call(dg_glm, c(list(formula, data = exposed, family = poisson(), lambda = 2), args))
    expect_equal(predict(model, twice), 2 * predict(model, exposed), tolerance = 1e-10)
    expect_lt(max(lodo(model)$one_step$difference), 0.1)
  }
  spec <- dg_glm(family = poisson(), lambda = 2)
  cv <- dg_cv(spec, formula, data = exposed)
  held <- exposed$g == "3"
  by_hand <- predict(fit(spec, formula, data = exposed[!held, ]), exposed[held, ])
  expect_equal(cv$predictions$prediction[held], by_hand, tolerance = 1e-8)
  tuned <- dg_tune(spec, formula, data = exposed, grid = list(lambda = c(1, 10)))
  expect_equal(predict(tuned, twice), 2 * predict(tuned, exposed), tolerance = 1e-10)
  adapted <- adapt(model, exposed[held, ], y)
  expect_equal(predict(adapted, twice[held, ]), 2 * predict(adapted), tolerance = 1e-10)
})

test_that("an offset that is none, and methods without one, are errors that say so", {
  expect_error(dg_glm(y ~ x + offset(g) | g, data = exposed), "`offset\\(g\\)` must be a number")
  expect_error(dg_glm(y ~ x + offset(log(e - 10)) | g, data = exposed), "missing")
  expect_error(dg_glm(y ~ x + offset(log(0 * e)) | g, data = exposed), "must be finite")
  expect_error(dg_ridge(y ~ x + offset(log(e)) | g, data = exposed), "dg_glm.* alone knows")
  expect_error(fit(chain(kpca(), dg_glm()), y ~ x + offset(e) | g, data = exposed), "alone knows")
  expect_error(dg_glm(cut(y, 3) ~ x + offset(e) | g, data = exposed), "each class")
  model <- dg_glm(y ~ x + offset(log(e)) | g, data = exposed, family = poisson(), lambda = 2)
  expect_error(predict(model, exposed["x"]), "has no column `e`")
})
