#' Kernels of the distance
#'
#' @description
#' With \eqn{r = \lVert (x - z)/\sigma \rVert}{r = ||(x - z)/sigma||} (a division by
#' predictor when `bandwidth` is a vector):
#' \itemize{
#'   \item `kernel_rbf()`: \eqn{k(x, z) = \exp(-r^2/2)}{k(x, z) = exp(-r^2/2)}, that is
#'     \eqn{\exp(-\lVert x - z\rVert^2 / (2\sigma^2))}{exp(-||x - z||^2/(2 sigma^2))};
#'   \item `kernel_laplace()`: \eqn{k(x, z) = \exp(-r)}{k(x, z) = exp(-r)};
#'   \item `kernel_matern()`: \eqn{\exp(-r)}{exp(-r)}, \eqn{(1 + \sqrt3 r) \exp(-\sqrt3 r)}{
#'     (1 + sqrt(3) r) exp(-sqrt(3) r)} or \eqn{(1 + \sqrt5 r + 5r^2/3)\exp(-\sqrt5 r)}{
#'     (1 + sqrt(5) r + 5 r^2/3) exp(-sqrt(5) r)} for `nu` = 1/2, 3/2, 5/2;
#'   \item `kernel_cauchy()`: \eqn{(1 + r^2/\alpha)^{-\alpha}}{(1 + r^2/alpha)^(-alpha)}, a mixture
#'     of Gaussian kernels of all bandwidths, whose tails are heavy: the Cauchy kernel for
#'     `alpha = 1`; otherwise the rational quadratic kernel, evaluated in R.
#' } All are characteristic: the mean embedding determines the distribution.
#' Other packages mean other things by `bandwidth`: `kernlab::rbfdot(bandwidth = s)` is
#' `kernel_rbf(bandwidth = sqrt(1 / (2 * s)))`.
#'
#' @param bandwidth Bandwidth in the units of the (scaled) predictors: one positive
#'   number, or one per predictor. If `NULL`, `bandwidth_factor` the [median_bandwidth()] of the
#'   training rows.
#' @param bandwidth_factor Positive number: the bandwidth as a multiple of the median, which does
#'   not depend on the units, when `bandwidth` is not given.
#' @param ... Not used; an argument that is not known is an error.
#' @return A kernel, to be used as an argument of the methods or with
#'   [kernel_matrix()]. Kernels can be added, multiplied and normalised
#'   ([kernel_normalise()]).
#' @family kernels
#' @examples
#' kernel_rbf(bandwidth = 2)
#' x <- as.matrix(iris[1:3, 1:4])
#' kernel_matrix(kernel_laplace(bandwidth = 1), x)
#' kernel_matrix(kernel_matern(bandwidth = c(1, 1, 2, 2), nu = 2.5), x)
#' @export
kernel_rbf <- function(bandwidth = NULL, bandwidth_factor = 1, ...) {
  stationary("rbf", bandwidth, bandwidth_factor, dots = list(...))
}

#' @exportS3Method
kernel_value.kernel_rbf <- function(kernel, d) exp(-d / 2)

#' @exportS3Method
kernel_rate.kernel_rbf <- function(kernel, d) exp(-d / 2)

#' @exportS3Method
core_name.kernel_rbf <- function(kernel) "rbf"

#' @exportS3Method
kernel_spectral.kernel_rbf <- function(kernel) function(D) rep(1, D)

#' @export
format.kernel_rbf <- function(x, ...) "exp(-||x - z||^2 / (2 bandwidth^2))"

is_gaussian <- function(kernel) inherits(kernel, "kernel_rbf")
