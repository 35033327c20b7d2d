# Learning g = f - f0 from the labelled rows of one domain, in the space of
# kappa(P_T, P_T) k. Each gives list(coefficients [rows or features x submodels], ...).

# The arguments of the penalised problem, those of the model unless others are given.
adapt_arguments <- function(learner, cost, lambda) UseMethod("adapt_arguments")

#' @exportS3Method
adapt_arguments.default <- function(learner, cost, lambda) {
  abort_adapt(paste0("a `", learner$spec$method, "()`"))
}

#' @exportS3Method
adapt_arguments.dg_svm <- function(learner, cost, lambda) {
  refuse_penalty(lambda, "lambda", "dg_svm", "`cost`")
  with_penalty(learner, "cost", cost)
}

#' @exportS3Method
adapt_arguments.dg_ridge <- function(learner, cost, lambda) {
  refuse_penalty(cost, "cost", "dg_ridge", "`lambda`")
  with_penalty(learner, "lambda", lambda)
}

with_penalty <- function(learner, arg, value) {
  args <- learner$spec$args
  args[[arg]] <- if (is.null(value)) penalty_of(learner, arg) else check_number(value, arg)
  args$intercept <- FALSE
  args
}

#' @exportS3Method
adapt_arguments.dg_gp <- function(learner, cost, lambda) {
  goes_by <- "`signal_sd` and `noise_sd`"
  refuse_penalty(cost, "cost", "dg_gp", goes_by)
  refuse_penalty(lambda, "lambda", "dg_gp", goes_by)
  c(learner$spec$args, list(lambda = (learner$noise_sd / learner$signal_sd)^2, intercept = FALSE))
}

refuse_penalty <- function(value, arg, method, goes_by) {
  if (!is.null(value)) {
    abort("argument", "`", arg, "` must not be given for a `", method, "()`, which uses ", goes_by,
          ".")
  }
}

# The kernel kappa(P_T, P_T) (k + constant) on the labelled rows; a feature map as it is.
correction_product <- function(space, sample, constant = NULL) UseMethod("correction_product")

#' @exportS3Method
correction_product.feature_space <- function(space, sample, constant = NULL) {
  if (!is.null(constant) && constant > 0) {
    abort("argument", "`constant` must be 0 with a feature map; it is for `features_exact()`.")
  }
  space
}

#' @exportS3Method
correction_product.gram_space <- function(space, sample, constant = NULL) {
  if (!is.null(constant) && constant > 0) space$kernel <- space$kernel + constant
  check_memory(nrow(sample$X), copies = 1.5)
  space[c("X", "domain")] <- sample[c("X", "domain")]
  if (uses_domain(space$domain_kernel)) {
    space$domain_kernel <- domain_alone(space$domain_kernel)
  }
  space
}

# start: f0 at the labelled rows, [rows x submodels].
train_correction <- function(learner, space, sample, start, args) UseMethod("train_correction")

#' @exportS3Method
train_correction.dg_svm <- function(learner, space, sample, start, args) {
  target <- code_rows(learner$response, sample$y)
  loss <- read_loss(learner$loss, learner$response$kind, args)
  data <- submodel_data(space, sample, is.null(loss$tube))
  takes_part <- learner$response$kind == "number" | target != 0
  costs <- args$cost * sample$weights * takes_part
  joined <- join_submodels(train_submodels(data, target, costs, loss, args, start))
  joined$coefficients <- matrix(joined$coefficients, ncol = ncol(target))
  joined[c("coefficients", "converged", "iterations", "gap", "relative_gap", "objective")]
}

#' @exportS3Method
train_correction.dg_ridge <- function(learner, space, sample, start, args) {
  task <- list(Y = code_rows(learner$response, sample$y) - start, costs = sample$weights)
  solve_ridge(space, sample, task, args)["coefficients"]
}

# The mean is a ridge regression's; the rest is what gp_moments() needs for the variance.
#' @exportS3Method
train_correction.dg_gp <- function(learner, space, sample, start, args) {
  left <- (sample$y - learner$response$centre) / learner$response$scale - drop(start)
  task <- list(Y = matrix(left), costs = sample$weights)
  correction <- list(
    coefficients = solve_ridge(space, sample, task, args)$coefficients, weights = sample$weights,
    y = left, response = list(centre = 0, scale = 1), signal_sd = learner$signal_sd,
    noise_sd = learner$noise_sd, spec = learner$spec
  )
  if (!is.null(space$feature_map)) correction$spread <- feature_spread(space, sample, learner)
  correction
}

feature_spread <- function(space, sample, learner) {
  rows <- rows_frame(replace(sample[c("X", "y", "domain", "weights")], "y", list(0 * sample$y)))
  sums <- gp_group_sums(rows, space, list(kind = "number", centre = 0, scale = 1), one_group)
  by_domain <- domain_sums(rows)
  nu <- learner$noise_sd / sqrt(by_domain$heaviest)
  gp_spread(gp_basis(gp_sums_of(sums, by_domain, seq_along(by_domain$weights))), nu,
            (nu / learner$signal_sd)^2)
}

# The posterior of f, where f is a Gaussian process.
#' @exportS3Method
posterior.dg_adapted <- function(object, new = NULL, draws = 0L) {
  if (is.null(new)) return(object$moments)
  new$domain <- one_domain(new$X, object$name)
  correction <- object$correction
  space <- correction$space <- correction_space(object)
  seen <- new_rows(correction, learner_rows(object$base, new))
  list(mean = drop(decision(object, new)), var = gp_moments(space, correction, seen)$var)
}
