#' Kernels of the distance
#'
#' @description
#' With \eqn{r = \lVert (x - z)/\sigma \rVert}{r = ||(x - z)/sigma||} (a division by
#' predictor when `sigma` is a vector):
#' \itemize{
#'   \item `kernel_rbf()`: \eqn{k(x, z) = \exp(-r^2/2)}{k(x, z) = exp(-r^2/2)}, that is
#'     \eqn{\exp(-\lVert x - z\rVert^2 / (2\sigma^2))}{exp(-||x - z||^2/(2 sigma^2))};
#'   \item `kernel_laplace()`: \eqn{k(x, z) = \exp(-r)}{k(x, z) = exp(-r)};
#'   \item `kernel_matern()`: \eqn{\exp(-r)}{exp(-r)}, \eqn{(1 + \sqrt3 r) \exp(-\sqrt3 r)}{
#'     (1 + sqrt(3) r) exp(-sqrt(3) r)} or \eqn{(1 + \sqrt5 r + 5r^2/3)\exp(-\sqrt5 r)}{
#'     (1 + sqrt(5) r + 5 r^2/3) exp(-sqrt(5) r)} for `nu` = 1/2, 3/2, 5/2.
#' } All three are characteristic: the mean embedding determines the distribution.
#' Other packages mean other things by `sigma`: `kernlab::rbfdot(sigma = s)` is
#' `kernel_rbf(sigma = sqrt(1 / (2 * s)))`.
#'
#' @param sigma Bandwidth in the units of the (scaled) predictors: one positive
#'   number, or one per predictor. If `NULL`, `times` the [median_bandwidth()] of the
#'   training rows.
#' @param times Positive number: the bandwidth as a multiple of the median, which does not
#'   depend on the units, when `sigma` is not given.
#' @return A kernel, to be used as an argument of the methods or with
#'   [kernel_matrix()]. Kernels can be added, multiplied and normalised
#'   ([kernel_normalise()]).
#' @family kernels
#' @examples
#' kernel_rbf(sigma = 2)
#' x <- as.matrix(iris[1:3, 1:4])
#' kernel_matrix(kernel_laplace(sigma = 1), x)
#' kernel_matrix(kernel_matern(sigma = c(1, 1, 2, 2), nu = 2.5), x)
#' @export
kernel_rbf <- function(sigma = NULL, times = 1) {
  new_kernel("rbf", sigma = check_sigma(sigma)) |> stationary(times)
}

#' @rdname kernel_rbf
#' @export
kernel_laplace <- function(sigma = NULL, times = 1) {
  new_kernel("laplace", sigma = check_sigma(sigma)) |> stationary(times)
}

#' @rdname kernel_rbf
#' @param nu Smoothness: 0.5, 1.5 or 2.5.
#' @export
kernel_matern <- function(sigma = NULL, nu = 1.5, times = 1) {
  if (!is_number(nu) || !nu %in% c(0.5, 1.5, 2.5)) {
    abort("argument", "`nu` must be 0.5, 1.5 or 2.5, not ", describe(nu), ".")
  }
  new_kernel("matern", sigma = check_sigma(sigma), nu = nu) |> stationary(times)
}

stationary <- function(kernel, times) {
  times <- check_number(times, "times")
  if (times != 1 && !is.null(kernel$sigma)) {
    abort("argument", "`times` must not be given with `sigma`: it multiplies the median.")
  }
  if (times != 1) kernel$times <- times
  class(kernel) <- append(class(kernel), "kernel_stationary", after = 1L)
  if (is.null(kernel$sigma)) kernel["sigma"] <- list(NULL)
  kernel
}

