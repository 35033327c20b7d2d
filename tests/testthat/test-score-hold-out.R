held_data <- function(seed = 5) {
  with_seed(seed, {
    d <- expand.grid(row = 1:6, device = c("A", "B", "C"), patient = 1:5)
    d$x <- stats::rnorm(nrow(d), d$patient / 5)
    d$y <- d$x + stats::rnorm(5)[d$patient] + stats::rnorm(3)[as.integer(d$device)] +
      stats::rnorm(nrow(d), 0, 0.3)
    d
  })
}

test_that("a named factor is held out as a whole: the cross-validation of that factor alone", {
  d <- held_data()
  for (formula in list(y ~ x | device / patient, y ~ x | device + patient)) {
    cv <- dg_cv(dg_lm(), formula, data = d, hold_out = "device")
    alone <- dg_cv(dg_lm(), y ~ x | device, data = d)
    expect_equal(cv$domains, alone$domains)
    expect_equal(cv$predictions$prediction, alone$predictions$prediction)
    expect_equal(c(cv$mean, cv$se, cv$overall), c(alone$mean, alone$se, alone$overall))
  }
  # of nested factors that is "all"
  all <- dg_cv(dg_lm(), y ~ x | device / patient, data = d)
  expect_equal(all$domains, alone$domains)
  # folds of one's own, by the levels that are held out
  folds <- structure(c(A = 1L, B = 1L, C = 2L), class = "domgen_folds")
  own <- dg_cv(dg_lm(), y ~ x | device / patient, data = d, folds = folds)
  expect_equal(own$domains, dg_cv(dg_lm(), y ~ x | device, data = d, folds = folds)$domains)
})

test_that("rows of crossed factors are predicted by fits that have seen neither level", {
  d <- held_data()
  cv <- dg_cv(dg_lm(), y ~ x | patient + device, data = d)
  expect_identical(nrow(cv$domains), 15L)
  for (i in seq_len(15)) {
    levels <- strsplit(cv$domains$domain[i], " + ", fixed = TRUE)[[1L]]
    own <- d$patient == levels[1L] & d$device == levels[2L]
    rest <- d$patient != levels[1L] & d$device != levels[2L]
    fit <- stats::lm(y ~ x, data = d[rest, ])
    expect_equal(cv$domains$score[i], sqrt(mean((d$y - predict(fit, d))[own]^2)))
  }
  expect_equal(cv$share, (4 / 5) * (2 / 3))
  # groups of levels: each row is held out once, with nothing of its levels in training
  set.seed(2)
  grouped <- dg_cv(dg_lm(), y ~ x | patient + device, data = d, folds = 2)
  expect_setequal(grouped$predictions$row, seq_len(nrow(d)))
  expect_identical(nrow(grouped$fits), 4L)
})

test_that("what is held out, and to what it is new, is said", {
  d <- held_data()
  words <- function(...) dg_cv(dg_null(), ..., data = d)[c("held_out", "novelty")]
  expect_identical(words(y ~ x | device / patient, hold_out = "patient"), list(
    held_out = "15 levels of `patient` held out one at a time",
    novelty = "new to the fits: `patient`; known: `device`"
  ))
  expect_identical(words(y ~ x | patient + device, folds = 2), list(
    held_out = "15 combinations of `patient`, `device` held out in 4 folds",
    novelty = "new to the fits: `patient`, `device`"
  ))
  expect_identical(words(y ~ x | patient + device, hold_out = "device")$novelty,
                   "new to the fits: `device`; known: `patient`")
  left <- dg_cv(dg_ridge(y ~ x | patient + device, data = d, lambda = 1), refit = FALSE)
  expect_identical(left$novelty, "new to the fits: no factor; known: `patient`, `device`")
  expect_null(dg_cv(dg_null(), y ~ x | device, data = d)$novelty)
  comparison <- dg_compare(list(line = dg_lm()), y ~ x | patient + device, data = d)
  expect_output(print(comparison), "new to the fits: `patient`, `device`", fixed = TRUE)
})

test_that("the error of crossed scores counts what pairs of a level share", {
  # naive: covariances of all pairs that share a level
  crossed <- expand.grid(a = factor(1:4), b = factor(1:3))
  set.seed(1)
  d <- stats::rnorm(4)[crossed$a] + stats::rnorm(3)[crossed$b] + stats::rnorm(12)
  e <- d - mean(d)
  same <- function(f) outer(f, f, "==")
  both <- same(crossed$a) & same(crossed$b)
  v <- function(shared, L) sum(outer(e, e) * shared) * L / (L - 1) / 144
  expected <- v(same(crossed$a), 4) + v(same(crossed$b), 3) - v(both, 12)
  found <- crossed_error(d, crossed, share = 0.5)
  expect_equal(found$se^2, expected * 3)
  expect_identical(found$df, 2)
})

test_that("scores of an inner factor go together in a level of the outer one", {
  d <- held_data()
  by_level <- function(scores, levels) {
    sums <- tapply(scores - mean(scores), levels, sum)
    sqrt(sum(sums^2) * length(sums) / (length(sums) - 1)) / length(scores)
  }
  inner <- dg_cv(dg_lm(), y ~ x | patient / device, data = d, hold_out = "device")
  expected <- by_level(inner$domains$score, sub(" / .*", "", inner$domains$domain))
  expect_equal(inner$se, expected * sqrt(1 + 1 / inner$share))
  expect_identical(inner$errors[[1L]]$df, 4)
  expect_null(dg_cv(dg_lm(), y ~ x | patient / device, data = d)$crossed)
  # one level tells nothing of others
  one <- dg_cv(dg_lm(), y ~ x | patient / device, data = d[d$patient == 1, ], hold_out = "device")
  expect_identical(one$errors[[1L]]$df, 2)
  left <- dg_cv(dg_ridge(y ~ x | patient / device, data = d, lambda = 1), refit = FALSE)
  expected <- by_level(left$domains$score, sub(" / .*", "", left$domains$domain))
  expect_equal(left$se, expected * sqrt(1 + 1 / left$share))
})

test_that("a search holds out what it is asked to, and inside a fit whole levels", {
  d <- held_data()
  tuned <- dg_tune(dg_ridge(), y ~ x | device / patient, data = d, hold_out = "patient", folds = 5,
                   grid = list(lambda = c(0.1, 10)), extend = FALSE)
  expect_match(tuned$tuning$held_out, "15 levels of `patient`", fixed = TRUE)
  nested <- dg_ridge(y ~ x | device / patient, data = d, domain_kernel = domain_pooled())
  alone <- dg_ridge(y ~ x | device, data = d, domain_kernel = domain_pooled())
  expect_equal(nested$lambda, alone$lambda)
})

test_that("what cannot be held out is an error", {
  d <- held_data()
  expect_error(dg_cv(dg_lm(), y ~ x | device / patient, data = d, hold_out = "school"),
               "`hold_out` must be one of \"all\", \"device\"")
  expect_error(dg_cv(dg_lm(), y ~ x | device, data = d, hold_out = "patient"),
               "one factor of domains")
  expect_error(dg_cv(dg_lm(), y ~ x | patient + device, data = d, folds = c(a = 1, b = 2)),
               "`folds` must be NULL or the number of groups")
  one <- subset(d, device == "A")
  expect_error(dg_cv(dg_lm(), y ~ x | patient + device, data = one), class = "domgen_error_data")
})
