# Decision values to what was asked for, and to the one scale on which learners of any kind are
# averaged.

# What respond() needs of a fit, or of a list that has its `response` alone: the targets of
# new_targets(), and what makes probabilities or means of values, if anything does:
#   maps    of each submodel, from its value to a probability
#   family  of dg_glm()
#   shares  of the classes, whatever the values are
#   means   "odds": values are their logarithms; "common": they are means, see common_values()
# type: what is asked; an error where that is "prob" and there are none.
targets_of <- function(object, type = "class") {
  targets <- c(object$calibration["maps"], object$response)
  if (type == "prob" && !has_probabilities(targets)) abort_no_probabilities(learner_of(object))
  targets
}

has_probabilities <- function(targets) {
  targets$kind == "class" && any(c("maps", "family", "shares", "means") %in% names(targets))
}

gives_probabilities <- function(object) has_probabilities(targets_of(object))

# Decision values [n x m] to numbers, classes, probabilities [n x classes] or decision values. Where
# there are probabilities the class is the most probable one, so that they do not contradict it.
respond <- function(targets, values, type) {
  several <- NCOL(values) > 1L
  if (type %in% c("class", "prob")) {
    scores <- if (has_probabilities(targets)) probabilities(targets, values)
              else if (several) class_scores(values, targets)
              else cbind(-values, values)
    return(if (type == "prob") scores else largest_class(scores, targets$levels))
  }
  if (several) return(class_scores(values, targets))
  # one column for more classes: their shares, of dg_null()
  if (length(targets$levels) > 2L) return(probabilities(targets, values))
  if (type != "decision" && !is.null(targets$family)) values <- link_means(targets, values)
  value <- unname(drop(values))
  if (targets$kind == "number") targets$centre + targets$scale * value else value
}

link_means <- function(targets, values) family_loss(targets$family)$mean(values, targets$family)

probabilities <- function(targets, values) {
  if (!is.null(targets$maps)) return(class_probabilities(values, targets, targets$maps))
  P <- values
  if (!is.null(targets$family)) P <- link_means(targets, values)
  else if (!is.null(targets$shares)) P <- outer(ifelse(is.na(values[, 1L]), NA, 1), targets$shares)
  # keeps the column of no rows
  else if (targets$means == "odds") P[] <- stats::plogis(values)
  else if (ncol(values) == 1L) P <- (1 + values) / 2
  if (ncol(P) < length(targets$levels)) P <- cbind(1 - P, P)
  dimnames(P) <- list(NULL, targets$levels)
  P
}

abort_no_probabilities <- function(object) {
  if (!is.null(object$members)) {
    without <- names(object$members)[!vapply(object$members, gives_probabilities, NA)]
    abort("argument", "`type = \"prob\"` is not available: ", enumerate(without, quote = "\""),
          if (length(without) == 1L) " has" else " have", " no probabilities; fit `",
          object$spec$method, "(calibration = \"platt\")`.")
  }
  possible <- !is.null(spec_calibration(object$spec))
  if (possible && !is.null(object$rows$n)) {
    abort("argument", "`type = \"prob\"` of a model fitted to sums or a source needs ",
          "`dg_svm(loss = \"logistic\")`; calibration needs the rows themselves.")
  }
  abort("argument", "`type = \"prob\"` is not available",
        if (possible) " without calibration: fit `" else " for `", object$spec$method,
        if (possible) "(calibration = \"platt\")`." else "()`: use \"decision\" or \"class\".")
}

# Decision values on the common scale [n x 1 or classes]: a number in units of the response, 2p - 1
# for two classes, a column of probabilities or least-squares values for more, and a logarithm of
# hazards for times.
common_values <- function(targets, values) {
  if (targets$kind == "number") return(matrix(respond(targets, values, "number"), ncol = 1L))
  if (targets$kind == "censored") return(matrix(values, ncol = 1L))
  two <- length(targets$levels) == 2L
  if (has_probabilities(targets)) {
    P <- probabilities(targets, values)
    return(if (two) matrix(2 * P[, 2L] - 1, ncol = 1L) else unname(P))
  }
  # estimates of them as they are
  if (targets$columns == "each") return(unname(values))
  if (two) return(matrix(pmin(pmax(values[, 1L], -1), 1), ncol = 1L))
  outer(as.integer(respond(targets, values, "class")), seq_along(targets$levels), "==") + 0
}

# A member without weight may not even have a finite value.
weighted_values <- function(values, weights) {
  used <- weights > 0
  Reduce(`+`, Map(`*`, values[used], weights[used]))
}

# Further results of fits of a specification: "prob", "se", "survival". classes: how many the
# response has, if known.
spec_gives <- function(spec, classes = NULL) UseMethod("spec_gives")

#' @exportS3Method
spec_gives.dg_spec <- function(spec, classes = NULL) if (wants_probabilities(spec)) "prob"

# Predictions for tools that take any model: numbers, relative hazards of times, probabilities of
# classes, or decision values if the model has no probabilities: [rows], of two classes those of the
# second, or [rows x classes].
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
