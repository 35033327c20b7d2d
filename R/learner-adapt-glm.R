# Learning g = f - f0 of a generalised linear model from the labelled rows of one domain: the same
# Newton steps from what f0 says, without constants of its own.

#' @exportS3Method
adapt_arguments.dg_glm <- function(learner, cost, lambda) {
  refuse_penalty(cost, "cost", "dg_glm", "`lambda`")
  with_penalty(learner, "lambda", lambda)
}

#' @exportS3Method
train_correction.dg_glm <- function(learner, space, sample, start, args) {
  # without an event times say nothing
  if (is_censored(sample$y) && !any(has_event(sample$y))) {
    coefficients <- if (is.null(space$feature_map)) nrow(sample$X) else space$dim
    return(list(coefficients = matrix(0, coefficients, 1L),
                converged = TRUE, iterations = 0L))
  }
  loss <- family_loss(learner$family)
  loss$check(sample$y)
  task <- list(loss = loss, par = learner$family, Y = loss$targets(sample$y),
               costs = sample$weights)
  solved <- train_glm(newton_data(space, sample), task, args, start)
  warn_glm(solved)
  solved[c("coefficients", "converged", "iterations")]
}
