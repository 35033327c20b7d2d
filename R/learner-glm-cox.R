# Censored times by the partial likelihood of Cox (1972, 1975), ties as by Breslow (1974): half the
# deviance is
#   sum_i c_i event_i [log sum_(j: t_j >= t_i) c_j exp(f_j) - f_i],
# with the risk sets of all domains together. It is no sum over rows, so that Newton's method is its
# own here: with S_k the sum over those at risk at the k-th time of events, D_k the events there,
# and H_j = sum_(k: t_k <= t_j) D_k / S_k, the curvature is
#   W = diag(v_j H_j) - sum_k D_k / S_k^2 v_k v_k',
# where v_j = c_j exp(f_j), and v_k is v at those at risk. W times a matrix is made of cumulative
# sums. Weight k is k copies of a row, which are ties; that is why they are Breslow's.

cox_rounds <- 100L

#' @exportS3Method
family_needs.family_cox <- function(family) "open"

#' @exportS3Method
family_response.family_cox <- function(family, y) {
  if (!is_censored(y)) {
    abort("data", "The response of `family = \"cox\"` must be censored times, ",
          "`survival::Surv(time, ",
          "status)`, not ", if (is.factor(y)) "classes" else "a number", ".")
  }
  if (!any(has_event(y))) {
    abort("data", "The response of `family = \"cox\"` must have an event; all times are censored.")
  }
  list(kind = "censored", words = times_words(y))
}

#' @exportS3Method
family_targets.family_cox <- function(family, y) matrix(as.vector(unclass(y)), ncol = 1L)

# A constant makes no difference.
#' @exportS3Method
family_constants.family_cox <- function(family, Y, costs, known = NULL) 0

#' @exportS3Method
zero_constants.family_cox <- function(family, machines) rep(0, machines)

#' @exportS3Method
family_loss.family_cox <- function(family) list(kinks = 0L, name = "cox")

# The hazard beside that of f = 0.
#' @exportS3Method
family_means.family_cox <- function(family, values) tell_infinite_means(exp(values), values)

#' @exportS3Method
family_deviance.family_cox <- function(family, task, values) {
  # rows that are left out may have no event, and then say nothing
  if (!any(has_event(task$Y[, 1L]) & task$costs > 0)) return(0)
  2 * cox_state(cox_plan(task$Y, task$costs), values[, 1L])$value
}

# The diagonal of the curvature, which is no less than all of it.
#' @exportS3Method
family_working.family_cox <- function(family, task, values) {
  at <- cox_state(cox_plan(task$Y, task$costs), values[, 1L])
  bent <- pmax(at$bent, 1e-10 * max(at$bent))
  list(response = task$response, Y = values - at$slope / bent, costs = bent)
}

# What does not depend on f. reached: how many times of events a row's time has (0: it is in no
# risk set); ends: these times; deaths: the costs of the events there.
cox_plan <- function(Y, costs) {
  time <- Re(Y[, 1L])
  event <- Im(Y[, 1L]) == 1 & costs > 0
  if (!any(event)) abort("data", "The rows that are left have no event: all times are censored.")
  ends <- sort(unique(time[event]))
  reached <- findInterval(time, ends)
  list(costs = costs, pulls = costs * event, reached = reached, ends = ends,
       deaths = at_each(costs * event, reached, length(ends)))
}

# Sums of the rows (of v, or its columns) that reached each time and no further.
at_each <- function(v, reached, times) {
  v <- as.matrix(v)
  sums <- rowsum(v, reached)
  full <- matrix(0, times + 1L, ncol(v))
  full[as.integer(rownames(sums)) + 1L, ] <- sums
  full[-1L, , drop = FALSE]
}

down <- function(M) {
  for (j in seq_len(ncol(M))) M[, j] <- cumsum(M[, j])
  M
}

at_risk <- function(plan, v) {
  k <- rev(seq_along(plan$ends))
  down(at_each(v, plan$reached, length(k))[k, , drop = FALSE])[k, , drop = FALSE]
}

# Of what is added from time to time, what a row has come to.
up_to_row <- function(plan, M) rbind(0, down(M))[plan$reached + 1L, , drop = FALSE]

# Half the deviance, its slope and the diagonal of the curvature at f; infinite where f overflows.
cox_state <- function(plan, f) {
  largest <- max(f[plan$costs > 0])
  v <- plan$costs * exp(pmin(f - largest, 0))
  risk <- at_risk(plan, v)
  rate <- plan$deaths / risk
  hazard <- up_to_row(plan, rate)[, 1L]
  value <- sum(plan$deaths * (log(risk) + largest)) - sum(plan$pulls * f)
  list(value = if (is.finite(value)) value else Inf, slope = v * hazard - plan$pulls,
       bent = v * hazard, v = v, risk = risk, rate = rate, largest = largest)
}

# W Z
cox_curvature <- function(plan, at, Z) {
  # means of those at risk, as the square of a small sum would underflow
  means <- at_risk(plan, at$v * Z) / c(at$risk)
  at$bent * Z - at$v * up_to_row(plan, c(at$rate) * means)
}

#' @exportS3Method
family_machines.family_cox <- function(family, data, task, args, known) {
  plan <- cox_plan(task$Y, task$penalised)
  space <- cox_space(data, args$tolerance)
  known <- known[, 1L]
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
    converged <- t == 1 && aim$gain <= 1e-4 * args$tolerance * sum(plan$deaths)
    if (converged) break
  }
  family$baseline <- cox_baseline(plan, known + now$u)
  list(coefficients = matrix(space$coefficients(now$w)), offset = 0, decision = matrix(now$u),
       converged = t == 1 && converged, iterations = round, family = family)
}

# Coordinates in which f = Z w and |f| = |w|: features of rows, or columns of a root of the Gram
# matrix, from which its coefficients follow.
cox_space <- function(data, tolerance = 0) UseMethod("cox_space")

# By Cholesky with pivots: K = Z Z', and f is an expansion in the rows of the pivots, which span all
# others but for rounding; a search, whose tolerance is large, is content with fewer.
#' @exportS3Method
cox_space.gram_data <- function(data, tolerance = 0) {
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

#' @exportS3Method
cox_space.row_data <- function(data, tolerance = 0) {
  list(Z = t(feature_columns(data$product, data$rows)), coefficients = identity)
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

# The cumulative hazard of f = 0 (Breslow, 1974) at the times of events.
cox_baseline <- function(plan, f) {
  at <- cox_state(plan, f)
  data.frame(time = plan$ends, hazard = cumsum(at$rate) * exp(-at$largest))
}

# Domains left out: for each one Newton step without its rows, as if they had no weight.
#' @exportS3Method
family_left_out.family_cox <- function(family, object, sample, task) {
  check_left_out(sample)
  space <- cox_space(newton_data(object$product, sample))
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
