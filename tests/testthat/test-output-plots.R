# What plots show, that they can be drawn, and what they look like.

made <- new.env()
plotted <- function(name) {
  if (is.null(made[[name]])) made[[name]] <- make_plotted[[name]]()
  made[[name]]
}

ellipses <- function(domains = 8, rows = 20) {
  data <- simulate_ellipses(domains = domains, n = rows, seed = 1)
  names(data) <- c(domain = "hospital", y = "ill", x1 = "age", x2 = "weight")[names(data)]
  data
}

make_plotted <- list(
  projection = function() dg_kpca(ill ~ . | hospital, data = domains_of_hospital(1:5), ncomp = 2),
  distances = function() {
    data <- ellipses()
    set.seed(1)
    dg_mmd(as.matrix(data[c("age", "weight")]), data$hospital, permutations = 39)
  },
  map = function() {
    domain_map(dg_ridge(ill ~ . | hospital, data = domains_of_hospital(1:5)),
               domains_of_hospital(6:8))
  },
  cv = function() {
    dg_cv(dg_lm(), ill ~ . | hospital, data = ellipses(), metric = c("accuracy", "log_loss"))
  },
  comparison = function() {
    dg_compare(list(pooled = dg_ridge(domain_kernel = domain_pooled()), distributional = dg_ridge()),
               ill ~ . | hospital, data = ellipses(), folds = 4)
  },
  tuned = function() {
    dg_tune(dg_ridge(), ill ~ . | hospital, data = ellipses(), extend = FALSE,
            grid = list(lambda = c(0.01, 1, 100), bandwidth_factor = c(0.5, 1)))
  },
  ridge = function() dg_ridge(ill ~ . | hospital, data = ellipses(), lambda = 0.1),
  numbers = function() {
    dg_ridge(y ~ . | domain, data = simulate_dica(domains = 12, n = 15, seed = 1), lambda = 1)
  },
  plan = function() {
    dg_plan(dg_lm(), ill ~ . | hospital, data = ellipses(), sites = 4:6, labels = 1, draws = 2,
            metric = "brier")
  },
  forecast = function() {
    data <- ellipses()
    new <- data[data$hospital %in% levels(data$hospital)[1:2], ]
    new$hospital <- paste("a new one,", new$hospital)
    dg_forecast(dg_lm(ill ~ . | hospital, data = data), new, permutations = 19)
  },
  diagnosis = function() dg_diagnose(ill ~ . | hospital, data = ellipses(), permutations = 20)
)

domains_of_hospital <- function(codes) {
  data <- ellipses()
  droplevels(data[data$hospital %in% levels(data$hospital)[codes], ])
}

test_that("plot() and autoplot() are one ggplot, drawn without a message in any theme", {
  set.seed(2)
  expect_plots(plotted("projection"), newdata = domains_of_hospital(6:8))
  expect_plots(plotted("projection"), newdata = domains_of_hospital(6), components = 1)
  expect_plots(plotted("projection"), which = "values")
  expect_plots(plotted("distances"))
  expect_plots(plotted("distances"), type = "map", unseen = "d7")
  expect_plots(plotted("map"))
  expect_plots(plotted("cv"))
  expect_plots(plotted("cv"), interval = FALSE)
  expect_plots(plotted("comparison"))
  expect_plots(plotted("tuned"))
  expect_plots(plotted("tuned"), type = "curves")
  expect_plots(dg_calibration(plotted("cv")))
  expect_plots(dg_net_benefit(plotted("cv")))
  expect_plots(plotted("diagnosis"))
  expect_plots(plotted("ridge"))
  expect_plots(plotted("numbers"))
  expect_plots(plotted("forecast"))
})

test_that("plots look as they did", {
  expect_pictures(list(
    projection = function() plot(plotted("projection"), newdata = domains_of_hospital(6:7)),
    eigenvalues = function() plot(plotted("projection"), which = "values"),
    distances = function() plot(plotted("distances"), unseen = "d7"),
    map = function() plot(plotted("map")),
    `cross-validation` = function() plot(plotted("cv")),
    comparison = function() plot(plotted("comparison")),
    surface = function() plot(plotted("tuned")),
    curves = function() plot(plotted("tuned"), type = "curves"),
    calibration = function() plot(dg_calibration(plotted("cv"), bins = 5)),
    diagnosis = function() plot(plotted("diagnosis")),
    `held-out classes` = function() plot(plotted("ridge")),
    `held-out numbers` = function() plot(plotted("numbers"))
  ))
})

