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
  expect_error(fit(spec, y ~ x1 | domain, data = row_source(fails)), "row 1 on: the tape is torn",
               class = "domgen_error_data")
  later <- pieces_of(list(toy), function(pass, piece) if (pass == 4) stop("the tape is torn"))
  expect_error(fit(spec, y ~ x1 | domain, data = row_source(later)), "the tape is torn",
               class = "domgen_error_data")
})

test_that("domains and classes that only a later pass has are errors that name the row", {
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
  toy$domain <- as.character(toy$domain)
  toy$class <- ifelse(toy$y > 0, "a", "b")
  changing <- function(column) {
    now <- toy
    pieces <- function(reset) {
      if (reset) {
        pass <<- pass + 1
        at <<- 0
        return(NULL)
      }
      at <<- at + 1
      if (pass > survey) now[[column]][9] <- "new"
      if (at == 1) now
    }
    pass <- at <- 0
    row_source(pieces)
  }
  # columns, types, levels, first block, counts, survey: the features are the last pass
  passes <- 0
  fit(spec, class ~ x1 | domain,
      data = row_source(pieces_of(list(toy), function(pass, piece) passes <<- pass)))
  survey <- passes - 1
  expect_error(fit(spec, y ~ x1 | domain, data = changing("domain")),
               "row 9 has another domain .*\"new\"", class = "domgen_error_data")
  expect_error(fit(spec, class ~ x1 | domain, data = changing("class")),
               "row 9 has another class .*\"new\"", class = "domgen_error_data")
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

test_that("a place for predictions is not emptied of what is not predictions", {
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
  folder <- source_folder()
  rows <- file.path(folder, "rows")
  dir.create(rows)
  file <- file.path(rows, "a.csv")
  write.csv(toy, file, row.names = FALSE)
  fitted <- fit(spec, y ~ x1 + x2 | domain, data = row_source(rows))
  before <- list.files(folder, recursive = TRUE)
  for (to in c(rows, folder, file)) {
    expect_error(predict(fitted, row_source(rows), to = to, overwrite = TRUE), "`to`",
                 class = "domgen_error_argument")
  }
  expect_identical(list.files(folder, recursive = TRUE), before)
  expect_identical(nrow(read.csv(file)), nrow(toy))
  # files that have the names of predictions, and are read
  file.rename(file, file.path(rows, "part-00001.csv"))
  expect_error(predict(fitted, row_source(rows), to = rows, overwrite = TRUE),
               "`part-00001.csv`", class = "domgen_error_argument")
  # and the folder beside
  to <- file.path(folder, "out.csv")
  dir.create(paste0(to, ".part"))
  writeLines("mine", file.path(paste0(to, ".part"), "mine.txt"))
  expect_error(predict(fitted, row_source(rows), to = to), "mine.txt",
               class = "domgen_error_argument")
  # predictions themselves are replaced
  out <- file.path(folder, "out")
  predict(fitted, row_source(rows), to = out)
  predict(fitted, row_source(rows), to = out, overwrite = TRUE)
  expect_identical(list.files(out), "part-00001.csv")
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

# The store after a fit to these rows that did not get to its end.
half_store <- function(data, store = tempfile("store")) {
  with_replaced("forget", function(...) stop("the tape is torn"), {
    expect_error(fit_whole(data, store), "torn")
  })
  expect_gt(length(list.files(store)), 0)
  store
}

fit_whole <- function(data, store) {
  set.seed(5)
  predict(fit(spec, y ~ x1 + x2 | domain, data = row_source(data, partitions = 2, store = store)),
          data)
}

test_that("a store is not used for a data frame with other values", {
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
  store <- half_store(toy)
  toy$x1 <- toy$x1^3
  expect_equal(fit_whole(toy, store), fit_whole(toy, NULL), tolerance = 1e-12)
})

test_that("a file of the store with something else in it is damaged", {
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
  for (other in list(NULL, list(), "x", 3)) {
    store <- half_store(toy)
    for (file in list.files(store, full.names = TRUE)) saveRDS(other, file)
    expect_error(fit_whole(toy, store), "damaged file", class = "domgen_error_data")
  }
})

test_that("the same call that runs twice at once with one store gives the same numbers", {
  skip_on_os("windows")
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
  folder <- write_files(toy, 6)
  store <- tempfile("store")
  found <- parallel::mclapply(1:2, function(i) {
    set.seed(5)
    fitted <- fit(spec, y ~ x1 + x2 | domain, data = row_source(folder, store = store))
    predict(fitted, toy)
  }, mc.cores = 2)
  for (one in found) expect_equal(one, found[[1L]], tolerance = 1e-12)
  expect_type(found[[1L]], "double")
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
