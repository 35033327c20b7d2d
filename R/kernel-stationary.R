# Kernels of the distance: k(x, z) = value(d), d = ||(x - z) / sigma||^2. One is a file with a
# constructor, kernel_value() and format(), and, where they are known,
#   kernel_rate       -2 dk/dd, by which its bandwidth is fitted
#   core_name         its row in src/core/kernel/tree.h; without one it is evaluated in R
#   kernel_spectral   its spectral density, for random Fourier features

stationary <- function(name, bandwidth, bandwidth_factor, ..., dots = list()) {
  kernel <- with_bandwidth(name, bandwidth, bandwidth_factor, ..., dots = dots)
  class(kernel) <- append(class(kernel), "kernel_stationary", after = 1L)
  kernel
}

# ...: further parts of the kernel.
with_bandwidth <- function(name, bandwidth, bandwidth_factor, ..., dots = list()) {
  check_no_dots(dots, c("bandwidth", "bandwidth_factor", names(list(...))))
  if (!is.null(bandwidth)) {
    # 1/sigma must be finite too
    wrong <- if (is.numeric(bandwidth)) !is.finite(bandwidth) | bandwidth < .Machine$double.xmin
    if (!is.numeric(bandwidth) || length(bandwidth) == 0L || any(wrong)) {
      abort("argument", "`bandwidth` must be one positive number, or one per predictor, not ",
            if (is.numeric(bandwidth) && length(bandwidth) > 1L) {
              paste0("a vector with ", format(bandwidth[wrong][1L]))
            } else describe(bandwidth), ".")
    }
    bandwidth <- as.numeric(bandwidth)
  }
  bandwidth_factor <- check_number(bandwidth_factor, "bandwidth_factor")
  if (bandwidth_factor != 1 && !is.null(bandwidth)) {
    abort("argument", "`bandwidth_factor` must not be given with `bandwidth`: it multiplies ",
          "the median distance, which `bandwidth` replaces.")
  }
  kernel <- new_kernel(name, bandwidth = bandwidth, ...)
  if (bandwidth_factor != 1) kernel$bandwidth_factor <- bandwidth_factor
  kernel
}

#' @exportS3Method
kernel_grid.kernel_stationary <- function(kernel) bandwidth_grid(kernel)

bandwidth_grid <- function(kernel) {
  if (is.null(kernel$bandwidth)) list(bandwidth_factor = c(0.25, 0.5, 1, 2))
}

kernel_value <- function(kernel, d) UseMethod("kernel_value")

# function(D): D random factors of standard normal frequencies; NULL: unknown.
kernel_spectral <- function(kernel) UseMethod("kernel_spectral")

#' @exportS3Method
kernel_spectral.domgen_kernel <- function(kernel) NULL

#' @exportS3Method
kernel_profile.kernel_stationary <- function(kernel, inner, norm_x, norm_z) {
  kernel_value(kernel, squared_distances(inner, norm_x, norm_z) / kernel$bandwidth^2)
}

#' @exportS3Method
kernel_fit.kernel_stationary <- function(kernel, X, middle = median_bandwidth(X)) {
  fit_bandwidth(kernel, X, middle)
}

fit_bandwidth <- function(kernel, X, middle) {
  if (is.null(kernel$bandwidth)) {
    kernel$bandwidth <- middle *
      if (is.null(kernel$bandwidth_factor)) 1 else kernel$bandwidth_factor
    kernel$bandwidth_factor <- NULL
  }
  if (!length(kernel$bandwidth) %in% c(1L, ncol(X))) {
    abort("argument", "`bandwidth` must be one number or one per predictor (", ncol(X), "), not ",
          length(kernel$bandwidth), ".")
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
  if (!is.null(name)) return(list(type = name, inv = 1 / kernel$bandwidth))
  # at the rows in bandwidths; centred, so that a large common offset costs no digits
  scaled <- in_bandwidths(kernel, x, z)
  at_zero <- kernel_value(kernel, 0)
  list(type = "given", values = kernel_value(kernel, between_rows(scaled$x, scaled$z)),
       diag_x = rep(at_zero, nrow(x)), diag_z = rep(at_zero, nrow(z)))
}

between_rows <- function(x, z) squared_distances(tcrossprod(x, z), rowSums(x^2), rowSums(z^2))

in_bandwidths <- function(kernel, x, z) {
  centre <- colMeans(z)
  scaled <- function(a) sweep(sweep(unname(a), 2L, centre), 2L, kernel$bandwidth, "/", FALSE)
  list(x = scaled(x), z = scaled(z))
}

is_stationary <- function(kernel) inherits(kernel, "kernel_stationary")

# The kernel with this multiple of the median as bandwidth; in sums and products each part.
times_median <- function(kernel, factor) {
  if (!is.null(kernel$parts)) kernel$parts <- lapply(kernel$parts, times_median, factor)
  if (has_bandwidth(kernel)) kernel$bandwidth_factor <- factor
  kernel
}

# The multiple of the median that the bandwidth is, in sums that of the first part; NULL where there
# is none.
median_factor <- function(kernel) {
  if (!is.null(kernel$parts)) return(median_factor(kernel$parts[[1L]]))
  if (has_bandwidth(kernel)) if (is.null(kernel$bandwidth_factor)) 1 else kernel$bandwidth_factor
}
