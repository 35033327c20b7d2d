# Cox regression by Newton's method, with all of the curvature of loss-cox.R. On the Gram matrix the
# steps are those on the columns of its root, by conjugate gradients, which need products with the
# root and sums over risk sets.

cox_rounds <- 100L

# Of conjugate gradients, before a factor is made.
cox_steps <- 100L

# Of the root, in which the curvature is nearly known.
cox_columns <- 500L

# problem: see solve_newton().
solve_cox <- function(problem) {
  plan <- cox_plan(problem$Y, problem$costs)
  space <- problem$data$space_of_rows
  if (is.null(space)) space <- cox_space(problem$data, problem$args$tolerance)
  # of what a step may leave to be the last one
  least <- 1e-4 * problem$args$tolerance * sum(plan$deaths)
  known <- problem$start[, 1L]
  value <- function(now) cox_state(plan, known + now$u)$value + sum(now$w^2) / 2
  w <- if (is.null(problem$alpha)) numeric(ncol(space$Z))
       else drop(crossprod(space$Z, problem$alpha[[1L]]))
  now <- list(w = w, u = drop(space$Z %*% w))
  for (round in seq_len(cox_rounds)) {
    aim <- cox_aim(plan, space, now, known, 1e-9 * least)
    # of the scale of rounding
    most <- value(now) + 1e-13 * sum(plan$deaths)
    t <- 1
    along <- function(t) Map(function(from, to) from + t * (to - from), now, aim[c("w", "u")])
    while (t > 1e-10 && !isTRUE(value(along(t)) <= most)) t <- t / 2
    if (t <= 1e-10) break
    now <- along(t)
    converged <- t == 1 && aim$gain <= least
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
    return(new_cox_space(t(feature_columns(data$space, data$rows)), identity))
  }
  n <- nrow(data$K)
  # of a matrix that is singular it warns
  least <- if (tolerance > 1e-3) tolerance / 100 * max(diag(data$K)) else -1
  root <- suppressWarnings(chol(data$K, pivot = TRUE, tol = least))
  own <- seq_len(attr(root, "rank"))
  rows <- attr(root, "pivot")
  new_cox_space(t(root[own, order(rows), drop = FALSE]), function(w) {
    replace(numeric(n), rows[own], backsolve(root, w, length(own)))
  })
}

new_cox_space <- function(Z, coefficients) list(Z = Z, squares = Z^2, coefficients = coefficients)

# The least of the quadratic approximation at f = known + u, (1 + Z'W Z) w = Z'(W u - slope), and
# twice what it gains. now$w: NULL where only u is known; tolerance: of the error, twice what it
# costs.
cox_aim <- function(plan, space, now, known, tolerance) {
  at <- cox_state(plan, known + now$u)
  right <- crossprod(space$Z, cox_curvature(plan, at, matrix(now$u)) - at$slope)[, 1L]
  w <- cox_conjugate(plan, space, at, now, right, tolerance)
  if (is.null(w)) w <- cox_factor(plan, space, at, right)
  u <- drop(space$Z %*% w)
  list(w = w, u = u, gain = abs(sum(at$slope * (u - now$u)) + sum(now$w * (w - now$w))))
}

# By preconditioned conjugate gradients, as in core/ridge/conjugate.h but of another matrix; NULL
# where they fail. The preconditioner is 1 + Z' diag(W) Z in the first columns of Z, the largest,
# and its diagonal in the others: diag(W) is no less than W, and more only in few directions.
cox_conjugate <- function(plan, space, at, now, right, tolerance) {
  Z <- space$Z
  first <- seq_len(min(ncol(Z), cox_columns))
  roots <- sqrt(at$curvature)
  inner <- crossprod(roots * Z[, first, drop = FALSE])
  diag(inner) <- diag(inner) + 1
  root <- if (all(is.finite(inner))) on_error(chol(inner), function(e) NULL)
  if (is.null(root) || !all(is.finite(right))) return(NULL)
  rest <- 1 + drop(crossprod(space$squares[, -first, drop = FALSE], at$curvature))
  precondition <- function(r) {
    c(backsolve(root, backsolve(root, r[first], transpose = TRUE)), r[-first] / rest)
  }
  w <- if (is.null(now$w)) 0 * right else now$w
  residual <- if (is.null(now$w)) right else right - cox_hessian(plan, Z, at, w)
  direction <- y <- precondition(residual)
  left <- sum(residual * y)
  for (step in seq_len(cox_steps)) {
    if (!isTRUE(left > tolerance)) break
    image <- cox_hessian(plan, Z, at, direction)
    length <- left / sum(direction * image)
    w <- w + length * direction
    residual <- residual - length * image
    y <- precondition(residual)
    after <- sum(residual * y)
    direction <- y + after / left * direction
    left <- after
  }
  if (isTRUE(left <= tolerance)) w
}

# (1 + Z'W Z) w
cox_hessian <- function(plan, Z, at, w) {
  w + drop(crossprod(Z, cox_curvature(plan, at, Z %*% w)))
}

cox_factor <- function(plan, space, at, right) {
  hessian <- crossprod(space$Z, cox_curvature(plan, at, space$Z))
  diag(hessian) <- diag(hessian) + 1
  root <- if (all(is.finite(hessian))) on_error(chol(hessian), function(e) NULL)
  if (is.null(root)) {
    abort("numeric", "Hazards are too far apart to be added up; scale the predictors and the ",
          "offsets, or raise `lambda`.")
  }
  backsolve(root, backsolve(root, right, transpose = TRUE))
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
  now <- list(w = NULL, u = drop(object$decision) - known)
  values <- numeric(nrow(task$Y))
  for (held in split(seq_along(values), sample$domain)) {
    plan <- cox_plan(task$Y, replace(task$costs, held, 0) / lambda)
    values[held] <- cox_aim(plan, space, now, known, 1e-20 * sum(plan$deaths))$u[held]
  }
  add_known(matrix(values), task$known)
}
