# predict() of rows that are read in chunks: the domains are described first, in passes over all
# rows (method-predict-domains.R), then each block is predicted (method-predict-blocks.R) and
# written (run-sink.R).

# See predict_rows(); where: of read_where().
predict_source <- function(object, source, of, asked, where) {
  object <- with_intervals(object, asked)
  # workers need not have where the user is
  asked$env <- NULL
  of$new_levels <- check_choice(of$new_levels, "new_levels", new_level_choices)
  check_not_read(where$sink, source)
  work <- block_work(object, source, of, asked, where)
  folder <- if (is.null(source$store)) where$sink$store else source$store
  kept <- !is.null(folder)
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
  if (work$written) invisible(value) else join_predictions(value)
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
      abort("argument", "`keep` must not be given without `to`: its columns are written ",
            "alongside the predictions.")
    }
  }
  list(keep = keep, sink = if (is.null(given$to)) memory_sink() else as_sink(given$to, overwrite))
}

# ---- blocks -----------------------------------------------------------------------------------

# What a worker needs beside the partition: list(model; asked; sink; written: are predictions rows
# of a file or table, or what predict() gives? of: one domain for all rows, or NULL, and new_levels;
# prototype; keep: columns to copy; uses_others: do domains matter? shown: is the domain written?).
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
  list(model = object, asked = asked, sink = where$sink,
       written = !inherits(where$sink, "sink_memory"), of = of[c("domain", "new_levels")],
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
          " is a matrix, which a source cannot have.")
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
