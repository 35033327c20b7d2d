# predict() of rows that come in blocks: the domains are described first, in passes over all rows
# (method-known-domains.R), then each block is predicted by itself and written (run-sink.R).

is_source <- function(x) inherits(x, "dg_source")

# of: list(domain, reference, reference_domain, new_levels) of the user's call; arguments: further
# ones of the model's predict(); ...: to, keep, overwrite.
predict_source <- function(object, source, of, arguments, ...) {
  where <- read_where(...)
  new_levels <- check_choice(of$new_levels, "new_levels", new_level_choices)
  reader <- new_block_reader(object, source, of$domain, where)
  reader$arguments <- c(arguments, list(new_levels = new_levels))
  what <- list(prediction_key(object, source), of, arguments, where$keep)
  if (!is.null(sink_folder(where$sink)) && is.null(source$store)) {
    source$store <- sink_folder(where$sink)
  }
  # what is drawn on the way must not change the user's random numbers
  with_seed(1L, over_source(source, what, function() {
    check_same_connection(where$sink, source)
    like <- empty_columns(object, reader)
    sink_begin(where$sink, fingerprint(list(what, session$trip$counts)), like,
               length(source$partitions))
    known <- know_domains(object, source, reader, of)
    finished <- write_pass(source, predicting(known, reader, where$sink))
    tell_notes(finished, object)
    made <- sink_end(where$sink, finished)
    if (is.null(where$to)) join_predictions(made) else invisible(made)
  }))
}

# Of data frames, which give their predictions in memory.
check_predict_dots <- function(dots, method) {
  only <- intersect(names(dots), c("to", "keep", "overwrite"))
  if (length(only)) {
    abort("argument", "`", only[1L], "` must be given with `newdata = row_source(...)` only.")
  }
  check_no_dots(dots, setdiff(names(formals(method)), "object"))
}

read_where <- function(to = NULL, keep = NULL, overwrite = FALSE, ...) {
  check_no_dots(list(...), c("to", "keep", "overwrite"))
  overwrite <- check_flag(overwrite, "overwrite")
  if (!is.null(keep)) {
    if (!is.character(keep) || anyNA(keep) || anyDuplicated(keep)) {
      abort("argument", "`keep` must be names of columns, each once, not ", describe(keep), ".")
    }
    if (is.null(to)) abort("argument", "`keep` must not be given without `to`: its columns are ",
                           "written beside the predictions.")
  }
  list(to = to, keep = keep,
       sink = if (is.null(to)) memory_sink() else as_sink(to, overwrite))
}

# What decides about the predictions.
prediction_key <- function(object, source) {
  model <- on_error(fingerprint(object), function(e) fingerprint(object[c("seal", "decision")]))
  # rows in memory have no name that tells of a change
  data <- lapply(source$partitions, function(p) if (!is.null(p$data)) fingerprint(p$data))
  list(model, source_key(source), data, source$rows)
}

# ---- blocks -----------------------------------------------------------------------------------

# What a worker needs to read a block: list(prototype; blueprint; domain: one for all rows, or NULL;
# keep: columns to copy; shown: is the domain written?).
new_block_reader <- function(object, source, domain, where) {
  blueprint <- object$blueprint
  if (!is.null(domain) && (!is.atomic(domain) || length(domain) != 1L)) {
    abort("argument", "`domain` must be one value with a source, for all of its rows, or a column ",
          "of the source named as in the formula, not ", describe(domain), ".")
  }
  needs <- judges_domain(object) || imputes_by_domain(blueprint)
  known <- source_names(source)
  label <- source$partitions[[1L]]$label
  columns <- blueprint$domain_columns
  has_domain <- is.null(domain) && length(columns) > 0L && all(columns %in% known)
  if (needs && is.null(domain) && !has_domain) abort_domain(columns, label)
  if (!has_domain) columns <- character()
  absent <- setdiff(where$keep, known)
  if (length(absent)) {
    abort("data", "`", label, "` has no column ", enumerate(absent), " for `keep`; it has ",
          enumerate(known), ".")
  }
  list(prototype = new_prototype(blueprint, source, columns, known, where$keep), domain = domain,
       blueprint = blueprint, keep = where$keep, needs = needs,
       shown = needs || reads_domain(object))
}

# Types as in training; levels are open, so that predict() says what a new one means.
new_prototype <- function(blueprint, source, domain, known, keep) {
  own <- trained_types(blueprint, setdiff(known, domain), source$partitions[[1L]]$label)
  named <- if (is.name(blueprint$domain)) domain
  rest <- setdiff(c(domain, keep), names(own))
  # text is copied as it stands
  free <- c(named, if (inherits(source$partitions[[1L]], "partition_csv")) setdiff(keep, domain))
  others <- if (length(rest)) {
    source_prototype(source, rest, intersect(rest, free), rest)
  }
  types <- c(own, as.list(others)[setdiff(rest, names(own))])
  plain_frame(types, 0L)
}

