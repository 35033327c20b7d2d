# Queries to PostgreSQL: they read in a transaction that is read-only, and through a cursor, because
# RPostgreSQL would load a result as a whole.

is_postgres <- function(connection) inherits(connection, c("PqConnection", "PostgreSQLConnection"))

# Begins to read; gives a function that ends it. In the caller's own transaction, up to a savepoint,
# with which the settings are restored, else in one that ends with it.
begin_reading <- function(connection) {
  say <- function(statement) DBI::dbExecute(connection, statement)
  within <- on_error(is.numeric(say("SAVEPOINT domgen")), function(e) FALSE)
  begun <- FALSE
  finish <- function() {
    clear_results(connection)
    say(if (within) "ROLLBACK TO SAVEPOINT domgen" else "ROLLBACK")
    if (within) say("RELEASE SAVEPOINT domgen")
  }
  on.exit(if (!begun) on_error(finish(), function(e) NULL))
  if (!within) say("BEGIN")
  say("SET TRANSACTION READ ONLY")
  # A scan that begins while another one is under way joins it, in the middle of the table: rows
  # would come in another order in each pass.
  say("SET LOCAL synchronize_seqscans = off")
  begun <- TRUE
  finish
}

# RPostgreSQL takes no statement while there is a result that an interrupt has left open.
clear_results <- function(connection) {
  if (!inherits(connection, "PostgreSQLConnection")) return(invisible())
  for (result in DBI::dbListResults(connection)) DBI::dbClearResult(result)
}

# list(query, fetch(n), close()), as open_query().
open_cursor <- function(connection, query) {
  finish <- begin_reading(connection)
  opened <- FALSE
  on.exit(if (!opened) on_error(finish(), function(e) NULL))
  DBI::dbExecute(connection, paste("DECLARE domgen_rows NO SCROLL CURSOR FOR", query))
  opened <- TRUE
  fetch <- function(n) {
    answer(connection, paste("FETCH FORWARD", if (n < 0) "ALL" else sprintf("%.0f", n),
                             "FROM domgen_rows"))
  }
  list(query = query, fetch = fetch, close = finish)
}

ask_postgres <- function(connection, query) {
  finish <- begin_reading(connection)
  on.exit(finish())
  answer(connection, query)
}

# Which database it is, for whom, and where names lead; NULL where there are temporary tables.
postgres_place <- function(connection) {
  about <- DBI::dbGetInfo(connection)
  found <- ask_postgres(connection, paste(
    "SELECT current_database()::text AS base, current_user::text AS user,",
    "array_to_string(current_schemas(true), ',') AS schemas,",
    "coalesce(host(inet_server_addr()), '') AS address, coalesce(inet_server_port(), 0) AS port"
  ))
  if (grepl("pg_temp", found$schemas)) return(NULL)
  server <- on_error(ask_postgres(connection, paste(
    "SELECT system_identifier::text AS id FROM pg_control_system()"
  ))$id, function(e) "")
  list(about[intersect(c("host", "port", "dbname"), names(about))], as.list(found), server)
}

# Does a statement read this table, by any name, of the connection `other`? The database says which
# tables its plan reads.
postgres_reads <- function(connection, statement, other, table) {
  here <- "SELECT pg_postmaster_start_time()::text AS since, current_database()::text AS base"
  if (!identical(ask_postgres(connection, here), ask_postgres(other, here))) return(FALSE)
  number <- postgres_number(other, table)
  if (is.na(number)) return(FALSE)
  name <- ask_postgres(other, paste(
    "SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c",
    "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid =", number
  ))$name
  plan <- ask_postgres(connection, paste("EXPLAIN (VERBOSE, COSTS OFF)", statement))[[1L]]
  any(grepl(paste0(" on ", name, " "), paste0(plan, " "), fixed = TRUE))
}

# The number of a table, NA where there is none.
postgres_number <- function(connection, table) {
  name <- DBI::dbQuoteString(connection, as.character(DBI::dbQuoteIdentifier(connection, table)))
  ask_postgres(connection, paste0("SELECT to_regclass(", name, ")::oid::text AS number"))$number
}

# Names of the views that rest on a table.
postgres_views <- function(connection, table) {
  number <- postgres_number(connection, table)
  ask_postgres(connection, paste(
    "SELECT DISTINCT r.ev_class::regclass::text AS name FROM pg_depend d",
    "JOIN pg_rewrite r ON r.oid = d.objid AND d.classid = 'pg_rewrite'::regclass",
    "WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid =", number,
    "AND r.ev_class <> d.refobjid ORDER BY name"
  ))$name
}
