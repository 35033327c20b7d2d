# The sums over rows that Newton's method for submodels needs, see learner-svm-newton.R: of the
# losses alone, for the submodels that are not done. Those of disjoint rows add by add_moments():
# list(value, slope [lengths x submodels], gradient [coordinates x submodels],
# hessian [coordinates x coordinates x submodels], costs [submodels]).

# What rows with these values add, all [n x submodels]: F of f at theta, dF of the change of f in
# the direction; Y, costs: of the submodels; list(value, slope [lengths x submodels], and of the end
# of the step: pull [n x submodels] c l', weight [n x submodels] c l''). Only of active submodels.
newton_rows <- function(state, F, dF, Y, costs, loss, args) {
  m <- which(state$active)
  width <- rep(state$width[m], each = nrow(F))
  par <- par_of_loss(loss, args)
  at <- function(t) loss$smooth(Y, F + t * dF, par, width)
  along <- vapply(step_lengths, function(t) {
    there <- at(t)
    c(colSums(costs * there$value), colSums(costs * there$slope * dF))
  }, numeric(2L * length(m)))
  along <- array(along, c(length(m), 2L, length(step_lengths)))
  part <- function(k) t(matrix(along[, k, ], length(m)))
  ended <- at(1)
  list(value = part(1L), slope = part(2L), pull = costs * ended$slope,
       weight = costs * ended$curvature)
}

# The sums of a block of features Z [n x r]. start: f0 [n x submodels], or 0. A row without cost
# adds nothing.
newton_block <- function(state, Z, Y, costs, loss, args, start = 0) {
  task <- active_task(state, Y, costs, start)
  values <- newton_values(state, task, function(W) Z %*% W)
  losses <- newton_rows(state, values$F, values$dF, task$Y, task$costs, loss, args)
  seconds <- lapply(seq_along(task$submodels), function(k) {
    used <- which(losses$weight[, k] > 0)
    if (length(used) == nrow(Z)) used <- TRUE
    crossprod(take(Z, used) * sqrt(take(losses$weight[, k], used)))
  })
  newton_sums(state, task, losses, crossprod(Z, cbind(losses$pull, losses$weight)), seconds)
}

# As newton_block(), for rows whose features nobody keeps. block: list(X, domain); table: made by
# rows_table().
newton_features <- function(state, space, block, table, Y, costs, loss, args, start = 0) {
  task <- active_task(state, Y, costs, start)
  n <- nrow(block$X)
  if (n == 0L) {
    return(newton_block(state, matrix(0, 0L, space$dim), Y, costs, loss, args, start))
  }
  # the core makes features twice as fast as R weighs them
  if (sum(state$active) == 1L || is_product(space, table)) {
    parts <- lapply(row_parts(n, TRUE), function(i) {
      newton_moments(state, space, rows_at(block, i), table, task_at(task, i), loss, args)
    })
  } else {
    parts <- lapply(blocks_of_rows(n, space$dim), function(i) {
      Z <- features_at(space, rows_at(block, i), table)
      newton_block(state, Z, take(Y, i), take(costs, i), loss, args, take_start(start, i))
    })
  }
  Reduce(add_moments, parts)
}

newton_moments <- function(state, space, block, table, task, loss, args) {
  values <- newton_values(state, task, function(W) expand_rows(space, block, table, W))
  losses <- newton_rows(state, values$F, values$dF, task$Y, task$costs, loss, args)
  wanted <- list(cells = rep(1L, nrow(block$X)), n_cells = 1L, second = FALSE)
  moments <- lapply(seq_along(task$submodels), function(k) {
    wanted$labelled <- losses$weight[, k]
    if (k == 1L) wanted$response <- cbind(losses$pull, losses$weight)
    moments_of(space, block, table, wanted)
  })
  newton_sums(state, task, losses, moments[[1L]]$cross, lapply(moments, `[[`, "labelled_second"))
}

# The submodels that are not done: their numbers, Y, costs and start [n x submodels].
active_task <- function(state, Y, costs, start) {
  m <- which(state$active)
  columns <- function(A) if (is.matrix(A)) A[, m, drop = FALSE] else A
  list(submodels = m, Y = columns(Y), costs = columns(costs), start = columns(start))
}

task_at <- function(task, at) {
  list(submodels = task$submodels, Y = take(task$Y, at), costs = take(task$costs, at),
       start = take_start(task$start, at))
}

take_start <- function(start, at) if (is.matrix(start)) take(start, at) else start

# list(F, dF [n x submodels]); apply: a function that gives Z W.
newton_values <- function(state, task, apply) {
  m <- length(task$submodels)
  W <- cbind(state$theta[, task$submodels], state$direction[, task$submodels])
  w <- state$penalty > 0
  values <- apply(W[w, , drop = FALSE])
  if (!all(w)) values <- values + rep(W[!w, ], each = nrow(values))
  list(F = task$start + values[, seq_len(m), drop = FALSE],
       dF = values[, m + seq_len(m), drop = FALSE])
}

# cross: Z' cbind(pull, weight); seconds: Z' diag(weight) Z of each submodel.
newton_sums <- function(state, task, losses, cross, seconds) {
  m <- length(seconds)
  submodels <- seq_len(m)
  gradient <- cross[, submodels, drop = FALSE]
  if (any(state$penalty == 0)) {
    gradient <- rbind(gradient, colSums(losses$pull))
    border <- rbind(cross[, m + submodels, drop = FALSE], colSums(losses$weight))
    r <- nrow(cross)
    seconds <- lapply(submodels, function(k) {
      rbind(cbind(seconds[[k]], border[seq_len(r), k]), border[, k])
    })
  }
  size <- nrow(gradient)
  list(value = losses$value, slope = losses$slope, gradient = gradient,
       hessian = array(unlist(seconds), c(size, size, m)), costs = colSums(task$costs))
}
