# Cox regression by Newton's method, with all of the curvature of loss-cox.R. On the Gram matrix the
# steps are those on the columns of its root, by conjugate gradients, which need products with the
# root and sums over risk sets.

cox_rounds <- 100L

# Maximum number of conjugate gradient steps.
cox_steps <- 200L

# problem: see solve_newton().
solve_cox <- function(problem) {
  plan <- cox_plan(problem$Y, problem$costs)
  space <- problem$data$space_of_rows
  if (is.null(space)) space <- cox_space(problem$data, problem$args$tolerance)
  # of what a step may leave to be the last one
  least <- 1e-4 * problem$args$tolerance * sum(plan$deaths)
  offset <- problem$start[, 1L]
  value <- function(now) now$at$value + sum(now$w^2) / 2
  at <- function(w, u) list(w = w, u = u, at = cox_state(plan, offset + u))
  w <- if (is.null(problem$alpha)) numeric(ncol(space$Z)) else space$w(problem$alpha[[1L]])
  now <- at(w, drop(space$Z %*% w))
  for (round in seq_len(cox_rounds)) {
    step <- cox_step(plan, space, now, 1e-9 * least)
    # of the scale of rounding
    most <- value(now) + 1e-13 * sum(plan$deaths)
    t <- 1
    along <- function(t) at(now$w + t * step$w, now$u + t * step$u)
    ahead <- along(t)
    while (t > 1e-10 && !isTRUE(value(ahead) <= most)) {
      t <- t / 2
      ahead <- along(t)
    }
    if (t <= 1e-10) break
    now <- ahead
    converged <- t == 1 && step$gain <= least
    if (converged) break
  }
  list(coefficients = matrix(space$coefficients(now$w)), intercept = 0, decision = matrix(now$u),
       converged = t == 1 && converged, iterations = round,
       par = problem$loss$update(problem$par, problem$Y, offset + now$u, problem$costs))
}

# Coordinates in which f = Z w and |f| = |w|: features of rows, or columns of a root of the Gram
# matrix by Cholesky with pivots, K = Z Z', where f is an expansion in the rows of the pivots, which
# span all others but for rounding; a search, whose tolerance is large, is content with fewer.
cox_space <- function(data, tolerance = 0) {
  if (is.null(data$K)) {
    return(list(Z = t(feature_columns(data$space, data$rows)), w = identity,
                coefficients = identity))
  }
  n <- nrow(data$K)
  # of a matrix that is singular it warns
  least <- if (tolerance > 1e-3) 1e-3 * max(diag(data$K)) else -1
  root <- suppressWarnings(chol(data$K, pivot = TRUE, tol = least))
  used <- seq_len(attr(root, "rank"))
  pivots <- attr(root, "pivot")
  Z <- t(root[used, order(pivots), drop = FALSE])
  list(Z = Z, w = function(alpha) drop(crossprod(Z, alpha)), coefficients = function(w) {
    replace(numeric(n), pivots[used], backsolve(root, w, length(used)))
  })
}

# list(w, u): how w and u = Z w change to the least of the quadratic approximation at now, and twice
# what that gains. tolerance: of the error, twice what it costs.
cox_step <- function(plan, space, now, tolerance) {
  at <- now$at
  right <- -now$w - drop(crossprod(space$Z, at$slope))
  # most of the curvature is in some columns; where that is not enough, in all of them
  for (first in unique(pmin(c(ceiling(3 * sqrt(nrow(space$Z))), Inf), ncol(space$Z)))) {
    step <- if (all(is.finite(right), is.finite(at$rate), is.finite(at$curvature))) {
      core_result(cox_step_(
        space$Z, plan$until, plan$since, at$v, at$curvature, c(at$rate), c(at$risk), right, first,
        tolerance, sum(plan$deaths), cox_steps
      ))
    }
    if (isTRUE(step$converged)) {
      gain <- abs(sum(at$slope * step$product) + sum(now$w * step$change))
      return(list(w = step$change, u = step$product, gain = gain))
    }
  }
  abort("numeric", "Hazards are too far apart to be added up; scale the predictors and the ",
        "offsets, or raise `lambda`.")
}

# Domains left out: for each one Newton step without its rows, as if they had no weight. Without a
# domain that has all events there is nothing to step to: its rows are NA, and the attribute
# `failed` has the error by the domain's number.
cox_without <- function(object, sample, task) {
  check_left_out(sample)
  space <- cox_space(newton_data(object$space, sample))
  lambda <- penalty_of(object, "lambda")
  offset <- if (is.null(task$offset)) 0 else task$offset[, 1L]
  u <- drop(object$decision) - offset
  w <- space$w(drop(object$coefficients))
  values <- rep(NA_real_, nrow(task$Y))
  failed <- list()
  names <- levels(sample$domain)
  for (g in seq_along(names)) {
    held <- which(as.integer(sample$domain) == g)
    values[held] <- on_error(holding_out(names[g], {
      plan <- cox_plan(task$Y, replace(task$costs, held, 0) / lambda)
      now <- list(w = w, u = u, at = cox_state(plan, offset + u))
      (u + cox_step(plan, space, now, 1e-20 * sum(plan$deaths))$u)[held]
    }), function(e) {
      failed[[as.character(g)]] <<- e
      NA_real_
    })
  }
  structure(add_offset(matrix(values), task$offset), failed = failed)
}
