# The parts of a sample beside X: missing rows, response, domain, weights.

# Which columns are to blame, if any are empty.
abort_all_missing <- function(n, empty) {
  abort("data", "Every one of the ", plural(n, "row"), " has missing values",
        if (length(empty)) paste0("; without any value: ", enumerate(empty)), ".")
}

all_missing <- function(column) all(is.na(column))

# na.omit and na.exclude leave rows out and say so, na.impute those where no predictor is missing;
# na.fail refuses.
drop_missing <- function(raw, na.action) {
  n <- nrow(raw$X)
  action <- read_na_action(na.action)
  given <- c("y", "domain", "weights", "unit")
  beside <- Reduce(`|`, lapply(Filter(length, raw[given]), is_missing), logical(n))
  missing <- beside | rowSums(is.na(raw$X)) > 0
  raw$kept <- which(!missing)
  raw$padded <- if (identical(action, "na.exclude")) n
  if (!any(missing)) return(raw)
  if (identical(action, "na.fail")) {
    abort("data", "`na.action` is na.fail, but ", plural(sum(missing), "row"), " of ", n,
          if (sum(missing) == 1) " has" else " have", " missing values.")
  }
  if (all(missing)) {
    parts <- c(raw[given], as.list(as.data.frame(raw$X)))
    abort_all_missing(n, names(parts)[lengths(parts) > 0L & vapply(parts, all_missing, NA)])
  }
  # who asked for imputation wonders why any are
  warn_left_out(sum(missing), n, if (is_imputation(action) && all(beside[missing])) {
    " of the response, domain or weights, which are not imputed"
  })
  raw$X <- raw$X[!missing, , drop = FALSE]
  for (name in intersect(c(given, "levels"), names(raw))) raw[[name]] <- take(raw[[name]], !missing)
  raw
}

warn_left_out <- function(lost, n, of = "") {
  warn("missing", plural(lost, "row"), " of ", format(n, big.mark = big_mark()),
       " left out because of missing values", of, ".")
}

read_na_action <- function(na.action) {
  if (is.null(na.action)) return("na.omit")
  impute <- as_imputation(na.action)
  if (!is.null(impute)) return(impute)
  for (name in c("na.omit", "na.exclude", "na.fail")) {
    if (identical(na.action, name) || identical(na.action, get(name, asNamespace("stats")))) {
      return(name)
    }
  }
  abort("argument", "`na.action` must be na.omit, na.exclude, na.fail or na.impute, not ",
        describe(na.action), ".")
}

# A response: a vector, or the numeric matrix of several [n x q].
read_y <- function(value, n, arg, label = paste0("`", arg, "`")) {
  if (is.data.frame(value) && ncol(value) > 1L &&
        all(vapply(value, is_understood, NA, "weights"))) {
    value <- as.matrix(as.data.frame(lapply(value, base_column)))
  }
  if (!is.matrix(value) || ncol(value) < 2L || !is.numeric(value) || inherits(value, "Surv")) {
    return(read_vector(value, n, arg, "response", label))
  }
  check_understood(value, "response", label)
  if (nrow(value) != n) {
    abort("data", "`", arg, "` must have one row per row of the predictors (", n, "), not ",
          nrow(value), ".")
  }
  matrix(as.double(value), n, dimnames = list(NULL, colnames(value)))
}

# A vector with one entry per row, or NULL; a single column is taken for one. label: what messages
# call it.
read_vector <- function(value, n, arg, role = vector_role(arg), label = paste0("`", arg, "`")) {
  value <- single_column(read_surv(value, arg))
  if (is.null(value)) return(NULL)
  check_vector_class(value, role, label)
  value <- base_column(value)
  if (!is.null(dim(value))) {
    abort("data", "`", arg, "` must be a vector, not ", describe(value), ".")
  }
  if (length(value) != n) {
    abort("data", "`", arg, "` must have one entry per row (", n, "), not ", length(value),
          if (is.character(value) && length(value) == 1L) {
            paste0("; a column of `data` has no quotes: `", arg, " = ", value, "`")
          }, ".")
  }
  unname(value)
}

# What is asked of an argument, see column_class().
vector_role <- function(arg) {
  if (arg == "weights") "weights"
  else if (arg %in% c("domain", "unit", "reference_domain")) "group"
  else "response"
}

# Domains or units, one for each row: a factor of their labels.
read_groups <- function(value, n, arg, label = paste0("`", arg, "`")) {
  value <- read_vector(value, n, arg, "group", label)
  if (!is.null(value)) as_groups(value)
}

single_column <- function(value) {
  if (length(dim(value)) != 2L || ncol(value) != 1L) return(value)
  if (is.data.frame(value)) value[[1L]] else value[, 1L]
}

