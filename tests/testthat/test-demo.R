# The functions of the demonstration, without what it runs.
demo_functions <- function() {
  env <- new.env(parent = globalenv())
  for (line in parse(system.file("scripts", "demo.R", package = "domgen"), keep.source = FALSE)) {
    if (is.call(line) && identical(line[[1L]], as.name("<-")) && is.call(line[[3L]]) &&
          identical(line[[3L]][[1L]], as.name("function"))) eval(line, env)
  }
  env$stop_demo <- function(...) abort("demo", ...)
  env
}

with_file <- function(content, code) {
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file, recursive = TRUE))
  if (is.function(content)) content(file) else writeLines(content, file)
  code(file)
}

test_that("the demonstration reads tables as programs write them", {
  skip_if_not_installed("data.table")
  demo <- demo_functions()
  d <- data.frame(y = c(1.5, 2.5, -3), g = c("a", "b", "a"), x = c(0.25, 1, 7))
  same <- function(content) {
    with_file(content, function(file) {
      capture.output(found <- demo$read_table(file))
      expect_equal(found, d)
    })
  }
  same(function(file) write.csv(d, file, row.names = FALSE))
  same(function(file) write.csv2(d, file, row.names = FALSE))
  same(function(file) write.table(d, file, sep = ";", row.names = FALSE))
  same(function(file) write.table(d, file, sep = "\t", row.names = FALSE))
  same(function(file) write.csv(d, file))
  same(function(file) write.table(d, file, sep = "\t", dec = ",", row.names = FALSE))
  same(function(file) cat("y,g,x\n1.5,a,0.25\n2.5,b,1\n-3,a,7", file = file))
  same(function(file) {
    writeLines(c("\ufeffy;g;x", "1,5;a;0,25", "2,5;b;1", "-3;a;7"), file, useBytes = TRUE)
  })
  same(function(file) write.csv(d, gzfile(file), row.names = FALSE))
})

test_that("the demonstration says what columns are taken for, and leaves out what it is told", {
  skip_if_not_installed("data.table")
  demo <- demo_functions()
  set.seed(2)
  d <- data.frame(y = rnorm(60), g = rep(c("a", "b", "c"), 20), patient = sample(60), x = rnorm(60),
                  age = replace(round(rnorm(60, 50, 9)), 1:4, 999),
                  day = as.Date("2024-02-01") + 1:60)
  with_file(function(file) write.csv(d, file, row.names = FALSE), function(file) {
    said <- capture.output(task <- demo$own_file(file, "y", "g"))
    expect_match(said, "^- `patient` has another whole number in every row", all = FALSE)
    expect_match(said, "^- `age` is 999 in 4 rows", all = FALSE)
    expect_match(said, "^- `day` is from 2024-02-02 to 2024-04-01", all = FALSE)
    expect_identical(task$data$age, d$age)
    said <- capture.output(task <- demo$own_file(file, "y", "g", "patient, age, day"))
    expect_named(task$data, c("y", "g", "x"))
    expect_false(any(grepl("check these columns", said)))
    said <- capture.output(task <- demo$own_file(file, "x", "g", "y"))
    expect_named(task$data, c("g", "patient", "x", "age", "day"))
    expect_error(demo$own_file(file, "y", "g", "Patent"), "which is OMIT; did you mean patient",
                 class = "domgen_error_demo")
  })
})

test_that("the demonstration takes a response of two values for classes, and says so", {
  skip_if_not_installed("data.table")
  demo <- demo_functions()
  rows <- paste(rep_len(1:2, 30), c("a", "b", "c"), 1:30 / 7, sep = ",")
  with_file(c("died,g,x", rows), function(file) {
    said <- capture.output(task <- demo$own_file(file, "died", "g"))
    expect_match(said, "died has two classes: 1 (15 rows), 2 (15 rows)", all = FALSE, fixed = TRUE)
    expect_s3_class(task$data$died, "factor")
    expect_false(any(grepl("taken for", said)))
  })
})

test_that("an unreadable file is reported in our words", {
  skip_if_not_installed("data.table")
  demo <- demo_functions()
  refuses <- function(content, message) {
    with_file(content, function(file) {
      capture.output(
        expect_error(demo$own_file(file, "y", "g"), message, class = "domgen_error_demo")
      )
    })
  }
  refuses(function(file) NULL, "There is no file")
  refuses(function(file) dir.create(file), "has no files that can be read")
  refuses(function(file) file.create(file), "is empty")
  refuses(function(file) saveRDS(iris, file), "cannot be read|has a zero byte|must have")
  refuses(function(file) writeBin(as.raw(0:255), file), "zero byte")
  refuses("", "is empty")
  refuses("y,g,x", "has no rows")
  refuses(c("y,g", "1,2,3", "4,5,6,7"), "row 1: has 3 fields, and the first line of the file 2")
  refuses(c("a,b", "1,2"), "has no column y, which is RESPONSE; its columns are a, b")
  refuses(c("y,g,x,x", "1,2,3,4"), "several called `x`")
  refuses(c("y,g,x", "1,a,2", "1,b,2"), "no column is left as a predictor")
  refuses(c("y,g,x", "1,a,2", "2,a,3"), "at least two; g has one, a")
  refuses(c("y,g,x", "1,,2", "2,,3"), "at least two; g has no value")
  refuses(c("y,g,x", ",a,2", ",b,3"), "the response y has no value in any row")
  refuses(c("y,g,x", "u,a,2", "v,b,3", "w,b,4"), "two classes; y has 3 .u, v, w.. If these have")
  expect_error(demo$own_file("any", "y", "y"), "must be different columns", class = "domgen_error_demo")
  expect_error(demo$own_file("any", "y", NULL), "give RESPONSE and DOMAIN",
               class = "domgen_error_demo")
})

test_that("the demonstration runs on a table with an index column and semicolons", {
  skip_on_cran()
  skip_if_not_installed("data.table")
  folder <- tempfile("demo")
  dir.create(folder)
  old <- setwd(folder)
  on.exit({
    setwd(old)
    unlink(folder, recursive = TRUE)
  })
  write.csv2(toy_domains(4, 12), "own.csv")
  libraries <- paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = .Platform$path.sep)))
  output <- suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"),
    shQuote(c("--no-environ", system.file("scripts", "demo.R", package = "domgen"))),
    env = c(libraries, "DATA=own.csv", "RESPONSE=y", "DOMAIN=domain"), stdout = TRUE, stderr = TRUE
  ))
  expect_null(attr(output, "status"), info = paste(output, collapse = "\n"))
  expect_match(output, "Predictors: x1, x2, x3.", all = FALSE, fixed = TRUE)
  expect_true(file.exists("demo.png"))
})
