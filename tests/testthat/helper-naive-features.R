# Features and their sums as the formulas say, row by row.

# k between (domain, x) pairs; kappa may be NULL.
naive_product <- function(kernel, kappa, X, Z = X, dx = NULL, dz = dx) {
  K <- naive_kernel(kernel_program(kernel, X, Z), X, Z)
  if (is.null(kappa)) K else K * kappa[dx, dz]
}

# K_xS W^-1 K_Sx for landmarks S
naive_nystrom <- function(cross, W) cross %*% solve(W, t(cross))

# (cos(W'x), sin(W'x)) / sqrt(D)
naive_fourier <- function(X, frequencies, offset = NULL, domain = NULL) {
  angles <- X %*% frequencies
  if (!is.null(offset)) angles <- angles + t(offset[, domain])
  cbind(cos(angles), sin(angles)) / sqrt(ncol(frequencies))
}

# for each coordinate of z_P, all of z_x
naive_tensor <- function(Z, table, domain) {
  t(vapply(seq_len(nrow(Z)), function(i) kronecker(table[, domain[i]], Z[i, ]),
           numeric(nrow(table) * ncol(Z))))
}

naive_moments <- function(Z, cells, n_cells, response = NULL, labelled = NULL) {
  member <- outer(cells, seq_len(n_cells), "==") + 0
  list(
    n = nrow(Z), second = crossprod(Z), sums = crossprod(Z, member), counts = colSums(member),
    cross = if (!is.null(response)) crossprod(Z, response),
    response_second = if (!is.null(response)) crossprod(response),
    response_sums = if (!is.null(response)) colSums(response),
    labelled_second = if (!is.null(labelled)) crossprod(Z, Z * labelled)
  )
}

expect_moments <- function(ours, naive, tolerance = 1e-12) {
  testthat::expect_identical(names(ours), names(naive))
  for (name in names(naive)) {
    testthat::expect_equal(ours[[name]], naive[[name]], tolerance = tolerance, info = name)
  }
}

# Rows with domains a, b, ... in random order.
toy_pairs <- function(n, p = 3, domains = 4, seed = 1) {
  set.seed(seed)
  list(X = matrix(stats::rnorm(n * p), n, p),
       domain = factor(sample(rep_len(letters[seq_len(domains)], n))))
}

fit_map <- function(features, kernel, s) represent(features, kernel, domain_pooled(), s, 2L)

rows_of <- function(fitted, s) space_rows(fitted, s)

# One pass over rows that judge themselves.
feature_moments <- function(product, X, domain, cells, n_cells, response = NULL, labelled = NULL,
                            threads) {
  product$threads <- threads
  rows <- list(X = X, domain = domain)
  domgen:::moments_of(product, rows, domgen:::own_table(product, rows),
                      list(cells = cells, n_cells = n_cells, response = response,
                           labelled = labelled, second = TRUE))
}

three_domain_kernels <- function() {
  list(domain_pooled(), domain_multitask(0.4), domain_distribution(kernel_rbf(1), kernel_rbf(0.3)))
}

three_samplings <- c("rpcholesky", "kmeans", "uniform")
