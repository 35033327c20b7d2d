# Rows that are read in chunks. A source is
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

#' Rows out of memory: fit, score and predict in chunks
#'
#' @description
#' `row_source()` describes rows in files, a database, a data frame or a function. Given as `data`
#' to fit or score, or as `newdata` to predict, they are read in chunks and not kept, so that memory
#' does not grow with their number:
#'
#' ```r
#' source <- row_source("folder")
#' model <- dg_ridge(y ~ x1 + x2 | domain, data = source, feature_map = features_nystrom())
#' dg_cv(dg_ridge(feature_map = features_nystrom()), y ~ x1 + x2 | domain, data = source)
#' predict(model, newdata = row_source("new"), to = "predictions.csv")
#' ```
#'
#' A source holds no rows. It consists of *partitions* (files, tables, queries, parts of a data
#' frame), which workers read at the same time; each is opened where it is read.
#'
#' | `x` | partitions |
#' |---|---|
#' | data frame | one, or with `partitions = k` as many contiguous parts |
#' | paths | one per file: `.csv`, `.tsv`, `.txt` (all three also `.gz`), `.parquet`, `.rds` |
#' | folder, or pattern with `*`, `?` or `[` | its files in the order of their names |
#' | DBI connection | one per `table` or `query` |
#' | function without arguments that makes a connection | as for the connection |
#' | lazy table of dbplyr | its query |
#' | function of `reset` | one: `x(TRUE)` starts again, `x(FALSE)` gives the next rows |
#' | list | those of its elements |
#'
#' @section Reading:
#' **Columns.** Only columns in the formula are read. They are matched by name: their order may
#' differ between partitions. Integers and other numbers are one type. The first chunk that has a
#' value in a column decides whether it is numeric or text (in CSV files, what most of its values
#' there are). A value of the other type is then an error.
#'
#' **Levels.** Text and factors used as predictors have the levels of the first partition, or those
#' declared by `levels`, which also makes categories of numbers. Any other value is an error.
#'
#' **CSV.** The first line has the column names. The separator is a comma, tab or semicolon,
#' whichever is most frequent there. With semicolons, numbers may have a decimal comma. Text may be
#' quoted by `"`, doubled inside quotes; quoted text may contain separators and line ends. Empty
#' fields and `NA` are missing, also in quotes. Empty lines are skipped, except in files of one
#' column. Bytes that are not valid UTF-8 are read as Latin-1. Every row must have as many fields as
#' the first line. Files are read in pieces of 4 MB, with data.table if it is installed, which is
#' much faster. A fit or score parses them once ([dg_compare()] once for each method): their numbers
#' are kept in the temporary folder of the session until the call ends, up to about 1 GB
#' (`options(domgen.copies_limit = )`, 0 for none; long names of domains add to it). Files beyond
#' that are parsed in every pass. No file may change until the call ends.
#'
#' **Parquet** needs nanoparquet (reads whole columns of a file) or arrow (one row group at a time).
#' **RDS** files hold one data frame each and are read whole.
#'
#' **Databases.** A connection cannot be sent to other processes: for workers, give a function that
#' makes one, `function() DBI::dbConnect(RSQLite::SQLite(), "file.sqlite")`. Such connections are
#' closed after each use, yours is not. Reading never writes: PostgreSQL reads in a read-only
#' transaction (inside a transaction of yours, up to a savepoint), SQLite with `PRAGMA query_only`,
#' and both are restored. For other databases, a query with a word that writes (`DELETE`, `INTO`,
#' ...) is an error; for a procedure (`EXEC`, `CALL`), which may write, there is a warning. SQLite
#' has no logical values and no dates: both are read as numbers. `factor(y) ~ x` makes classes of a
#' response of 0 and 1.
#'
#' **Functions** of `reset` follow biglm: the value of `x(TRUE)` is not used, and `x(FALSE)` gives a
#' data frame, or `NULL` when there are no more rows.
#'
#' @section Fit:
#' `fit(spec, formula, data = source)` and every method function with `data = source` fit to a
#' source.
#'
#' | method | source |
#' |---|---|
#' | [dg_ridge()], [dg_gp()], [dg_svm()], projections, [dg_pipeline()]s of these | any size |
#' | [dg_glm()] with a `family` of base R | any size |
#' | [dg_auto()], `dg_null()` | any size |
#' | with [features_exact()], or any other method | up to 20,000 rows, read into memory |
#'
#' Any size needs a feature map: [features_nystrom()], [features_rff()], [features_product()] or
#' [features_linear()]. A fit in memory is that of a data frame.
#'
#' **Passes.** The rows are read a fixed number of times:
#' \enumerate{
#'   \item *counts* of rows per partition, without reading values where possible;
#'   \item *survey*: number of rows, weights, means and variances by domain (Chan, Golub and LeVeque
#'     1979), classes, and a random sample of 20,000 rows (or all rows, if fewer);
#'   \item *embeddings*, for domain kernels on rows ([domain_distribution()]): mean features by
#'     domain;
#'   \item *features*: the sums \eqn{\sum_i c_i z_i z_i'}{sum c z z'},
#'     \eqn{\sum_i c_i z_i y_i}{sum c z y} and \eqn{\sum_i c_i y_i^2}{sum c y^2} by domain or, above
#'     64 MB, by groups of domains (at least 10). With [features_product()], the sums of its map of
#'     x, by domain.
#' }
#' `dg_svm()` and `dg_glm()` take one pass per Newton step, `dg_glm()` one more for the deviances
#' (with an `offset()` two or three). A pipeline takes one more for its learner. If text predictors
#' have no declared levels, the first partition is read once before.
#'
#' **Exact and sampled.** Means and standard deviations for scaling, embeddings, coefficients,
#' likelihoods and held-out errors are sums over all rows. Bandwidths, landmarks and normal scores
#' (`scale = "rank"`) come from the sample. If you do not give `cost`, or the `lambda` of
#' `dg_glm()`, it is chosen on the sample. If `lambda` or `cost` is not given, the bandwidth of the
#' domain kernel is chosen on the sample too. For a source of at most 20,000 rows, the fit equals
#' the fit in memory with the same random numbers, up to rounding; where the bandwidth of the domain
#' kernel is chosen, also up to the features that describe domains, which are drawn once more.
#'
#' **lambda.** If `NULL`, [dg_ridge()] takes the value with the smallest error on held-out groups of
#' domains, whose sums are subtracted from those of all rows.
#'
#' **Random numbers.** Each call draws one seed from R's generator. After the same `set.seed()`, a
#' call gives the same result to rounding (1e-10), whatever the partitions, block size and plan. The
#' rows must have the same order, because the sample consists of row numbers. A fit to a data frame
#' draws other random numbers; a fit to `row_source()` of that data frame draws the same.
#'
#' `weights` is an expression of columns. Rows with missing values are dropped with a warning
#' (`na.omit`) or an error (`na.fail`). The model keeps no rows: `predict()` needs `newdata`.
#'
#' @section Score:
#' * [dg_cv()] gives the same result as for a data frame, but without the element `predictions`.
#'   [dg_ridge()] and [dg_gp()] need one pass: the sums of a fold are subtracted from those of all
#'   rows, which gives the fit without this fold. `lambda`, the bandwidth of the domain kernel, and
#'   the standard deviations of signal and noise are selected without the fold.
#'   Pipelines, [dg_svm()] and [dg_glm()] are refitted without each fold, in passes of their own.
#'   Scaling, bandwidth, landmarks and embeddings, which use no response, come from all rows. RMSE
#'   by domain comes from the sums if these are kept by domain (64 MB: 2,000 domains with 64
#'   features); otherwise one more pass predicts every row without its fold. Metrics must be means
#'   over rows: `"rmse"`, `"mae"`, `"accuracy"`, `"brier"`, `"log_loss"`. `folds = NULL` holds out
#'   one domain at a time up to 30 domains, beyond that 30 random folds. If one fold fails, the
#'   method fails. `refits`, `shots`, folds of rows, and [dg_tune()], [dg_auto()] or
#'   [dg_ensemble()] as `object` are errors.
#' * [dg_tune()] scores settings as [dg_cv()] does. All values of `lambda` of [dg_ridge()] share one
#'   pass; any other setting takes two or three, for a [dg_pipeline()] in each fold. If only
#'   `lambda` is open, `dg_ridge(lambda = NULL)` selects it without a grid.
#' * [dg_compare()] scores each method as [dg_cv()] does, in passes of its own on the same folds,
#'   without `refits`.
#' * [dg_lodo()] of a ridge regression uses the sums of the fit for RMSE (above 100 domains by at
#'   most 100 groups). Other metrics, groups of domains and Gaussian processes take two passes.
#' * [dg_auto()] searches on a sample of up to 200 domains with at least 50 rows each (`max_rows` in
#'   total if that is more), among ridge regressions and the null model, without
#'   [domain_multitask()], forest and support vector regression. The selected members are then
#'   fitted to all rows with `features_nystrom(400)`. This takes three passes: embeddings, sums of
#'   all members, and held-out predictions of all rows (10 groups of domains, or `folds`).
#'   `print()` gives the score of these predictions. The score is corrected for optimism, in
#'   proportion to the share of the rows that are in the sample. The null model is returned if the
#'   members are not better on all rows. `metric` must be `"rmse"`, `"mae"` or `"accuracy"`.
#'   `unit` and `calibration` are errors.
#'
#' @section Predict:
#' `predict(model, source, to = )` predicts with any fitted model, in chunks. The values are those
#' for a data frame, up to rounding. All arguments of the model's `predict()` mean the same;
#' `domain` is one value for all rows, or a column. Further arguments:
#' \describe{
#'   \item{`to`}{Destination. `NULL` (default): the predictions are returned, in the order of the
#'     source. A path that ends in `.csv`: one file. Another path: a new folder with a file
#'     `part-00001.csv`, ... per partition. `row_source(connection, table = "name")`: a new table,
#'     written in one transaction. Its connection cannot be one that is read from, nor one that is
#'     in a transaction; give a function that makes a connection. A SQLite file that is read from
#'     should have `PRAGMA journal_mode = WAL`.}
#'   \item{`keep`}{Names of columns of the source to copy. Columns of CSV files that are not
#'     predictors are copied as text.}
#'   \item{`overwrite`}{If `TRUE`, an existing file or folder `to` is replaced once the new one is
#'     complete. Only predictions written by this package, or an empty file or folder, can be
#'     replaced; rows that are read never are. A table is never replaced: drop or rename it. Default
#'     `FALSE`.}
#' }
#'
#' **Columns written**: `partition` (label), `row` (number in the partition), `domain` (if the model
#' uses it), the columns of `keep`, then `prediction`, `decision` or `similarity`, or one column per
#' class or component; `lower` and `upper` for intervals, `se` with `se.fit`. A name that occurs
#' twice gets `.1`. Rows with missing values have prediction `NA`. Numbers are written with all
#' digits.
#'
#' **Passes.** Each pass reads all rows once. The last pass predicts. Scaling by domain needs one
#' pass before it. A domain kernel on rows ([domain_distribution()]) needs one more, or two if both
#' parts of a pipeline have one. Members of an ensemble share passes. Two cases need all rows of a
#' domain together. Without a feature map, a domain kernel on rows keeps the rows of all new domains
#' in memory. [na.impute()] by domain is an error, unless `reference` has all domains.
#' `interval = "domain_mean"` is an error.
#'
#' @section Workers and interrupts:
#' **Workers.** With `future::plan(multisession, workers = 4)`, a cluster or a scheduler
#' (future.batchtools), each worker gets runs of partitions, opens them itself, and returns sums or
#' writes its own part of the predictions; those for a table it returns to the session, which writes
#' them. On several computers, a path `to` must be one that all reach. Results are the same to
#' rounding (byte by byte with one BLAS thread). A run whose worker is lost is repeated, at most
#' three times. Progress is shown if R is interactive or `options(domgen.progress = TRUE)`.
#'
#' **Resuming a fit.** After Ctrl-C, [dg_resume()] continues. To continue in a new session, give
#' `row_source()` a folder as `store`. Finished passes and rounds of partitions are kept there.
#' Make the same call in the new session: it continues with the same seed and gives the same
#' numbers. At its end it removes the files.
#'
#' **Resuming predictions.** Unfinished files are in a folder `<to>.part`. The same call (model,
#' rows, arguments) continues after the last chunk written, whether it ended in an error, an
#' interrupt, a crash or a full disk. Any other call with the same `to` is an error, or begins anew
#' with `overwrite = TRUE`. A table is there as a whole or not at all: the same call begins anew.
#'
#' **When a call can resume.** The rows must be the same. Data frames are compared by values; files
#' by path, size and times; tables and queries by database, number of rows and the values of about
#' 1,000 rows; functions by their code, the variables that they use, and their rows. Rows that
#' cannot be recognised (databases in memory, temporary tables, drivers other than SQLite and
#' PostgreSQL, functions that hold a connection) never resume: `store` is not used, with a warning.
#'
#' **Locks.** One process at a time writes to a file or folder; a second one is an error of class
#' `domgen_error_write` that names the first. After a crash, its lock in `<to>.part` is taken over
#' on the same computer; on another one, the message says what to remove. A foreign file in
#' `<to>.part` is an error. A table is locked by the database.
#'
#' @param x Data frame, paths, DBI connection, function, lazy table, or list of these.
#' @param table Names of database tables, a partition each.
#' @param query SQL queries, a partition each.
#' @param levels Named list of the levels of categorical columns, such as
#'   `list(x = c("low", "high"))`.
#' @param block_size Maximum number of rows of a chunk. Default 50,000.
#' @param store Folder in which sums of finished partitions are kept, so that the same call can
#'   resume after a crash. `NULL` (default): none.
#' @param partitions Number of parts into which a data frame is cut. Default 1.
#' @param ... For data frames `partitions`; otherwise empty.
#' @return An object of class `dg_source`: a list of `partitions` (what a worker needs to open
#'   each), `levels`, `block_size` and `store`. `predict()` gives its usual value with `to = NULL`,
#'   otherwise, invisibly, a `row_source()` of what was written.
#' @section Errors:
#' All have class `domgen_error`. Warnings are given once, with the chunk that they came from first.
#'
#' * `row_source()`: a path that does not exist, a folder without files, a file or table given
#'   twice.
#' * Reading (`domgen_error_data`, with partition, row and column; rows count from 1): a value that
#'   is not numeric, a row with too few fields, an unclosed quote, a truncated gzip file, UTF-16, a
#'   column that is missing or occurs twice, an undeclared level, 64-bit integers beyond 2^53, a
#'   broken connection.
#' * Fit: terms that learn from rows (`poly(x, 2)`, `scale(x)`), a response or weight that is not
#'   finite, a file that changes during the call, rows that differ between passes, a store that
#'   cannot be written or is damaged, a worker lost four times.
#' * Predict: a missing column or one of another type, a new level with `new_levels = "error"`, a
#'   `to` that exists (`domgen_error_argument`) or cannot be written (`domgen_error_write`).
#' @references
#' Chan, T. F., Golub, G. H. and LeVeque, R. J. (1979). Updating formulae and a pairwise algorithm
#' for computing sample variances. Technical report STAN-CS-79-773, Stanford University.
#' @seealso [feature_sums()] for sums of pieces by hand; `vignette("large-data")`
#' @examples
#' toy <- simulate_dica(domains = 6, n = 60, p = 3, seed = 1)
#' toy$id <- seq_len(nrow(toy))
#' folder <- tempfile("rows")
#' dir.create(folder)
#' for (part in 1:3) {
#'   rows <- toy$domain %in% levels(toy$domain)[2 * part - 1:0]
#'   write.csv(toy[rows, ], file.path(folder, paste0("part-", part, ".csv")), row.names = FALSE)
#' }
#' source <- row_source(folder)
#' source
#' row_source(file.path(folder, "part-[12].csv"), block_size = 10)
#'
#' model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = source, feature_map = features_product())
#' model
#' dg_cv(dg_ridge(feature_map = features_nystrom(20)), y ~ x1 + x2 + x3 | domain, data = source)
#'
#' to <- tempfile(fileext = ".csv")
#' predict(model, source, to = to, keep = "id")
#' head(read.csv(to))
#' @aliases fit_source predict_source
#' @export
row_source <- function(x, ..., table = NULL, query = NULL, levels = NULL, block_size = 50000,
                       store = NULL) {
  fixed_session()
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
  cat_line("  chunks   of ", plural(x$block_size, "row"))
  if (!is.null(x$store)) cat_line("  store    ", x$store)
  invisible(x)
}