test_that("without ggplot2 the error names the remedy", {
  for (name in names(make_plotted)) {
    x <- plotted(name)
    with_replaced("uninterrupted", function(code) FALSE, {
      expect_error(plot(x), 'needs the package ggplot2: install.packages("ggplot2")', fixed = TRUE,
                   class = "domgen_error_package")
    })
  }
})

test_that("a theme that users have set stays, and one that they add replaces ours", {
  skip_if_not_installed("ggplot2")
  p <- plot(plotted("cv"))
  panel <- function(p) ggplot2::calc_element("panel.background", plot_theme_of(p))$fill
  plot_theme_of <- function(p) ggplot2::ggplot_build(p)$plot$theme
  expect_identical(panel(p), "white")
  expect_identical(panel(p + ggplot2::theme_dark()), "grey50")
  old <- ggplot2::theme_set(ggplot2::theme_dark())
  on.exit(ggplot2::theme_set(old))
  # the plot's own theme is not complete: the one that is set fills it
  expect_null(plot(plotted("cv"))$theme$panel.background)
})

test_that("plots are labelled with the user's names of the variables", {
  skip_if_not_installed("ggplot2")
  expect_identical(plot(plotted("cv"))$labels$y, "hospital")
  expect_identical(plot(plotted("ridge"))$labels$y, "Observed ill")
  expect_identical(key_title(scores_frame(plotted("projection"), NULL, 1:2, NULL, NULL, 5)), "ill")
  expect_identical(dg_calibration(plotted("cv"))$labels$response, "ill")
  expect_identical(plotted("map")$labels$domain, "hospital")
})

test_that("what is drawn are the numbers of the object", {
  skip_if_not_installed("ggplot2")
  cv <- plotted("cv")
  p <- plot(cv)
  expect_equal(drawn_by(p, "Point")[[1]]$x, sort(cv$domains$score))
  expect_equal(drawn_by(p, "Vline")[[1]]$xintercept, cv$mean)
  model <- plotted("projection")
  points <- drawn_by(plot(model), "Point")[[1]]
  expect_equal(cbind(points$x, points$y), unname(fitted(model)))
  expect_equal(drawn_by(plot(model, which = "values"), "Col")[[1]]$y, unname(model$values))
  calibration <- dg_calibration(cv)
  points <- drawn_by(plot(calibration), "Point")[[1]]
  shown <- calibration$table[calibration$table$rows > 1, ]
  expect_equal(points$x, shown$predicted)
  expect_equal(points$y, shown$observed)
  found <- plotted("diagnosis")
  expect_equal(drawn_by(plot(found), "Col")[[1]]$y, c(found$shift$level, found$shift$variance))
  means <- drawn_by(plot(found), "Point")[[2]]
  expect_equal(means$y, c(found$headroom$difference, found$gain$difference))
  map <- plotted("map")
  expect_equal(sort(drawn_by(plot(map), "Point")[[1]]$x), sort(map$points$first))
  distances <- plotted("distances")
  expect_setequal(round(plot(distances)$data$value, 8), round(distances$squared, 8))
})

test_that("the projection's frame has every training row and every new row once", {
  model <- plotted("projection")
  new <- domains_of_hospital(6:8)
  frame <- scores_frame(model, new, 1:2, NULL, NULL, 2)
  expect_identical(sum(frame$seen), nobs(model))
  expect_identical(levels(frame$panel), c("Training domains", "New: d6", "New: d7"))
  expect_identical(attr(frame, "subtitle"), "2 of 3 new domains")
  expect_equal(frame$second[frame$panel == "New: d6"],
               unname(predict(model, new[new$hospital == "d6", ])[, 2]))
  new$age[3] <- NA
  expect_warning(frame <- scores_frame(model, new, 1:2, NULL, NULL, 5), "missing values")
  expect_identical(nrow(frame), nobs(model) + nrow(new) - 1L)
})

