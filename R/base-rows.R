# Rows are predicted in blocks, so that no whole matrix of new rows by training rows exists. The C++
# core uses tiles; blocks here are for matrices in R: kernels that are evaluated in R, and
# variances.

chunk_rows <- 2048L

# Blocks for which a matrix with `columns` columns takes at most 32 MB (at least 64 rows).
blocks_of_rows <- function(n, columns) {
  size <- max(64, min(chunk_rows, 2^22 %/% columns))
  lapply(seq(1L, n, by = size), function(first) first:min(n, first + size - 1L))
}

# Without a copy for all rows.
take <- function(x, rows) {
  if (is.null(x) || isTRUE(rows)) x
  else if (length(dim(x)) == 2L) x[rows, , drop = FALSE]
  else x[rows]
}

# Which rows of a vector or matrix have a missing value?
is_missing <- function(x) {
  if (is.matrix(x)) unname(rowSums(is.na(x))) > 0 else is.na(x)
}

# The input of kernels from a sample. described: if the sample is a part of the rows, descriptions
# of its domains from all rows, list(sizes, means: function(map) means of features [G x r]);
# structure: of domains with several factors.
rows_of <- function(sample, threads) {
  structure <- if (is.null(sample$structure)) sample$blueprint$structure else sample$structure
  c(list(X = sample$X, domain = sample$domain, threads = threads),
    if (!is.null(sample$described)) sample["described"],
    if (!is.null(structure)) list(structure = structure))
}

# Some rows of list(X, domain, ...).
rows_at <- function(rows, i) {
  rows$X <- take(rows$X, i)
  rows$domain <- take(rows$domain, i)
  rows
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
