test_that("projections are taken apart by component, and give rows their scores", {
  toy <- toy_domains(4, 15)
  train <- domains_of(toy, 1:3)
  model <- dg_udica(y ~ . | domain, data = train)
  expect_equal(tidy(model)$value, unname(model$values))
  expect_identical(glance(model)$domains, 3L)
  rows <- augment(model)
  expect_identical(rows$y, train$y)
  expect_equal(rows$.comp2, unname(fitted(model)[, 2]))
  new <- augment(model, domains_of(toy, 4))
  expect_identical(names(new), c(names(toy), ".comp1", ".comp2"))
})

test_that("learners give rows their predictions, residuals and probabilities", {
  toy <- toy_domains(4, 15)
  model <- dg_lm(y ~ . | domain, data = toy)
  rows <- augment(model)
  expect_equal(rows$.resid, unname(residuals(model)))
  expect_equal(augment(model, toy)$.resid, rows$.resid)
  expect_false(".resid" %in% names(augment(model, toy[names(toy) != "y"])))
  expect_equal(tidy(model)$estimate, unname(coef(model)))
  labels <- toy_classes(4, 15)
  rows <- augment(dg_lm(y ~ . | domain, data = labels), labels)
  expect_equal(rows$`.pred_-1` + rows$.pred_1, rep(1, nrow(labels)))
  machine <- dg_svm(y ~ . | domain, data = labels, cost = 3)
  expect_identical(subset(tidy(machine), parameter == "cost")$value, "3")
  expect_named(augment(machine), c("y", "domain", ".fitted"))
  # what was left to the fit is told as it was found
  left <- dg_ridge(y ~ . | domain, data = toy)
  expect_identical(subset(tidy(left), parameter == "lambda")$value, format_value(left$lambda))
  expect_false("cost" %in% tidy(dg_ridge(y ~ . | domain, data = toy, lambda = 2))$parameter)
  chained <- dg_pipeline(dg_kpca(ncomp = 2), dg_ridge())
  chained <- fit(chained, y ~ . | domain, data = toy)
  expect_identical(subset(tidy(chained), parameter == "lambda")$part, "learner")
})

test_that("a row that na.exclude left out keeps its place", {
  toy <- toy_domains(3, 10)
  toy$x1[2] <- NA
  expect_warning(model <- dg_lm(y ~ . | domain, data = toy, na.action = stats::na.exclude), "left out")
  rows <- augment(model)
  expect_identical(which(is.na(rows$.fitted)), 2L)
  expect_identical(nrow(rows), nrow(toy))
})

test_that("a Gaussian process has its parameters and its likelihood", {
  model <- dg_gp(y ~ . | domain, data = toy_domains(3, 10), optimise = FALSE)
  expect_identical(unname(as.data.frame(tidy(model))), unname(model$parameters))
  expect_named(tidy(model), c("term", "estimate", "fitted", "at_bound", "meaning"))
  expect_equal(glance(model)$logLik, as.numeric(logLik(model)))
})

test_that("cross-validations, comparisons and searches are one line each and as many as they have", {
  toy <- toy_domains(4, 15)
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy)
  expect_identical(as.data.frame(tidy(cv)), cv$domains)
  expect_identical(glance(cv)$mean, cv$mean)
  expect_identical(as.data.frame(augment(cv)), cv$predictions)
  classes <- dg_cv(dg_lm(), y ~ . | domain, data = toy_classes(4, 15), metric = "log_loss")
  rows <- augment(classes)
  expect_true(all(vapply(rows, is.null, NA) | lengths(lapply(rows, dim)) == 0L))
  for (class in levels(rows$truth)) {
    expect_equal(rows[[paste0(".pred_", class)]], unname(classes$predictions$prob[, class]))
  }
  comparison <- dg_compare(list(pooled = dg_lm()), y ~ . | domain, data = toy)
  table <- as.data.frame(tidy(comparison))
  expect_identical(unname(table), unname(comparison$table))
  expect_named(table, c("method", "mean", "overall", "rank", "estimate", "std.error", "conf.low",
                        "conf.high", "p.value", "p_rank", "seconds", "error"))
  expect_identical(nrow(glance(comparison)), 1L)
  tuned <- dg_tune(dg_ridge(), y ~ . | domain, data = toy, grid = list(lambda = c(1, 10)),
                   extend = FALSE)
  expect_identical(which(tidy(tuned)$chosen), tuned$tuning$chosen)
  expect_identical(glance(tuned)$lambda, tuned$tuning$best$lambda)
  expect_equal(augment(tuned)$.fitted, fitted(tuned))
})

test_that("distances have a line per pair", {
  x <- as.matrix(iris[1:4])
  set.seed(1)
  pairs <- tidy(dg_mmd(x, iris$Species, permutations = 19))
  expect_identical(nrow(pairs), 3L)
  expect_equal(pairs$estimate[1], dg_mmd(x, iris$Species)$squared["setosa", "versicolor"])
  expect_equal(pairs$p.value, rep(0.05, 3))
})

test_that("classes with probabilities are warned of once, and notes are counted in words", {
  toy <- toy_classes(4, 12)
  toy$domain <- factor(c("alone", as.character(toy$domain)[-1L]))
  model <- suppressWarnings(dg_ridge(y ~ . | domain, data = toy, calibration = "platt"))
  said <- capture_warnings(rows <- augment(model, toy))
  expect_identical(sum(grepl("described by a single row", said)), 1L)
  expect_false(anyNA(rows$.pred_1))
  expect_output(print(model), "1 time while domains were held out: A domain is")
})

