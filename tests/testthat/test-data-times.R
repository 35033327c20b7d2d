test_that("censored times are taken, put together, repeated and printed as rows", {
  y <- domgen:::censored_times(c(3, 1.5, NA), c(1, 0, 1))
  expect_identical(y[2:1], domgen:::censored_times(c(1.5, 3), c(0, 1)))
  expect_identical(c(y[1], y[2]), y[1:2])
  expect_identical(rep(y[1], 2), y[c(1, 1)])
  expect_identical(is.na(y), c(FALSE, FALSE, TRUE))
  expect_identical(as.character(y), c("3.0", "1.5+", "NA"))
  frame <- rbind(data.frame(y = y[1:2]), data.frame(y = y[2]))
  expect_identical(frame$y, y[c(1, 2, 2)])
  expect_output(print(y), "1.5+", fixed = TRUE)
  expect_identical(domgen:::response_kind(y), "censored")
})

test_that("entries stay with their rows", {
  y <- domgen:::censored_times(c(3, 1.5, NA), c(1, 0, 1), c(1, 0, 2))
  plain <- domgen:::censored_times(5, 1)
  expect_identical(domgen:::entries(y[2:1]), c(0, 1))
  expect_identical(c(y[2], plain), domgen:::censored_times(c(1.5, 5), 0:1, c(0, -Inf)))
  expect_identical(rep(y[1:2], 2), y[c(1, 2, 1, 2)])
  expect_identical(as.character(y), c("(1,3.0]", "(0,1.5+]", "NA"))
  frame <- rbind(data.frame(y = y[1:2]), data.frame(y = plain), data.frame(y = y[2]))
  expect_identical(frame$y, c(y[1:2], plain, y[2]))
  expect_identical(rbind(data.frame(y = plain), data.frame(y = y[1]))$y, c(plain, y[1]))
  expect_identical(split(frame$y, 1:4)[[4]], y[2])
})

test_that("Surv() comes in by formula, by column and as y", {
  skip_if_not_installed("survival")
  rows <- data.frame(time = c(4, 2, 7, 5, 1, 9), status = c(1, 0, 1, 1, 1, 0), x = c(1, 3, 2, 5, 4, 6),
                     g = rep(c("a", "b"), each = 3))
  rows$s <- survival::Surv(rows$time, rows$status)
  by_formula <- dg_glm(survival::Surv(time, status) ~ x | g, data = rows, lambda = 1)
  expect_identical(by_formula$y, domgen:::censored_times(rows$time, rows$status))
  by_dot <- dg_glm(s ~ . | g, data = rows[c("s", "x", "g")], lambda = 1)
  by_matrix <- dg_glm(cbind(x = rows$x), rows$s, rows$g, lambda = 1)
  expect_equal(predict(by_dot, rows), predict(by_formula, rows))
  expect_equal(predict(by_matrix, cbind(x = rows$x), domain = rows$g), predict(by_formula, rows))
  # 1 and 2 are censored and seen
  coded <- dg_glm(survival::Surv(time, status + 1) ~ x | g, data = rows, lambda = 1)
  expect_identical(coded$y, by_formula$y)
  rows$time[2] <- NA
  expect_warning(fewer <- dg_glm(survival::Surv(time, status) ~ x | g, data = rows, lambda = 1),
                 class = "domgen_warning_missing")
  expect_identical(nobs(fewer), 5L)
})

test_that("other methods and other times are refused in words", {
  skip_if_not_installed("survival")
  rows <- data.frame(time = 1:6, status = 1, x = 6:1, g = rep(c("a", "b"), each = 3))
  formula <- survival::Surv(time, status) ~ x | g
  for (method in list(dg_ridge, dg_svm, dg_gp, dg_dica, dg_kpca)) {
    expect_error(method(formula, data = rows), "dg_glm\\(family = \"cox\"\\)",
                 class = "domgen_error_data")
  }
  late <- survival::Surv(rows$time - 0.5, rows$time, rows$status)
  expect_error(dg_forest(rows["x"], late, rows$g), "late entry", class = "domgen_error_data")
  rows$kind <- factor(c("censored", "a", "b", "a", "b", "a"), c("censored", "a", "b"))
  expect_error(dg_lm(survival::Surv(time, kind) ~ x | g, data = rows), "status == .a.",
               class = "domgen_error_data")
  expect_error(dg_glm(survival::Surv(time, status, type = "left") ~ x | g, data = rows), "left",
               class = "domgen_error_data")
  expect_error(fit(dg_null(), formula, data = row_source(rows, block_size = 40)), "censored",
               class = "domgen_error_data")
})

test_that("the unit of time changes no coefficient, and rounding of times none", {
  skip_if_not_installed("survival")
  set.seed(sample(1e6, 1))
  rows <- data.frame(time = sample(12, 40, TRUE), status = rbinom(40, 1, 0.7), x = rnorm(40),
                     g = rep(1:4, 10))
  rows$start <- rows$time * runif(40, 0, 0.9)
  units <- c(1, 1e-300, 10^runif(3, -20, 20), 1e300)
  slopes <- unname(vapply(units, function(unit) {
    rows$end <- rows$time * unit
    late <- rows$start * unit
    # what adding and subtracting leaves
    rows$noisy <- rows$end * (1 + 4 * .Machine$double.eps * rbinom(40, 1, 0.5))
    c(coef(dg_lm(survival::Surv(end, status) ~ x | g, rows)),
      coef(dg_lm(survival::Surv(noisy, status) ~ x | g, rows)),
      coef(dg_lm(survival::Surv(late, end, status) ~ x | g, cbind(rows, late))),
      predict(dg_glm(survival::Surv(noisy, status) ~ x | g, rows, lambda = 1), rows)[1])
  }, numeric(4)))
  expect_equal(slopes, matrix(slopes[, 1], 4, length(units)), tolerance = 1e-7)
  peer <- function(y) unname(coef(survival::coxph(y ~ x, rows)))
  expect_equal(slopes[1:3, 1], c(rep(peer(survival::Surv(rows$time, rows$status)), 2),
                                 peer(survival::Surv(rows$start, rows$time, rows$status))),
               tolerance = 1e-7)
})
