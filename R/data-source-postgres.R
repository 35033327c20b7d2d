# Queries to PostgreSQL: they read in a transaction that is read-only, and through a cursor, because
# RPostgreSQL would load a result as a whole.

is_postgres <- function(connection) inherits(connection, c("PqConnection", "PostgreSQLConnection"))

# Is a transaction under way? One that has failed takes no statement, BEGIN neither, and counts for
# none: whoever begins then gets an error, and has begun nothing that could be rolled back.
within_transaction <- function(connection) {
  say <- function(statement) DBI::dbExecute(connection, statement)
  within <- on_error(is.numeric(say("SAVEPOINT domgen")), function(e) FALSE)
  if (within) say("RELEASE SAVEPOINT domgen")
  within
}

# Begins to read; gives a function that ends it. In the caller's own transaction, up to a savepoint,
# with which the settings are restored, else in one that ends with it.
begin_reading <- function(connection) {
  say <- function(statement) DBI::dbExecute(connection, statement)
  within <- within_transaction(connection)
  say(if (within) "SAVEPOINT domgen" else "BEGIN")
  finish <- function() {
    clear_results(connection)
    say(if (within) "ROLLBACK TO SAVEPOINT domgen" else "ROLLBACK")
    if (within) say("RELEASE SAVEPOINT domgen")
  }
  begun <- FALSE
  on.exit(if (!begun) on_error(finish(), function(e) NULL))
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

# The number of a table, NA where there is none.
postgres_number <- function(connection, table) {
  name <- DBI::dbQuoteString(connection, as.character(DBI::dbQuoteIdentifier(connection, table)))
  ask_postgres(connection, paste0("SELECT to_regclass(", name, ")::oid::text AS number"))$number
}
