# What is wrong with rows that come in blocks, or with where they go.

spec <- dg_ridge(feature_map = features_nystrom(10), lambda = 0.1)

pieces_of <- function(pieces, hook = function(pass, piece) NULL) {
  pass <- 0
  at <- 0
  function(reset) {
    if (reset) {
      pass <<- pass + 1
      at <<- 0
      hook(pass, at)
      return(NULL)
    }
    at <<- at + 1
    hook(pass, at)
    if (at <= length(pieces)) pieces[[at]]
  }
}

in_units <- function(unit_x, unit_y, data) {
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
  toy$x1 <- toy$x1 * unit_x
  toy$y <- toy$y * unit_y
  formula <- y ~ x1 + x2 | domain
  fitted <- in_source(3, fit(spec, formula, data = data(toy)))
  predict(fitted, toy) / unit_y
}

test_that("units of predictors from 1e-300 to 1e300 do not change the predictions", {
  plain <- in_units(1, 1, row_source)
  for (unit in c(2^-990, 2^-530, 2^530, 2^990)) {
    expect_equal(in_units(unit, 1, row_source), plain, tolerance = 1e-8)
  }
})

test_that("a response whose squares are no numbers is an error, and other units are none", {
  plain <- in_units(1, 1, row_source)
  for (unit in 2^c(-450, 450)) {
    expect_equal(in_units(1, unit, row_source), plain, tolerance = 1e-8)
  }
  for (unit in c(1e-200, 1e-170, 1e160, 1e200)) {
    expect_error(in_units(1, unit, row_source), "other units", class = "domgen_error_data")
  }
})

test_that("a domain that is predictor, response or weight too keeps its type", {
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
  toy$year <- 2000 + as.integer(factor(toy$domain))
  for (formula in list(y ~ x1 + year | year, y ~ log(year) + x1 | year, y ~ x1 | y)) {
    fitted <- in_source(3, fit(spec, formula, data = row_source(toy, block_size = 7)))
    memory <- as_in_source(3, fit(spec, formula, data = toy))
    expect_equal(suppressWarnings(predict(fitted, toy)), suppressWarnings(predict(memory, toy)),
                 tolerance = 1e-8)
  }
  expect_no_error(fit(spec, y ~ x1 | year, data = row_source(toy), weights = year))
})

test_that("a term that compares rows of a block is refused, whichever row stands last", {
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
  for (data in list(toy, toy[rev(seq_len(nrow(toy))), ], toy[order(toy$x1), ],
                    toy[order(-toy$x1), ])) {
    expect_error(fit(spec, y ~ ifelse(x1 > mean(x1), 2, 0) | domain, data = row_source(data)),
                 "depends on other rows", class = "domgen_error_argument")
  }
  expect_no_error(fit(spec, y ~ ifelse(x1 > 0, x1, 2) | domain, data = row_source(toy)))
})

test_that("a function that fails when it starts again is an error that names the row", {
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
  fails <- function(reset) stop("the tape is torn")
  expect_error(fit(spec, y ~ x1 | domain, data = row_source(fails)), "`function` cannot be read: the tape is torn",
               class = "domgen_error_data")
  later <- pieces_of(list(toy, toy), function(pass, piece) if (piece == 2) stop("the tape is torn"))
  expect_error(fit(spec, y ~ x1 | domain, data = row_source(later)), paste("row", nrow(toy) + 1, "on: the tape is torn"),
               class = "domgen_error_data")
})

test_that("rows that are others at each reading are what they were when they were read", {
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
  now <- toy
  read <- FALSE
  changing <- function(reset) {
    given <- if (!reset && !read) now
    read <<- !reset
    # from then on
    if (!reset && is.null(given)) now <<- transform(now, y = y + 100, domain = rev(domain))
    given
  }
  expect_equal(in_source(3, fit(spec, y ~ x1 | domain, data = row_source(changing)))$coefficients,
               in_source(3, fit(spec, y ~ x1 | domain, data = row_source(toy)))$coefficients)
  expect_false(identical(now, toy))
})

test_that("a file that is gone leaves no connection open", {
  file <- tempfile(fileext = ".csv")
  write.csv(simulate_dica(domains = 2, n = 5, p = 2, seed = 1), file, row.names = FALSE)
  source <- row_source(file)
  unlink(file)
  before <- nrow(showConnections(all = TRUE))
  expect_error(fit(spec, y ~ x1 | domain, data = source), "cannot be read",
               class = "domgen_error_data")
  expect_identical(nrow(showConnections(all = TRUE)), before)
})

