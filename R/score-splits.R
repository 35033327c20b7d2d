# Folds of every kind as one list of splits. A split is list(train, held: positions
# among the rows of the task; fold, rep: integers); with time also period, part: fold of the
# domains, and new, as in domain_folds().

# Default number of folds with a source, at most.
most_source_folds <- 30L

# folds: NULL, a number of folds, a named assignment of every domain, or made by
# domain_folds(), row_folds() or rsample. task: see cv_task(), domain_task().
read_folds <- function(folds, task) UseMethod("read_folds")

# Rows of other data, or in another order, would be of known domains.
#' @exportS3Method
read_folds.rset <- function(folds, task) {
  checked <- NULL
  for (split in folds$splits) {
    # mostly one data frame, of which a split has another name
    if (!identical(split$data, checked)) check_split_rows(split$data, task)
    checked <- split$data
  }
  folds
}

# data: that of the folds; task: see cv_task().
check_split_rows <- function(data, task) {
  if (NROW(data) != task$n) {
    abort("argument", "`folds` must be made from the same data: they have ",
          plural(NROW(data), "row"), ", not ", task$n, ".")
  }
  refuse <- function(name, row) {
    abort("argument", "`folds` must be made from the same rows in the same order: `", name,
          "` differs in row ", row, ". Make them from the data as they are now.")
  }
  data <- take(check_data(data), task$row)
  input <- task$input
  columns <- if (!is.null(input$parts)) input$data[task$columns]
             else if (input$named) as.data.frame(input$x, optional = TRUE)
  for (name in intersect(names(columns), names(data))) {
    differing <- differing_rows(columns[[name]], data[[name]])
    if (length(differing)) refuse(name, task$row[differing[1L]])
  }
  # a response without a name: a column of its values must have them in its order
  y <- if (is.null(input$parts)) on_error(value_labels(input$y), function(e) NULL)
  alike <- Filter(function(column) !is.null(y) && identical(sort(labels_if_any(column)), sort(y)),
                  data)
  differing <- lapply(alike, differing_rows, y)
  if (length(differing) && all(lengths(differing) > 0L)) refuse("y", task$row[differing[[1L]][1L]])
}

#' @exportS3Method
read_folds.domgen_row_folds <- function(folds, task) {
  if (NROW(folds) != task$n) {
    abort("argument", "`folds` made by row_folds() must have a value for each of the ", task$n,
          " rows, not for ", NROW(folds), ".")
  }
  folds
}

#' @exportS3Method
read_folds.default <- function(folds, task) {
  if (!is.null(task$crossed)) return(crossed_folds(task$crossed, folds))
  domain <- task$domain
  if (is.null(folds) && !is.null(task$sizes) && task$n > most_source_folds) {
    folds <- most_source_folds
  }
  if (is.null(folds) || is.numeric(folds) && length(folds) == 1L && is.null(names(folds))) {
    return(assign_folds(levels(factor(domain)), folds))
  }
  names <- if (is.matrix(folds)) rownames(folds) else names(folds)
  absent <- setdiff(levels(domain), names)
  if (!is.numeric(folds) || anyDuplicated(names) || length(absent)) {
    abort("argument", "`folds` must be NULL, a number of folds, or made by domain_folds() with ",
          "every ",
          "domain", if (length(absent)) paste0("; missing: ", enumerate(absent, quote = "\"")), ".")
  }
  folds <- unclass(folds)
  place <- match(levels(domain), names)
  folds <- take(folds, place)
  several <- apply(as.matrix(folds), 2L, function(fold) length(unique(fold)) >= 2L)
  if (any(!is.finite(folds) | folds != round(folds)) || !all(several)) {
    abort("argument", "`folds` must assign the domains to at least 2 folds, by whole numbers.")
  }
  structure(folds, class = "domgen_folds")
}

fold_splits <- function(folds, task) UseMethod("fold_splits")

#' @exportS3Method
fold_splits.domgen_folds <- function(folds, task) {
  table <- as.matrix(unclass(folds))
  assigned_splits(table[match(task$domain, rownames(table)), , drop = FALSE])
}

#' @exportS3Method
fold_splits.domgen_row_folds <- function(folds, task) {
  assigned_splits(as.matrix(unclass(folds))[task$row, , drop = FALSE])
}

# fold: [rows x repeats]
assigned_splits <- function(fold) {
  splits <- lapply(seq_len(ncol(fold)), function(r) {
    lapply(sort(unique(fold[, r])), function(k) {
      list(train = which(fold[, r] != k, useNames = FALSE),
           held = which(fold[, r] == k, useNames = FALSE), fold = as.integer(k), rep = r)
    })
  })
  do.call(c, splits)
}

# Assessment rows are held out; the others, as often as they were drawn, are trained on.
#' @exportS3Method
fold_splits.rset <- function(folds, task) {
  splits <- lapply(folds$splits, function(split) {
    train <- split$in_id
    held <- if (length(split$out_id) && !anyNA(split$out_id)) split$out_id
            else setdiff(seq_len(task$n), train)
    place <- function(at) c(stats::na.omit(match(at, task$row)))
    list(train = place(train), held = place(held))
  })
  number_splits(Filter(function(split) length(split$held) > 0L, splits))
}

