skip_on_cran() # long

# Fewer draws of the rows that have labels: what is asked here does not depend on how many.
with_few_draws <- function(code) with_replaced("shot_draws", 3L, code)

shots_data <- function(domains = 5, rows = 14, seed = 3) {
  with_seed(seed, {
    d <- data.frame(g = rep(letters[seq_len(domains)], each = rows))
    shift <- stats::rnorm(domains, 0, 2)[rep(seq_len(domains), each = rows)]
    d$x <- stats::rnorm(nrow(d))
    d$y <- d$x + shift + stats::rnorm(nrow(d), 0, 0.5)
    d
  })
}

test_that("scores with k labels are those of dg_adapt() by hand, on rows that no k has labels for", {
  d <- shots_data()
  spec <- dg_ridge(lambda = 1)
  task <- cv_task(spec, read_input(list(x = y ~ x | g, data = d)))
  shots <- check_shots(c(4, 2), task, read_metrics("rmse", task$y))
  expect_identical(shots, c(0L, 2L, 4L))
  task$arms <- shot_arms(shots, "adapt")
  task$shot_metric <- read_metrics("rmse", task$y)
  held <- which(d$g == "b")
  model <- fit(spec, y ~ x | g, data = d[-held, ])
  before <- data.frame(row = held, truth = d$y[held], prediction = predict(model, d[held, ]))
  order <- c(5, 9, 2, 14, 1, 3, 4, 6:8, 10:13)
  found <- shots_of_domain(model, task, held, before)(order)
  test <- order[5:14]
  expected <- vapply(c(0, 2, 4), function(k) {
    values <- if (k == 0) before$prediction
              else predict(dg_adapt(model, d[held, ], replace(d$y[held], order[-seq_len(k)], NA)))
    sqrt(mean((values - d$y[held])[test]^2))
  }, 0)
  expect_equal(found, expected)
})

test_that("the curve has means, errors and paired changes over domains; other results stay", {
  d <- shots_data()
  set.seed(1)
  cv <- with_few_draws(dg_cv(dg_ridge(lambda = 1), y ~ x | g, data = d, shots = c(1, 5)))
  set.seed(1)
  plain <- dg_cv(dg_ridge(lambda = 1), y ~ x | g, data = d)
  expect_equal(cv[c("domains", "predictions", "mean", "se")],
               plain[c("domains", "predictions", "mean", "se")])
  expect_identical(dim(cv$shot_scores), c(5L, 3L))
  expect_equal(cv$shots$mean, unname(colMeans(cv$shot_scores)))
  change <- cv$shot_scores[, "5"] - cv$shot_scores[, "0"]
  expect_equal(cv$shots$difference[3], mean(change))
  expect_equal(cv$shots$se_difference[3], sd(change) / sqrt(5) * sqrt(1 + 5 / 4))
  # domains differ by a shift, which labels tell
  expect_lt(cv$shots$mean[3], cv$shots$mean[1])
  set.seed(1)
  again <- with_few_draws(dg_cv(dg_ridge(lambda = 1), y ~ x | g, data = d, shots = c(0, 5, 1)))
  expect_equal(again$shots, cv$shots)
  expect_output(print(cv), "labels", fixed = TRUE)
})

test_that("with refits errors are those of fits without two domains, adapted by the same rows", {
  d <- shots_data(domains = 4, rows = 8)
  d <- d[c(seq(1, 32, 2), seq(2, 32, 2)), ]
  set.seed(4)
  # the jackknife's, though the factor's is larger
  jackknife <- function(metric, ...) mean_error(..., least = FALSE)
  cv <- with_replaced("metric_error", jackknife, with_few_draws({
    dg_cv(dg_ridge(lambda = 1), y ~ x | g, data = d, shots = 2, refits = TRUE)
  }))
  set.seed(4)
  # which rows have labels does not depend on it
  plain <- with_few_draws(dg_cv(dg_ridge(lambda = 1), y ~ x | g, data = d, shots = 2))
  expect_equal(cv$shot_scores, plain$shot_scores)
  orders <- with_few_draws(with_seed(with_seed(4, draw_seeds(1)), draw_orders(factor(d$g), 1)[[1]]))
  names <- c("a", "b", "c", "d")
  # of domain g by a fit that has seen none of `out`
  change <- function(g, out) {
    model <- fit(dg_ridge(lambda = 1), y ~ x | g, data = d[!d$g %in% out, ])
    own <- d[d$g == g, ]
    changes <- vapply(orders[[g]], function(order) {
      adapted <- dg_adapt(model, own, replace(own$y, order[-(1:2)], NA))
      loss <- function(of) sqrt(mean((predict(of, own) - own$y)[order[-(1:2)]]^2))
      loss(adapted) - loss(model)
    }, 0)
    mean(changes)
  }
  own <- vapply(names, function(g) change(g, g), 0)
  without <- outer(names, names, Vectorize(function(g, h) if (g == h) NA else change(g, c(g, h))))
  expected <- mean_error(own, list(scores = without, group = 1:4), least = FALSE)
  expect_identical(expected$how, "jackknife")
  expect_equal(cv$shots$difference[2], mean(own))
  expect_equal(cv$shots$se_difference[2], expected$se)
  expect_equal(cv$shots$df_difference[2], expected$df)
})

