test_that("rows with missing values are left out, with their number", {
  d <- with_missing(mixed_data(), y = 1, x = 2:3, site = 4, w = 5)
  expect_warning(model <- dg_lm(y ~ poly(x, 2) | site, data = d, weights = w), "5 rows of 60",
                 class = "domgen_warning_missing")
  clean <- dg_lm(y ~ poly(x, 2) | site, data = d[-(1:5), ], weights = w)
  expect_equal(coef(model), coef(clean))
  expect_equal(fitted(model), fitted(clean))
  expect_equal(nobs(model), 55)
  expect_warning(dg_lm(y ~ x | site, data = d, na.action = "na.omit"), "4 rows",
                 class = "domgen_warning_missing")
})

test_that("na.exclude keeps the place of a row that is left out", {
  d <- with_missing(mixed_data(), y = 1, x = 10, colour = 60)
  model <- suppressWarnings(dg_lm(y ~ x + colour | site, data = d, na.action = na.exclude))
  expect_length(fitted(model), 60)
  expect_equal(which(is.na(fitted(model))), c(1, 10, 60))
  expect_equal(which(is.na(residuals(model))), c(1, 10, 60))
  expect_equal(predict(model), fitted(model))
  expect_equal(fitted(model)[2:9], predict(model, d[2:9, ]))

  scores <- suppressWarnings(fitted(dg_kpca(~ x + z | site, data = d, na.action = "na.exclude")))
  expect_equal(which(is.na(scores[, 1])), 10)
})

test_that("na.fail refuses missing values and other actions are refused", {
  d <- with_missing(mixed_data(), x = 2)
  expect_refusals({
    dg_lm(y ~ x | site, data = d, na.action = na.fail)
    dg_lm(y ~ x | site, data = d, na.action = na.pass)
    dg_lm(y ~ x | site, data = with_missing(d, x = 1:60))
    dg_lm(y ~ x | site, data = d[0, ])
  })
  expect_silent(dg_lm(y ~ z | site, data = d, na.action = na.fail))
})

test_that("what a transformation cannot give is missing too", {
  d <- mixed_data()
  kept <- d$x > 0
  expect_warning(model <- dg_lm(y ~ log(x) + poly(z, 2) | site, data = d),
                 paste(sum(!kept), "rows of 60"), class = "domgen_warning_missing")
  expect_equal(coef(model), coef(dg_lm(y ~ log(x) + poly(z, 2) | site, data = d[kept, ])))
  expect_warning(dg_lm(log(x) ~ z | site, data = d), paste(sum(!kept), "rows of 60"),
                 class = "domgen_warning_missing")
})

test_that("a missing level of a factor is a missing value", {
  d <- mixed_data()
  d$size[2] <- NA
  d$size <- addNA(d$size)
  domain <- addNA(replace(d$site, 3, NA))
  model <- suppressWarnings(dg_lm(y ~ size + x, domain = domain, data = d))
  expect_equal(nobs(model), 58)
  expect_equal(levels(model$domain), c("s1", "s2", "s3"))
})

test_that("infinite values are errors that name the predictor", {
  d <- mixed_data()
  d$x[4] <- Inf
  expect_domgen_error(dg_lm(y ~ z + x | site, data = d), "`x` must be finite; found 1 infinite")
  expect_domgen_error(dg_lm(x ~ z | site, data = d), "response must be finite")
  model <- dg_lm(y ~ x | site, data = d[-4, ])
  expect_domgen_error(predict(model, d), "`newdata`: predictor `x` must be finite")
  expect_domgen_error(dg_lm(cbind(a = c(1, Inf, 2)), 1:3), "`a` must be finite")
})

test_that("matrix, data frame and vector say the same as a formula", {
  d <- mixed_data()
  expected <- dg_lm(y ~ x + z | site, data = d)
  X <- as.matrix(d[c("x", "z")])
  expect_equal(coef(dg_lm(X, d$y, d$site)), coef(expected))
  expect_equal(coef(dg_lm(d[c("x", "z")], d$y, d$site)), coef(expected))
  expect_equal(coef(dg_lm(X, as.matrix(d$y), as.character(d$site))), coef(expected))
  expect_equal(coef(dg_lm(X, d["y"], as.integer(d$site))), coef(expected))
  expect_equal(columns_of(dg_lm(unname(X), d$y)), c("x1", "x2"))
  expect_equal(coefficients_of(dg_lm(d$x, d$y)), coefficients_of(dg_lm(y ~ x, data = d)))
  expect_equal(coef(dg_lm(d[c("size", "flag")], d$y)), coef(dg_lm(y ~ size + flag, data = d)))

  whole <- cbind(count = d$count)
  expect_equal(coef(dg_lm(whole, d$y)), coef(dg_lm(y ~ count, data = d)))
  expect_equal(coefficients_of(dg_lm(d$flag, d$y)), coefficients_of(dg_lm(y ~ flag, data = d)))
  expect_equal(levels(dg_lm(X, d$y, d$site)$domain), c("s1", "s2", "s3"))
})

