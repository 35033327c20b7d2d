#' @rdname kernel_linear
#' @order 4
#' @export
kernel_delta <- function() new_kernel("delta")

#' @exportS3Method
kernel_program.kernel_delta <- function(kernel, x, z) list(type = "delta")

# One column a class, exactly.
#' @exportS3Method
kernel_factor.kernel_delta <- function(kernel, Y) {
  unname(outer(Y[, 1L], sort(unique(Y[, 1L])), "==") + 0)
}

#' @export
format.kernel_delta <- function(x, ...) "1 if x = z, else 0"