test_that("three domains in the plane keep their distances, and a map has all of them", {
  squared <- matrix(c(0, 9, 25, 9, 0, 16, 25, 16, 0), 3, dimnames = list(letters[1:3], letters[1:3]))
  map <- map_points(squared, "b")
  expect_equal(unname(as.matrix(stats::dist(map$points[c("first", "second")]))^2), unname(squared))
  expect_equal(map$shown, 1)
  expect_identical(map$points$unseen, c(FALSE, TRUE, FALSE))
  two <- map_points(squared[1:2, 1:2], NULL)$points
  expect_equal(abs(diff(two$first)), 3)
  expect_identical(two$second, c(0, 0))
})

test_that("a map is the MMD of the model's scaled predictors by its kernel", {
  train <- domains_of_hospital(1:5)
  new <- domains_of_hospital(5:8)
  model <- dg_ridge(ill ~ . | hospital, data = train)
  map <- domain_map(model, new)
  centre <- colMeans(train[c("age", "weight")])
  spread <- apply(train[c("age", "weight")], 2, stats::sd)
  both <- rbind(train, new)
  X <- sweep(sweep(as.matrix(both[c("age", "weight")]), 2, centre), 2, spread, "/")
  domain <- c(as.character(train$hospital), paste(new$hospital, ifelse(new$hospital == "d5",
                                                                       "(new)", "")))
  expected <- dg_mmd(X, trimws(domain), kernel_rbf(model$space$kernel$bandwidth))$squared
  expect_equal(map$squared[rownames(expected), colnames(expected)], expected, tolerance = 1e-8)
  expect_identical(map$unseen, c("d5 (new)", "d6", "d7", "d8"))
  expect_equal(map$squared["d5", "d5 (new)"], 0)
  expect_domgen_error(domain_map(dg_lm(ill ~ . | hospital, data = train)), "keep its training rows")
  expect_domgen_error(domain_map(dg_gam(ill ~ . | hospital, data = train)), "keep its training rows")
  expect_domgen_error(domain_map(train), "must be a fitted model")
})

test_that("intervals of a cross-validation hold their score, and are points where nothing varies", {
  cv <- plotted("cv")
  frame <- cv_frame(cv, TRUE)
  expect_true(all(frame$lower <= frame$score & frame$score <= frame$upper))
  expect_false(is.unsorted(frame$score))
  expect_equal(attr(frame, "mean")[1], mean(frame$score))
  right <- data.frame(truth = factor(c("a", "b", "a")), prediction = factor(c("a", "b", "a")),
                      domain = "one", rep = 1L)
  expect_equal(c(domain_intervals(right, "one", metrics$accuracy)), c(1, 1))
  # of a mean of n values the standard error is sd / sqrt(n)
  n <- 400
  many <- data.frame(truth = with_seed(3, stats::rnorm(n)), prediction = 0, domain = "one", rep = 1L)
  half <- diff(c(domain_intervals(many, "one", metrics$mae, draws = 1000L))) / 2
  expect_equal(half, 1.96 * stats::sd(abs(many$truth)) / sqrt(n), tolerance = 0.1)
})

test_that("many domains are named in part, and the caption says so", {
  skip_if_not_installed("ggplot2")
  expect_identical(thin(5, 40), 1:5 + 0)
  expect_lte(length(thin(64, 40)), 40)
  cv <- plotted("cv")
  many <- cv$domains[rep(seq_len(nrow(cv$domains)), 9), ]
  many$domain <- paste("University hospital number", seq_len(nrow(many)))
  cv$domains <- many
  expect_match(said(expect_plots(cv, interval = FALSE)), "Of 72 domains not all are named")
  squared <- as.matrix(stats::dist(seq_len(70)))
  dimnames(squared) <- rep(list(paste("University hospital number", 1:70)), 2)
  distances <- structure(list(squared = squared), class = c("domgen_mmd", "dg_result"))
  expect_plots(distances)
  expect_plots(distances, type = "map", unseen = rownames(squared)[70])
})

