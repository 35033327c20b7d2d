# Cox regression by Newton's method, with all of the curvature of loss-cox.R. On the Gram matrix the
# steps are those on the columns of its root, by conjugate gradients, which need products with the
# root and sums over risk sets.

cox_rounds <- 100L

# Maximum number of conjugate gradient steps.
cox_steps <- 200L

# problem: see solve_newton().
solve_cox <- function(problem) {
  space <- problem$data$space_of_rows
  if (is.null(space)) space <- cox_space(problem$data, problem$args$tolerance)
  plan <- cox_plan(problem$Y[space$rows, , drop = FALSE], problem$costs[space$rows])
  offset <- problem$start[, 1L]
  w <- if (is.null(problem$alpha)) numeric(nrow(space$Zt)) else space$w(problem$alpha[[1L]])
  solved <- cox_newton(plan, space, offset[space$rows], w, problem$args$tolerance, cox_rounds)
  decision <- offset
  decision[space$rows] <- solved$u
  par <- problem$par
  # a search asks for no baseline
  if (!is_search(problem$args$tolerance)) {
    par <- problem$loss$update(par, problem$Y, offset + decision, problem$costs)
  }
  list(coefficients = matrix(space$coefficients(solved$w)), intercept = 0,
       decision = matrix(decision), converged = solved$converged, iterations = solved$iterations,
       par = par)
}

# Searches have large tolerances, see refit_tolerance.
is_search <- function(tolerance) tolerance > 1e-3

# Coordinates in which f = Z w and |f| = |w|: features of rows, or columns of a root of the Gram
# matrix by Cholesky with pivots, K = Z Z', where f is an expansion in the rows of the pivots, which
# span all others but for rounding; a search is content with fewer. Zt: Z' [features x rows]; rows:
# in which order they stand there; triangular: do the first of them make an upper triangle of it?
cox_space <- function(data, tolerance = 0) {
  if (is.null(data$K)) {
    return(list(Zt = feature_columns(data$space, data$rows), triangular = FALSE,
                rows = seq_len(nrow(data$rows$X)), w = identity, coefficients = identity))
  }
  n <- nrow(data$K)
  # of a matrix that is singular it warns
  least <- if (is_search(tolerance)) 1e-3 * max(diag(data$K)) else -1
  root <- suppressWarnings(chol(data$K, pivot = TRUE, tol = least))
  rank <- attr(root, "rank")
  pivots <- attr(root, "pivot")
  Zt <- if (rank < n) root[seq_len(rank), , drop = FALSE] else root
  root <- NULL
  list(Zt = Zt, triangular = TRUE, rows = pivots, w = function(alpha) drop(Zt %*% alpha[pivots]),
       coefficients = function(w) {
         replace(numeric(n), pivots[seq_len(rank)], backsolve(Zt, w, rank))
       })
}

# The fit with these rows from the coefficients w on, list(w, u: Z w, converged, iterations);
# rounds = 0: one whole step.
cox_newton <- function(plan, space, offset, w, tolerance, rounds) {
  # of what a step may leave to be the last one
  least <- 1e-4 * tolerance * sum(plan$deaths)
  # of the error of a step beside that; a search needs less
  share <- if (is_search(tolerance)) 1e-5 else 1e-9
  solved <- core_result(cox_fit_(space$Zt, space$triangular, plan, offset, w, least,
                                 share * least, cox_steps, rounds))
  if (!solved$solved) {
    abort("numeric", "Hazards are too far apart to be added up; scale the predictors and the ",
          "offsets, or raise `lambda`.")
  }
  solved
}

# Domains left out: for each one Newton step without its rows, as if they had no weight. Without a
# domain that has all events there is nothing to step to: its rows are NA, and the attribute
# `failed` has the error by the domain's number.
cox_without <- function(object, sample, task) {
  check_left_out(sample)
  space <- cox_space(newton_data(object$space, sample))
  lambda <- penalty_of(object, "lambda")
  offset <- if (is.null(task$offset)) numeric(nrow(task$Y)) else task$offset[, 1L]
  w <- space$w(drop(object$coefficients))
  values <- rep(NA_real_, nrow(task$Y))
  failed <- list()
  names <- levels(sample$domain)
  for (g in seq_along(names)) {
    held <- as.integer(sample$domain) == g
    values[held] <- on_error(holding_out(names[g], {
      costs <- replace(task$costs, held, 0) / lambda
      plan <- cox_plan(task$Y[space$rows, , drop = FALSE], costs[space$rows])
      step <- cox_newton(plan, space, offset[space$rows], w, 1e-7, 0)
      replace(offset, space$rows, step$u)[held]
    }), function(e) {
      failed[[as.character(g)]] <<- e
      NA_real_
    })
  }
  structure(add_offset(matrix(values), task$offset), failed = failed)
}
