# Rows that come in blocks. A source is
#   list(partitions, levels, block_size, store), class dg_source
# and a partition, described at the end of this file, one of the parts that can be read at the same
# time.

new_source <- function(partitions, levels, block_size, store) {
  if (!is.null(store) &&
      (!is.character(store) || length(store) != 1L || is.na(store) || !nzchar(store))) {
    abort("argument", "`store` must be the path of a folder, not ", describe(store), ".")
  }
  # rows that are read twice count twice
  keys <- lapply(partitions, partition_identity)
  # to duplicated() two functions of one code are the same, whatever they enclose
  places <- lapply(keys, function(key) lapply(Filter(is.function, c(key)), environment))
  twice <- which(duplicated(Map(list, keys, places)) & !vapply(keys, is.null, NA))
  if (length(twice)) abort("data", "`", partitions[[twice[1L]]]$label, "` is given twice.")
  structure(class = "dg_source", list(
    partitions = unname(partitions), levels = check_levels(levels),
    block_size = check_count(block_size, "block_size"), store = store
  ))
}

# ---- the door ---------------------------------------------------------------------------------

check_levels <- function(levels) {
  if (is.null(levels) || identical(unname(levels), list())) return(list())
  fine <- is.list(levels) && !is.null(names(levels)) && all(nzchar(names(levels))) &&
    !anyDuplicated(names(levels))
  if (!fine) {
    abort("argument", "`levels` must be a named list such as `list(x = c(\"a\", \"b\"))`, not ",
          describe(levels), ".")
  }
  Map(function(set, name) {
    text <- if (is.factor(set)) levels(set) else if (is.atomic(set)) value_labels(set)
    if (length(text) == 0L || anyNA(text) || anyDuplicated(text)) {
      abort("argument", "`levels$", name, "` must be values that are all different, not ",
            describe(set), ".")
    }
    text
  }, levels, names(levels))
}

