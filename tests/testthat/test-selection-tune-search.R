# Scores that are a function of the specification: what the search makes of them.
searched <- function(score, grid, ..., spec = dg_ridge()) {
  count <- new.env()
  count$calls <- 0L
  toy <- toy_domains(3, 8)
  evaluate <- function(specs, task, split, needs, begin) lapply(specs, function(spec) {
    value <- score(spec)
    count$calls <- count$calls + 1L
    if (is.na(value)) return(list(error = simpleError("fails"), seconds = 0))
    rows <- split$held
    list(predictions = data.frame(row = rows, domain = task$domain[rows], fold = split$fold,
                                  rep = 1L, truth = 0, prediction = value),
         seconds = 0, warnings = character())
  })
  tuned <- with_replaced("evaluate_split", evaluate,
                         dg_tune(spec, y ~ . | domain, data = toy, grid = grid, folds = 2,
                                 metric = metric_custom(function(truth, prediction) {
                                   mean(prediction)
                                 }), ...))
  list(table = tuned$tuning$table, best = tuned$tuning$best, chosen = tuned$tuning$chosen,
       evaluations = count$calls)
}
lambda_of <- function(spec) spec$args$lambda
# a kernel does not note the usual 1
times_of <- function(spec) if (is.null(spec$args$kernel$bandwidth_factor)) 1 else spec$args$kernel$bandwidth_factor
bowl <- function(at) function(spec) abs(log10(lambda_of(spec)) - at)

test_that("a grid goes on beyond its border to the optimum, and stops there", {
  up <- searched(bowl(3), list(lambda = 10^(-2:0)))
  expect_equal(up$best$lambda, 1e3)
  expect_equal(sort(up$table$lambda), 10^(-2:4))
  down <- searched(bowl(-4), list(lambda = 10^(-2:0)))
  expect_equal(down$best$lambda, 1e-4)
  expect_equal(sort(down$table$lambda), 10^(-5:0))
  inside <- searched(bowl(-1), list(lambda = 10^(-2:0)))
  expect_equal(inside$table$lambda, 10^(-2:0))
  # no more than five steps
  far <- searched(bowl(30), list(lambda = 10^(-2:0)))
  expect_equal(sort(far$table$lambda), 10^(-2:5))
  expect_equal(searched(bowl(30), list(lambda = 10^(-2:0)), extend = FALSE)$best$lambda, 1)
})

test_that("a grid goes on only where the gain is more than noise over domains", {
  step <- function(gain, noise) {
    evaluate <- function(specs, task, split, needs, begin) lapply(specs, function(spec) {
      rows <- split$held
      at <- log10(lambda_of(spec))
      value <- 10 - gain * at + noise(as.integer(task$domain[rows]), at)
      list(predictions = data.frame(row = rows, domain = task$domain[rows], fold = split$fold,
                                    rep = 1L, truth = 0, prediction = value),
           seconds = 0, warnings = character())
    })
    metric <- metric_custom(function(truth, prediction) mean(prediction))
    tuned <- with_replaced("evaluate_split", evaluate,
                           dg_tune(dg_ridge(), y ~ . | domain, data = toy_domains(6, 6),
                                   grid = list(lambda = 10^(-2:0)), folds = 2, metric = metric))
    max(tuned$tuning$table$lambda)
  }
  # 0.01 a step, where domains differ much but alike at every step
  expect_equal(step(gain = 0.01, noise = function(domain, at) 10 * domain), 1e5)
  # where each step is up in half the domains and down in the others, by more
  expect_equal(step(gain = 0.01, noise = function(domain, at) (-1)^(domain + at)), 1)
  # a gain, then none
  expect_equal(step(gain = 0.01,
                    noise = function(domain, at) if (at > 1) (-1)^(domain + at) else 0),
               100)
})

