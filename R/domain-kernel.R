# Kernels between domains. Each has a constructor and two methods:
#   domain_kernel_fit(kernel, X, domain, threads, features): what is remembered,
#     with kappa [G x G] or NULL when it is constant; with features (a feature
#     map's arguments) no training rows are kept;
#   domain_kernel_new(kernel, X, domain, threads): kappa [new domains x G] from
#     the new domains' unlabelled rows, or NULL.

new_domain_kernel <- function(name, ...) {
  structure(list(...), class = c(paste0("domain_", name), "domgen_domain_kernel"))
}

domain_kernel_fit <- function(kernel, X, domain, threads, features = NULL) {
  UseMethod("domain_kernel_fit")
}

domain_kernel_new <- function(kernel, X, domain, threads) UseMethod("domain_kernel_new")

# Does a prediction depend on which domain a row is in?
uses_domain <- function(kernel) UseMethod("uses_domain")

#' @exportS3Method
uses_domain.domgen_domain_kernel <- function(kernel) TRUE

# A method without a domain kernel.
#' @exportS3Method
uses_domain.NULL <- function(kernel) FALSE

#' @export
print.domgen_domain_kernel <- function(x, ...) {
  cat("kappa(P, P') = ", format(x), "\n", sep = "")
  invisible(x)
}

#' Kernels between domains
#'
#' @description
#' Every method works with the kernel
#' \eqn{\bar k((P, x), (P', x')) = \kappa(P, P')\, k(x, x')}{
#' k((P, x), (P', x')) = kappa(P, P') k(x, x')} on pairs of a domain and a row (MTL
#' paper, section 5; DICA paper, equation 14). The domain kernel is the factor kappa:
#' \itemize{
#'   \item `domain_pooled()`: 1. All domains are one data set.
#'   \item `domain_multitask(tau)`: 1 within a domain, `tau` between domains, and so
#'     `tau` for a domain not seen in training (MTL paper, section 5.2). With `tau = 0` each
#'     domain has a machine of its own, with `tau = 1` all are pooled.
#'   \item `domain_multitask(kappa = )`: the similarities of a matrix. A domain is known by its
#'     name, so that one without training rows may have its row too. For a domain that is not in
#'     the matrix, predictions are an error unless `new` is given.
#'   \item `domain_distribution()`: a function of the mean embeddings of the two
#'     domains' distributions of x; for an unseen domain it is computed from its
#'     *unlabelled* rows. With `outer = kernel_rbf(sigma)`,
#'     \eqn{\kappa(P, P') = \exp(-\lVert\mu_P - \mu_{P'}\rVert^2/(2\sigma^2))}{
#'     kappa(P, P') = exp(-||mu_P - mu_P'||^2/(2 sigma^2))}.
#' }
#'
#' @param tau A number from 0 (each domain on its own) to 1 (pooling), or `NULL` to have
#'   [dg_gp()] fit it.
#' @param kappa Symmetric positive semi-definite matrix, with the names of the domains as row
#'   and column names.
#' @param new Number: kappa(P, P') of a domain that is not in `kappa` with those that are; with
#'   itself it has their mean. Must leave the matrix positive semi-definite.
#' @param kernel Kernel whose mean embeddings are taken. A bandwidth that is not
#'   given is the [median_bandwidth()] of the training rows.
#' @param outer Kernel on the embeddings: [kernel_rbf()] (Gaussian),
#'   [kernel_laplace()], [kernel_matern()], [kernel_exponential()],
#'   [kernel_poly()], [kernel_linear()], or sums and products of them. A
#'   bandwidth that is not given is the median distance of the training
#'   domains' embeddings.
#' @return A domain kernel, for the argument `domain_kernel` of the methods.
#' @seealso [domain_gram()] for the inner products of mean embeddings.
#' @examples
#' domain_distribution(kernel_rbf(sigma = 1), outer = kernel_rbf())
#' domain_multitask(0.5)
#' near <- matrix(c(1, 0.8, 0.1, 0.8, 1, 0.1, 0.1, 0.1, 1), 3,
#'                dimnames = rep(list(c("ward A", "ward B", "home")), 2))
#' domain_multitask(kappa = near, new = 0.1)
#' @name domain_distribution
NULL
