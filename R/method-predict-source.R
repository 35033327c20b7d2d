# predict() of rows that come in blocks: the domains are described first, in passes over all rows
# (method-predict-domains.R), then each block is predicted by itself (method-predict-blocks.R) and
# written (run-sink.R).

#' Predict rows that come in blocks
#'
#' @description
#' `predict(model, source, to = )` predicts the rows of a [row_source()], block by block, with any
#' fitted model: learners, projections, [dg_pipeline()]s, ensembles, fitted in memory or to a
#' source. The numbers are those of `predict()` for all rows at once, up to rounding. The memory
#' does not grow with the rows, with the exceptions that stand below.
#'
#' @details
#' All arguments of the model's `predict()` mean the same (`type`, `reference`, `new_levels`,
#' `se.fit`, ...); `domain` is one value for all rows, or left out. Further ones are:
#' \describe{
#'   \item{`to`}{Where the predictions go. `NULL`: they are returned, in the order of the rows of
#'     the source. A path that ends in `.csv`: one file. Another path: a folder that is made, with
#'     a file `part-00001.csv`, ... for each partition. `row_source(connection, table = "name")`: a
#'     database table that is made. Its connection is not one that the rows are read from, and a
#'     function that makes one lets workers write too. A SQLite file that is read from can be
#'     written to only after `PRAGMA journal_mode = WAL`.}
#'   \item{`keep`}{Names of columns of the source that are copied. Of CSV files columns that are no
#'     predictors are copied as the text that they are.}
#'   \item{`overwrite`}{`TRUE`: a `to` that is there is replaced, once the new one is whole. Only
#'     predictions that were written by this package are (or an empty file or folder): another
#'     file, also one in a folder of predictions, is an error that names it, and rows that are read
#'     are never replaced.}
#' }
#'
#' **What is written.** A row for each row of the source: `partition`, its label; `row`, its number
#' in it; `domain`, where the model uses it; the columns of `keep`; and `prediction` (a number or
#' class), `decision` or `support`, or a column for each class or component; `lower` and `upper`
#' with an interval, and `se` with `se.fit`. A name that is there already has `.1` behind it. Rows
#' with missing values have the prediction `NA`. Numbers have as many digits as it takes to read the
#' same number again.
#'
#' **Passes.** One predicts. Before it, scaling by domain takes one (means and standard deviations
#' of each domain), and a kernel that judges a domain by its rows takes one (mean embeddings; two
#' where both projection and learner of a pipeline have one). Members of an ensemble share passes.
#' Without a feature map such a kernel needs the rows themselves: those of all new domains are then
#' kept in memory. [na.impute()] by domain needs the rows of a domain together, and is an error
#' unless all domains are in `reference`.
#'
#' **Workers.** Partitions are predicted by the workers of the user's [future::plan()], each of
#' which writes its own part; on several machines `to` is a folder or database that all of them
#' reach. The result is the same, byte by byte where the BLAS has one thread, else to rounding.
#'
#' **Continuing.** Until all is there, files grow in a folder `<to>.part`, and tables under a name
#' that begins with `domgen_`, beside a table `domgen_<number>_state`. The same call (model, rows,
#' arguments) goes on from the last block that is there, after an error, an interrupt, a crash or a
#' full disk, and makes the same file as one that was not interrupted. Each block is one
#' transaction of a database. Another call with the same `to`, or one whose rows cannot be
#' recognised (see [row_source()]), is an error, or with `overwrite = TRUE` begins anew. Only
#' tables that domgen made for this `to` are removed, and with `overwrite = TRUE` the table `to`
#' itself, but never one that is read. The rows of a table are in the order of `partition` and
#' `row` only if no workers wrote it.
#'
#' **One process at a time** writes to a file, folder or table; a second one is an error of class
#' `domgen_error_write` that names the first. After a crash its lock, in `<to>.part` or a table
#' `domgen_<number>_lock`, is taken over on the same computer; on another one the message says what
#' to remove. A file in `<to>.part` that is not of this package is an error. So is, in PostgreSQL, a
#' table that is to be replaced while a view rests on it.
#' @return With `to = NULL` what `predict()` gives for a data frame. Else, invisibly, a
#'   [row_source()] of what was written.
#' @section Warnings and errors:
#' A warning is given once, with the first block that it came from. Errors name partition and row: a
#' column that is not there or of another type than in training (`domgen_error_data`), levels that
#' are new under `new_levels = "error"`. A `to` that is there is an error of class
#' `domgen_error_argument`, one that cannot be written, as on a full disk, of class
#' `domgen_error_write`.
#' @seealso [row_source()], [predict.dg_learner()], [predict.dg_projection()], [predict.dg_gp()]
#' @examples
#' toy <- simulate_dica(domains = 8, n = 40, p = 3, seed = 1)
#' model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy, lambda = 1,
#'                   domain_kernel = domain_distribution(), feature_map = features_product())
#' folder <- tempfile("rows")
#' dir.create(folder)
#' toy$id <- seq_len(nrow(toy))
#' write.csv(toy[1:150, ], file.path(folder, "a.csv"), row.names = FALSE)
#' write.csv(toy[151:320, ], file.path(folder, "b.csv"), row.names = FALSE)
#'
#' source <- row_source(folder)
#' head(predict(model, source))
#' to <- tempfile(fileext = ".csv")
#' predict(model, source, to = to, keep = "id")
#' head(read.csv(to))
#' @name predict_source
NULL

