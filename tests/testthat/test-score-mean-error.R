test_that("groups of folds are left out in pairs", {
  plan_of <- function(domain, folds) {
    domain <- factor(domain)
    task <- list(domain = domain, row = seq_along(domain), n = length(domain))
    c(pairs_of_folds(fold_splits(read_folds(folds, task), task), domain), list(domain = domain))
  }
  by_hand <- function(plan) {
    pairs <- combn(max(plan$group), 2)
    expect_length(plan$splits, ncol(pairs))
    for (k in seq_len(ncol(pairs))) {
      split <- plan$splits[[k]]
      expect_identical(split$pair, pairs[, k])
      expect_identical(split$held, which(plan$group %in% pairs[, k]))
      expect_identical(split$train, setdiff(seq_along(plan$group), split$held))
    }
    # whole domains
    expect_true(all(tapply(plan$group, plan$domain, function(g) length(unique(g))) == 1))
  }
  rows <- rep(1:7, c(2, 3, 1, 4, 2, 2, 5))
  by_hand(plan_of(rows, NULL))
  set.seed(1)
  folds <- domain_folds(rows, 4)
  plan <- plan_of(rows, folds)
  by_hand(plan)
  expect_identical(plan$group, unname(unclass(folds)[as.character(rows)]))
  # at most ten groups of about as many
  plan <- plan_of(rep(1:33, 2), NULL)
  by_hand(plan)
  expect_identical(range(tabulate(plan$group)), c(6L, 8L))
  # the first of several repeats
  set.seed(1)
  twice <- domain_folds(rows, 4, repeats = 2)
  expect_identical(plan_of(rows, twice)$group, unname(twice[as.character(rows), 1]))
  # two folds leave nothing, rows of known domains say nothing of others
  expect_null(plan_of(rows, domain_folds(rows, 2))$splits)
  expect_null(plan_of(rows, row_folds(rows, 3))$splits)
  expect_null(plan_of(rep(1:3, 2), NULL)$splits)
})

# The help's formulas. without[g, L]: score of g by fits without its own group and L.
naive_error <- function(d, without, group, off = 0, share = 1 - 1 / length(d)) {
  G <- length(d)
  cells <- data.frame(change = c(without - d), g = gl(G, 1, G * ncol(without)),
                      L = gl(ncol(without), G))
  w <- summary(lm(change ~ g + L, cells))$sigma^2
  J <- max(group)
  v <- function(mean_without) {
    m <- vapply(seq_len(J), mean_without, 0)
    h <- G / tabulate(group)
    centre <- sum((h - 1) * m) / sum(h - 1)
    sum((h - 1) * (m - centre)^2) / J
  }
  refits <- v(function(L) mean(without[group != L, L]))
  scores <- v(function(L) mean(d[group != L]))
  excess <- max(0, refits - scores - off * w * mean(1 / tabulate(group)))
  own <- var(d) / G
  if (excess < own / share) return(c(sqrt(own * (1 + 1 / share)), G - 1))
  df <- (own + excess)^2 / (own^2 / (G - 1) + excess^2 / (J - 1))
  c(sqrt(own + excess), min(df, G - 1))
}

test_that("the standard error is the formula, in any unit, from fits that were made", {
  set.seed(2)
  toy <- toy_domains(7, 10)
  folds <- domain_folds(toy$domain, 4)
  spec <- dg_ridge(lambda = 0.1)
  result <- dg_cv(spec, y ~ . | domain, data = toy, folds = folds, refits = TRUE,
                  metric = c("mae", "rmse"))
  group <- unname(unclass(folds))
  without <- matrix(NA, 7, 4)
  for (g in 1:7) for (L in setdiff(1:4, group[g])) {
    out <- levels(toy$domain)[group %in% c(group[g], L)]
    model <- fit(spec, y ~ . | domain, data = toy[!toy$domain %in% out, ])
    own <- toy[toy$domain == levels(toy$domain)[g], ]
    without[g, L] <- mean(abs(own$y - predict(model, own)))
  }
  expect_equal(result$refits$without$mae$scores, without, tolerance = 1e-7)
  expect_identical(result$refits$fits, 6L)
  expected <- naive_error(result$domains$mae, without, group, share = result$share)
  expect_equal(c(result$se, result$errors$mae$df), expected, tolerance = 1e-6)
  expect_false(result$errors$rmse$se == result$se)
  # by fits that change more, the jackknife is the larger one; by less, the factor is
  for (change in c(0.1, 1, 3)) {
    changed <- result$domains$mae + change * (without - result$domains$mae)
    error <- function(off, unit = 1) {
      mean_error(unit * result$domains$mae, list(scores = unit * changed, group = group), off = off)
    }
    naive <- function(off) naive_error(result$domains$mae, changed, group, off)
    for (off in c(0, 0.5)) {
      expect_equal(c(error(off)$se, error(off)$df), naive(off), tolerance = 1e-6)
    }
    for (unit in c(1e-200, 1e180)) {
      scaled <- error(0, unit)
      expect_equal(c(scaled$se / unit, scaled$df), naive(0), tolerance = 1e-6)
    }
    expect_identical(error(0)$how, if (change == 3) "jackknife" else "factor")
    if (change == 3) expect_lt(error(0.5)$se, error(0)$se)
  }
  # predictions, and so scores, are the same without refits
  plain <- dg_cv(spec, y ~ . | domain, data = toy, folds = folds, metric = c("mae", "rmse"))
  expect_identical(plain$predictions, result$predictions)
  expect_null(plain$refits)
})

