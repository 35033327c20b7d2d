#' @rdname kernel_rbf
#' @order 4
#' @param alpha Positive number, default 1. Larger values give lighter tails: the kernel approaches
#'   the Gaussian kernel with bandwidth \eqn{\sigma/\sqrt2}{sigma / sqrt(2)}.
#' @export
kernel_cauchy <- function(bandwidth = NULL, alpha = 1, bandwidth_factor = 1, ...) {
  stationary("cauchy", bandwidth, bandwidth_factor, alpha = check_number(alpha, "alpha"),
             dots = list(...))
}

#' @exportS3Method
kernel_value.kernel_cauchy <- function(kernel, d) cauchy_power(kernel, d, kernel$alpha)

#' @exportS3Method
kernel_rate.kernel_cauchy <- function(kernel, d) 2 * cauchy_power(kernel, d, kernel$alpha + 1)

# (1 + d / alpha)^-power, also where alpha is large and 1 + d / alpha loses its digits.
cauchy_power <- function(kernel, d, power) exp(-power * log1p(d / kernel$alpha))

#' @exportS3Method
core_name.kernel_cauchy <- function(kernel) if (kernel$alpha == 1) "cauchy"

# The mean of exp(-s d) over s from a gamma distribution with mean 1 and variance 1 / alpha.
#' @exportS3Method
kernel_spectral.kernel_cauchy <- function(kernel) {
  function(D) sqrt(2 * stats::rgamma(D, kernel$alpha, kernel$alpha))
}

#' @export
format.kernel_cauchy <- function(x, ...) {
  if (x$alpha == 1) return("1 / (1 + r^2), r = ||x - z|| / bandwidth")
  paste0("(1 + r^2 / ", format(x$alpha), ")^-", format(x$alpha), ", r = ||x - z|| / bandwidth")
}
