#' Kernel given by its matrix
#'
#' @description
#' k(x, z) is the entry of a given matrix at the ids of the two rows. Strings, graphs, sequences or
#' images whose kernel was computed elsewhere can thus be used with every method: a predictor holds
#' the id of each row.
#'
#' @details
#' *Formula.* The predictor with the ids (character, factor or whole numbers) is written in the
#' formula, as in `y ~ id | domain`. No other kernel uses it: in
#' `kernel_precomputed(K, "id") * kernel_rbf()` the second kernel acts on the other predictors.
#'
#' *Domain kernel.* [domain_distribution()] compares domains by a kernel of its own. Without other
#' predictors, use `domain_distribution(kernel_precomputed(K))`.
#'
#' *Response.* As `kernel_y` of [dg_dica()], [dg_coir()] and [dg_dcm()] it compares responses: the
#' response holds the ids, and `column` is not given.
#'
#' *Memory.* The matrix is stored once for all models, folds and copies that refer to it. Each saved
#' model contains it.
#'
#' In [kernel_matrix()], [dg_mmd()] and similar functions, `x` may be the vector of ids.
#'
#' @param K Symmetric positive semi-definite matrix, n x n, with the ids as row names, column names
#'   or both. It must contain the ids of all training rows and of all rows to predict.
#' @param column Name of the predictor that holds the ids. If `NULL` (default), the only predictor,
#'   or the only categorical one.
#' @return A kernel; see [kernel_rbf()].
#' @section Errors:
#' * `K` is not square, finite and symmetric (to 1e-8 of its largest entry), or has no unique names.
#' * `K` is not positive semi-definite: checked in full up to 2,000 rows, by a pivoted Cholesky
#'   decomposition of rank 500 beyond.
#' * The predictor does not exist, or an id of the training or new rows is not in `K`.
#' * [features_rff()] or `features_nystrom(sampling = "kmeans")`, which need numeric predictors.
#' @family kernels
#' @examples
#' words <- c("pear", "pears", "bear", "bears", "tear", "tears")
#' K <- exp(-adist(words) / 2)
#' dimnames(K) <- list(words, words)
#' kernel_matrix(kernel_precomputed(K), c("pear", "bears"))
#'
#' data <- data.frame(word = words, y = c(4.1, 5.2, 3.9, 5.0, 4.4, 5.3),
#'                    domain = c(1, 1, 2, 2, 3, 3))
#' model <- dg_ridge(y ~ word | domain, data = data, kernel = kernel_precomputed(K), lambda = 0.1,
#'                   domain_kernel = domain_pooled())
#' predict(model, data.frame(word = "tears"))
#' @export
kernel_precomputed <- function(K, column = NULL) {
  check_given(K, "K")
  if (!is.null(column) && !(is.character(column) && length(column) == 1L && !is.na(column))) {
    abort("argument", "`column` must be the name of a predictor, not ", describe(column), ".")
  }
  if (!is.matrix(K) || !is.numeric(K) || nrow(K) != ncol(K) || nrow(K) == 0L) {
    abort("data", "`K` must be a square numeric matrix, not ", describe(K), ".")
  }
  ids <- gram_ids(K)
  if (!is.double(K) || is.object(K) || !identical(dimnames(K), list(ids, ids))) {
    K <- matrix(as.double(K), nrow(K), dimnames = list(ids, ids))
  }
  # the sum is finite where all are, and takes no memory
  if (!is.finite(sum(K)) && any(!is.finite(K))) {
    abort("data", "`K` must be finite; found ", format(K[!is.finite(K)][1L]), ".")
  }
  check_gram_symmetric(K)
  check_gram_definite(K)
  # by reference: a copy of a model, or a comparison of two, does not look inside
  table <- list2env(list(K = K), parent = emptyenv())
  lockEnvironment(table, bindings = TRUE)
  new_kernel("precomputed", table = table, column = column)
}

