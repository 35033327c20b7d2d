# Results as a new table of a database, over PostgreSQL see test-engines.R; files and functions see
# test-method-predict-source.R.

test_that("a table of SQLite is new, whole or not there, and written in no transaction but ours", {
  expect_new_tables(sqlite_factory())
})

test_that("a process that dies while it writes leaves no table", {
  skip_on_cran()
  skip_on_os("windows")
  factory <- sqlite_factory()
  rows <- toy_domains(4, 15)
  model <- dg_lm(y ~ x1 + x2 | domain, data = rows)
  expect_error(in_new_session({
    space <- asNamespace("domgen")
    real <- space$append_rows
    unlockBinding("append_rows", space)
    assign("append_rows", function(...) {
      real(...)
      tools::pskill(Sys.getpid(), tools::SIGKILL)
    }, space)
    predict(input$model, row_source(input$rows), to = row_source(input$factory, table = "made"))
  }, list(model = model, rows = rows, factory = factory)), "new session failed")
  expect_identical(with_connection(factory, DBI::dbListTables), character())
  predict(model, row_source(rows), to = row_source(factory, table = "made"))
  expect_identical(with_connection(factory, DBI::dbListTables), "made")
})

test_that("rows that come from workers are in the order of the source", {
  skip_if_not_installed("future")
  skip_on_cran()
  factory <- sqlite_factory()
  rows <- toy_domains(6, 15)
  model <- dg_lm(y ~ x1 + x2 | domain, data = rows)
  under_engine(two_sessions, {
    predict(model, row_source(rows, block_size = 5), to = row_source(factory, table = "made"))
    expect_error(predict(model, row_source(rows), to = row_source(factory, table = "made")),
                 "drop or rename it", class = "domgen_error_argument")
  })
  found <- source_rows(row_source(factory, table = "made"))
  expect_equal(found$prediction, unname(predict(model, rows)), tolerance = 1e-10)
})

test_that("rows that cannot be predicted leave no table", {
  factory <- sqlite_factory()
  rows <- toy_domains(4, 15)
  model <- dg_lm(y ~ x1 + x2 | domain, data = rows)
  bad <- transform(rows, x1 = as.character(x1))
  bad$x1[50] <- "bad"
  expect_error(predict(model, row_source(list(rows, bad), block_size = 20),
                       to = row_source(factory, table = "made")), "row 50: `x1` must be a number",
               class = "domgen_error_data")
  expect_identical(with_connection(factory, DBI::dbListTables), character())
})

# What a database has is never taken for an object of R, which may run code.
test_that("nothing is unserialised but files of the call's own folder", {
  space <- asNamespace("domgen")
  reads <- Filter(function(name) {
    code <- get0(name, space, mode = "function")
    is.function(code) && "unserialize" %in% all.names(body(code))
  }, ls(space, all.names = TRUE))
  expect_identical(reads, "read_value")
})