check_sigma <- function(sigma) {
  if (is.null(sigma)) return(NULL)
  # 1/sigma must be finite too
  wrong <- if (is.numeric(sigma)) !is.finite(sigma) | sigma < .Machine$double.xmin
  if (!is.numeric(sigma) || length(sigma) == 0L || any(wrong)) {
    abort("argument", "`sigma` must be one positive number, or one per predictor, not ",
          if (is.numeric(sigma) && length(sigma) > 1L) {
            paste0("a vector with ", format(sigma[wrong][1L]))
          } else describe(sigma), ".")
  }
  as.numeric(sigma)
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
# (core/kernel-slopes.h); NULL: it is evaluated in R.
core_name <- function(kernel) UseMethod("core_name")

#' @exportS3Method
core_name.domgen_kernel <- function(kernel) NULL

#' @exportS3Method
core_name.kernel_rbf <- function(kernel) "rbf"

#' @exportS3Method
core_name.kernel_laplace <- function(kernel) "laplace"

#' @exportS3Method
core_name.kernel_matern <- function(kernel) {
  switch(as.character(kernel$nu), "0.5" = "laplace", "1.5" = "matern3", "2.5" = "matern5")
}

#' @exportS3Method
kernel_program.kernel_stationary <- function(kernel, x, z) {
  if (is.null(core_name(kernel))) return(profile_program(kernel, x, z))
  list(type = sub("kernel_", "", class(kernel)[1L]), inv = 1 / kernel$sigma, nu = kernel$nu)
}

# By its profile at the rows in bandwidths; centred, so that a large common offset costs no
# digits.
profile_program <- function(kernel, x, z) {
  rows <- in_bandwidths(kernel, x, z)
  kernel$sigma <- 1
  of <- function(a, b) kernel_profile(kernel, tcrossprod(a, b), rowSums(a^2), rowSums(b^2))
  self <- function(a) rep(c(of(a[1L, , drop = FALSE], a[1L, , drop = FALSE])), nrow(a))
  list(type = "given", values = of(rows$x, rows$z), diag_x = self(rows$x), diag_z = self(rows$z))
}

in_bandwidths <- function(kernel, x, z) {
  centre <- colMeans(z)
  scaled <- function(a) sweep(sweep(unname(a), 2L, centre), 2L, kernel$sigma, "/", FALSE)
  list(x = scaled(x), z = scaled(z))
}

#' @exportS3Method
kernel_profile.kernel_rbf <- function(kernel, inner, norm_x, norm_z) {
  exp(-squared_distances(inner, norm_x, norm_z) / (2 * kernel$sigma^2))
}

#' @exportS3Method
kernel_rate.kernel_rbf <- function(kernel, d) exp(-d / 2)

#' @exportS3Method
kernel_profile.kernel_laplace <- function(kernel, inner, norm_x, norm_z) {
  exp(-sqrt(squared_distances(inner, norm_x, norm_z)) / kernel$sigma)
}

#' @exportS3Method
kernel_rate.kernel_laplace <- function(kernel, d) exp(-sqrt(d)) / sqrt(d)

#' @exportS3Method
kernel_profile.kernel_matern <- function(kernel, inner, norm_x, norm_z) {
  r <- sqrt(squared_distances(inner, norm_x, norm_z)) / kernel$sigma
  switch(as.character(kernel$nu),
         "0.5" = exp(-r),
         "1.5" = (1 + sqrt(3) * r) * exp(-sqrt(3) * r),
         "2.5" = (1 + sqrt(5) * r + 5 * r^2 / 3) * exp(-sqrt(5) * r))
}

#' @exportS3Method
kernel_rate.kernel_matern <- function(kernel, d) {
  r <- sqrt(d)
  switch(as.character(kernel$nu),
         "0.5" = exp(-r) / r,
         "1.5" = 3 * exp(-sqrt(3) * r),
         "2.5" = 5 / 3 * (1 + sqrt(5) * r) * exp(-sqrt(5) * r))
}

#' @export
format.kernel_rbf <- function(x, ...) "exp(-||x - z||^2 / (2 sigma^2))"

#' @export
format.kernel_laplace <- function(x, ...) "exp(-||x - z|| / sigma)"

#' @export
format.kernel_matern <- function(x, ...) {
  switch(as.character(x$nu),
         "0.5" = "exp(-r), r = ||x - z|| / sigma",
         "1.5" = "(1 + sqrt(3) r) exp(-sqrt(3) r), r = ||x - z|| / sigma",
         "2.5" = "(1 + sqrt(5) r + 5 r^2 / 3) exp(-sqrt(5) r), r = ||x - z|| / sigma")
}
