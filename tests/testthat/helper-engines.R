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

# A partition in biglm's convention, of blocks of 20 rows, that ends the process that reads it in
# the middle of the reading that comes after so many whole ones (the survey after the count), once:
# if the file `mark` does not exist, which it then does. Each whole reading is a line of `log`.
doomed_rows <- function(data, mark, log = tempfile("log"), after = 1L) {
  block <- 0
  done <- function() if (file.exists(log)) length(readLines(log)) else 0L
  rows <- function(reset) {
    if (reset) {
      block <<- 0
      return(invisible())
    }
    block <<- block + 1
    if (block == 3 && done() == after && !file.exists(mark)) {
      file.create(mark)
      tools::pskill(Sys.getpid(), tools::SIGKILL)
      Sys.sleep(10)
    }
    start <- 20 * (block - 1)
    if (start < nrow(data)) return(data[seq.int(start + 1, min(start + 20, nrow(data))), ])
    cat("whole\n", file = log, append = TRUE)
    NULL
  }
  # of the test's own environments nothing is sent
  environment(rows) <- list2env(mget(c("data", "mark", "log", "after", "block", "done")), parent = baseenv())
  environment(environment(rows)$done) <- environment(rows)
  rows
}
