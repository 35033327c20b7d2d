sqlite <- function(file = ":memory:") DBI::dbConnect(RSQLite::SQLite(), file)

skip_without_sqlite <- function() {
  skip_if_not_installed("DBI")
  skip_if_not_installed("RSQLite")
}

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
  levels <- lapply(stored_rows()[c("kind", "when")], function(v) sort(unique(v)))
  expect_stored(row_source(con, query = halves, levels = levels))
  expect_stored(row_source(function() sqlite(file), table = "odd name"))
  expect_stored(row_source(list(row_source(con, query = halves[1]), stored_rows()[31:60, ]),
                           levels = levels))
  skip_if_not_installed("dbplyr")
  skip_if_not_installed("dplyr")
  expect_stored(row_source(dplyr::tbl(con, "odd name")))
})

test_that("only the columns asked for leave the database, where the query allows it", {
  skip_without_sqlite()
  con <- sqlite()
  on.exit(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "t", data.frame(`select` = 1:3, b = 3:1, c = c("u", "v", "u")))
  sent <- function(...) {
    result <- send_query(con, row_source(con, ...)$partitions[[1L]], c("c", "select"))
    on.exit(result$close())
    result$query
  }
  expect_match(sent(table = "t"), "SELECT `c`, `select` FROM `t`", fixed = TRUE)
  expect_match(sent(query = "select * from t where b > 1"), "^SELECT `c`, `select` FROM \\( select")
  for (query in c("select * from t order by b", "select * from t limit 2", "select * from t -- ;",
                  "with q as (select * from t) select * from q")) {
    expect_identical(sent(query = query), query)
    expect_identical(names(source_rows(row_source(con, query = query), c("c", "select"))),
                     c("c", "select"))
  }
  # one that cannot be inside another
  expect_identical(source_rows(row_source(con, query = "select b from t order by b"))$b, c(1, 2, 3))
})

test_that("a factory's connections are closed, also after errors, and partitions can be sent", {
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
  partition <- source$partitions[[1L]]
  walk <- function(f) walk_blocks(partition, data.frame(x = 0)[0L, , drop = FALSE], 3, f)
  expect_error(walk(function(data, first) stop("mine")), "mine")
  expect_domgen_error(source_rows(source, "none"), "`t` has no column `none`")
  expect_gt(length(made), 3L)
  expect_false(any(vapply(made, DBI::dbIsValid, NA)))
  sent <- unserialize(serialize(row_source(eval(bquote(function() {
    DBI::dbConnect(RSQLite::SQLite(), .(file))
  }), globalenv()), table = "t")$partitions[[1L]], NULL))
  expect_identical(partition_count(sent), 10)
})

test_that("what the database refuses is an error that says so", {
  skip_without_sqlite()
  con <- sqlite()
  DBI::dbWriteTable(con, "t", data.frame(x = 1:3))
  refused <- function(message, ..., columns = NULL) {
    expect_domgen_error(source_rows(row_source(con, ...), columns), message, "domgen_error_data")
  }
  refused("`query`: the database says: near \"from\": syntax error", query = "select from x")
  refused("`query`: the database says: no such column: none", query = "select none from t")
  refused("`none`: the database says: no such table: none", table = "none")
  refused("`none`: the database says: no such table: none", table = "none", columns = "x")
  refused("`t` has no column `y`; it has `x`", table = "t", columns = c("x", "y"))
  refused("`query` has no column `y`; it has `x`", query = "select x from t", columns = "y")
  refused("`t` is given twice", table = c("t", "t"))
  refused("`query 2` is given twice", query = rep("select x from t", 2))
  DBI::dbExecute(con, "CREATE TABLE none_yet (x REAL)")
  refused("The source has no rows", table = "none_yet")
  expect_domgen_error(row_source(con), "Either `table` or `query`", "domgen_error_argument")
  expect_domgen_error(row_source(con, table = "t", query = "q"), "not both")
  expect_domgen_error(row_source(con, table = NA), "`table` must be text")
  expect_domgen_error(row_source(con, tabel = "t"), "Unknown argument `tabel`")
  expect_domgen_error(source_rows(row_source(function() stop("no server"), table = "t")),
                      "`t`: no connection: no server")
  expect_domgen_error(source_rows(row_source(function() 3, table = "t")), "must make a DBI connect")
  DBI::dbDisconnect(con)
  refused("The connection of `t` is closed, or was made in another process", table = "t")
  expect_output(print(row_source(con, table = "t")), "partition: t\n  kind     database\n  chunks")
})

