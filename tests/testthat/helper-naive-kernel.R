# Kernels as the formulas say, one difference at a time, from the programs that
# the C++ core evaluates.

naive_distance <- function(x, z, inv) {
  d2 <- matrix(0, nrow(x), nrow(z))
  inv <- rep_len(inv, ncol(x))
  for (k in seq_len(ncol(x))) d2 <- d2 + (outer(x[, k], z[, k], "-") * inv[k])^2
  sqrt(d2)
}

distance_types <- c("rbf", "laplace", "matern3", "matern5", "cauchy")

naive_kernel <- function(program, x, z = x) {
  r <- if (program$type %in% distance_types) naive_distance(x, z, program$inv)
  parts <- lapply(program$parts, naive_kernel, x, z)
  switch(program$type,
    rbf = exp(-r^2 / 2),
    laplace = exp(-r),
    matern3 = (1 + sqrt(3) * r) * exp(-sqrt(3) * r),
    matern5 = (1 + sqrt(5) * r + 5 * r^2 / 3) * exp(-sqrt(5) * r),
    cauchy = 1 / (1 + r^2),
    poly = (program$gamma * tcrossprod(x, z) + program$coef0)^program$degree,
    linear = tcrossprod(x, z),
    exponential = exp(tcrossprod(x, z) * program$inv^2),
    delta = 1 * (naive_distance(x, z, 1) == 0),
    given = program$values,
    sum = Reduce(`+`, parts),
    product = Reduce(`*`, parts),
    normalise = naive_kernel(program$part, x, z) /
      sqrt(outer(naive_self(program$part, x), naive_self(program$part, z))))
}

naive_self <- function(program, x) {
  vapply(seq_len(nrow(x)), function(i) {
    row <- x[i, , drop = FALSE]
    naive_kernel(program, row)[1L]
  }, numeric(1))
}

# Means of K [n x m] over pairs of domains.
naive_means <- function(K, dx, dz = dx) {
  average <- function(d) sweep(1 * outer(d, seq_len(max(d)), "=="), 2, tabulate(d), "/")
  t(average(dx)) %*% K %*% average(dz)
}
