# One process at a time writes to a table of a database, as run-lock.R has it for files. Who does is
# the one row of a table beside it, which is made with its row in one transaction; of two that take
# over one that was left behind, one finds its own name in it.

#' @exportS3Method
sink_hold.sink_table <- function(sink) {
  mine <- lock_name()
  with_database(sink, function(connection) hold_table(sink, connection, mine))
  held$locks <- c(held$locks, mine)
  function() let_go_table(sink, mine)
}

hold_table <- function(sink, connection, mine) {
  row <- data.frame(holder = mine, owner = process_owner())
  for (attempt in seq_len(20L)) {
    failed <- on_error({
      in_transaction(connection, function() {
        DBI::dbCreateTable(connection, sink$lock, row)
        append_rows(connection, sink$lock, row)
      })
      NULL
    }, identity)
    if (is.null(failed) || take_over_table(sink, connection, row)) return(invisible())
  }
  stop(failed)
}

# Is the table ours now? Nothing but the holder that was seen is replaced.
take_over_table <- function(sink, connection, row) {
  theirs <- table_holder(sink, connection)
  if (is.null(theirs)) return(FALSE)
  if (!is_left_behind(theirs$holder, row$holder, theirs$owner)) {
    abort_held(paste0("table `", table_label(sink$lock), "`"), theirs$holder, sink$label)
  }
  holder <- DBI::dbQuoteIdentifier(connection, "holder")
  text <- function(value) DBI::dbQuoteString(connection, value)
  when_free(function() {
    DBI::dbExecute(connection, paste("UPDATE", DBI::dbQuoteIdentifier(connection, sink$lock), "SET",
                                     holder, "=", text(row$holder), "WHERE", holder, "=",
                                     text(theirs$holder)))
  })
  identical(table_holder(sink, connection)$holder, row$holder)
}

# list(holder, owner), or NULL where nobody holds the table, or has just let go of it.
table_holder <- function(sink, connection) {
  if (!DBI::dbExistsTable(connection, sink$lock)) return(NULL)
  columns <- c("holder", "owner")
  fields <- on_error(DBI::dbListFields(connection, sink$lock), function(e) columns)
  if (!setequal(fields, columns)) abort_foreign_table(sink$lock)
  query <- paste("SELECT * FROM", DBI::dbQuoteIdentifier(connection, sink$lock))
  found <- on_error(when_free(function() DBI::dbGetQuery(connection, query)), function(e) NULL)
  if (NROW(found) == 1L) as.list(found)
}

let_go_table <- function(sink, mine) {
  held$locks <- setdiff(held$locks, mine)
  # where the database is gone, the call has said so; the next one takes over what is left
  on_error(with_database(sink, function(connection) {
    clear_results(connection)
    in_transaction(connection, function() {
      if (is_held(sink, connection, mine)) DBI::dbRemoveTable(connection, sink$lock)
    })
  }), function(e) NULL)
}

is_held <- function(sink, connection, ours = held$locks) {
  isTRUE(table_holder(sink, connection)$holder %in% ours)
}
