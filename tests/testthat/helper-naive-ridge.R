# Ridge regression as the formulas say, row by row and domain by domain.

# (K + lambda / c) alpha + 1 b' = Y, 1'alpha = 0; rows of cost 0 are left out.
naive_kernel_ridge <- function(K, Y, costs, lambda, intercept = FALSE) {
  used <- which(costs > 0)
  A <- K[used, used, drop = FALSE] + diag(lambda / costs[used], length(used))
  m <- ncol(Y)
  right <- Y[used, , drop = FALSE]
  if (intercept) {
    A <- rbind(cbind(A, 1), c(rep(1, length(used)), 0))
    right <- rbind(right, 0)
  }
  solved <- solve(A, right)
  alpha <- matrix(0, nrow(K), m)
  alpha[used, ] <- solved[seq_along(used), ]
  list(alpha = alpha, intercept = if (intercept) solved[length(used) + 1L, ] else rep(0, m))
}

naive_ridge_fitted <- function(K, fit) sweep(K %*% fit$alpha, 2L, fit$intercept, "+")

# Each domain predicted by a fit to the others. centre: take off the mean of their
# responses, with these weights.
naive_left_out <- function(K, Y, domain, costs, lambda, intercept = FALSE, weights = NULL) {
  predicted <- Y * NA
  for (g in unique(domain)) {
    rest <- domain != g
    centre <- if (is.null(weights)) rep(0, ncol(Y)) else {
      colSums(weights[rest] * Y[rest, , drop = FALSE]) / sum(weights[rest])
    }
    fit <- naive_kernel_ridge(K[rest, rest], sweep(Y[rest, , drop = FALSE], 2L, centre), costs[rest],
                       lambda, intercept)
    at <- K[!rest, rest, drop = FALSE] %*% fit$alpha
    predicted[!rest, ] <- sweep(at, 2L, fit$intercept + centre, "+")
  }
  predicted
}

# The Gram matrix of an exact fit, from its kernels.
model_gram <- function(model) {
  product <- model$space
  K <- kernel_matrix(product$kernel, product$X)
  kappa <- product$domain_kernel$kappa
  if (is.null(kappa)) K else K * unname(kappa[product$domain, product$domain])
}

indicators <- function(y) outer(as.integer(y), seq_len(nlevels(y)), "==") + 0

# Left-out decision values [n x m x lambdas] of an exact fit, in the order of its rows.
left_out <- function(model, lambdas = model$spec$args$lambda) {
  task <- list(response = model$response, costs = model$costs,
               Y = code_rows(model$response, model$y))
  sample <- list(X = model$space$X, domain = model$domain, weights = model$weights)
  left_out_predictions(model$space, sample, task, model$spec$args, lambdas)
}
