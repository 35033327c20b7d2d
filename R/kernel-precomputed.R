#' Kernel given by its matrix
#'
#' @description
#' k(x, z) is the entry of a matrix at the ids of the two rows. So strings, graphs, sequences or
#' images, whose kernel was computed elsewhere, serve every method: a predictor holds the id of
#' each row, and rows of training and new rows are looked up alike.
#'
#' @details
#' The predictor with the ids (character, factor or whole numbers) is one of the formula, as in
#' `y ~ id | domain`; it is no predictor for any other kernel. In `kernel_precomputed(K, "id") *
#' kernel_rbf()` the second kernel acts on the other predictors. Methods with
#' [domain_distribution()] compare the domains by a kernel of its own, which is also to be
#' `kernel_precomputed(K)` where there are no other predictors.
#'
#' The matrix is kept once, however many models, folds and copies refer to it, and is saved with
#' each model that is saved. Seen through `kernel_matrix()`, `dg_mmd()` and their like, `x` may be
#' the vector of ids itself.
#'
#' @param K Symmetric positive semi-definite matrix, n x n, with the ids as row names, column names
#'   or both. All rows that are ever predicted must be there.
#' @param column Name of the predictor that holds the ids; if `NULL`, the only predictor, or the
#'   only one that is categorical.
#' @return A kernel; see [kernel_rbf()].
#' @section Errors:
#' A matrix that is not square, finite, symmetric (to 1e-8 of its largest entry) or without unique
#' names; one that is not positive semi-definite (in full up to 2,000 rows, by a pivoted
#' Cholesky decomposition of rank 500 beyond); a predictor that is not there; an id that the matrix
#' does not have, in training or new rows; [features_rff()], and `features_nystrom(sampling =
#' "kmeans")`, which need numbers.
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
    abort("data", "`K` must have the ids of its rows as row and column names, ",
          if (is.null(ids)) "not none." else "the same for both.")
  }
  if (anyNA(ids) || any(ids == "") || anyDuplicated(ids)) {
    twice <- ids[duplicated(ids)]
    abort("data", "`K` must have a different name for each row; ",
          if (length(twice)) paste(enumerate(unique(twice), quote = "\""), "occurs twice.")
          else "some have none.")
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
    found <- kernel_pivoted_cholesky_(list(type = "lookup", table = K), places, negligible,
                                      probed_rank)$factor
    left <- left - rowSums(found^2)
  }
  least <- which.min(left)
  if (left[least] < -1e-8 * max(diag(K), 0)) {
    abort("data", rule, "what other rows leave of the variance of \"", rownames(K)[least], "\" is ",
          signif(left[least], 3), ".")
  }
}

#' @exportS3Method
kernel_columns.kernel_precomputed <- function(kernel) {
  list(list(column = kernel$column, ids = rownames(kernel$table$K)))
}

# Where there are ids it stands in kernel_on().
#' @exportS3Method
kernel_fit.kernel_precomputed <- function(kernel, X, middle = median_bandwidth(X)) {
  abort("argument", "kernel_precomputed() acts on ids, which are a predictor of the data: it is ",
        "no kernel on a response, on scores of a projection or on mean embeddings.")
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
