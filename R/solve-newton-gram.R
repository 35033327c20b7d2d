# Losses without a tube, by Newton's method: submodels on the Gram matrix, or by passes over the
# rows. What they give is what train_machine() does.

# The data of the passes over rows: the Gram matrix, or rows whose features are made again.
newton_data <- function(space, sample, per_root = usual_landmarks, products = FALSE) {
  if (is.null(space$feature_map)) {
    if (!products || !takes_products(space)) return(gram_data(space_gram(space), per_root))
    return(gram_data(gram_products(space$kernel, space, space$domain_kernel$kappa),
                     root = product_root(space, per_root / usual_landmarks)))
  }
  check_feature_memory(space$dim)
  structure(list(space = space, rows = sample[c("X", "domain")],
                 table = own_table(space, sample)), class = "row_data")
}

# From so many rows on steps are made by conjugate gradients, which need products with K alone.
conjugate_rows <- 200L

# K [n x n], a matrix or gram_products(), root: its landmark_root(), NULL where there are few rows.
# An environment, so that the root is made when it is first asked for, and once: the dual problem
# and Cox regression never ask.
gram_data <- function(K, per_root = usual_landmarks,
                      root = if (nrow(K) >= conjugate_rows) landmark_root(K, per_root)) {
  data <- structure(new.env(parent = emptyenv()), class = "gram_data")
  data$K <- K
  delayedAssign("root", root, assign.env = data)
  data
}

# A fit of dg_glm(), or several fits to the same rows with other costs, one below the other.
# problem: list(data: made by newton_data(), Y [rows x m], costs [rows] over the penalty, start:
# known values of f [rows x m], alpha: coefficients to begin at, a list, or NULL, loss, par: its
# parameters, args: list(intercept, tolerance, max_iterations)). All solvers of such problems give
# list(coefficients, intercept, decision [rows x m], converged, iterations [m], par).
solve_newton <- function(problem) {
  n <- nrow(if (is.null(problem$data$K)) problem$Y else problem$data$K)
  as_columns <- function(part) matrix(part, n)
  alpha <- problem$alpha
  if (length(problem$costs) > n && !is.null(alpha)) alpha <- asplit(as_columns(alpha[[1L]]), 2L)
  submodels <- newton_submodels(problem$data, as_columns(problem$Y), as_columns(problem$costs),
                                problem$loss, c(problem$args, problem$par),
                                as_columns(problem$start), alpha)
  of <- function(name) lapply(submodels, `[[`, name)
  list(coefficients = matrix(unlist(of("coefficients"))), intercept = unlist(of("intercept")),
       decision = matrix(unlist(of("decision"))), converged = unlist(of("converged")),
       iterations = unlist(of("iterations")), par = problem$par)
}

# Domains left out of such a fit by one Newton step, see closed_cv().
newton_without <- function(object, sample, task) {
  task$par <- object$family
  step_without(object, sample, working_task(task, object$decision), task$offset)
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
  n <- nrow(target)
  start <- matrix(start, n, ncol(target))
  if (!is.null(alpha)) alpha <- matrix(unlist(alpha), n)
  columns <- seq_len(ncol(target))
  few <- colSums(costs > 0) < n / 2
  if (!any(few)) {
    solved <- newton_gram(data, matrix(target), c(costs), matrix(start), loss, args,
                          if (!is.null(alpha)) matrix(alpha))
    return(lapply(columns, function(k) column_submodel(solved, k, n)))
  }
  # of two classes of many most rows take no part
  lapply(columns, function(k) {
    used <- if (few[k]) which(costs[, k] > 0) else seq_len(n)
    part <- if (few[k]) part_data(data, used) else data
    at <- function(M) M[used, k, drop = FALSE]
    solved <- newton_gram(part, at(target), costs[used, k], at(start), loss, args,
                          if (!is.null(alpha)) at(alpha))
    solved$alpha <- matrix(replace(numeric(n), used, solved$alpha))
    if (few[k]) solved$g <- gram_times(data$K, solved$alpha)
    column_submodel(solved, 1L, n)
  })
}

