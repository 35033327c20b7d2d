# The result of a query to PostgreSQL, through a cursor: RPostgreSQL would load it as a whole.

# list(query, fetch(n), close()), as open_query(). The cursor lives in a transaction: the caller's
# own, up to a savepoint, or one that ends with it.
open_cursor <- function(connection, query) {
  say <- function(statement) DBI::dbExecute(connection, statement)
  within <- on_error(is.numeric(say("SAVEPOINT domgen")), function(e) FALSE)
  if (!within) say("BEGIN")
  finish <- function() {
    say(if (within) "ROLLBACK TO SAVEPOINT domgen" else "ROLLBACK")
    if (within) say("RELEASE SAVEPOINT domgen")
  }
  on_error({
    # A scan that begins while another one is under way joins it, in the middle of the table: rows
    # would come in another order in each pass.
    say("SET LOCAL synchronize_seqscans = off")
    say(paste("DECLARE domgen_rows NO SCROLL CURSOR FOR", query))
  }, function(e) {
    on_error(finish(), function(e) NULL)
    stop(e)
  })
  fetch <- function(n) {
    answer(connection, sprintf("FETCH FORWARD %.0f FROM domgen_rows", n))
  }
  list(query = query, fetch = fetch, close = finish)
}
