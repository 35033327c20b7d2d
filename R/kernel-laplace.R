#' @rdname kernel_rbf
#' @order 2
#' @export
kernel_laplace <- function(bandwidth = NULL, bandwidth_factor = 1, ...) {
  stationary("laplace", bandwidth, bandwidth_factor, dots = list(...))
}

#' @exportS3Method
kernel_value.kernel_laplace <- function(kernel, d) exp(-sqrt(d))

#' @exportS3Method
kernel_rate.kernel_laplace <- function(kernel, d) exp(-sqrt(d)) / sqrt(d)

#' @exportS3Method
core_name.kernel_laplace <- function(kernel) "laplace"

#' @exportS3Method
kernel_spectral.kernel_laplace <- function(kernel) t_spectral(0.5)

#' @export
format.kernel_laplace <- function(x, ...) "exp(-||x - z|| / bandwidth)"
