# Ridge regression: a fit against chol() of the same matrix, all domains left out in
# closed form, and 60 values of lambda with all domains left out, in fits. The matrices are
# of doubles, with the BLAS and the threads that R uses.
#   Rscript tests/bench/ridge.R [n,n,...] [domains] [runs]     from the root of the package

source("tests/bench/ratio.R")

# Domains that differ in place; a smooth surface of three predictors.
surface <- function(n, p, domains, seed = 1) {
  set.seed(seed)
  domain <- factor(sort(rep_len(seq_len(domains), n)))
  x <- scale(matrix(rnorm(n * p), n) + matrix(rnorm(domains * p, sd = 0.7), domains)[domain, ])
  y <- sin(2 * x[, 1]) + x[, 2] * x[, 3] / 2 + rnorm(domains, sd = 0.3)[domain]
  list(x = x, y = drop(scale(y + rnorm(n, sd = 0.5))), domain = domain)
}

# All matrices are there, so that neither side pays for memory.
path_of <- function(model, lambdas) {
  Y <- matrix(drop(code_rows(model$response, model$y)))
  K <- domgen:::space_gram(model$space)
  function() domgen:::ridge_path(K, Y, model$domain, model$costs, lambdas)
}

bench_one <- function(n, p, domains, runs) {
  d <- surface(n, p, domains)
  fit_pooled <- function() {
    dg_ridge(d$x, d$y, d$domain, kernel = kernel_rbf(sqrt(p)), domain_kernel = domain_pooled(),
             lambda = 1)
  }
  fit_full <- function() dg_ridge(d$x, d$y, d$domain, lambda = 1)
  model <- fit_full()
  A <- kernel_matrix(kernel_rbf(sqrt(p)), d$x) + diag(n)
  compare_speed(sprintf("chol() over a pooled fit, n = %d, p = %d", n, p), function() chol(A),
                fit_pooled, 0.6, runs)
  compare_speed(sprintf("fit over dg_lodo(), %d domains", domains), fit_full, function() dg_lodo(model),
                0.5, runs)
  for (low in c(-1, -2, -3)) {
    lambdas <- 10^seq(low, 3, length.out = 60)
    path <- path_of(model, lambdas)
    found <- path()
    compare_speed(sprintf("fit over 60 lambda from 1e%d to 1e3, %d domains", low, domains), fit_full,
                  path, 1 / 3, runs)
    exact <- domgen:::ridge_path(environment(path)$K, environment(path)$Y, model$domain, model$costs,
                                 lambdas, tolerance = 1e-10)
    cat(sprintf("  %.0f products a domain, %d inverses; error of the curve at most %.0e; best %.3g\n",
                found$steps, length(found$poles), max(abs(found$error / exact$error - 1)),
                lambdas[which.min(found$error)]))
  }
}

bench_features <- function(n, p, domains, r) {
  d <- surface(n, p, domains)
  set.seed(1)
  time <- system.time(model <- dg_ridge(d$x, d$y, d$domain, feature_map = features_nystrom(r),
                                        domain_kernel = domain_pooled(), lambda = 1))[["elapsed"]]
  left <- system.time(dg_lodo(model))[["elapsed"]]
  cat(sprintf("n = %d, %d landmarks: fit %.2f s, dg_lodo() of %d domains %.2f s\n", n, r, time,
              domains, left))
}

args <- commandArgs(TRUE)
sizes <- if (length(args) >= 1) as.integer(strsplit(args[1], ",")[[1]]) else 2000L
domains <- if (length(args) >= 2) as.integer(strsplit(args[2], ",")[[1]]) else c(5L, 20L)
runs <- if (length(args) >= 3) as.integer(args[3]) else 5L
report_machine()
for (n in sizes) for (G in domains) bench_one(n, 10L, G, runs)
bench_features(200000L, 10L, 20L, 200L)
