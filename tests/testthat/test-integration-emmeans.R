# Marginal means of emmeans, against the least squares fit of the same data with our covariance.
skip_if_not_installed("emmeans")
means <- getExportedValue("emmeans", "emmeans")

test_that("marginal means are those of lm() with the covariance of dg_coefficients()", {
  plants <- as.data.frame(CO2)
  plants$Plant <- factor(as.character(plants$Plant))
  plants$half <- factor(plants$conc > 300, labels = c("low", "high"))
  model <- dg_lm(uptake ~ half * Type + Treatment | Plant, data = plants)
  found <- dg_coefficients(model)
  theirs <- stats::lm(uptake ~ half * Type + Treatment, data = plants)
  for (asked in list(~ Type, ~ Type | half, pairwise ~ Treatment)) {
    own <- as.data.frame(summary(means(found, asked, data = plants), infer = TRUE))
    expected <- as.data.frame(summary(means(theirs, asked, vcov. = vcov(found), df = found$df),
                                      infer = TRUE))
    expect_equal(own, expected, tolerance = 1e-8, ignore_attr = TRUE)
  }
  # the fit itself, whose data are found by name
  assign("domgen_plants", plants, globalenv())
  on.exit(rm("domgen_plants", envir = globalenv()))
  named <- dg_lm(uptake ~ half * Type + Treatment | Plant, data = domgen_plants)
  expect_equal(as.data.frame(means(named, ~ Type)),
               as.data.frame(means(found, ~ Type, data = plants)), ignore_attr = TRUE)
  expect_error(means(found, ~ Type), "`data` must be given")
  all <- dg_lm(uptake ~ . | Plant, data = plants[c("uptake", "conc", "Type", "Plant")])
  expect_error(means(all, ~ Type), "must name its predictors")
})

test_that("means of classes and counts are on their scale if it is asked for", {
  cars <- transform(mtcars, gear = factor(gear))
  count <- dg_glm(carb ~ hp + vs | cyl, data = cars, family = poisson(), lambda = 0.01,
                  kernel = kernel_linear(), domain_kernel = domain_pooled())
  found <- dg_coefficients(count)
  at <- means(found, ~ vs, at = list(vs = 0:1), data = cars, type = "response")
  line <- coef(found)[["(Intercept)"]] + coef(found)[["hp"]] * mean(cars$hp) +
    coef(found)[["vs"]] * 0:1
  expect_equal(as.data.frame(at)$rate, exp(line), tolerance = 1e-8)
})
