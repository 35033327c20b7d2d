# Submodels by Newton's method where rows come in blocks and all that can be had are sums over them:
#   minimise |w|^2 / 2 + sum_i c_i loss(y_i, start_i + z_i'w + b),   theta = c(w, b)
# for all submodels (columns) at once. A pass over the rows gives sums, which add, and from them
# comes the state of the next pass:
#   state <- newton_start(r, submodels, intercept, loss)
#   while (!state$done) state <- newton_next(state, <sums of newton_block() over all blocks>)
#   newton_result(state)
# The last pass tried the step `direction` from `theta`. Its sums are value and slope along that
# step at several lengths, and gradient and Hessian at length 1, so that a step that was not too
# long has cost one pass. After one that was, the next pass goes to the best length and stays there.
#
# A loss with kinks is rounded by a width that falls from pass to pass to kink_width: with few rows
# near a kink a Hessian says little of where the others will be.

# Lengths of a step; 0 because the width may have changed since. The end of the step is 1.
step_lengths <- c(0, 2^(-10:2))

step_end <- 12L

# r: features; loss: see read_loss(); at: theta to start from [r (+ 1) x submodels], say of one
# that was trained on a sample of the rows. Its coordinates without a penalty come last. unit: the
# standard deviation of a response that is not standardised, by which kinks are rounded.
newton_start <- function(r, submodels, intercept, loss, tolerance = 1e-3, max_iterations = 0,
                         at = NULL, unit = 1) {
  size <- r + intercept
  narrow <- unit * kink_width
  none <- matrix(0, size, submodels)
  list(
    penalty = rep(c(1, 0), c(r, intercept)), theta = if (is.null(at)) none else at,
    direction = none,
    active = rep(TRUE, submodels), done = FALSE, converged = rep(FALSE, submodels),
    # the margins of f = 0, or standardised numbers, are within the first
    width = rep(narrow * (if (loss$kinks == 0L) 1 else if (is.null(at)) 40 else 8), submodels),
    narrow = narrow,
    # that for which the direction was made, and its length in Newton steps
    aimed = rep(0, submodels), length = rep(1, submodels),
    passes = 0L, iterations = integer(submodels), objective = rep(NA_real_, submodels),
    decrement = rep(NA_real_, submodels), costs = rep(NA_real_, submodels),
    limits = newton_limits(tolerance, max_iterations)
  )
}

# least: what the last step still gains, as a share of the objective; most passes.
newton_limits <- function(tolerance, max_iterations) {
  list(least = max(1e-4 * tolerance^2, 1e-14),
       most = if (max_iterations > 0) max_iterations else 200)
}

# The state after a pass. sums: those of all rows.
newton_next <- function(state, sums) {
  state$passes <- state$passes + 1L
  submodels <- which(state$active)
  for (k in seq_along(submodels)) {
    state <- newton_submodel(state, submodels[k], list(
      value = sums$value[, k], slope = sums$slope[, k], gradient = sums$gradient[, k],
      hessian = matrix(sums$hessian[, , k], length(state$penalty)), cost = sums$costs[k]
    ))
  }
  state$done <- !any(state$active)
  state
}

# One submodel: it goes to the end of its step and has a new direction, or to the best length.
newton_submodel <- function(state, m, sums) {
  theta <- state$theta[, m]
  direction <- state$direction[, m]
  moves <- any(direction != 0)
  penalty <- state$penalty
  along <- finite_along(sums$value, sums$slope, c(
    sum(penalty * theta^2), sum(penalty * theta * direction), sum(penalty * direction^2)
  ))
  state$iterations[m] <- state$iterations[m] + moves
  if (!is.finite(along$value[1L])) {
    state$objective[m] <- Inf
    state$active[m] <- FALSE
    return(state)
  }
  if (!is_good_step(along)) return(shorten_step(state, m, along))
  theta <- theta + direction
  step <- newton_step(theta, sums, penalty)
  state$theta[, m] <- theta
  # of Newton steps, as far as they have been good
  if (moves) state$length[m] <- min(1, state$length[m] * max(best_length(along), step_lengths[2L]))
  state$direction[, m] <- state$length[m] * step$direction
  state$aimed[m] <- state$width[m]
  state$objective[m] <- along$value[step_end]
  state$costs[m] <- sums$cost
  state$decrement[m] <- step$decrement
  if (state$width[m] > state$narrow) {
    state$width[m] <- max(state$narrow, state$width[m] / 2)
  } else if (is_last_step(step$decrement, along$value[step_end], sums$cost, state$limits)) {
    # the step that is left is known, and its end is nearer by far
    state$theta[, m] <- theta + step$direction
    state$converged[m] <- TRUE
    state$active[m] <- FALSE
  }
  stop_late(state, m)
}

