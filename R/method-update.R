#' Change a specification
#'
#' @description
#' The same specification with other values of some arguments, which are checked as the method
#' function checks them. `update()` of a fitted model, which fits again, is [update.dg_fit()].
#'
#' @param object A specification: a method function called without data, a [chain()], or a search
#'   ([dg_tune()]).
#' @param ... New values by name. A name is an argument (`cost`), or a path into a kernel or feature
#'   map (`kernel.sigma`, `features.n_landmarks`), as in the grid of [dg_tune()]. In a chain the
#'   name of the part may come first, as in `dica.lambda` or `svm.cost`, and must where both
#'   parts know it; `projection` and `learner` replace a part. Of a search the arguments of
#'   [dg_tune()] can be changed, and those of what is searched.
#' @return The new specification.
#' @section Errors:
#' An argument without a name, a name that is no argument or one of both parts of a chain, and
#' values that the method refuses are errors.
#' @examples
#' update(dg_svm(), cost = 10)
#' update(chain(dica(), dg_svm()), dica.lambda = 1, cost = 10)
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
  found <- find_changed(spec, name)
  if (is.null(found)) {
    if (name %in% data_arguments) {
      abort("argument", "`", name, "` must not be given: a specification has no data; use fit().")
    }
    check_no_dots(stats::setNames(list(value), name), names(spec$args))
  }
  set_found(spec, found, value)
}

#' @exportS3Method
change_spec.dg_chain_spec <- function(spec, name, value) {
  if (name %in% c("projection", "learner")) {
    spec[[name]] <- value
    return(chain(spec$projection, spec$learner))
  }
  found <- find_changed(spec, name)
  if (is.null(found)) {
    check_no_dots(stats::setNames(list(value), name), c("projection", "learner",
                                                        known_parameters(spec)))
  }
  set_found(spec, found, value)
}

find_changed <- function(spec, name) find_parameter(spec, name, all = TRUE)
