# Kernels of the distance: k(x, z) = value(d), d = ||(x - z) / sigma||^2. One is a file with a
# constructor, kernel_value() and format(), and, where they are known,
#   kernel_rate       -2 dk/dd, by which its bandwidth is fitted
#   core_name         its row in src/core/kernel/tree.h; without one it is evaluated in R
#   kernel_spectral   its spectral density, for random Fourier features

# ...: further parts of the kernel.
stationary <- function(name, sigma, times, ...) {
  if (!is.null(sigma)) {
    # 1/sigma must be finite too
    wrong <- if (is.numeric(sigma)) !is.finite(sigma) | sigma < .Machine$double.xmin
    if (!is.numeric(sigma) || length(sigma) == 0L || any(wrong)) {
      abort("argument", "`sigma` must be one positive number, or one per predictor, not ",
            if (is.numeric(sigma) && length(sigma) > 1L) {
              paste0("a vector with ", format(sigma[wrong][1L]))
            } else describe(sigma), ".")
    }
    sigma <- as.numeric(sigma)
  }
  times <- check_number(times, "times")
  if (times != 1 && !is.null(sigma)) {
    abort("argument", "`times` must not be given with `sigma`: it multiplies the median.")
  }
  kernel <- new_kernel(name, sigma = sigma, ...)
  if (times != 1) kernel$times <- times
  class(kernel) <- append(class(kernel), "kernel_stationary", after = 1L)
  kernel
}

#' @exportS3Method
kernel_grid.kernel_stationary <- function(kernel) {
  if (is.null(kernel$sigma)) list(times = c(0.25, 0.5, 1, 2))
}

kernel_value <- function(kernel, d) UseMethod("kernel_value")

# function(D): D random factors of standard normal frequencies; NULL: unknown.
kernel_spectral <- function(kernel) UseMethod("kernel_spectral")

#' @exportS3Method
kernel_spectral.domgen_kernel <- function(kernel) NULL

#' @exportS3Method
kernel_profile.kernel_stationary <- function(kernel, inner, norm_x, norm_z) {
  kernel_value(kernel, squared_distances(inner, norm_x, norm_z) / kernel$sigma^2)
}

#' @exportS3Method
kernel_fit.kernel_stationary <- function(kernel, X, middle = median_bandwidth(X)) {
  if (is.null(kernel$sigma)) {
    kernel$sigma <- middle * if (is.null(kernel$times)) 1 else kernel$times
    kernel$times <- NULL
  }
  if (!length(kernel$sigma) %in% c(1L, ncol(X))) {
    abort("argument", "`sigma` must be one number or one per predictor (", ncol(X), "), not ",
          length(kernel$sigma), ".")
  }
  kernel
}

# What the core calls the kernel and, with "_rate" and "_slope", its derivatives
# (src/core/kernel/profile.h); NULL: it is evaluated in R.
core_name <- function(kernel) UseMethod("core_name")

#' @exportS3Method
core_name.domgen_kernel <- function(kernel) NULL

#' @exportS3Method
kernel_program.kernel_stationary <- function(kernel, x, z) {
  name <- core_name(kernel)
  if (!is.null(name)) return(list(type = name, inv = 1 / kernel$sigma))
  # at the rows in bandwidths; centred, so that a large common offset costs no digits
  rows <- in_bandwidths(kernel, x, z)
  own <- kernel_value(kernel, 0)
  list(type = "given", values = kernel_value(kernel, between_rows(rows$x, rows$z)),
       diag_x = rep(own, nrow(x)), diag_z = rep(own, nrow(z)))
}

between_rows <- function(x, z) squared_distances(tcrossprod(x, z), rowSums(x^2), rowSums(z^2))

in_bandwidths <- function(kernel, x, z) {
  centre <- colMeans(z)
  scaled <- function(a) sweep(sweep(unname(a), 2L, centre), 2L, kernel$sigma, "/", FALSE)
  list(x = scaled(x), z = scaled(z))
}

is_stationary <- function(kernel) inherits(kernel, "kernel_stationary")
