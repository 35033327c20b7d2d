#' Linear, polynomial, exponential and delta kernels
#'
#' @order 1
#' @description
#' | function | k(x, z) |
#' |---|---|
#' | `kernel_linear()` | \eqn{\langle x, z\rangle}{<x, z>} |
#' | `kernel_poly()` | \eqn{(\gamma\langle x, z\rangle + c)^d}{(gamma <x, z> + coef0)^degree} |
#' | `kernel_exponential()` | \eqn{\exp(\langle x, z\rangle/\sigma^2)}{exp(<x, z> / sigma^2)} |
#' | `kernel_delta()` | 1 if x and z are equal in every column, else 0 |
#'
#' with \eqn{\gamma}{gamma} the `gamma`, c the `coef0`, d the `degree` and \eqn{\sigma}{sigma} the
#' `bandwidth`.
#'
#' @details
#' The normalised exponential kernel ([kernel_normalise()]) is the Gaussian kernel with the same
#' bandwidth. The delta kernel is the default for class labels (DICA paper, section 3.2).
#'
#' A linear kernel is evaluated and printed as \eqn{\langle x - m, z - m\rangle}{<x - m, z - m>},
#' with m the mean of the training rows, if domains are pooled and the method has a free constant:
#' projections with centred features, and learners with `intercept = TRUE`. The fitted function is
#' the same, because the constant absorbs the difference; precision is higher for data far from 0.
#'
#' @param degree Whole number of at least 1; default 2.
#' @param gamma Non-negative factor of the inner product; default 1.
#' @param coef0 Non-negative constant; default 1. A negative one would not give a kernel.
#' @param bandwidth Positive number; default 1. It is not set from the data.
#' @param ... Not used; an unknown argument is an error.
#' @return A kernel; see [kernel_rbf()].
#' @family kernels
#' @examples
#' kernel_poly(degree = 2)
#' kernel_matrix(kernel_linear(), matrix(1:6, 3))
#' kernel_matrix(kernel_delta(), c(1, 1, 2))
#' @export
kernel_linear <- function() new_kernel("linear")

#' @rdname kernel_linear
#' @order 2
#' @export
kernel_poly <- function(degree = 2, gamma = 1, coef0 = 1) {
  new_kernel("poly", degree = check_count(degree, "degree"),
             gamma = check_number(gamma, "gamma", "non-negative"),
             coef0 = check_number(coef0, "coef0", "non-negative"))
}

#' @rdname kernel_linear
#' @order 3
#' @export
kernel_exponential <- function(bandwidth = 1, ...) {
  check_no_dots(list(...), "bandwidth")
  new_kernel("exponential", scale = check_number(bandwidth, "bandwidth"))
}

#' @exportS3Method
kernel_program.kernel_linear <- function(kernel, x, z) {
  list(type = "linear", origin = kernel$origin)
}

#' @exportS3Method
kernel_program.kernel_poly <- function(kernel, x, z) c(list(type = "poly"), unclass(kernel))

#' @exportS3Method
kernel_program.kernel_exponential <- function(kernel, x, z) {
  list(type = "exponential", inv = 1 / kernel$scale)
}

# <x - m, z - m> gives the same functions as <x, z> up to a constant. With the mean of the rows as
# m, no digits are lost where rows are far from 0.
kernel_origin <- function(kernel, m) UseMethod("kernel_origin")

#' @exportS3Method
kernel_origin.domgen_kernel <- function(kernel, m) kernel

#' @exportS3Method
kernel_origin.kernel_linear <- function(kernel, m) {
  kernel$origin <- m
  kernel
}

#' @exportS3Method
kernel_origin.kernel_poly <- function(kernel, m) {
  if (kernel$degree == 1L && kernel$gamma > 0) kernel$origin <- m
  kernel
}

#' @exportS3Method
kernel_origin.kernel_sum <- function(kernel, m) {
  kernel$parts <- lapply(kernel$parts, kernel_origin, m)
  kernel
}

# For a method whose functions have a free constant; with a domain kernel other than
# domain_pooled() the constant differs by domain.
free_origin <- function(args, X) {
  if (uses_domain(args$domain_kernel)) return(args$kernel)
  kernel_origin(args$kernel, unname(colMeans(X)))
}

#' @exportS3Method
kernel_profile.kernel_linear <- function(kernel, inner, norm_x, norm_z) inner

#' @exportS3Method
kernel_profile_slope.kernel_linear <- function(kernel, inner, change) change

#' @exportS3Method
kernel_profile.kernel_poly <- function(kernel, inner, norm_x, norm_z) {
  (kernel$gamma * inner + kernel$coef0)^kernel$degree
}

#' @exportS3Method
kernel_profile_slope.kernel_poly <- function(kernel, inner, change) {
  kernel$degree * kernel$gamma * change *
    (kernel$gamma * inner + kernel$coef0)^(kernel$degree - 1)
}

#' @exportS3Method
kernel_profile.kernel_exponential <- function(kernel, inner, norm_x, norm_z) {
  exp(inner / kernel$scale^2)
}

#' @exportS3Method
kernel_profile_slope.kernel_exponential <- function(kernel, inner, change) {
  exp(inner / kernel$scale^2) * change / kernel$scale^2
}

#' @export
format.kernel_linear <- function(x, ...) format_inner(x)

format_inner <- function(kernel) if (is.null(kernel$origin)) "<x, z>" else "<x - mean, z - mean>"

#' @export
format.kernel_poly <- function(x, ...) {
  if (x$gamma == 0) return(format(x$coef0^x$degree))
  paste0("(", if (x$gamma != 1) paste0(format(x$gamma), " "), format_inner(x), " + ",
         format(x$coef0), ")^", x$degree)
}

#' @export
format.kernel_exponential <- function(x, ...) {
  paste0("exp(<x, z> / ", format(x$scale), "^2)")
}
