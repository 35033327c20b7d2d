#' @rdname kernel_rbf
#' @export
kernel_laplace <- function(sigma = NULL, times = 1) stationary("laplace", sigma, times)

#' @exportS3Method
kernel_value.kernel_laplace <- function(kernel, d) exp(-sqrt(d))

#' @exportS3Method
kernel_rate.kernel_laplace <- function(kernel, d) exp(-sqrt(d)) / sqrt(d)

#' @exportS3Method
core_name.kernel_laplace <- function(kernel) "laplace"

#' @exportS3Method
kernel_spectral.kernel_laplace <- function(kernel) t_spectral(0.5)

#' @export
format.kernel_laplace <- function(x, ...) "exp(-||x - z|| / sigma)"
