# The predictive distribution of a Gaussian process; see ?posterior.

#' @exportS3Method
posterior.dg_gp <- function(object, new = NULL, draws = 0L) {
  seen <- if (is.null(new)) old_rows(object) else new_rows(object, new)
  if (draws > 0L) return(list(draws = gp_draws(object$space, object, seen, draws)))
  gp_moments(object$space, object, seen)
}

# New rows, with table: made by domain_table(); own: kappa(P, P) of each domain; members: the rows
# that describe the domains.
new_rows <- function(object, new) {
  space <- object$space
  if (!uses_domain(space$domain_kernel)) return(new)
  new$members <- domain_members(space, new)
  new$table <- domain_table(space, new$members)
  new$own <- domain_own(space$domain_kernel, new$members)
  new
}

old_rows <- function(object) {
  space <- object$space
  if (is.null(space$X)) {
    abort("argument", "`newdata` must be given: a model with `", class(space$feature_map)[1L],
          "()` keeps no training rows.")
  }
  kappa <- unname(space$domain_kernel$kappa)
  list(X = space$X, domain = object$domain, table = kappa,
       own = if (!is.null(kappa)) diag(kappa), among = kappa)
}

# list(mean, var) of f at rows made by new_rows().
gp_moments <- function(space, object, new) UseMethod("gp_moments")

by_blocks <- function(new, columns, moments) {
  parts <- lapply(blocks_of_rows(nrow(new$X), columns), function(i) moments(rows_at(new, i)))
  list(mean = unlist(lapply(parts, `[[`, "mean")), var = unlist(lapply(parts, `[[`, "var")))
}

#' @exportS3Method
gp_moments.gram_space <- function(space, object, new) {
  if (nrow(new$X) == 0L) return(list(mean = numeric(), var = numeric()))
  factor <- gp_factor(object)
  by_blocks(new, nrow(factor$A), function(block) {
    cross <- gp_cross(space, object, block)
    left <- own_variance(space, block) - colSums(backsolve(factor$A, cross, transpose = TRUE)^2)
    list(mean = crossprod(cross, factor$alpha), var = object$signal_sd^2 * pmax(left, 0))
  })
}

# k(training rows, X) kappa, [used training rows x rows].
gp_cross <- function(space, object, new) {
  used <- object$weights > 0
  Z <- take_used(space$X, used)
  kappa <- new$table
  values <- kernel_cross_(kernel_program(space$kernel, Z, new$X), Z, new$X,
                          if (!is.null(kappa)) t(kappa),
                          if (!is.null(kappa)) as.integer(space$domain)[used],
                          if (!is.null(kappa)) as.integer(new$domain), space$threads)
  check_overflow(c(min(values), max(values)), space$kernel)
  values
}

# kappa(P, P) k(x, x): the prior variance over s^2.
own_variance <- function(space, new) {
  variance <- kernel_own(space$kernel, new$X)
  if (is.null(new$own)) variance else variance * new$own[as.integer(new$domain)]
}

#' @exportS3Method
gp_moments.feature_space <- function(space, object, new) {
  if (nrow(new$X) == 0L) return(list(mean = numeric(), var = numeric()))
  by_blocks(new, space$dim, function(block) {
    at <- feature_moments_at(space, object, block)
    list(mean = at$Z %*% object$coefficients, var = rowSums((at$Z %*% object$spread)^2) + at$left)
  })
}

# list(Z: features, left: the prior variance that they do not have).
feature_moments_at <- function(space, object, new) {
  Z <- features_at(space, new, new$table)
  left <- object$signal_sd^2 * pmax(own_variance(space, new) - rowSums(Z^2), 0)
  list(Z = Z, left = left)
}
