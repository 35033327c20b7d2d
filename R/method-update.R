#' Change arguments of a specification or of a fitted model
#'
#' @description
#' `update()` changes arguments of a specification. With a fitted model, it fits again with changed
#' arguments, formula or data.
#'
#' @details
#' **Names.** A name is an argument (`cost`), or a path into a kernel or feature map
#' (`kernel.bandwidth`, `feature_map.n_landmarks`), as in the grid of [dg_tune()]. In a
#' [dg_pipeline()] the name of the part may come first, as in `dica.lambda` or `svm.cost`; it must
#' if both parts have the argument. `projection` and `learner` replace a part. For a search, the
#' arguments of [dg_tune()] and those of the method it tunes can be changed.
#'
#' **Data of a fitted model.** `update()` evaluates the data in the model's call where it is called.
#' They must be the rows that the model was fitted to. If the model was made inside a function, or
#' its data have changed, give `data`.
#'
#' @param object A specification (a method function called without data, a [dg_pipeline()] or a
#'   search), or a fitted model.
#' @param formula. Change of the formula, as in [stats::update.formula()]. The domain after the bar
#'   is kept. A `.` in the model's own formula stands for the predictors of the fit.
#' @param ... New values by name. For a fitted model also data arguments.
#' @param evaluate If `FALSE`, the call is returned instead of the model. Default `TRUE`.
#' @return The new specification, or the new model.
#' @section Errors:
#' Arguments without a name, a name that is no argument or one of both parts of a pipeline, values
#' that the method refuses, and data that have changed.
#' @examples
#' update(dg_svm(), cost = 10)
#' update(dg_pipeline(dg_dica(), dg_svm()), dica.lambda = 1, cost = 10)
#'
#' model <- dg_kpca(~ . | Species, data = iris, ncomp = 1)
#' update(model, ncomp = 2)
#' @name update.dg_fit
NULL

#' @rdname update.dg_fit
#' @export
update.dg_spec <- function(object, ...) {
  changes <- given_dots(list(...))
  if (length(changes) && (is.null(names(changes)) || any(names(changes) == ""))) {
    abort("argument", "`...` must be named arguments, such as `cost = 10`; data are given to a ",
          "specification with fit().")
  }
  for (name in names(changes)) object <- change_spec(object, name, changes[[name]])
  object
}

# The specification with one argument changed.
change_spec <- function(spec, name, value) UseMethod("change_spec")

#' @exportS3Method
change_spec.dg_spec <- function(spec, name, value) {
  hit <- find_parameter(spec, name, all = TRUE)
  if (is.null(hit)) {
    if (name %in% data_arguments) {
      abort("argument", "`", name, "` must not be given: a specification has no data; use fit().")
    }
    check_no_dots(stats::setNames(list(value), name), names(spec$args))
  }
  set_found(spec, hit, value)
}

#' @exportS3Method
change_spec.dg_pipeline_spec <- function(spec, name, value) {
  if (name %in% c("projection", "learner", "terms")) {
    spec[name] <- list(value)
    return(dg_pipeline(spec$projection, spec$learner, spec$terms))
  }
  hit <- find_parameter(spec, name, all = TRUE)
  if (is.null(hit)) {
    check_no_dots(stats::setNames(list(value), name), c("projection", "learner", "terms",
                                                        known_parameters(spec)))
  }
  set_found(spec, hit, value)
}