test_that("a comparison's points have its means, and no differences from itself", {
  x <- plotted("comparison")
  frame <- compare_frame(x)
  single <- frame[frame$kind == "domain", ]
  means <- tapply(single$value, list(single$panel, single$method), mean)
  expect_equal(unname(means["scores", x$table$method]), x$table$mean)
  other <- x$table$method != x$baseline
  expect_equal(unname(means["differences", x$table$method[other]]), x$table$difference[other])
  expect_true(is.na(means["differences", x$baseline]))
})

test_that("plots of a search show the best of each value, and mark what was chosen", {
  x <- plotted("tuned")
  table <- x$tuning$table
  frame <- surface_frame(x, c("lambda", "bandwidth_factor"))
  expect_identical(sum(frame$mark), 1L)
  expect_equal(frame$value[frame$mark], table$mean[x$tuning$chosen])
  expect_equal(sort(frame$value), sort(table$mean))
  curves <- curves_frame(x, "lambda")
  expect_equal(curves$mean, unname(c(tapply(table$mean, table$lambda, max))))
  expect_identical(curves$label[curves$chosen], format(x$tuning$best$lambda))
  # a choice that failed is a gap
  x$tuning$table$mean[1] <- NA
  expect_identical(sum(is.na(surface_frame(x, c("lambda", "bandwidth_factor"))$value)), 1L)
  expect_plots(x)
  expect_domgen_error(plot(x, parameters = "cost"), "`parameters` must be one of")
  expect_domgen_error(plot(x, parameters = character()), "`parameters` must be one of")
  expect_domgen_error(plot(x, type = "surface", parameters = "lambda"), "two names")
})

test_that("bins hold all rows, and their intervals are Wilson's of the effective number", {
  cv <- plotted("cv")
  calibration <- dg_calibration(cv)
  table <- calibration$table
  expect_identical(sum(table$rows), nrow(cv$predictions))
  truth <- cv$predictions$truth == as.character(calibration$table$class[1])
  expect_equal(sum(table$rows * table$observed), sum(truth))
  expect_equal(sum(table$rows * table$predicted), sum(cv$predictions$prob[, 2]))
  expect_true(all(table$predicted >= table$low & table$predicted <= table$high))
  reference <- suppressWarnings(stats::prop.test(7, 20, correct = FALSE)$conf.int)
  expect_equal(wilson_interval(7 / 20, 20, stats::qnorm(0.975)), c(reference))
  # ten domains of alike rows are ten rows; independent rows keep their number
  alike <- rep(c(TRUE, FALSE), c(30, 70))
  domain <- gl(10, 10)
  expect_equal(clustered_interval(alike, domain), wilson_interval(0.3, 9, stats::qt(0.975, 9)))
  mixed <- rep(c(TRUE, FALSE, FALSE, TRUE), 25)
  expect_equal(clustered_interval(mixed, domain), wilson_interval(0.5, 100, stats::qt(0.975, 9)))
  expect_identical(clustered_interval(alike, gl(1, 100)), c(NA_real_, NA_real_))
  # rows without a hit are as alike within domains as those of the other bin
  both <- bin_probabilities("a", rep(c(0.95, 0.05), each = 100), c(alike, rep(FALSE, 100)),
                            factor(c(domain, domain)), 10)
  expect_equal(c(both$lower[1], both$upper[1]), wilson_interval(0, 9, stats::qt(0.975, 9)))
  sure <- bin_probabilities("a", c(0, 1, 1), c(FALSE, TRUE, TRUE), gl(1, 3), 10)
  expect_identical(sure$rows, c(1L, 2L))
  expect_equal(sure$observed, c(0, 1))
})

