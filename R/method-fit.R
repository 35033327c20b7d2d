# What every fitted model can do, whatever its method.

# Values of the model's functions at replayed rows, list(X, domain, reference): [rows x columns].
decision <- function(object, rows) UseMethod("decision")

# Of a pipeline the scores, as its learner sees them.
learner_rows <- function(object, rows) UseMethod("learner_rows")

#' @exportS3Method
learner_rows.default <- function(object, rows) rows

# What a pipeline ends in, and what was adapted.
learner_of <- function(object) UseMethod("learner_of")

#' @exportS3Method
learner_of.default <- function(object) object

# Does a prediction depend on the rows of its domain?
describes_domain <- function(object) UseMethod("describes_domain")

#' @exportS3Method
describes_domain.dg_fit <- function(object) {
  uses_domain(object$space$domain_kernel) || by_domain(object$blueprint$scaling$kind)
}

# The same, or on what is imputed by domain.
uses_other_rows <- function(object) {
  describes_domain(object) || imputes_by_domain(object$blueprint)
}

# Does a prediction use the domain of a row where newdata say it, without having to know it?
reads_domain <- function(object) UseMethod("reads_domain")

#' @exportS3Method
reads_domain.default <- function(object) FALSE

similarity <- function(object, rows) UseMethod("similarity")

#' @exportS3Method
similarity.default <- function(object, rows) {
  abort("argument", "`type` must not be \"similarity\" for a `", object$spec$method, "()`: it has ",
        "no kernel on its training rows.")
}

# The scaled rows that a model was trained on.
training_rows <- function(object) UseMethod("training_rows")

#' @exportS3Method
training_rows.dg_fit <- function(object) {
  if (is.null(object$space$X)) {
    abort("argument", "The reference cannot be \"training\": a model with `",
          class(object$space$feature_map)[1L], "()` keeps no training rows; give ",
          "the training data.")
  }
  # of the product: `domain` leaves out unlabelled rows
  list(X = object$space$X, domain = object$space$domain)
}

# Training values at the place of their rows; NA where na.exclude left a row out.
pad_rows <- function(value, object) {
  if (!is.null(object$rows$n)) {
    abort("argument", "The model keeps no training rows: it was fitted to sums or a source, or ",
          "they were removed. Give rows, as in `predict(model, newdata)`.")
  }
  if (is.null(object$rows$padded)) return(value)
  place <- match(seq_len(object$rows$padded), object$rows$kept)
  if (is.matrix(value)) value[place, , drop = FALSE] else value[place]
}

#' @export
nobs.dg_fit <- function(object, ...) {
  if (is.null(object$rows$n)) length(object$rows$kept) else object$rows$n
}

#' @export
formula.dg_fit <- function(x, ...) {
  if (is.null(x$formula)) abort("argument", "The model was fitted without a formula.")
  fitted_formula(x)
}

# With the terms that were fitted in the place of those that all methods share.
fitted_formula <- function(x) {
  own <- spec_terms(x$spec)
  if (is.null(own) || is.null(x$formula)) return(x$formula)
  parts <- split_formula(x$formula)
  parts$bare[[length(parts$bare)]] <- put_for_dot(own[[2L]], x$blueprint$shared)
  plain_formula(add_bar(parts$bare, parts$domain))
}

#' @export
terms.dg_fit <- function(x, ...) {
  if (is.null(x$blueprint$terms)) abort("argument", "The model was fitted without a formula.")
  if (is.null(x$blueprint$plain)) x$blueprint$terms else plain_terms(x$blueprint$plain)
}

#' @export
print.dg_fit <- function(x, digits = NULL, ...) {
  at_digits(digits, from_whole(x, describe_fit(x), "x"))
  invisible(x)
}

describe_fit <- function(x) {
  cat_line(method_of(x$spec)$title, describe_formula(x))
  cat_line("  ", plural(nobs.dg_fit(x), "row"), ", ",
           plural(count_predictors(x$blueprint), "predictor"),
           " (scale: ", describe_scale(spec_scale(x$spec)), "), ",
           plural(nlevels(x$domain), "domain"), describe_imputed(x$blueprint))
  print_details(x)
  describe_calibration(x$calibration)
  if (!is.null(x$intervals)) cat_field("intervals", format(x$intervals))
}

print_details <- function(x) UseMethod("print_details")

#' @exportS3Method
print_details.dg_fit <- function(x) if (!is.null(x$space)) describe_kernels(x$space)

describe_formula <- function(x) {
  if (is.null(x$formula)) return("")
  # of thousands of terms the first and the last
  paste0(": ", shorten(format_formula(fitted_formula(x)), 4L * getOption("width")))
}

describe_scale <- function(scale) {
  paste0(scale[1L], if ("means" %in% scale) ", with the domains' means")
}

describe_kernels <- function(space) {
  cat_field("kernel", format_bandwidth(space$kernel))
  if (uses_domain(space$domain_kernel)) {
    cat_field("domain kernel", format(space$domain_kernel))
  }
  if (!is.null(space$feature_map)) {
    cat_field("feature map", format(space$feature_map), ", ", plural(space$dim, "feature"))
  }
}

# The response of n new rows: y, or that of the formula.
given_response <- function(x, newdata, y, n) {
  found <- if (is.null(y)) response_of(x, newdata) else read_vector(y, n, "y")
  if (is.null(found)) abort("data", "`newdata` must have the response, or `y` must be given.")
  found
}

# The response of new rows where the formula finds it, else NULL: scale(y) is another number there.
response_of <- function(x, newdata) {
  if (is.null(x$formula) || length(x$formula) < 3L) return(NULL)
  if (isTRUE(x$blueprint$relative_response)) return(NULL)
  if (!all(variables_of(x$formula[[2L]]) %in% names(newdata))) return(NULL)
  value <- eval(x$formula[[2L]], clean_columns(newdata), environment(x$blueprint$terms))
  value <- read_surv(value, "newdata")
  check_vector_class(value, "response", class_label(code_text(x$formula[[2L]]), "response"))
  plain_column(value)
}