# To the best length, and stay; with a direction again at the next pass.
shorten_step <- function(state, m, along) {
  # a direction that was made for this width goes down, but for rounding
  if (state$aimed[m] == state$narrow && isTRUE(-along$slope[1L] <= 1e-12 * along$value[1L])) {
    state$converged[m] <- TRUE
    state$active[m] <- FALSE
    return(state)
  }
  t <- best_length(along)
  state$theta[, m] <- state$theta[, m] + t * state$direction[, m]
  # with t = 0 and a slope even the shortest was too long
  shorter <- if (t > 0) t else step_lengths[2L]
  goes_down <- along$slope[1L] < 0
  if (goes_down) state$length[m] <- state$length[m] * shorter
  state$direction[, m] <- if (t == 0 && goes_down) shorter * state$direction[, m] else 0
  stop_late(state, m)
}

# As train_submodel(), for all submodels: coefficients [r x submodels], the rest one per submodel.
newton_result <- function(state) {
  w <- state$penalty > 0
  c(list(coefficients = state$theta[w, , drop = FALSE],
         intercept = if (all(w)) numeric(ncol(state$theta)) else state$theta[!w, ]),
    newton_report(state$converged, state$iterations, state$decrement, state$objective,
                  state$costs))
}

# The gap is what the last quadratic model says can still be gained; the objective is, as the
# others', that of the dual problem.
newton_report <- function(converged, iterations, decrement, value, costs) {
  gap <- decrement / 2
  list(converged = converged, iterations = iterations, gap = gap,
       relative_gap = ifelse(gap > 0, gap / value_scale(value, costs), 0), objective = -value)
}

# A constant without a penalty may have no loss but at infinity: of one class alone.
value_scale <- function(value, costs) pmax(value, 1e-9 * costs)

is_last_step <- function(decrement, value, costs, limits) {
  decrement <= 2 * limits$least * value_scale(value, costs)
}

stop_late <- function(state, m) {
  if (state$passes >= state$limits$most) state$active[m] <- FALSE
  state
}

# The objective and its slope. value, slope: of the losses at the lengths of a step; square: |w|^2,
# <w, d>, |d|^2. What is not finite is too large.
finite_along <- function(value, slope, square, t = step_lengths) {
  value <- value + square[1L] / 2 + t * square[2L] + t^2 * square[3L] / 2
  slope <- slope + square[2L] + t * square[3L]
  list(value = ifelse(is.finite(value), value, Inf), slope = ifelse(is.finite(slope), slope, Inf))
}

# Along a step the objective is convex. end: which of the lengths is 1.
is_good_step <- function(along, end = step_end) {
  rounding <- 1e-14 * abs(along$value[1L])
  along$slope[end] <= 0 || along$slope[1L] < 0 &&
    along$value[end] <= along$value[1L] + 1e-4 * along$slope[1L] + rounding
}

# Where the slope changes its sign, between two lengths, by its secant. 0 where the step does not
# go down at all.
best_length <- function(along) {
  if (along$slope[1L] >= 0) return(0)
  if (all(along$slope <= 0)) return(max(step_lengths))
  high <- which(along$slope > 0)[1L]
  low <- high - 1L
  t <- step_lengths[c(low, high)]
  # from the first value it is not known to go down between the two
  if (along$value[high] >= along$value[1L]) return(t[1L])
  t[1L] - along$slope[low] * diff(t) / (along$slope[high] - along$slope[low])
}

# list(direction -H^-1 g, decrement g'H^-1 g)
newton_step <- function(theta, sums, penalty) {
  gradient <- penalty * theta + sums$gradient
  w <- which(penalty > 0)
  b <- which(penalty == 0)
  columns <- cbind(gradient[w], sums$hessian[w, b])
  solved <- core_result(ridge_solve_(sums$hessian[w, w, drop = FALSE], columns,
                                     rep(1, length(w))))$solution
  step <- -solved[, 1L]
  if (length(b)) {
    mixed <- columns[, 2L]
    left <- gradient[b] + sum(mixed * step)
    bent <- sums$hessian[b, b]
    curvature <- max(bent - sum(mixed * solved[, 2L]), .Machine$double.eps * bent)
    # without a row near a kink: by 1
    if (!(bent > 1e-14 * sums$cost)) curvature <- max(abs(left), .Machine$double.xmin)
    constant <- -left / curvature
    step <- c(step - constant * solved[, 2L], constant)
  }
  list(direction = step, decrement = max(-sum(gradient * step), 0))
}