test_that("calibration is by domain first: domains that are off in turn do not hide each other", {
  # logits 1 too low in half of the domains, 1 too high in the others
  world <- with_seed(2, {
    domain <- gl(8, 400)
    logit <- rnorm(3200)
    off <- rep(c(-1, 1), 4)[domain]
    list(domain = domain, p = plogis(logit), hit = runif(3200) < plogis(logit + off))
  })
  found <- calibrate_domains("1", world$p, world$hit, world$domain)
  expect_equal(found$observed, c(tapply(world$hit, world$domain, sum)), ignore_attr = TRUE)
  expect_equal(found$expected, c(tapply(world$p, world$domain, sum)), ignore_attr = TRUE)
  expect_equal(found$intercept, rep(c(-1, 1), 4), tolerance = 0.35)
  expect_equal(found$slope, rep(1, 8), tolerance = 0.4)
  direct <- glm(world$hit ~ qlogis(world$p), binomial, subset = world$domain == "3")
  expect_equal(found$slope[3], coef(direct)[[2]], tolerance = 1e-6)
  few <- calibrate_domains("1", c(0.2, 0.6), c(FALSE, TRUE), gl(1, 2))
  # with Firth's penalty
  expect_true(is.finite(few$intercept))
  expect_identical(few$slope, NA_real_)
})

test_that("domains of few rows are not said to be off where chance explains it", {
  # two of two hits, three hits or more of three rows
  expect_equal(number_p(c(0.2, 0.6), 2), 2 * 0.2 * 0.6)
  expect_equal(number_p(rep(0.5, 10), 9), stats::binom.test(9, 10)$p.value)
  expect_equal(number_p(c(0.3, 0.4), 1), 1)
  expect_equal(number_p(rep(0.3, 1500), 480), number_p(rep(0.3, 1000), 327), tolerance = 0.3)
  right <- with_seed(1, {
    p <- runif(1200, 0.1, 0.5)
    calibrate_domains("1", p, runif(1200) < p, gl(200, 6))
  })
  # far from 1 all the same
  expect_equal(range(right$ratio), c(0, 3), tolerance = 0.3)
  expect_lt(mean(right$p < 0.05), 0.06)
  found <- structure(list(error = c(`1` = 0.01), by_domain = right), class = "dg_calibration")
  said <- paste(calibration_words(found), collapse = " ")
  expect_match(said, paste("in", sum(right$p < 0.05), "of 200 domains"))
  expect_match(said, "slope by domain not known: no domain has 5 rows")
})

test_that("calibration of a model asks for new rows with classes it knows", {
  train <- domains_of_hospital(1:5)
  new <- domains_of_hospital(6:8)
  model <- dg_lm(ill ~ . | hospital, data = train)
  calibration <- dg_calibration(model, new, bins = 4)
  expect_identical(calibration$rows, nrow(new))
  expect_identical(calibration$domains, 3L)
  expect_output(print(calibration),
                "observed/expected by domain .* slope by domain .*all domains together")
  expect_domgen_error(dg_calibration(model), "`newdata` must be given")
  expect_domgen_error(dg_calibration(model, new[names(new) != "ill"]), "must have the response")
  new$ill <- "unknown"
  expect_domgen_error(dg_calibration(model, new), "classes of the predictions")
  two <- dg_compare(list(a = dg_lm(), b = dg_lm()), ill ~ . | hospital, data = train,
                    refits = FALSE)
  expect_domgen_error(dg_calibration(two), "of one method, not of 2")
  without <- dg_cv(dg_svm(cost = 1), ill ~ . | hospital, data = train)
  expect_domgen_error(dg_calibration(without), "no probabilities")
  expect_domgen_error(dg_calibration(train), "`object` must be the result")
  expect_domgen_error(dg_calibration(plotted("cv"), class = "none"), "`class` must be one of")
  expect_domgen_error(dg_calibration(plotted("cv"), class = character()), "`class` must be one of")
  expect_domgen_error(dg_calibration(plotted("cv"), new), "own held-out rows")
})

test_that("arguments of plots that there are not are refused", {
  expect_domgen_error(plot(plotted("cv"), maxlabels = 3), "did you mean")
  expect_domgen_error(plot(plotted("distances"), type = "heat"), "`type` must be one of")
  expect_domgen_error(plot(plotted("distances"), unseen = "d99"), "\"d99\"")
  expect_domgen_error(plot(plotted("projection"), which = "score"), "`which` must be one of")
  expect_domgen_error(plot(plotted("tuned"), "surfaces"), "`type` must be one of")
})

