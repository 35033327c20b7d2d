#' Your own kernel
#'
#' Wraps an R function as a kernel. It is called with whole matrices, so it
#' should be vectorised; it is not threaded.
#'
#' @param fun A function of two numeric matrices `x` (n x p) and `z` (m x p)
#'   that returns the n x m matrix of kernel values. It must be symmetric and
#'   positive semi-definite, which cannot be checked; a wrong shape or
#'   non-finite values are errors.
#' @param formula The formula to print.
#' @return A kernel; see [kernel_rbf()].
#' @family kernels
#' @examples
#' cosine <- kernel_custom(function(x, z) tcrossprod(x, z) /
#'   outer(sqrt(rowSums(x^2)), sqrt(rowSums(z^2))), "<x, z> / (||x|| ||z||)")
#' kernel_matrix(cosine, as.matrix(iris[1:3, 1:4]))
#' @export
kernel_custom <- function(fun, formula = "a function given by the user") {
  if (!is.function(fun)) abort("argument", "`fun` must be a function, not ", describe(fun), ".")
  if (!is.character(formula) || length(formula) != 1L) {
    abort("argument", "`formula` must be one string, not ", describe(formula), ".")
  }
  new_kernel("custom", fun = fun, formula = formula)
}

#' @exportS3Method
kernel_program.kernel_custom <- function(kernel, x, z) {
  check_memory(nrow(x), nrow(z))
  self <- function(a) {
    vapply(seq_len(nrow(a)), function(i) {
      row <- a[i, , drop = FALSE]
      custom_values(kernel, row, row)[1L]
    }, numeric(1))
  }
  list(type = "given", values = custom_values(kernel, x, z),
       diag_x = self(x), diag_z = self(z))
}

custom_values <- function(kernel, x, z) {
  values <- kernel$fun(x, z)
  if (!is.matrix(values)) values <- as.matrix(values)
  if (!is.numeric(values) || nrow(values) != nrow(x) || ncol(values) != nrow(z)) {
    abort("data", "`fun` of kernel_custom() must return a numeric matrix of ", nrow(x), " x ",
          nrow(z), ", not ", describe(values), ".")
  }
  if (any(!is.finite(values))) {
    abort("data", "`fun` of kernel_custom() must return finite values; found ",
          format(values[!is.finite(values)][1L]), ".")
  }
  storage.mode(values) <- "double"
  values
}

#' @export
format.kernel_custom <- function(x, ...) x$formula