#' Any number of rows, in blocks
#'
#' A description of rows that are read in blocks, again in each pass over them: of a data frame, of
#' files, of a database, or of a function. The rows themselves are not in it.
#'
#' A source consists of partitions: files, tables, queries, parts of a data frame. Workers read
#' different partitions at the same time. Each partition is opened where it is read, from its path
#' or by its connection function.
#'
#' | `x` | partitions |
#' |---|---|
#' | data frame | one, or with `partitions = k` as many contiguous parts |
#' | paths | a file each: `.csv`, `.tsv`, `.txt` (these three also with `.gz`), `.parquet`, `.rds` |
#' | a folder, a pattern with `*`, `?` or `[` | its files in the order of their names |
#' | DBI connection | the `table`, or each `query` |
#' | function without arguments | the same of the connection that it makes |
#' | lazy table of dbplyr | its query |
#' | function of `reset` | one: `x(TRUE)` starts again, `x(FALSE)` gives the next rows |
#' | list | those of its elements, one after the other |
#'
#' **Functions** of `reset` follow the convention of biglm: what `x(TRUE)` gives does not matter,
#' and `x(FALSE)` gives a data frame, or `NULL` when there are no more rows.
#'
#' **Columns.** Only those that a formula names are read. They are matched by name, so that their
#' order may differ between partitions; further columns are ignored. Integers and other numbers are
#' one type. Whether a column has numbers or text is decided by the first block that has a value
#' in it (a column of a CSV file has numbers if most of its values there are); a value of
#' another type is then an error that names partition and row.
#'
#' **Levels.** Text and factors as predictors have the levels of the first partition, or those
#' declared by `levels`, which also makes categories of numbers. A value that is none of these is an
#' error.
#'
#' **CSV.** The first line has the names of the columns; commas, tabs or semicolons stand between
#' them, whichever is most frequent there. With semicolons, numbers may have a decimal comma. Text
#' may stand in double quotes, which are doubled inside, and may then have separators and line ends.
#' Empty fields and `NA` are missing, in quotes too. Lines that are empty are left out, but for
#' files of one column. Bytes that are not valid UTF-8 are taken for Latin-1. Each row must have as
#' many fields as the first line. Files are read in pieces of 16 MB, by data.table where it is
#' installed, which is much faster.
#'
#' **Parquet** needs nanoparquet or arrow; nanoparquet reads the columns of a file as a whole, arrow
#' one group of rows at a time. **RDS** files hold one data frame each, which is read as a whole.
#'
#' **Databases.** A connection cannot be sent to other processes: give a function that makes one,
#' `function() DBI::dbConnect(RSQLite::SQLite(), "file.sqlite")`. It is closed after each use, and
#' a connection that was given is not. Nothing is written: PostgreSQL reads in a read-only
#' transaction (in a transaction of yours, up to a savepoint), SQLite with `PRAGMA query_only`, and
#' both are left as they were. For other databases a query with a word that writes (`DELETE`,
#' `INTO`, ...) is an error. A procedure (`EXEC`, `CALL`) may write, which a warning says. SQLite
#' has neither logical values nor dates: they come as numbers, and `factor(y) ~ x` makes classes of
#' a response of 0 and 1.
#'
#' **Continuing** (`store`, and `to` of [predict()][predict_source]). A call continues with what an
#' earlier one has kept only if its rows are the same. Data frames are compared by their values;
#' files by path, size and times; tables and queries by the database (file; or server, port, name,
#' user, schema), the number of rows, and the values of about 1,000 rows; functions by their code,
#' the values of the variables that they use, and the rows that they give. Rows that cannot be
#' recognised (databases in memory, temporary tables, drivers other than SQLite and PostgreSQL,
#' functions that hold a connection) are never continued: `store` is then not used, with a warning.
#'
#' @param x Data frame, paths, DBI connection, function, lazy table, or list of these.
#' @param table Name of a database table, or several: a partition each.
#' @param query SQL query, or several: a partition each.
#' @param levels Named list of the levels of categorical columns,
#'   `list(x = c("low", "high"))`.
#' @param block_size Maximum number of rows of a block.
#' @param store Folder in which the sums of finished partitions are kept, so that the same call goes
#'   on after a crash; `NULL`: none.
#' @param partitions Into how many parts a data frame is cut.
#' @param ... For data frames `partitions`; else empty.
#' @return An object of class `dg_source`: a list of `partitions` (a list of what a worker needs to
#'   open each), `levels`, `block_size` and `store`.
#' @section Errors:
#' All have class `domgen_error`. What is wrong with `x` itself (a path that does not exist, a
#' folder without files, a file or table that is given twice) is an error here; what is wrong inside
#' is found when it is read, with class `domgen_error_data`, and a message that names partition, row
#' and column: a value that is no number, a row that has too few fields, a quote that is not closed,
#' a truncated gzip file, UTF-16, a column that is missing or there twice, a level that is not
#' declared, 64-bit integers beyond 2^53, a connection that breaks. Row numbers count the rows of
#' data of a partition from 1.
#' @examples
#' folder <- tempfile("rows")
#' dir.create(folder)
#' data <- simulate_dica(domains = 6, n = 20, p = 3, seed = 1)
#' for (part in 1:3) {
#'   rows <- data$domain %in% levels(data$domain)[2 * part - 1:0]
#'   write.csv(data[rows, ], file.path(folder, paste0("part-", part, ".csv")), row.names = FALSE)
#' }
#' row_source(folder)
#' row_source(file.path(folder, "part-[12].csv"), block_size = 10)
#' row_source(data, partitions = 2)
#' @export
row_source <- function(x, ..., table = NULL, query = NULL, levels = NULL, block_size = 50000,
                       store = NULL) {
  check_given(x, "x")
  UseMethod("row_source")
}

#' @exportS3Method
row_source.default <- function(x, ...) {
  abort("argument", "`x` must be a data frame, paths of files, a database connection, a function, ",
        "a lazy table or a list of these, not ", describe(x), ".")
}

#' @exportS3Method
row_source.dg_source <- function(x, ..., table = NULL, query = NULL, levels = x$levels,
                                 block_size = x$block_size, store = x$store) {
  check_row_dots(list(...), table, query)
  new_source(x$partitions, levels, block_size, store)
}

# table, query: NULL where x is no database.
check_row_dots <- function(dots, table = NULL, query = NULL, fine = character()) {
  check_no_dots(dots, c(setdiff(names(formals(row_source)), c("x", "...")), fine))
  if (!is.null(table) || !is.null(query)) {
    abort("argument", "`", if (is.null(table)) "query" else "table", "` must be given with a ",
          "database connection, or a function that makes one, only.")
  }
}

# ---- what is printed --------------------------------------------------------------------------

partition_kinds <- c(partition_frame = "data frame", partition_csv = "CSV", partition_rds = "RDS",
                     partition_parquet = "Parquet", partition_dbi = "database",
                     partition_function = "function")

