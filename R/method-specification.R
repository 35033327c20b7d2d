# What a specification says of any method.

# What a method asks of its data, and how it scales predictors.
spec_needs <- function(spec) UseMethod("spec_needs")

spec_scale <- function(spec) {
  args <- if (is.null(spec$projection)) spec$args else spec$projection$args
  c(if (is.null(args$scale)) "none" else args$scale, if (isTRUE(args$domain_means)) "means")
}

#' @exportS3Method
spec_needs.dg_spec <- function(spec) {
  method <- method_of(spec)
  needs <- list(response = method$response,
                domain = needs_domain(spec) || uses_domain(spec$args$domain_kernel),
                offset = isTRUE(method$offset), terms = spec$args$terms,
                reference = isTRUE(method$reference))
  needs$columns <- wished_columns(spec$args)
  needs
}

# Whatever its domain kernel is.
needs_domain <- function(spec) {
  domain <- method_of(spec)$domain
  if (is.function(domain)) domain(spec$args) else domain
}

# The method that predicts: the learner of a pipeline, what a search tunes.
innermost <- function(spec) {
  inner <- if (is.null(spec$learner)) spec$object else spec$learner
  if (is.null(inner)) spec else innermost(inner)
}

# How a specification makes probabilities; NULL where it has no such argument.
spec_calibration <- function(spec) innermost(spec)$args$calibration

wants_probabilities <- function(spec) {
  method <- spec_calibration(spec)
  !is.null(method) && method != "none"
}

#' @exportS3Method
predict.dg_spec <- function(object, ...) {
  abort("argument", "`object` must be a fitted model: give the specification data with fit() ",
        "first.")
}

takes_weights <- function(spec) method_of(innermost(spec))$weights

#' @export
print.dg_spec <- function(x, ...) {
  cat_line(method_of(x)$title, " (specification: give it data with fit())")
  # its own are the exception
  args <- x$args[!(names(x$args) == "terms" & vapply(x$args, is.null, NA))]
  shown <- without_exponents(vapply(args, function(value) {
    if (is.null(value)) "default"
    else if (is.function(value)) "a function"
    else if (length(dim(value)) == 2L) plural(nrow(value), "row")
    else paste(format(value), collapse = ", ")
  }, character(1)))
  names <- names(args)
  cat_line("  ", formatC(names, width = -max(nchar(names))), "  ", shown, hang = 4L + widest(names))
  invisible(x)
}
