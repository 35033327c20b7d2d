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

# The files of a connection: list(names, files), or NULL where one of them is no file or where there
# are temporary tables.
sqlite_place <- function(connection) {
  found <- sqlite_files(connection)
  hidden <- DBI::dbGetQuery(connection, "SELECT COUNT(*) AS n FROM sqlite_temp_master")$n
  if (hidden > 0 || !all(nzchar(found$file))) return(NULL)
  as.list(found)
}

sqlite_files <- function(connection) {
  found <- DBI::dbGetQuery(connection, "PRAGMA database_list")
  found <- found[found$name != "temp", ]
  there <- nzchar(found$file)
  found$file[there] <- normalizePath(found$file[there])
  found
}

# Does a statement read this table, by any name, of the connection `other`? The database says which
# pages a statement opens.
sqlite_reads <- function(connection, statement, other, table) {
  schema <- if (is.character(table) || length(table@name) < 2L) "main" else table@name[[1L]]
  name <- if (is.character(table)) table else table@name[[length(table@name)]]
  owner <- sqlite_files(other)
  owner <- owner$file[lower_case(owner$name) == lower_case(schema)]
  own <- sqlite_files(connection)
  same <- if (identical(owner, "")) {
    shared <- grepl("cache=shared", connection@dbname, fixed = TRUE) &&
      connection@dbname == other@dbname
    !nzchar(own$file) & (identical(connection, other) || shared)
  } else {
    # what two names of one file on disk have in common
    about <- function(path) unlist(file.info(path, extra_cols = FALSE)[c("size", "mtime", "ctime")])
    vapply(own$file, function(file) {
      length(owner) == 1L &&
        (file == owner || nzchar(file) && identical(about(file), about(owner)))
    }, NA)
  }
  own <- own[same, ]
  opened <- DBI::dbGetQuery(connection, paste("EXPLAIN", statement))
  opened <- opened[opened$opcode == "OpenRead", ]
  any(vapply(seq_len(nrow(own)), function(k) {
    pages <- DBI::dbGetQuery(connection, paste0(
      "SELECT rootpage FROM ", DBI::dbQuoteIdentifier(connection, own$name[k]),
      ".sqlite_master WHERE lower(tbl_name) = lower(", DBI::dbQuoteString(connection, name), ")"
    ))$rootpage
    any(opened$p3 == own$seq[k] & opened$p2 %in% pages)
  }, NA))
}

# Code that renames a table. SQLite would look at all views, of which some may rest on the table
# that is replaced, and is not there for a moment.
renaming <- function(connection, code) {
  if (!is_sqlite(connection)) return(code)
  before <- DBI::dbGetQuery(connection, "PRAGMA legacy_alter_table")[[1L]]
  set <- function(value) DBI::dbExecute(connection, paste("PRAGMA legacy_alter_table =", value))
  on.exit(set(before))
  set(1L)
  code
}