test_that("projections plot for numbers, classes and no response, with new domains", {
  toy <- toy_domains(4, 15)
  model <- dg_udica(y ~ . | domain, data = domains_of(toy, 1:2))
  expect_plots(model, newdata = domains_of(toy, 3:4))
  expect_plots(model, newdata = domains_of(toy, 3)[, -2], components = 1)
  expect_plots(dg_kpca(~ . - y | domain, data = toy))
  labels <- toy_classes(4, 15)
  class <- dg_dica(y ~ . | domain, data = domains_of(labels, 1:3), ncomp = 1)
  expect_plots(class, newdata = domains_of(labels, 4))
  expect_domgen_error(plot(model, components = 3), "from 1 to 2")
})

test_that("methods that are no list are refused, and small differences get digits", {
  toy <- toy_domains(4, 15)
  expect_domgen_error(dg_compare(dg_lm(), dg_svm(), y ~ . | domain, data = toy), "one list")
  expect_identical(enough_digits(c(0, NA, 0.00114), 3), 4)
  expect_identical(enough_digits(c(0, NA), 3), 3)
})

test_that("long names are broken or shortened, and stay different", {
  names <- paste("University hospital of the city number", 1:12)
  fitted <- fit_text(names, 16, lines = 2L)
  expect_lte(widest(fitted), 16)
  expect_lte(number_of_lines(fitted), 2)
  expect_length(unique(fitted), 12)
  expect_identical(fit_text(c("pooled", "a b"), 16), c("pooled", "a b"))
  expect_identical(shorten("instrument 17", 9), "ins... 17")
  toy <- toy_domains(4, 15)
  levels(toy$domain) <- names[1:4]
  expect_plots(dg_udica(y ~ . | domain, data = domains_of(toy, 1:2)), newdata = domains_of(toy, 3:4))
  expect_plots(dg_cv(dg_lm(), y ~ . | domain, data = toy))
})

test_that("text is broken into lines that fit 4.5 inches, beside names on the other axis", {
  text <- paste(rep("word", 40), collapse = " ")
  expect_lte(widest(wrapped(text, 30)), 30)
  expect_null(wrapped(NULL, 30))
  # lines are about as long, and a number stays with what it is of
  expect_identical(wrapped("Predictions of y by observed class", 34),
                   "Predictions of y\nby observed class")
  for (width in 10:30) {
    expect_no_match(wrapped("mean 3.79 (95 % interval)", width), "95\n%", fixed = TRUE)
    expect_match(wrapped("permuted rows, p = 0.03", width), "p = 0.03", fixed = TRUE)
  }
  expect_identical(width_beside(1:3), 4)
  expect_identical(width_beside(factor(strrep("a", 40))), name_width)
  skip_if_not_installed("ggplot2")
  long <- new_plot(data.frame(x = 1, y = strrep("a", 15)), c(x = "x", y = "y"), title = text,
                   caption = text)
  short <- new_plot(data.frame(x = 1, y = "a"), c(x = "x", y = "y"), title = text, caption = text)
  expect_lt(widest(long$labels$title), widest(short$labels$title))
  expect_match(long$labels$title, "^Word")
})

test_that("classes of new rows have the place they had in training", {
  labels <- toy_classes(4, 15)
  model <- dg_dica(y ~ . | domain, data = domains_of(labels, 1:3), ncomp = 1)
  new <- domains_of(labels, 4)
  only <- new[new$y == levels(new$y)[2], ]
  points <- drawn_by(expect_plots(model, newdata = only), "Point")
  new <- points[[length(points)]]
  expect_true(all(round(unclass(new$y[new$PANEL == 2])) == 2))
})

far_null <- function() {
  set.seed(1)
  d <- data.frame(g = rep(letters[1:6], each = 10), x = rnorm(60), z = rnorm(60))
  d$y <- 5 * d$x + d$z + rnorm(6)[match(d$g, letters)] + rnorm(60)
  # linear in the rows, as the truth, so that no draw of folds puts them near the null model
  pooled <- function(lambda) {
    dg_ridge(kernel = kernel_linear(), domain_kernel = domain_pooled(), lambda = lambda)
  }
  dg_compare(list(lm = dg_lm(), ridge = pooled(1), pooled = pooled(0.1)),
             y ~ . | g, data = d, folds = 3, refits = FALSE)
}

