# Which columns add anything to others, and scaling for code of other packages.
#
# A time stamp is 1.7e9 and a few days: beside the constant it is nearly no column, and yet what it
# says is all there. Whether columns vary, and are combinations of others, is judged about their
# means, in units of their standard deviations.

# Which columns are no combination of the constant and those before them, as lm() has it.
independent_columns <- function(X) {
  moments <- column_moments(X)
  least <- pmax(1e-7, 8 * .Machine$double.eps * abs(moments$centre) / moments$scale)
  Z <- scale_columns(X, moments)
  # without those that are far away, there is one threshold
  if (all(least == 1e-7)) {
    decomposition <- qr(Z)
    return(seq_len(ncol(X)) %in% decomposition$pivot[seq_len(decomposition$rank)])
  }
  Z <- sweep(Z, 2L, pmax(sqrt(colSums(Z^2)), .Machine$double.xmin), "/")
  # Z = QR of those that are kept
  Q <- matrix(0, nrow(Z), ncol(Z))
  R <- matrix(0, ncol(Z), ncol(Z))
  kept <- integer()
  for (j in seq_len(ncol(Z))) {
    of <- seq_along(kept)
    before <- Q[, of, drop = FALSE]
    uses <- crossprod(before, Z[, j])
    rest <- Z[, j] - before %*% uses
    # twice is enough: what the first time left of the others is taken off
    more <- crossprod(before, rest)
    rest <- rest - before %*% more
    size <- sqrt(sum(rest^2))
    # each brings the digits that it does not have
    digits <- if (length(kept)) {
      sum(abs(backsolve(R, uses + more, length(kept))) * least[kept])
    }
    if (size <= max(digits, least[j])) next
    kept <- c(kept, j)
    k <- length(kept)
    Q[, k] <- rest / size
    R[seq_len(k), k] <- c(uses + more, size)
  }
  seq_len(ncol(Z)) %in% kept
}

# list(centre, scale) for code of other packages: columns as they are, unless they are so far from 0
# or their sizes differ so much that an optimiser would be lost.
engine_scaling <- function(X) {
  moments <- column_moments(X)
  plain <- moments$scale > 1e-3 & moments$scale < 1e3 &
    abs(moments$centre) < 1e3 * moments$scale | !is.finite(moments$scale)
  list(centre = ifelse(plain, 0, moments$centre), scale = ifelse(plain, 1, moments$scale))
}