test_that("an ensemble has its members, their weights and scores", {
  toy <- toy_domains(4, 15)
  three <- list(linear = dg_lm(), ridge = dg_ridge(lambda = 1), null = dg_null())
  stacked <- fit(dg_ensemble(three, "stacked"), y ~ . | domain, data = toy)
  members <- tidy(stacked)
  expect_identical(members$member, names(three))
  expect_equal(members$weight, unname(coef(stacked)))
  expect_equal(members$mean[1], dg_cv(dg_lm(), y ~ . | domain, data = toy)$mean)
  expect_named(tidy(fit(dg_ensemble(three), y ~ . | domain, data = toy)), c("member", "weight"))
})

test_that("rows keep the names that they have", {
  cars <- transform(mtcars, gear = factor(gear))
  model <- dg_lm(mpg ~ wt + hp | gear, data = cars)
  expect_identical(augment(model, cars)$.rownames, rownames(mtcars))
  expect_false(".rownames" %in% names(augment(model, data.frame(cars, row.names = NULL))))
})

test_that("a response that depends on the rows around is not known of new rows", {
  toy <- toy_domains(4, 15)
  for (formula in c(scale(y) ~ x1 | domain, I(y / max(y)) ~ x1 | domain)) {
    model <- dg_lm(formula, data = toy)
    expect_true(".resid" %in% names(augment(model)))
    expect_false(".resid" %in% names(augment(model, toy[1:4, ])))
    expect_domgen_error(set_intervals(model, toy), "The response is missing")
  }
  model <- dg_lm(log(y + 100) ~ x1 | domain, data = toy)
  expect_equal(augment(model, toy[1:4, ])$.resid, augment(model)$.resid[1:4])
})

test_that("values of classes are columns of tables, and a matrix under their common name", {
  labels <- c("no", "yes", "perhaps so")
  set.seed(3)
  data <- toy_domains(6, 15)
  for (classes in list(labels[1:2], labels)) {
    data$y <- factor(sample(classes, nrow(data), TRUE), classes)
    cv <- dg_cv(dg_glm(lambda = 1), y ~ . | domain, data = data)
    rows <- cv$predictions
    expect_false(any(vapply(rows, is.matrix, NA)))
    expect_identical(colnames(rows$prob), classes)
    for (class in classes) {
      expect_identical(rows[[paste0("prob.", class)]], unname(rows$prob[, class]))
      expect_identical(augment(cv)[[paste0(".pred_", class)]], rows[[paste0("prob.", class)]])
    }
    expect_identical(rows$prob.yes, rows$prob[, "yes"])
    expect_equal(rows$decision, as.matrix(with_matrices(rows)$decision), ignore_attr = TRUE)
    expect_equal(rowSums(rows[3:1, ]$prob), rep(1, 3))
    # the score of the table is that of the matrix
    again <- dg_validate(rows$prob, y = rows$truth, domain = rows$domain, class = "yes")
    ratio <- function(x) x$domains$estimate[x$domains$measure == "oe"]
    expect_equal(ratio(again), ratio(dg_validate(cv, class = "yes")))
  }
})

test_that("fits answer the arguments of broom: conf.int, conf.level, data, .rownames and nobs", {
  cars <- transform(mtcars, carb = factor(carb))
  models <- list(dg_lm(mpg ~ wt + hp | carb, data = cars),
                 dg_glm(mpg ~ wt + hp | carb, data = cars, kernel = kernel_linear(),
                        domain_kernel = domain_pooled(), lambda = 0.1))
  for (model in models) {
    level <- runif(1, 0.6, 0.99)
    expected <- dg_coefficients(model, level = level)$table
    found <- tidy(model, conf.int = TRUE, conf.level = level)
    expect_equal(found$estimate, expected$estimate)
    expect_equal(found$conf.low, expected$lower)
    expect_equal(found$std.error, expected$se)
    expect_identical(glance(model)$nobs, nrow(cars))
  }
  expect_domgen_error(tidy(dg_null(mpg ~ wt | carb, data = cars), conf.int = TRUE), "linear")
  expect_domgen_error(tidy(models[[1L]], conf.int = "yes"), "`conf.int` must be TRUE or FALSE")
  # rows are found by the names that they have, also where some were taken
  some <- cars[sample(nrow(cars), 9L), ]
  for (model in c(models, list(dg_tca(mpg ~ wt + hp | carb, data = cars)))) {
    rows <- augment(model, data = some)
    expect_identical(rows$.rownames, row.names(some))
    expect_identical(names(rows)[2:12], names(cars))
    expect_equal(as.data.frame(rows), as.data.frame(augment(model, some)))
  }
  expect_equal(augment(models[[1L]], data = cars)$.fitted, unname(fitted(models[[1L]])))
  for (model in models) expect_identical(augment(model)$.rownames, row.names(cars))
  # those that were kept
  cars$wt[4L] <- NA
  for (action in list(stats::na.omit, stats::na.exclude)) {
    model <- suppressWarnings(dg_lm(mpg ~ wt | carb, data = cars, na.action = action))
    known <- augment(model)
    expect_identical(known$.rownames[!is.na(known$.fitted)], row.names(cars)[-4L])
    expect_equal(known$.fitted, unname(fitted(model)))
  }
  row.names(cars) <- NULL
  for (model in list(dg_lm(mpg ~ wt | carb, data = cars, na.action = na.impute()),
                     models[[1L]])) {
    expect_false(".rownames" %in% names(suppressWarnings(augment(model, data = cars))))
  }
})
