# Rows that are read in chunks. A source is
#   list(tables, levels, block_size, store), class dg_source
# and a table what can be read from its beginning to its end, as often as one likes. A call reads
# each once, data-spool.R: blocks that workers can take, an order that does not change, types and
# levels of all rows are said by the spool, not by the table.

# label     what messages call it
# columns   function(): the names of its columns
# blocks    function(columns, text, n, f): f(block) for its rows in order, data frames of at most n
#           rows that have at least these columns; text: those that are read as text, see spooled().
#           What it opens it closes. Plain errors are told with label and row.
# identity  function(): what it is for a `store`, values that any session gives: the path of a file,
#           not what is in it
# place     list(connection, name): where predictions can be written, else NULL
row_table <- function(label, columns, blocks, identity, place = NULL) {
  structure(class = "dg_table", list(label = label, columns = columns, blocks = blocks,
                                     identity = identity, place = place))
}

source_identity <- function(source) {
  list(levels = source$levels,
       tables = lapply(source$tables, function(table) list(table$label, table$identity())))
}

new_source <- function(tables, levels, block_size, store) {
  if (!is.null(store) &&
      (!is.character(store) || length(store) != 1L || is.na(store) || !nzchar(store))) {
    abort("argument", "`store` must be the path of a folder, not ", describe(store), ".")
  }
  structure(class = "dg_source", list(
    tables = unname(tables), levels = check_levels(levels),
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

#' Rows out of memory: fit, score and predict in chunks
#'
#' @description
#' `row_source()` describes rows in files, a database, a data frame or a function. Given as `data`
#' to fit or score, or as `newdata` to predict, they are read in chunks, so that memory does not
#' grow with their number:
#'
#' ```r
#' source <- row_source("folder")
#' model <- dg_ridge(y ~ x1 + x2 | domain, data = source, feature_map = features_nystrom())
#' dg_cv(dg_ridge(feature_map = features_nystrom()), y ~ x1 + x2 | domain, data = source)
#' predict(model, newdata = row_source("new"), to = "predictions.csv")
#' ```
#'
#' | `x` | rows |
#' |---|---|
#' | data frame | its own |
#' | paths | of `.csv`, `.tsv`, `.txt` (all three also `.gz`), `.parquet` and `.rds` files, |
#' | | of Excel (`.xlsx`, `.xls`), SPSS (`.sav`, `.zsav`) and Stata (`.dta`) |
#' | folder, or pattern with `*`, `?` or `[` | of its files in the order of their names |
#' | DBI connection | of a `table` or `query`, or of several |
#' | function without arguments that makes a connection | the same |
#' | lazy table of dbplyr | of its query |
#' | function of `reset` | `x(TRUE)` starts again, `x(FALSE)` gives the next, `NULL` at the end |
#' | list | of its elements, one after the other |
#'
#' @section Fit and score:
#' These take sources of any size: [dg_ridge()], [dg_gp()], [dg_svm()], projections, and pipelines
#' of them, with a feature map such as [features_nystrom()]; [dg_glm()] with a `family` of base R;
#' [dg_auto()] and [dg_null()]. All else takes up to 20,000 rows, which are read into memory.
#'
#' Scaling, embeddings, coefficients and held-out errors are sums over all rows. Bandwidths,
#' landmarks, ranks, and penalties other than the `lambda` of [dg_ridge()], come from a random
#' sample of 20,000 rows. The fit to fewer rows equals that in memory with the same random numbers,
#' up to rounding. Rows with missing values are dropped with a warning. `weights` is an expression
#' of columns. A model keeps no rows.
#'
#' [dg_cv()], [dg_tune()] and [dg_compare()] hold out whole domains: `folds = NULL` one
#' at a time up to 30 domains, beyond that 30 random folds. Sums of a fold are subtracted from those
#' of all rows where that gives the fit without it; scaling, landmarks and embeddings, which use no
#' response, come from all rows. Metrics must be means over rows. [dg_auto()] searches on a sample
#' of up to 200 domains, and scores its members on all rows.
#'
#' @section Predict:
#' Any model predicts a source; the values are those for a data frame. Further arguments:
#' \describe{
#'   \item{`to`}{`NULL` (default): predictions are returned. A path that ends in `.csv` or
#'     `.parquet`: a file, which is there when all of it is. `row_source(connection, table =
#'     "name")`: a new table, in one transaction. `function(block, k)`: is called with the data
#'     frame of each chunk in turn, and its number.}
#'   \item{`keep`}{Names of columns to copy, none of which is that of a column written.}
#'   \item{`overwrite`}{If `TRUE`, a file of predictions is replaced. Default `FALSE`.}
#' }
#' Columns written: `partition` (label of the file or table), `row` (its number there), `domain` (if
#' the model uses it), those of `keep`, then `prediction`, `decision` or `similarity`, or one for
#' each class or component; `lower`, `upper` and `se` where asked for. Without a feature map, a
#' domain kernel on rows keeps the rows of all new domains in memory.
#'
#' @param x Data frame, paths, DBI connection, function, lazy table, or list of these.
#' @param table,query Names of database tables, or SQL queries.
#' @param levels Named list of the levels of categorical columns, such as
#'   `list(x = c("low", "high"))`.
#' @param block_size Maximum number of rows of a chunk. Default 50,000.
#' @param store Folder for an unfinished call, see [reading_rows]. `NULL` (default): it cannot
#'   continue in another session.
#' @param ... Empty.
#' @return An object of class `dg_source`. `predict()` gives its usual value with `to = NULL`,
#'   otherwise, invisibly, a `row_source()` of what was written.
#' @references
#' Chan, T. F., Golub, G. H. and LeVeque, R. J. (1979). Updating formulae and a pairwise algorithm
#' for computing sample variances. Technical report STAN-CS-79-773, Stanford University.
#' @seealso [reading_rows], [feature_sums()] for sums of pieces by hand; `vignette("large-data")`
#' @examples
#' # chicks in four files
#' folder <- tempfile("rows")
#' dir.create(folder)
#' for (diet in 1:4) {
#'   rows <- subset(ChickWeight, Diet == diet & Chick != "18")
#'   saveRDS(rows, file.path(folder, paste0("diet-", diet, ".rds")))
#' }
#' source <- row_source(folder)
#' source
#'
#' model <- dg_ridge(weight ~ Time + Diet | Chick, data = source, feature_map = features_product())
#' model
#' dg_cv(dg_ridge(feature_map = features_nystrom(20)), weight ~ Time + Diet | Chick, data = source,
#'       folds = 4)
#'
#' predict(model, source, keep = "Time", to = function(block, k) print(head(block, 3)))
#' @aliases fit_source predict_source
#' @export
row_source <- function(x, ..., table = NULL, query = NULL, levels = NULL, block_size = 50000,
                       store = NULL) {
  enter_session()
  check_given(x, "x")
  check_no_dots(list(...), setdiff(names(formals(row_source)), c("x", "...")))
  if ((!is.null(table) || !is.null(query)) && !makes_connection(x)) {
    abort("argument", "`", if (is.null(table)) "query" else "table", "` must be given with a ",
          "database connection, or a function that makes one, only.")
  }
  # of a source those that are not given are its own
  if (inherits(x, "dg_source")) {
    if (missing(block_size)) block_size <- x$block_size
    if (missing(store)) store <- x$store
  }
  new_source(tables_of(x, table, query), joined_levels(x, check_levels(levels)), block_size, store)
}

makes_connection <- function(x) {
  inherits(x, "DBIConnection") || is.function(x) && length(formals(args(x))) == 0L
}

# The levels that are given, and those that sources in x declare.
joined_levels <- function(x, given) {
  sources <- Filter(function(part) inherits(part, "dg_source"),
                    if (inherits(x, "dg_source")) list(x) else if (is.list(x)) x)
  declared <- unlist(lapply(unname(sources), `[[`, "levels"), recursive = FALSE)
  if (length(declared) == 0L) return(given)
  declared <- lapply(split(declared, names(declared)), unique)
  declared <- declared[setdiff(names(declared), names(given))]
  if (any(lengths(declared) > 1L)) {
    abort("argument", "The sources declare other levels of ",
          enumerate(names(declared)[lengths(declared) > 1L]), "; declare them once, by `levels` ",
          "of the whole.")
  }
  c(given, lapply(declared, `[[`, 1L))
}

# The tables of what a user gives.
tables_of <- function(x, table = NULL, query = NULL) UseMethod("tables_of")

#' @exportS3Method
tables_of.default <- function(x, table = NULL, query = NULL) {
  abort("argument", "`x` must be a data frame, paths of files, a database connection, a function, ",
        "a lazy table or a list of these, not ", describe(x), ".")
}

#' @exportS3Method
tables_of.dg_source <- function(x, table = NULL, query = NULL) x$tables

# Labels are the names of the list; those that are there twice are numbered.
#' @exportS3Method
tables_of.list <- function(x, table = NULL, query = NULL) {
  if (length(x) == 0L) abort("argument", "`x` must have at least one element.")
  tables <- lapply(x, tables_of)
  if (!is.null(names(x))) {
    tables <- Map(function(tables, name) lapply(tables, function(table) {
      label <- if (length(tables) > 1L) paste0(name, ", ", table$label) else name
      if (nzchar(name)) table$label <- label
      table
    }), tables, names(x))
  }
  tables <- unlist(unname(tables), recursive = FALSE)
  labels <- vapply(tables, `[[`, "", "label")
  for (k in which(labels %in% labels[duplicated(labels)])) {
    tables[[k]]$label <- paste0(labels[k], ", number ", sum(labels[seq_len(k)] == labels[k]))
  }
  tables
}

#' @exportS3Method
tables_of.data.frame <- function(x, table = NULL, query = NULL) {
  x <- check_data(x, "x")
  list(row_table("data", function() names(x), function(columns, text, n, f) {
    in_blocks(frame_of_columns(unclass(x)[names(x) %in% columns], nrow(x)), n, f)
  }, function() list(names(x), lapply(x, attributes), digest_of(as.list(x)))))
}

# biglm's convention; without arguments it makes a database connection.
#' @rawNamespace S3method(tables_of,"function")
tables_of.function <- function(x, table = NULL, query = NULL) {
  if (makes_connection(x)) return(database_tables(x, table, query))
  give <- function() {
    given <- x(FALSE)
    if (is.null(given)) return(NULL)
    if (!is.data.frame(given)) {
      stop("it must give data frames, and NULL at the end, not ", describe(given), call. = FALSE)
    }
    check_data(given, "function")
  }
  list(row_table("function", function() {
    x(TRUE)
    names(give())
  }, function(columns, text, n, f) {
    x(TRUE)
    while (!is.null(given <- give())) in_blocks(given, n, f)
  }, function() deparse(function_code(x))))
}

# f(block) for rows in memory.
in_blocks <- function(data, n, f) {
  for (first in seq(1, by = n, length.out = ceiling(nrow(data) / n))) {
    at <- seq(first, min(first + n - 1, nrow(data)))
    f(if (length(at) == nrow(data)) data else frame_rows(data, at))
  }
}

frame_rows <- function(data, at) {
  frame_of_columns(lapply(data, function(column) {
    if (is.object(column)) class_rows(column, at)
    else if (is.null(dim(column))) column[at] else column[at, , drop = FALSE]
  }), length(at))
}

# The rows of a source under way, in memory.
collect_rows <- function(source, prototype) {
  blocks <- lapply(source$blocks, walk_block, prototype, function(data, first) data)
  do.call(rbind, c(list(prototype), blocks))
}

#' @exportS3Method
as.data.frame.dg_source <- function(x, row.names = NULL, optional = FALSE, ...) {
  enter_session()
  declared <- structure(as.character(names(x$levels)), names = rep("", length(x$levels)))
  source <- spooled(x, text = declared)
  on.exit(end_rows(source), add = TRUE)
  # text stays text
  collect_rows(source, source_prototype(source, open = names(source$contents$types)))
}

# ---- what is printed --------------------------------------------------------------------------

#' @exportS3Method
print.dg_source <- function(x, ...) {
  labels <- vapply(x$tables, `[[`, "", "label")
  cat_line("A source of rows: ", enumerate(labels, 3L, ""))
  columns <- on_error(source_names(x), function(e) NULL)
  if (length(columns)) cat_line("  columns  ", enumerate(columns, 8L, ""))
  for (name in names(x$levels)) {
    cat_line("  levels   ", name, ": ", enumerate(x$levels[[name]], 8L, ""))
  }
  cat_line("  chunks   of ", plural(x$block_size, "row"))
  if (!is.null(x$store)) cat_line("  store    ", x$store)
  invisible(x)
}

in_full <- function(n) format(n, big.mark = big_mark(), scientific = FALSE, trim = TRUE)

#' How rows out of memory are read
#'
#' What do files and databases of a [row_source()] have to look like, what does reading keep on
#' disk, and how does an interrupted call continue?
#'
#' @section Reading:
#' A call reads each table, file or query once. The columns that it uses are kept in the temporary
#' folder until it ends, up to 16 bytes for each number. `options(domgen.spool = )` names another
#' folder: on a larger disk, or one that all computers reach, if workers of the future package are
#' on several.
#'
#' **Columns** are matched by name. The first chunk that has a value in a column decides whether it
#' is numeric or text; a value of the other type is an error. Text used as a predictor has the
#' levels of all rows, or those of `levels`, which also makes categories of numbers.
#'
#' `summary(source)` reads all rows and says what each column is taken for, and what looks as if it
#' were meant otherwise (see Columns of [diagnosis]); `as.data.frame(source)` has them in memory.
#'
#' **CSV.** The first line has the names. The separator is a comma, tab or semicolon, whichever is
#' most frequent there; with semicolons or tabs, numbers have a decimal comma if more of the first
#' 64 kB have one than a point. Text between quotes (`"`, doubled inside) may contain separators and
#' line ends. Empty fields and `NA` are missing, empty lines skipped. Bytes that are not valid UTF-8
#' are Latin-1 (Windows-1252). A row of another number of fields is an error. Needs data.table.
#'
#' **Excel** needs readxl. The first sheet is read; its first row has the names. Times that are all
#' at midnight are dates. Text is read as in CSV files: where most are numbers or dates, all must
#' be.
#'
#' **SPSS and Stata** need haven. A column with value labels is a factor if each value that occurs
#' has a label, with levels in the order of the values, else the numbers or text that it stores.
#' Values declared as missing are missing, and so is empty text. (In a data frame in memory, as
#' `haven::read_sav()` gives it, a labelled column is its numbers, which `haven::as_factor()`
#' changes.)
#'
#' **Parquet** needs nanoparquet. It, RDS, Excel, SPSS and Stata read whole files; larger ones can
#' be read as tables, by DuckDB.
#'
#' **Dates.** Text that is a date in every row, such as 2024-05-31, is a date in files of all kinds.
#' As a predictor a date is its number of days since 1970-01-01, a time its number of seconds.
#'
#' **Databases.** One `SELECT` is made around a `query`, in which nothing that writes can stand.
#' PostgreSQL (RPostgres) reads in a read-only transaction. SQLite has no logical values: `factor(y)
#' ~ x` makes classes of 0 and 1.
#' @section Workers and interrupts:
#' Workers of the future package take chunks; results are the same to rounding. Each call draws one
#' seed from R's generator. After Ctrl-C, [dg_resume()] continues. After a crash, the same call
#' continues where it was if its source has a `store`, which keeps its rows, as they were read, its
#' seed and its sums until it ends. Another call with that `store` is an error, and so is the same
#' call of another source: files are known by their paths, tables by their names, data frames by
#' their values. Who can write there can change results.
#' @name reading_rows
#' @seealso [row_source()], [dg_resume()]; `vignette("large-data")`
NULL
