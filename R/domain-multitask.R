#' @rdname domain_distribution
#' @export
domain_multitask <- function(tau, kappa = NULL, new = NULL) {
  if (!is.null(kappa)) {
    if (!missing(tau)) {
      abort("argument", "`tau` must not be given with `kappa`, which has its place.")
    }
    return(domain_given(kappa, new))
  }
  if (!is.null(new)) {
    abort("argument", "`new` must not be given without `kappa`: an unseen domain gets `tau`.")
  }
  check_given(tau, "tau")
  new_domain_kernel("multitask", tau = if (!is.null(tau)) check_between(tau, "tau", 0, 1)) |>
    with_tau()
}

# A tau that is NULL is an element too.
with_tau <- function(kernel) {
  if (is.null(kernel$tau)) kernel["tau"] <- list(NULL)
  kernel
}

#' @exportS3Method
domain_knows.domain_multitask <- function(kernel) "names"

#' @exportS3Method
domain_kernel_fit.domain_multitask <- function(kernel, rows, features = NULL) {
  if (is.null(kernel$tau)) {
    abort("argument", "`tau` must be one number from 0 to 1; only `dg_gp()` with ",
          "`features_exact()` and two or more domains fits it.")
  }
  kernel$levels <- levels(rows$domain)
  kernel$kappa <- domain_kappa(kernel, rows)
  kernel
}

#' @exportS3Method
domain_kappa.domain_multitask <- function(kernel, rows, among = FALSE) {
  new <- levels(rows$domain)
  if (!among) warn_other_labels(new, kernel$levels)
  ifelse(outer(new, if (among) new else kernel$levels, "=="), 1, kernel$tau)
}

#' @exportS3Method
domain_parameters.domain_multitask <- function(kernel) {
  list(domain_parameter("tau", "tau", "correlation of f between domains", link = "logit",
                        open = is.null(kernel$tau)))
}

#' @exportS3Method
domain_start.domain_multitask <- function(kernel, rows, factors) {
  if (is.null(kernel$tau)) kernel$tau <- 0.5
  kernel
}

#' @exportS3Method
domain_slope.domain_multitask <- function(kernel, parameter, at, rows) 1 - diag(nrow(at$kappa))

#' @export
format.domain_multitask <- function(x, ...) {
  paste0("1 if P = P', else ", if (is.null(x$tau)) "tau" else format(x$tau), " (multi-task)")
}
