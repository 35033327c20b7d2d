# The engines that .ci/engines starts, and the ways to one and the same data through them.

# Names the socket of a PostgreSQL, and the settings of a Slurm, that run for the tests.
skip_without_postgres <- function() {
  testthat::skip_if_not(nzchar(Sys.getenv("DOMGEN_PG_SOCKET")),
                        "no PostgreSQL (make test-engines starts one)")
  testthat::skip_if_not_installed("DBI")
  if (!requireNamespace("RPostgres", quietly = TRUE)) testthat::skip_if_not_installed("RPostgreSQL")
}

skip_without_slurm <- function() {
  testthat::skip_if_not(nzchar(Sys.getenv("DOMGEN_SLURM_CONF")),
                        "no Slurm (make test-engines starts one)")
  testthat::skip_if_not_installed("future.batchtools")
}

skip_without_sqlite <- function() {
  testthat::skip_if_not_installed("DBI")
  testthat::skip_if_not_installed("RSQLite")
}

# Functions that make a connection: all that a worker needs, and that it has nothing else of.
postgres_factory <- function() {
  skip_without_postgres()
  body <- bquote(DBI::dbConnect(.(if (requireNamespace("RPostgres", quietly = TRUE)) {
    quote(RPostgres::Postgres())
  } else quote(RPostgreSQL::PostgreSQL())), host = .(Sys.getenv("DOMGEN_PG_SOCKET")),
  user = "domgen", dbname = "postgres"))
  as.function(list(body), envir = baseenv())
}

sqlite_factory <- function(file = tempfile(fileext = ".sqlite")) {
  skip_without_sqlite()
  as.function(list(bquote(DBI::dbConnect(RSQLite::SQLite(), .(file)))), envir = baseenv())
}

# Runs code with a connection, which is closed.
with_connection <- function(factory, code) {
  connection <- factory()
  on.exit(DBI::dbDisconnect(connection))
  code(connection)
}

# The rows as a table of a database.
write_rows <- function(factory, name, data) {
  with_connection(factory, function(connection) {
    if (DBI::dbExistsTable(connection, name)) DBI::dbRemoveTable(connection, name)
    DBI::dbWriteTable(connection, name, data, row.names = FALSE)
  })
}

# Runs code under a plan of the future package on workers that find the installed package. Jobs'
# files lie in the working directory.
under_engine <- function(plan, code) {
  testthat::skip_if_not_installed("future")
  old_plan <- future::plan()
  old <- Sys.getenv("R_LIBS", NA)
  folder <- tempfile("jobs")
  dir.create(folder)
  old_folder <- setwd(folder)
  # jobs that were lost are told of again when they are collected as garbage
  old_options <- options(future.finalize = FALSE)
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  on.exit({
    setwd(old_folder)
    options(old_options)
    future::plan(old_plan)
    if (is.na(old)) Sys.unsetenv("R_LIBS") else Sys.setenv(R_LIBS = old)
  })
  plan()
  force(code)
}

two_sessions <- function() future::plan(future::multisession, workers = 2)

slurm_jobs <- function() {
  skip_without_slurm()
  # No second of waiting after each job: this Slurm has nothing else to do. Some versions of future
  # warn of arguments that are batchtools' own.
  suppressWarnings(future::plan(
    future.batchtools::batchtools_slurm, workers = 5, resources = list(time = "10"),
    template = system.file("engines", "slurm.tmpl", package = "domgen"), scheduler.latency = 0,
    fs.latency = 5
  ))
}

# ---- results as a table, of each database that tests can have ---------------------------------

# All that a database has of the user's: tables and views with their rows, and what hangs on them.
all_of_database <- function(factory) {
  with_connection(factory, function(connection) {
    names <- sort(DBI::dbListTables(connection))
    rows <- lapply(names, function(name) {
      DBI::dbGetQuery(connection, paste("SELECT * FROM", DBI::dbQuoteIdentifier(connection, name)))
    })
    more <- if (inherits(connection, "SQLiteConnection")) {
      DBI::dbGetQuery(connection, "SELECT type, name, sql FROM sqlite_master ORDER BY name")
    } else DBI::dbGetQuery(connection, "SELECT tgname FROM pg_trigger ORDER BY tgname")
    list(stats::setNames(rows, names), more)
  })
}

expect_new_tables <- function(factory) {
  rows <- toy_domains(4, 15)
  model <- dg_lm(y ~ x1 + x2 | domain, data = rows)
  predicted <- function(to, ...) predict(model, row_source(rows, block_size = 20), to = to, ...)
  start <- all_of_database(factory)
  expect_tables_kept(factory, predicted)
  expect_tables_whole(factory, predicted, unname(predict(model, rows)))
  expect_transaction_kept(factory, predicted)
  expect_identical(all_of_database(factory), start)
}

