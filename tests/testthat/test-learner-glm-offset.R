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
  left <- function(model) quietly(dg_cv(model, metric = metric_deviance("poisson")), "domgen_warning")
  expect_equal(left(count)$predictions$prediction,
               exposed$e * left(rate)$predictions$prediction, tolerance = 1e-8)
  expect_output(print(count), "predictors +2.*offset +offset\\(log\\(e\\)\\)")
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
                    list(feature_map = features_nystrom(30)),
                    list(feature_map = features_rff(40), domain_kernel = domain_pooled()))) {
    model <- do.call(dg_glm, c(list(formula, data = exposed, family = poisson(), lambda = 2), args))
    expect_equal(predict(model, twice), 2 * predict(model, exposed), tolerance = 1e-10)
    expect_lt(max(dg_cv(model)$one_step$difference), 0.1)
  }
  spec <- dg_glm(family = poisson(), lambda = 2)
  cv <- dg_cv(spec, formula, data = exposed)
  held <- exposed$g == "3"
  by_hand <- predict(fit(spec, formula, data = exposed[!held, ]), exposed[held, ])
  expect_equal(cv$predictions$prediction[held], by_hand, tolerance = 1e-8)
  tuned <- dg_tune(spec, formula, data = exposed, grid = list(lambda = c(1, 10)))
  expect_equal(predict(tuned, twice), 2 * predict(tuned, exposed), tolerance = 1e-10)
  adapted <- dg_adapt(model, exposed[held, ], y)
  expect_equal(predict(adapted, twice[held, ]), 2 * predict(adapted), tolerance = 1e-10)
})

test_that("an offset that is none, and methods without one, are errors that say so", {
  expect_error(dg_glm(y ~ x + offset(g) | g, data = exposed), "`offset\\(g\\)` must be a number")
  expect_error(dg_glm(y ~ x + offset(log(e - 10)) | g, data = exposed), "missing")
  expect_error(dg_glm(y ~ x + offset(log(0 * e)) | g, data = exposed), "must be finite")
  expect_error(dg_ridge(y ~ x + offset(log(e)) | g, data = exposed), "only .dg_glm.* take")
  expect_error(fit(dg_pipeline(dg_kpca(), dg_glm()), y ~ x + offset(e) | g, data = exposed),
               "only .dg_glm.* take")
  expect_error(dg_glm(cut(y, 3) ~ x + offset(e) | g, data = exposed), "one function per class")
  model <- dg_glm(y ~ x + offset(log(e)) | g, data = exposed, family = poisson(), lambda = 2)
  expect_error(predict(model, exposed["x"]), "has no column `e`")
})

test_that("offsets that are far apart give numbers, a reason or a warning", {
  skip_if_not_installed("survival")
  d <- exposed
  d$time <- seq_len(nrow(d))
  d$status <- rep(1:0, nrow(d) / 2)
  d$three <- factor(rep(1:3, nrow(d) / 3), ordered = TRUE)
  hazards <- function(far, row = 1) {
    d$o <- replace(numeric(nrow(d)), row, far)
    dg_glm(survival::Surv(time, status) ~ x + offset(o) | g, data = d, lambda = 1)
  }
  # beside such a row the others are next to nothing, but not without a fit
  expect_true(all(is.finite(hazards(400)$decision)))
  expect_error(hazards(800), class = "domgen_error_numeric")
  d$o <- rep(c(-1e150, 1e150), nrow(d) / 2)
  ranks <- dg_glm(three ~ x + offset(o) | g, data = d, lambda = 1, family = "ordinal")
  expect_true(all(is.finite(suppressWarnings(dg_cv(ranks, metric = "accuracy"))$mean)))
  d$o <- 0
  counts <- dg_glm(y ~ x + offset(o) | g, data = d, family = poisson(), lambda = 1)
  expect_warning(predict(counts, transform(d, o = 800)), "too large for a number",
                 class = "domgen_warning_no_mean")
  expect_warning(predict(hazards(0), transform(d, o = 800)), class = "domgen_warning_no_mean")
})
