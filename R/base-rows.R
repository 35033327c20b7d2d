# Rows are predicted in blocks, so that no matrix of new rows by training rows is ever
# whole. The C++ core walks over them by itself, in tiles; blocks are made here where R has
# the matrix: kernels that are evaluated in R, and variances.

chunk_rows <- 2048L

# Blocks such that a matrix with so many columns takes at most 32 MB, but for very many.
blocks_of_rows <- function(n, columns) {
  size <- max(64, min(chunk_rows, 2^22 %/% columns))
  lapply(seq(1L, n, by = size), function(first) first:min(n, first + size - 1L))
}

# Without a copy where all rows are meant.
take <- function(x, rows) {
  if (is.null(x) || isTRUE(rows)) x
  else if (length(dim(x)) == 2L) x[rows, , drop = FALSE]
  else x[rows]
}

# What kernels are told of a sample. described: where the sample is a part of the rows, what is
# known of its domains from all of them, list(sizes, means: function(map) means of features [G x
# r]); structure: of the domains, where they have several factors.
rows_of <- function(sample, threads) {
  structure <- if (is.null(sample$structure)) sample$blueprint$structure else sample$structure
  c(list(X = sample$X, domain = sample$domain, threads = threads),
    if (!is.null(sample$described)) sample["described"],
    if (!is.null(structure)) list(structure = structure))
}

# Of list(X, domain, ...) some rows.
rows_at <- function(rows, i) {
  rows$X <- take(rows$X, i)
  rows$domain <- take(rows$domain, i)
  rows
}

# Of each row of a matrix the largest value.
row_largest <- function(values) {
  values[cbind(seq_len(nrow(values)), max.col(values, "first"))]
}

# The k smallest values of each row, in order, [rows x k].
row_smallest <- function(values, k) {
  order <- order(row(values), values, method = "radix")
  matrix(values[c(matrix(order, ncol(values))[seq_len(k), ])], nrow(values), k, byrow = TRUE)
}
