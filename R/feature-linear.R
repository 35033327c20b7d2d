#' @rdname features_nystrom
#' @order 2
#' @export
features_linear <- function() new_features("linear")

# z(x) = x - m with <x - m, x' - m> the kernel: landmarks at the unit vectors from m. With an offset
# among the columns the kernel is one of the others.
#' @exportS3Method
represent.features_linear <- function(feature_map, kernel, domain_kernel, rows, threads) {
  program <- kernel_program(kernel_fit(kernel, rows$X), rows$X, rows$X)
  width <- ncol(rows$X)
  columns <- seq_len(width)
  if (identical(program$type, "columns") && length(program$parts) == 1L) {
    columns <- program$columns + 1L
    program <- program$parts[[1L]]
  }
  if (!identical(program$type, "linear") || uses_domain(domain_kernel)) {
    abort("argument", "`features_linear()` needs `kernel_linear()` with `domain_pooled()`, ",
          "not ", format(kernel),
          if (uses_domain(domain_kernel)) paste(" with", format(domain_kernel)),
          "; use `features_nystrom()`.")
  }
  p <- length(columns)
  origin <- if (is.null(program$origin)) numeric(p) else program$origin
  landmarks <- matrix(0, p, width)
  landmarks[, columns] <- diag(p) + rep(origin, each = p)
  map <- structure(list(kernel = kernel, landmarks = landmarks, factor = diag(p), rank = p),
                   class = "landmark_map")
  new_feature_space(feature_map, kernel, domain_kernel, map, p, rows_of(rows, threads))
}

#' @export
format.features_linear <- function(x, ...) "the predictors themselves"
