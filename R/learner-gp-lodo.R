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
  if (is.null(object$product$features)) return(without_unknown(exact_lodo(object), object))
  if (is.null(object$lodo)) {
    abort("memory", "`lodo()` needs sums of features by domain, which for ",
          plural(nlevels(object$domain), "domain"), " and ", plural(object$product$dim, "feature"),
          " would take more than 256 MB; use fewer features, or dg_cv().")
  }
  without_unknown(object$lodo, object)
}

# A domain with a level of its own has no score.
without_unknown <- function(domains, object) {
  unknown <- unknown_elsewhere(object$rows$levels, object$domain)
  lost <- domains$domain %in% object$domain[unknown]
  if (!any(lost)) return(domains)
  domains[lost, c("rmse", "log_density")] <- NA
  warn_unpredicted(sum(unknown), domains$domain[lost],
                   tell_unknown_levels(object$rows$levels, unknown, object$domain))
  domains
}

# Of the rows of positive weight, each domain's without it, in units of the response: list(residual,
# sd: of the response of a row, whose covariance within the domain is [(A^-1)_gg]^-1).
left_out_moments <- function(object) {
  factor <- gp_factor(object)
  gp_inverse_(factor, length(factor$alpha))
  residual <- sd <- factor$alpha
  for (i in split(seq_along(residual), droplevels(object$domain[object$weights > 0]))) {
    R <- chol(factor$A[i, i, drop = FALSE])
    residual[i] <- backsolve(R, backsolve(R, factor$alpha[i], transpose = TRUE))
    sd[i] <- object$signal * sqrt(rowSums(backsolve(R, diag(length(i)))^2))
  }
  list(residual = residual * object$response$scale, sd = sd * object$response$scale)
}

exact_lodo <- function(object) {
  used <- object$weights > 0
  factor <- gp_factor(object)
  gp_inverse_(factor, length(factor$alpha))
  domain <- droplevels(object$domain[used])
  weights <- object$weights[used]
  s2 <- object$signal^2
  rows <- lapply(split(seq_along(domain), domain), function(i) {
    alpha <- factor$alpha[i]
    # chol() reads the upper triangle, which is all there is
    R <- chol(factor$A[i, i, drop = FALSE])
    left <- backsolve(R, backsolve(R, alpha, transpose = TRUE))
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
