# Cox regression by Newton's method, with all of the curvature of loss-cox.R. On the Gram matrix the
# steps are those on the columns of its root.

cox_rounds <- 100L

# problem: see solve_newton().
solve_cox <- function(problem) {
  plan <- cox_plan(problem$Y, problem$costs)
  space <- cox_space(problem$data, problem$args$tolerance)
  known <- problem$start[, 1L]
  value <- function(now) cox_state(plan, known + now$u)$value + sum(now$w^2) / 2
  now <- list(w = numeric(ncol(space$Z)), u = 0 * known)
  for (round in seq_len(cox_rounds)) {
    aim <- cox_aim(plan, space, now, known)
    # of the scale of rounding
    least <- value(now) + 1e-13 * sum(plan$deaths)
    t <- 1
    along <- function(t) Map(function(from, to) from + t * (to - from), now, aim[c("w", "u")])
    while (t > 1e-10 && !isTRUE(value(along(t)) <= least)) t <- t / 2
    if (t <= 1e-10) break
    now <- along(t)
    converged <- t == 1 && aim$gain <= 1e-4 * problem$args$tolerance * sum(plan$deaths)
    if (converged) break
  }
  list(coefficients = matrix(space$coefficients(now$w)), intercept = 0, decision = matrix(now$u),
       converged = t == 1 && converged, iterations = round,
       par = problem$loss$update(problem$par, problem$Y, known + now$u, problem$costs))
}

# Coordinates in which f = Z w and |f| = |w|: features of rows, or columns of a root of the Gram
# matrix by Cholesky with pivots, K = Z Z', where f is an expansion in the rows of the pivots, which
# span all others but for rounding; a search, whose tolerance is large, is content with fewer.
cox_space <- function(data, tolerance = 0) {
  if (is.null(data$K)) {
    return(list(Z = t(feature_columns(data$space, data$rows)), coefficients = identity))
  }
  n <- nrow(data$K)
  # of a matrix that is singular it warns
  least <- if (tolerance > 1e-3) tolerance / 100 * max(diag(data$K)) else -1
  root <- suppressWarnings(chol(data$K, pivot = TRUE, tol = least))
  own <- seq_len(attr(root, "rank"))
  rows <- attr(root, "pivot")
  list(Z = t(root[own, order(rows), drop = FALSE]), coefficients = function(w) {
    replace(numeric(n), rows[own], backsolve(root, w, length(own)))
  })
}

# The least of the quadratic approximation at f = known + u, (1 + Z'W Z) w = Z'(W u - slope), and
# twice what it gains.
cox_aim <- function(plan, space, now, known) {
  at <- cox_state(plan, known + now$u)
  right <- cox_curvature(plan, at, matrix(now$u))[, 1L] - at$slope
  hessian <- crossprod(space$Z, cox_curvature(plan, at, space$Z))
  diag(hessian) <- diag(hessian) + 1
  root <- if (all(is.finite(hessian))) on_error(chol(hessian), function(e) NULL)
  if (is.null(root)) {
    abort("numeric", "Hazards are too far apart to be added up; scale the predictors and the ",
          "offsets, or raise `lambda`.")
  }
  w <- drop(chol2inv(root) %*% crossprod(space$Z, right))
  u <- drop(space$Z %*% w)
  list(w = w, u = u, gain = abs(sum(at$slope * (u - now$u)) + sum(now$w * (w - now$w))))
}

# W Z
cox_curvature <- function(plan, at, Z) {
  # means of those at risk, as the square of a small sum would underflow
  means <- at_risk(plan, at$v * Z) / c(at$risk)
  at$curvature * Z - at$v * up_to_row(plan, c(at$rate) * means)
}

# Domains left out: for each one Newton step without its rows, as if they had no weight.
cox_without <- function(object, sample, task) {
  check_left_out(sample)
  space <- cox_space(newton_data(object$space, sample))
  lambda <- penalty_of(object, "lambda")
  known <- if (is.null(task$known)) 0 else task$known[, 1L]
  now <- list(w = 0, u = drop(object$decision) - known)
  values <- numeric(nrow(task$Y))
  for (held in split(seq_along(values), sample$domain)) {
    plan <- cox_plan(task$Y, replace(task$costs, held, 0) / lambda)
    values[held] <- cox_aim(plan, space, now, known)$u[held]
  }
  add_known(matrix(values), task$known)
}
