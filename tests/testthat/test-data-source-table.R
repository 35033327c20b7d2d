sqlite <- function(file = ":memory:") DBI::dbConnect(RSQLite::SQLite(), file)

# SQLite has neither dates nor logicals.
stored_rows <- function() transform(mixed_rows(), flag = as.integer(flag), when = format(when))

expect_stored <- function(source) {
  expected <- mixed_expected()
  expected$flag <- as.double(expected$flag)
  expected$when <- factor(format(mixed_rows()$when))
  for (rows in c(7, 50000)) {
    expect_identical(source_rows(source, free = "code", rows = rows), expected)
  }
}

test_that("tables, queries and lazy tables give the rows of the data frame", {
  skip_without_sqlite()
  file <- tempfile()
  con <- sqlite(file)
  on.exit(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "odd name", stored_rows())
  expect_stored(row_source(con, table = "odd name"))
  expect_stored(row_source(con, table = DBI::Id(table = "odd name")))
  expect_stored(row_source(con, query = "SELECT * FROM `odd name`"))
  halves <- sprintf("SELECT * FROM `odd name` WHERE rowid %s 30 ORDER BY rowid", c("<=", ">"))
  expect_stored(row_source(con, query = halves))
  expect_stored(row_source(function() sqlite(file), table = "odd name"))
  expect_stored(row_source(list(row_source(con, query = halves[1]), stored_rows()[31:60, ])))
  skip_if_not_installed("dbplyr")
  skip_if_not_installed("dplyr")
  expect_stored(row_source(dplyr::tbl(con, "odd name")))
})

test_that("only the columns asked for leave the database, in the order of the query", {
  skip_without_sqlite()
  con <- sqlite()
  on.exit(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "t", data.frame(`select` = 1:3, b = 3:1, c = c("u", "v", "u"),
                                         check.names = FALSE))
  queries <- c("select * from t", "select * from t order by b desc;", "select * from t limit 3 -- ;",
               "with q as (select * from t) select * from q", "VALUES (1, 3, 'u')")
  for (query in queries[1:4]) {
    table <- row_source(con, query = query)$tables[[1L]]
    table$blocks(c("c", "select"), character(), 10, function(block) {
      expect_identical(names(block), c("c", "select"))
      expect_identical(as.integer(block$select), 1:3)
    })
  }
  expect_identical(unlist(unname(source_rows(row_source(con, query = queries[5]))[1:2])), c(1, 3))
})

test_that("a factory's connections are closed, also after errors", {
  skip_without_sqlite()
  file <- tempfile()
  con <- sqlite(file)
  DBI::dbWriteTable(con, "t", data.frame(x = 1:10))
  DBI::dbDisconnect(con)
  made <- list()
  connect <- function() {
    made[[length(made) + 1L]] <<- sqlite(file)
    made[[length(made)]]
  }
  source <- row_source(connect, table = "t")
  expect_identical(source_rows(source)$x, as.double(1:10))
  expect_error(source$tables[[1L]]$blocks("x", character(), 3, function(block) stop("mine")), "mine")
  expect_domgen_error(source_rows(source, "none"), "`t` has no column `none`; it has `x`")
  expect_gt(length(made), 3L)
  expect_false(any(vapply(made, DBI::dbIsValid, NA)))
})

test_that("what the database refuses is an error that says so", {
  skip_without_sqlite()
  con <- sqlite()
  DBI::dbWriteTable(con, "t", data.frame(x = 1:3))
  refused <- function(message, ..., columns = NULL) {
    expect_domgen_error(source_rows(row_source(con, ...), columns), message, "domgen_error_data")
  }
  refused("`query` cannot be read: the database says: near \"from\": syntax error",
          query = "select from x")
  refused("the database says: no such column: none", query = "select none from t")
  refused("`none` cannot be read: the database says: no such table: none", table = "none")
  refused("the database says: no such table: none", table = "none", columns = "x")
  refused("`t` has no column `y`; it has `x`", table = "t", columns = c("x", "y"))
  DBI::dbExecute(con, "CREATE TABLE none_yet (x REAL)")
  refused("The source has no rows", table = "none_yet")
  expect_domgen_error(row_source(con), "Either `table` or `query`", "domgen_error_argument")
  expect_domgen_error(row_source(con, table = "t", query = "q"), "not both")
  expect_domgen_error(row_source(con, table = NA), "`table` must be text")
  expect_domgen_error(row_source(con, tabel = "t"), "Unknown argument `tabel`")
  expect_domgen_error(source_rows(row_source(function() stop("no server"), table = "t")),
                      "`t` cannot be read: no connection: no server")
  expect_domgen_error(source_rows(row_source(function() 3, table = "t")), "must make a DBI connect")
  DBI::dbDisconnect(con)
  refused("`t` cannot be read: its connection is closed, or was made in another process", table = "t")
  expect_output(print(row_source(con, table = "t")), "rows: t\n  chunks")
})

test_that("a connection that breaks names the row that was reached", {
  skip_without_sqlite()
  con <- sqlite()
  on.exit(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "t", data.frame(x = 1:10))
  calls <- 0
  real <- asking
  broken <- function(...) if ((calls <<- calls + 1) > 6) stop("the server is gone") else real(...)
  with_replaced("asking", broken, {
    expect_domgen_error(source_rows(row_source(con, table = "t"), "x", rows = 3),
                        "`t` cannot be read from row [0-9]+ on: the server is gone", "domgen_error_data")
  })
  expect_identical(source_rows(row_source(con, table = "t"))$x, as.double(1:10))
})

