# Losses without a tube, by Newton's method: submodels on the Gram matrix, or by passes over the
# rows. What they give is what train_machine() does.

# What the passes over rows work on: the Gram matrix, or rows whose features are made again.
newton_data <- function(space, sample) {
  if (is.null(space$feature_map)) {
    return(gram_data(space_gram(space)))
  }
  check_feature_memory(space$dim)
  structure(list(space = space, rows = sample[c("X", "domain")],
                 table = own_table(space, sample)), class = "row_data")
}

# From so many rows on steps are made by conjugate gradients, which need products with K alone.
conjugate_rows <- 400L

# K [n x n], root: U [n x q] with K ~ UU' from q rows, see core/ridge/conjugate.h; NULL where there
# are few rows, and if K of the q rows is not positive definite, as where it is 0 or a user's own.
# An environment, so that the root is made when it is first asked for, and once: the dual problem
# and Cox regression never ask.
gram_data <- function(K) {
  data <- structure(new.env(parent = emptyenv()), class = "gram_data")
  data$K <- K
  n <- nrow(K)
  delayedAssign("root", if (n >= conjugate_rows) {
    on_error(ridge_landmarks_(K, ceiling(3 * sqrt(n))), function(e) NULL)
  }, assign.env = data)
  data
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
    newton_gram(data$K, target[, m], costs[, m], loss, args, known, alpha[[m]], data$root)
  })
}

# f = K alpha + b. With p = c l' and W = c l'' at f a step solves
#   (K + W^-1) alpha + 1 b = f - p / W,   1'alpha = 0 with a constant,
# a ridge regression (iteratively reweighted least squares). Rows without cost take no part.
newton_gram <- function(K, y, costs, loss, args, start, alpha, root = NULL) {
  limits <- newton_limits(args$tolerance, args$max_iterations)
  task <- list(used = which(costs > 0), y = y, costs = costs, start = start, loss = loss,
               args = args, least = limits$least)
  now <- list(alpha = if (is.null(alpha)) numeric(length(y)) else alpha, b = 0,
              f = if (is.null(alpha)) numeric(length(y)) else drop(K %*% alpha))
  for (iteration in seq_len(limits$most)) {
    step <- gram_step(K, root, now, task)
    along <- gram_along(now, step, task)
    value <- along$value[1L]
    check_objective(value)
    decrement <- max(-along$slope[1L], 0)
    converged <- is_last_step(decrement, value, sum(costs), limits)
    # a step that is so short is good, but for rounding
    t <- if (converged || is_good_step(along, 2L)) 1
         else best_length(gram_along(now, step, task, step_lengths))
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
gram_step <- function(K, root, now, task) {
  used <- task$used
  if (!length(used)) return(list(alpha = -now$alpha, b = 0, f = now$b - now$f))
  at <- smooth_at(task, now$f)
  # of rows far on either side next to nothing is left, of which the inverse would be taken
  bent <- pmax(at$curvature, 1e-20)
  ridge <- pmin(1 / (task$costs[used] * bent), 1e200)
  aim <- now$f[used] - at$slope / bent
  whole <- length(used) == nrow(K)
  part <- list(K = if (whole) K else K[used, used, drop = FALSE],
               root = root[used, , drop = FALSE])
  value <- sum(task$costs[used] * at$value) + sum(now$alpha * (now$f - now$b)) / 2
  step <- conjugate_step(part, now$alpha[used], now$f[used] - now$b, aim, ridge, value, task)
  if (is.null(step)) step <- factor_step(part$K, now$alpha[used], aim, ridge, task)
  change <- list(alpha = replace(-now$alpha, used, step$alpha), b = step$b - now$b)
  g <- if (whole && !is.null(step$g)) step$g else drop(K %*% change$alpha)
  change$f <- g + change$b
  change
}

# By conjugate gradients from where we are, list(alpha, g: how they change, b: what it is); NULL
# where they would take longer than a factor. Their error is far below that of a fit, so that the
# steps are those of the factor but for rounding.
conjugate_step <- function(part, alpha, g, aim, ridge, value, task) {
  if (is.null(part$root) || !all(is.finite(aim)) || !is.finite(value)) return(NULL)
  missing <- sum(alpha)
  # of rounding
  if (abs(missing) <= 1e-13 * sum(abs(alpha))) missing <- 0
  solved <- core_result(ridge_conjugate_(
    part$K, part$root, ridge, aim - g - ridge * alpha, -missing, task$args$intercept,
    1e-8 * task$least * value, max(40, nrow(part$K) %/% 80)
  ))
  drift <- if (task$args$intercept) abs(sum(solved$change) + missing) else 0
  if (!solved$converged || drift > 1e-9 * sum(abs(alpha + solved$change))) return(NULL)
  list(alpha = solved$change, g = solved$product, b = solved$constant)
}

factor_step <- function(K, alpha, aim, ridge, task) {
  solved <- core_result(ridge_solve_(K, cbind(aim, if (task$args$intercept) 1),
                                     ridge))$solution
  target <- solved[, 1L]
  b <- 0
  if (task$args$intercept) {
    b <- sum(target) / sum(solved[, 2L])
    target <- target - b * solved[, 2L]
  }
  list(alpha = target - alpha, b = b)
}

smooth_at <- function(task, f) {
  start <- if (length(task$start) > 1L) task$start[task$used] else task$start
  task$loss$smooth(task$y[task$used], start + f[task$used], task$args, kink_width)
}

# The objective and its slope at lengths of a step; its ends are enough to know a good one.
gram_along <- function(now, step, task, lengths = c(0, 1)) {
  costs <- task$costs[task$used]
  change <- step$f[task$used]
  losses <- vapply(lengths, function(t) {
    at <- smooth_at(task, now$f + t * step$f)
    c(sum(costs * at$value), sum(costs * at$slope * change))
  }, numeric(2L))
  # <g, g>, <g, h>, <h, h> for g = K alpha and its change h
  square <- c(sum(now$alpha * (now$f - now$b)), sum(step$alpha * (now$f - now$b)),
              sum(step$alpha * (step$f - step$b)))
  finite_along(losses[1L, ], losses[2L, ], square, lengths)
}

#' @exportS3Method
spec_gives.dg_svm_spec <- function(spec) {
  loss <- spec$args$loss
  if (is.null(loss) || !named_loss(loss)$log_odds) NextMethod() else "prob"
}