trained_types <- function(blueprint, known, label) {
  if (blueprint$kind == "matrix") {
    columns <- if (is.null(blueprint$coding)) design_columns(blueprint) else blueprint$coding$raw
    # by place
    if (!blueprint$named) columns <- known
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

# Rows without missing values of a block, list(X not scaled, domain), for the questions of a model.
described_block <- function(reader, data, at) {
  at_rows(at, nrow(data), function(i) {
    quietly(replay(reader$blueprint, data[i, , drop = FALSE], reader$domain, TRUE,
                   new_levels = reader$arguments$new_levels))[c("X", "domain")]
  })
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
    abort(error_kind(e), row_label(at$label, at$first + max(low, 1) - 1), ": ",
          conditionMessage(if (is.null(alone)) e else alone))
  })
}

error_kind <- function(e) {
  if (inherits(e, "domgen_error")) sub("^domgen_error_", "", class(e)[1L]) else "data"
}

# ---- domains ----------------------------------------------------------------------------------

know_domains <- function(object, source, reader, of) {
  if (!reader$needs) return(object)
  known <- read_reference(object, of$reference, of$reference_domain, reader$arguments$new_levels)
  object <- know_imputation(object, known)
  reader$blueprint <- object$blueprint
  reference <- known_rows(object, known)
  told <- character()
  while (length(questions <- scaled_questions(object))) {
    found <- run_pass(source, reader$prototype, asking_work(reader, questions, reference$domain),
                      "domains")
    if (is.null(found)) break
    told <- unique(c(told, found$names))
    answers <- lapply(seq_along(questions), function(q) {
      extra <- reference_part(reference, found$names)
      both <- c(found$answers[q], if (!is.null(extra)) list(questions[[q]]$ask(extra)))
      Reduce(questions[[q]]$add, both)
    })
    object <- once(scaled_answered(object, answers),
                   paste0("domgen_warning_", c("far_domain", "small_domain")))
  }
  if (!is.null(reference) && length(told) && !any(told %in% reference$domain)) {
    warn("reference", "No domain of `newdata` is in `reference`: each is judged by its own rows.")
  }
  seal(object)
}

# The rows of a reference, or those of training as they are stored: scaled, but for ensembles.
known_rows <- function(object, known) {
  if (is.null(known)) return(NULL)
  if (is.list(known)) return(list(X = known$X, domain = known$domain, scaled = FALSE))
  if (!judges_domain(object)) return(NULL)
  c(training_rows(object)[c("X", "domain")], list(scaled = is.null(object$members)))
}

# Of the domains that the source has.
reference_part <- function(reference, names) {
  some <- which(reference$domain %in% names)
  if (length(some) == 0L) return(NULL)
  rows <- rows_at(reference, some)
  rows$domain <- droplevels(factor(rows$domain))
  rows
}

# What imputes by domain needs all of a domain's rows together.
know_imputation <- function(object, known) {
  if (!imputes_by_domain(object$blueprint)) return(object)
  own <- if (is.list(known)) known$own else if (!is.null(known)) object$blueprint$impute$own
  if (is.null(own)) {
    abort("argument", "`newdata` must be a data frame, or `reference` be given: the model imputes ",
          "the median of a row's domain, for which the domain's rows must be together.")
  }
  object$blueprint$impute$known <- own
  object
}

# For run_pass(): the names of the domains, and the answers to the questions by the rows of those
# that the reference does not describe.
asking_work <- function(reader, questions, described) {
  force(reader); force(questions)
  described <- unique(as.character(described))
  list(start = function() NULL, block = function(sums, data, at) {
    rows <- described_block(reader, data, at)
    found <- list(names = levels(rows$domain))
    rows$place <- at
    own <- which(!rows$domain %in% described)
    if (length(own)) {
      rows <- rows_at(rows, own)
      rows$domain <- droplevels(rows$domain)
      found$answers <- lapply(questions, function(question) question$ask(rows))
    }
    add_answers(sums, found, questions)
  }, add = function(a, b) add_answers(a, b, questions))
}

add_answers <- function(a, b, questions) {
  if (is.null(a)) return(b)
  if (is.null(b)) return(a)
  answers <- if (is.null(a$answers)) b$answers else if (is.null(b$answers)) a$answers
             else Map(function(x, y, question) question$add(x, y), a$answers, b$answers, questions)
  list(names = union(a$names, b$names), answers = answers)
}