# See predict_rows(); where: of read_where().
predict_source <- function(object, source, of, asked, where) {
  object <- with_intervals(object, asked)
  # workers need not have where the user is
  asked$env <- NULL
  of$new_levels <- check_choice(of$new_levels, "new_levels", new_level_choices)
  check_not_read(where$sink, source)
  work <- block_work(object, source, of, asked, where)
  folder <- if (is.null(source$store)) where$sink$store else source$store
  written <- !inherits(where$sink, "sink_memory")
  kept <- written || !is.null(folder)
  # what decides about the predictions
  what <- function() {
    model <- on_error(fingerprint(object), function(e) fingerprint(object[c("seal", "decision")]))
    list(model, source$block_size, of, asked, where$keep)
  }
  # what is drawn on the way must not change the user's random numbers
  value <- with_seed(1L, over_source(source, what(), function(source) {
    check_same_connection(where$sink, source)
    none <- quietly(predict_block(object, work$prototype, work$of, asked))
    like <- written_columns(work, work$prototype, list(label = "", first = 1), none)
    key <- if (kept) fingerprint(list(source$ctx$key, source$ctx$counts))
    sink_begin(where$sink, key, like, length(source$partitions))
    work$model <- know_domains(work, source, of)
    finished <- write_pass(source, work)
    report_notes(finished, object)
    sink_end(where$sink, finished)
  }, folder = folder, asked = kept, hold = function() sink_hold(where$sink)))
  if (!written) join_predictions(value) else invisible(value)
}

# The further arguments of predict(), list(keep, sink): of a data frame there are none. known: names
# of the others.
read_where <- function(given, known, over_source) {
  given <- given_dots(given)
  own <- c("to", "keep", "overwrite")
  there <- intersect(names(given), own)
  if (length(there) && !over_source) {
    abort("argument", "`", there[1L], "` must be given with `newdata = row_source(...)` only.")
  }
  check_no_dots(given, c(known, if (over_source) own), own)
  overwrite <- if (!is.null(given$overwrite)) check_flag(given$overwrite, "overwrite") else FALSE
  keep <- given$keep
  if (!is.null(keep)) {
    if (!is.character(keep) || anyNA(keep) || anyDuplicated(keep)) {
      abort("argument", "`keep` must be names of columns, each once, not ", describe(keep), ".")
    }
    if (is.null(given$to)) {
      abort("argument", "`keep` must not be given without `to`: its columns are written beside ",
            "the predictions.")
    }
  }
  list(keep = keep, sink = if (is.null(given$to)) memory_sink() else as_sink(given$to, overwrite))
}

