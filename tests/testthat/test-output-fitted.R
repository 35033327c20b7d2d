# Observed against predicted, of fitted learners.

# The rows of a plot but those in pale grey.
own_points <- function(p) {
  points <- drawn_by(p, "Point")
  points[[length(points)]]
}

test_that("a ridge regression is shown on domains left out, with the numbers of the closed form", {
  skip_if_not_installed("ggplot2")
  toy <- toy_domains(5, 12)
  model <- dg_ridge(y ~ . | domain, data = toy, lambda = 0.5)
  p <- plot(model)
  left <- dg_cv(model)
  points <- own_points(p)
  expect_equal(points$x, left$predictions$prediction)
  expect_equal(points$y, toy$y)
  expect_identical(length(unique(points$colour)), nlevels(toy$domain))
  expect_match(said(p, "subtitle"), "Held-out")
  expect_match(said(p, "subtitle"), format(signif(mean(left$domains$score), 3)), fixed = TRUE)
  expect_identical(p$scales$get_scales("colour")$limits, levels(toy$domain))
  # without the rows' own responses: those seen are nearer
  expect_gt(mean((points$x - points$y)^2), mean(residuals(model)^2))
})

test_that("a Gaussian process leaves out each domain as fits without it do", {
  skip_if_not_installed("ggplot2")
  toy <- toy_domains(4, 10)
  toy$weight <- rep(c(1, 2), length.out = nrow(toy))
  model <- dg_gp(y ~ . - weight | domain, data = toy, weights = toy$weight, optimise = FALSE,
                 signal_sd = 1, noise_sd = 0.5, scale = "none")
  rows <- left_out_rows(model)
  out <- toy$domain == "d2"
  without <- update(model, weights = ifelse(out, 0, toy$weight))
  expect_equal(rows$predicted[out], fitted(without)[out], tolerance = 1e-10)
  expect_match(said(plot(model), "subtitle"), "Held-out")
  features <- dg_gp(y ~ . - weight | domain, data = toy, optimise = FALSE,
                    feature_map = features_nystrom(8))
  expect_match(said(plot(features), "subtitle"), "seen by the model")
})

test_that("models without a closed form are shown on their rows, and the caption says so", {
  skip_if_not_installed("ggplot2")
  toy <- toy_domains(4, 15)
  model <- dg_lm(y ~ . | domain, data = toy)
  p <- plot(model)
  expect_equal(own_points(p)$x, unname(fitted(model)))
  expect_match(said(p, "subtitle"), "Training rows, seen")
  new <- toy_domains(5, 10)
  new <- domains_of(new, 5)
  p <- plot(model, new)
  expect_match(said(p, "subtitle"), "^New rows")
  expect_equal(own_points(p)$x, unname(predict(model, new)))
  expect_equal(own_points(p)$y, new$y)
  expect_null(p$scales$get_scales("colour"))
  expect_equal(own_points(plot(model, new[names(new) != "y"], y = -new$y))$y, -new$y)
  toy$y[3] <- NA
  gaps <- suppressWarnings(dg_lm(y ~ . | domain, data = toy, na.action = na.exclude))
  expect_equal(own_points(plot(gaps))$y, toy$y[-3])
})

test_that("of classes the value of the row's own class is shown, right of zero where it is right", {
  skip_if_not_installed("ggplot2")
  toy <- iris
  names(toy)[5] <- "y"
  toy$domain <- factor(rep(1:5, 30))
  for (model in list(dg_ridge(y ~ . | domain, data = toy, lambda = 0.1),
                     dg_svm(y ~ . | domain, data = toy),
                     fit(dg_pipeline(dg_dica(ncomp = 2), dg_svm()), y ~ . | domain, data = toy))) {
    frame <- fitted_frame(seen_or_left_out(model), model)
    expect_identical(frame$predicted > 0, frame$right)
    expect_identical(as.numeric(round(own_points(plot(model))$y)), as.numeric(toy$y))
  }
  two <- droplevels(toy[toy$y %in% levels(toy$y)[1:2], ])
  model <- dg_svm(y ~ . | domain, data = two, loss = "logistic")
  frame <- fitted_frame(newdata_rows(model, two, NULL, NULL), model)
  prob <- predict(model, two, type = "prob")
  expect_equal(frame$predicted, prob[cbind(seq_len(nrow(two)), as.integer(two$y))])
  expect_identical(frame$right, predict(model, two) == two$y)
  expect_length(drawn_by(plot(model), "Vline"), 0)
})

test_that("of many domains the worst, the median and the best have panels", {
  skip_if_not_installed("ggplot2")
  toy <- toy_domains(12, 6)
  model <- dg_ridge(y ~ . | domain, data = toy, lambda = 0.5)
  p <- plot(model, max_panels = 3)
  scores <- sort(stats::setNames(dg_cv(model)$domains$score, dg_cv(model)$domains$domain))
  expect_identical(nlevels(p$data$panel), 3L)
  for (i in 1:3) {
    at <- c(12, 7, 1)[i]
    expect_identical(levels(p$data$panel)[i], paste0(c("Worst", "Median", "Best")[i], ": ",
                                                     signif(scores[at], 2), "\n", names(scores)[at]))
  }
  expect_equal(nrow(own_points(p)), sum(toy$domain %in% names(scores)[c(1, 7, 12)]))
  expect_identical(unname(extremes(5, 6)), 1:5)
  for (most in 1:9) expect_identical(anyDuplicated(extremes(10, most)), 0L)
  expect_identical(nlevels(plot(model, max_panels = 20)$data$panel), 12L)
})

test_that("plots of learners are drawn, and what cannot be shown is refused", {
  skip_if_not_installed("ggplot2")
  toy <- toy_domains(10, 6)
  model <- dg_ridge(y ~ . | domain, data = toy, lambda = 0.5)
  expect_plots(model)
  expect_plots(model, newdata = domains_of(toy, 1:3))
  labels <- toy_classes(4, 15)
  expect_plots(dg_svm(y ~ . | domain, data = labels))
  set.seed(1)
  spec <- dg_ensemble(list(dg_ridge(lambda = 1), dg_lm()), member_weights = "stacked")
  ensemble <- fit(spec, y ~ . | domain, data = domains_of(toy, 1:5))
  expect_match(said(expect_plots(ensemble), "subtitle"), "Held-out")
  sums <- fit(dg_ridge(lambda = 1),
              feature_sums(y ~ . | domain, data = toy, feature_map = features_nystrom(5)))
  expect_domgen_error(plot(sums), "keeps nothing of its training rows")
  expect_match(said(plot(sums, toy), "subtitle"), "New rows")
  expect_domgen_error(plot(model, domains_of(toy, 1)[, -match("y", names(toy))]),
                      "must have the response")
  expect_domgen_error(plot(model, toy, y = rep("a", nrow(toy))), "must be numeric")
  expect_domgen_error(plot(model, max_panles = 2), "max_panels")
})