test_that("a time budget that is spent gives the best so far and says so", {
  toy <- toy_domains(4, 10)
  grid <- list(lambda = c(10, 0.1, 1), bandwidth_factor = c(1, 2))
  tune <- function(...) dg_tune(dg_ridge(), y ~ . | domain, data = toy, grid = grid, folds = 2, ...)
  set.seed(2)
  whole <- tune()
  expect_false(whole$tuning$time_limit$reached)
  set.seed(2)
  expect_identical(tune(max_seconds = 1e6)$tuning$table$mean, whole$tuning$table$mean)
  for (search in c("grid", "random", "coordinate")) {
    set.seed(2)
    none <- tune(max_seconds = 1e-9, search = search, size = 3)
    expect_identical(nrow(none$tuning$table), 1L)
    expect_true(none$tuning$time_limit$reached)
    expect_said(print(none),
                "Time limit of 1e-09 s reached before the search was complete: the best")
    expect_length(predict(none, toy), nrow(toy))
  }
  same <- whole$tuning$table
  found <- none$tuning$table
  expect_equal(found$mean, same$mean[same$lambda == found$lambda & same$bandwidth_factor == found$bandwidth_factor])
  expect_names_argument(list(function() tune(max_seconds = 0), function() tune(max_seconds = "1h")), "max_seconds")
  expect_output(print(tune(max_seconds = 1e6)), "Best of")
})

test_that("a time budget keeps what was scored before it was spent", {
  clock <- new.env()
  clock$now <- 0
  set.seed(2)
  # each look at the clock takes a second
  tuned <- with_replaced("seconds_now", function() {
    clock$now <- clock$now + 1
    clock$now
  }, dg_tune(dg_svm(), y ~ . | domain, data = toy_domains(4, 10), folds = 2, extend = FALSE,
             grid = list(bandwidth_factor = c(0.5, 1, 2, 4), cost = c(1, 10)), max_seconds = 10))
  tried <- nrow(tuned$tuning$table)
  expect_true(tried > 1L && tried < 8L)
  expect_false(anyNA(tuned$tuning$table$mean))
  expect_identical(tuned$tuning$chosen, which.min(tuned$tuning$table$mean))
})

test_that("a grid in two directions goes on in both", {
  score <- function(spec) (log10(lambda_of(spec)) - 2)^2 + (log2(times_of(spec)) + 4)^2
  found <- searched(score, list(lambda = 10^(-1:1), bandwidth_factor = 2^(-2:0)))
  expect_equal(found$best, list(lambda = 100, bandwidth_factor = 1 / 16))
  # nothing is tried twice
  expect_false(anyDuplicated(found$table[c("lambda", "bandwidth_factor")]) > 0)
  expect_equal(found$evaluations, 2 * nrow(found$table))
})

test_that("only numbers with a constant step or ratio go on", {
  value <- function(x, at) next_value(as.list(x), at)
  expect_equal(value(c(1, 10, 100), 3), 1000)
  expect_null(value(c(1, 10, 100), 1))
  expect_equal(value(c(0.1, 1, 10), 1), 0.01)
  expect_equal(value(c(100, 1, 10), 1), 1000)
  expect_equal(value(c(0, 0.25, 0.5), 3), 0.75)
  expect_equal(value(c(0, 0.25, 0.5), 1), -0.25)
  expect_null(value(c(1, 3, 4), 3))
  expect_null(value(c(1, 10), 2))
  expect_null(value(c(1, 10, 100), 2))
  expect_null(value(c("a", "b", "c"), 3))
  # numbers of components and neighbours stay whole
  expect_null(value(2^(0:3), 1))
  expect_equal(value(2^(0:3), 4), 16)
  expect_equal(value(1:4, 4), 5)
  # what the method would refuse is not tried: tau is at most 1
  tau <- searched(function(spec) -spec$args$domain_kernel$tau,
                  list(domain_kernel.tau = c(0, 0.4, 0.8)),
                  spec = dg_ridge(domain_kernel = domain_multitask(0.5)))
  expect_equal(tau$table$domain_kernel.tau, c(0, 0.4, 0.8))
})

