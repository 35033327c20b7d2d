# Gaussian processes as the formulas say: every matrix in full, solve() and
# determinant().

# kappa [G x G]: embeddings as points in Euclidean space, then the outer kernel.
naive_kappa <- function(domain_kernel, X, domain) {
  G <- nlevels(domain)
  if (inherits(domain_kernel, "domain_pooled")) return(matrix(1, G, G))
  if (inherits(domain_kernel, "domain_multitask")) {
    return(ifelse(diag(G) == 1, 1, domain_kernel$tau))
  }
  inner <- naive_means(naive_kernel(kernel_program(domain_kernel$kernel, X, X), X), as.integer(domain))
  decomposition <- eigen(inner, symmetric = TRUE)
  points <- decomposition$vectors %*% diag(sqrt(pmax(decomposition$values, 0)), G)
  naive_kernel(kernel_program(domain_kernel$embedding_kernel, points, points), points)
}

# kappa k over all pairs of rows.
naive_gram <- function(kernel, domain_kernel, X, domain) {
  naive_kernel(kernel_program(kernel, X, X), X) *
    naive_kappa(domain_kernel, X, domain)[as.integer(domain), as.integer(domain)]
}

log_normal <- function(y, mean, covariance) {
  left <- y - mean
  -(sum(left * solve(covariance, left)) + c(determinant(covariance)$modulus) +
      length(y) * log(2 * pi)) / 2
}

# point: list(signal, noise, kernel, domain_kernel); rows of weight 0 only describe
# their domains.
naive_log_likelihood <- function(point, X, domain, y, weights = rep(1, length(y))) {
  used <- weights > 0
  K <- naive_gram(point$kernel, point$domain_kernel, X, domain)[used, used]
  log_normal(y[used], 0, point$signal_sd^2 * K + diag(point$noise_sd^2 / weights[used], sum(used)))
}

# Mean and covariance of f at rows `new` of K given responses at rows `old`.
naive_posterior <- function(K, old, new, y, signal, noise, weights = rep(1, length(y))) {
  A <- signal^2 * K[old, old] + diag(noise^2 / weights[old], length(old))
  cross <- signal^2 * K[old, new, drop = FALSE]
  list(mean = drop(t(cross) %*% solve(A, y[old])),
       covariance = signal^2 * K[new, new] - t(cross) %*% solve(A, cross))
}

# Derivatives by central differences.
naive_gradient <- function(f, theta, step = 1e-5) {
  vapply(seq_along(theta), function(i) {
    moved <- function(by) f(replace(theta, i, theta[i] + by))
    (moved(step) - moved(-step)) / (2 * step)
  }, numeric(1))
}