#' @rdname update.dg_fit
#' @export
update.dg_fit <- function(object, formula., ..., evaluate = TRUE) {
  enter_session()
  call <- object$call
  if (is.null(call)) abort("argument", "The model was not fitted by a call that can be changed.")
  check_flag(evaluate, "evaluate")
  env <- parent.frame()
  data_args <- own_data(object, env)
  if (!missing(formula.)) {
    bare <- changed_formula(object, formula.)
    call[[if (is.null(call$formula)) "x" else "formula"]] <- bare
    data_args$x <- with_environment(bare, data_args$x)
  }
  changes <- given_changes(as.list(match.call(expand.dots = FALSE)$...))
  # the specification that was fitted has the arguments of its method
  spec <- if (is_call_to(call, "fit")) searched_spec(object)
  # it is used again; what else was damaged is made anew
  if (!is.null(spec) && length(changes)) check_sealed(object)
  for (name in names(changes)) {
    if (!is.null(spec) && !name %in% data_arguments) {
      spec <- change_spec(spec, name, eval(changes[[name]], env))
      call$object <- spec
    } else {
      call[name] <- changes[name]
    }
  }
  if (!evaluate) return(call)
  if (length(data_args)) check_unchanged(object, data_args, changes, env)
  run <- refit_call(object, call, data_args, changes)
  if (!is.null(spec)) run$object <- spec
  fitted <- on_error(eval(run, env), function(e) {
    if (inherits(e, "domgen_error")) stop(e)
    abort("data", "The call of the model cannot be evaluated again: ", conditionMessage(e), ".")
  })
  fitted$call <- call
  fitted
}

# The specification of a model; of a tuned model the search.
searched_spec <- function(object) {
  if (inherits(object, "dg_tuned")) object$tuning$spec else object$spec
}

given_changes <- function(changes) {
  if (length(changes) && (is.null(names(changes)) || any(names(changes) == ""))) {
    abort("argument", "`...` must be named arguments, such as `cost = 10`.")
  }
  empty <- vapply(changes, identical, NA, quote(expr = ))
  if (any(empty)) {
    abort("argument", "`", names(changes)[empty][1L], "` must have a value; it is empty.")
  }
  changes
}

# Data arguments that are not changed must be those that the model was fitted to: its rows, or with
# other rows the columns that the call names.
check_unchanged <- function(object, data_args, changes, env) {
  given <- changes[names(changes) %in% data_arguments]
  formulas <- vapply(given, function(expr) inherits(on_error(eval(expr, env), identity), "formula"),
                     NA)
  given <- given[!formulas]
  if (!any(c("x", "data") %in% names(given))) {
    training_input(object, env, given)
    return(invisible())
  }
  input <- list(data = eval(given[["data"]], env))
  if (inherits(input$data, "dg_source")) return(invisible())
  carry_columns(input, setdiff_by_name(data_args, given), env)
  invisible()
}

# The call with values of the fit in the place of names, which may mean something else by now.
refit_call <- function(object, call, data_args, changes) {
  # another package may have a function of that name in front
  if (is_call_to(call, "fit")) call[[1L]] <- fit
  if (length(data_args)) {
    call[intersect(names(call), data_arguments)] <- NULL
    data_args <- setdiff_by_name(data_args, changes)
    call[names(data_args)] <- data_args
    given <- changes[names(changes) %in% data_arguments]
    call[names(given)] <- given
  }
  spec <- searched_spec(object)
  if (!is_call_to(call, spec$method)) return(call)
  args <- c(spec$args, if (is_call_to(call, "dg_tune")) spec["object"])
  for (name in setdiff(intersect(names(call), names(args)), names(changes))) {
    if (length(variables_of(call[[name]]))) call[name] <- args[name]
  }
  call
}

changed_formula <- function(object, formula.) {
  if (!inherits(formula., "formula")) {
    abort("argument", "`formula.` must be a formula, not ", describe(formula.), ".")
  }
  if (!is.null(object$rows$n) && is.null(object$call$data)) {
    abort("argument", "`formula.` must not be given: the model was fitted to sums, which have ",
          "their predictors.")
  }
  if (!is.null(spec_terms(object$spec))) {
    abort("argument", "`formula.` must not be given to a model with `terms` of its own; change ",
          "these, as in `update(model, terms = ~ x)`.")
  }
  before <- own_bare(object)
  bare <- on_error(stats::update.formula(before, formula.), function(e) {
    abort("argument", "`formula.` (", format_formula(formula.), ") cannot change ",
          format_formula(before), ": ", conditionMessage(e), ".")
  })
  add_bar(bare, split_formula(object$formula)$domain)
}
