# Losses without a tube, by Newton's method: submodels on the Gram matrix, or by passes over the
# rows. What they give is what train_machine() does.

# What the passes over rows work on: the Gram matrix, or rows whose features are made again.
newton_data <- function(space, sample) {
  if (is.null(space$feature_map)) {
    return(structure(list(K = space_gram(space)), class = "gram_data"))
  }
  check_feature_memory(space$dim)
  structure(list(space = space, rows = sample[c("X", "domain")],
                 table = own_table(space, sample)), class = "row_data")
}

# A fit of dg_glm(). problem: list(data: see newton_data(), Y [n x m], costs [n] over the penalty,
# start: known values of f [n x m], alpha: coefficients to begin at, a list, or NULL, loss, par: its
# parameters, args: list(intercept, tolerance, max_iterations)). All solvers of such problems give
# list(coefficients, intercept, decision [n x m], converged, iterations [m], par).
solve_newton <- function(problem) {
  Y <- problem$Y
  costs <- matrix(problem$costs, nrow(Y), ncol(Y))
  submodels <- newton_submodels(problem$data, Y, costs, problem$loss, c(problem$args, problem$par),
                              problem$start, problem$alpha)
  of <- function(name) lapply(submodels, `[[`, name)
  list(coefficients = unname(do.call(cbind, of("coefficients"))),
       intercept = unlist(of("intercept")),
       decision = unname(do.call(cbind, of("decision"))), converged = unlist(of("converged")),
       iterations = unlist(of("iterations")), par = problem$par)
}

# Domains left out of such a fit by one Newton step, see dg_lodo().
newton_without <- function(object, sample, task) {
  step_without(object, sample, working_task(task, object$decision), task$known)
}

newton_submodels <- function(data, target, costs, loss, args, start, alpha) {
  UseMethod("newton_submodels")
}

# All submodels in the same passes.
#' @exportS3Method
newton_submodels.row_data <- function(data, target, costs, loss, args, start, alpha) {
  space <- data$space
  # coefficients that are known, with no constant yet
  at <- if (!is.null(alpha)) rbind(do.call(cbind, alpha), if (args$intercept) 0)
  state <- newton_start(space$dim, ncol(target), args$intercept, loss, args$tolerance,
                        args$max_iterations, at)
  while (!state$done) {
    state <- newton_next(state, newton_features(state, space, data$rows, data$table, target,
                                                costs, loss, args, start))
  }
  result <- newton_result(state)
  check_objective(result$objective, paste(" on features of", format(space$kernel)))
  result$decision <- add_intercept(
    expand_rows(space, data$rows, data$table, result$coefficients), result$intercept
  )
  lapply(seq_len(ncol(target)), function(m) {
    lapply(result, function(part) if (is.matrix(part)) part[, m] else part[m])
  })
}

check_objective <- function(objective, where = "") {
  if (all(is.finite(objective))) return(invisible())
  abort("numeric", "The objective overflows", where, "; scale the predictors or lower `cost`.")
}

#' @exportS3Method
newton_submodels.gram_data <- function(data, target, costs, loss, args, start, alpha) {
  lapply(seq_len(ncol(target)), function(m) {
    known <- if (is.matrix(start)) start[, m] else start
    newton_gram(data$K, target[, m], costs[, m], loss, args, known, alpha[[m]])
  })
}

# f = K alpha + b. With p = c l' and W = c l'' at f a step solves
#   (K + W^-1) alpha + 1 b = f - p / W,   1'alpha = 0 with a constant,
# a ridge regression (iteratively reweighted least squares). Rows without cost take no part.
newton_gram <- function(K, y, costs, loss, args, start, alpha) {
  task <- list(used = which(costs > 0), y = y, costs = costs, start = start, loss = loss,
               args = args)
  if (is.null(alpha)) alpha <- numeric(length(y))
  now <- list(alpha = alpha, b = 0, f = drop(K %*% alpha))
  limits <- newton_limits(args$tolerance, args$max_iterations)
  for (iteration in seq_len(limits$most)) {
    step <- gram_step(K, now, task)
    along <- gram_along(now, step, task)
    value <- along$value[1L]
    check_objective(value)
    decrement <- max(-along$slope[1L], 0)
    converged <- is_last_step(decrement, value, sum(costs), limits)
    # a step that is so short is good, but for rounding
    t <- if (converged || is_good_step(along)) 1 else best_length(along)
    if (t == 0) t <- shorter_length(now, step, task, value)
    now <- list(alpha = now$alpha + t * step$alpha, b = now$b + t * step$b,
                f = now$f + t * step$f)
    # at the edge of where there is a mean no step goes on
    if (converged || t < 1e-9) break
  }
  c(list(coefficients = now$alpha, intercept = now$b, decision = now$f),
    newton_report(converged, iteration, decrement, value, sum(costs)), list(alpha = now$alpha))
}

# Of a step that is too long by more than the shortest of the lengths.
shorter_length <- function(now, step, task, value) {
  t <- step_lengths[2L] / 2
  for (halving in seq_len(60L)) {
    there <- Map(function(at, change) at + t * change, now[c("alpha", "b", "f")],
                 step[c("alpha", "b", "f")])
    if (gram_along(there, list(alpha = 0, b = 0, f = 0 * step$f), task)$value[1L] <= value) break
    t <- t / 2
  }
  t
}

# list(alpha, b, f): how they change.
gram_step <- function(K, now, task) {
  used <- task$used
  change <- list(alpha = -now$alpha, b = 0)
  if (length(used)) {
    at <- smooth_at(task, now$f)
    # of rows far on either side next to nothing is left, of which the inverse would be taken
    bent <- pmax(at$curvature, 1e-20)
    ridge <- pmin(1 / (task$costs[used] * bent), 1e200)
    columns <- cbind(now$f[used] - at$slope / bent, if (task$args$intercept) 1)
    part <- if (length(used) == nrow(K)) K else K[used, used, drop = FALSE]
    solved <- core_result(ridge_solve_(part, columns, ridge))$solution
    alpha <- solved[, 1L]
    if (task$args$intercept) {
      b <- sum(alpha) / sum(solved[, 2L])
      alpha <- alpha - b * solved[, 2L]
      change$b <- b - now$b
    }
    change$alpha[used] <- change$alpha[used] + alpha
  }
  change$f <- drop(K %*% change$alpha) + change$b
  change
}

smooth_at <- function(task, f) {
  start <- if (length(task$start) > 1L) task$start[task$used] else task$start
  task$loss$smooth(task$y[task$used], start + f[task$used], task$args, kink_width)
}

# The objective and its slope at the lengths of a step.
gram_along <- function(now, step, task) {
  costs <- task$costs[task$used]
  change <- step$f[task$used]
  losses <- vapply(step_lengths, function(t) {
    at <- smooth_at(task, now$f + t * step$f)
    c(sum(costs * at$value), sum(costs * at$slope * change))
  }, numeric(2L))
  # <g, g>, <g, h>, <h, h> for g = K alpha and its change h
  square <- c(sum(now$alpha * (now$f - now$b)), sum(step$alpha * (now$f - now$b)),
              sum(step$alpha * (step$f - step$b)))
  finite_along(losses[1L, ], losses[2L, ], square)
}

#' @exportS3Method
spec_gives.dg_svm_spec <- function(spec) {
  loss <- spec$args$loss
  if (is.null(loss) || !named_loss(loss)$log_odds) NextMethod() else "prob"
}
