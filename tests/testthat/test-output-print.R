# Every print method keeps to the width of the console, whatever names users have.

long <- function(text) paste("a name that nobody would want to read in full of", text)

long_toy <- function(classes = FALSE) {
  toy <- if (classes) toy_classes(5, 12) else toy_domains(5, 12)
  toy$domain <- factor(long(toy$domain))
  names(toy)[names(toy) == "x1"] <- "a_predictor_whose_name_is_longer_than_any_line_of_a_console_is"
  toy
}

# A list of everything that prints itself.
printed_objects <- function() {
  toy <- long_toy()
  labels <- long_toy(TRUE)
  levels(labels$y) <- c("the first of two classes with names that are long", "the second of these classes")
  on <- function(spec, data = toy) fit(spec, y ~ . | domain, data = data)
  named <- function(...) stats::setNames(list(...), long(seq_len(...length())))
  members <- named(dg_lm(), dg_ridge(lambda = 1))
  svm <- on(dg_svm(cost = 1, calibration = "platt", domain_kernel = domain_pooled()), labels)
  several <- on(dg_svm(cost = 1), transform(labels, y = factor(rep_len(c("a", "b", "c"), nrow(toy)))))
  new <- domains_of(toy, 1)
  x <- as.matrix(toy[setdiff(names(toy), c("y", "domain"))])
  time <- as.POSIXct("2024-01-01") + 1e6 * seq_len(nrow(toy))
  later <- domain_folds(toy$domain, folds = 2, time = time)
  set.seed(1)
  list(
    cv = dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = c("rmse", "mae", "r2")),
    compare = dg_compare(named(dg_lm(), dg_ridge(lambda = 1)), y ~ . | domain, data = toy),
    tuned = dg_tune(dg_ridge(), y ~ . | domain, data = toy, extend = FALSE,
                    grid = list(lambda = c(1, 10), kernel = list(kernel_rbf(1), kernel_laplace(2)))),
    tune_spec = dg_tune(dg_ridge(), grid = list(lambda = 10^seq(-3, 3, 0.1))),
    auto = dg_auto(y ~ . | domain, data = toy, seed = 1, max_seconds = 3),
    auto_spec = dg_auto(),
    diagnose = dg_diagnose(y ~ . | domain, data = toy, permutations = 20, seed = 1),
    calibration = dg_calibration(svm, labels), benefit = dg_net_benefit(svm, labels), svm = svm, several = several,
    importance = dg_importance(dg_lm(), y ~ . | domain, data = toy, permutations = 2),
    effect = dg_effect(several, newdata = toy, grid = 5),
    ridge = on(dg_ridge(bandwidths = "fitted")), gp = on(dg_gp(ard = TRUE)),
    gp_features = on(dg_gp(feature_map = features_nystrom(10), optimise = FALSE)),
    lm = on(dg_lm()), null = on(dg_null(), labels),
    adapted = dg_adapt(on(dg_ridge(lambda = 1)), new, new$y),
    ensemble = on(dg_ensemble(members, "stacked")), even = on(dg_ensemble(members)),
    ensemble_spec = dg_ensemble(members), chain = on(dg_pipeline(dg_udica(ncomp = 4), dg_lm())),
    chain_spec = dg_pipeline(dg_dica(), dg_svm()), dica = on(dg_dica(ncomp = 9)), kpca = on(dg_kpca()),
    mmd = dg_mmd(x, toy$domain, permutations = 9), map = domain_map(on(dg_ridge(lambda = 1))),
    novelty = dg_novelty(on(dg_ridge(lambda = 1)), new),
    many = dg_mmd(as.matrix(rnorm(60)), rep(long(1:30), 2)),
    folds = domain_folds(toy$domain), rows = row_folds(toy$domain, 3),
    later = later, cv_later = dg_cv(dg_lm(), y ~ . | domain, data = toy, folds = later),
    short_folds = domain_folds(1:200, 5), sums = feature_sums(y ~ . | domain, data = toy,
                                                             feature_map = features_rff(20)),
    source = row_source(toy), metric = metric_custom(mean, "high", long("a score")),
    kernel = kernel_rbf(1:60 / 7), product = kernel_rbf(1:9 / 7) * kernel_laplace() + kernel_poly(3),
    kappa = domain_distribution(kernel_rbf(1:30), kernel_laplace()), tau = domain_multitask(0.5),
    feature_map = features_nystrom(1500, "kmeans"), impute = na.impute()
  )
}

