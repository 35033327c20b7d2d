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
  demo <- demo_functions()
  d <- data.frame(y = c(1.5, 2.5, -3), g = c("a", "b", "a"), x = c(0.25, 1, 7))
  same <- function(content) {
    with_file(content, function(file) {
      capture.output(found <- demo$read_table(file))
      expect_equal(found, transform(d, g = factor(g)))
    })
  }
  same(function(file) write.csv(d, file, row.names = FALSE))
  same(function(file) write.csv2(d, file, row.names = FALSE))
  same(function(file) write.table(d, file, sep = ";", row.names = FALSE))
  same(function(file) write.table(d, file, sep = "\t", row.names = FALSE))
  same(function(file) write.csv(d, file))
  same(function(file) cat("y,g,x\n1.5,a,0.25\n2.5,b,1\n-3,a,7", file = file))
  same(function(file) {
    writeLines(c("\ufeffy;g;x", "1,5;a;0,25", "2,5;b;1", "-3;a;7"), file, useBytes = TRUE)
  })
  same(function(file) write.csv(d, gzfile(file), row.names = FALSE))
})

test_that("an unreadable file is reported in our words", {
  demo <- demo_functions()
  refuses <- function(content, message) {
    with_file(content, function(file) {
      capture.output(
        expect_error(demo$own_file(file, "y", "g"), message, class = "domgen_error_demo")
      )
    })
  }
  refuses(function(file) NULL, "there is no file")
  refuses(function(file) dir.create(file), "is a folder, not a CSV file")
  refuses(function(file) file.create(file), "is empty")
  refuses(function(file) saveRDS(iris, file), "cannot be read by read.csv")
  refuses(function(file) writeBin(as.raw(0:255), file), "cannot be read by read.csv")
  refuses("", "cannot be read by read.csv")
  refuses("y,g,x", "has no rows")
  refuses(c("y,g", "1,2,3", "4,5,6,7"), "cannot be read by read.csv")
  refuses(c("a,b", "1,2"), "has no column y, g; its columns are a, b")
  refuses(c("y,g,x,x", "1,2,3,4"), "two columns are called x")
  refuses(c("y,g,x", "1,a,2", "1,b,2"), "no column is left as a predictor")
  expect_error(demo$own_file("any", "y", "y"), "must be different columns", class = "domgen_error_demo")
  expect_error(demo$own_file("any", "y", NULL), "give RESPONSE and DOMAIN",
               class = "domgen_error_demo")
})

test_that("the demonstration runs on a table with an index column and semicolons", {
  skip_on_cran()
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
  expect_match(output, "Dropped: a column without a name", all = FALSE)
  expect_true(file.exists("demo.png"))
})
