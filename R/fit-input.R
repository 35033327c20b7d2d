# The way of a fit from the call to the model. A method without data is a specification; with data
# it is fitted at once: every method function ends in fit_or_specify(), so all share one way in.

# call: match.call() of the method function; env: where the user called it; given: the arguments.
fit_or_specify <- function(spec, call, env, given = as.list(call)[-1L]) {
  enter_session()
  given <- check_arguments(given, spec, env, names(spec$args))
  # what was asked for, where it is what would be taken anyway too: see check_fixed()
  spec$given <- as.character(intersect(names(spec$args), names(given)))
  if (!any(c("x", "formula", "data") %in% names(given))) {
    stray <- intersect(c("y", "domain", "weights", "unit", "na.action"), names(given))
    if (length(stray)) {
      abort("argument", "`", stray[1L], "` is given without data: `x` must be a formula, a matrix",
            " or a data frame.")
    }
    return(spec)
  }
  fit_call(spec, evaluate_input(given, env), call)
}

# The arguments of a call: each must be one of data or one of `args`, those of the method. A method
# without weights takes `weights = NULL`, which a function may hand on, as not given.
check_arguments <- function(given, spec, env, args = character()) {
  weighted <- takes_weights(spec)
  null <- !weighted && on_error(is.null(eval(given$weights, env)), function(e) FALSE)
  if (null) given$weights <- NULL
  # does a search keep the rows of an object together?
  units <- isTRUE(method_of(innermost(spec))$units)
  allowed <- c(args, setdiff(data_arguments, c(if (!weighted) "weights", if (!units) "unit")))
  check_no_dots(given[setdiff(names(given), allowed)], setdiff(allowed, "x"))
  given
}

# The fit, with its call. Searches and fits of sources can be resumed.
fit_call <- function(spec, input, call) {
  map <- innermost(spec)$args$feature_map
  fit <- function(input, ctx = NULL) {
    fitted <- fit_input(spec, input, new_shared(ctx = ctx))
    fitted$call <- call
    fitted
  }
  words <- function(input) fit_words(spec, input)
  within_memory({
    # the user's data are evaluated: they may be what takes too much
    force(input)
    whole <- collect_input(list(spec), input)
    if (is.null(whole$source) && is.null(spec$object)) reported_once(without_exponents(fit(whole)))
    else with_seed(spec$args$seed, over_input(whole, words, fit, spec$args$progress))
  }, if (!is.null(map)) {
    fit_advice(if (is_exact(map) && is.null(input$source)) input_rows(input))
  })
}

# The fit of rows in memory, of a source that is under way, or of sums. shared: see new_shared().
fit_input <- function(spec, input, shared = new_shared()) UseMethod("fit_input")

#' @exportS3Method
fit_input.dg_spec <- function(spec, input, shared = new_shared()) {
  rows <- shared_rows(spec, input, shared)
  check_probability(spec, rows$sample)
  placed <- place_spec(spec, layout_of(rows$sample$blueprint))
  fitted <- fit_rows(placed, rows, shared)
  fitted <- finish_fit(fitted, spec, rows, input)
  fitted <- calibrate(fitted, rows$sample)
  # inside of a call nobody can change it
  if (isTRUE(input$inside)) fitted else seal(fitted)
}

# The rows as this specification sees them.
shared_rows <- function(spec, input, shared, needs = spec_needs(spec)) {
  key <- list(input, needs, spec_scale(spec))
  shared_value(shared, "rows", key, rows_of_input, spec, input, shared, needs)
}

rows_of_input <- function(spec, input, shared, needs) {
  if (!is.null(input$sums)) return(rows_sums(input$sums))
  if (is.null(input$source)) {
    sample <- read_sample(input, needs, spec_scale(spec))
    return(rows_frame(sample))
  }
  asked <- needs[names(needs) != "domain"]
  survey <- shared_value(shared, "survey", list(input, asked), survey_source, input, needs)
  rows_source(survey, spec)
}

#' Fit a specification to data
#'
#' A method called without data, such as `dg_dica(ncomp = 2)`, is a specification. `fit()` fits it
#' to data, or to [sums of features][feature_sums]: `fit(spec, sums)`.
#'
#' The generic is that of the generics package, also used by tidymodels: the methods of both are
#' found, whichever package is attached last.
#'
#' @param y,domain,data,na.action,... As in [all methods][dg_arguments].
#' @param object Specification made by a method function ([dg_dica()], [dg_svm()], ...),
#'   [dg_pipeline()], [dg_tune()] or [dg_auto()].
#' @param x Formula `y ~ x1 + x2 | domain`, numeric matrix or data frame of predictors, as in
#'   [dg_dica()]; or [feature_sums()].
#' @param weights Non-negative weight of each row's cost, a vector or a column of `data`, for
#'   methods that take weights.
#' @return The fitted model, as the method function returns it with data.
#' @examples
#' spec <- dg_dica(ncomp = 1)
#' fit(spec, Species ~ . | site, data = transform(iris, site = rep(1:5, 30)))
#' @name fit
#' @importFrom generics fit
#' @export fit
NULL

#' @rdname fit
#' @export
fit.dg_spec <- function(object, x, y = NULL, domain = NULL, data = NULL, weights = NULL,
                        na.action = stats::na.omit, ...) {
  enter_session()
  call <- match.call()
  call[[1L]] <- quote(fit)
  if (!missing(x) && inherits(x, "dg_feature_sums")) {
    check_no_dots(as.list(call)[-(1:3)], character())
    return(fit_call(with_sums(object, check_sealed(x, "x")), list(sums = x), call))
  }
  given <- check_arguments(as.list(call)[-(1:2)], object, parent.frame())
  fit_call(object, evaluate_input(given, parent.frame()), call)
}

# For whatever has no method. The generic is shared: see .onLoad().
fit_unknown <- function(object, ...) {
  check_given(object, "object")
  abort("argument", "`object` must be a specification, such as `dg_svm()`, not ",
        describe(object), ".")
}

# How much memory a fit needs, and what needs less. n: rows of its Gram matrix; NULL: it has none.
fit_advice <- function(n) {
  if (is.null(n)) return("Fewer features or rows need less, and so does a `row_source()`.")
  paste0("The Gram matrix of ", plural(n, "row"), " takes ", in_gib(8 * as.numeric(n)^2), ", and ",
         "a fit up to three of them. `feature_map = features_nystrom()` or `features_rff()` need ",
         "none.")
}