test_that("classes, chains, searches and several factors have their curve, too", {
  with_few_draws({
    d <- shots_data(rows = 20)
    d$class <- factor(ifelse(d$y > 0, "high", "low"))
    d$part <- rep(1:2, nrow(d) / 2)
    metric <- c("accuracy", "auc")
    cv <- dg_cv(dg_svm(cost = 1), class ~ x | g, data = d, shots = 4, folds = 3, metric = metric)
    expect_identical(cv$shots$shots, c(0L, 4L))
    chained <- dg_pipeline(dg_kpca(ncomp = 1), dg_ridge(lambda = 1))
    expect_true(all(is.finite(dg_cv(chained, y ~ x | g, data = d, shots = 4)$shots$mean)))
    tuned <- dg_tune(dg_ridge(), grid = list(lambda = c(1, 10)), extend = FALSE, folds = 2)
    expect_true(all(is.finite(dg_cv(tuned, y ~ x | g, data = d, shots = 4, folds = 2)$shots$mean)))
    nested <- dg_cv(dg_ridge(lambda = 1), y ~ x | g / part, data = d, shots = 4, hold_out = "part")
    expect_identical(rownames(nested$shot_scores)[1:2], c("a / 1", "a / 2"))
    crossed <- dg_cv(dg_ridge(lambda = 1), y ~ x | g + part, data = d, shots = 4, folds = 2)
    expect_identical(crossed$shots$domains, c(10L, 10L))
    expect_error(dg_cv(dg_ridge(lambda = 1), y ~ x | g / part, data = d, shots = 4), "innermost")
  })
})

test_that("domains with too few rows are left out, and it is said", {
  d <- shots_data(rows = 10)
  d <- d[-(1:4), ]
  cv <- with_few_draws(dg_cv(dg_ridge(lambda = 1), y ~ x | g, data = d, shots = c(2, 6)))
  expect_identical(unname(is.na(cv$shot_scores[, 1])), c(TRUE, rep(FALSE, 4)))
  expect_output(print(cv), "without 1 domain of fewer than 8 rows", fixed = TRUE)
  skip_if_not_installed("ggplot2")
  expect_identical(levels(plot(cv)$data$shots), c("0", "2", "6"))
})

test_that("the plot is the curve with its intervals", {
  skip_if_not_installed("ggplot2")
  d <- shots_data()
  cv <- with_few_draws(dg_cv(dg_ridge(lambda = 1), y ~ x | g, data = d, shots = c(1, 5)))
  shown <- expect_plots(cv, shots = TRUE)$data
  expect_equal(shown$mean, cv$shots$mean)
  expect_equal(shown$upper,
               cv$shots$mean * exp(stats::qt(0.975, 4) * cv$shots$se / cv$shots$mean))
  expect_error(plot(dg_cv(dg_null(), y ~ x | g, data = d), shots = TRUE), "`shots` must be FALSE")
})

test_that("what cannot be is an error", {
  d <- shots_data()
  run <- function(...) dg_cv(dg_ridge(lambda = 1), y ~ x | g, data = d, ...)
  for (wrong in list("a", -1, 1.5, NA, 0, 1e300, numeric())) {
    expect_error(run(shots = wrong), "`shots` must be NULL or whole numbers")
  }
  expect_error(run(shots = 13), "leave two rows")
  # what would be adapted to several domains is pointed to what holds out one
  d$h <- rep(c("a", "b"), length.out = nrow(d))
  expect_error(dg_cv(dg_ridge(lambda = 1), y ~ x | g + h, data = d, hold_out = "h", shots = 1),
               "a held-out level of `h` .*Use `hold_out = \"all\"`")
  expect_error(dg_cv(dg_ridge(lambda = 1), y ~ x | g / h, data = d, shots = 1), "innermost factor")
  expect_error(run(shots = 2, folds = row_folds(d$g, 2)), "`folds` of rows")
  expect_error(dg_cv(dg_lm(), y ~ x | g, data = d, shots = 2), "\"adapt\" is for `dg_svm()`",
               fixed = TRUE)
})