part_data <- function(data, at) {
  list(K = gram_part(data$K, at), root = data$root[at, , drop = FALSE])
}

# The k-th of several systems, see newton_gram().
column_submodel <- function(solved, k, n) {
  at <- (k - 1L) * n + seq_len(n)
  alpha <- solved$alpha[at, 1L]
  c(list(coefficients = alpha, intercept = solved$b[k, 1L],
         decision = solved$g[at, 1L] + solved$b[k, 1L]),
    newton_report(solved$converged[k], solved$iterations[k], solved$decrement[k],
                  solved$value[k], solved$costs[k]), list(alpha = alpha))
}

# f = K alpha + b of one or several systems, of the same rows with other targets or costs, which lie
# below each other, [rows x m]: m is 1, or the number of classes of a multinomial likelihood. With
# p = c l' and W = c l'' at f a step solves
#   (K + W^-1) alpha + 1 b = f - p / W,   1'alpha = 0 with a constant,
# a ridge regression (iteratively reweighted least squares). Rows without cost take no part. data:
# made by gram_data(). list(alpha, g = K alpha [rows x m], b [systems x m], converged, iterations,
# decrement, value, costs [systems]); NULL where the steps of several classes fail.
newton_gram <- function(data, y, costs, start, loss, args, alpha = NULL) {
  n <- nrow(data$K)
  systems <- length(costs) / n
  limits <- newton_limits(args$tolerance, args$max_iterations)
  task <- list(n = n, y = y, costs = costs, start = start, loss = loss, args = args)
  now <- list(alpha = 0 * y, g = 0 * y, b = matrix(0, systems, ncol(y)))
  if (!is.null(alpha)) {
    now$alpha <- alpha * (costs > 0)
    now$g <- matrix(gram_times(data$K, matrix(now$alpha, n)), nrow(y))
  }
  solved <- c(now, list(
    converged = logical(systems), iterations = integer(systems), decrement = numeric(systems),
    value = numeric(systems), costs = system_sums(costs, n)
  ))
  now$at <- losses_at(task, now)
  open <- seq_len(systems)
  for (iteration in seq_len(limits$most)) {
    value <- gram_value(task, now)
    check_objective(value)
    step <- gram_step(data, now, task, value)
    if (is.null(step)) return(NULL)
    slope <- gram_slope(task, now, step)
    # rounding beside a tiny penalty
    if (ncol(y) > 1L && any(slope > 1e-10 * value)) return(NULL)
    # of a step that goes up, rounding decides: none of this size is the last
    decrement <- abs(slope)
    converged <- is_last_step(decrement, value, solved$costs[open], limits)
    last <- converged | iteration == limits$most
    ahead <- gram_move(now, step, 1)
    if (!all(converged)) {
      ahead$at <- losses_at(task, ahead)
      for (k in which(!converged & !are_good_steps(task, value, slope, step, ahead))) {
        system <- system_part(now, k, n)
        moved <- shorten_gram_step(system_part(task, k, n), system, system_part(step, k, n))
        # at the edge of where there is a mean no step goes on
        if (is.null(moved)) last[k] <- TRUE
        ahead <- put_system(ahead, if (is.null(moved)) system else moved, k, n)
      }
    }
    for (k in which(last)) {
      solved <- put_system(solved, system_part(ahead[c("alpha", "g", "b")], k, n), open[k], n)
    }
    solved$converged[open[last]] <- converged[last]
    solved$iterations[open] <- iteration
    solved$decrement[open] <- decrement
    solved$value[open] <- value
    if (all(last)) break
    if (any(last)) {
      task <- system_part(task, which(!last), n)
      ahead <- system_part(ahead, which(!last), n)
      open <- open[!last]
    }
    now <- ahead
  }
  solved
}