objects <- suppressWarnings(printed_objects())

test_that("no print method writes beyond the width of the console", {
  for (name in names(objects)) {
    x <- objects[[name]]
    for (width in c(60, 120)) {
      old <- options(width = width)
      lines <- capture.output(print(x))
      summed <- inherits(x, c("dg_fit", "dg_cv", "dg_compare"))
      again <- if (summed) capture.output(print(summary(x)))
      options(old)
      expect_lte(max(nchar(c(lines, again), "width")), width, label = paste(name, "at", width))
      expect_gt(length(lines), 0)
    }
  }
})

test_that("a fact of a fit is a line of print() and of summary(), and a column of glance()", {
  old <- options(width = 120)
  on.exit(options(old))
  # results of searches have a table of their own
  fits <- Filter(function(x) inherits(x, "dg_fit") && !inherits(x, "dg_result"), objects)
  expect_gt(length(fits), 10L)
  for (name in names(fits)) {
    x <- fits[[name]]
    facts <- Filter(length, describe_fit(x))
    printed <- capture.output(print(x))
    summed <- capture.output(print(summary(x)))
    for (fact in facts) {
      # where it is long, the beginning; a field is indented, a heading is not
      line <- if (fact$block) substr(fact$name, 1L, 40L)
              else paste0("  ", substr(paste0(fact$name, " "), 1L, 20L))
      said <- function(lines) any(startsWith(lines, line))
      expect_identical(said(printed), "print" %in% fact$only, label = line)
      expect_identical(said(summed), "summary" %in% fact$only, label = line)
    }
    shown <- Filter(function(fact) "print" %in% fact$only, facts)
    numbers <- unlist(lapply(shown, `[[`, "columns"))
    expect_identical(unlist(glance(x)[names(numbers)]), numbers, label = name)
    table <- Filter(is.data.frame, lapply(facts, `[[`, "value"))
    if (length(table)) expect_setequal(names(tidy(x)), names(table[[1L]]))
  }
})

test_that("of many terms the largest are printed", {
  many <- data.frame(term = sprintf("x%d", 1:40), estimate = c(20:1, -(21:40)))
  lines <- capture.output(cat_facts(list(fact("Coefficients", many))))
  expect_match(lines[2L], "the 15 largest")
  expect_identical(sub(" .*", "", trimws(lines[4:18])), sprintf("x%d", 40:26))
  expect_match(lines[19L], "and 25 more in `tidy()`", fixed = TRUE)
})

test_that("numbers have the digits of options(digits) and of print()", {
  toy <- toy_domains(5, 12)
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy)
  model <- dg_ridge(y ~ . | domain, data = toy)
  comparison <- dg_compare(list(lm = dg_lm()), y ~ . | domain, data = toy)
  for (x in list(cv, model, comparison)) {
    old <- options(digits = 7)
    usual <- capture.output(print(x))
    options(digits = 10)
    more <- capture.output(print(x))
    options(old)
    expect_false(identical(usual, more))
    expect_identical(capture.output(print(x, digits = 7)), more)
  }
  shown <- capture.output(print(cv, digits = 7))
  expect_match(paste(shown, collapse = " "), format(signif(cv$mean, 7), digits = 7), fixed = TRUE)
  expect_domgen_error(print(cv, digits = -1), "`digits` must be", "domgen_error_argument")
})

test_that("few digits, and a decimal comma, leave every print without an error or a warning", {
  for (name in names(objects)) for (ways in list(list(digits = 3), list(OutDec = ","))) {
    old <- options(ways)
    expect_warning(capture.output(print(objects[[name]])), NA)
    options(old)
  }
})