test_that("no file is replaced but by predictions of a call that asks for it", {
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
  folder <- source_folder()
  file <- file.path(folder, "a.csv")
  write.csv(toy, file, row.names = FALSE)
  fitted <- fit(spec, y ~ x1 + x2 | domain, data = row_source(file))
  dir.create(file.path(folder, "b.csv"))
  before <- readLines(file)
  for (to in c(folder, file, file.path(folder, "b.csv"))) for (overwrite in c(FALSE, TRUE)) {
    expect_error(predict(fitted, row_source(file), to = to, overwrite = overwrite), "`to`",
                 class = "domgen_error_argument")
  }
  expect_setequal(list.files(folder, all.files = TRUE, no.. = TRUE), c("a.csv", "b.csv"))
  expect_identical(readLines(file), before)
  # predictions themselves are replaced, and files that have nothing
  for (ending in c("csv", if (requireNamespace("nanoparquet", quietly = TRUE)) "parquet")) {
    to <- file.path(folder, paste0("out.", ending))
    file.create(to)
    expect_error(predict(fitted, row_source(file), to = to), "is there already")
    for (again in 1:2) predict(fitted, row_source(file, block_size = 13), to = to, overwrite = TRUE)
    expect_error(predict(fitted, row_source(file), to = to), "is there already")
    expect_equal(source_rows(to)$prediction, unname(predict(fitted, toy)), tolerance = 1e-12)
  }
})

test_that("a store that cannot be made is an error that names it, without a warning", {
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
  file <- tempfile()
  writeLines("x", file)
  expect_no_warning(expect_error(
    fit(spec, y ~ x1 | domain, data = row_source(toy, store = file)), basename(file),
    class = "domgen_error_write"
  ))
})

test_that("a class that only the domains held out have is none for the others", {
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
  toy$class <- factor(toy$domain)
  formula <- class ~ x1 + x2 | domain
  for (machine in list(dg_svm(cost = 1, loss = "logistic", feature_map = features_nystrom(10)),
                       dg_svm(cost = 1, feature_map = features_nystrom(10)), dg_null())) {
    # no row of a domain is predicted as its own class
    set.seed(5)
    found <- dg_cv(machine, formula, data = row_source(toy), metric = "accuracy")
    expect_equal(unname(found$overall), 0)
  }
})

test_that("a class whose name is empty is a class", {
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
  toy$named <- ifelse(toy$x1 > 0, "z", "a")
  toy$empty <- ifelse(toy$x1 > 0, "z", "")
  for (machine in list(dg_svm(cost = 1, loss = "logistic", feature_map = features_nystrom(10)),
                       dg_ridge(lambda = 0.1, feature_map = features_nystrom(10)), dg_null())) {
    named <- in_source(3, fit(machine, named ~ x1 + x2 | domain, data = row_source(toy)))
    empty <- in_source(3, fit(machine, empty ~ x1 + x2 | domain, data = row_source(toy)))
    expect_identical(as.character(predict(empty, toy)) == "z",
                     as.character(predict(named, toy)) == "z")
  }
})

test_that("a forecast of a model of a source, and augment() with one, are errors that say so", {
  toy <- simulate_dica(domains = 6, n = 8, p = 2, seed = 1)
  source <- row_source(toy)
  for (spec in list(dg_null(), dg_ridge(lambda = 1, feature_map = features_nystrom(6)))) {
    model <- fit(spec, y ~ x1 + x2 | domain, data = source)
    expect_domgen_error(suppressWarnings(dg_forecast(model, toy, permutations = 20)),
                        "`object` must be fitted to rows in memory", "domgen_error_argument")
    expect_domgen_error(augment(model, source), "`newdata` must be rows in memory",
                        "domgen_error_argument")
  }
})

test_that("bounds, grids and names of parts from outside are checked at their door", {
  odd <- list(sum, globalenv(), quote(f(x)), y ~ x, factor("a"), Sys.Date(), 1:2)
  for (value in odd) {
    expect_domgen_error(dg_parameter("a", "number", lower = value), "`lower`", "domgen_error_argument")
    expect_domgen_error(dg_parameter("a", "number", upper = value), "`lower`", "domgen_error_argument")
    expect_domgen_error(new_domain_kernel(value), "`name`", "domgen_error_argument")
  }
  for (value in odd[2:4]) {
    expect_domgen_error(dg_parameter("a", "number", grid = value), "`grid`", "domgen_error_argument")
  }
})
