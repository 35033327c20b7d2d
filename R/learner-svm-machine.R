# Training support vector machines on a Gram matrix or on features. Each gives
#   list(coefficients, offset, decision [n], converged, iterations, gap,
#   relative_gap, objective).

# What all machines of a fit share: list(K [n x n]) or list(Zt [r x n]).
machine_data <- function(product, sample, args) UseMethod("machine_data")

#' @exportS3Method
machine_data.product_kernel <- function(product, sample, args) {
  structure(list(K = product_gram(product)), class = "gram_data")
}

#' @exportS3Method
machine_data.product_features <- function(product, sample, args) {
  structure(list(Zt = feature_columns(product, sample),
                 kernel = product$kernel), class = "feature_data")
}

# target: numbers, or -1 and +1; loss: a row of svm_losses; start: known values f0 of the rows,
# to which the machine is added: the losses are those of f0 + f, `decision` is of f; alpha: where
# the solver starts, or NULL.
train_machine <- function(data, target, costs, loss, args, start = 0, alpha = NULL) {
  UseMethod("train_machine")
}

#' @exportS3Method
train_machine.gram_data <- function(data, target, costs, loss, args, start = 0, alpha = NULL) {
  dual <- dual_problem(target, costs, loss, args$epsilon, start)
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
  rows <- tube_rows(target, costs, loss, args$epsilon, start)
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

# Losses, a row each: for which response, and squared or not. c (max(0, t))^2 is c t
# with the cost unbounded and 1/(2c) added to the diagonal of the dual.
svm_losses <- list(
  hinge = list(kind = "class", squared = FALSE),
  squared_hinge = list(kind = "class", squared = TRUE),
  epsilon_insensitive = list(kind = "number", squared = FALSE),
  squared_epsilon_insensitive = list(kind = "number", squared = TRUE)
)

# The loss asked for, or that of the response when none was.
read_loss <- function(loss, kind) {
  if (is.null(loss)) loss <- if (kind == "class") "hinge" else "epsilon_insensitive"
  fits <- names(Filter(function(row) row$kind == kind, svm_losses))
  if (!loss %in% fits) {
    abort("argument", "`loss` must be ", enumerate(fits, quote = "\""), " when the response is ",
          if (kind == "class") "classes" else "a number", ", not \"", loss, "\".")
  }
  c(svm_losses[[loss]], name = loss)
}

# Bounds and ridge of one dual variable; a row without cost has none.
dual_bounds <- function(costs, loss) {
  if (!loss$squared) return(list(upper = costs, ridge = numeric(length(costs))))
  list(upper = ifelse(costs > 0, Inf, 0), ridge = ifelse(costs > 0, 1 / (2 * costs), 0))
}

# A loss fills in the box problem min a'(Q + ridge)a/2 + p'a, 0 <= a <= u, with
# Q_ij = s_i s_j K[r_i, r_j]. Hinge (MTL paper, section 7.1): one variable a row.
# Epsilon-insensitive: two variables a row, one for each side of the tube. What is known of f
# moves the numbers, and the margin of a class: 1 - y (f0 + f) = (1 - y f0) - y f.
dual_problem <- function(y, costs, loss, epsilon, start = 0) {
  n <- length(costs)
  box <- dual_bounds(costs, loss)
  if (loss$kind == "class") {
    sign <- ifelse(y > 0, 1, -1)
    return(c(list(row = seq_len(n), sign = sign, p = sign * rep_len(start, n) - 1), box))
  }
  y <- y - start
  list(row = rep(seq_len(n), 2L), sign = rep(c(1, -1), each = n),
       p = c(epsilon - y, epsilon + y), upper = rep(box$upper, 2L), ridge = rep(box$ridge, 2L))
}

# The same losses with one variable beta = sum of s a for each row: a tube around
# the target with slopes between -high and -low.
tube_rows <- function(y, costs, loss, epsilon, start = 0) {
  n <- length(costs)
  class <- loss$kind == "class"
  box <- dual_bounds(costs, loss)
  list(target = y - start, epsilon = rep(if (class) 0 else epsilon, n),
       low = ifelse(class & y > 0, 0, -box$upper), high = ifelse(class & y < 0, 0, box$upper),
       ridge = box$ridge)
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