# In a repeat no row is held out twice.
number_splits <- function(splits) {
  rep <- 1L
  fold <- 0L
  seen <- integer()
  for (k in seq_along(splits)) {
    if (any(splits[[k]]$held %in% seen)) {
      rep <- rep + 1L
      fold <- 0L
      seen <- integer()
    }
    fold <- fold + 1L
    seen <- c(seen, splits[[k]]$held)
    splits[[k]][c("fold", "rep")] <- list(fold, rep)
  }
  splits
}

# Folds that know rows, not domains: they do not fit a part of the rows, or rows that are only
# counted.
are_of_rows <- function(folds) {
  inherits(folds, c("domgen_row_folds", "domgen_time_folds", "rset"))
}

# Are whole domains held out, or rows of known ones?
holds_domains <- function(splits, domain) {
  all(vapply(splits, function(split) !any(domain[split$held] %in% domain[split$train]), NA))
}

# What scores and their intervals are for: "new" or "known" domains, "later" ones or "until", that
# is up to the time of the last training rows.
held_scope <- function(splits, domain) {
  new <- splits[[1L]]$new
  if (is.null(new)) return(if (holds_domains(splits, domain)) "new" else "known")
  switch(new, both = "new later", time = "known later", domain = "new until")
}

# "new domains of the same kind (no drift, ...)": after "Intervals are for".
scope_words <- function(scope) {
  # closed_cv() has none
  switch(if (is.null(scope)) "new" else scope,
         new = paste("new", of_a_kind, as_before),
         known = paste("known", of_a_kind, as_before),
         "new later" = paste("new", of_a_kind, later),
         "known later" = paste("known", of_a_kind, later),
         "new until" = paste("new", of_a_kind, "in a period of training (no further drift, no",
                             "shift of predictors)"))
}

of_a_kind <- "domains of the same kind"
as_before <- "(no drift, no shift of predictors)"
later <- "in a later period (drift as between these periods)"

# The same in short.
scope_title <- function(scope) gsub(" of the same kind| [(].*", "", scope_words(scope))

# What "new domain" means in a validation, NULL where it is what it says.
scope_note <- function(scope) {
  if (is.null(scope) || scope == "new") return(NULL)
  paste0("Means and \"new domain\" are for ", scope_words(scope), ".")
}

# Are rows of the held-out domains in training?
is_known <- function(scope) isTRUE(scope %in% c("known", "known later"))

#' Folds for rsample
#'
#' Converts the result of [domain_folds()], also with time, or [row_folds()] to an object of the
#' rsample package. In the other direction, `folds` of [dg_cv()], [dg_tune()] and [dg_compare()] can
#' be an object of rsample, for example `rsample::group_vfold_cv()`.
#'
#' @param folds Result of [domain_folds()] or [row_folds()].
#' @param data Data frame with the rows.
#' @param domain Vector: the domain of each row of `data`, or the name of its column. Default
#'   `NULL`, for the result of `row_folds()` and for folds with time only.
#' @return An `rset`, one split per fold and repeat (see `rsample::manual_rset()`).
#' @section Errors:
#' Other `folds`, folds of domains without `domain`, and data with other domains or another number
#' of rows. The package rsample must be installed.
#' @examplesIf requireNamespace("rsample", quietly = TRUE)
#' as_rsample(domain_folds(iris$Species), iris, "Species")
#' @export
as_rsample <- function(folds, data, domain = NULL) {
  enter_session()
  check_given(folds, "folds")
  check_given(data, "data")
  if (!inherits(folds, c("domgen_folds", "domgen_row_folds", "domgen_time_folds"))) {
    abort("argument", "`folds` must be made by domain_folds() or row_folds(), not ",
          describe(folds), ".")
  }
  need_package("rsample", "as_rsample()")
  data <- check_data(data)
  if (is.null(domain)) {
    if (inherits(folds, "domgen_folds")) {
      abort("argument", "`domain` must be given with folds of domains.")
    }
    # rows know their folds
    domain <- if (inherits(folds, "domgen_time_folds")) folds$domain else rep("all", nrow(data))
  } else if (is.character(domain) && length(domain) == 1L && nrow(data) != 1L) {
    if (!domain %in% names(data)) {
      abort("argument", "`domain` must be a column of `data` or a vector, not ", describe(domain),
            ".")
    }
    domain <- data[[domain]]
  }
  domain <- read_groups(domain, nrow(data), "domain")
  task <- list(domain = domain, row = seq_len(nrow(data)), n = nrow(data))
  splits <- fold_splits(read_folds(folds, task), task)
  ids <- vapply(splits, function(s) sprintf("Repeat%d Fold%02d", s$rep, s$fold), character(1))
  rsample::manual_rset(lapply(splits, function(s) {
    rsample::make_splits(list(analysis = s$train, assessment = s$held), data)
  }), ids)
}
