# The oracles against each other: the papers' dual problems and the forms on
# features, and what the methods reduce to in special cases.

three_domains <- function(n = 48) {
  set.seed(1)
  domain <- rep(1:3, length.out = n)
  y <- factor(sample(rep(c("a", "b", "c", "d"), length.out = n)))
  X <- matrix(rnorm(3 * n), n) + cbind(domain, 2 * (y == "a"), (y == "b") * domain)
  K <- rbf(X, 2)
  list(X = X, y = y, domain = domain, K = K, Z = naive_factor(K),
       Zc = naive_factor(naive_centre(K)), L = tcrossprod(one_hot(y)), n = n)
}

same_values <- function(a, b, m = 3, tolerance = 1e-9) {
  expect_equal(a$values[seq_len(m)], b$values[seq_len(m)], tolerance = tolerance)
}

test_that("DICA on features solves the published problem, with a graph and unlabelled rows too", {
  d <- three_domains()
  labelled <- rep(c(TRUE, TRUE, FALSE), length.out = d$n)
  Lambda <- naive_laplacian(d$X, 4)
  P <- naive_p(d$L, 1e-3, labelled)
  K <- naive_centre(d$K)
  for (published in c(TRUE, FALSE)) {
    N <- (if (published) P %*% K %*% K else K %*% P %*% K) / sum(labelled)
    D <- K %*% naive_q(d$domain) %*% K + K + 0.1 * diag(d$n) + 0.5 * K %*% Lambda %*% K
    dual <- naive_projection(list(N = N, D = D), 3)
    primal <- naive_dica(d$Zc, P, d$domain, 0.1, 0.5, Lambda, published, sum(labelled))
    same_values(dual, primal)
    expect_lt(subspace_distance(K %*% dual$vectors, d$Zc %*% primal$W[, 1:3]), 1e-8)
  }
})

test_that("with one domain DICA is COIR, with P = I and no ridge too KPCA", {
  d <- three_domains()
  one <- rep(1, d$n)
  P <- naive_p(d$L, 1e-3)
  same_values(naive_dica(d$Zc, P, one, 0.1),
              naive_projection(naive_pencil(d$K, d$L, NULL, 1e-3, 0.1), 3))
  same_values(naive_dica(d$Zc, diag(d$n), one, 0), naive_projection(naive_pencil(d$K), 3))
})

test_that("TCA on features solves its dual problem for two domains", {
  d <- three_domains()
  two <- ifelse(d$domain == 1, 1, 2)
  dual <- naive_tca_dual(d$K, two, 0.3)
  primal <- naive_tca(d$Z, two, 0.3)
  same_values(dual, primal)
  expect_lt(subspace_distance(d$K %*% dual$B[, 1:3], d$Z %*% primal$W[, 1:3]), 1e-8)
  expect_equal(dual$L, 4 * naive_q(two))
})

test_that("the average squared MMD over pairs of domains is 2G/(G - 1) Q", {
  domain <- rep(1:4, c(3, 5, 2, 6))
  L <- 0
  for (s in 2:4) for (t in seq_len(s - 1)) {
    e <- (domain == s) / sum(domain == s) - (domain == t) / sum(domain == t)
    L <- L + outer(e, e) / choose(4, 2)
  }
  expect_equal(L, 2 * 4 / 3 * naive_q(domain))
})

test_that("DCM on features solves equation 12, and its scores depend on label and domain alone", {
  d <- three_domains()
  K <- naive_centre(d$K)
  Py <- naive_p(d$L, 1e-3)
  Pd <- naive_p(tcrossprod(one_hot(d$domain)), 1e-3)
  dual <- naive_dcm_dual(K, Py, Pd)
  primal <- naive_dcm(d$Zc, Py, Pd, 0)
  # the dual has constant scores too, with value 1
  expect_equal(dual$values[-4], primal$values, tolerance = 1e-9)
  expect_equal(sum(abs(dual$values - 1) > 1e-9), 3 + 2)
  expect_equal(sum(dual$values > 1 + 1e-9), 3)
  expect_lt(subspace_distance(dual$alpha[, 1:3], d$Zc %*% primal$W[, 1:3]), 1e-6)
  fit <- stats::lm(dual$alpha[, 1:3] ~ d$y + factor(d$domain))
  expect_lt(max(abs(stats::residuals(fit))), 1e-10)

  B <- solve(K + 0.2 * diag(d$n), dual$alpha[, 1:3])
  ridged <- naive_dcm(d$Zc, Py, Pd, 0.2)
  expect_lt(subspace_distance(K %*% B, d$Zc %*% ridged$W[, 1:3]), 1e-9)
})

