# Linear machines on features: problems written out, in the form of the C++ core
# and in that of the dual with one variable per side (helper-naive-smo.R).

hinge_rows <- function(y, cost, ridge = 0) {
  n <- length(y)
  list(target = y, epsilon = numeric(n), low = ifelse(y > 0, 0, -cost),
       high = ifelse(y > 0, cost, 0), ridge = rep_len(ridge, n))
}

tube_rows_of <- function(y, cost, epsilon = 0.1, ridge = 0) {
  n <- length(y)
  list(target = y, epsilon = rep(epsilon, n), low = rep_len(-cost, n), high = rep_len(cost, n),
       ridge = rep_len(ridge, n))
}

run_linear <- function(Z, rows, intercept = FALSE, tol = 1e-3, max_iter = 0, seed = 1, threads = 2L) {
  linear_svm_(t(Z), rows$target, rows$epsilon, rows$low, rows$high, rows$ridge, intercept, tol,
              max_iter, seed, threads)
}

# alpha of hinge_dual() and tube_dual() from one beta per row.
split_beta <- function(beta, dual) {
  if (length(dual$row) == length(beta)) dual$sign * beta else c(pmax(beta, 0), pmax(-beta, 0))
}

# Features of rank r with a spectrum that decays, and two kinds of response.
linear_data <- function(n = 150, r = 20, seed = 1) {
  set.seed(seed)
  Z <- matrix(rnorm(n * r), n) %*% diag(1 / sqrt(seq_len(r)), r)
  f <- drop(Z %*% rnorm(r)) + 0.5
  list(Z = Z, class = ifelse(f + rnorm(n) > 0, 1, -1), number = f + rnorm(n) / 2)
}

linear_cases <- function(d, cost) {
  list(
    hinge = list(dual = hinge_dual(d$class, cost), rows = hinge_rows(d$class, cost)),
    tube = list(dual = tube_dual(d$number, cost), rows = tube_rows_of(d$number, cost)),
    squared_hinge = list(dual = hinge_dual(d$class, Inf, 1 / (2 * cost)),
                         rows = hinge_rows(d$class, Inf, 1 / (2 * cost))),
    squared_tube = list(dual = tube_dual(d$number, Inf, ridge = 1 / (2 * cost)),
                        rows = tube_rows_of(d$number, Inf, ridge = 1 / (2 * cost)))
  )
}

# sum of the losses at f + 1/2 |w|^2
linear_primal <- function(fit, loss) sum(loss(fit$decision + fit$b)) + sum(fit$w^2) / 2