test_that("a search by coordinates finds the optimum of a sum with fewer fits than the grid", {
  score <- function(spec) (log10(lambda_of(spec)) - 1)^2 + (log2(times_of(spec)) - 2)^2
  grid <- list(lambda = 10^(-3:3), bandwidth_factor = 2^(-3:3))
  found <- searched(score, grid, search = "coordinate")
  expect_equal(found$best, list(lambda = 10, bandwidth_factor = 4))
  expect_equal(nrow(found$table), 7L + 6L + 6L)
  expect_equal(found$evaluations, 2 * 19)
  whole <- searched(score, grid, search = "grid")
  expect_equal(nrow(whole$table), 49L)
  expect_equal(whole$best, found$best)
  # beyond the border, one step after the other
  beyond <- searched(function(spec) score(spec) + 10 * abs(log10(lambda_of(spec)) - 5), grid,
                     search = "coordinate")
  expect_equal(beyond$best, list(lambda = 1e5, bandwidth_factor = 4))
  # coordinates that depend on each other take several rounds
  ridge <- function(spec) {
    a <- log10(lambda_of(spec))
    b <- log2(times_of(spec))
    10 * (a - b)^2 + (a + b - 4)^2
  }
  found <- searched(ridge, grid, search = "coordinate")
  at <- c(log10(found$best$lambda), log2(found$best$bandwidth_factor))
  steps <- rbind(c(1, 0), c(-1, 0), c(0, 1), c(0, -1))
  value <- function(p) 10 * (p[1] - p[2])^2 + (p[1] + p[2] - 4)^2
  for (i in 1:4) expect_lte(value(at), value(at + steps[i, ]))
})

test_that("a search by coordinates leaves a line on which everything fails", {
  # the middle bandwidth, where it starts, fails with every lambda
  score <- function(spec) if (times_of(spec) == 1) NA else bowl(1)(spec) + times_of(spec)
  found <- searched(score, list(lambda = 10^(-1:1), bandwidth_factor = c(0.5, 1, 2)), search = "coordinate",
                    extend = FALSE)
  expect_equal(found$best, list(lambda = 10, bandwidth_factor = 0.5))
  expect_gt(sum(!is.na(found$table$error)), 0)
})

test_that("a random search draws choices of the grid without repetition", {
  grid <- list(lambda = 10^(-3:3), bandwidth_factor = 2^(-3:3))
  set.seed(1)
  found <- searched(bowl(0), grid, search = "random", size = 10)
  expect_equal(nrow(unique(found$table[c("lambda", "bandwidth_factor")])), 10L)
  expect_true(all(found$table$lambda %in% grid$lambda & found$table$bandwidth_factor %in% grid$bandwidth_factor))
  expect_equal(found$chosen, which.min(found$table$mean))
  set.seed(1)
  again <- searched(bowl(0), grid, search = "random", size = 10)
  expect_identical(again$table[c("lambda", "bandwidth_factor", "mean")],
                   found$table[c("lambda", "bandwidth_factor", "mean")])
  set.seed(2)
  expect_false(identical(searched(bowl(0), grid, search = "random", size = 10)$table$lambda,
                         found$table$lambda))
  all <- searched(bowl(0), grid, search = "random", size = 100)
  expect_equal(nrow(all$table), 49L)
})

test_that("of equal scores the first is chosen, and the border of the best counts for any rule", {
  flat <- searched(function(spec) 1, list(lambda = 10^(0:2)))
  expect_equal(flat$best$lambda, 1)
  # the simplest near choice lies inside, the best at the border
  score <- function(spec) {
    c("1" = 3, "10" = 2.9, "100" = 2.8, "0.1" = 2, "0.01" = 1, "0.001" = 5)[[
      format(lambda_of(spec), scientific = FALSE)]]
  }
  found <- searched(score, list(lambda = c(0.1, 1, 10)), rule = "one_se")
  expect_true(0.01 %in% found$table$lambda)
  expect_equal(found$best$lambda, 0.01)
})