test_that("responses of every kind are read", {
  d <- mixed_data()
  expect_equal(levels(predict(dg_null(flag ~ x, data = d), d)), c("FALSE", "TRUE"))
  expect_equal(levels(predict(dg_null(colour ~ x, data = d), d)), c("green", "red"))
  expect_equal(levels(predict(dg_null(grade ~ x, data = d), d)), c("a", "b", "c"))
  expect_equal(predict(dg_null(count ~ x, data = d), d), rep(mean(d$count), 60))
  expect_null(names(dg_null(size ~ x, data = d)$y))
  expect_warning(dg_null(site ~ x, data = d), "no row of \"s0\"",
                 class = "domgen_warning_empty_class")
  expect_domgen_error(dg_null(day ~ x, data = d), "must be numeric, a factor")
  expect_domgen_error(dg_null(as.matrix(d["x"])), "A response is needed")
})

test_that("single columns are vectors", {
  d <- mixed_data()
  X <- as.matrix(d[c("x", "z")])
  expected <- dg_svm(X, d$y, d$site, weights = d$w)
  expect_equal(fitted(dg_svm(X, d["y"], d["site"], weights = as.matrix(d["w"]))), fitted(expected))
  expect_equal(dg_cv(dg_lm(), X, as.matrix(d["y"]), d["site"])$mean,
               dg_cv(dg_lm(), X, d$y, d$site)$mean)
})

test_that("wrong lengths and types are errors that name the argument", {
  d <- mixed_data()
  X <- as.matrix(d[c("x", "z")])
  expect_refusals({
    dg_lm(X, d$y[-1])
    dg_lm(X, d[c("y", "z")])
    dg_svm(X, d$y)
    dg_lm(X, d$y, domain = "site")
    dg_lm(X, d$y, weights = c(1, 2))
    dg_lm(X, as.list(d$y))
    dg_lm("x", d$y)
    dg_lm(X[, 0], d$y)
    dg_lm(array(1, c(2, 2, 2)), 1:2)
    dg_lm(y ~ x, data = "d")
  })
})

test_that("weights may be a column, a vector or zero, but not negative", {
  d <- mixed_data()
  expected <- unname(coef(lm(y ~ x + z, d, weights = w)))
  expect_equal(coefficients_of(dg_lm(y ~ x + z | site, data = d, weights = w)), expected)
  expect_equal(coefficients_of(dg_lm(y ~ x + z | site, data = d, weights = d$w)), expected)
  d$w[1:10] <- 0
  expect_equal(coef(dg_lm(y ~ x | site, data = d, weights = w)),
               coef(dg_lm(y ~ x | site, data = d[-(1:10), ], weights = w)))
  expect_domgen_error(dg_lm(y ~ x | site, data = d, weights = w - 5), "non-negative .* found -5")
  expect_domgen_error(dg_lm(y ~ x | site, data = d, weights = 0 * w), "must not all be zero")
  expect_domgen_error(dg_lm(y ~ x | site, data = d, weights = colour), "non-negative")
})

expect_same_model <- function(convert) {
  d <- mixed_data()[c("y", "x", "size", "site")]
  d$x[2] <- NA
  expected <- suppressWarnings(dg_lm(y ~ . | site, data = d))
  other <- suppressWarnings(dg_lm(y ~ ., domain = site, data = convert(d)))
  expect_equal(coef(other), coef(expected))
  expect_equal(predict(other, convert(d[-2, ])), predict(expected, d[-2, ]))
  frame <- suppressWarnings(dg_lm(convert(d[2:3]), convert(d["y"]), d$site))
  expect_equal(coef(frame), coef(expected))
}

test_that("lists are data", {
  d <- as.list(mixed_data()[c("y", "x", "site")])
  expect_equal(columns_of(dg_lm(y ~ ., domain = site, data = d)), "x")
})

test_that("tibbles are data", {
  skip_if_not_installed("tibble")
  expect_same_model(tibble::as_tibble)
})

test_that("an ordered response is told to be predicted without its order, once a call", {
  d <- toy_domains(3, 12)
  d$grade <- cut(d$y, quantile(d$y, 0:3 / 3), c("low", "middle", "high"), TRUE, ordered_result = TRUE)
  expect_message(model <- dg_ridge(grade ~ x1 | domain, data = d),
                 "ordered \\(low < middle < high\\).*`family = \"ordinal\"` of `dg_auto\\(\\)`.*keeps it",
                 class = "domgen_message_ordered")
  said <- testthat::capture_messages({
    dg_cv(dg_ridge(lambda = 1), grade ~ x1 | domain, data = d)
    dg_tune(dg_ridge(), grade ~ x1 | domain, data = d, grid = list(lambda = 1:2))
    dg_compare(list(dg_ridge(lambda = 1)), grade ~ x1 | domain, data = d)
  })
  expect_length(said, 3L)
  expect_false(is.ordered(predict(model, d)))
  d$grade <- factor(d$grade, ordered = FALSE)
  expect_message(dg_ridge(grade ~ x2 | domain, data = d), NA)
})
