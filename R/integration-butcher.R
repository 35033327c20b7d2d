# Methods of butcher, which do not change predictions for new rows. Each part gets a new integrity
# record.

#' @exportS3Method butcher::axe_call
axe_call.dg_fit <- function(x, verbose = FALSE, ...) {
  report_axed(x, slim_parts(x, without_call), verbose, "update()")
}

# Weights and domains stay: variances and novelty of new rows need them.
#' @exportS3Method butcher::axe_fitted
axe_fitted.dg_fit <- function(x, verbose = FALSE, ...) {
  report_axed(x, slim_parts(x, without_fitted), verbose,
            c("fitted()", "residuals()", "dg_cv() in closed form", "predict() without newdata"))
}

# Kernels need their rows; ensembles keep others only for `reference = "training"`.
#' @exportS3Method butcher::axe_data
axe_data.dg_fit <- function(x, verbose = FALSE, ...) {
  report_axed(x, slim_parts(x, without_data), verbose,
            c("reference = \"training\" of ensembles", "intervals"))
}

# take: a function that is applied to the model and to the models inside it.
slim_parts <- function(object, take) {
  check_sealed(object, "x")
  for (part in intersect(c("projection", "learner"), names(object))) {
    object[[part]] <- slim_parts(object[[part]], take)
  }
  if (!is.null(object$members)) object$members <- lapply(object$members, slim_parts, take)
  seal(take(object))
}

without_call <- function(object) {
  object$call <- NULL
  object
}

without_fitted <- function(object) {
  # an adapted model reports how far it was adapted
  if (inherits(object, "dg_adapted")) return(object)
  rows <- object$rows
  if (is.null(rows$n)) {
    # their numbers in the data stay
    kept <- intersect(names(rows), c("origin", "action"))
    object$rows <- c(list(n = length(rows$kept)), rows[kept])
  }
  if (!is.null(object$decision)) object$decision <- object$decision[0L, , drop = FALSE]
  object$held_out$values <- NULL
  # the variance of a Gaussian process needs the responses
  object[c("scores", "costs", "left_out", if (!has_posterior(object)) "y")] <- NULL
  object
}

without_data <- function(object) {
  if (!is.null(object$members)) object$X <- NULL
  object$rows$X <- NULL
  object
}

report_axed <- function(old, new, verbose, disabled) {
  if (isTRUE(verbose)) {
    released <- as.numeric(utils::object.size(old)) - as.numeric(utils::object.size(new))
    inform("axed", "Memory released: ", format(released, big.mark = big_mark()), " B; disabled: ",
           enumerate(disabled, quote = "`"), ".")
  }
  new
}
