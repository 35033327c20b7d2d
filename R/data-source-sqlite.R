# Queries to SQLite: they read with `PRAGMA query_only`, which is as it was when they are closed.

is_sqlite <- function(connection) inherits(connection, "SQLiteConnection")

# list(query, fetch(n), close()), as open_query(). Another statement would end a query, so that the
# state is restored when it has ended.
open_query_only <- function(connection, query) {
  before <- DBI::dbGetQuery(connection, "PRAGMA query_only")[[1L]]
  set <- function(value) DBI::dbExecute(connection, paste("PRAGMA query_only =", value))
  opened <- FALSE
  on.exit(if (!opened) set(before))
  set(1L)
  result <- DBI::dbSendQuery(connection, query)
  opened <- TRUE
  closed <- FALSE
  list(query = query, fetch = function(n) DBI::dbFetch(result, n), close = function() {
    if (closed) return(invisible())
    closed <<- TRUE
    on.exit(set(before))
    DBI::dbClearResult(result)
  })
}

# The files of a connection: list(name, file), or NULL where one of them is no file or where there
# are temporary tables.
sqlite_place <- function(connection) {
  found <- DBI::dbGetQuery(connection, "PRAGMA database_list")
  found <- found[found$name != "temp", c("name", "file")]
  hidden <- DBI::dbGetQuery(connection, "SELECT COUNT(*) AS n FROM sqlite_temp_master")$n
  if (hidden > 0 || !all(nzchar(found$file))) return(NULL)
  list(name = found$name, file = normalizePath(found$file))
}