test_that("errors of the curve by fits without two folds do not hang on the order of rows", {
  d <- shots_data(domains = 4, rows = 8)
  run <- function(data) {
    set.seed(1)
    with_few_draws(dg_cv(dg_ridge(lambda = 1), y ~ x | g, data = data, shots = 2,
                         refits = TRUE))$shots
  }
  sorted <- run(d)
  expect_true(all(is.finite(sorted$se)))
  # the rows of a domain stay in their order, so that the same ones have labels
  expect_equal(run(d[order(rep(1:8, 4)), ]), sorted, tolerance = 1e-8)
})

test_that("recalibration is the posterior mode with the variances of the other domains", {
  d <- shots_data(domains = 6, rows = 12)
  set.seed(1)
  cv <- with_few_draws(dg_cv(dg_lm(), y ~ x | g, data = d, shots = c(1, 4),
                             updates = c("slope", "intercept")))
  expect_identical(cv$shots$update, rep(c("external", "intercept", "slope"), c(1, 2, 2)))
  expect_identical(colnames(cv$shot_scores),
                   c("external", "intercept 1", "intercept 4", "slope 1", "slope 4"))
  orders <- with_few_draws(with_seed(with_seed(1, draw_seeds(1)), draw_orders(factor(d$g), 1)[[1]]))
  rows <- split(cv$predictions, cv$predictions$domain)
  others <- do.call(rbind, rows[-2])
  centre <- mean(others$prediction)
  sd <- stats::sd(others$prediction)
  # the intercept's variance from lines without a slope, those of both from lines with one
  priors <- function(formula) {
    fits <- lapply(rows[-2], function(r) {
      r$z <- (r$prediction - centre) / sd
      stats::lm(formula, r)
    })
    sigma2 <- sum(vapply(fits, stats::deviance, 0)) / sum(vapply(fits, stats::df.residual, 0))
    vapply(seq_along(stats::coef(fits[[1]])), function(j) {
      value <- vapply(fits, function(f) stats::coef(f)[[j]], 0)
      v <- sigma2 * vapply(fits, function(f) summary(f)$cov.unscaled[j, j], 0)
      excess <- function(t) sum(value^2 / (v + t)) - 5
      tau2 <- if (excess(0) <= 0) 0 else stats::uniroot(excess, c(0, 100), tol = 1e-12)$root
      min(sigma2 / tau2, 1e12)
    }, 0)
  }
  precisions <- list(priors(I(truth - prediction) ~ 1), priors(I(truth - prediction) ~ z))
  own <- rows[[2]]
  z <- (own$prediction - centre) / sd
  expected <- function(k, columns) {
    mean(vapply(orders[["b"]], function(order) {
      X <- cbind(1, z)[, columns, drop = FALSE]
      i <- order[seq_len(k)]
      r <- own$truth - own$prediction
      precision <- precisions[[length(columns)]]
      A <- crossprod(X[i, , drop = FALSE]) + diag(precision, length(precision))
      beta <- solve(A, crossprod(X[i, , drop = FALSE], r[i]))
      sqrt(mean((r - X %*% beta)[order[-(1:4)]]^2))
    }, 0))
  }
  expect_equal(unname(cv$shot_scores["b", -1]),
               c(expected(1, 1), expected(4, 1), expected(1, 1:2), expected(4, 1:2)),
               tolerance = 1e-6)
  # domains differ by a shift, which few labels tell
  expect_lt(cv$shots$mean[3], cv$shots$mean[1])
})

test_that("a line in one unit is the line that a fit in another unit has", {
  set.seed(1)
  x <- stats::rnorm(30, 4, 3)
  y <- stats::rbinom(30, 1, stats::plogis(x - 4))
  from <- list(factor = 1.5, centre = 5, sd = 4)
  to <- list(factor = 0.7, centre = 2, sd = 1.5)
  line <- function(unit) {
    offset <- unit$factor * x
    recalibration_line(y, offset, (offset - unit$centre) / unit$sd, stats::binomial())
  }
  expect_equal(in_unit(line(from), from, to)[c("beta", "vcov")], line(to)[c("beta", "vcov")],
               ignore_attr = TRUE, tolerance = 1e-6)
})

test_that("a domain without a name is updated and scored as any other", {
  d <- shots_data(domains = 5, rows = 12)
  d$time <- rep(1:3, 20)
  named <- d
  d$g[d$g == "c"] <- ""
  run <- function(data) {
    set.seed(1)
    found <- dg_cv(dg_lm(), y ~ x | g, data = data, shots = 2, updates = "intercept")
    later <- dg_cv(dg_lm(), y ~ x | g, data = data,
                   folds = domain_folds(data$g, time = data$time, periods = 3))
    plan <- dg_plan(dg_lm(), y ~ x | g, data = data, labels = FALSE, draws = 2, sites = 2:4)
    list(sort(found$shot_scores[, 1]), sum(is.na(found$shot_scores)), later$periods$mean,
         sum(is.na(plan$scores)))
  }
  unnamed <- run(d)
  # the mean does not depend on names, nor on their order
  expect_equal(unnamed[[3]], run(named)[[3]])
  expect_identical(unnamed[[2]], 0L)
  expect_identical(unnamed[[4]], 0L)
})

