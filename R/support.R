# How near new rows are to those that a model was trained on: predict(type = "support").

row_support <- function(object, newdata, domain, reference, reference_domain, new_levels) {
  check_given(newdata, "newdata")
  drop(decide(as_support(object), newdata, domain, reference, reference_domain, new_levels))
}

# The same object, whose decision() gives the support of rows.
as_support <- function(object) UseMethod("as_support")

#' @exportS3Method
as_support.default <- function(object) {
  abort("argument", "`type` must not be \"support\" for a `", object$spec$method, "()`: it has no ",
        "kernel on its training rows.")
}

#' @exportS3Method
as_support.dg_learner <- function(object) {
  if (is.null(object$product)) return(NextMethod())
  class(object) <- c("dg_support", class(object))
  object
}

#' @exportS3Method
as_support.dg_chain <- function(object) {
  object$learner <- as_support(object$learner)
  object
}

#' @exportS3Method
as_support.dg_auto <- function(object) {
  object$members <- lapply(object$members, as_support)
  object
}

# max over training rows (or landmarks) i of |k((P, x), (P_i, x_i))| over the root of the kernel's
# values at the two rows themselves.
#' @exportS3Method
decision.dg_support <- function(object, X, domain, reference = NULL) {
  known <- support_rows(object)
  domains <- new_domains(object, X, domain, reference)
  kappa <- if (!is.null(domains$table) && is.null(domains$kappa)) t(domains$table)
           else domains$kappa
  kernel <- object$product$kernel
  own <- kernel_own(kernel, known$X)
  if (!is.null(kappa)) own <- own * diag(object$product$domain_kernel$kappa)[known$domain]
  counts <- own > 0
  parts <- lapply(blocks_of_rows(nrow(X), nrow(known$X)), function(i) {
    rows <- X[i, , drop = FALSE]
    values <- kernel_cross_(kernel_program(kernel, rows, known$X), rows, known$X, kappa,
                            if (!is.null(kappa)) as.integer(domain)[i],
                            if (!is.null(kappa)) known$domain, object$spec$args$threads)
    check_overflow(values, kernel)
    values <- abs(sweep(values[, counts, drop = FALSE], 2L, sqrt(own[counts]), "/"))
    # a row at the origin of a linear kernel is not far
    at <- own_variance(object$product, rows, domain[i], domains)
    ifelse(at > 0, pmin(apply(values, 1L, max) / sqrt(at), 1), 1)
  })
  matrix(unlist(parts), nrow(X), 1L)
}

# list(X, domain (numbers, or NULL)): what new rows are compared with.
support_rows <- function(object) {
  product <- object$product
  if (inherits(product$map, "landmark_map")) {
    return(list(X = product$map$landmarks, domain = product$map$domain))
  }
  if (is.null(product$X)) {
    abort("argument", "`type` must not be \"support\" for a model with `",
          class(product$features)[1L], "()`, which keeps no rows; `features_exact()` and ",
          "`features_nystrom()` do.")
  }
  used <- object$weights > 0
  list(X = product$X[used, , drop = FALSE], domain = as.integer(product$domain)[used])
}
