# Submodels that depend on each other, or on thresholds, by rounds: a Newton step for each, in which
# the others are an offset. problem: see solve_newton().

# At most.
block_rounds <- 500L

# step: of a state list(w, b, f [n x m], par), the next one; until a round gains next to nothing.
solve_in_rounds <- function(problem, state, step) {
  least <- newton_limits(problem$args$tolerance, 0)$least
  # so many iterations are one step
  problem$args$max_iterations <- if (is.null(problem$data$K)) 2 else 1
  before <- Inf
  for (round in seq_len(block_rounds)) {
    state <- step(state, problem)
    objective <- block_objective(state, problem)
    gain <- before - objective
    # a round that loses more than rounding has failed
    converged <- isTRUE(gain <= least * objective && gain >= -1e-10 * objective)
    if (!isTRUE(gain > least * objective)) break
    before <- objective
  }
  m <- ncol(problem$Y)
  list(coefficients = as.matrix(state$w), intercept = drop(state$b), decision = as.matrix(state$f),
       converged = rep(converged, m), iterations = rep(round, m), par = state$par)
}

# Half the penalised deviance over lambda.
block_objective <- function(state, problem) {
  # |f|^2 = w'K w = w'f on the Gram matrix
  norm <- if (is.null(problem$data$K)) sum(state$w^2)
          else sum(state$w * (state$f - rep(state$b, each = nrow(problem$Y))))
  sum_losses(problem$loss, state$par, problem$Y, problem$start + state$f, problem$costs) + norm / 2
}

# ---- a function for each class ----------------------------------------------------------------

# On the Gram matrix all classes in the same steps; where those fail, as on features, a step for
# each class in turn, then the mean over classes is taken off all functions, which changes no
# probability and makes the norms smaller.
solve_classes <- function(problem) {
  n <- nrow(problem$data$K)
  if (!is.null(n) && !is.null(problem$data$root)) {
    alpha <- if (!is.null(problem$alpha)) do.call(cbind, problem$alpha)
    joint <- newton_gram(problem$data, problem$Y, problem$costs, problem$start, problem$loss,
                         problem$args, alpha)
    if (!is.null(joint)) {
      return(list(coefficients = joint$alpha, intercept = drop(joint$b),
                  decision = with_constants(joint$g, joint$b, n), converged = joint$converged,
                  iterations = joint$iterations, par = problem$par))
    }
  }
  n_rows <- nrow(problem$Y)
  solved <- lapply(seq_len(n_rows / if (is.null(n)) n_rows else n), function(k) {
    if (is.null(n) || n == n_rows) return(solve_class_rounds(problem))
    at <- system_rows(k, n)
    for (part in c("Y", "costs", "start")) problem[[part]] <- take(problem[[part]], at)
    solve_class_rounds(problem)
  })
  if (length(solved) == 1L) return(solved[[1L]])
  rbind_of <- function(name) do.call(rbind, lapply(solved, `[[`, name))
  solved[[1L]][c("coefficients", "intercept", "decision")] <-
    lapply(c("coefficients", "intercept", "decision"), rbind_of)
  solved[[1L]]
}

solve_class_rounds <- function(problem) {
  classes <- seq_len(ncol(problem$Y))
  state <- list(w = NULL, b = 0 * t(classes), f = 0 * problem$Y, par = problem$par)
  solve_in_rounds(problem, state, function(state, problem) {
    for (class in classes) state <- class_step(state, class, problem)
    for (part in c("w", "b", "f")) state[[part]] <- state[[part]] - rowMeans(state[[part]])
    state
  })
}

# A step of one class: logistic in f_c, with minus the log-sum of the others as an offset.
class_step <- function(state, class, problem) {
  start <- problem$start
  values <- start + state$f
  offset <- start[, class] + state$b[class] - log_sum(values[, -class, drop = FALSE])
  submodel <- newton_submodels(
    problem$data, matrix(2 * problem$Y[, class] - 1), matrix(problem$costs), loss_logistic(),
    problem$args, matrix(offset), if (!is.null(state$w)) list(state$w[, class])
  )[[1L]]
  if (is.null(state$w)) state$w <- matrix(0, length(submodel$coefficients), ncol(problem$Y))
  state$w[, class] <- submodel$coefficients
  state$f[, class] <- submodel$decision + state$b[class]
  state$b[class] <- state$b[class] + submodel$intercept
  state
}

# Domains left out by one Newton step: on functions that sum to 0 the curvature diag(p) - p p' acts
# on a slope, which sums to 0 too, as diag(p) does, so that classes part; but for the penalty, which
# this lets each class bear by itself.
classes_without <- function(object, sample, task) {
  p <- class_shares(object$decision)
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

# ---- a function and thresholds ----------------------------------------------------------------

# A step of f, then the best thresholds.
solve_thresholds <- function(problem) {
  # a correction, whose thresholds are known
  if (!problem$args$intercept) return(solve_newton(problem))
  state <- list(w = NULL, b = 0, f = 0 * problem$Y, par = problem$par)
  solve_in_rounds(problem, state, function(state, problem) {
    problem$par <- state$par
    problem$alpha <- if (!is.null(state$w)) list(state$w)
    solved <- solve_newton(problem)
    # a constant moves the thresholds
    par <- state$par
    par$thresholds <- par$thresholds - solved$intercept
    f <- solved$decision - solved$intercept
    par <- problem$loss$update(par, problem$Y, f + problem$start, problem$costs)
    list(w = drop(solved$coefficients), b = 0, f = f, par = par)
  })
}

# Domains left out by one Newton step of f and of a constant, which moves all thresholds alike; how
# far these are apart is what the other rows say at their f.
thresholds_without <- function(object, sample, task) {
  f <- function_values(object, sample[c("X", "domain")])
  task$par <- object$family
  values <- step_without(object, sample, working_task(task, f), task$offset)
  scores <- as.matrix(object$decision)
  for (held in split(seq_along(f), sample$domain)) {
    family <- task$loss$update(task$par, task$Y, f, replace(task$costs, held, 0))
    family$thresholds <- family$thresholds - mean(family$thresholds - task$par$thresholds)
    scores[held, ] <- task$loss$scores(values[held, , drop = FALSE], family)
  }
  scores
}
