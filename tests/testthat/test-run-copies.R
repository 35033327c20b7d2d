# Passes over text that is parsed once.

rows <- simulate_dica(domains = 6, n = 40, p = 3, seed = 1)
rows$domain <- as.character(rows$domain)
rows$x1[c(3, 50)] <- NA

fit_to <- function(files, limit = 2^30, ...) {
  old <- options(domgen.copies_limit = limit)
  on.exit(options(old))
  set.seed(4)
  suppressWarnings(dg_ridge(y ~ x1 + x2 + x3 | domain, data = row_source(files, ...),
                            feature_map = features_nystrom(15)),
                   classes = "domgen_warning_missing")
}

# The value of code, and how many pieces of CSV files it parsed.
parsed <- function(code) {
  own <- domgen:::parse_csv
  count <- 0
  with_replaced("parse_csv", function(...) {
    count <<- count + 1
    own(...)
  }, value <- force(code))
  list(value = value, count = count)
}

copies_left <- function() list.files(tempdir(), "^domgen-rows-")

numbers_in <- function(model) model[c("coefficients", "intercept", "lambda", "space", "left_out")]

test_that("text is parsed once, and the fit is the same to the last bit", {
  files <- write_files(rows, 3)
  once <- parsed(fit_to(files))
  always <- parsed(fit_to(files, 0))
  expect_identical(numbers_in(once$value), numbers_in(always$value))
  # of three files two passes are not parsed: embeddings and features
  expect_identical(always$count - once$count, 6)
  expect_identical(copies_left(), character())
  expect_no_match(rawToChar(Filter(as.logical, serialize(once$value, NULL, ascii = TRUE))),
                  "domgen-rows-")
})

test_that("files beyond the limit are parsed in every pass", {
  files <- write_files(rows, 3)
  always <- parsed(fit_to(files, 0))
  # 8 bytes for each of three predictors and three numbers beside them
  one <- parsed(fit_to(files, 8 * 6 * ceiling(nrow(rows) / 3)))
  expect_identical(always$count - one$count, 2)
  expect_identical(numbers_in(one$value), numbers_in(always$value))
  expect_error(fit_to(files, -1), "`domgen.copies_limit` must be one number of bytes",
               class = "domgen_error_argument")
})

test_that("classes and domains come back as they were read", {
  rows$y <- ifelse(rows$y > 0, "high", "low")
  files <- write_files(rows, 2)
  models <- lapply(c(2^30, 0), function(limit) fit_to(files, limit, block_size = 25))
  expect_identical(numbers_in(models[[1L]]), numbers_in(models[[2L]]))
})

test_that("a full disk costs time alone", {
  files <- write_files(rows, 2)
  usual <- fit_to(files)
  full <- with_replaced("write_block", function(block, connection) stop("no space"),
                        parsed(fit_to(files)))
  expect_identical(full$count, parsed(fit_to(files, 0))$count)
  expect_identical(numbers_in(full$value), numbers_in(usual))
  # what is lost in a buffer shows in the size
  lost <- with_replaced("write_block", function(block, connection) {
    if (is.null(block)) seek(connection, 10, "start", "write")
    serialize(block, connection, xdr = FALSE)
  }, fit_to(files))
  expect_identical(numbers_in(lost), numbers_in(usual))
  expect_identical(copies_left(), character())
})

test_that("nothing is left behind by an error or an interrupt, and a resumed fit is the same", {
  files <- write_files(rows, 3)
  usual <- fit_to(files)
  own <- domgen:::numbers_of
  broken <- function(condition) function(reader, data, at) {
    if (at$label == "part-02.csv") stop(condition)
    own(reader, data, at)
  }
  failed <- simpleError("by hand")
  expect_error(with_replaced("numbers_of", broken(failed), fit_to(files)), "by hand")
  expect_identical(copies_left(), character())
  stopped <- structure(class = c("interrupt", "condition"), list(message = "", call = NULL))
  expect_error(with_replaced("numbers_of", broken(stopped), fit_to(files)),
               class = "domgen_error_interrupt")
  expect_identical(copies_left(), character())
  expect_identical(numbers_in(suppressWarnings(dg_resume())), numbers_in(usual))
  expect_identical(copies_left(), character())
})

test_that("a file that changes in the midst of a call is an error, copied or not", {
  own <- domgen:::numbers_of
  for (limit in c(2^30, 0)) {
    files <- write_files(rows, 3)
    first <- list.files(files, full.names = TRUE)[1L]
    blocks <- 0
    # after the survey of three files another of as many rows is in the place of the first
    replaced <- function(...) {
      blocks <<- blocks + 1
      if (blocks == 3) cat(rev(readLines(first)), file = first, sep = "\n")
      own(...)
    }
    expect_error(with_replaced("numbers_of", replaced, fit_to(files, limit)),
                 "part-01.csv` has changed since the call began", class = "domgen_error_data")
    expect_identical(copies_left(), character())
  }
})

test_that("a fit is not resumed with a file that has changed", {
  files <- write_files(rows, 3)
  stopped <- structure(class = c("interrupt", "condition"), list(message = "", call = NULL))
  expect_error(with_replaced("numbers_of", function(...) stop(stopped), fit_to(files)),
               class = "domgen_error_interrupt")
  last <- list.files(files, full.names = TRUE)[3L]
  writeLines(readLines(last)[-2L], last)
  expect_error(dg_resume(), "part-03.csv` has changed since the call began",
               class = "domgen_error_data")
})

test_that("a copy that is damaged is an error that names it", {
  files <- write_files(rows, 3)
  own <- domgen:::walk_copy
  damaged <- function(file, f) {
    writeBin(readBin(file, "raw", 100L), file)
    own(file, f)
  }
  expect_error(with_replaced("walk_copy", damaged, fit_to(files)),
               "domgen-rows-.*` cannot be read from row 1 on", class = "domgen_error_data")
})

test_that("a walk that is ended early leaves no copy, and ends where a copy is read", {
  files <- row_source(write_files(rows, 1), block_size = 50)
  reader <- list(prototype = rows[0L, c("y", "x1")], copies = tempfile("copy"))
  numbers <- function(reader, data, at) list(y = data$y)
  walk <- function(most) {
    seen <- 0
    with_replaced("numbers_of", numbers, {
      domgen:::walk_numbers(reader, files$partitions[[1L]], 1L, 50, function(block, size, first) {
        seen <<- seen + size
        seen < most
      })
    })
    seen
  }
  expect_identical(walk(60), 100)
  expect_false(file.exists(reader$copies))
  expect_identical(walk(Inf), as.numeric(nrow(rows)))
  expect_true(file.exists(reader$copies))
  expect_identical(walk(60), 100)
  expect_identical(walk(Inf), as.numeric(nrow(rows)))
})