test_that("with one domain DCM's denominator is I and its v are COIR's directions", {
  d <- three_domains()
  one <- rep(1, d$n)
  Py <- naive_p(d$L, 1e-3)
  dg_dcm <- naive_dcm(d$Zc, Py, naive_p(outer(one, one), 1e-3), 0)
  dg_coir <- naive_dica(d$Zc, Py, one, 0, published = FALSE)
  expect_equal(dg_dcm$values[1:3], 1 + d$n * dg_coir$values[1:3])
  expect_lt(subspace_distance(dg_dcm$V[, 1:3], dg_coir$W[, 1:3]), 1e-10)
})

test_that("SCA on features solves its equation 20", {
  d <- three_domains()
  K <- naive_centre(d$K)
  P <- Q <- 0
  for (k in levels(d$y)) {
    rows <- which(d$y == k)
    P <- P + length(rows) * naive_square(rowMeans(K[, rows]))
    Q <- Q + K[, rows] %*% (diag(length(rows)) - 1 / length(rows)) %*% K[rows, ]
  }
  N <- 0.7 * P + 0.3 * K %*% K / d$n
  D <- 2 * K %*% naive_q(d$domain) %*% K + Q + K + 0.1 * diag(d$n)
  same_values(naive_projection(list(N = N, D = D), 3),
              naive_sca(d$Zc, d$y, d$domain, beta = 0.7, delta = 2, lambda = 0.1))
})

test_that("SCA without labels is UDICA, and leaves unlabelled rows out of the class terms only", {
  d <- three_domains()
  unlabelled <- naive_sca(d$Zc, rep(NA, d$n), d$domain, beta = 0, delta = 1)
  same_values(unlabelled, naive_dica(d$Zc, diag(d$n), d$domain, 0), d$n - 1)
  y <- replace(d$y, 1:10, NA)
  some <- naive_sca(d$Zc, y, d$domain, 0.5, 1)
  without <- naive_sca(d$Zc[-(1:10), ], d$y[-(1:10)], d$domain[-(1:10)], 0.5, 1)
  expect_gt(abs(some$values[1] / without$values[1] - 1), 1e-3)
})

# four rows of each of four classes in each of three domains
test_that("on balanced cells SCA, MDA and CIDG differ in the scale of their terms only", {
  d <- three_domains()
  y <- factor(rep(rep(1:4, each = 3), 4))
  stopifnot(table(y, d$domain) == 4)
  dg_mda <- naive_mda(d$Zc, y, d$domain, beta = 0, alpha = 1, gamma = 0)
  same_values(dg_mda, naive_sca(d$Zc, y, d$domain, beta = 1, delta = 0, averaged = TRUE))
  pairs <- naive_mda(sqrt(d$n) * d$Zc, y, d$domain, beta = 0, alpha = 1, gamma = 0.5)
  same_values(pairs, naive_cidg(d$Zc, y, d$domain, alpha = 0, gamma = 0.5 * d$n * 6 / (4 * 2)))
  # the prior-normalised marginals are the marginals
  same_values(naive_cidg(d$Zc, y, d$domain, alpha = 2, gamma = 0),
              naive_sca(d$Zc, y, d$domain, beta = 1, delta = 2))
})

test_that("MDA's class means and pairs weigh domains equally, whatever their size", {
  d <- three_domains()
  rows <- c(seq_len(d$n), which(d$domain == 2))
  same_values(naive_mda(d$Zc, d$y, d$domain, beta = 1, alpha = 0, gamma = 2),
              naive_mda(d$Zc[rows, ], d$y[rows], d$domain[rows], beta = 1, alpha = 0, gamma = 2))
})

test_that("a class that a domain lacks leaves finite terms, of rank C - 1", {
  d <- three_domains()
  y <- replace(d$y, d$domain == 1 & d$y == "a", "b")
  solutions <- list(naive_mda(d$Zc, y, d$domain, 0.5, 1, 1), naive_cidg(d$Zc, y, d$domain, 1, 1))
  for (found in solutions) {
    expect_true(all(found$values[1:3] > 1e-6))
    expect_lt(max(abs(found$values[-(1:3)])), 1e-10)
  }
})
