# Plots of dg_importance() and dg_effect().
explained <- local({
  data <- toy_domains(6, 20)
  data$kind <- factor(rep_len(c("first", "second", "third"), nrow(data)))
  data$y <- data$y + (data$kind == "second")
  model <- dg_ridge(y ~ x1 + x2 + kind | domain, data = data, lambda = 1)
  importance <- with_seed(1, dg_importance(model, data = data, permutations = 2, folds = 3,
                                           kind = c("within", "between", "context")))
  list(importance = importance, pdp = dg_effect(model, newdata = data, grid = 6),
       ale = dg_effect(model, newdata = data, type = "ale", grid = 6),
       context = dg_effect(model, newdata = data, type = "context", grid = 5))
})

test_that("each plot can be drawn", {
  for (result in explained) expect_plots(result)
  for (name in c("pdp", "ale", "context")) expect_plots(explained[[name]], predictors = "kind")
  expect_plots(explained$pdp, max_panels = 1, max_domains = 2)
  expect_plots(explained$importance, max_predictors = 1)
})

test_that("the plot of importance has the table's means, largest on top, and its domains", {
  x <- explained$importance
  frame <- importance_frame(x, 20)
  means <- frame[frame$kind == "mean", ]
  expect_equal(means$value, x$table$increase)
  expect_identical(levels(frame$predictor), rev(unique(x$table$predictor)))
  expect_equal(sort(frame$value[frame$kind == "domain"]), sort(x$domains$increase))
  expect_identical(nlevels(importance_frame(x, 1)$predictor), 1L)
})

test_that("the plot of effects has the averages, and domains as far as their rows reach", {
  skip_if_not_installed("ggplot2")
  x <- explained$pdp
  p <- plot(x, predictors = "x1")
  lines <- drawn_by(p, "Line")
  own <- x$average[x$average$predictor == "x1", ]
  own <- own[own$domains >= 2, ]
  thick <- lines[[2]][!is.na(lines[[2]]$y), ]
  expect_equal(thick$y, own$value)
  expect_equal(thick$x, own$at)
  inside <- x$domains$inside & x$domains$predictor == "x1"
  expect_equal(nrow(lines[[1]]), sum(inside))
  expect_identical(length(unique(lines[[1]]$group)), 6L)
  expect_equal(max(drawn_by(p, "Ribbon")[[1]]$ymax, na.rm = TRUE), max(own$upper))
  expect_identical(p$labels$title, "Partial dependence of y")
  expect_identical(said(p, "subtitle"), "Kernel ridge regression")
  expect_match(said(plot(x), "subtitle"), "without categories: kind")
  expect_match(said(plot(x, max_panels = 1), "subtitle"), "1 of 2 curves")
  expect_identical(effect_panels(x, NULL, 9)$predictor[1:2] %in% c("x1", "x2"), c(TRUE, TRUE))
  expect_domgen_error(plot(x, predictors = c("x1", "kind")), "all numbers or all categories")
  expect_domgen_error(plot(x, predictors = "x9"), "`predictors` must be one of")
  expect_domgen_error(plot(x, predictor = "x1", colour = 2), "Unknown argument `colour`")
  expect_domgen_error(plot(explained$importance, max_predictors = 0), "`max_predictors` must be")
})

test_that("of a predictor that domains do not vary in each domain is a point", {
  x <- explained$pdp
  x$domains$inside[x$domains$predictor == "x1"] <- FALSE
  first <- !duplicated(x$domains[c("predictor", "domain")])
  x$domains$inside[first] <- TRUE
  p <- expect_plots(x, predictors = "x1")
  expect_identical(nrow(drawn_by(p, "Point")[[1]]), 6L)
  expect_match(said(p), "Thin lines and points are domains")
  expect_no_match(said(plot(explained$pdp, predictors = "x1")), "points")
})

test_that("an average is not drawn where one domain has rows, and the caption says so", {
  x <- explained$pdp
  ends <- x$average$predictor == "x1" & !duplicated(x$average$predictor)
  x$average$domains[ends] <- 1L
  p <- expect_plots(x, predictors = "x1")
  expect_identical(is.na(p$data$value), p$data$domains < 2)
  expect_true(is.na(p$data$value[1]))
  expect_match(said(p), "at least two domains have rows")
  # of one domain there is its own curve
  x$average$domains <- 1L
  expect_false(anyNA(plot(x, predictors = "x1")$data$value))
})

test_that("where nothing increases the plot is drawn, and captions tell what is drawn", {
  x <- explained$importance
  expect_match(said(expect_plots(x)), "^Pale points are held-out domains, diamonds their mean")
  expect_match(method_of(x$spec)$title, "ridge")
  expect_match(said(plot(x), "title"), "importance of predictors")
  x$table[c("increase", "lower", "upper")] <- 0
  x$domains$increase <- 0
  expect_plots(x)
  many <- x$domains[rep(1, 61), ]
  x$domains <- transform(many, domain = paste0("d", seq_len(61)))
  expect_match(said(plot(x)), "^Diamonds are means over held-out domains with its 95 % interval")
})

test_that("results are tables for reports", {
  for (result in explained) {
    report <- report_table(result)
    expect_identical(length(report$headers), ncol(report$table))
    expect_gt(nrow(report$table), 5L)
  }
  expect_identical(report_table(explained$importance)$headers[3], "Increase of mean squared error")
})
