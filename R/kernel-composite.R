#' Combine kernels, or write one
#'
#' @order 1
#' @description
#' | expression | k(x, z) |
#' |---|---|
#' | `k1 + k2` | \eqn{k_1(x, z) + k_2(x, z)}{k1(x, z) + k2(x, z)} |
#' | `k1 * k2` | \eqn{k_1(x, z)\, k_2(x, z)}{k1(x, z) k2(x, z)} |
#' | `kernel_normalise(k)` | \eqn{k(x, z)/\sqrt{k(x, x) k(z, z)}}{k(x, z)/sqrt(k(x, x) k(z, z))} |
#' | `kernel_custom(fun)` | `fun(x, z)`, a function in R |
#'
#' In a sum or product, a non-negative number is the constant kernel. Normalised kernels are those
#' of the MTL paper, section 5.
#'
#' @details
#' `kernel_custom()` calls `fun` with whole matrices, so it should be vectorised; it does not use
#' several threads. `fun` must be symmetric and positive semi-definite. Only symmetry and, for pairs
#' of rows, \eqn{k(x, z)^2 \le k(x, x) k(z, z)}{k(x, z)^2 <= k(x, x) k(z, z)} are checked. The
#' kernel stores the variables and functions that the body of `fun` names, with their present
#' values, and nothing else of the environment where it was defined: a saved model predicts the same
#' in another session.
#'
#' @param kernel Kernel to normalise.
#' @param e1,e2 Kernels, or one kernel and one non-negative number.
#' @param fun Function of two numeric matrices `x` (n x p) and `z` (m x p) that returns the n x m
#'   matrix of kernel values.
#' @param formula String to print as the formula of the kernel.
#' @return A kernel; see [kernel_rbf()].
#' @section Errors:
#' Other operators than `+` and `*`, and a negative number, are errors. So are, when the kernel is
#' evaluated, values of `fun` that have another shape, are not finite or fail the checks above.
#' @family kernels
#' @examples
#' k <- 0.5 * kernel_rbf(bandwidth = 1) + kernel_linear() * kernel_delta()
#' k
#' kernel_normalise(kernel_poly(degree = 2))
#'
#' cosine <- kernel_custom(function(x, z) tcrossprod(x, z) /
#'   outer(sqrt(rowSums(x^2)), sqrt(rowSums(z^2))), "<x, z> / (||x|| ||z||)")
#' kernel_matrix(cosine, as.matrix(iris[1:3, 1:4]))
#' @export
kernel_normalise <- function(kernel) {
  new_kernel("normalised", parts = list(check_kernel(kernel, "kernel")))
}

#' @rdname kernel_normalise
#' @order 2
#' @export
Ops.domgen_kernel <- function(e1, e2) {
  combine_kernels(.Generic, e1, if (missing(e2)) NULL else e2, missing(e2))
}

# The Ops methods of kernels of rows and of domains are both this one call: R calls neither of two
# methods that differ.
combine_kernels <- function(operator, e1, e2, alone) {
  combine_parts(structure(list(), class = c(class(e1), class(e2))), operator, e1, e2, alone)
}

# either: has the classes of both.
combine_parts <- function(either, operator, e1, e2, alone) UseMethod("combine_parts")

#' @exportS3Method
combine_parts.domgen_kernel <- function(either, operator, e1, e2, alone) {
  if (!operator %in% c("+", "*") || alone) {
    abort("argument", "Kernels can be added and multiplied; `", operator, "` is not defined.")
  }
  name <- switch(operator, "+" = "sum", "*" = "product")
  parts <- lapply(list(e1, e2), as_kernel)
  parts <- do.call(c, lapply(parts, function(k) {
    if (inherits(k, paste0("kernel_", name))) k$parts else list(k)
  }))
  structure(list(parts = parts),
            class = c(paste0("kernel_", name), "kernel_composite", "domgen_kernel"))
}

# A number stands for the constant kernel.
as_kernel <- function(value) {
  if (inherits(value, "domgen_kernel")) return(value)
  if (!is_number(value) || value < 0) {
    abort("argument", "A kernel can be added to, or multiplied by, a kernel or one non-negative ",
          "number, not ", describe(value), ".")
  }
  kernel_poly(1, gamma = 0, coef0 = as.numeric(value))
}

fit_parts <- function(kernel, X, middle = median_bandwidth(X)) {
  kernel$parts <- lapply(kernel$parts, kernel_fit, X, middle)
  kernel
}

#' @exportS3Method
kernel_fit.kernel_composite <- fit_parts

#' @exportS3Method
kernel_fit.kernel_normalised <- fit_parts

#' @exportS3Method
kernel_program.kernel_composite <- function(kernel, x, z) {
  list(type = sub("kernel_", "", class(kernel)[1L]),
       parts = lapply(kernel$parts, kernel_program, x, z))
}

#' @exportS3Method
kernel_program.kernel_normalised <- function(kernel, x, z) {
  list(type = "normalise", part = kernel_program(kernel$parts[[1L]], x, z))
}

#' @exportS3Method
kernel_profile.kernel_composite <- function(kernel, inner, norm_x, norm_z) {
  values <- lapply(kernel$parts, kernel_profile, inner, norm_x, norm_z)
  Reduce(if (inherits(kernel, "kernel_sum")) `+` else `*`, values)
}

#' @exportS3Method
kernel_profile.kernel_normalised <- function(kernel, inner, norm_x, norm_z) {
  part <- kernel$parts[[1L]]
  self <- function(norm) {
    vapply(norm, function(v) c(kernel_profile(part, matrix(v), v, v)), numeric(1))
  }
  size <- sqrt(outer(self(norm_x), self(norm_z)))
  ifelse(size > 0, kernel_profile(part, inner, norm_x, norm_z) / size, 0)
}

#' @export
format.kernel_composite <- function(x, ...) {
  parts <- vapply(x$parts, format, character(1))
  if (inherits(x, "kernel_sum")) return(paste(parts, collapse = " + "))
  sums <- vapply(x$parts, inherits, logical(1), "kernel_sum")
  paste(ifelse(sums, paste0("(", parts, ")"), parts), collapse = " * ")
}

#' @export
format.kernel_normalised <- function(x, ...) paste0("normalised [", format(x$parts[[1L]]), "]")