nothing <- function(data, first) NULL

test_that("a connection that breaks names the row that was reached", {
  skip_without_sqlite()
  con <- sqlite()
  on.exit(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "t", data.frame(x = 1:10))
  fetch <- fetch_block
  calls <- 0
  broken <- function(...) if ((calls <<- calls + 1) > 2) stop("the server is gone") else fetch(...)
  partition <- row_source(con, table = "t")$partitions[[1L]]
  with_replaced("fetch_block", broken, {
    expect_domgen_error(walk_blocks(partition, data.frame(x = 0)[0, , drop = FALSE], 3, nothing),
                        "`t` cannot be read from row 7 on: the server is gone", "domgen_error_data")
  })
})

test_that("text among numbers names its row, and is not made 0 as the driver would", {
  skip_without_sqlite()
  con <- sqlite()
  on.exit(DBI::dbDisconnect(con))
  DBI::dbExecute(con, "CREATE TABLE m (x, y REAL, z INTEGER)")
  values <- sprintf("(%d, 2.5, %d)", 1:9, 1:9)
  values[7] <- "('abc', 2, 3)"
  values[9] <- "(1, 2, 9007199254740993)"
  DBI::dbExecute(con, paste("INSERT INTO m VALUES", paste(values, collapse = ", ")))
  for (rows in c(3, 50)) {
    source <- row_source(con, table = "m", block_size = rows)
    expect_domgen_error(source_rows(source, "x"), "`m`, row 7: .*`x`", "domgen_error_data")
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

test_that("a query that changes the database is refused before it is asked", {
  skip_without_sqlite()
  con <- sqlite()
  on.exit(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "t", data.frame(a = 1:3))
  for (query in c("DROP TABLE t", " delete from t", "-- select\nUPDATE t SET a = 1")) {
    expect_error(row_source(con, query = query), "`query` must read rows",
                 class = "domgen_error_argument")
  }
  for (query in c("-- all\n(select * from t)", "/* a */ WITH q AS (SELECT * FROM t) SELECT * FROM q")) {
    expect_s3_class(row_source(con, query = query), "dg_source")
  }
  expect_true(DBI::dbExistsTable(con, "t"))
})

# A database of one table, in a file.
precious_file <- function() {
  file <- tempfile(fileext = ".sqlite")
  con <- sqlite(file)
  on.exit(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "precious", data.frame(x = 1:3))
  file
}

test_that("a query that writes behind a WITH writes nothing, and leaves SQLite as it was", {
  skip_without_sqlite()
  con <- sqlite(precious_file())
  on.exit(DBI::dbDisconnect(con))
  ask <- function(query) DBI::dbGetQuery(con, query)[[1L]]
  writes <- c("WITH q AS (SELECT 1) DELETE FROM precious",
              "WITH q AS (SELECT 9) INSERT INTO precious SELECT * FROM q",
              "WITH q AS (SELECT 1) DELETE FROM precious RETURNING x")
  for (query in writes) {
    expect_domgen_error(source_rows(row_source(con, query = query)), "readonly",
                        "domgen_error_data")
    expect_identical(ask("SELECT COUNT(*) FROM precious"), 3L)
    expect_identical(ask("PRAGMA query_only"), 0L)
  }
  DBI::dbExecute(con, "PRAGMA query_only = 1")
  expect_identical(source_rows(row_source(con, table = "precious"))$x, c(1, 2, 3))
  expect_identical(ask("PRAGMA query_only"), 1L)
  DBI::dbExecute(con, "PRAGMA query_only = 0")
  # the caller's transaction goes on
  DBI::dbBegin(con)
  DBI::dbExecute(con, "INSERT INTO precious VALUES (4)")
  expect_identical(source_rows(row_source(con, table = "precious"))$x, c(1, 2, 3, 4))
  DBI::dbExecute(con, "INSERT INTO precious VALUES (5)")
  DBI::dbCommit(con)
  expect_identical(ask("SELECT COUNT(*) FROM precious"), 5L)
})

test_that("SQLite may be written to again after an error or interrupt while rows are read", {
  skip_without_sqlite()
  con <- sqlite(precious_file())
  on.exit(DBI::dbDisconnect(con))
  partition <- row_source(con, table = "precious")$partitions[[1L]]
  stopped <- structure(class = c("interrupt", "condition"), list(message = "", call = NULL))
  for (end in list(function(...) stop("mine"), function(...) stop(stopped))) {
    like <- data.frame(x = 0)[0L, , drop = FALSE]
    tryCatch(walk_blocks(partition, like, 1, function(data, first) {
      expect_error(suppressWarnings(DBI::dbExecute(con, "DELETE FROM precious")), "readonly")
      end()
    }), error = identity, interrupt = identity)
    expect_identical(DBI::dbExecute(con, "UPDATE precious SET x = x"), 3L)
  }
})

test_that("other drivers get statements that read, and no others", {
  reads <- c("SELECT * FROM t", "with q as (select 1) select * from q;",
             "SELECT 'delete; from' AS a",
             "SELECT \"update\", last_update, truncate(x, 2) FROM t -- drop it",
             "/* insert; */ SELECT replace(a, 'x', 'y') FROM t", "VALUES (1)", "EXEC report 3")
  for (query in reads) expect_silent(domgen:::check_modifies_nothing(query))
  writes <- c("WITH q AS (SELECT 1) DELETE FROM t",
              "WITH q AS (UPDATE t SET a = 1) SELECT * FROM q", "SELECT * INTO copy FROM t",
              "SELECT 1 DROP TABLE t", "SELECT '\\'', 1 DELETE FROM t -- '",
              "SELECT 5--3 delete from t", "SELECT $$ ' $$ DELETE FROM t -- '",
              "SELECT 1 EXEC wipe", "SELECT 1 # ' \n DELETE FROM t -- '",
              "EXEC report TRUNCATE TABLE t",
              "SELECT [a'], 1 DELETE FROM t -- '", "SELECT 1 /*! INTO OUTFILE '/x' */")
  for (query in writes) {
    expect_domgen_error(domgen:::check_modifies_nothing(query), "`query` must only read rows",
                        "domgen_error_argument")
  }
})

test_that("a query is one statement, and one that calls a procedure says that it may write", {
  skip_without_sqlite()
  con <- sqlite(precious_file())
  on.exit(DBI::dbDisconnect(con))
  for (query in c("SELECT 1; DELETE FROM precious",
                  "SELECT 'a'';' AS a;\n-- b\nDROP TABLE precious",
                  "SELECT '\\'; DELETE FROM precious; --'")) {
    expect_domgen_error(row_source(con, query = query), "one statement", "domgen_error_argument")
  }
  expect_silent(row_source(con, query = "SELECT 'a;b' AS a; -- and; so on"))
  for (query in c("EXEC report", "call report()")) {
    expect_warning(row_source(con, query = query), "may write to the database, in each pass",
                   class = "domgen_warning_writes")
  }
})

# SQLite stands for a driver of which nothing is known.
test_that("a driver of which nothing is known is asked nothing that writes, and never gone on with", {
  skip_without_sqlite()
  con <- sqlite(precious_file())
  on.exit(DBI::dbDisconnect(con))
  with_replaced("is_sqlite", function(connection) FALSE, {
    for (query in c("WITH q AS (SELECT 1) DELETE FROM precious", "SELECT x FROM precious FOR UPDATE",
                    "WITH q AS (SELECT 1) DELETE FROM precious RETURNING x")) {
      source <- row_source(con, query = query)
      for (columns in list(NULL, "x")) {
        expect_domgen_error(source_rows(source, columns), "`query` must only read rows",
                            "domgen_error_argument")
      }
      expect_error(partition_count(source$partitions[[1L]]), class = "domgen_error")
    }
    source <- row_source(con, query = "WITH q AS (SELECT x FROM precious) SELECT * FROM q")
    expect_identical(source_rows(source)$x, c(1, 2, 3))
    expect_null(partition_key(source$partitions[[1L]]))
  })
  expect_identical(DBI::dbGetQuery(con, "SELECT COUNT(*) FROM precious")[[1L]], 3L)
})
