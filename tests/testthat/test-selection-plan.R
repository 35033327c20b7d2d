chicks <- droplevels(ChickWeight[as.integer(as.character(ChickWeight$Chick)) %in% 20:40, ])

plan_toy <- function(...) {
  set.seed(1)
  with_replaced("shot_draws", 2L, {
    dg_plan(dg_lm(), weight ~ Time | Chick, data = chicks, draws = 2, ...)
  })
}

test_that("measured scores are those of fits to sites drawn at random outside of each fold", {
  domain <- factor(rep(letters[1:9], 3))
  splits <- with_seed(1, draw_splits(domain, c(2, 4), 3L, 2L))
  expect_length(splits$splits, 2 * 2 * 3)
  for (split in splits$splits) {
    train <- unique(domain[split$train])
    held <- unique(domain[split$held])
    expect_length(train, c(2, 4)[split$size])
    expect_length(intersect(train, held), 0)
    # all rows of both
    expect_length(split$train, 3 * length(train))
    expect_identical(sort(as.character(held)),
                     rownames(splits$fold)[splits$fold[, split$draw] == split$fold])
  }
  d <- chicks
  task <- cv_task(dg_lm(), read_input(list(x = weight ~ Time | Chick, data = d)))
  plan <- list(specs = list(dg_lm()), task = task, metrics = read_metrics(NULL, task$y))
  found <- with_seed(2, measure_sizes(plan, c(3, 6), 4L, 2L, new_context(FALSE)))
  splits <- with_seed(2, draw_splits(task$domain, c(3, 6), 4L, 2L))
  split <- splits$splits[[6]]
  model <- stats::lm(weight ~ Time, d[split$train, ])
  expected <- tapply((stats::predict(model, d[split$held, ]) - d$weight[split$held])^2,
                     as.character(d$Chick[split$held]), function(e) sqrt(mean(e)))
  expect_equal(c(found$scores[names(expected), split$size, split$draw]), c(expected))
})

test_that("a plan has the curve, the sites needed, the scores of each update, and crossings", {
  plan <- plan_toy(labels = c(1, 3), target = c(20, 34, 60), updates = c("intercept", "local"))
  expect_identical(plan$sites$measured, plan$sites$sites <= 16)
  expect_true(all(plan$sites$lower < plan$sites$mean & plan$sites$mean < plan$sites$upper))
  power <- plan$curve
  change <- function(from, to) stats::median(power$b * (to^-power$c - from^-power$c))
  expect_equal(plan$gains$change, c(change(min(plan$sites$sites), 16), change(21, 42)))
  expect_equal(plan$sites$score[1], mean(plan$scores[, 1, ]))
  expect_identical(plan$targets$target, c(20, 34, 60))
  expect_identical(plan$targets$sites[1], Inf)
  expect_lt(plan$targets$sites[3], 10)
  expect_identical(plan$labels[c("update", "mean")], plan$cv$shots[c("update", "mean")])
  expect_identical(plan$crossings[c("update", "other")],
                   data.frame(update = c("intercept", "local", "local"),
                              other = c("external", "external", "intercept")))
  # intervals of labels have the plan's level
  row <- plan$cv$shots[1, ]
  error <- list(se = row$se, df = row$df, range = c(0, Inf), positive = TRUE)
  expect_equal(unlist(plan$labels[1, c("lower", "upper")], use.names = FALSE),
               mean_interval(row$mean, error, 0.8))
  expect_equal(plan$targets$now,
               vapply(c(20, 34, 60), function(goal) mean(power$a + power$b * 21^-power$c <= goal), 0),
               tolerance = 1e-3)
  said <- paste(capture.output(print(plan)), collapse = " ")
  expect_match(said, "Mean RMSE 20: not reached with 210 sites")
  expect_match(said, "Mean RMSE 60: reached with")
  expect_match(said, "local model", fixed = TRUE)
})

test_that("either part can be left out, and more is better for scores of which more is better", {
  only <- plan_toy(sites = FALSE, labels = 2, updates = "slope")
  expect_null(only$sites)
  expect_output(print(only), "slope")
  with_seed(3, {
    toy <- simulate_dcm(domains = 8, n = 30, seed = 1)
    plan <- dg_plan(dg_lm(), y ~ . | domain, data = toy, labels = FALSE, draws = 2,
                    sites = c(2, 3, 5, 20), metric = "auc", target = 0.7, new_sites = 4)
  })
  expect_null(plan$labels)
  expect_false(is.unsorted(plan$sites$mean))
  expect_true(all(plan$sites$upper <= 1))
  wide <- plan$sites$upper - plan$sites$lower
  expect_true(all(wide > 0))
  skip_if_not_installed("ggplot2")
  expect_plots(plan)
  expect_plots(only)
})

test_that("what cannot be planned is an error", {
  run <- function(...) dg_plan(dg_lm(), weight ~ Time | Chick, data = chicks, ...)
  expect_error(run(sites = FALSE, labels = FALSE), "must not both be FALSE")
  expect_error(run(sites = 1.5), "`sites` must be NULL, FALSE or whole numbers")
  expect_error(run(sites = c(3, 60)), "at least 3 numbers that can be measured, up to 16")
  expect_error(run(target = "low"), "`target` must be NULL or finite numbers")
  expect_error(run(sites = FALSE, target = 3), "without a curve")
  expect_error(run(level = 2), "`level`")
  expect_error(run(metric = c("rmse", "mae")), "one score")
  expect_error(dg_plan(dg_lm(), weight ~ Time | Diet, data = ChickWeight), "at least 5 sites")
  expect_error(run(metric = "coverage"), "not of intervals")
  expect_error(suppressMessages(dg_plan(dg_lm(), weight ~ Time | Chick, sites = FALSE,
                                        data = chicks[chicks$Time %in% c(0, 6), ])),
               "nothing is left to plan")
  expect_error(run(labels = 500), "`labels` must leave two rows")
  expect_error(run(updates = "adapt"), "\"adapt\" is for `dg_svm")
  expect_error(run(labels = FALSE, updates = "local"), "`updates` must be NULL")
  expect_message(plan <- dg_plan(dg_lm(), weight ~ Time | Chick, draws = 2, sites = 3:6,
                                 data = chicks[chicks$Time %in% c(0, 6), ]), "too few rows")
  expect_null(plan$labels)
})