test_that("the intercept is updated where predictors, or all rows, are the same within domains", {
  d <- with_seed(2, {
    d <- data.frame(g = rep(letters[1:10], each = 8), x = rep(stats::rnorm(10), each = 8))
    d$y <- rep(stats::rnorm(10, sd = 3), each = 8) + stats::rnorm(80, sd = 0.5)
    d
  })
  set.seed(1)
  cv <- with_few_draws(dg_cv(dg_lm(), y ~ x | g, data = d, shots = c(1, 5),
                             updates = c("intercept", "slope")))
  expect_true(all(cv$shots$mean[-1] < 0.5 * cv$shots$mean[1]))
  d$class <- factor(d$y > 0)
  cv <- with_few_draws(dg_cv(dg_lm(), class ~ x | g, data = d, shots = 5, metric = "log_loss",
                             updates = "intercept"))
  expect_lt(cv$shots$mean[2], 0.8 * cv$shots$mean[1])
})

test_that("a local model is that of the labelled rows alone, and of few labels their mean", {
  d <- shots_data(domains = 4)
  set.seed(1)
  cv <- with_few_draws(dg_cv(dg_ridge(lambda = 1), y ~ x | g, data = d, shots = c(2, 6),
                             updates = "local"))
  orders <- with_few_draws(with_seed(with_seed(1, draw_seeds(1)), draw_orders(factor(d$g), 1)[[1]]))
  own <- d[d$g == "c", ]
  expected <- function(k, of) {
    mean(vapply(orders[["c"]], function(order) {
      test <- own[order[-(1:6)], ]
      sqrt(mean((test$y - of(own[order[seq_len(k)], ], test))^2))
    }, 0))
  }
  expect_equal(cv$shot_scores["c", ], c(
    `0` = cv$shot_scores["c", "0"][[1]],
    `2` = expected(2, function(known, test) mean(known$y)),
    `6` = expected(6, function(known, test) {
      # all rows describe the domain
      predict(fit(dg_ridge(lambda = 1), y ~ x | g, data = known), own)[match(rownames(test),
                                                                             rownames(own))]
    })
  ))
})

test_that("one to three labels of classes never give a worse log loss than the coin's, or NA", {
  with_few_draws({
    d <- shots_data(domains = 6, rows = 20)
    d$class <- factor(ifelse(d$y + d$x > 0, "high", "low"))
    d$part <- factor(rep(1:2, nrow(d) / 2))
    cv <- dg_cv(dg_glm(lambda = 1), class ~ x + part | g, data = d, shots = 1:3,
                metric = "log_loss", updates = shot_updates)
    expect_true(all(is.finite(cv$shot_scores)))
    updated <- cv$shots$update %in% recalibrations
    expect_true(all(cv$shots$mean[updated] < cv$shots$mean[1] + 0.05))
    expect_true(all(cv$shots$mean[cv$shots$update == "local"] < 1))
    # ranks stay where the intercept moves
    area <- dg_cv(dg_svm(cost = 1), class ~ x | g, data = d, shots = 3, metric = "auc",
                  updates = "intercept")
    expect_equal(area$shots$difference, c(0, 0))
    expect_output(print(cv), "intercept")
    skip_if_not_installed("ggplot2")
    expect_plots(cv, shots = TRUE)
  })
})

test_that("updates of further fits are made for the errors, and counts have a logarithmic link", {
  with_few_draws({
    d <- shots_data(domains = 4)
    d$count <- stats::rpois(nrow(d), exp(0.3 * d$y))
    cv <- dg_cv(dg_glm(family = "poisson", lambda = 1), count ~ x | g, data = d, shots = 4,
                metric = metric_deviance("poisson"), updates = c("adapt", "slope"), refits = TRUE)
    expect_true(all(is.finite(cv$shots$se)))
    # an update of means in place of logarithms would be far off
    expect_lt(cv$shots$mean[3], 1.5 * cv$shots$mean[1])
  })
})

test_that("updates that cannot be are errors", {
  d <- shots_data()
  expect_error(dg_cv(dg_lm(), y ~ x | g, data = d, shots = 2, updates = "other"),
               "`updates` must be one or more of")
  d$class <- factor(c("a", "b", "c")[1 + rank(d$y) %% 3])
  expect_error(dg_cv(dg_ridge(lambda = 1), class ~ x | g, data = d, shots = 2, updates = "slope"),
               "numbers and two classes")
})
