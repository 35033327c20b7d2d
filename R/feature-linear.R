#' @rdname features_nystrom
#' @order 2
#' @export
features_linear <- function() new_features("linear")

# z(x) = x - m with <x - m, x' - m> the kernel: landmarks at the unit vectors from m. An offset
# among the columns is no feature.
#' @exportS3Method
represent.features_linear <- function(feature_map, kernel, domain_kernel, rows, threads) {
  width <- ncol(rows$X)
  part <- linear_part(kernel_fit(kernel, rows$X), rows$X)
  if (is.null(part) || uses_domain(domain_kernel)) {
    abort("argument", "`features_linear()` needs `kernel_linear()` with `domain_pooled()`, ",
          "not ", format(kernel),
          if (uses_domain(domain_kernel)) paste(" with", format(domain_kernel)),
          "; use `features_nystrom()`.")
  }
  columns <- part$columns
  p <- length(columns)
  origin <- if (is.null(part$origin)) numeric(p) else part$origin
  landmarks <- matrix(0, p, width)
  landmarks[, columns] <- diag(p) + rep(origin, each = p)
  map <- structure(list(kernel = kernel, landmarks = landmarks, factor = diag(p), rank = p),
                   class = "landmark_map")
  new_feature_space(feature_map, kernel, domain_kernel, map, p, rows_of(rows, threads))
}

# Columns and origin of a linear kernel on rows X; NULL of another one.
linear_part <- function(kernel, X) {
  program <- kernel_program(kernel, X, X)
  columns <- seq_len(ncol(X))
  if (identical(program$type, "columns") && length(program$parts) == 1L) {
    columns <- program$columns + 1L
    program <- program$parts[[1L]]
  }
  if (identical(program$type, "linear")) list(columns = columns, origin = program$origin)
}

# Are the functions of a space affine in the columns of the rows?
is_linear_space <- function(space) {
  if (is.null(space$X)) return(inherits(space$feature_map, "features_linear"))
  !uses_domain(space$domain_kernel) &&
    !is.null(linear_part(space$kernel, space$X[1L, , drop = FALSE]))
}

#' @export
format.features_linear <- function(x, ...) "the predictors themselves"
