# What butcher takes from a model, whose predictions for new rows stay as they were. Each part is
# sealed again.

#' @exportS3Method butcher::axe_call
axe_call.dg_fit <- function(x, verbose = FALSE, ...) {
  report_axed(x, slim_parts(x, without_call), verbose, "update()")
}

# Weights and domains stay, which variances and nearness of new rows need.
#' @exportS3Method butcher::axe_fitted
axe_fitted.dg_fit <- function(x, verbose = FALSE, ...) {
  report_axed(x, slim_parts(x, without_fitted), verbose,
            c("fitted()", "residuals()", "dg_lodo()", "predict() without newdata"))
}

# Kernels need their rows; ensembles keep others for `reference = "training"` alone.
#' @exportS3Method butcher::axe_data
axe_data.dg_fit <- function(x, verbose = FALSE, ...) {
  report_axed(x, slim_parts(x, without_data), verbose,
            c("reference = \"training\" of ensembles", "intervals"))
}

# take: a function of a model, for it and for the models that it is made of.
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
  # what was adapted says how far it came
  if (inherits(object, "dg_adapted")) return(object)
  rows <- object$rows
  if (is.null(rows$n)) {
    # which rows they were stays
    kept <- intersect(names(rows), c("origin", "action"))
    object$rows <- c(list(n = length(rows$kept)), rows[kept])
  }
  if (!is.null(object$decision)) object$decision <- object$decision[0L, , drop = FALSE]
  object$held_out$values <- NULL
  # the variance of a Gaussian process takes the responses again
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
