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
  testthat::skip_if_not_installed("future.apply")
  old_plan <- future::plan()
  old <- Sys.getenv("R_LIBS", NA)
  folder <- tempfile("jobs")
  dir.create(folder)
  old_folder <- setwd(folder)
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  on.exit({
    setwd(old_folder)
    future::plan(old_plan)
    if (is.na(old)) Sys.unsetenv("R_LIBS") else Sys.setenv(R_LIBS = old)
  })
  plan()
  force(code)
}

two_sessions <- function() future::plan(future::multisession, workers = 2)

slurm_jobs <- function() {
  skip_without_slurm()
  # no second of waiting after each job: this Slurm has nothing else to do
  future::plan(future.batchtools::batchtools_slurm, workers = 5, resources = list(time = "10"),
               template = system.file("engines", "slurm.tmpl", package = "domgen"),
               scheduler.latency = 0, fs.latency = 5)
}
