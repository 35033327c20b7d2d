#' Delta kernel
#'
#' k(x, z) = 1 if x and z are equal in every column, else 0: the kernel on class
#' labels (DICA paper, section 3.2).
#'
#' @return A kernel; see [kernel_rbf()].
#' @family kernels
#' @examples
#' kernel_matrix(kernel_delta(), c(1, 1, 2))
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
