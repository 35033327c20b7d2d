# Fits of this package inside objects of other packages, as in a workflow of tidymodels. Methods for
# such objects are in integration-*.R.

# The fit inside, which takes new rows as the outer object does: what is done with them first is in
# its blueprint, see preprocess().
inner_fit <- function(model) UseMethod("inner_fit")

#' @exportS3Method
inner_fit.default <- function(model) model

# A specification or a fit of this package, to fit the outer object again.
inner_spec <- function(object) UseMethod("inner_spec")

#' @exportS3Method
inner_spec.default <- function(object) object

# Rows that nobody observed change a description that the rows before a fit make of a domain.
check_row_by_row <- function(model) {
  moving <- model$blueprint$before$moving
  if (length(moving)) {
    abort("argument", "`object` must not have steps that use the domain's other rows, such as `",
          moving[1L], "()`, whose description of a domain cannot be fixed: use the ",
          "projection in a `dg_pipeline()`.")
  }
}
