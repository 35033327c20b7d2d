# The one scale on which learners of any kind are averaged: a number in units of the response, 2p -
# 1 for two classes, a column of probabilities or least-squares values for more.

# Decision values of a member [rows x machines] on the common scale [rows x 1 or classes].
common_values <- function(object, values) UseMethod("common_values")

#' @exportS3Method
common_values.dg_learner <- function(object, values) {
  response <- object$response
  if (response$kind == "number") {
    return(matrix(respond(object, values, "number"), ncol = 1L))
  }
  two <- length(response$levels) == 2L
  if (gives_probabilities(object)) {
    p <- respond(object, values, "prob")
    return(if (two) matrix(2 * p[, 2L] - 1, ncol = 1L) else unname(p))
  }
  if (two) return(matrix(pmin(pmax(values[, 1L], -1), 1), ncol = 1L))
  votes <- outer(as.integer(respond(object, values, "class")), seq_along(response$levels), "==")
  votes + 0
}

gives_probabilities <- function(object) UseMethod("gives_probabilities")

#' @exportS3Method
gives_probabilities.dg_fit <- function(object) {
  !is.null(object$calibration) ||
    "prob" %in% spec_gives(innermost(object$spec)) && !wants_probabilities(object$spec)
}

# What fits of a specification give beside predictions: "prob", "se".
spec_gives <- function(spec) UseMethod("spec_gives")

#' @exportS3Method
spec_gives.dg_spec <- function(spec) if (wants_probabilities(spec)) "prob"

# What tools for any model are given. Numbers; relative hazards of times; of classes
# probabilities, where the model has some,
# or decision values: [rows], of two classes those of the second, or [rows x classes] of more.
tool_values <- function(model, newdata, ...) {
  if (model$response$kind != "class") return(stats::predict(model, newdata, ...))
  type <- if (gives_probabilities(model)) "prob" else "decision"
  values <- stats::predict(model, newdata, type = type, ...)
  if (is.matrix(values) && ncol(values) == 2L) values[, 2L] else values
}

# Classes to look at: of two the second, else all, if NULL.
read_class <- function(class, levels) {
  if (is.null(class)) return(if (length(levels) == 2L) levels[2L] else levels)
  if (length(class) == 0L) check_choice(class, "class", levels)
  for (name in class) check_choice(name, "class", levels)
  unique(class)
}