# ---- blocks -----------------------------------------------------------------------------------

# What a worker needs beside the partition: list(model; asked; sink; of: one domain for all rows, or
# NULL, and new_levels; prototype; keep: columns to copy; judges: do domains matter? shown: is the
# domain written?).
block_work <- function(object, source, of, asked, where) {
  blueprint <- object$blueprint
  domain <- of$domain
  if (!is.null(domain) && (!is.atomic(domain) || length(domain) != 1L)) {
    abort("argument", "`domain` must be one value with a source, for all of its rows, or a column ",
          "of the source named as in the formula, not ", describe(domain), ".")
  }
  uses_others <- uses_other_rows(object)
  known <- source_names(source)
  label <- source$partitions[[1L]]$label
  columns <- blueprint$domain_columns
  has_domain <- is.null(domain) && length(columns) > 0L && all(columns %in% known)
  if (uses_others && is.null(domain) && !has_domain && length(blueprint$described) != 1L) {
    abort_domain(columns, label)
  }
  if (!has_domain) columns <- character()
  absent <- setdiff(where$keep, known)
  if (length(absent)) {
    abort("data", "`", label, "` has no column ", enumerate(absent), " for `keep`; it has ",
          enumerate(known), ".")
  }
  list(model = object, asked = asked, sink = where$sink, of = of[c("domain", "new_levels")],
       prototype = new_prototype(blueprint, source, columns, known, where$keep),
       keep = where$keep, uses_others = uses_others, shown = uses_others || reads_domain(object))
}

# Types as in training; levels are open, so that predict() says what a new one means.
new_prototype <- function(blueprint, source, domain, known, keep) {
  own <- trained_types(blueprint, known, domain, source$partitions[[1L]]$label)
  named <- intersect(names_of_domain(blueprint), domain)
  rest <- setdiff(c(domain, keep), names(own))
  # text is copied as it stands
  free <- c(named, if (inherits(source$partitions[[1L]], "partition_csv")) setdiff(keep, domain))
  others <- if (length(rest)) {
    label_columns(source_prototype(source, rest, intersect(rest, free), rest),
                  intersect(rest, named))
  }
  types <- c(own, as.list(others)[setdiff(rest, names(own))])
  plain_frame(types, 0L)
}

trained_types <- function(blueprint, known, domain, label) {
  if (blueprint$kind == "matrix") {
    columns <- if (is.null(blueprint$coding)) design_columns(blueprint) else blueprint$coding$raw
    # by place
    if (!blueprint$named) columns <- setdiff(known, domain)
    return(stats::setNames(rep(list(numeric()), length(columns)), columns))
  }
  wide <- names(Filter(function(column) !is.null(dim(column)), blueprint$prototype))
  if (length(wide)) {
    abort("argument", "`newdata` must be a data frame: the predictor ", enumerate(wide, 1L),
          " is a matrix, which rows in blocks cannot have.")
  }
  types <- lapply(blueprint$prototype, function(column) {
    if (is.factor(column) || is.character(column)) character()
    else if (is.numeric(column) && !is.object(column)) numeric()
    else column[0L]
  })
  check_columns(stats::setNames(as.list(known), known), names(types), label)
  types
}

# The value of code(rows), or its error with the first row that has it.
at_rows <- function(at, n, code) {
  on_error(code(seq_len(n)), function(e) {
    said <- function(i) on_error({
      quietly(code(i))
      NULL
    }, identity)
    low <- 1
    high <- n
    while (low < high) {
      middle <- (low + high) %/% 2
      if (is.null(said(seq_len(middle)))) low <- middle + 1 else high <- middle
    }
    alone <- if (n > 0) said(low)
    kind <- if (inherits(e, "domgen_error")) sub("^domgen_error_", "", class(e)[1L]) else "data"
    abort(kind, row_label(at$label, at$first + max(low, 1) - 1), ": ",
          conditionMessage(if (is.null(alone)) e else alone))
  })
}
