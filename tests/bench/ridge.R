# Ridge regression: a fit against chol() of the same matrix, all domains left out in
# closed form, and 60 values of lambda with all domains left out, in fits; of ten classes 13 values
# by steps for each class and domain over the same by one tridiagonal form, which a row without a
# cost prevents. The matrices are of doubles, with the BLAS and the threads that R uses.
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
  compare_speed(sprintf("fit over dg_cv(model), %d domains", domains), fit_full, function() dg_cv(model),
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

bench_classes <- function(n, classes, domains, runs) {
  d <- surface(n, 10L, domains)
  y <- cut(d$y + d$x[, 4], quantile(d$y + d$x[, 4], seq(0, 1, length.out = classes + 1L)),
           include.lowest = TRUE)
  Y <- outer(as.integer(y), seq_len(classes), "==") + 0
  K <- kernel_matrix(kernel_rbf(sqrt(10)), d$x)
  path <- function(costs) {
    domgen:::ridge_path(K, Y, d$domain, costs, n * 10^seq(-6, 0, by = 0.5), intercept = TRUE)
  }
  costs <- rep(1, n)
  compare_speed(sprintf("steps over closed form, n = %d, %d classes", n, classes),
                function() path(replace(costs, 1L, 0)), function() path(costs), 1, runs)
}

bench_features <- function(n, p, domains, r) {
  d <- surface(n, p, domains)
  set.seed(1)
  time <- system.time(model <- dg_ridge(d$x, d$y, d$domain, feature_map = features_nystrom(r),
                                        domain_kernel = domain_pooled(), lambda = 1))[["elapsed"]]
  left <- system.time(dg_cv(model))[["elapsed"]]
  cat(sprintf("n = %d, %d landmarks: fit %.2f s, dg_cv(model) of %d domains %.2f s\n", n, r, time,
              domains, left))
}

args <- commandArgs(TRUE)
sizes <- if (length(args) >= 1) as.integer(strsplit(args[1], ",")[[1]]) else 2000L
domains <- if (length(args) >= 2) as.integer(strsplit(args[2], ",")[[1]]) else c(5L, 20L)
runs <- if (length(args) >= 3) as.integer(args[3]) else 5L
report_machine()
for (n in sizes) for (G in domains) bench_one(n, 10L, G, runs)
for (n in c(600L, 1200L)) for (classes in c(4L, 10L, 26L)) bench_classes(n, classes, 10L, runs)
bench_features(200000L, 10L, 20L, 200L)
