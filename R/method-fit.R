# What every fitted model can do, whatever its method.

# Values of the model's functions at rows of read_new(): [rows x columns].
decision <- function(object, new) UseMethod("decision")

# New rows as the learner sees them: in a pipeline the scores.
learner_rows <- function(object, new) UseMethod("learner_rows")

#' @exportS3Method
learner_rows.default <- function(object, new) new

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

# Does it, or is something imputed by domain?
uses_other_rows <- function(object) {
  describes_domain(object) || imputes_by_domain(object$blueprint)
}

# Does a prediction use the domain of a row where `newdata` has it, and do without where not?
reads_domain <- function(object) UseMethod("reads_domain")

#' @exportS3Method
reads_domain.default <- function(object) FALSE

similarity <- function(object, new) UseMethod("similarity")

#' @exportS3Method
similarity.default <- function(object, new) {
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

# The formula, with the fitted terms in the place of those that all methods share.
fitted_formula <- function(x) {
  terms <- spec_terms(x$spec)
  if (is.null(terms) || is.null(x$formula)) return(x$formula)
  parts <- split_formula(x$formula)
  parts$bare[[length(parts$bare)]] <- put_for_dot(terms[[2L]], x$blueprint$shared)
  free_formula(add_bar(parts$bare, parts$domain))
}

#' @export
terms.dg_fit <- function(x, ...) {
  if (is.null(x$blueprint$terms)) abort("argument", "The model was fitted without a formula.")
  if (is.null(x$blueprint$simple)) x$blueprint$terms else simple_terms(x$blueprint$simple)
}

# What a fit says of itself besides its data: a list of facts, see fact().
describe_fit <- function(x) UseMethod("describe_fit")

#' @exportS3Method
describe_fit.dg_fit <- function(x) if (!is.null(x$space)) kernel_facts(x)

describe_formula <- function(x) {
  if (is.null(x$formula)) return("")
  # of thousands of terms the first and the last
  paste0(": ", shorten(format_formula(fitted_formula(x)), 4L * getOption("width")))
}

describe_scale <- function(scale) {
  paste0(scale[1L], if ("means" %in% scale) ", with the domains' means")
}

# Of a fit, or of sums for one.
kernel_facts <- function(x) {
  space <- x$space
  args <- x$spec$args
  meaning <- as.character(x$parameters$meaning)
  likely <- any(x$parameters$fitted & startsWith(meaning, "bandwidth"))
  fitted <- if (identical(args$bandwidths, "fitted")) "on held-out domains"
            else if (likely) "by the likelihood"
  how <- function(...) {
    open <- any(vapply(list(...), function(kernel) {
      # the default of a method has one
      is.null(kernel) || length(bandwidth_paths(kernel, function(l) is.null(l$bandwidth))) > 0L
    }, NA))
    if (!open) "given" else if (is.null(fitted)) "bandwidth: the median distance or a multiple"
    else paste("bandwidth fitted", fitted)
  }
  one_of <- function(kernel) if (is.null(kernel)) kernel_linear() else kernel
  between <- args$domain_kernel
  list(
    fact("kernel", format_bandwidth(space$kernel), how = how(args$kernel)),
    if (uses_domain(space$domain_kernel)) {
      fact("domain kernel", format(space$domain_kernel),
           how = how(one_of(between$kernel), one_of(between$embedding_kernel)))
    },
    if (!is.null(space$feature_map)) {
      fact("feature map", format(space$feature_map), ", ", plural(space$dim, "feature"),
           how = "given")
    }
  )
}

# The response of n new rows: y, or that of the formula.
given_response <- function(x, newdata, y, n) {
  y <- if (is.null(y)) response_of(x, newdata) else read_vector(y, n, "y")
  if (is.null(y)) abort("data", "`newdata` must have the response, or `y` must be given.")
  y
}

# The response of new rows where the formula finds it, else NULL: scale(y) is another number there.
response_of <- function(x, newdata) {
  if (is.null(x$formula) || length(x$formula) < 3L) return(NULL)
  if (isTRUE(x$blueprint$relative_response)) return(NULL)
  if (!all(variables_of(x$formula[[2L]]) %in% names(newdata))) return(NULL)
  value <- eval(x$formula[[2L]], clean_columns(newdata), environment(x$blueprint$terms))
  value <- read_surv(value, "newdata")
  check_vector_class(value, "response", class_label(code_text(x$formula[[2L]]), "response"))
  base_column(value)
}
