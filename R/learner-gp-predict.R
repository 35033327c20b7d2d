# The predictive distribution of a Gaussian process; see the help of predict.dg_learner().

#' @exportS3Method
posterior.dg_gp <- function(object, rows = NULL, draws = 0L) {
  seen <- if (is.null(rows)) old_rows(object) else new_rows(object, rows)
  if (draws > 0L) return(list(draws = gp_draws(object$space, object, seen, draws)))
  gp_moments(object$space, object, seen)
}

# The rows with what is known of their domains: table, see domain_table(); own: kappa(P, P) of each;
# members: the rows that describe them.
new_rows <- function(object, rows) {
  space <- object$space
  if (!uses_domain(space$domain_kernel)) return(rows)
  rows$members <- domain_members(space, rows)
  rows$table <- domain_table(space, rows$members)
  rows$own <- domain_own(space$domain_kernel, rows$members)
  rows
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
gp_moments <- function(space, object, rows) UseMethod("gp_moments")

by_blocks <- function(rows, columns, moments) {
  parts <- lapply(blocks_of_rows(nrow(rows$X), columns), function(i) moments(rows_at(rows, i)))
  list(mean = unlist(lapply(parts, `[[`, "mean")), var = unlist(lapply(parts, `[[`, "var")))
}

#' @exportS3Method
gp_moments.gram_space <- function(space, object, rows) {
  if (nrow(rows$X) == 0L) return(list(mean = numeric(), var = numeric()))
  factor <- gp_factor(object)
  by_blocks(rows, nrow(factor$A), function(rows) {
    cross <- gp_cross(space, object, rows)
    left <- own_variance(space, rows) - colSums(backsolve(factor$A, cross, transpose = TRUE)^2)
    list(mean = crossprod(cross, factor$alpha), var = object$signal_sd^2 * pmax(left, 0))
  })
}

# k(training rows, X) kappa, [used training rows x rows].
gp_cross <- function(space, object, rows) {
  used <- object$weights > 0
  Z <- take_used(space$X, used)
  kappa <- rows$table
  values <- kernel_cross_(kernel_program(space$kernel, Z, rows$X), Z, rows$X,
                          if (!is.null(kappa)) t(kappa),
                          if (!is.null(kappa)) as.integer(space$domain)[used],
                          if (!is.null(kappa)) as.integer(rows$domain), space$threads)
  check_overflow(c(min(values), max(values)), space$kernel)
  values
}

# kappa(P, P) k(x, x): the prior variance over s^2.
own_variance <- function(space, rows) {
  own <- kernel_own(space$kernel, rows$X)
  if (is.null(rows$own)) own else own * rows$own[as.integer(rows$domain)]
}

#' @exportS3Method
gp_moments.feature_space <- function(space, object, rows) {
  if (nrow(rows$X) == 0L) return(list(mean = numeric(), var = numeric()))
  by_blocks(rows, space$dim, function(rows) {
    at <- feature_moments_at(space, object, rows)
    list(mean = at$Z %*% object$coefficients, var = rowSums((at$Z %*% object$spread)^2) + at$left)
  })
}

# list(Z: features, left: the prior variance that they do not have).
feature_moments_at <- function(space, object, rows) {
  Z <- features_at(space, rows, rows$table)
  left <- object$signal_sd^2 * pmax(own_variance(space, rows) - rowSums(Z^2), 0)
  list(Z = Z, left = left)
}
