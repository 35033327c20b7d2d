# The directions of a response. With L = FF' the Gram matrix of its kernel, centred over the n rows
# that have one, f'g(L)f = |U'f|^2 for their scores f: the function g(s, n) of L's eigenvalues s
# makes P = L(L + n epsilon I)^-1 of the central subspace (DICA paper, equation 8), or L itself, as
# HSIC has it.

# F centred: image is F [n x r], or in sums of features Z'F [d x r]; second: F'F; uncentred: the
# trace of F'F before; n.
centred_factor <- function(F) {
  centred <- sweep(F, 2L, colMeans(F))
  list(image = centred, second = crossprod(centred), uncentred = sum(F^2), n = nrow(F))
}

# moments: see response_sums(); sum: Z'1 over the n rows.
factor_moments <- function(moments, n, sum) {
  mean <- moments$sums / n
  list(image = moments$cross - tcrossprod(sum, mean),
       second = moments$second - n * tcrossprod(mean), uncentred = sum(diag(moments$second)), n = n)
}

# U = FT as list(image, second = U'U).
response_directions <- function(factor, g) {
  pairs <- eigen(factor$second, symmetric = TRUE)
  s <- pairs$values
  # what rounding leaves of a constant response; 16 as in core/projection/centre.h
  noise <- .Machine$double.eps * max(factor$n * s[1L], 256 * .Machine$double.eps * factor$uncentred)
  kept <- which(s > noise)
  s <- s[kept]
  value <- g(s, factor$n)
  if (!is.numeric(value) || length(value) != length(s) || any(!is.finite(value) | value < 0)) {
    abort("argument", "`response`, a function(s, n), must give a non-negative number for each of ",
          "the eigenvalues s (", length(s), "), not ", describe(value), ".")
  }
  T <- sweep(pairs$vectors[, kept, drop = FALSE], 2L, sqrt(value / s), "*")
  list(image = factor$image %*% T, second = diag(value, length(s)))
}

# weight * P/n (DICA paper, equation 9), as a function of L's eigenvalues.
central_subspace <- function(epsilon, weight = 1) {
  force(weight)
  function(s, n) weight * s / (s + n * epsilon) / n
}
