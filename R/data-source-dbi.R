# Rows of a database, through DBI: the result of a query, fetched block by block.

#' @exportS3Method
row_source.DBIConnection <- function(x, ..., table = NULL, query = NULL, levels = NULL,
                                     block_size = 50000, store = NULL) {
  check_row_dots(list(...))
  new_source(database_partitions(x, table, query), levels, block_size, store)
}

#' @exportS3Method
row_source.tbl_lazy <- function(x, ..., table = NULL, query = NULL, levels = NULL,
                                 block_size = 50000, store = NULL) {
  check_row_dots(list(...), table, query)
  need_package("dbplyr", "row_source()")
  query <- as.character(dbplyr::sql_render(x))
  new_source(database_partitions(dbplyr::remote_con(x), NULL, query), levels, block_size, store)
}

# connection: a DBI connection, or a function that makes one.
database_partitions <- function(connection, table, query) {
  need_package("DBI", "row_source()")
  if (is.null(table) == is.null(query)) {
    abort("argument", "Either `table` or `query` must be given with a database connection",
          if (!is.null(table)) ", not both", ".")
  }
  if (!is.null(query)) {
    check_sql(query, "query")
    check_selects(query)
    label <- if (length(query) == 1L) "query" else paste("query", seq_along(query))
    return(Map(function(query, label) {
      new_partition("dbi", label, connection = connection, query = query, nameless = TRUE)
    }, query, label))
  }
  tables <- if (inherits(table, "Id")) list(table) else as.list(check_sql(table, "table"))
  lapply(tables, function(table) {
    label <- if (is.character(table)) table else paste(table@name, collapse = ".")
    new_partition("dbi", label, connection = connection, table = table)
  })
}

check_sql <- function(value, arg) {
  if (!is.character(value) || length(value) == 0L || anyNA(value) || !all(nzchar(value))) {
    abort("argument", "`", arg, "` must be text that is not empty, not ", describe(value), ".")
  }
  value
}

#' @exportS3Method
partition_identity.partition_dbi <- function(partition) {
  partition[c("connection", "query", "table")]
}

#' @exportS3Method
partition_columns.partition_dbi <- function(partition) {
  if (is.null(partition$table) || is.function(partition$connection)) return(NULL)
  DBI::dbListFields(partition$connection, partition$table)
}

#' @exportS3Method
partition_count.partition_dbi <- function(partition) {
  link <- connect(partition)
  on.exit(link$close())
  from <- if (!is.null(partition$table)) DBI::dbQuoteIdentifier(link$connection, partition$table)
          else if (can_wrap(partition$query)) paste0("(", partition$query, ") AS q")
  if (is.null(from)) return(NextMethod())
  query <- paste("SELECT COUNT(*) AS n FROM", from)
  count <- asking(fetch_all(link$connection, query, partition$query), partition)
  agree_number(count[[1L]], list(label = partition$label, first = 1, name = "n"))
}

#' @exportS3Method
partition_open.partition_dbi <- function(partition, columns = NULL, text = character()) {
  link <- connect(partition)
  result <- or_close(send_query(link$connection, partition, columns), link$close)
  done <- 0
  ended <- FALSE
  list(read = function(n) {
    if (ended) return(NULL)
    block <- fetch_block(result, n, function() {
      refuse_mixed(link$connection, partition, columns, done, n)
    })
    done <<- done + nrow(block)
    ended <<- nrow(block) == 0L
    if (!ended) text_as_text(pick_columns(block, columns, partition$label), text)
  }, close = function() {
    suppressWarnings(on_error(result$close(), function(e) NULL))
    link$close()
  })
}

# list(query, fetch(n): the next n rows, none at the end, all for -1; close()). Nothing is written;
# own: the user's query, if it is one.
open_query <- function(connection, query, own = NULL) {
  if (is_postgres(connection)) return(open_cursor(connection, query))
  if (is_sqlite(connection)) return(open_query_only(connection, query))
  if (!is.null(own)) check_modifies_nothing(own)
  result <- DBI::dbSendQuery(connection, query)
  list(query = query, fetch = function(n) DBI::dbFetch(result, n),
       close = function() DBI::dbClearResult(result))
}

fetch_all <- function(connection, query, own = NULL) {
  result <- open_query(connection, query, own)
  on.exit(result$close())
  result$fetch(-1)
}

# dbGetQuery() of RPostgreSQL gives NULL, and a warning, where it cannot ask.
answer <- function(connection, query) {
  result <- DBI::dbSendQuery(connection, query)
  on.exit(DBI::dbClearResult(result))
  DBI::dbFetch(result, -1)
}

# RSQLite makes 0 of text among numbers, and says so in a warning.
fetch_block <- function(result, n, mixed) {
  withCallingHandlers(result$fetch(n), warning = function(w) {
    if (grepl("mixed type", conditionMessage(w))) {
      result$close()
      mixed()
      stop(conditionMessage(w), call. = FALSE)
    }
  })
}

