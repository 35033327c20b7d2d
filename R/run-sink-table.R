# Results as a new table of a database, in one transaction: in the end all rows are there, or no
# table. This session alone writes; of workers it takes what they predicted. Nothing that is there
# is read, changed or removed.

table_sink <- function(to) {
  partition <- to$partitions[[1L]]
  if (length(to$partitions) != 1L || is.null(partition$table)) {
    abort("argument", "`to` must be one table, `row_source(connection, table = \"name\")`, or the ",
          "path of a file or folder.")
  }
  # open: the connection, while the sink is held
  structure(class = "sink_table", list(label = partition$label, partition = partition,
                                       left = "The table was not made.",
                                       open = new.env(parent = emptyenv())))
}

#' @exportS3Method
sink_hold.sink_table <- function(sink) {
  link <- connect(sink$partition)
  or_close(check_new_table(sink, link$connection), link$close)
  sink$open$connection <- link$connection
  function() {
    # where the database is gone, so is the transaction, and the call has said so
    if (isTRUE(sink$open$begun)) on_error(undo_writing(link$connection), function(e) NULL)
    rm(list = names(sink$open), envir = sink$open)
    link$close()
  }
}

check_new_table <- function(sink, connection) {
  if (!asking_sink(sink, DBI::dbExistsTable(connection, sink$partition$table))) return(invisible())
  abort("argument", "`to` is a table that is there already: `", sink$label, "`. Tables are never ",
        "replaced, nor by `overwrite = TRUE`: drop or rename it, or give another name.")
}

# One of the user's would be ended with ours.
begin_writing <- function(connection, label) {
  refused <- function(said) {
    abort("write", "`", label, "` cannot be written: its rows need a transaction of their own, ",
          "and ", said, ". Give a function that makes a connection, or end the transaction of ",
          "this one.")
  }
  # which BEGIN would only warn of
  if (is_postgres(connection) && within_transaction(connection)) refused("one is under way")
  on_error(DBI::dbBegin(connection), function(e) {
    refused(paste("the database says:", trimws(conditionMessage(e))))
  })
}

undo_writing <- function(connection) {
  clear_results(connection)
  DBI::dbRollback(connection)
}

# What the database says, as an error of ours.
asking_sink <- function(sink, code) {
  on_error(code, function(e) {
    if (inherits(e, "domgen_error")) stop(e)
    said <- trimws(conditionMessage(e))
    abort("write", "`", sink$label, "` cannot be written: the database says: ", said, ".",
          if (grepl("locked", said)) paste(" If rows are read from the same SQLite file, it needs",
                                           "`PRAGMA journal_mode = WAL`."))
  })
}

# Another process may be writing to a database that is one file.
when_free <- function(code, seconds = 20) {
  start <- proc.time()[["elapsed"]]
  repeat {
    found <- on_error(list(code()), identity)
    if (!inherits(found, "error")) return(found[[1L]])
    busy <- grepl("locked|busy", lower_case(conditionMessage(found)))
    if (!busy || proc.time()[["elapsed"]] - start > seconds) stop(found)
    Sys.sleep(0.05)
  }
}

#' @exportS3Method
sink_begin.sink_table <- function(sink, key, like, parts) {
  connection <- sink$open$connection
  asking_sink(sink, when_free(function() {
    begin_writing(connection, sink$label)
    made <- FALSE
    on.exit(if (!made) on_error(undo_writing(connection), function(e) NULL))
    DBI::dbCreateTable(connection, sink$partition$table, as_rows(like))
    made <- sink$open$begun <- TRUE
  }))
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

#' @exportS3Method
sink_part.sink_table <- function(sink, number) {
  passing_part(function(columns) {
    asking_sink(sink, append_rows(sink$open$connection, sink$partition$table, as_rows(columns)))
  })
}

#' @exportS3Method
sink_end.sink_table <- function(sink, parts) {
  asking_sink(sink, when_free(function() DBI::dbCommit(sink$open$connection)))
  sink$open$begun <- FALSE
  row_source(sink$partition$connection, table = sink$partition$table)
}
