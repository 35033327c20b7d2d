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
domain_kernel_fit.domain_multitask <- function(kernel, X, domain, threads, features = NULL) {
  if (is.null(kernel$tau)) {
    abort("argument", "`tau` must be one number from 0 to 1; only `dg_gp()` with ",
          "`features_exact()` and two or more domains fits it.")
  }
  kernel$levels <- levels(domain)
  kernel$kappa <- same_domain(kernel, levels(domain))
  kernel
}

#' @exportS3Method
domain_kernel_new.domain_multitask <- function(kernel, X, domain, threads) {
  same_domain(kernel, levels(domain))
}

same_domain <- function(kernel, levels) {
  ifelse(outer(levels, kernel$levels, "=="), 1, kernel$tau)
}

#' @export
format.domain_multitask <- function(x, ...) {
  paste0("1 if P = P', else ", if (is.null(x$tau)) "tau" else format(x$tau), " (multi-task)")
}
