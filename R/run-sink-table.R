# Results as a table of a database. It grows under a name of its own and gets the right one when all
# rows are there. A table of the call's state says what is: a row for each part, and row 0 for the
# call. A block and its record are one transaction. Only tables that a record names are removed.

table_sink <- function(to, overwrite) {
  partition <- to$partitions[[1L]]
  if (length(to$partitions) != 1L || is.null(partition$table)) {
    abort("argument", "`to` must be one table, `row_source(connection, table = \"name\")`, or the ",
          "path of a file or folder.")
  }
  structure(class = "sink_table", list(
    label = partition$label, partition = partition, overwrite = overwrite,
    state = beside(partition$table, "_state"), lock = beside(partition$table, "_lock")
  ))
}

# A table beside this one, in the same schema. Its name has one length: databases cut long ones.
beside <- function(table, ending) {
  name <- function(own) paste0("domgen_", substr(fingerprint(own), 1L, 12L), ending)
  if (is.character(table)) return(name(table))
  last <- length(table@name)
  table@name[last] <- name(table@name[[last]])
  table
}

# By a second connection, a query, a view or another case of its name too.
check_other_table <- function(sink, source) {
  partitions <- Filter(function(p) inherits(p, "partition_dbi"), source$partitions)
  if (length(partitions) == 0L) return(invisible())
  other <- connect(sink$partition)
  on.exit(other$close())
  link <- NULL
  on.exit(if (!is.null(link)) link$close(), add = TRUE)
  for (k in seq_along(partitions)) {
    partition <- partitions[[k]]
    if (k == 1L || !identical(partition$connection, partitions[[k - 1L]]$connection)) {
      if (!is.null(link)) link$close()
      link <- connect(partition)
    }
    if (reads_table(partition, link$connection, other$connection, sink$partition$table)) {
      abort("argument", "`to` must not be where the rows are read from: the table `", sink$label,
            "`, which `", partition$label, "` reads. Give another name.")
    }
  }
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

# All of it or nothing; DBI itself leaves a transaction open that is interrupted.
in_transaction <- function(connection, code) {
  when_free(function() {
    open <- FALSE
    on.exit(if (open) on_error(DBI::dbRollback(connection), function(e) NULL))
    on_error(DBI::dbWithTransaction(connection, {
      open <- TRUE
      code()
    }), function(e) {
      open <<- FALSE
      stop(e)
    })
    open <- FALSE
    NULL
  })
}

# Another worker may be writing to a database that is one file.
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
  with_database(sink, function(connection) {
    there <- function(table) DBI::dbExistsTable(connection, table)
    if (there(sink$partition$table)) {
      if (!sink$overwrite) abort_finished(sink$label)
      # views of PostgreSQL are of the table itself, which could not be removed at the end
      views <- if (is_postgres(connection)) postgres_views(connection, sink$partition$table)
      if (length(views)) {
        abort("argument", "`to` cannot be replaced: the table `", sink$label, "` is read by the ",
              "view ", enumerate(views), ". Drop ", if (length(views) == 1L) "it" else "them",
              ", or give another `to`.")
      }
    }
    begun <- if (there(sink$state)) call_state(sink, connection)
    same <- !is.null(begun) && there(begun$part) && identical(begun$key, key)
    if (!is.null(begun) && !same && !sink$overwrite) abort_other_call(sink$label)
    if (same) return(invisible())
    # a name that no table has
    part <- beside(sink$partition$table, paste0("_rows_", fresh_token()))
    in_transaction(connection, function() {
      if (!is.null(begun)) for (table in Filter(there, list(begun$part, sink$state))) {
        DBI::dbRemoveTable(connection, table)
      }
      DBI::dbCreateTable(connection, part, as_rows(like))
      DBI::dbCreateTable(connection, sink$state, state_row(0L, list()))
      append_rows(connection, sink$state, state_row(0L, list(key = key, part = part)))
    })
  })
}

# list(key, part: the table that grows), or an error where a table of that name is not a record.
call_state <- function(sink, connection) {
  own <- setequal(DBI::dbListFields(connection, sink$state), names(state_row(0L, NULL)))
  state <- if (own) read_state(sink, connection, 0L)
  if (is.list(state) && !is.null(state$key) && !is.null(state$part)) return(state)
  abort_foreign_table(sink$state)
}

abort_foreign_table <- function(table) {
  abort("argument", "`to` needs the table `", table_label(table), "`, which is there and was not ",
        "made by domgen. Rename it, or give another `to`.")
}

table_label <- function(table) {
  if (is.character(table)) table else paste(table@name, collapse = ".")
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
  if (length(text)) on_error(unserialize(charToRaw(text[1L])), function(e) NULL)
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
  found <- or_close(asking_sink(sink, when_free(function() {
    list(part = call_state(sink, connection)$part, state = read_state(sink, connection, number))
  })), link$close)
  growing_part(if (is.null(found$state)) no_part else found$state, function(columns, state) {
    asking_sink(sink, in_transaction(connection, function() {
      if (!is.null(columns)) append_rows(connection, found$part, as_rows(columns))
      write_state(sink, connection, number, state)
    }))
  }, link$close)
}

#' @exportS3Method
sink_end.sink_table <- function(sink, parts) {
  table <- sink$partition$table
  with_database(sink, function(connection) {
    quoted <- function(name) DBI::dbQuoteIdentifier(connection, name)
    # a name in the same schema
    new <- if (is.character(table)) table else unname(table@name[length(table@name)])
    state <- call_state(sink, connection)
    in_transaction(connection, function() {
      if (!is_held(sink, connection)) abort_changed(table_label(sink$lock), sink$label)
      if (DBI::dbExistsTable(connection, table)) {
        # made by another while rows were written
        if (!sink$overwrite) abort_finished(sink$label)
        DBI::dbRemoveTable(connection, table)
      }
      renaming(connection, {
        DBI::dbExecute(connection, paste("ALTER TABLE", quoted(state$part), "RENAME TO",
                                         quoted(new)))
      })
      DBI::dbRemoveTable(connection, sink$state)
    })
  })
  row_source(sink$partition$connection, table = table)
}
