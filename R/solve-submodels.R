# Support vector submodels and other losses of the table in loss.R: all binary problems, columns of
# the targets, of a fit. Whole rows on a Gram matrix or on features that are kept, with a loss that
# has a tube, by coordinates of the dual problem; all others by Newton's method. Each gives
#   list(coefficients, intercept, decision [n], converged, iterations, gap, relative_gap,
#   objective).

solve_submodels <- function(problem, shared) {
  rows <- problem$rows
  args <- problem$args
  targets <- problem$targets
  costs <- column_costs(rows, targets, args$domain_weights)
  if (only_sums(rows)) return(solve_by_passes(problem, costs))
  sample <- rows$sample
  newton <- is.null(problem$loss$tube)
  data <- shared_value(shared, "machines", list(problem$space, newton, rows), submodel_data,
                     problem$space, sample, newton)
  Y <- code_rows(targets, sample$y)
  costs <- code_costs(costs, args$cost, sample$weights, sample$domain, part_of(targets, Y))
  submodels <- train_submodels(data, Y, costs, problem$loss, args,
                               alpha = alpha_before(args, shared))
  if (!is.null(submodels[[1L]]$alpha)) {
    shared$trained <- list(args = args, alpha = lapply(submodels, `[[`, "alpha"))
  }
  join_submodels(lapply(seq_along(submodels), function(m) {
    c(submodels[[m]], list(costs = costs[, m]))
  }))
}

# Which rows take part in which column; NULL: all.
part_of <- function(targets, Y) if (!takes_all(targets)) Y != 0

# What all submodels of a fit share: newton_data() for a loss without a tube, else the Gram matrix
# K [n x n] or the features Zt [r x n] of the dual problem.
submodel_data <- function(space, sample, newton) {
  if (newton || is.null(space$feature_map)) return(newton_data(space, sample))
  structure(list(Zt = feature_columns(space, sample),
                 kernel = space$kernel), class = "feature_data")
}

# All submodels of a fit. target, costs: [n x submodels]; start: [n x submodels] or 0;
# alpha: a list or NULL.
train_submodels <- function(data, target, costs, loss, args, start = 0, alpha = NULL) {
  if (is.null(loss$tube)) return(newton_submodels(data, target, costs, loss, args, start, alpha))
  lapply(seq_len(ncol(target)), function(m) {
    initial <- if (is.matrix(start)) start[, m] else start
    train_submodel(data, target[, m], costs[, m], loss, args, initial, alpha[[m]])
  })
}

# target: numbers, or -1 and +1; loss: see loss.R; start: known values f0 of the rows,
# to which the submodel is added: the losses are those of f0 + f, `decision` is of f; alpha: where
# the solver starts, or NULL.
train_submodel <- function(data, target, costs, loss, args, start = 0, alpha = NULL) {
  UseMethod("train_submodel")
}

#' @exportS3Method
train_submodel.gram_data <- function(data, target, costs, loss, args, start = 0, alpha = NULL) {
  dual <- dual_problem(tube_rows(target, costs, loss, args, start))
  solved <- core_result(smo_(
    data$K, dual$row, dual$sign, dual$p, dual$upper, dual$ridge, args$intercept, args$tolerance,
    args$max_iterations, alpha
  ))
  solved$coefficients <- solved$beta
  c(finish_submodel(solved), solved["alpha"])
}

# w instead of one coefficient for each row: min |w|^2 / 2 + sum_i c_i loss(z_i'w + b).
#' @exportS3Method
train_submodel.feature_data <- function(data, target, costs, loss, args, start = 0, alpha = NULL) {
  tube <- tube_rows(target, costs, loss, args, start)
  seed <- sample.int(.Machine$integer.max, 1L)
  solved <- core_result(linear_svm_(
    data$Zt, tube$target, tube$epsilon, tube$low, tube$high, tube$ridge, args$intercept,
    args$tolerance, args$max_iterations, seed, args$threads
  ))
  if (!is.finite(solved$objective)) {
    abort("numeric", "The objective overflows on features of ", format(data$kernel),
          "; scale the predictors or lower `cost`.")
  }
  solved$coefficients <- solved$w
  finish_submodel(solved)
}

finish_submodel <- function(solved) {
  # the violation cannot fall to `tolerance` when rounding is larger
  solved$converged <- solved$converged || isTRUE(solved$relative_gap <= 1e-8)
  solved$intercept <- solved$b
  solved$decision <- solved$decision + solved$b
  solved[c("coefficients", "intercept", "decision", "converged", "iterations", "gap",
           "relative_gap", "objective")]
}

