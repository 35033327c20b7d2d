# The number by which a rule compares scores by domain, in searches and summaries.

rule_toy <- toy_domains(5, 14)

test_that("a rule is the mean, the largest loss or its type-7 quantile, without missing domains", {
  loss <- c(3, NA, 1, 2, 7, 5)
  sorted <- c(1, 2, 3, 5, 7)
  expect_identical(rule_loss(loss, "best"), mean(sorted))
  expect_identical(rule_loss(loss, "one_se"), mean(sorted))
  expect_identical(rule_loss(loss, NULL), mean(sorted))
  expect_identical(rule_loss(loss, "worst"), 7)
  # place 1 + (n - 1) q among the sorted
  expect_equal(rule_loss(loss, 0.9), 5 + 0.6 * 2)
  expect_equal(rule_loss(loss, 0.75), 5)
  expect_identical(rule_loss(c(NA_real_, NA), "worst"), NA_real_)
  # where more is better, the worst are the smallest
  scores <- cbind(a = c(0.9, 0.5, 0.7), b = c(0.8, 0.6, NA))
  expect_identical(rule_losses(scores, "high", "worst"), c(a = -0.5, b = -0.6))
  table <- data.frame(mean = 1:2)
  expect_identical(with_rule_scores(table, scores, "high", "worst")$worst, c(0.5, 0.6))
  expect_identical(with_rule_scores(table, scores, "high", "best"), table)
})

test_that("a quantile is between mean and worst as its number grows, and is the worst at the end", {
  loss <- with_seed(1, rexp(20))
  q <- vapply(c(0.51, 0.7, 0.9, 0.999999), function(q) rule_loss(loss, q), 0)
  expect_false(is.unsorted(q))
  expect_equal(q[4L], rule_loss(loss, "worst"), tolerance = 1e-4)
  # invariant to order, equivariant to units
  expect_equal(rule_loss(rev(loss), 0.8), rule_loss(loss, 0.8))
  expect_equal(rule_loss(2 + 3 * loss, 0.8), 2 + 3 * rule_loss(loss, 0.8))
})

test_that("a gain by the mean is more than the standard error of the mean difference", {
  before <- c(2, 3, 4, 5)
  expect_true(is_better(before, before - 1, "low", "best"))
  expect_true(is_better(before, before + 1, "high", "best"))
  expect_false(is_better(before, before, "low", "best"))
  after <- before - c(1, -1, 1, -0.5)
  expect_identical(is_better(before, after, "low", "best"),
                   mean(before - after) > sd(before - after) / 2)
  # the worst domain gains 0.5 where the mean gains nothing
  other <- c(2.1, 3.2, 4.2, 4.5)
  expect_false(is_better(before, other, "low", "best"))
  expect_true(is_better(before, other, "low", "worst"))
  expect_false(is_better(NA_real_, 1, "low", "best"))
})

test_that("dg_tune() selects by the scores of its domains, by the rule", {
  grid <- list(lambda = 10^(-2:1), bandwidth_factor = c(0.5, 2))
  run <- function(rule, metric = "rmse") {
    dg_tune(dg_ridge(), y ~ . | domain, data = rule_toy, grid = grid, extend = FALSE, rule = rule,
            metric = metric)
  }
  for (metric in c("rmse", "r2")) {
    sign <- if (metric == "r2") -1 else 1
    best <- run("best", metric)
    loss <- sign * best$tuning$scores
    worst <- run("worst", metric)
    expect_identical(worst$tuning$chosen, which.min(apply(loss, 2, max)))
    expect_equal(worst$tuning$table$worst, sign * apply(loss, 2, max))
    most <- run(0.8, metric)
    expect_identical(most$tuning$chosen, which.min(apply(loss, 2, quantile, 0.8)))
    expect_equal(most$tuning$table$quantile, sign * unname(apply(loss, 2, quantile, 0.8)))
  }
  expect_null(best$tuning$table$worst)
  expect_said(print(worst), "by the score of the worst domain")
  expect_said(print(most), "by the score that 80 % of domains reach")
  expect_output(print(summary(worst)), "worst")
  expect_equal(predict(worst, rule_toy),
               predict(do.call(dg_ridge, c(list(y ~ . | domain, data = rule_toy,
                 lambda = worst$tuning$best$lambda,
                 kernel = kernel_rbf(bandwidth_factor = worst$tuning$best$bandwidth_factor)))),
                 rule_toy))
  expect_plots(worst, type = "curves")
  expect_plots(most)
  for (bad in list(0.5, 1, "two", c(0.6, 0.7), NA)) {
    expect_domgen_error(dg_tune(dg_ridge(), rule = bad), "or a number between 0.5 and 1")
  }
})

test_that("dg_auto() selects lambda, candidates and their number by the rule", {
  fitted <- function(rule) {
    dg_auto(y ~ . | domain, data = rule_toy, rule = rule, n_members = 1, max_ard = 0,
            progress = FALSE)
  }
  sample <- read_sample(read_input(list(x = y ~ . | domain, data = rule_toy)),
                        list(response = "any", domain = TRUE), "none")
  for (rule in list("worst", 0.75)) {
    args <- dg_auto(rule = rule, progress = FALSE)$args
    search <- new_search(args, sample, metrics$rmse, FALSE, args$max_rows)
    try_scalings(search)
    by_rule <- function(loss) {
      if (is.numeric(rule)) quantile(loss, rule, names = FALSE) else max(loss)
    }
    # each candidate at the lambda that is best by the rule
    for (found in search$found) {
      part <- found$parts[[1L]]
      loss <- apply(part$scores, 2, by_rule)
      expect_identical(found$lambda, part$lambdas[max(which(loss == min(loss)))])
    }
    loss <- vapply(search$found, function(f) by_rule(f$scores), 0)
    expect_equal(found_losses(search), unname(loss))
    expect_identical(choose_members(search, 1)$keys[1L], names(which.min(loss)))
    model <- fitted(rule)
    expect_identical(model$choice$rule, rule)
    column <- if (is.numeric(rule)) "quantile" else "worst"
    expect_equal(model$choice$table[[column]], unname(apply(model$choice$scores, 2, by_rule)))
    expect_said(print(model), "Selected by the score")
  }
  expect_domgen_error(dg_auto(rule = "one_se"), "or a number between 0.5 and 1")
})

test_that("summaries say what nine of ten domains reach", {
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = rule_toy, metric = c("rmse", "r2"))
  found <- summary(cv)$metrics
  expect_equal(found$nine_tenths, c(quantile(cv$domains$score, 0.9, names = FALSE),
                                    quantile(cv$domains$r2, 0.1, names = FALSE)))
  expect_output(print(summary(cv)), "nine of ten domains reach")
  compared <- dg_compare(list(a = dg_lm(), b = dg_ridge(lambda = 1)), y ~ . | domain,
                         data = rule_toy, refits = FALSE)
  expect_equal(summary(compared)$methods$nine_tenths,
               unname(apply(compared$scores, 2, quantile, 0.9)))
})