test_that("without refits the variance has Nadeau and Bengio's factor", {
  set.seed(3)
  d <- rnorm(9)
  error <- mean_error(d, NULL, share = 0.8)
  expect_equal(error$se^2, var(d) * (1 / 9 + 0.25 * 5 / 9))
  expect_identical(error[c("df", "how")], list(df = 8, how = "factor"))
  expect_equal(mean_interval(mean(d), mean_error(d, NULL, 1e300)), c(t.test(d)$conf.int))
  expect_equal(mean_error(c(d, NA), NULL, 0.8), error)
  expect_identical(mean_error(rep(2, 5))[1:2], list(se = 0, df = 4))
  for (v in list(3, numeric(), c(1, Inf), c(NA, 1))) expect_identical(mean_error(v)$se, NA_real_)
  # with one missing score among the refits
  without <- list(scores = matrix(rnorm(81), 9), group = 1:9)
  without$scores[2, 3] <- NA
  expect_identical(mean_error(d, without)$how, "factor")
})

test_that("positive losses have Student's interval on the log scale, others on their own", {
  scores <- c(1.2, 0.4, 3, 0.8, 1.1)
  se <- sd(scores) * sqrt(1 / 5 + 1 / 4)
  t <- qt(0.975, 4)
  on_log <- mean(scores) * exp(c(-1, 1) * t * se / mean(scores))
  interval <- function(metric, d = scores) mean_interval(mean(d), score_error(metric, d))
  for (name in c("rmse", "mae", "log_loss", "brier", "interval_score")) {
    expect_equal(interval(metrics[[name]]), on_log)
  }
  expect_equal(interval(metric_deviance(poisson)), on_log)
  plain <- mean(scores) + c(-1, 1) * t * se
  expect_equal(interval(metrics$log_density), plain)
  # a loss of zero has no logarithm
  zero <- replace(scores, 2, 0)
  expect_equal(interval(metrics$rmse, zero), mean_interval(mean(zero), mean_error(zero)))
  expect_lt(plain[1], on_log[1])
  # differences keep their own scale
  expect_null(metric_error(metrics$rmse, scores)$positive)
})

test_that("print, summary, glance, plot and report give the same interval of a score", {
  toy <- with_seed(2, toy_domains(5, 8))
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy)
  d <- cv$domains$score
  se <- sd(d) * sqrt(1 / 5 + 1 / 4)
  expected <- mean(d) * exp(c(-1, 1) * qt(0.975, 4) * se / mean(d))
  expect_equal(unlist(glance(cv)[c("conf.low", "conf.high")], use.names = FALSE), expected)
  expect_equal(unlist(summary(cv)$metrics[c("lower", "upper")], use.names = FALSE), expected)
  expect_equal(attr(cv_frame(cv, FALSE), "mean")[2:3], expected)
  words <- mean_words(expected)
  expect_match(words, "95 % interval [0-9.]+ to [0-9.]+")
  expect_output(print(cv), words, fixed = TRUE)
  expect_match(report_table(cv)$notes[2], words, fixed = TRUE)
  expect_output(print(cv), "of the same kind")
})

