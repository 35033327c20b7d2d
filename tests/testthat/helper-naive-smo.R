# The dual of the SVMs written out in full, and slow but obvious ways to judge
# and to solve it.

hinge_dual <- function(y, cost, ridge = 0) {
  n <- length(y)
  list(row = seq_len(n), sign = y, p = rep(-1, n), upper = rep_len(cost, n),
       ridge = rep_len(ridge, n))
}

tube_dual <- function(y, cost, epsilon = 0.1, ridge = 0) {
  n <- length(y)
  list(row = rep(seq_len(n), 2), sign = rep(c(1, -1), each = n), p = c(epsilon - y, epsilon + y),
       upper = rep(rep_len(cost, n), 2), ridge = rep_len(ridge, 2 * n))
}

run_smo <- function(K, dual, intercept = TRUE, tol = 1e-3, max_iter = 0, start = NULL) {
  domgen:::smo_(K, dual$row, dual$sign, dual$p, dual$upper, dual$ridge, intercept, tol, max_iter,
                start)
}

naive_hessian <- function(K, dual) {
  outer(dual$sign, dual$sign) * K[dual$row, dual$row, drop = FALSE] +
    diag(dual$ridge, length(dual$row))
}

naive_objective <- function(K, dual, alpha) {
  sum(alpha * (naive_hessian(K, dual) %*% alpha)) / 2 + sum(dual$p * alpha)
}

# Accelerated projected gradient on the box and, by bisection for the
# multiplier, on the hyperplane sum s a = 0.
naive_dual <- function(K, dual, intercept = TRUE, steps = 3000) {
  Q <- naive_hessian(K, dual)
  step <- 1 / max(eigen(Q, symmetric = TRUE, only.values = TRUE)$values)
  box <- function(a) pmin(pmax(a, 0), dual$upper)
  project <- function(a) {
    if (!intercept) return(box(a))
    excess <- function(m) sum(dual$sign * box(a - m * dual$sign))
    m <- 1 + max(abs(a)) + max(dual$upper[is.finite(dual$upper)], 0)
    box(a - uniroot(excess, c(-m, m), tol = 1e-14)$root * dual$sign)
  }
  alpha <- ahead <- numeric(length(dual$p))
  for (k in seq_len(steps)) {
    new <- project(ahead - step * drop(Q %*% ahead + dual$p))
    ahead <- new + (k - 1) / (k + 2) * (new - alpha)
    alpha <- new
  }
  alpha
}

# The largest violation of: gradient + b s >= 0 where a may grow, <= 0 where it
# may shrink.
kkt_violation <- function(K, dual, fit) {
  slope <- drop(naive_hessian(K, dual) %*% fit$alpha + dual$p) + fit$b * dual$sign
  max(0, -slope[fit$alpha < dual$upper], slope[fit$alpha > 0])
}

# sum of cost * loss + 1/2 beta' K beta, from the decision values.
naive_primal <- function(K, fit, loss) {
  sum(loss(fit$decision + fit$b)) + sum(fit$beta * (K %*% fit$beta)) / 2
}

smo_classes <- function(n = 60, seed = 1) {
  set.seed(seed)
  y <- rep_len(c(1, -1), n)
  x <- matrix(rnorm(n * 3), n) + 0.7 * y
  list(x = x, y = y, K = exp(-unname(as.matrix(dist(x)))^2 / 4))
}

smo_numbers <- function(n = 60, seed = 1) {
  set.seed(seed)
  x <- matrix(rnorm(n * 3), n)
  y <- sin(2 * x[, 1]) + x[, 2] / 2 + rnorm(n) / 4
  list(x = x, y = y, K = exp(-unname(as.matrix(dist(x)))^2 / 4))
}
