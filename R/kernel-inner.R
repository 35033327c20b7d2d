#' Kernels of the inner product
#'
#' @description
#' \itemize{
#'   \item `kernel_linear()`: \eqn{k(x, z) = \langle x, z\rangle}{k(x, z) = <x, z>};
#'   \item `kernel_poly()`: \eqn{k(x, z) = (\gamma\langle x, z\rangle + c)^d}{
#'     k(x, z) = (gamma <x, z> + coef0)^degree};
#'   \item `kernel_exponential()`: \eqn{k(x, z) = \exp(\langle x, z\rangle/\sigma^2)}{
#'     k(x, z) = exp(<x, z>/sigma^2)}, whose normalised form is the Gaussian kernel.
#' }
#'
#' @details
#' Where the functions of a method have a free constant and domains are pooled, in projections with
#' centred features and in learners with `intercept = TRUE`, a linear kernel is evaluated and
#' printed as \eqn{\langle x - m, z - m\rangle}{<x - m, z - m>}, m the mean of the training rows:
#' the constant takes up the difference.
#'
#' @param degree Whole number of at least 1.
#' @param gamma Non-negative factor of the inner product.
#' @param coef0 Non-negative constant (a negative one would not give a kernel).
#' @param bandwidth Positive number.
#' @param ... Not used; an argument that is not known is an error.
#' @return A kernel; see [kernel_rbf()].
#' @family kernels
#' @examples
#' kernel_poly(degree = 2)
#' kernel_matrix(kernel_linear(), matrix(1:6, 3))
#' @export
kernel_linear <- function() new_kernel("linear")

#' @rdname kernel_linear
#' @export
kernel_poly <- function(degree = 2, gamma = 1, coef0 = 1) {
  new_kernel("poly", degree = check_count(degree, "degree"),
             gamma = check_number(gamma, "gamma", "non-negative"),
             coef0 = check_number(coef0, "coef0", "non-negative"))
}

#' @rdname kernel_linear
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

# Where functions are wanted up to a constant, <x - m, z - m> gives the same ones as <x, z>. With m
# the mean of the rows no digits are lost where rows are far from 0.
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

# That of a method whose functions have a free constant; another kernel between domains makes
# it a constant for each domain.
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
