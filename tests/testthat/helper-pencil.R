# The published eigenproblem of each projection, solved densely (DICA paper,
# equations 11 and 13): the oracle of the engine that never forms it.

centred <- function(K) {
  H <- diag(nrow(K)) - 1 / nrow(K)
  H %*% K %*% H
}

pencil <- function(K, domain, L = NULL, epsilon = 1e-4, lambda = 0.1, domains = TRUE, published = TRUE) {
  n <- nrow(K)
  K <- centred(K)
  G <- nlevels(domain)
  E <- outer(as.integer(domain), seq_len(G), "==") %*% diag(1 / tabulate(domain), G)
  Q <- E %*% (diag(G) / G - 1 / G^2) %*% t(E)
  P <- if (is.null(L)) diag(n) else centred(L) %*% solve(centred(L) + n * epsilon * diag(n))
  N <- if (published) P %*% K %*% K / n else K %*% P %*% K / n
  list(K = K, Q = Q, N = N, D = K + lambda * diag(n) + if (domains) K %*% Q %*% K else 0)
}

dense_solution <- function(p, m) {
  e <- eigen(solve(p$D, p$N))
  list(values = Re(e$values)[seq_len(m)], B = Re(e$vectors[, seq_len(m), drop = FALSE]))
}
