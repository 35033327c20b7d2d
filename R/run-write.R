# Where predictions go, block by block and in order. A writer is made at the door, which checks the
# place, and opened when the rows have been read:
#   writer()   list(write(columns, k): a block, columns by name, or in memory what predict() gives
#              for it; end(): all is written, gives the blocks or where they are; stop(): what was
#              written goes)

as_writer <- function(to, overwrite = FALSE) {
  if (is.null(to)) return(memory_writer)
  if (is.function(to)) return(function_writer(to))
  if (inherits(to, "dg_source")) return(table_writer(to))
  ending <- if (is.character(to) && length(to) == 1L && !is.na(to)) {
    lower_case(sub("^[^.]*$|.*[.]", "", basename(to)))
  }
  if (isTRUE(ending %in% c("csv", "parquet"))) return(file_writer(to, ending, overwrite))
  abort("argument", "`to` must be a path that ends in .csv or .parquet, a function, or ",
        "`row_source(connection, table = \"name\")`, not ", describe(to), ".")
}

memory_writer <- function() {
  blocks <- list()
  list(write = function(columns, k) blocks[[k]] <<- columns, stop = function() NULL,
       end = function() blocks)
}

function_writer <- function(to) function() {
  list(write = function(columns, k) to(as_rows(columns), k), stop = function() NULL,
       end = function() invisible(NULL))
}

as_rows <- function(columns) {
  columns <- lapply(columns, function(column) {
    if (is.factor(column)) as.character(column) else column
  })
  frame_of_columns(columns, length(columns[[1L]]))
}

# ---- one file ---------------------------------------------------------------------------------

# Under another name until all is there.
file_writer <- function(to, ending, overwrite) {
  need_package(if (ending == "csv") "data.table" else "nanoparquet", "predict()")
  if (!dir.exists(dirname(to))) {
    abort("argument", "`to` must be in a folder that exists, not `", dirname(to), "`.")
  }
  to <- full_path(to)
  check_free(to, overwrite)
  add <- if (ending == "csv") add_csv else add_parquet
  function() {
    part <- tempfile(paste0(".", basename(to), "-"), dirname(to))
    write <- function(columns, k) {
      writing(to, suppressWarnings(add(as_rows(columns), part, k)))
      # a full disk is noticed by nothing else
      if (!file.exists(part)) writing(to, stop("is the disk full?"))
    }
    list(write = write, stop = function() unlink(part, expand = FALSE), end = function() {
      check_free(to, overwrite)
      if (!suppressWarnings(file.rename(part, to))) writing(to, stop("it cannot be renamed."))
      invisible(row_source(to))
    })
  }
}

add_csv <- function(data, file, k) {
  data[] <- lapply(data, csv_fields)
  names(data) <- in_quotes(names(data))
  data.table::fwrite(data, file, append = k > 1L, col.names = k == 1L, quote = FALSE, na = "NA",
                     scipen = 100L, showProgress = FALSE)
}

add_parquet <- function(data, file, k) {
  if (k == 1L) nanoparquet::write_parquet(data, file) else nanoparquet::append_parquet(data, file)
}

# `overwrite` replaces nothing but predictions.
check_free <- function(to, overwrite) {
  if (dir.exists(to)) abort("argument", "`to` is a folder: `", to, "`.")
  if (!file.exists(to)) return(invisible())
  if (!overwrite) {
    abort("argument", "`to` is there already: `", to, "`. Give another, or `overwrite = TRUE`.")
  }
  names <- if (file.size(to) > 0) on_error(source_names(row_source(to)), function(e) "")
  if (is.null(names) || identical(names[1:2], c("partition", "row"))) return(invisible())
  abort("argument", "`to` is there already, and has no predictions that `overwrite` could ",
        "replace: `", to, "`. Move it, or give another `to`.")
}

writing <- function(label, code) {
  on_error(code, function(e) {
    abort("write", "`", label, "` cannot be written: ",
          sub("[.]$", "", trimws(conditionMessage(e))), ".")
  })
}

# ---- a table ----------------------------------------------------------------------------------

# A new one, in one transaction: in the end all rows are there, or no table.
table_writer <- function(to) {
  place <- if (length(to$tables) == 1L) to$tables[[1L]]$place
  if (is.null(place)) {
    abort("argument", "`to` must be one table, `row_source(connection, table = \"name\")`, a ",
          "function, or a path that ends in .csv or .parquet.")
  }
  label <- to$tables[[1L]]$label
  con <- connected(place$connection)
  there <- on_error(writing(label, DBI::dbExistsTable(con$connection, place$name)), function(e) {
    con$close()
    stop(e)
  })
  con$close()
  if (there) {
    abort("argument", "`to` is a table that is there already: `", label, "`. Tables are never ",
          "replaced, nor by `overwrite = TRUE`: drop or rename it, or give another name.")
  }
  function() {
    con <- connected(place$connection)
    open <- FALSE
    stop_writing <- function() {
      if (open) on_error({
        clear_results(con$connection)
        DBI::dbRollback(con$connection)
      }, function(e) NULL)
      con$close()
    }
    on.exit(if (!open) con$close())
    begin_writing(con$connection, label)
    open <- TRUE
    list(write = function(columns, k) {
      data <- as_rows(columns)
      writing(label, {
        if (k == 1L) DBI::dbCreateTable(con$connection, place$name, data[0L, , drop = FALSE])
        append_rows(con$connection, place$name, data)
      })
    }, stop = stop_writing, end = function() {
      writing(label, DBI::dbCommit(con$connection))
      con$close()
      invisible(row_source(place$connection, table = place$name))
    })
  }
}

# dbAppendTable() is not in every driver.
append_rows <- function(connection, table, data) {
  DBI::dbWriteTable(connection, table, data, append = TRUE, row.names = FALSE)
}

connected <- function(connection) {
  made <- writing("to", connect(connection))
  list(connection = made, close = function() {
    if (is.function(connection)) on_error(DBI::dbDisconnect(made), function(e) NULL)
  })
}

# A transaction of the user's would be ended with ours.
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
