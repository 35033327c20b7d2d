# Generalised linear models of rows that come in blocks, against those of the same rows in memory.

rows <- simulate_dica(domains = 6, n = 30, seed = 7)
rows <- with_seed(3, {
  rows$e <- rexp(nrow(rows)) + 0.2
  rows$count <- rpois(nrow(rows), rows$e * exp(rows$x1 / 2))
  rows$amount <- rgamma(nrow(rows), 3, 3 / (rows$e * exp(rows$x2 / 2)))
  rows$ill <- factor(ifelse(rbinom(nrow(rows), 1, plogis(rows$x1 + rows$x3)) == 1, "yes", "no"))
  rows$share <- rbinom(nrow(rows), 5, plogis(rows$x2)) / 5
  rows$kind <- factor(sample(c("a", "b", "c"), nrow(rows), TRUE))
  rows$w <- replace(round(runif(nrow(rows)), 2), 3:9, 0)
  rows
})
cases <- list(list("binomial", ill ~ x1 + x2 + x3 | domain, "size"),
              list("binomial", share ~ x1 + x2 | domain, "equal"),
              list("poisson", count ~ x1 + x2 + offset(log(e)) | domain, "equal"),
              list(Gamma("log"), amount ~ x2 + x1 + offset(log(e)) + offset(x3) | domain, "size"))

expect_same_glm <- function(spec, formula, tolerance = 1e-8) {
  source <- row_source(rows, block_size = 40)
  whole <- as_in_source(1, fit(spec, formula, data = rows, weights = w))
  blocks <- in_source(1, fit(spec, formula, data = source, weights = w))
  expect_equal(predict(blocks, rows, type = "decision"), predict(whole, rows, type = "decision"),
               tolerance = tolerance)
  expect_equal(deviance(blocks), deviance(whole), tolerance = tolerance)
  expect_equal(blocks$null_deviance, whole$null_deviance, tolerance = 1e-8)
  expect_equal(blocks$lambda, whole$lambda)
  expect_true(blocks$converged)
  list(blocks = blocks, whole = whole)
}

test_that("families that are sums over rows are fitted to blocks as to the rows in memory", {
  small <- features_product(x = features_nystrom(9))
  for (case in cases) {
    # where the curvature is the expected one, steps are shorter, and end less exactly
    near <- if (inherits(case[[1L]], "family")) 1e-6 else 1e-8
    spec <- dg_glm(family = case[[1L]], lambda = 2, feature_map = small, domain_weights = case[[3L]])
    models <- expect_same_glm(spec, case[[2L]], near)
    expect_equal(coef(models$blocks), coef(models$whole), tolerance = near)
  }
  spec <- dg_glm(family = "binomial", lambda = 2, intercept = FALSE, feature_map = small)
  expect_same_glm(spec, ill ~ x1 + x2 + offset(x3) | domain)
})

test_that("a family that the response names is that of rows in memory where they are few", {
  spec <- dg_glm(lambda = 2, feature_map = features_product(x = features_nystrom(9)))
  expect_equal(coef(in_source(1, fit(spec, kind ~ x1 + x2 | domain, data = row_source(rows)))),
               coef(in_source(1, fit(spec, kind ~ x1 + x2 | domain, data = rows))))
})

# A linear kernel of two predictors, whose map is the same whatever the landmarks.
plane <- function(...) {
  dg_glm(..., kernel = kernel_linear(), feature_map = features_nystrom(2),
         domain_kernel = domain_pooled())
}

test_that("more rows than the sample are all in the fit, and in its deviances", {
  with_replaced("sample_rows", 60, for (case in cases[-1L]) {
    models <- expect_same_glm(plane(family = case[[1L]], lambda = 2, domain_weights = case[[3L]]),
                              case[[2L]], 1e-6)
    expect_gt(models$blocks$iterations, 1)
  })
})

test_that("a lambda that is left open is chosen on the sample, for all rows", {
  for (case in cases[2:3]) expect_same_glm(plane(family = case[[1L]]), case[[2L]])
  spec <- dg_glm(family = "poisson", feature_map = features_product())
  models <- list(as_in_source(1, fit(spec, cases[[3L]][[2L]], data = rows)),
                 in_source(1, fit(spec, cases[[3L]][[2L]], data = row_source(rows))))
  expect_equal(models[[2L]]$lambda, models[[1L]]$lambda)
  few <- with_replaced("sample_rows", 90, fit(spec, cases[[3L]][[2L]], data = row_source(rows)))
  # a penalty on the scale of all rows
  shares <- few$lambda / (models[[1L]]$lambda * c(1 / 32, 32))
  expect_true(shares[1L] > 1 && shares[2L] < 1)
})

test_that("left-out domains of a source are predicted by fits to the others", {
  spec <- plane(family = "poisson", lambda = 2, scale = "none")
  formula <- count ~ x1 + x2 + offset(log(e)) | domain
  blocks <- dg_cv(spec, formula, data = row_source(rows, block_size = 50), metric = c("rmse", "mae"))
  whole <- dg_cv(spec, formula, data = rows, metric = c("rmse", "mae"))
  expect_equal(blocks$domains, whole$domains, tolerance = 1e-7)
  expect_equal(blocks$overall, whole$overall, tolerance = 1e-7)
})

test_that("a model of a source says what it is, and what it cannot", {
  old <- options(domgen.threads = 2)
  on.exit(options(old))
  source <- row_source(rows, block_size = 50)
  model <- fit(plane(family = "poisson", lambda = 2), count ~ x1 + x2 + offset(log(e)) | domain,
               data = source)
  expect_snapshot_output(print(model))
  expect_equal(nobs(model), nrow(rows))
  few <- function(...) plane(lambda = 1, ...)
  expect_domgen_error(fit(few(family = "poisson"), I(-count) ~ x1 | domain, data = source),
                      "must be 0 or more; found -", "domgen_error_data")
  with_replaced("sample_rows", 50, expect_refusals({
    dg_cv(model, refit = FALSE)
    residuals(model, "deviance")
    fit(few(), kind ~ x1 + x2 | domain, data = source)
    fit(few(family = "multinomial"), kind ~ x1 + x2 | domain, data = source)
    fit(few(family = "ordinal"), kind ~ x1 + x2 | domain, data = source)
    fit(few(family = "cox"), survival::Surv(amount) ~ x1 + x2 | domain, data = source)
    fit(few(family = "binomial"), kind ~ x1 + x2 | domain, data = source)
    fit(dg_glm(family = "poisson"), count ~ x1 | domain, data = source)
  }))
})
