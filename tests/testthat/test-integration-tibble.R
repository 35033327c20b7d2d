# One of each class that has a table.
tabled_objects <- function() {
  toy <- toy_domains(4, 15)
  labels <- toy_classes(4, 15)
  machine <- dg_svm(y ~ . | domain, data = labels, cost = 1, calibration = "platt")
  set.seed(1)
  list(
    cv = dg_cv(dg_lm(), y ~ . | domain, data = toy),
    compare = dg_compare(list(lm = dg_lm()), y ~ . | domain, data = toy),
    tuned = dg_tune(dg_ridge(), y ~ . | domain, data = toy, extend = FALSE,
                    grid = list(kernel = list(kernel_rbf(1), kernel_laplace(2)))),
    auto = dg_auto(y ~ . | domain, data = toy, seed = 1, max_seconds = 2),
    diagnose = dg_diagnose(y ~ . | domain, data = toy, permutations = 20, seed = 1),
    calibration = dg_calibration(machine, labels),
    importance = dg_importance(dg_lm(), y ~ . | domain, data = toy, permutations = 2),
    effect = dg_effect(machine, newdata = labels, grid = 4),
    mmd = dg_mmd(as.matrix(iris[1:4]), iris$Species, permutations = 9),
    map = domain_map(machine)
  )
}

is_clean <- function(frame) {
  all(vapply(frame, function(column) is.null(dim(column)) && !is.list(column), NA)) &&
    anyDuplicated(names(frame)) == 0L && all(nzchar(names(frame)))
}

test_that("every result is a data frame without lists, and a tibble of the same numbers", {
  objects <- suppressWarnings(tabled_objects())
  for (name in names(objects)) {
    frame <- as.data.frame(objects[[name]])
    expect_identical(class(frame), "data.frame", info = name)
    expect_gt(nrow(frame), 0)
    expect_true(is_clean(frame), info = name)
    expect_identical(frame, as.data.frame(tidy(objects[[name]])), info = name)
    file <- tempfile()
    utils::write.csv(frame, file, row.names = FALSE)
    expect_named(utils::read.csv(file, check.names = FALSE), names(frame))
    if (requireNamespace("tibble", quietly = TRUE)) {
      expect_true(tibble::is_tibble(tibble::as_tibble(objects[[name]])), info = name)
      expect_identical(as.data.frame(tibble::as_tibble(objects[[name]])), frame, info = name)
    }
  }
  expect_identical(rownames(as.data.frame(objects$cv, row.names = letters[1:4])), letters[1:4])
  expect_domgen_error(as.data.frame(objects$cv, digits = 3), "Unknown argument `digits`",
                      "domgen_error_argument")
})

test_that("tidiers give tibbles that print and are subset with tibble and without", {
  toy <- toy_domains(4, 15)
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy)
  for (table in list(tidy(cv), glance(cv), augment(cv))) {
    expect_s3_class(table, c("tbl_df", "tbl", "data.frame"), exact = TRUE)
  }
  skip_if_not_installed("tibble")
  loadNamespace("tibble")
  expect_identical(tidy(cv)[["score"]], cv$domains$score)
  expect_s3_class(tidy(cv)[, "score"], "tbl_df")
  expect_output(print(tidy(cv)), "A tibble: 4")
  expect_equal(tidy(cv), tibble::as_tibble(cv$domains))
})

test_that("a session without tibble reads the tables as data frames", {
  shown <- in_new_session(input = NULL, expr = {
    cv <- dg_cv(dg_lm(), weight ~ Time | Diet, data = ChickWeight)
    table <- tidy(cv)
    list(loaded = loadedNamespaces(), part = table[2:3, c("domain", "score")]$score,
         score = cv$domains$score, printed = utils::capture.output(print(table)))
  })
  expect_false("tibble" %in% shown$loaded)
  expect_identical(shown$part, shown$score[2:3])
  expect_match(shown$printed[1], "domain +fold +rows")
})

test_that("data.frame() takes a result as it takes a data frame", {
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy_domains(3, 10))
  expect_identical(data.frame(cv), as.data.frame(cv))
  found <- data.frame(cv, n = 1, stringsAsFactors = TRUE)
  expect_s3_class(found$domain, "factor")
  expect_identical(as.character(found$domain), as.data.frame(cv)$domain)
  expect_domgen_error(as.data.frame(cv, stringsAsFactors = NA), "must be TRUE or FALSE, not NA")
  expect_domgen_error(as.data.frame(cv, digits = 3), "Unknown argument `digits`")
})
