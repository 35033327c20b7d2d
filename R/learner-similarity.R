# How near new rows are to those that a model was trained on: predict(type = "similarity").

# max over training rows (or landmarks) i of |k((P, x), (P_i, x_i))| over the root of the kernel's
# values at the two rows themselves.
#' @exportS3Method
similarity.dg_learner <- function(object, new) {
  space <- object$space
  if (is.null(space)) return(NextMethod())
  if (nrow(new$X) == 0L) return(matrix(0, 0L, 1L))
  training <- similarity_rows(object)
  new <- new_rows(object, new)
  # a landmark map looks at kappa from the other side
  kappa <- if (is.null(space$feature_map)) new$table else if (!is.null(new$table)) t(new$table)
  kernel <- space$kernel
  diagonal <- kernel_own(kernel, training$X)
  if (!is.null(kappa)) diagonal <- diagonal * diag(space$domain_kernel$kappa)[training$domain]
  counts <- diagonal > 0
  parts <- lapply(blocks_of_rows(nrow(new$X), nrow(training$X)), function(i) {
    part <- rows_at(new, i)
    values <- kernel_cross_(kernel_program(kernel, part$X, training$X), part$X, training$X, kappa,
                            if (!is.null(kappa)) as.integer(part$domain),
                            if (!is.null(kappa)) training$domain, space$threads)
    check_overflow(values, kernel)
    values <- abs(sweep(values[, counts, drop = FALSE], 2L, sqrt(diagonal[counts]), "/"))
    # a row at the origin of a linear kernel is not far
    at <- own_variance(space, part)
    ifelse(at > 0, pmin(apply(values, 1L, max) / sqrt(at), 1), 1)
  })
  matrix(unlist(parts), nrow(new$X), 1L)
}

# list(X, domain (numbers, or NULL)): what new rows are compared with.
similarity_rows <- function(object) {
  space <- object$space
  if (isTRUE(space$map$of_rows)) {
    return(list(X = space$map$landmarks, domain = space$map$domain))
  }
  if (is.null(space$X)) {
    abort("argument", "`type` must not be \"similarity\" for a model with `",
          class(space$feature_map)[1L], "()`, which keeps no rows; `features_exact()` and ",
          "`features_nystrom()` do.")
  }
  used <- object$weights > 0
  list(X = space$X[used, , drop = FALSE], domain = as.integer(space$domain)[used])
}