# What has the name stays as it is, whatever it is.
expect_tables_kept <- function(factory, predicted) {
  say <- function(...) with_connection(factory, function(connection) {
    for (statement in c(...)) DBI::dbExecute(connection, statement)
  })
  hostile <- rawToChar(serialize(list(key = "k", part = "taken"), NULL, ascii = TRUE))
  write_rows(factory, "domgen_state", data.frame(number = 0L, state = hostile))
  kinds <- list(
    rows = "CREATE TABLE taken AS SELECT 1 AS a",
    none = "CREATE TABLE taken (a INTEGER)",
    indexed = c("CREATE TABLE taken (a INTEGER)", "CREATE INDEX taken_index ON taken (a)"),
    `as predictions` = paste("CREATE TABLE taken (\"partition\" TEXT, \"row\" INTEGER,",
                             "\"prediction\" DOUBLE PRECISION)"),
    `read by a view` = c("CREATE TABLE taken AS SELECT 1 AS a", "CREATE VIEW seen AS SELECT a FROM taken"),
    view = c("CREATE TABLE owned AS SELECT 1 AS a", "CREATE VIEW taken AS SELECT a FROM owned")
  )
  if (with_connection(factory, function(connection) inherits(connection, "SQLiteConnection"))) {
    kinds$triggered <- c("CREATE TABLE taken (a INTEGER)",
                         paste("CREATE TRIGGER taken_trigger AFTER INSERT ON taken",
                               "BEGIN DELETE FROM taken; END"))
    kinds$`in another case` <- "CREATE TABLE Taken AS SELECT 1 AS a"
  }
  for (kind in names(kinds)) {
    say(kinds[[kind]])
    before <- all_of_database(factory)
    for (overwrite in c(FALSE, TRUE)) {
      expect_error(predicted(row_source(factory, table = "taken"), overwrite = overwrite),
                   if (kind == "view") NULL else "drop or rename it|already",
                   class = "domgen_error", info = kind)
      with_connection(factory, function(connection) {
        expect_error(predicted(row_source(connection, table = "taken"), overwrite = overwrite),
                     class = "domgen_error", info = kind)
      })
    }
    expect_identical(all_of_database(factory), before, info = kind)
    say("DROP VIEW IF EXISTS seen", if (kind == "view") c("DROP VIEW taken", "DROP TABLE owned")
                                    else "DROP TABLE taken")
  }
  say("DROP TABLE domgen_state")
}

# Ended anywhere, by whatever, there is no table; the same call then makes it.
expect_tables_whole <- function(factory, predicted, values) {
  before <- all_of_database(factory)
  with_connection(factory, function(open) {
    hows <- list(error = function() stop("the connection is gone"),
                 # as Ctrl-C is seen by R code
                 interrupt = function() {
                   signalCondition(structure(list(), class = c("interrupt", "condition")))
                 })
    for (to in list(row_source(factory, table = "made"), row_source(open, table = "made"))) {
      for (how in names(hows)) for (at in 1:3) {
        calls <- 0
        real <- domgen:::append_rows
        said <- with_replaced("append_rows", function(...) {
          calls <<- calls + 1
          real(...)
          if (calls == at) hows[[how]]()
        }, tryCatch(predicted(to), error = identity))
        expect_s3_class(said, if (how == "error") "domgen_error_write" else "domgen_error_interrupt")
        if (how == "error") {
          expect_match(conditionMessage(said), "`made` cannot be written: the connection is gone")
        }
        expect_identical(all_of_database(factory), before)
      }
      made <- dg_resume()
      expect_s3_class(made, "dg_source")
      found <- source_rows(made)
      expect_equal(found$prediction, values, tolerance = 1e-12)
      expect_identical(as.integer(found$row), seq_along(values))
      DBI::dbRemoveTable(open, "made")
    }
    # made by another while rows are predicted
    mine <- data.frame(precious = c(1, 2))
    expect_error(with_replaced("begin_writing", {
      begin <- domgen:::begin_writing
      function(...) {
        write_rows(factory, "made", mine)
        begin(...)
      }
    }, predicted(row_source(factory, table = "made"), overwrite = TRUE)), class = "domgen_error_write")
    expect_equal(DBI::dbReadTable(open, "made"), mine)
    DBI::dbRemoveTable(open, "made")
  })
}

# A transaction of the user's is neither used nor ended.
expect_transaction_kept <- function(factory, predicted) {
  write_rows(factory, "users_rows", data.frame(x = c(1, 2, 3)))
  with_connection(factory, function(connection) {
    say <- function(statement) DBI::dbExecute(connection, statement)
    left <- function() DBI::dbReadTable(connection, "users_rows")$x
    for (begin in c("BEGIN", "dbBegin")) for (end in c("ROLLBACK", "COMMIT")) {
      if (begin == "BEGIN") say("BEGIN") else DBI::dbBegin(connection)
      say("INSERT INTO users_rows VALUES (4)")
      expect_error(predicted(row_source(connection, table = "made")), "end the transaction",
                   class = "domgen_error_write")
      expect_equal(left(), c(1, 2, 3, 4))
      if (begin == "BEGIN") say(end)
      else if (end == "COMMIT") DBI::dbCommit(connection) else DBI::dbRollback(connection)
      expect_equal(left(), c(1, 2, 3, if (end == "COMMIT") 4))
      say("DELETE FROM users_rows WHERE x = 4")
    }
    DBI::dbRemoveTable(connection, "users_rows")
  })
}