gram_ids <- function(K) {
  names <- dimnames(K)
  ids <- if (is.null(names[[1L]])) names[[2L]] else names[[1L]]
  if (is.null(ids) || !identical(ids, if (is.null(names[[2L]])) ids else names[[2L]])) {
    abort("data", "`K` must have the ids of its rows as row and column names; ",
          if (is.null(ids)) "it has no names." else "the two differ.")
  }
  if (anyNA(ids) || any(ids == "") || anyDuplicated(ids)) {
    twice <- ids[duplicated(ids)]
    abort("data", "`K` must have a different name for each row; ",
          if (length(twice)) paste(enumerate(unique(twice), quote = "\""), "occurs twice.")
          else "some rows have none.")
  }
  ids
}

# In strips, so that no second matrix is made.
check_gram_symmetric <- function(K) {
  apart <- max(vapply(blocks_of_rows(nrow(K), nrow(K)), function(i) {
    max(abs(K[i, , drop = FALSE] - t(K[, i, drop = FALSE])))
  }, numeric(1)))
  if (apart > 1e-8 * max(abs(range(K)))) {
    abort("data", "`K` must be symmetric; entries (i, j) and (j, i) differ by up to ",
          signif(apart, 2), ".")
  }
}

most_decomposed <- 2000L

probed_rank <- 500L

check_gram_definite <- function(K) {
  rule <- "`K` must be positive semi-definite; "
  if (nrow(K) <= most_decomposed) {
    return(check_semi_definite(unname(K), function(least) {
      abort("data", rule, "its smallest eigenvalue is ", signif(least, 3), ".")
    }))
  }
  # what a decomposition of some columns leaves of the diagonal: K less F F' is positive
  # semi-definite where K is
  left <- diag(K)
  if (min(left) >= 0) {
    places <- matrix(as.double(seq_len(nrow(K))))
    factor <- kernel_pivoted_cholesky_(list(type = "lookup", table = K), places, negligible,
                                       probed_rank)$factor
    left <- left - rowSums(factor^2)
  }
  least <- which.min(left)
  if (left[least] < -1e-8 * max(diag(K), 0)) {
    abort("data", rule, "the variance of \"", rownames(K)[least], "\" given other rows is ",
          signif(left[least], 3), ".")
  }
}

#' @exportS3Method
kernel_columns.kernel_precomputed <- function(kernel) {
  list(list(column = kernel$column, ids = rownames(kernel$table$K)))
}

# Values are ids: their places in the matrix, marked as such.
#' @exportS3Method
kernel_points.kernel_precomputed <- function(kernel, values) {
  if (is.matrix(values)) {
    abort("data", "With kernel_precomputed() as `kernel_y` the response must be one column of ",
          "ids, not ", ncol(values), " columns.")
  }
  if (!is.null(kernel$column)) {
    abort("argument", "`column` of kernel_precomputed() must not be given in `kernel_y`: the ",
          "response is the ids.")
  }
  ids <- value_labels(values)
  places <- match(ids, rownames(kernel$table$K))
  if (anyNA(places)) {
    abort("data", "The response must be ids that the matrix of kernel_precomputed() has, not ",
          enumerate(unique(ids[is.na(places)]), quote = "\""), ".")
  }
  structure(matrix(as.numeric(places), ncol = 1L), ids = TRUE)
}

# As a predictor ids stand in kernel_on().
#' @exportS3Method
kernel_fit.kernel_precomputed <- function(kernel, X, middle = median_bandwidth(X)) {
  if (isTRUE(attr(X, "ids"))) return(kernel)
  abort("argument", "kernel_precomputed() acts on ids, in a predictor of the data or as the whole ",
        "`kernel_y` in the response: it cannot be a part of `kernel_y`, nor the kernel on scores ",
        "of a projection or on mean embeddings.")
}

#' @exportS3Method
kernel_program.kernel_precomputed <- function(kernel, x, z) {
  list(type = "lookup", table = kernel$table$K)
}

#' @export
format.kernel_precomputed <- function(x, ...) {
  paste0("K[x, z], a given matrix of ", plural(nrow(x$table$K), "id"),
         if (!is.null(x$column)) paste0(" (predictor `", x$column, "`)"))
}
