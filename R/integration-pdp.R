# Integration with pdp.

#' @exportS3Method pdp::partial
partial.dg_learner <- function(object, ...) {
  warn_moving(object, "pdp makes up rows")
  NextMethod()
}

#' @exportS3Method pdp::get_task
get_task.dg_learner <- function(object) {
  if (object$response$kind == "class") "classification" else "regression"
}