# ---- partitions -------------------------------------------------------------------------------
#
# A partition of a source is
#   list(label = what messages call it, ... what a worker needs to open it itself),
#   class c("partition_<kind>", "dg_partition"), with a name in partition_kinds and methods of the
#   generics below: partition_open(), and of the others those whose default says too little.

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

# A value that shows whether it is the same data as before, in another session too; NULL where that
# cannot be known.
partition_key <- function(partition) UseMethod("partition_key")

# The names of all columns where they cost no pass, else NULL.
partition_columns <- function(partition) UseMethod("partition_columns")

# Is it text, so that its numbers are worth keeping for the next pass?
partition_parses <- function(partition) UseMethod("partition_parses")

#' @exportS3Method
partition_parses.default <- function(partition) FALSE

# What two partitions of the same rows have in common, NULL where that cannot be known.
partition_identity <- function(partition) UseMethod("partition_identity")

#' @exportS3Method
partition_identity.default <- function(partition) NULL

# What is to be said of the first partition of a source beside its kind.
describe_partition <- function(partition) UseMethod("describe_partition")

#' @exportS3Method
describe_partition.default <- function(partition) ""

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

# A text that shows in the midst of a call whether it has changed, where that costs nothing.
partition_state <- function(partition) UseMethod("partition_state")

#' @exportS3Method
partition_state.default <- function(partition) ""

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