check_finite <- function(X, what) {
  bad <- colSums(!is.finite(X)) > 0
  if (any(bad)) {
    problem <- if (anyNA(X)) "missing or infinite value" else "infinite value"
    abort("data", what, " ", enumerate(colnames(X)[bad]), " must be finite; found ",
          plural(sum(!is.finite(X)), problem), ".")
  }
}

# needs: "none", "optional", "any", "class", "ordered" where an order of classes may be meant,
# "ordinal" where it is, or "open" for any and censored times. text: were the classes text, so that
# their order is that of the alphabet? name: of the response.
read_response <- function(y, needs, text = is.character(y), name = "y") {
  if (needs == "none") return(NULL)
  if (is.null(y)) {
    if (needs == "optional") return(NULL)
    abort("data", "A response is needed: give `y ~ x1 + x2 | domain`, or `y`.")
  }
  if (inherits(y, "dg_times")) return(check_times(y, needs))
  if (is.matrix(y)) return(check_responses(y))
  if (text && needs == "ordinal") abort_text_order(y, name, "`family = \"ordinal\"`")
  if (is.logical(y) || is.character(y)) y <- text_factor(value_labels(y))
  if (is.factor(y)) {
    if (is.ordered(y) && !needs %in% c("ordered", "ordinal")) {
      inform("ordered", "The response is ordered (", paste(levels(y), collapse = " < "), "); its ",
             "levels are predicted as classes without an order. `family = \"ordinal\"` of ",
             "`dg_auto()` and `dg_glm()` keeps it, and so do numbers.")
    }
    empty <- setdiff(levels(y), as.character(unique(y)))
    if (length(empty)) {
      warn("empty_class", "The response has no row of ", enumerate(empty, quote = "\""),
           "; the level is left out.")
    }
    return(factor(y, levels = setdiff(levels(y), empty), ordered = FALSE))
  }
  if (!is.numeric(y)) {
    abort("data", "The response must be numeric, a factor, logical or character, not ",
          describe(y), ".")
  }
  y <- as.numeric(y)
  if (any(!is.finite(y))) {
    abort("data", "The response must be finite; found ",
          plural(sum(!is.finite(y)), "infinite value"), ".")
  }
  if (length(y) && !is.finite(diff(range(y)))) {
    abort("data", "The response must have differences that are finite; it goes from ",
          format(min(y)), " to ", format(max(y)), ".")
  }
  y
}

# what: asks for the order.
abort_text_order <- function(y, name, what) {
  classes <- sort(unique(value_labels(y)), method = "radix")
  abort("data", "The response `", name, "` of ", what, " must be an ordered factor, not text, ",
        "whose order would be that of the alphabet (", enumerate(classes, quote = "\""),
        "): `factor(", name, ", levels = c(...), ordered = TRUE)`, or `levels` of row_source().")
}

# Several responses [n x q].
check_responses <- function(y) {
  if (any(!is.finite(y))) {
    abort("data", "The response must be finite; found ",
          plural(sum(!is.finite(y)), "infinite value"), ".")
  }
  y
}

# Refuses several responses where a method predicts one.
check_one_response <- function(y) {
  if (!is.matrix(y)) return(invisible())
  abort("data", "The response must be one column, not ", ncol(y), "; `dg_dica()`, `dg_coir()` and ",
        "`dg_dcm()` take several at once.")
}

read_domain <- function(domain, n, needed) {
  if (is.null(domain)) {
    if (needed) {
      abort("data", "A domain is needed: give `y ~ x1 + x2 | domain`, or `domain`.")
    }
    return(factor(rep("all", n)))
  }
  factor(domain)
}

read_weights <- function(weights, n) {
  if (is.null(weights)) return(rep(1, n))
  if (!is.numeric(weights) || is.object(weights) || any(!is.finite(weights)) || any(weights < 0)) {
    abort("data", "`weights` must be non-negative finite numbers; found ",
          if (!is.numeric(weights) || is.object(weights)) describe(weights)
          else format(weights[!is.finite(weights) | weights < 0][1L]), ".")
  }
  if (all(weights == 0)) abort("data", "`weights` must not all be zero.")
  as.numeric(weights)
}

# The one response a fit of two classes, many classes, a number or censored times is for.
response_kind <- function(y) {
  if (is.factor(y)) "class" else if (is.null(y)) "none" else if (is_censored(y)) "censored"
  else "number"
}

# The kind of a response in the words of messages.
kind_words <- function(kind) {
  switch(kind, class = "classes", number = "a number", censored = "censored times")
}

abort_one_class <- function(y) {
  abort("data", "The response must have at least two classes, not only ",
        enumerate(levels(y), quote = "\""), ".")
}
