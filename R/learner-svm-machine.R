# Training support vector machines on a Gram matrix or on features. Each gives
#   list(coefficients, offset, decision [n], converged, iterations, gap,
#   relative_gap, objective).

# What all machines of a fit share: list(K [n x n]) or list(Zt [r x n]), or, for a loss without a
# tube, the rows of which features are made again at each pass.
machine_data <- function(product, sample, args) UseMethod("machine_data")

#' @exportS3Method
machine_data.gram_space <- function(product, sample, args) {
  structure(list(K = space_gram(product)), class = "gram_data")
}

#' @exportS3Method
machine_data.feature_space <- function(product, sample, args) {
  if (takes_newton(args$loss)) return(row_data(product, sample))
  structure(list(Zt = feature_columns(product, sample),
                 kernel = product$kernel), class = "feature_data")
}

# All machines of a fit. target, costs: [n x machines]; start: [n x machines] or 0; alpha: a list or
# NULL.
train_machines <- function(data, target, costs, loss, args, start = 0, alpha = NULL) {
  if (is.null(loss$tube)) return(newton_machines(data, target, costs, loss, args, start, alpha))
  lapply(seq_len(ncol(target)), function(m) {
    known <- if (is.matrix(start)) start[, m] else start
    train_machine(data, target[, m], costs[, m], loss, args, known, alpha[[m]])
  })
}

# target: numbers, or -1 and +1; loss: see loss.R; start: known values f0 of the rows,
# to which the machine is added: the losses are those of f0 + f, `decision` is of f; alpha: where
# the solver starts, or NULL.
train_machine <- function(data, target, costs, loss, args, start = 0, alpha = NULL) {
  UseMethod("train_machine")
}

#' @exportS3Method
train_machine.gram_data <- function(data, target, costs, loss, args, start = 0, alpha = NULL) {
  dual <- dual_problem(tube_rows(target, costs, loss, args, start))
  solved <- core_result(smo_(
    data$K, dual$row, dual$sign, dual$p, dual$upper, dual$ridge, args$offset, args$tolerance,
    args$max_iterations, alpha
  ))
  solved$coefficients <- solved$beta
  c(finish_machine(solved), solved["alpha"])
}

# w instead of one coefficient for each row: min |w|^2 / 2 + sum_i c_i loss(z_i'w + b).
#' @exportS3Method
train_machine.feature_data <- function(data, target, costs, loss, args, start = 0, alpha = NULL) {
  rows <- tube_rows(target, costs, loss, args, start)
  seed <- sample.int(.Machine$integer.max, 1L)
  solved <- core_result(linear_svm_(
    data$Zt, rows$target, rows$epsilon, rows$low, rows$high, rows$ridge, args$offset,
    args$tolerance, args$max_iterations, seed, args$threads
  ))
  if (!is.finite(solved$objective)) {
    abort("numeric", "The objective overflows on features of ", format(data$kernel),
          "; scale the predictors or lower `cost`.")
  }
  solved$coefficients <- solved$w
  finish_machine(solved)
}

finish_machine <- function(solved) {
  # the violation cannot fall to `tolerance` when rounding is larger
  solved$converged <- solved$converged || isTRUE(solved$relative_gap <= 1e-8)
  solved$offset <- solved$b
  solved$decision <- solved$decision + solved$b
  solved[c("coefficients", "offset", "decision", "converged", "iterations", "gap", "relative_gap",
           "objective")]
}

# Z' [r x n] of the training rows, each judged by the training rows of its domain.
feature_columns <- function(product, rows) {
  check_feature_memory(nrow(rows$X), product$dim)
  Zt <- in_chunks(product, rows, own_table(product, rows), function(program, i, X, codes) {
    feature_columns_(program, X, codes, product$threads)
  })
  Zt <- if (length(Zt) == 1L) Zt[[1L]] else do.call(cbind, Zt)
  check_overflow(c(min(Zt), max(Zt)), product$kernel)
  Zt
}

# The targets of all machines, [n x machines].
encode_machines <- function(y, weights, args) {
  response <- encode_response(y, weights, args$scale != "none")
  if (response$kind == "number") {
    response$target <- matrix(response$target)
    return(response)
  }
  machines <- class_machines(y, args$multiclass)
  response[c("target", "pairs")] <- machines[c("target", "pairs")]
  response
}
