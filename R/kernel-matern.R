#' @rdname kernel_rbf
#' @order 3
#' @param nu Smoothness: 0.5, 1.5 (default) or 2.5.
#' @export
kernel_matern <- function(bandwidth = NULL, nu = 1.5, bandwidth_factor = 1, ...) {
  if (!is_number(nu) || !nu %in% c(0.5, 1.5, 2.5)) {
    abort("argument", "`nu` must be 0.5, 1.5 or 2.5, not ", describe(nu), ".")
  }
  stationary("matern", bandwidth, bandwidth_factor, nu = nu, dots = list(...))
}

#' @exportS3Method
kernel_value.kernel_matern <- function(kernel, d) {
  r <- sqrt(d)
  switch(as.character(kernel$nu),
         "0.5" = exp(-r),
         "1.5" = (1 + sqrt(3) * r) * exp(-sqrt(3) * r),
         "2.5" = (1 + sqrt(5) * r + 5 * d / 3) * exp(-sqrt(5) * r))
}

#' @exportS3Method
kernel_rate.kernel_matern <- function(kernel, d) {
  r <- sqrt(d)
  switch(as.character(kernel$nu),
         "0.5" = exp(-r) / r,
         "1.5" = 3 * exp(-sqrt(3) * r),
         "2.5" = 5 / 3 * (1 + sqrt(5) * r) * exp(-sqrt(5) * r))
}

#' @exportS3Method
core_name.kernel_matern <- function(kernel) {
  switch(as.character(kernel$nu), "0.5" = "laplace", "1.5" = "matern3", "2.5" = "matern5")
}

#' @exportS3Method
kernel_spectral.kernel_matern <- function(kernel) t_spectral(kernel$nu)

# A multivariate t distribution with 2 nu degrees of freedom.
t_spectral <- function(nu) function(D) sqrt(2 * nu / stats::rchisq(D, 2 * nu))

#' @export
format.kernel_matern <- function(x, ...) {
  switch(as.character(x$nu),
         "0.5" = "exp(-r), r = ||x - z|| / bandwidth",
         "1.5" = "(1 + sqrt(3) r) exp(-sqrt(3) r), r = ||x - z|| / bandwidth",
         "2.5" = "(1 + sqrt(5) r + 5 r^2 / 3) exp(-sqrt(5) r), r = ||x - z|| / bandwidth")
}
