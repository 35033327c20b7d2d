# More than two classes, a function each: p_c = exp(f_c) / sum_j exp(f_j).

# Rounds over the classes, at most.
multinomial_rounds <- 500L

#' @exportS3Method
family_response.family_multinomial <- function(family, y) {
  if (!is.factor(y) || nlevels(y) < 2L) {
    abort("data", "The response of `family = \"multinomial\"` must be classes, not ",
          if (is.factor(y)) "one class" else "a number", ".")
  }
  list(kind = "class", levels = levels(y),
       pairs = if (nlevels(y) > 2L) each_class(levels(y)))
}

# Of two classes as of more: a function each.
#' @exportS3Method
family_targets.family_multinomial <- function(family, y) {
  outer(as.integer(y), seq_len(nlevels(y)), "==") + 0
}

#' @exportS3Method
family_constants.family_multinomial <- function(family, Y, costs, known = NULL) {
  shares <- pmax(colSums(costs * Y) / sum(costs), 1e-3)
  log(shares) - mean(log(shares))
}

#' @exportS3Method
zero_constants.family_multinomial <- function(family, machines) rep(0, machines)

#' @exportS3Method
family_means.family_multinomial <- function(family, values) {
  e <- exp(values - row_largest(values))
  e / rowSums(e)
}

# Where all classes move at once.
#' @exportS3Method
family_loss.family_multinomial <- function(family) {
  list(smooth = function(y, f, args, width) {
    p <- family_means(family, f)
    list(value = -log(pmax(p, 1e-300)) * y, slope = p - y, curvature = p * (1 - p))
  }, kinks = 0L, name = family$name)
}

# A step for each class in turn, then the mean over classes is taken off all functions, which
# changes no probability and makes the norms smaller.
#' @exportS3Method
family_machines.family_multinomial <- function(family, data, task, args, known) {
  classes <- seq_len(ncol(task$Y))
  args$max_iterations <- one_step(data)
  least <- newton_limits(args$tolerance, 0)$least
  now <- list(w = NULL, b = 0 * t(classes), f = 0 * task$Y)
  before <- Inf
  for (round in seq_len(multinomial_rounds)) {
    for (class in classes) now <- class_step(now, class, data, task, args, known)
    now <- lapply(now, function(part) part - rowMeans(part))
    objective <- class_objective(now, data, task, known)
    converged <- before - objective <= least * objective
    if (converged) break
    before <- objective
  }
  list(coefficients = now$w, offset = drop(now$b), decision = now$f,
       converged = rep(converged, length(classes)), iterations = rep(round, length(classes)))
}

# So many iterations are a step.
one_step <- function(data) if (inherits(data, "gram_data")) 1 else 2

# Of one class, the others being known: logistic in f_c less the logarithm of what they add up to.
class_step <- function(now, class, data, task, args, known) {
  values <- known + now$f
  start <- known[, class] + now$b[class] - log_sum(values[, -class, drop = FALSE])
  machine <- newton_machines(
    data, matrix(2 * task$Y[, class] - 1), matrix(task$penalised), class_loss, args,
    matrix(start), if (!is.null(now$w)) list(now$w[, class])
  )[[1L]]
  if (is.null(now$w)) now$w <- matrix(0, length(machine$coefficients), ncol(task$Y))
  now$w[, class] <- machine$coefficients
  now$f[, class] <- machine$decision + now$b[class]
  now$b[class] <- now$b[class] + machine$offset
  now
}

class_loss <- list(smooth = function(y, f, args, width) smooth_logistic(y, f, args, width),
                   kinks = 0L, name = "multinomial")

log_sum <- function(values) {
  largest <- row_largest(values)
  largest + log(rowSums(exp(values - largest)))
}

# Half the penalised deviance over lambda.
class_objective <- function(now, data, task, known) {
  values <- known + now$f
  losses <- log_sum(values) - rowSums(values * task$Y)
  used <- task$penalised > 0
  # |f|^2 = w'K w = w'f on the Gram matrix
  norm <- if (inherits(data, "gram_data")) sum(now$w * (now$f - rep(now$b, each = nrow(now$f))))
          else sum(now$w^2)
  sum(task$penalised[used] * losses[used]) + norm / 2
}

#' @exportS3Method
family_deviance.family_multinomial <- function(family, task, values) {
  used <- task$costs > 0
  2 * sum((task$costs * (log_sum(values) - rowSums(values * task$Y)))[used])
}

# Domains left out by one Newton step: on functions that sum to 0 the curvature diag(p) - p p' acts
# on a slope, which sums to 0 too, as diag(p) does, so that classes part; but for the penalty, which
# this lets each class bear by itself.
#' @exportS3Method
family_left_out.family_multinomial <- function(family, object, sample, task) {
  p <- family_means(family, object$decision)
  bent <- pmax(p, 1e-10)
  aims <- object$decision + (task$Y - p) / bent
  values <- vapply(seq_len(ncol(p)), function(class) {
    step_without(object, sample, list(response = task$response, Y = aims[, class, drop = FALSE],
                                      costs = task$costs * bent[, class]), NULL)[, 1L]
  }, numeric(nrow(p)))
  # scores look for classes by their names
  colnames(values) <- task$response$levels
  values - rowMeans(values)
}
