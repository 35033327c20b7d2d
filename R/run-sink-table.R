# Results as a table of a database. It grows as `<name>_part` and gets its name when all rows are
# there; `<name>_state` says what is: a row for each part, and row 0 for the call. A block and its
# record are one transaction.

table_sink <- function(to, overwrite) {
  partition <- to$partitions[[1L]]
  if (length(to$partitions) != 1L || is.null(partition$table)) {
    abort("argument", "`to` must be one table, `row_source(connection, table = \"name\")`, or the ",
          "path of a file or folder.")
  }
  structure(class = "sink_table", list(
    label = partition$label, partition = partition, overwrite = overwrite,
    part = beside(partition$table, "_part"), state = beside(partition$table, "_state")
  ))
}

# The table of a name like this one's, in the same schema.
beside <- function(table, ending) {
  if (is.character(table)) return(paste0(table, ending))
  last <- length(table@name)
  table@name[last] <- paste0(table@name[last], ending)
  table
}

# f(connection), with what the database says in the errors.
with_database <- function(sink, f) {
  link <- connect(sink$partition)
  on.exit(link$close())
  asking_sink(sink, f(link$connection))
}

asking_sink <- function(sink, code) {
  on_error(code, function(e) {
    if (inherits(e, "domgen_error")) stop(e)
    said <- trimws(conditionMessage(e))
    abort("write", "`", sink$label, "` cannot be written: the database says: ", said, ".",
          if (grepl("locked", said)) paste(" If rows are read from the same SQLite file, it needs",
                                           "`PRAGMA journal_mode = WAL`."))
  })
}

# All of it or nothing.
in_transaction <- function(connection, code) {
  when_free(function() {
    DBI::dbWithTransaction(connection, code())
    NULL
  })
}

# Another worker may be writing to a database that is one file.
when_free <- function(code, seconds = 20) {
  start <- proc.time()[["elapsed"]]
  repeat {
    found <- on_error(list(code()), identity)
    if (!inherits(found, "error")) return(found[[1L]])
    busy <- grepl("locked|busy", conditionMessage(found), ignore.case = TRUE)
    if (!busy || proc.time()[["elapsed"]] - start > seconds) stop(found)
    Sys.sleep(0.05)
  }
}

#' @exportS3Method
sink_begin.sink_table <- function(sink, key, like, parts) {
  with_database(sink, function(connection) {
    there <- function(table) DBI::dbExistsTable(connection, table)
    if (there(sink$partition$table) && !sink$overwrite) abort_finished(sink$label)
    begun <- there(sink$state)
    same <- begun && there(sink$part) && identical(read_state(sink, connection, 0L)$key, key)
    if (begun && !same && !sink$overwrite) abort_other_call(sink$label)
    if (same) return(invisible())
    in_transaction(connection, function() {
      for (table in list(sink$part, sink$state)) {
        if (there(table)) DBI::dbRemoveTable(connection, table)
      }
      DBI::dbCreateTable(connection, sink$part, as_rows(like))
      DBI::dbCreateTable(connection, sink$state, state_row(0L, list()))
      append_rows(connection, sink$state, state_row(0L, list(key = key)))
    })
  })
}

as_rows <- function(columns) {
  columns <- lapply(columns, function(column) {
    if (is.factor(column)) as.character(column) else column
  })
  plain_frame(columns, length(columns[[1L]]))
}

# dbAppendTable() is not in every driver.
append_rows <- function(connection, table, rows) {
  DBI::dbWriteTable(connection, table, rows, append = TRUE, row.names = FALSE)
}

state_row <- function(number, state) {
  text <- rawToChar(serialize(state, NULL, ascii = TRUE))
  data.frame(number = as.integer(number), state = text)
}

read_state <- function(sink, connection, number) {
  query <- paste("SELECT", DBI::dbQuoteIdentifier(connection, "state"), "AS state FROM",
                 DBI::dbQuoteIdentifier(connection, sink$state), "WHERE",
                 DBI::dbQuoteIdentifier(connection, "number"), "=", as.integer(number))
  text <- DBI::dbGetQuery(connection, query)$state
  if (length(text)) unserialize(charToRaw(text[1L]))
}

write_state <- function(sink, connection, number, state) {
  DBI::dbExecute(connection, paste("DELETE FROM", DBI::dbQuoteIdentifier(connection, sink$state),
                                   "WHERE", DBI::dbQuoteIdentifier(connection, "number"), "=",
                                   as.integer(number)))
  append_rows(connection, sink$state, state_row(number, state))
}

#' @exportS3Method
sink_part.sink_table <- function(sink, number) {
  link <- connect(sink$partition)
  connection <- link$connection
  state <- on_error(asking_sink(sink, when_free(function() {
    read_state(sink, connection, number)
  })), function(e) {
    link$close()
    stop(e)
  })
  if (is.null(state)) state <- list(done = 0, finished = FALSE, notes = NULL)
  grow <- function(columns, done, notes, finished) {
    new <- list(done = done, finished = finished, notes = notes)
    asking_sink(sink, in_transaction(connection, function() {
      if (!is.null(columns)) append_rows(connection, sink$part, as_rows(columns))
      write_state(sink, connection, number, new)
    }))
    state <<- new
  }
  list(done = state$done, finished = state$finished, notes = state$notes,
       write = function(columns, upto, notes) grow(columns, upto, notes, FALSE),
       finish = function(notes) {
         if (!state$finished) grow(NULL, state$done, notes, TRUE)
         list(notes = notes)
       }, close = link$close)
}

#' @exportS3Method
sink_end.sink_table <- function(sink, parts) {
  table <- sink$partition$table
  with_database(sink, function(connection) {
    quoted <- function(name) DBI::dbQuoteIdentifier(connection, name)
    # a name in the same schema
    new <- if (is.character(table)) table else unname(table@name[length(table@name)])
    in_transaction(connection, function() {
      if (DBI::dbExistsTable(connection, table)) DBI::dbRemoveTable(connection, table)
      DBI::dbExecute(connection, paste("ALTER TABLE", quoted(sink$part), "RENAME TO", quoted(new)))
      DBI::dbRemoveTable(connection, sink$state)
    })
  })
  row_source(sink$partition$connection, table = table)
}