#' @exportS3Method
print.dg_source <- function(x, ...) {
  kinds <- partition_kinds[vapply(x$partitions, function(p) class(p)[1L], "")]
  count <- table(kinds)[unique(kinds)]
  labels <- vapply(x$partitions, `[[`, "", "label")
  cat_line("A source of rows in ", plural(length(labels), "partition"), ": ",
           enumerate(labels, 3L, ""))
  each <- paste0(names(count), if (length(count) > 1L) paste0(" (", count, ")"))
  cat_line("  kind     ", paste(each, collapse = ", "), describe_partition(x$partitions[[1L]]))
  columns <- on_error(partition_columns(x$partitions[[1L]]), function(e) NULL)
  if (length(columns)) cat_line("  columns  ", enumerate(columns, 8L, ""))
  for (name in names(x$levels)) {
    cat_line("  levels   ", name, ": ", enumerate(x$levels[[name]], 8L, ""))
  }
  cat_line("  blocks   of ", plural(x$block_size, "row"))
  if (!is.null(x$store)) cat_line("  store    ", x$store)
  invisible(x)
}

# What is to be said of the first partition beside its kind.
describe_partition <- function(partition) UseMethod("describe_partition")

#' @exportS3Method
describe_partition.default <- function(partition) ""

# ---- partitions -------------------------------------------------------------------------------
#
# A partition of a source is
#   list(label = what messages call it, ... what a worker needs to open it itself),
#   class c("partition_<kind>", "dg_partition"), with methods of the generics below.

new_partition <- function(kind, label, ...) {
  file <- if (kind %in% file_kinds) "partition_file"
  structure(list(label = label, ...), class = c(paste0("partition_", kind), file, "dg_partition"))
}

# The number of rows, as cheaply as the kind allows.
partition_count <- function(partition) UseMethod("partition_count")

# list(read = function(n): a plain data frame of at most n rows, NULL at the end; close =
# function()). columns: their names, NULL for all; text: those that are read as text, whatever they
# look like. A domain "007" is not 7. Of these the ones called "label" in `names(text)` are domains.
partition_open <- function(partition, columns = NULL, text = character()) {
  UseMethod("partition_open")
}

# A value that tells whether it is the same data as before, in another session too; NULL where that
# cannot be known.
partition_key <- function(partition) UseMethod("partition_key")

# The names of all columns where they cost no pass, else NULL.
partition_columns <- function(partition) UseMethod("partition_columns")

#' @exportS3Method
partition_count.default <- function(partition) {
  total <- 0
  each_block(partition, NULL, character(), 50000, function(block, first) {
    total <<- total + nrow(block)
  })
  total
}

#' @exportS3Method
partition_key.default <- function(partition) NULL

#' @exportS3Method
partition_columns.default <- function(partition) NULL

# f(block, first) for each block that has rows, as it was read, until f gives FALSE.
each_block <- function(partition, columns, text, rows, f) {
  reader <- safely_read(partition_open(partition, columns, text), partition$label, 1)
  on.exit(reader$close())
  first <- 1
  while (!is.null(block <- safely_read(reader$read(rows), partition$label, first))) {
    if (nrow(block) > 0L && isFALSE(f(block, first))) break
    first <- first + nrow(block)
  }
  invisible(first - 1)
}

# What goes wrong in another package while it reads, with the row that was reached.
safely_read <- function(code, label, first) {
  on_error(code, function(e) {
    if (inherits(e, "domgen_error")) stop(e)
    abort("data", "`", label, "` cannot be read from row ", in_full(first), " on: ",
          conditionMessage(e))
  })
}

# The value of code; where that fails, what was opened for it is closed.
or_close <- function(code, close) {
  on_error(code, function(e) {
    close()
    stop(e)
  })
}

# names: of all columns; columns: those that must be among them.
check_named <- function(names, columns, label) {
  check_columns(stats::setNames(as.list(names), names), columns, label)
}

# f(data, first) for each block, until it gives FALSE: data agreed with the prototype, first: number
# of its first row in the partition.
walk_blocks <- function(partition, prototype, rows, f) {
  open <- vapply(prototype, function(column) is.factor(column) || is.character(column), NA)
  text <- names(prototype)[open]
  names(text) <- ifelse(vapply(prototype[open], inherits, NA, "dg_labels"), "label", "")
  each_block(partition, names(prototype), text, rows, function(block, first) {
    f(agree_block(block, prototype, partition$label, first), first)
  })
}

in_full <- function(n) format(n, big.mark = big_mark(), scientific = FALSE, trim = TRUE)

# What two partitions of the same rows have in common, NULL where that cannot be known.
partition_identity <- function(partition) UseMethod("partition_identity")

#' @exportS3Method
partition_identity.default <- function(partition) NULL