test_that("text among numbers is an error, and is not made 0 as the driver would", {
  skip_without_sqlite()
  con <- sqlite()
  on.exit(DBI::dbDisconnect(con))
  DBI::dbExecute(con, "CREATE TABLE m (x, y REAL, z INTEGER)")
  values <- sprintf("(%d, 2.5, %d)", 1:9, 1:9)
  values[7] <- "('abc', 2, 3)"
  values[9] <- "(1, 2, 9007199254740993)"
  DBI::dbExecute(con, paste("INSERT INTO m VALUES", paste(values, collapse = ", ")))
  for (rows in c(3, 4, 50)) {
    source <- row_source(con, table = "m", block_size = rows)
    said <- expect_error(source_rows(source, "x"), class = "domgen_error_data")
    expect_match(conditionMessage(said), if (rows == 50) "`m` cannot be read: .*`x`"
                 else paste0("`m` cannot be read from row ", if (rows == 4) 5 else 7, " on: .*`x`"))
  }
  expect_identical(source_rows(source, "y")$y, c(rep(2.5, 6), 2, 2.5, 2))
  expect_domgen_error(source_rows(source, "z"), "`m`, row 9: `z` must be below 2\\^53")
  DBI::dbExecute(con, "CREATE TABLE n (x, y)")
  DBI::dbExecute(con, "INSERT INTO n VALUES (NULL, 1), (NULL, 2.5), (3, NULL), (3.5, 4)")
  for (rows in 1:5) {
    expect_identical(source_rows(row_source(con, table = "n"), rows = rows),
                     data.frame(x = c(NA, NA, 3, 3.5), y = c(1, 2.5, NA, 4)))
  }
})

# ---- nothing is written -------------------------------------------------------------------------

# Queries that would change the table `precious` if they were asked as they stand, or if something
# could end the SELECT around them; % stands for them.
attacks <- c("DELETE FROM precious RETURNING *", "INSERT INTO precious SELECT * FROM precious",
             "UPDATE precious SET x = 0 RETURNING *", "DROP TABLE precious",
             "WITH q AS (SELECT 1) DELETE FROM precious",
             "WITH q AS (SELECT 9) INSERT INTO precious SELECT * FROM q",
             "WITH q AS (SELECT 1) DELETE FROM precious RETURNING x",
             "SELECT * FROM precious) AS q; DELETE FROM precious; --",
             "SELECT * FROM precious; DELETE FROM precious", "PRAGMA user_version = 3",
             "SELECT x FROM precious) AS q WHERE 1 = 1; DROP TABLE precious; SELECT (1",
             "ATTACH DATABASE ':memory:' AS other", "-- all\nDELETE FROM precious", "VACUUM",
             "REPLACE INTO precious VALUES (9)", "CREATE TABLE more AS SELECT * FROM precious")

test_that("no query changes SQLite, which is left as it was", {
  skip_without_sqlite()
  con <- sqlite()
  on.exit(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "precious", data.frame(x = 1:3))
  state <- function() list(DBI::dbReadTable(con, "precious"), DBI::dbListTables(con),
                           DBI::dbGetQuery(con, "PRAGMA user_version"),
                           DBI::dbGetQuery(con, "PRAGMA query_only"))
  before <- state()
  for (query in attacks) for (columns in list(NULL, "x")) {
    expect_error(suppressWarnings(source_rows(row_source(con, query = query), columns)),
                 class = "domgen_error_data", info = query)
    expect_identical(state(), before, info = query)
  }
  # the caller's transaction goes on
  DBI::dbBegin(con)
  DBI::dbExecute(con, "INSERT INTO precious VALUES (4)")
  expect_identical(source_rows(row_source(con, table = "precious"))$x, c(1, 2, 3, 4))
  expect_error(source_rows(row_source(con, query = attacks[1L])), class = "domgen_error_data")
  DBI::dbExecute(con, "INSERT INTO precious VALUES (5)")
  DBI::dbRollback(con)
  expect_identical(state(), before)
})

test_that("a warning of the driver is passed on, and one of what is lost an error", {
  expect_warning(expect_identical(asking({
    warning("Decimal imported as numeric")
    3
  }), 3), "imported as numeric")
  undone <- NULL
  expect_error(asking({
    warning("Ignoring remaining part of query: DELETE")
    3
  }, function(value) undone <<- value), "the database says: Ignoring")
  expect_identical(undone, 3)
  expect_error(asking({
    warning("cannot ask")
    NULL
  }), "the database says: cannot ask")
})

test_that("a driver that might take several statements gets no semicolon", {
  skip_without_sqlite()
  con <- sqlite()
  on.exit(DBI::dbDisconnect(con))
  other <- structure(list(), class = "OtherConnection")
  expect_identical(one_statement(con, "SELECT ';'"), "SELECT ';'")
  expect_identical(one_statement(other, "SELECT 1"), "SELECT 1")
  expect_error(one_statement(other, "SELECT 1) AS q; DELETE FROM t; --"), "must have no semicolon")
})
