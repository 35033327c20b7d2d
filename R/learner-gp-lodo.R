# Predictions of each domain's responses by a Gaussian process without them.

# Moments of the rows of positive weight, by the fit without their domain, in units of the response:
# list(residual, sd: of the response of a row, whose covariance within the domain is
# [(A^-1)_gg]^-1, log_density: of all responses of a domain, [G], NA without such rows).
left_out_moments <- function(object) {
  factor <- gp_factor(object)
  gp_inverse_(factor, length(factor$alpha))
  residual <- sd <- factor$alpha
  members <- split(seq_along(residual), object$domain[object$weights > 0])
  s2 <- object$signal_sd^2
  log_density <- rep(NA_real_, length(members))
  for (g in which(lengths(members) > 0L)) {
    i <- members[[g]]
    # chol() reads the upper triangle, which is all there is
    R <- chol(factor$A[i, i, drop = FALSE])
    residual[i] <- backsolve(R, backsolve(R, factor$alpha[i], transpose = TRUE))
    sd[i] <- object$signal_sd * sqrt(rowSums(backsolve(R, diag(length(i)))^2))
    fit <- sum(residual[i] * factor$alpha[i]) / s2
    log_density[g] <- in_response_units(
      sum(log(diag(R))) - (fit + length(i) * log(2 * pi * s2)) / 2, object$response, length(i)
    )
  }
  list(residual = residual * object$response$scale, sd = sd * object$response$scale,
       log_density = log_density)
}

# An environment of A, the Cholesky factor of the training covariance over s^2 in its upper
# triangle, and alpha, made anew: a fit does not carry an n x n matrix.
gp_factor <- function(object) {
  space <- object$space
  used <- object$weights > 0
  check_memory(sum(used))
  X <- take_used(space$X, used)
  kappa <- space$domain_kernel$kappa
  ridge <- (object$noise_sd / object$signal_sd)^2 / object$weights[used]
  target <- (object$y[used] - object$response$centre) / object$response$scale
  factor <- new.env(parent = emptyenv())
  solved <- core_result(gp_factor_(
    factor, kernel_program(space$kernel, X, X), X, kappa,
    if (!is.null(kappa)) as.integer(space$domain)[used], ridge, target,
    space$threads
  ))
  if (!solved$positive) abort_indefinite(object)
  factor$alpha <- solved$alpha
  factor
}
