# Pictures of dg_importance() and dg_effect().
explained <- local({
  data <- toy_domains(6, 20)
  data$kind <- factor(rep_len(c("first", "second", "third"), nrow(data)))
  data$y <- data$y + (data$kind == "second")
  model <- dg_ridge(y ~ x1 + x2 + kind | domain, data = data, lambda = 1)
  importance <- with_seed(1, dg_importance(model, data = data, permutations = 2, folds = 3,
                                           kind = c("within", "between", "context")))
  list(importance = importance, pdp = dg_effect(model, data = data, grid = 6),
       ale = dg_effect(model, data = data, type = "ale", grid = 6),
       context = dg_effect(model, data = data, type = "context", grid = 5))
})

test_that("each picture can be drawn, on small, dark and ggplot2 pages", {
  for (result in explained) expect_all_drawn(result)
  for (name in c("pdp", "ale", "context")) expect_all_drawn(explained[[name]], predictors = "kind")
  expect_all_drawn(explained$pdp, max_panels = 1, max_domains = 2)
  expect_all_drawn(explained$importance, max_predictors = 1)
})

test_that("the picture of importance has the table's means, largest on top, and its domains", {
  x <- explained$importance
  frame <- importance_frame(x, 20)
  means <- frame[frame$kind == "mean", ]
  expect_equal(means$value, x$table$increase)
  expect_identical(levels(frame$predictor), rev(unique(x$table$predictor)))
  expect_equal(sort(frame$value[frame$kind == "domain"]), sort(x$domains$increase))
  expect_identical(nlevels(importance_frame(x, 1)$predictor), 1L)
})

test_that("the picture of effects has the averages, and domains as far as their rows reach", {
  x <- explained$pdp
  p <- picture(x, predictors = "x1")
  lines <- Filter(function(l) attr(l, "mark") == "line", p$layers)
  thick <- lines[[length(lines)]]
  own <- x$average[x$average$predictor == "x1", ]
  expect_equal(thick$y, own$value)
  expect_equal(thick$x, own$at)
  expect_length(lines, 7L)
  inside <- x$domains$inside & x$domains$predictor == "x1"
  expect_equal(sum(vapply(lines[1:6], nrow, 0L)), sum(inside))
  band <- Find(function(l) attr(l, "mark") == "band", p$layers)
  expect_equal(band$yend, own$upper)
  expect_null(p$note)
  expect_identical(picture(x)$note, "without categories: kind")
  expect_identical(picture(x, max_panels = 1)$note[1], "1 of 2 curves")
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
  p <- picture(x, predictors = "x1")
  points <- Filter(function(l) attr(l, "mark") == "point", p$layers)
  expect_identical(sum(vapply(points, nrow, 0L)), 6L)
  expect_match(p$caption, "Thin lines and points: domains")
  expect_no_match(picture(explained$pdp, predictors = "x1")$caption, "points")
})

test_that("where nothing increases the axis has round numbers, and captions tell what is drawn", {
  x <- explained$importance
  expect_match(picture(x)$caption, "^Pale points")
  x$table[c("increase", "lower", "upper")] <- 0
  x$domains$increase <- 0
  expect_equal(limits_of(picture(x), "x", 1L), c(-0.04, 0.04))
  many <- x$domains[rep(1, 61), ]
  x$domains <- transform(many, domain = paste0("d", seq_len(61)))
  expect_match(picture(x)$caption, "^Diamonds: mean over left-out domains, with its 95 % interval")
})

test_that("results are tables for reports", {
  for (result in explained) {
    report <- report_table(result)
    expect_identical(length(report$headers), ncol(report$table))
    expect_gt(nrow(report$table), 5L)
  }
  expect_identical(report_table(explained$importance)$headers[3], "Increase of mean squared error")
})

test_that("titles of panels break where a ggplot2 picture is narrow", {
  p <- list(panels = c("within domains", "both", "between domains"), rows = 1L,
            y = picture_axis(NULL, 1, "x"))
  expect_identical(gg_fit(p, 3.3)$panels, c("within\ndomains", "both", "between\ndomains"))
  expect_identical(gg_fit(p, 6)$panels, p$panels)
})

test_that("numbers on an axis that would reach into the next panel are left out", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  graphics::plot.new()
  graphics::plot.window(c(0, 1), c(0, 1), xaxs = "i")
  at <- c(0, 0.2, 0.5, 1)
  expect_identical(clear_of_edge(at, rep("100000000", 4), c(0, 1)), c(FALSE, TRUE, TRUE, FALSE))
  expect_identical(clear_of_edge(at, 1:4, c(0, 1)), rep(TRUE, 4))
  # two are needed to read a scale
  expect_true(clear_of_edge(c(0, 1), c("100000000", "200000000"), c(0, 1)))
})