system_rows <- function(k, n) c(outer(seq_len(n), (k - 1L) * n, `+`))

# Sums over the rows and classes of each system.
system_sums <- function(M, n) {
  if (is.matrix(M) && ncol(M) > 1L) M <- rowSums(M)
  .colSums(M, n, length(M) / n)
}

# The part of a task or a state that belongs to some systems.
system_part <- function(state, k, n) {
  at <- system_rows(k, n)
  for (name in intersect(c("y", "costs", "start", "alpha", "g"), names(state))) {
    state[[name]] <- take(state[[name]], at)
  }
  if (!is.null(state$b)) state$b <- state$b[k, , drop = FALSE]
  if (!is.null(state$at)) state$at <- lapply(state$at, take, at)
  state
}

# A state with that of the k-th system.
put_system <- function(state, system, k, n) {
  at <- system_rows(k, n)
  for (name in intersect(c("alpha", "g"), names(system))) state[[name]][at, ] <- system[[name]]
  state$b[k, ] <- system$b
  for (name in names(state$at)) state$at[[name]][at, ] <- system$at[[name]]
  state
}

gram_move <- function(now, step, t) {
  list(alpha = now$alpha + t * step$alpha, g = now$g + t * step$g, b = now$b + t * step$b)
}

# How f changes with g and b.
with_constants <- function(g, b, n) g + rep(b, each = n)

# The losses of rows without cost are 0.
losses_at <- function(task, now) {
  f <- task$start + with_constants(now$g, now$b, task$n)
  at <- task$loss$smooth(task$y, f, par_of_loss(task$loss, task$args), kink_width)
  at <- at[c("value", "slope", "curvature")]
  unused <- which(task$costs <= 0)
  lapply(at, function(part) {
    dim(part) <- dim(f)
    part[unused, ] <- 0
    part
  })
}

gram_value <- function(task, now) {
  system_sums(task$costs * now$at$value, task$n) + system_sums(now$alpha * now$g, task$n) / 2
}

# The slope of the objective along a step.
gram_slope <- function(task, now, step) {
  change <- with_constants(step$g, step$b, task$n)
  system_sums(task$costs * now$at$slope * change + step$alpha * now$g, task$n)
}

# Along a step of Newton's method the slope is minus the curvature d'Hd of the objective, which no
# step has that rounding spoilt, as where costs over the penalty are large.
are_newton_steps <- function(task, now, step, value) {
  change <- with_constants(step$g, step$b, task$n)
  bent <- if (ncol(task$y) > 1L) {
    p <- now$at$slope + task$y
    (change - rowSums(p * change)) * p * change
  } else now$at$curvature * change^2
  bend <- system_sums(task$costs * bent + step$alpha * step$g, task$n)
  (abs(gram_slope(task, now, step) + bend) <= 0.1 * bend + 1e-10 * value) %in% TRUE
}

# value, slope: of the objective where the steps begin.
are_good_steps <- function(task, value, slope, step, ahead) {
  value <- rbind(value, gram_value(task, ahead))
  slope <- rbind(slope, gram_slope(task, ahead, step))
  vapply(seq_len(ncol(value)), function(k) {
    is_good_step(finite_along(value[, k], slope[, k], c(0, 0, 0), c(0, 1)), 2L)
  }, NA)
}

# The state of one system whose step is too long, at the best length; NULL if there is none.
shorten_gram_step <- function(task, now, step) {
  at_length <- function(t) {
    there <- gram_move(now, step, t)
    there$at <- losses_at(task, there)
    there
  }
  along <- vapply(step_lengths, function(t) {
    there <- at_length(t)
    c(gram_value(task, there), gram_slope(task, there, step))
  }, numeric(2L))
  along <- finite_along(along[1L, ], along[2L, ], c(0, 0, 0))
  t <- best_length(along)
  if (t == 0) {
    # too long by more than the shortest of the lengths
    t <- step_lengths[2L] / 2
    while (t > 1e-20 && !isTRUE(gram_value(task, at_length(t)) <= along$value[1L])) t <- t / 2
  }
  if (t >= 1e-9) at_length(t)
}

