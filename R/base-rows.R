# Rows are predicted in blocks, so that no whole matrix of new rows by training rows exists. The C++
# core uses tiles; blocks here are for matrices in R: kernels that are evaluated in R, and
# variances.

chunk_rows <- 2048L

# Blocks for which a matrix with `columns` columns takes at most 32 MB (at least 64 rows).
blocks_of_rows <- function(n, columns) {
  size <- max(64, min(chunk_rows, 2^22 %/% columns))
  lapply(seq(1L, n, by = size), function(first) first:min(n, first + size - 1L))
}

# Some rows of a vector or matrix; `at` TRUE: all of them, without a copy.
take <- function(x, at) {
  if (is.null(x) || isTRUE(at)) x
  else if (length(dim(x)) == 2L) x[at, , drop = FALSE]
  else x[at]
}

# Which rows of a vector or matrix have a missing value?
is_missing <- function(x) {
  if (is.matrix(x)) unname(rowSums(is.na(x))) > 0 else is.na(x)
}

# Some rows of list(X, domain, ...).
rows_at <- function(rows, i) {
  rows$X <- take(rows$X, i)
  rows$domain <- take(rows$domain, i)
  rows
}

# The columns in an order that does not depend on the one in which they stand, so that rows that are
# sorted by them are the same whichever level of a factor comes first: by how large and how skewed
# they are, and by how they go with the others. Columns that are alike in this keep their order.
columns_by_value <- function(X) {
  if (ncol(X) < 2L || nrow(X) == 0L) return(X)
  largest <- vapply(seq_len(ncol(X)), function(j) max(abs(X[, j])), 0)
  part <- X / rep(replace(largest, largest == 0, 1), each = nrow(X))
  cubes <- part^3
  facts <- list(colMeans(abs(part)), colMeans(cubes), colMeans(part * rowSums(cubes)))
  # numbers that differ by rounding are the same
  X[, do.call(order, lapply(facts, round, 8L)), drop = FALSE]
}

# The largest value of each row of a matrix.
row_largest <- function(values) {
  values[cbind(seq_len(nrow(values)), max.col(values, "first"))]
}

# The k smallest values of each row, in order, [rows x k].
row_smallest <- function(values, k) {
  order <- order(row(values), values, method = "radix")
  matrix(values[c(matrix(order, ncol(values))[seq_len(k), ])], nrow(values), k, byrow = TRUE)
}
