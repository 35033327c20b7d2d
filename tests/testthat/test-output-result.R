# One of each class.
described_objects <- function() {
  toy <- toy_domains(5, 12)
  model <- dg_ridge(y ~ . | domain, data = toy, lambda = 1)
  classes <- toy_classes(5, 12)
  list(
    cv = dg_cv(dg_ridge(lambda = 1), y ~ . | domain, data = toy, metric = c("rmse", "r2"), shots = 2),
    lodo = dg_cv(dg_glm(y ~ . | domain, data = toy, family = "gaussian", lambda = 1)),
    compare = dg_compare(list(lm = dg_lm()), y ~ . | domain, data = toy, refits = FALSE),
    tuned = dg_tune(dg_ridge(), y ~ . | domain, data = toy, grid = list(lambda = 10^(0:2)),
                    extend = FALSE),
    auto = dg_auto(y ~ . | domain, data = toy, seed = 1, n_members = 2, max_ard = 0,
                   max_seconds = 2),
    diagnose = dg_diagnose(y ~ . | domain, data = toy, permutations = 20, seed = 1),
    calibration = dg_calibration(dg_lm(y ~ . | domain, data = classes), classes),
    benefit = dg_net_benefit(dg_lm(y ~ . | domain, data = classes), classes),
    novelty = dg_novelty(model, transform(toy, x1 = x1 + 3)),
    forecast = dg_forecast(dg_lm(y ~ . | domain, data = toy), toy, permutations = 19),
    mmd = with_seed(1, dg_mmd(as.matrix(iris[1:4]), iris$Species, permutations = 9)),
    plan = dg_plan(dg_lm(), y ~ . | domain, data = toy, sites = 2:4, labels = 2, draws = 2,
                   target = 1, updates = "intercept"),
    importance = dg_importance(dg_lm(), y ~ . | domain, data = toy, permutations = 2),
    effect = dg_effect(model, newdata = toy, grid = 4)
  )
}

test_that("a result is printed, tabled, summed up and reported from its one description", {
  objects <- suppressWarnings(described_objects())
  for (name in names(objects)) {
    x <- objects[[name]]
    expect_s3_class(x, "dg_result")
    printed <- capture.output(value <- withVisible(print(x)))
    expect_identical(value, list(value = x, visible = FALSE), info = name)
    expect_identical(format(x), printed, info = name)
    expect_lte(max(nchar(printed)), 80)
    described <- describe_result(x)
    shown <- unlist(lapply(Filter(function(column) is.null(column$values), described$columns),
                           `[[`, "name"))
    expect_identical(setdiff(shown, names(described$table)), character(), info = name)
    table <- tidy(x)
    expect_identical(dim(table), dim(described$table), info = name)
    expect_false(any(c("se", "lower", "upper", "p") %in% names(table)), info = name)
    if ("conf.low" %in% names(table)) {
      known <- table[!is.na(table$conf.low), ]
      expect_gt(nrow(known), 0L)
      expect_true(all(known$conf.low <= known$estimate & known$estimate <= known$conf.high))
    }
    line <- glance(x)
    expect_identical(nrow(line), 1L, info = name)
    expect_false(any(c("se", "lower", "upper", "p") %in% names(line)), info = name)
    report <- report_table(x)
    expect_length(report$headers, ncol(report$table))
    expect_true(all(vapply(report$table, is.character, NA)), info = name)
    expect_output(print(summary(x)))
    expect_domgen_error(tidy(x, digits = 3), "Unknown argument `digits`")
  }
})

test_that("summary() has the rows that print() leaves out", {
  found <- dg_effect(dg_lm(y ~ . | domain, data = toy_domains(3, 12)), grid = 8,
                     newdata = toy_domains(3, 12))
  rows <- function(lines) sum(grepl(" to ", lines))
  expect_lt(rows(capture.output(print(found))), nrow(found$average))
  expect_gte(rows(capture.output(print(summary(found)))), nrow(found$average))
})

test_that("results without rows of the data or a plot say so", {
  slopes <- dg_coefficients(dg_lm(y ~ . | domain, data = toy_domains(4, 12)))
  expect_domgen_error(augment(slopes), "has no rows of the data", "domgen_error_argument")
  expect_domgen_error(plot(slopes), "has no plot", "domgen_error_argument")
})

test_that("a tuned or automatic model keeps what models have", {
  toy <- toy_domains(5, 12)
  tuned <- dg_tune(dg_ridge(), y ~ . | domain, data = toy, grid = list(lambda = c(1, 10)),
                   extend = FALSE)
  expect_identical(augment(tuned, toy)$.fitted, predict(tuned, toy))
  expect_output(print(tuned), "Best of 2 combinations.*Kernel ridge regression: y ~")
  auto <- dg_auto(y ~ . | domain, data = toy, seed = 1, max_seconds = 2)
  expect_identical(glance(auto)$method, "dg_auto")
  expect_identical(augment(auto, toy)$.fitted, predict(auto, toy))
  # its data are found where the user is
  expect_s3_class(summary(auto), "summary.dg_learner")
})
