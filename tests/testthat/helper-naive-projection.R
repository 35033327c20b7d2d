# The published problem N B = D B Gamma, solved as it is written: dense and nonsymmetric.

naive_centre <- function(K) {
  H <- diag(nrow(K)) - 1 / nrow(K)
  H %*% K %*% H
}

# Q = E (I/G - 11'/G^2) E'
naive_q <- function(domain) {
  E <- sapply(sort(unique(domain)), function(g) (domain == g) / sum(domain == g))
  E <- matrix(E, nrow = length(domain))
  E %*% (diag(ncol(E)) / ncol(E) - 1 / ncol(E)^2) %*% t(E)
}

# L is NULL for P = I; KPCA is D = K, (1/n) K b = gamma b.
naive_pencil <- function(K, L = NULL, domain = NULL, epsilon = 0, lambda = 0, published = TRUE) {
  n <- nrow(K)
  K <- naive_centre(K)
  P <- if (is.null(L)) diag(n) else {
    L <- naive_centre(L)
    t(solve(L + n * epsilon * diag(n), L))
  }
  Q <- if (is.null(domain)) matrix(0, n, n) else naive_q(domain)
  dg_kpca <- is.null(L) && is.null(domain) && lambda == 0
  list(
    N = if (dg_kpca) K / n else if (published) P %*% K %*% K / n else K %*% P %*% K / n,
    D = if (dg_kpca) diag(n) else K %*% Q %*% K + K + lambda * diag(n),
    K = K, Q = Q, form = K %*% Q %*% K + K + lambda * diag(n)
  )
}

naive_projection <- function(pencil, ncomp) {
  e <- eigen(solve(pencil$D, pencil$N))
  leading <- order(-Re(e$values))[seq_len(ncomp)]
  list(values = Re(e$values[leading]), vectors = Re(e$vectors[, leading, drop = FALSE]))
}

# Sine of the largest angle between the spans of the columns.
subspace_distance <- function(A, B) {
  A <- qr.Q(qr(A))
  B <- qr.Q(qr(B))
  norm(A - B %*% crossprod(B, A), "2")
}

one_hot <- function(y) outer(as.integer(y), sort(unique(as.integer(y))), "==") + 0

rbf <- function(x, sigma) unname(exp(-as.matrix(dist(x))^2 / (2 * sigma^2)))

pivoted_factor <- function(L, tolerance = 1e-12) {
  R <- suppressWarnings(chol(L, pivot = TRUE, tol = tolerance))
  rank <- attr(R, "rank")
  t(R[seq_len(rank), order(attr(R, "pivot")), drop = FALSE])
}

# The engine on a Gram matrix, by the terms of DICA and its special cases. K is
# copied because the routine overwrites it.
project_exact <- function(K, response = NULL, domain = NULL, denominator_q = !is.null(domain),
                          epsilon = 1e-4, lambda = 0.1, ncomp = 2, published = TRUE,
                          normalise = "constraint", threads = 2) {
  n <- nrow(K)
  force(denominator_q)
  if (is.null(domain)) domain <- rep(1, n)
  cells <- domgen:::row_cells(factor(domain))
  none <- matrix(0, 0, nrow(cells$table))
  spread <- domgen:::scatter_terms$domains(cells$table)$plus
  terms <- list(covariance = FALSE, norm = 1, ridge = lambda,
                total = if (is.null(response)) 1 / n else 0, numerator_plus = none,
                denominator_plus = if (denominator_q && any(spread != 0)) spread else none, denominator_minus = none,
                spread = spread, within = 0, smooth = 0, centred = TRUE, ncomp = ncomp,
                normalise = normalise)
  data <- if (!is.null(response)) {
    U <- domgen:::response_directions(domgen:::centred_factor(response),
                                      domgen:::central_subspace(epsilon))$image
    stats::setNames(list(U), if (published) "response" else "numerator")
  }
  domgen:::projection_gram_(K + 0, terms, cells$code, nrow(cells$table),
                            as.list(data), threads)
}