# Row by row, to find the one. done: rows before the block of n rows.
refuse_mixed <- function(connection, partition, columns, done, n) {
  result <- send_query(connection, partition, columns)
  on.exit(result$close())
  row <- 0
  withCallingHandlers({
    while (row < done) row <- row + nrow(result$fetch(min(done - row, n)))
    for (k in seq_len(n)) row <- row + nrow(result$fetch(1L))
  }, warning = function(w) {
    abort("data", row_label(partition$label, row + 1), ": ", trimws(conditionMessage(w)), ".")
  })
}

connect <- function(partition) {
  if (!is.function(partition$connection)) {
    # RPostgreSQL does not know dbIsValid()
    open <- on_error(DBI::dbIsValid(partition$connection), function(e) {
      on_error(is.list(DBI::dbGetInfo(partition$connection)), function(e) FALSE)
    })
    if (!isTRUE(open)) {
      abort("data", "The connection of `", partition$label, "` is closed, or was made in another ",
            "process; give a function that makes it.")
    }
    return(list(connection = partition$connection, close = function() NULL))
  }
  connection <- on_error(partition$connection(), function(e) {
    abort("data", "`", partition$label, "`: no connection: ", trimws(conditionMessage(e)))
  })
  if (!inherits(connection, "DBIConnection")) {
    abort("argument", "The function of `", partition$label, "` must make a DBI connection, not ",
          describe(connection), ".")
  }
  list(connection = connection, close = function() {
    on_error(DBI::dbDisconnect(connection), function(e) NULL)
  })
}

asking <- function(code, partition) {
  on_error(code, function(e) {
    if (inherits(e, "domgen_error")) stop(e)
    abort("data", "`", partition$label, "`: the database says: ", trimws(conditionMessage(e)))
  })
}

send_query <- function(connection, partition, columns) {
  quoted <- function(name) as.character(DBI::dbQuoteIdentifier(connection, name))
  select <- paste("SELECT", if (is.null(columns)) "*"
                            else paste(vapply(columns, quoted, ""), collapse = ", "))
  query <- partition$query
  if (!is.null(partition$table)) {
    if (!is.null(columns)) {
      there <- asking(DBI::dbListFields(connection, partition$table), partition)
      check_named(there, columns, partition$label)
    }
    query <- paste(select, "FROM", quoted(partition$table))
  } else if (!is.null(columns) && can_wrap(query)) {
    narrow <- paste(select, "FROM (", query, ") AS q")
    result <- on_error(open_query(connection, narrow, query), function(e) NULL)
    if (!is.null(result)) return(result)
  }
  asking(open_query(connection, query, partition$query), partition)
}

# ---- which rows it has ------------------------------------------------------------------------
#
# Whether a database has the rows that it had when a call began, and whether a statement reads a
# table that is to be replaced. Each driver that is known has its own answer.

identity_rows <- 1000

# NULL where rows cannot be recognised in another session: databases in memory, temporary tables,
# drivers of which nothing is known.
#' @exportS3Method
partition_key.partition_dbi <- function(partition) {
  on_error({
    link <- connect(partition)
    on.exit(link$close())
    place <- database_place(link$connection, partition$table)
    if (!is.null(place)) list(place, partition$query, sampled_rows(link$connection, partition))
  }, function(e) NULL)
}

database_place <- function(connection, table) {
  name <- if (!is.null(table)) as.character(DBI::dbQuoteIdentifier(connection, table))
  if (is_sqlite(connection)) {
    place <- sqlite_place(connection)
  } else if (is_postgres(connection)) {
    place <- postgres_place(connection)
    if (!is.null(table)) name <- c(name, postgres_number(connection, table))
  } else place <- NULL
  if (!is.null(place)) list(class(connection)[1L], place, name)
}

# Their number, and about so many of them, from all parts of the result.
sampled_rows <- function(connection, partition) {
  from <- paste0(" FROM (", statement_of(connection, partition), "\n) AS q")
  ask <- function(query) suppressWarnings(fetch_all(connection, query))
  n <- as.numeric(ask(paste0("SELECT COUNT(*) AS n", from))[[1L]])
  step <- max(1, ceiling(n / identity_rows))
  rows <- ask(sprintf("SELECT * FROM (SELECT q.*, ROW_NUMBER() OVER () AS domgen_row%s) AS r %s",
                      from, sprintf("WHERE (domgen_row - 1) %% %.0f = 0", step)))
  list(n, rows)
}

statement_of <- function(connection, partition) {
  if (is.null(partition$table)) return(sub(";\\s*$", "", partition$query))
  paste("SELECT * FROM", DBI::dbQuoteIdentifier(connection, partition$table))
}

# Does a partition read the table that a sink makes? Of databases that cannot be asked, one that has
# its name in it may.
reads_table <- function(partition, connection, other, table) {
  known <- function(connection) c(is_sqlite(connection), is_postgres(connection))
  both <- known(connection) & known(other)
  if (any(known(connection)) && any(known(other)) && !any(both)) return(FALSE)
  statement <- statement_of(connection, partition)
  name <- if (is.character(table)) table else table@name[[length(table@name)]]
  named <- function(e = NULL) grepl(lower_case(name), lower_case(statement), fixed = TRUE)
  if (!any(both)) return(named())
  reads <- if (both[1L]) sqlite_reads else postgres_reads
  on_error(reads(connection, statement, other, table), named)
}
