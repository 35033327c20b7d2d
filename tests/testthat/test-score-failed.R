# Folds and methods that fail: what is done stands, is said, and can be done again.

toy <- transform(simulate_dica(domains = 6, n = 8, seed = 3), y = x1 + 0.1 * x2)
levels(toy$domain) <- paste0("d", 1:6)
luck <- new.env()
luck$fits <- 0L
# Fails where one of these domains is held out, while there is no luck.
unlucky <- function(...) {
  lost <- c(...)
  learner_custom(function(x, y, domain) {
    luck$fits <- luck$fits + 1L
    if (!luck$good && !all(lost %in% domain)) stop("no luck")
    mean(y)
  }, function(object, x) rep(object, nrow(x)))
}
cross <- function(spec, ...) dg_cv(spec, y ~ x1 + x2 | domain, data = toy, ...)
said <- function(code) {
  found <- list()
  value <- withCallingHandlers(code, warning = function(w) {
    found[[length(found) + 1L]] <<- w
    invokeRestart("muffleWarning")
  })
  list(value = value, warnings = found)
}

test_that("a fold that fails is said, the others stand, and dg_resume() does what is missing", {
  luck$good <- TRUE
  whole <- cross(unlucky("d2", "d5"), folds = c(d1 = 1, d2 = 2, d3 = 3, d4 = 1, d5 = 3, d6 = 2))
  luck$good <- FALSE
  found <- said(cross(unlucky("d2", "d5"), metric = c("rmse", "mae"),
                      folds = c(d1 = 1, d2 = 2, d3 = 1, d4 = 3, d5 = 4, d6 = 2)))
  expect_length(found$warnings, 1L)
  expect_s3_class(found$warnings[[1L]], "domgen_warning_failed")
  expect_match(conditionMessage(found$warnings[[1L]]),
               "^2 of 4 folds failed: .* no luck[.] Other results are kept")
  part <- found$value
  expect_identical(part$failed$fold, c(2L, 4L))
  expect_identical(part$domains$domain, paste0("d", 1:6))
  expect_identical(part$domains$fold, c(1L, 2L, 1L, 3L, 4L, 2L))
  expect_identical(is.na(part$domains$mae), c(FALSE, TRUE, FALSE, FALSE, TRUE, TRUE))
  expect_setequal(part$predictions$domain, c("d1", "d3", "d4"))
  expect_output(print(part), "2 of 4 folds failed: .*\"d2\"")
  expect_false(any(grepl("without a score", capture.output(print(part)))))
  expect_identical(as.data.frame(tidy(part)), part$domains)
  expect_plots(part)

  luck$good <- TRUE
  luck$fits <- 0L
  resumed <- expect_silent(dg_resume())
  expect_identical(luck$fits, 2L)
  expect_null(resumed$failed)
  expect_equal(resumed$domains$score[c(1, 3, 4)], part$domains$score[c(1, 3, 4)])
  expect_false(anyNA(resumed$domains$score))
  expect_domgen_error(dg_resume(), "nothing to resume", "domgen_error_argument")
})

test_that("what is chosen in a fold has a gap where the fold failed", {
  results <- list(list(error = "no luck"), list(parameters = list(cost = 2, kind = "a")),
                  list(parameters = list(cost = 3, kind = "b")))
  expect_identical(chosen_in_folds(results),
                   data.frame(cost = c(NA, 2, 3), kind = c(NA, "a", "b")))
  expect_identical(dim(chosen_in_folds(results[1L])), c(1L, 0L))
})

test_that("where all folds fail it is the error of the first", {
  luck$good <- FALSE
  expect_domgen_error(cross(unlucky("d1", "d2", "d3", "d4", "d5", "d6")),
                      "\"d1\" held out: .*no luck", "domgen_error_fold")
})

test_that("a method that fails on a source is a line as well", {
  map <- features_nystrom(8)
  objects <- list(ridge = dg_ridge(lambda = 1, feature_map = map))
  compare <- function(...) {
    set.seed(1)
    dg_compare(c(objects, list(...)), y ~ x1 + x2 | domain, data = row_source(toy, block_size = 40),
               metric = c("rmse", "mae"))
  }
  alone <- compare()
  own <- domgen:::left_out_fits
  with_replaced("left_out_fits", function(spec, ...) {
    if (spec$method == "dg_gp") stop("no luck")
    own(spec, ...)
  }, expect_warning(x <- compare(gp = dg_gp(feature_map = map)),
                    "^\"gp\", all folds failed: no luck[.] Other results are kept[.]$",
                    class = "domgen_warning_failed"))
  expect_equal(x$table[1:2, -11], alone$table[, -11])
  expect_identical(x$table$error, c(NA, NA, "no luck"))
  expect_output(print(x), "gp: all folds failed: no luck")
  expect_plots(x)
})

test_that("a method that fails is a line, and the others are compared as without it", {
  luck$good <- FALSE
  compare <- function(objects, ...) {
    dg_compare(objects, y ~ x1 + x2 | domain, data = toy, refits = FALSE, ...)
  }
  never <- unlucky("d1", "d2", "d3", "d4", "d5", "d6")
  both <- list(lm = dg_lm(), ridge = dg_ridge(lambda = 1))
  alone <- compare(both)
  found <- said(compare(c(both, never = list(never), some = list(unlucky("d2")))))
  expect_length(found$warnings, 1L)
  expect_match(conditionMessage(found$warnings[[1L]]),
               "^\"never\", all folds failed: .*\"some\", 1 of 6 folds failed")
  x <- found$value
  with <- match(alone$table$method, x$table$method)
  same <- c("method", "mean", "overall", "difference", "se", "lower", "upper", "p", "p_rank")
  expect_identical(x$table[with, same], alone$table[same], ignore_attr = TRUE)
  expect_true(all(is.na(alone$table$error)))
  expect_match(tidy(x)$error[x$table$method %in% c("never", "some")], "no luck")
  expect_identical(is.na(x$table$rank), x$table$method == "never")
  shown <- paste(capture.output(print(x)), collapse = " ")
  expect_match(shown, "never: all folds failed")
  expect_match(shown, "some: 1 of 6 folds failed")
  expect_s3_class(summary(x), "summary.dg_compare")
  expect_plots(x)

  expect_warning(x <- compare(c(both, never = list(never)), baseline = "never"), "all folds failed")
  expect_output(print(x), "Not compared, because the baseline failed: lm, ridge, null")
  expect_plots(x)
  luck$good <- TRUE
  expect_false(anyNA(dg_resume()$table$mean))
})
