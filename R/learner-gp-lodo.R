# Leaving domains out of a Gaussian process, see lodo().

#' @rdname lodo
#' @export
lodo.dg_gp <- function(object, ...) {
  check_no_dots(list(...), character())
  check_sealed(object)
  if (nlevels(object$domain) < 2L) {
    abort("data", "`lodo()` needs at least two domains, not only ",
          enumerate(levels(object$domain), quote = "\""), ".")
  }
  if (is.null(object$product$features)) return(exact_lodo(object))
  if (is.null(object$lodo)) {
    abort("memory", "`lodo()` needs sums of features by domain, which for ",
          plural(nlevels(object$domain), "domain"), " and ", plural(object$product$dim, "feature"),
          " would take more than 256 MB; use fewer features, or dg_cv().")
  }
  object$lodo
}

# For each domain list(rows: which of those of positive weight, R: the Cholesky factor of the
# inverse of their covariance over s^2, alpha, left: their residuals over the response's scale).
left_out_blocks <- function(object) {
  used <- object$weights > 0
  factor <- gp_factor(object)
  gp_inverse_(factor, length(factor$alpha))
  domain <- droplevels(object$domain[used])
  lapply(split(seq_along(domain), domain), function(i) {
    alpha <- factor$alpha[i]
    # chol() reads the upper triangle, which is all there is
    R <- chol(factor$A[i, i, drop = FALSE])
    list(rows = i, R = R, alpha = alpha,
         left = backsolve(R, backsolve(R, alpha, transpose = TRUE)))
  })
}

# Of each row of positive weight, when its domain is left out: domain, truth, fit, sd (of the
# prediction, with the noise).
exact_left_out <- function(object) {
  used <- object$weights > 0
  scale <- object$response$scale
  left <- sd <- numeric(sum(used))
  for (block in left_out_blocks(object)) {
    left[block$rows] <- block$left
    sd[block$rows] <- object$signal * sqrt(diag(chol2inv(block$R)))
  }
  truth <- object$y[used]
  data.frame(domain = droplevels(object$domain[used]), truth = truth, fit = truth - scale * left,
             sd = scale * sd)
}

exact_lodo <- function(object) {
  weights <- object$weights[object$weights > 0]
  domain <- droplevels(object$domain[object$weights > 0])
  s2 <- object$signal^2
  rows <- lapply(left_out_blocks(object), function(block) {
    i <- block$rows
    alpha <- block$alpha
    R <- block$R
    left <- block$left
    log_density <- sum(log(diag(R))) - (sum(left * alpha) / s2 + length(i) * log(2 * pi * s2)) / 2
    data.frame(rows = length(i), rmse = sqrt(weighted_mean(left^2, weights[i])) *
                 object$response$scale,
               log_density = in_response_units(log_density, object$response, length(i)))
  })
  data.frame(domain = levels(domain), do.call(rbind, rows), row.names = NULL)
}

# An environment of A, the Cholesky factor of the training covariance over s^2 in its upper
# triangle, and alpha, made anew: a fit does not carry an n x n matrix.
gp_factor <- function(object) {
  product <- object$product
  used <- object$weights > 0
  check_memory(sum(used))
  X <- take_used(product$X, used)
  kappa <- product$domain_kernel$kappa
  ridge <- (object$noise / object$signal)^2 / object$weights[used]
  target <- (object$y[used] - object$response$centre) / object$response$scale
  factor <- new.env(parent = emptyenv())
  solved <- core_result(gp_factor_(
    factor, kernel_program(product$kernel, X, X), X, kappa,
    if (!is.null(kappa)) as.integer(product$domain)[used], ridge, target,
    product$threads
  ))
  if (!solved$positive) abort_indefinite(object)
  factor$alpha <- solved$alpha
  factor
}
