times_of <- function(time, event) domgen:::censored_times(time, event)

test_that("it is survival's concordance, whatever is tied", {
  skip_if_not_installed("survival")
  set.seed(1)
  for (k in 1:20) {
    n <- sample(5:80, 1)
    time <- sample.int(if (k %% 2) 12 else 1000, n, replace = TRUE)
    event <- rbinom(n, 1, 0.6)
    f <- if (k %% 3) rnorm(n) else sample(4, n, replace = TRUE)
    theirs <- survival::concordance(survival::Surv(time, event) ~ f, reverse = TRUE)$concordance
    expect_equal(concordance(times_of(time, event), f), theirs, tolerance = 1e-12)
  }
})

test_that("it is the share of pairs, counted one by one", {
  set.seed(2)
  time <- sample.int(15, 40, replace = TRUE)
  event <- rbinom(40, 1, 0.7)
  f <- round(rnorm(40), 1)
  pairs <- good <- 0
  for (i in seq_along(time)) for (j in seq_along(time)) {
    first <- event[i] == 1 && (time[i] < time[j] || time[i] == time[j] && event[j] == 0)
    if (!first) next
    pairs <- pairs + 1
    good <- good + if (f[i] > f[j]) 1 else if (f[i] == f[j]) 0.5 else 0
  }
  expect_equal(concordance(times_of(time, event), f), good / pairs, tolerance = 1e-14)
})

test_that("domains without a pair have none, and others are not touched by them", {
  expect_identical(concordance(times_of(1:3, c(0, 0, 0)), 1:3), NA_real_)
  expect_identical(concordance(times_of(c(2, 2), c(1, 1)), 1:2), NA_real_)
  expect_identical(concordance(times_of(1, 1), 1), NA_real_)
  expect_identical(concordance(times_of(1:2, c(1, 0)), 2:1), 1)
  expect_identical(concordance(times_of(1:2, c(1, 0)), c(1, 1)), 0.5)
  d <- list(truth = times_of(c(1:4, 5:6), c(1, 1, 0, 1, 0, 0)), decision = c(4:1, 1:2))
  found <- domgen:::score_groups(d, factor(rep(c("a", "b"), c(4, 2))), domgen:::metrics$concordance)
  expect_identical(found, c(a = 1, b = NA))
})
