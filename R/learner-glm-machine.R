# Generalised linear models by Newton's method, see learner-svm-newton.R: with the deviance in the
# place of a loss. A family (learner-glm-family.R and one file for each of another kind) says
#   family_response(family, y)       list(kind, levels, ...), or an error that says what it needs
#   family_targets(family, y)        Y [n x m]
#   family_constants(family, Y, c, o)  m values of the link, of the constants alone; o [n x 1]: what
#                                    is known of the link, or NULL
#   family_begin(family, Y, c, o)    itself with what else is fitted, where that begins
#   family_loss(family)              list(smooth, kinks), half the unit deviance, as loss.R says
#   family_scores(family, values)    values of the link as others see them, [n x m] or of classes
#   family_means(family, values)     means or probabilities from values of the link
#   family_working(family, task, f)  its quadratic approximation, where rows are no sum
#   family_machines(family, ...)     how its machines are trained, where they know of each other
# Where a machine starts, f = 0, is the best constant.

# columns: of X, those that are an offset. list(family, response, Y [n x m], costs [n], constant
# [m], known: of the link [n x 1], or NULL)
glm_task <- function(family, sample, args, columns = NULL) {
  response <- c(family_response(family, sample$y), list(centre = 0, scale = 1))
  Y <- family_targets(family, sample$y)
  costs <- row_costs(1, sample$weights, sample$domain, args$domain_weights)
  known <- known_values(sample$X, columns)
  if (!is.null(known) && ncol(Y) > 1L) {
    abort("argument", "`formula` must not contain `offset()` with `family = ",
          dQuote(family$name, FALSE), "`, which has a function for each class.")
  }
  constant <- if (args$offset) family_constants(family, Y, costs / max(costs), known)
              else zero_constants(family, ncol(Y))
  family <- family_begin(family, Y, costs / max(costs), known)
  list(family = family, response = response, Y = Y, costs = costs, constant = constant,
       known = known, loss = family_loss(family))
}

# The offsets of rows, added up.
known_values <- function(X, columns) {
  if (length(columns)) matrix(rowSums(X[, columns, drop = FALSE]))
}

add_known <- function(values, known) if (is.null(known)) values else values + c(known)

constant_values <- function(task) {
  add_known(matrix(task$constant, nrow(task$Y), ncol(task$Y), byrow = TRUE), task$known)
}

# What is fitted in the quadratic approximation of the deviance at the constants: a ridge regression
# of working responses with working weights.
null_task <- function(task) working_task(task, constant_values(task))

# At these values of the link [n x m]: task of a ridge regression, see ridge_task(), of what is not
# known of them.
working_task <- function(task, values) {
  working <- family_working(task$family, task, values)
  if (!is.null(task$known)) working$Y <- working$Y - task$known
  working
}

family_working <- function(family, task, values) UseMethod("family_working")

#' @exportS3Method
family_working.default <- function(family, task, values) {
  at <- task$loss$smooth(task$Y, values, NULL, 0)
  bent <- pmax(at$curvature, 1e-10 * max(at$curvature, 1e-10))
  # machines share the weights of rows
  shared <- rowMeans(bent)
  list(response = task$response, Y = values - at$slope / shared, costs = task$costs * shared)
}

# What the passes over rows work on: the Gram matrix, or rows whose features are made again.
newton_data <- function(product, sample) UseMethod("newton_data")

#' @exportS3Method
newton_data.gram_space <- function(product, sample) machine_data(product, sample, NULL)

#' @exportS3Method
newton_data.feature_space <- function(product, sample) row_data(product, sample)

# start: known values of f [n x m] in the place of the constants; task$alpha: coefficients to begin
# at, a list, where machines know nothing of each other.
# list(coefficients, offset, decision [n x m], converged, iterations [m])
train_glm <- function(data, task, args, start = NULL, tolerance = 1e-8) {
  known <- if (is.null(start)) constant_values(task) else start
  args[c("tolerance", "max_iterations")] <- list(tolerance, 0)
  # largest weights beside the smallest penalty
  task$penalised <- task$costs / args$lambda
  if (any(!is.finite(task$penalised))) {
    abort("numeric", "The weights over `lambda` overflow; raise `lambda` or divide the weights.")
  }
  solved <- family_machines(task$family, data, task, args, known)
  finite <- all(is.finite(solved$coefficients)) && all(is.finite(solved$decision))
  if (!finite) {
    abort("numeric", "The coefficients overflow; scale the predictors or raise `lambda`.")
  }
  if (is.null(start)) solved$offset <- solved$offset + task$constant
  solved$decision <- solved$decision + known
  solved
}

family_machines <- function(family, data, task, args, known) UseMethod("family_machines")

# Machines that know nothing of each other.
#' @exportS3Method
family_machines.default <- function(family, data, task, args, known) {
  costs <- matrix(task$penalised, nrow(task$Y), ncol(task$Y))
  machines <- newton_machines(data, task$Y, costs, task$loss, args, known, task$alpha)
  bind_machines(machines)
}

bind_machines <- function(machines) {
  of <- function(name) lapply(machines, `[[`, name)
  list(coefficients = unname(do.call(cbind, of("coefficients"))), offset = unlist(of("offset")),
       decision = unname(do.call(cbind, of("decision"))), converged = unlist(of("converged")),
       iterations = unlist(of("iterations")))
}

# Sum of c_i d_i at values of the link.
glm_deviance <- function(task, values) family_deviance(task$family, task, values)

family_deviance <- function(family, task, values) UseMethod("family_deviance")

#' @exportS3Method
family_deviance.default <- function(family, task, values) {
  used <- task$costs > 0
  at <- task$loss$smooth(task$Y[used, , drop = FALSE], values[used, , drop = FALSE], NULL, 0)
  2 * sum(task$costs[used] * at$value)
}

# The ridge regression of a working task, without each row's domain: values of the link.
step_without <- function(object, sample, working, known) {
  values <- left_out_predictions(object$product, sample, working, penalised_args(object),
                                 penalty_of(object, "lambda"))
  add_known(matrix(values, nrow(working$Y)), known)
}

penalised_args <- function(object) {
  utils::modifyList(object$spec$args, list(lambda = penalty_of(object, "lambda")))
}