test_that("a null model far from the others does not squash them", {
  result <- far_null()
  drawn <- cut_at_null(compare_frame(result), null_methods(result))
  null <- drawn[drawn$method == "null" & drawn$kind == "mean", ]
  expect_identical(null$beyond, c(1, 1))
  expect_equal(null$true, c(result$table$mean[1], result$table$difference[1]))
  for (panel in levels(drawn$panel)) {
    own <- drawn[drawn$panel == panel, ]
    others <- range(own[own$method != "null", c("value", "lower", "upper")], na.rm = TRUE)
    expect_lt(own$value[own$beyond != 0], others[2] + 0.2 * diff(others))
  }
  caption <- said(expect_plots(result))
  expect_match(caption, paste0("null \\(score ", signif(null$true[1], 3)))
  # with the interval that is not drawn
  expect_match(caption, paste0("difference ", signif(null$true[2], 3), ", 95 % interval ",
                               signif(result$table$lower[1], 3), " to ",
                               signif(result$table$upper[1], 3)), fixed = TRUE)
  # points that are left out are counted: those of all domains, in both panels
  expect_match(caption,
               "Not drawn, too far: 6 of 6 scores of null, 6 of 6 differences of null.", fixed = TRUE)
  # and what is near is left as it is
  result$scores[, "null"] <- result$scores[, "lm"] + 0.01
  result$table[1, c("mean", "difference", "lower", "upper")] <-
    result$table[2, c("mean", "difference", "lower", "upper")]
  near <- expect_plots(result)
  expect_true(all(near$data$beyond == 0))
  expect_false(grepl("beyond|Not drawn", said(near)))
})

test_that("parameters are named by what they mean, and by their argument", {
  titles <- parameter_titles(c("lambda", "bandwidth_factor", "domain_kernel.embedding_kernel.bandwidth", "epsilon", "own"))
  expect_identical(titles, c("ridge (lambda)", "relative bandwidth (bandwidth_factor)",
                             "bandwidth (domain_kernel.embedding_kernel.bandwidth)", "epsilon", "own"))
})

test_that("numbers in a plot do not end in a point", {
  expect_identical(same_digits(c(326, 410)), c("326", "410"))
  expect_identical(same_digits(c(0.1, 0.25)), c("0.100", "0.250"))
})

test_that("titles of panels fit them, with the lines that are given", {
  expect_identical(fit_lines("systolic_blood_pressure", 15, 2L), "systol...essure")
  expect_identical(fit_lines(c("Worst: 4.8", "University hospital 12"), 14, 2L),
                   "Worst: 4.8\nUniver...al 12")
  expect_lte(number_of_lines(fit_lines(strrep("long name ", 9), 15, 2L)), 2)
})

test_that("numbers of panels side by side do not meet", {
  at <- inner_numbers(c(-0.35, 0.65))
  expect_gt(min(at), -0.25)
  expect_lt(max(at), 0.55)
  expect_identical(inner_numbers(c(0.05, 1)), c(0.2, 0.8))
})

test_that("plot() says what a specification or a summary needs", {
  expect_domgen_error(plot(dg_ridge()), "fit it first, as in plot")
  expect_domgen_error(plot(dg_kpca()), "fit it first")
  expect_domgen_error(plot(summary(plotted("cv"))), "plot what it is a summary of")
})

test_that("a bin of a single row has no point, and the caption says so", {
  table <- data.frame(class = factor("a"), low = 0:2 / 4, high = 1:3 / 4, rows = c(1L, 5L, 8L),
                      predicted = 0:2 / 4 + 0.1, observed = c(1, 0.4, 0.5), lower = 0, upper = 1)
  x <- structure(list(table = table, rows = 14L, domains = 2L, error = c(a = 0.1),
                      labels = list(response = "y")), class = c("dg_calibration", "dg_result"))
  p <- expect_plots(x)
  expect_identical(drawn_by(p, "Point")[[1]]$y, c(0.4, 0.5))
  expect_match(said(p), "Without a point: 1 bin of a single row")
})