test_that("skewed means have the outer ends of two intervals", {
  error <- list(se = 2, df = 4)
  t <- qt(0.975, 4)
  bent <- function(mean) 2 * sinh(asinh(mean / 2) + c(-1, 1) * t / sqrt(1 + mean^2 / 4))
  expect_equal(skewed_interval(10, error), c(10 - 2 * t, bent(10)[2]))
  expect_equal(skewed_interval(-10, error), -rev(skewed_interval(10, error)))
  # far from zero the scale is that of the logarithm
  expect_equal(skewed_interval(1e6, list(se = 1e4, df = 4))[2],
               1e6 * exp(t * 1e4 / 1e6), tolerance = 1e-4)
  expect_equal(skewed_interval(3, list(se = 0, df = 4)), c(3, 3))
  expect_identical(skewed_interval(3, no_error()), c(NA_real_, NA_real_))
})

test_that("a fit without two folds that fails costs the refits, not the comparison", {
  # three domains out of four have the second class in one only
  toy <- toy_classes(4, 12)
  toy$y[toy$domain %in% c("d3", "d4")] <- "1"
  result <- dg_compare(list(lm = dg_lm()), y ~ . | domain, data = toy)
  expect_match(result$runs$lm$refits$error, "held out: ")
  expect_identical(result$inference$how[2:1], c("none", "factor"))
  expect_output(print(result), "note, refits without two folds failed: With domains")
  expect_output(print(result), "[(]Nadeau-Bengio[)]")
})

test_that("intervals of a difference cover it under leave-one-domain-out", {
  # ridge regressions on x, and on x and its mean by domain, by sums over domains: a row each
  set.seed(7)
  q <- 4L
  p <- 2L * q + 1L
  draw <- function(g) {
    m <- rnorm(q)
    X <- matrix(rnorm(10 * q), 10) + rep(m, each = 10)
    Z <- cbind(1, X, matrix(m, 10, q, byrow = TRUE))
    y <- drop(X %*% c(1, 0.5, 0.2, 0)) + 0.5 * m[1] + rnorm(1) + rnorm(10)
    c(crossprod(Z), -2 * crossprod(Z, y), sum(y^2))
  }
  score <- function(data, train, held, own) {
    total <- colSums(data[train, , drop = FALSE])
    A <- matrix(total[seq_len(p^2)], p)[own, own] + diag(c(0, rep(1, length(own) - 1)))
    w <- replace(numeric(p), own, solve(A, -total[p^2 + own] / 2))
    sqrt(drop(data[held, , drop = FALSE] %*% c(tcrossprod(w), w, 1)) / 10)
  }
  G <- 8L
  domain <- factor(seq_len(G))
  task <- list(domain = domain, row = seq_len(G), n = G)
  splits <- fold_splits(domain_folds(domain), task)
  plan <- pairs_of_folds(splits, domain)
  runs <- replicate(150, {
    data <- t(vapply(seq_len(G), draw, numeric(p^2 + p + 1)))
    difference <- function(s) {
      score(data, s$train, s$held, seq_len(p)) - score(data, s$train, s$held, seq_len(q + 1))
    }
    d <- vapply(splits, difference, 0)
    found <- lapply(plan$splits, function(s) cbind(score = `names<-`(difference(s), domain[s$held])))
    without <- scores_without(plan, found, domain)$score
    line <- paired_line(d, mean_error(d, without, off = 0.5))
    c(line$difference, line$lower, line$upper, t.test(d)$conf.int)
  })
  truth <- mean(runs[1, ])
  # three standard errors of 150 runs: 0.053
  expect_gt(mean(runs[2, ] <= truth & truth <= runs[3, ]), 0.95 - 0.053)
  # as if domains were independent
  expect_lt(mean(runs[4, ] <= truth & truth <= runs[5, ]), 0.85)
  expect_lt(mean(runs[3, ] - runs[2, ]) / (2 * 1.96 * sd(runs[1, ])), 3)
})

test_that("an interval of scores ends where scores do, and equal scores have none", {
  two <- score_error(metrics$accuracy, c(0.69, 0.61))
  expect_identical(mean_interval(0.65, two), c(0, 1))
  expect_lt(mean_interval(0.65, mean_error(c(0.69, 0.61)))[1L], 0)
  # all right in three domains is not all right in every domain
  equal <- score_error(metrics$coverage, c(1, 1, 1))
  expect_identical(mean_interval(1, equal), c(NA_real_, NA_real_))
  suppressMessages(cv <- dg_cv(dg_ridge(lambda = 1), Petal.Width ~ Petal.Length | Species,
                               data = iris, metric = c("rmse", "coverage")))
  expect_match(capture.output(print(cv)), "coverage of 90 % intervals: mean over domains 1$", all = FALSE)
})
