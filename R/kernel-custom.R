#' @rdname kernel_normalise
#' @order 3
#' @export
kernel_custom <- function(fun, formula = "a function given by the user") {
  check_given(fun, "fun")
  if (!is.function(fun)) abort("argument", "`fun` must be a function, not ", describe(fun), ".")
  if (!is.character(formula) || length(formula) != 1L) {
    abort("argument", "`formula` must be one string, not ", describe(formula), ".")
  }
  new_kernel("custom", fun = portable_function(fun), formula = formula)
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
  values <- custom_values(kernel, x, z)
  program <- list(type = "given", values = values, diag_x = self(x), diag_z = self(z))
  if (identical(x, z)) check_symmetric(values)
  check_cauchy_schwarz(program)
  program
}

custom_values <- function(kernel, x, z) {
  values <- on_error(kernel$fun(x, z), function(e) {
    abort("argument", "`fun` of kernel_custom() failed: ", conditionMessage(e), ".")
  })
  if (is.data.frame(values)) values <- as.matrix(values)
  if (is.numeric(values) && is.null(dim(values))) values <- matrix(values)
  if (!is.matrix(values) || !is.numeric(values) || nrow(values) != nrow(x) ||
        ncol(values) != nrow(z)) {
    abort("data", "`fun` of kernel_custom() must return a numeric matrix of ", nrow(x), " x ",
          nrow(z), ", not ", describe(values), ".")
  }
  if (any(!is.finite(values))) {
    abort("data", "`fun` of kernel_custom() must return finite values; found ",
          format(values[!is.finite(values)][1L]), ".")
  }
  matrix(as.double(values), nrow(values))
}

check_symmetric <- function(values) {
  apart <- max(abs(values - t(values)), 0)
  if (apart > 1e-8 * max(abs(values), 0)) {
    abort("data", "`fun` of kernel_custom() must be symmetric; k(x, z) and k(z, x) differ by up ",
          "to ", signif(apart, 2), ".")
  }
}

# k(x, z)^2 <= k(x, x) k(z, z): what pairs of rows show of positive semi-definiteness.
check_cauchy_schwarz <- function(program) {
  size_x <- sqrt(pmax(program$diag_x, 0))
  size_z <- sqrt(pmax(program$diag_z, 0))
  slack <- 1e-6 * max(size_x, 0) * max(size_z, 0)
  if (any(program$diag_x < 0) || any(abs(program$values) > outer(size_x, size_z) + slack)) {
    abort("data", "`fun` of kernel_custom() must be positive semi-definite: k(x, z)^2 must be at ",
          "most k(x, x) k(z, z), and no k(x, x) negative.")
  }
}

#' @export
format.kernel_custom <- function(x, ...) x$formula

# Is some part of the kernel evaluated in R?
is_custom <- function(kernel) {
  if (!is.null(kernel$parts)) return(any(vapply(kernel$parts, is_custom, logical(1))))
  inherits(kernel, "kernel_custom") ||
    inherits(kernel, "kernel_stationary") && is.null(core_name(kernel))
}