test_that("a null model is known by what it is, not by its name", {
  result <- far_null()
  renamed <- function(names) replace(names, names == "null", "knows nothing")
  result$table$method <- renamed(result$table$method)
  colnames(result$scores) <- renamed(colnames(result$scores))
  names(result$runs) <- renamed(names(result$runs))
  expect_identical(null_methods(result), "knows nothing")
  expect_identical(plot(result)$data$beyond, plot(far_null())$data$beyond)
  expect_match(said(plot(result)), "knows nothing (score", fixed = TRUE)
})

test_that("a comparison names its axis, its baseline and what diamonds are", {
  skip_if_not_installed("ggplot2")
  p <- plot(plotted("comparison"))
  expect_identical(p$labels$x, "Accuracy (higher is better)")
  expect_identical(levels(p$data$panel), c("Score", "Difference from pooled"))
  expect_match(said(p), "filled diamonds their means", fixed = TRUE)
})

lightness_of <- function(colours) {
  drop(c(0.299, 0.587, 0.114) %*% grDevices::col2rgb(colours)) / 255
}

test_that("classes have colours that differ in grey and from paper, and shapes of their own", {
  expect_identical(anyDuplicated(okabe_ito), 0L)
  expect_true(all(lightness_of(okabe_ito) < 0.75))
  expect_true(all(abs(diff(lightness_of(okabe_ito[1:3]))) > 0.1))
  expect_identical(anyDuplicated(class_shapes), 0L)
  # the open circle is for rows without a response
  expect_false(1 %in% class_shapes)
})

test_that("a projection is coloured by the response or by the domain", {
  skip_if_not_installed("ggplot2")
  model <- plotted("projection")
  new <- domains_of_hospital(6:7)
  key <- function(p) p$scales$get_scales("colour")
  by <- function(...) key(plot(model, newdata = new, ...))
  expect_identical(by()$limits, levels(factor(new$ill)))
  expect_identical(by(colour = "response")$limits, by()$limits)
  expect_identical(by(colour = "domain")$limits, levels(model$domain))
  expect_identical(by(colour = "domain")$name, "hospital")
  expect_plots(model, newdata = new, colour = "domain")
  expect_domgen_error(plot(model, colour = "class"), "`colour` must be one of")
  none <- dg_kpca(~ age + weight | hospital, data = new)
  expect_domgen_error(plot(none, colour = "response"), "neither the model nor")
  expect_identical(key(plot(none))$limits, c("d6", "d7"))
})

test_that("one domain far from all others does not squeeze these on a map", {
  points <- data.frame(domain = letters[1:9], unseen = FALSE, first = c(1:8 / 8, 40),
                       second = c(8:1 / 8, 3))
  found <- pull_in(points)
  expect_identical(which(found$far), 9L)
  expect_equal(found[1:8, names(points)], points[1:8, ])
  expect_lt(found$first[9], 2)
  expect_identical(found$first_true[9], 40)
  expect_false(any(pull_in(points[-9, ])$far))
  # nor is any pulled where they lie at one place
  expect_false(any(pull_in(transform(points, first = 0, second = 0))$far))
  squared <- as.matrix(stats::dist(points[c("first", "second")]))^2
  dimnames(squared) <- rep(list(points$domain), 2)
  distances <- structure(list(squared = squared), class = c("domgen_mmd", "dg_result"))
  expect_match(said(expect_plots(distances, type = "map")),
               "Drawn nearer than they are (ringed): i", fixed = TRUE)
})

test_that("scores by period are drawn against time", {
  data <- ellipses()
  day <- as.Date("2024-01-30") + seq_len(nrow(data)) %% 30
  later <- dg_cv(dg_lm(), ill ~ . | hospital, data = data,
                 folds = domain_folds(data$hospital, folds = 4, time = day))
  expect_plots(later)
  expect_plots(later, periods = FALSE)
})
