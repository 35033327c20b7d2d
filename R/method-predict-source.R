# predict() of rows that are read in chunks: the domains are described first, in passes over all
# rows (method-predict-domains.R), then each block is predicted (method-predict-blocks.R) and
# written (run-write.R).

# See predict_rows(); where: of read_where().
predict_source <- function(object, source, of, asked, where) {
  object <- with_intervals(object, asked)
  # workers need not have where the user is
  asked$env <- NULL
  source$names <- source_names(source)
  work <- block_work(object, source, of, asked, where)
  # what is drawn on the way must not change the user's random numbers
  value <- with_seed(1L, over_source(source, function() {
    spooled(source, work$columns, work$text)
  }, list(paste("predict()", class(object)[1L]), object[c("coefficients", "response")],
          object$blueprint$scaling, of, asked, where$keep), function(source) {
    work$prototype <- new_prototype(work, source)
    work$model <- know_domains(work, source, of)
    to <- where$writer()
    on.exit(to$stop())
    report_notes(write_pass(source, work, to), object)
    on.exit()
    to$end()
  }))
  if (work$written) invisible(value) else join_predictions(value)
}

# The further arguments of predict(), list(keep, written, writer): of a data frame there are none.
# allowed: names of the others.
read_where <- function(given, allowed, over_source) {
  given <- given_dots(given)
  of_sources <- c("to", "keep", "overwrite")
  there <- intersect(names(given), of_sources)
  if (length(there) && !over_source) {
    abort("argument", "`", there[1L], "` must be given with `newdata = row_source(...)` only.")
  }
  check_no_dots(given, c(allowed, if (over_source) of_sources), of_sources)
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
  list(keep = keep, written = !is.null(given$to), writer = as_writer(given$to, overwrite))
}

# ---- blocks -----------------------------------------------------------------------------------

# What a worker needs beside the block: list(model; asked; written: are predictions rows of a file
# or table, or what predict() gives? of: one domain for all rows, or NULL, and new_levels; keep:
# columns to copy; uses_others: do domains matter? shown: is the domain written? types: of
# predictors; named: columns of the domain; columns, text: what is read, see spooled()).
block_work <- function(object, source, of, asked, where) {
  blueprint <- object$blueprint
  domain <- of$domain
  if (!is.null(domain) && (!is.atomic(domain) || length(domain) != 1L)) {
    abort("argument", "`domain` must be one value with a source, for all of its rows, or a column ",
          "of the source named as in the formula, not ", describe(domain), ".")
  }
  uses_others <- uses_other_rows(object)
  available <- source_names(source)
  label <- source$tables[[1L]]$label
  columns <- blueprint$domain_columns
  has_domain <- is.null(domain) && length(columns) > 0L && all(columns %in% available)
  if (uses_others && is.null(domain) && !has_domain && length(blueprint$described) != 1L) {
    abort_domain(columns, label)
  }
  if (!has_domain) columns <- character()
  absent <- setdiff(where$keep, available)
  if (length(absent)) {
    abort("data", "`", label, "` has no column ", enumerate(absent), " for `keep`; it has ",
          enumerate(available), ".")
  }
  shown <- uses_others || reads_domain(object)
  taken <- intersect(where$keep, c("partition", "row", if (shown) "domain",
                                   predicted_names(object, asked)))
  if (length(taken)) {
    abort("argument", "`keep` must not have ", enumerate(taken), ", which ",
          if (length(taken) == 1L) "is a column" else "are columns", " of the predictions. Rename ",
          if (length(taken) == 1L) "it" else "them", " in the source.")
  }
  types <- trained_types(blueprint, available, columns, label)
  named <- intersect(names_of_domain(blueprint), columns)
  copied <- setdiff(where$keep, c(names(types), columns))
  texts <- list(label = setdiff(named, names(types)), names(Filter(is.character, types)),
                copy = copied)
  text <- stats::setNames(unlist(texts, use.names = FALSE), rep(names(texts), lengths(texts)))
  list(model = object, asked = asked, written = where$written, of = of[c("domain", "new_levels")],
       types = types, named = columns, columns = unique(c(names(types), columns, where$keep)),
       text = text, keep = where$keep, uses_others = uses_others,
       shown = shown)
}

# The names that prediction_columns() will give.
predicted_names <- function(object, asked) {
  type <- asked$type
  if (type == "scores") return(paste0("comp", seq_along(object$values)))
  if (type == "survival") return(paste0("survival_", horizon_names(asked$times)))
  classes <- object$response$levels
  if (type %in% c("prob", "set") || type == "decision" && length(classes) > 2L) return(classes)
  within <- asked$interval != "none"
  c(if (type %in% c("decision", "similarity") && !within) type else "prediction",
    if (within) c("lower", "upper"), if (asked$se) "se")
}

# Types as in training; levels are open, so that predict() says what a new one means.
new_prototype <- function(work, source) {
  named <- intersect(names_of_domain(work$model$blueprint), work$named)
  rest <- setdiff(work$columns, names(work$types))
  others <- source_prototype(source, rest, intersect(rest, named), rest)
  frame_of_columns(c(work$types, as.list(label_columns(others, intersect(rest, named)))), 0L)
}

trained_types <- function(blueprint, available, domain, label) {
  if (blueprint$kind == "matrix") {
    columns <- if (is.null(blueprint$coding)) design_columns(blueprint) else blueprint$coding$raw
    # by place
    if (!blueprint$named) columns <- setdiff(available, domain)
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
  check_columns(stats::setNames(as.list(available), available), names(types), label)
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
