#' Gaussian, Laplace, Matern and Cauchy kernels
#'
#' @order 1
#' @description
#' Kernels of the distance between two rows in units of the bandwidth,
#' \eqn{r = \lVert (x - z)/\sigma \rVert}{r = ||(x - z) / sigma||}, with \eqn{\sigma}{sigma} the
#' `bandwidth`: one number, or one per predictor, by which that predictor is divided.
#'
#' | function | k(x, z) |
#' |---|---|
#' | `kernel_rbf()` (Gaussian) | \eqn{\exp(-r^2/2)}{exp(-r^2 / 2)} |
#' | `kernel_laplace()` | \eqn{\exp(-r)}{exp(-r)} |
#' | `kernel_matern(nu = 0.5)` | \eqn{\exp(-r)}{exp(-r)} |
#' | `kernel_matern(nu = 1.5)` | \eqn{(1 + s) \exp(-s)}{(1 + s) exp(-s)} |
#' | `kernel_matern(nu = 2.5)` | \eqn{(1 + s + s^2/3)\exp(-s)}{(1 + s + s^2/3) exp(-s)} |
#' | `kernel_cauchy()` | \eqn{(1 + r^2/\alpha)^{-\alpha}}{(1 + r^2 / alpha)^(-alpha)} |
#'
#' with \eqn{s = \sqrt{2\nu}\, r}{s = sqrt(2 nu) r}.
#'
#' @details
#' All are characteristic: the mean embedding determines the distribution.
#'
#' `kernel_cauchy()` is a mixture of Gaussian kernels of all bandwidths and has heavy tails. With
#' `alpha = 1` it is the Cauchy kernel. With any other `alpha` it is the rational quadratic kernel,
#' which is slower: it is evaluated in R, not in C++. Its length scale in Rasmussen and Williams
#' (2006, section 4.2.1) is \eqn{\sigma/\sqrt2}{sigma / sqrt(2)}.
#'
#' `kernlab::rbfdot(s)`, and `gamma = s` of scikit-learn's RBF kernel, are
#' `kernel_rbf(bandwidth = sqrt(1 / (2 * s)))`. `kernel_laplace()` is not scikit-learn's
#' `laplacian_kernel()`, which uses the sum of absolute differences as distance.
#'
#' @param bandwidth Bandwidth in units of the (scaled) predictors: one positive number, or one per
#'   predictor. If `NULL` (default), `bandwidth_factor` times the [median_bandwidth()] of the
#'   training rows.
#' @param bandwidth_factor Positive number that multiplies the median distance; only without
#'   `bandwidth`. Default 1.
#' @param ... Not used; an unknown argument is an error.
#' @return A kernel, for the arguments `kernel` and `kernel_y` of the methods and for
#'   [kernel_matrix()]. Kernels can be added, multiplied and normalised ([kernel_normalise()]).
#' @section Errors:
#' A bandwidth that is not positive and finite, `bandwidth` together with `bandwidth_factor`,
#' another `nu` and an unknown argument are errors. The number of bandwidths is compared with the
#' predictors when the kernel is evaluated.
#' @references
#' Rasmussen, C. E. and Williams, C. K. I. (2006). *Gaussian Processes for Machine Learning*. MIT
#' Press.
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