# Where submodels start: from the dual variables of the same submodels at the cost before, in
# proportion to it: inside the bounds, and nearer to the solution than 0. NULL: at 0.
alpha_before <- function(args, shared) {
  last <- shared$trained
  fixed <- names(args) != "cost"
  if (is.null(last) || !identical(last$args[fixed], args[fixed])) return(NULL)
  lapply(last$alpha, function(alpha) alpha * (args$cost / last$args$cost))
}

# One submodel: vectors and numbers; several: a column each.
join_submodels <- function(submodels) {
  for (submodel in submodels) warn_unsolved(submodel)
  names <- setdiff(names(submodels[[1L]]), "alpha")
  joined <- lapply(names, function(name) {
    parts <- lapply(submodels, `[[`, name)
    if (length(parts) == 1L) parts[[1L]] else do.call(if (length(parts[[1L]]) > 1L) cbind else c,
                                                      parts)
  })
  names(joined) <- names
  joined$decision <- as.matrix(joined$decision)
  joined$converged <- all(joined$converged)
  joined
}

warn_unsolved <- function(solved) {
  if (!solved$converged) {
    warn("convergence", "The solver stopped after ", plural(solved$iterations, "iteration"),
         " with a relative duality gap of ", signif(solved$relative_gap, 2),
         "; raise `max_iterations` or scale the data.")
  } else if (!isTRUE(solved$relative_gap <= 0.01)) {
    warn("convergence", "The solver met `tolerance`, but the relative duality gap is ",
         signif(solved$relative_gap, 2), ": `cost` is very large for it; lower either.")
  }
}

# ---- passes over all rows ---------------------------------------------------------------------

solve_by_passes <- function(problem, costs) {
  loss <- problem$loss
  result <- newton_by_passes(problem$rows, problem$space, coded_submodels(problem, costs), loss,
                             target_count(problem$targets), problem$args)
  for (k in seq_len(ncol(result$coefficients))) warn_unsolved(lapply(result[-1L], `[`, k))
  check_objective(result$objective)
  m <- ncol(result$coefficients)
  if (m == 1L) result$coefficients <- drop(result$coefficients)
  if (length(result$intercept) == 0L) result$intercept <- rep(0, m)
  result$converged <- all(result$converged)
  c(result, list(decision = matrix(0, 0L, m), costs = numeric()))
}

# The problem of a block, for newton_by_passes(): list(Y, costs [n x m], start: values of f where it
# begins, or 0, loss, args: parameters of the loss).
coded_submodels <- function(problem, costs) {
  targets <- problem$targets
  asked <- problem$loss$asked
  cost <- problem$args$cost
  par <- problem$loss[["par"]]
  force(costs)
  problem <- NULL
  function(block) {
    Y <- code_rows(targets, block$y)
    list(Y = Y, costs = code_costs(costs, cost, block$weights, block$domain, part_of(targets, Y)),
         start = 0, loss = read_loss(asked, targets$kind, par), args = par)
  }
}

# Newton's method starts at the submodels of the sampled rows; each step is a pass over all rows.
# coded: made by coded_submodels() or coded_family(), a function of a block of rows that gives its
# problem. It goes to the workers: our losses are functions, and found by their name there.
newton_by_passes <- function(rows, space, coded, loss, m, args) {
  sums_of <- newton_sums_of(space, rows_table(rows, space), coded)
  start <- function(...) newton_start(space$dim, m, args$intercept, loss, args$tolerance, ...)
  state <- start(args$max_iterations, sampled_theta(start(), rows, sums_of))
  while (!state$done) {
    state <- newton_next(state, pass(rows, newton_work(state, sums_of), "newton"))
  }
  result <- newton_result(state)
  # what users wait for
  result$iterations <- rep(state$passes, m)
  result$converged <- result$converged & is.finite(result$objective)
  result
}

# Where the passes start: at the submodels of the sampled rows, which stand for all; NULL: at 0.
sampled_theta <- function(state, rows, sums_of) {
  # a start need not be the last digit, unless there are no other rows
  whole <- nrow(rows$sample$X) == row_count(rows)
  while (!state$done && (whole || state$passes < 15L)) {
    state <- newton_next(state, lapply(sums_of(state, rows$sample), `*`, stands_for(rows)))
  }
  if (all(is.finite(state$theta))) state$theta
}

# For pass(): the sums of a state.
newton_work <- function(state, sums_of) {
  force(state); force(sums_of)
  pass_work(add = add_or_start,
            block = function(sums, block) add_or_start(sums, sums_of(state, block)))
}

# A function of a state and rows: their sums.
newton_sums_of <- function(space, table, coded) {
  force(space); force(table); force(coded)
  function(state, block) {
    problem <- coded(block)
    newton_features(state, space, block[c("X", "domain")], table, problem$Y, problem$costs,
                    problem$loss, problem$args, problem$start)
  }
}