# list(alpha, g, b): how they change; NULL where there is none for several classes.
gram_step <- function(data, now, task, value) {
  n <- task$n
  at <- now$at
  # of rows far on either side next to nothing is left, of which the inverse would be taken; with
  # classes diag(p) takes the place of the curvature, see core/ridge/conjugate.h
  bent <- pmax(if (ncol(task$y) > 1L) at$slope + task$y else at$curvature, 1e-20)
  ridge <- pmin(1 / (task$costs * bent), 1e200)
  pull <- at$slope / bent
  step <- conjugate_step(data, now, task, ridge, pull, value)
  right <- are_newton_steps(task, now, step, value)
  if (ncol(task$y) > 1L) {
    # what rounding leaves is for the next step
    return(if (all(right) && (any(step$alpha != 0) || all(step$converged))) step)
  }
  step$converged <- step$converged & right
  for (k in which(!step$converged)) {
    factored <- factor_step(data$K, system_part(now, k, n), system_part(task, k, n),
                            ridge[system_rows(k, n)], pull[system_rows(k, n)])
    step <- put_system(step, factored, k, n)
  }
  step
}

# By conjugate gradients from where we are; none of a system converges where it would take longer
# than a factor. The steps are those of a factor but for what the next step corrects, and the last
# but for rounding.
conjugate_step <- function(data, now, task, ridge, pull, value) {
  n <- task$n
  right <- with_constants(-pull - ridge * now$alpha, now$b, n)
  if (is.null(data$root) || !all(is.finite(right), is.finite(value))) {
    return(list(alpha = 0 * now$g, g = 0 * now$g, b = 0 * now$b,
                converged = logical(nrow(now$b))))
  }
  sums <- function(M) matrix(colSums(matrix(M, n)), nrow(now$b))
  missing <- -sums(now$alpha)
  # of rounding
  missing[abs(missing) <= 1e-13 * sums(abs(now$alpha))] <- 0
  scale <- value_scale(value, system_sums(task$costs, n))
  solved <- core_result(ridge_conjugate_(
    data$K, data$root, ridge, right, missing, task$args$intercept,
    1e-6 * task$args$tolerance^2 * scale, pmax(scale, 1e-300), max(100, n %/% 80)
  ))
  solved$change[task$costs <= 0, ] <- 0
  converged <- solved$converged == 1L
  if (task$args$intercept) {
    drift <- abs(sums(solved$change) - missing) > 1e-9 * sums(abs(now$alpha + solved$change))
    converged <- converged & rowSums(drift) == 0
  }
  # f - p / W with the constant as it was
  list(alpha = solved$change, g = solved$product, b = solved$constant - now$b,
       converged = converged)
}

# The step of one system, by a factor.
factor_step <- function(K, now, task, ridge, pull) {
  used <- which(task$costs > 0)
  if (!length(used)) return(list(alpha = 0 * now$alpha, g = 0 * now$g, b = 0 * now$b))
  aim <- now$g[used] + now$b[1L] - pull[used]
  solved <- core_result(ridge_solve_(as.matrix(gram_part(K, used)),
                                     cbind(aim, if (task$args$intercept) 1), ridge[used]))$solution
  target <- solved[, 1L]
  b <- 0
  if (task$args$intercept) {
    b <- sum(target) / sum(solved[, 2L])
    target <- target - b * solved[, 2L]
  }
  alpha <- 0 * now$alpha
  alpha[used] <- target - now$alpha[used]
  list(alpha = alpha, g = gram_times(K, alpha), b = b - now$b)
}

#' @exportS3Method
spec_gives.dg_svm_spec <- function(spec, classes = NULL) {
  loss <- spec$args$loss
  if (is.null(loss) || !as_loss(loss)$log_odds) NextMethod() else "prob"
}
