projection_data <- function(n = 80, G = 4, classes = 3, seed = 1) {
  set.seed(seed)
  domain <- rep_len(seq_len(G), n)
  y <- sample(rep_len(seq_len(classes), n))
  x <- matrix(rnorm(n * 3), n) + 0.4 * domain + 0.8 * y
  list(domain = domain, y = y, x = x, K = rbf(x, 1.5), number = x[, 1] + rnorm(n) / 3)
}

expect_agrees <- function(fit, pencil, ncomp) {
  oracle <- naive_projection(pencil, ncomp)
  expect_equal(fit$values, oracle$values, tolerance = 1e-8)
  expect_lt(subspace_distance(fit$coefficients, oracle$vectors), 1e-6)
  expect_true(all(fit$residual < 20))
}

test_that("DICA and COIR with class labels agree with the dense pencil in both forms", {
  d <- projection_data()
  F <- one_hot(d$y)
  for (published in c(TRUE, FALSE)) for (q in c(TRUE, FALSE)) {
    fit <- project_exact(d$K, F, d$domain, q, published = published)
    pencil <- naive_pencil(d$K, tcrossprod(F), if (q) d$domain, 1e-4, 0.1, published)
    expect_agrees(fit, pencil, 2)
    expect_identical(fit$rank, 2)
  }
})

test_that("DICA and COIR with a continuous response agree with the dense pencil", {
  d <- projection_data(n = 120)
  L <- rbf(d$number, 1)
  for (published in c(TRUE, FALSE)) for (q in c(TRUE, FALSE)) {
    fit <- project_exact(d$K, pivoted_factor(L), d$domain, q, 1e-3, ncomp = 4,
                         published = published)
    expect_agrees(fit, naive_pencil(d$K, L, if (q) d$domain, 1e-3, 0.1, published), 4)
  }
})

test_that("UDICA and KPCA agree with the dense pencil, by Lanczos and by the dense solver", {
  for (n in c(60, 150)) for (ncomp in c(3, 40)) {
    d <- projection_data(n = n)
    expect_agrees(project_exact(d$K, NULL, d$domain, ncomp = ncomp),
                  naive_pencil(d$K, domain = d$domain, lambda = 0.1), ncomp)
    expect_agrees(project_exact(d$K, NULL, d$domain, FALSE, ncomp = ncomp),
                  naive_pencil(d$K, lambda = 0.1), ncomp)
    expect_agrees(project_exact(d$K, lambda = 0, ncomp = ncomp), naive_pencil(d$K), ncomp)
  }
})

test_that("the scales are what they are called", {
  d <- projection_data()
  F <- one_hot(d$y)
  for (response in list(NULL, F)) for (published in c(TRUE, FALSE)) {
    fit <- function(normalise) {
      project_exact(d$K, response, d$domain, published = published, normalise = normalise)
    }
    D <- naive_pencil(d$K, NULL, d$domain, lambda = 0.1)$form
    B <- fit("constraint")$coefficients
    BDB <- crossprod(B, D %*% B)
    expect_equal(diag(BDB), c(1, 1), tolerance = 1e-10)
    if (is.null(response) || !published) expect_lt(abs(BDB[1, 2]), 1e-9)
    expect_equal(colMeans(fit("whiten")$scores^2), c(1, 1), tolerance = 1e-10)
    code <- fit("published_code")
    expect_equal(code$coefficients, B %*% diag(1 / sqrt(code$values)), tolerance = 1e-10)
  }
  dg_kpca <- project_exact(d$K, lambda = 0)
  K <- naive_centre(d$K)
  expect_equal(crossprod(dg_kpca$coefficients, K %*% dg_kpca$coefficients), diag(2), tolerance = 1e-10)
})

test_that("UDICA's scores in the published code's scale are white", {
  d <- projection_data()
  fit <- project_exact(d$K, NULL, d$domain, ncomp = 3, normalise = "published_code")
  expect_equal(crossprod(fit$scores) / nrow(d$K), diag(3), tolerance = 1e-8)
})

test_that("scores, centre and reported variances follow from the coefficients", {
  d <- projection_data()
  fit <- project_exact(d$K, one_hot(d$y), d$domain)
  pencil <- naive_pencil(d$K, NULL, d$domain, lambda = 0.1)
  K <- pencil$K
  B <- fit$coefficients
  n <- nrow(K)
  expect_equal(fit$scores, K %*% B, tolerance = 1e-10)
  expect_equal(sweep(d$K %*% B, 2, fit$centre), fit$scores, tolerance = 1e-10)
  expect_equal(colSums(B), c(0, 0), tolerance = 1e-10)
  after <- sum(diag(t(B) %*% K %*% pencil$Q %*% K %*% B))
  expect_equal(fit$theorem5, c(distributional = after, norm = sum(diag(t(B) %*% K %*% B))),
               tolerance = 1e-10)
  expect_equal(fit$variance, c(total_before = sum(diag(K)) / n, total_after = sum((K %*% B)^2) / n,
                               distributional_before = sum(diag(K %*% pencil$Q)),
                               distributional_after = after), tolerance = 1e-10)
})

test_that("the domain with the largest mean score has a positive one, else the largest coefficient", {
  d <- projection_data()
  scores <- project_exact(d$K, NULL, d$domain, ncomp = 5)$scores
  means <- rowsum(scores, d$domain) / c(table(d$domain))
  expect_true(all(apply(means, 2, function(m) m[which.max(abs(m))]) > 0))
  B <- project_exact(d$K, NULL, ncomp = 5)$coefficients
  expect_true(all(apply(B, 2, function(b) b[which.max(abs(b))]) > 0))
})

test_that("class labels give one component fewer than there are classes", {
  for (classes in 2:4) for (published in c(TRUE, FALSE)) {
    d <- projection_data(classes = classes)
    fit <- project_exact(d$K, one_hot(d$y), d$domain, ncomp = 10, published = published)
    expect_identical(fit$rank, classes - 1)
    expect_identical(dim(fit$coefficients), c(80L, classes - 1L))
    expect_length(fit$values, classes - 1)
  }
})

test_that("a constant response or a constant kernel has rank zero", {
  d <- projection_data()
  constant_response <- project_exact(d$K, matrix(0.3, 80, 1), d$domain)
  constant_kernel <- matrix(0.37, 80, 80)
  fits <- list(constant_response, project_exact(constant_kernel, NULL, d$domain),
               project_exact(constant_kernel, one_hot(d$y), d$domain),
               project_exact(constant_kernel, lambda = 0))
  for (fit in fits) {
    expect_identical(fit$rank, 0)
    expect_identical(dim(fit$coefficients), c(80L, 0L))
    expect_identical(dim(fit$scores), c(80L, 0L))
    expect_length(fit$residual, 0)
  }
})

test_that("with a single domain DICA is COIR and UDICA is KPCA up to lambda", {
  d <- projection_data()
  one <- rep(1L, 80)
  F <- one_hot(d$y)
  expect_equal(project_exact(d$K, F, one), project_exact(d$K, F, denominator_q = FALSE))
  dg_udica <- project_exact(d$K, NULL, one, lambda = 1e-9, ncomp = 3)
  dg_kpca <- project_exact(d$K, NULL, lambda = 0, ncomp = 3)
  expect_equal(dg_udica$values, dg_kpca$values, tolerance = 1e-8)
  expect_equal(dg_udica$coefficients, dg_kpca$coefficients, tolerance = 1e-8)
  expect_identical(dg_udica$variance[["distributional_before"]], 0)
})

test_that("one-row domains, classes missing from a domain and duplicated rows are exact", {
  d <- projection_data(n = 60)
  lonely <- c(5L, 6L, d$domain[-(1:2)])
  separated <- d$y
  separated[d$domain == 1] <- 1
  twice <- c(1:30, 1:30)
  cases <- list(list(K = d$K, y = d$y, domain = lonely),
                list(K = d$K, y = separated, domain = d$domain),
                list(K = d$K[twice, twice], y = d$y[twice], domain = d$domain))
  for (case in cases) {
    F <- one_hot(case$y)
    expect_agrees(project_exact(case$K, F, case$domain),
                  naive_pencil(case$K, tcrossprod(F), case$domain, 1e-4, 0.1), 2)
    expect_agrees(project_exact(case$K, NULL, case$domain),
                  naive_pencil(case$K, domain = case$domain, lambda = 0.1), 2)
  }
})

test_that("two rows and one row are answered", {
  K <- matrix(c(1, 0.4, 0.4, 1), 2)
  fit <- project_exact(K, diag(2), 1:2, lambda = 0.5, epsilon = 0.1)
  pencil <- naive_pencil(K, diag(2), 1:2, 0.1, 0.5)
  expect_agrees(fit, pencil, 1)
  expect_identical(fit$rank, 1)
  expect_identical(project_exact(K, lambda = 0)$rank, 1)
  expect_identical(project_exact(matrix(1), lambda = 0)$rank, 0)
})

test_that("residuals stay at rounding level from tiny to huge lambda and at any kernel scale", {
  d <- projection_data(n = 130)
  F <- one_hot(d$y)
  L <- pivoted_factor(rbf(d$number, 1))
  for (lambda in c(0, 1e-14, 1e-8, 1, 1e8, 1e16)) for (scale in c(1e-8, 1, 1e8)) {
    for (response in list(NULL, F, L)) for (published in c(TRUE, FALSE)) {
      fit <- project_exact(scale * d$K, response, d$domain, lambda = lambda, published = published)
      expect_true(all(is.finite(fit$coefficients)))
      expect_true(all(fit$residual < 20), label = paste("residual at lambda", lambda, scale))
    }
  }
})

test_that("multiple eigenvalues are found with their multiplicity", {
  angle <- 2 * pi * seq_len(150) / 150
  kernels <- list(grid = rbf(expand.grid(1:6, 1:6, 1:6), 2), identity = diag(120),
                  circle = rbf(cbind(cos(angle), sin(angle)), 0.5),
                  classes = tcrossprod(one_hot(rep(1:15, 10))))
  for (K in kernels) for (ncomp in c(3, 12)) {
    fit <- project_exact(K, lambda = 0, ncomp = ncomp)
    values <- eigen(naive_centre(K), TRUE)$values[seq_len(ncomp)] / nrow(K)
    expect_equal(fit$values, values, tolerance = 1e-10)
    expect_true(fit$residual[ncomp] < 20)
  }
})

test_that("a kernel of low rank has as many components as its rank", {
  d <- projection_data(n = 140)
  fit <- project_exact(tcrossprod(d$x), lambda = 0, ncomp = 10)
  expect_identical(fit$rank, 3)
  expect_true(fit$rank_known)
  expect_identical(project_exact(tcrossprod(d$x), NULL, d$domain, ncomp = 10)$rank, 3)
})

test_that("the same call gives the same bits, whatever the number of threads", {
  d <- projection_data(n = 150)
  for (response in list(NULL, one_hot(d$y))) {
    fit <- project_exact(d$K, response, d$domain, threads = 1)
    expect_identical(project_exact(d$K, response, d$domain, threads = 1), fit)
    expect_identical(project_exact(d$K, response, d$domain, threads = 2), fit)
  }
})

test_that("complex eigenvalues are reported", {
  imaginary <- sapply(1:60, function(seed) {
    set.seed(seed)
    n <- 12
    K <- tcrossprod(matrix(rnorm(n * n), n))
    project_exact(K, one_hot(rep_len(1:6, n)), rep(1:3, each = 4), lambda = 1e-3)$imaginary
  })
  expect_true(all(imaginary >= 0 & is.finite(imaginary)))
})

test_that("the factorisation in panels agrees with R's", {
  skip_on_cran()
  set.seed(3)
  n <- 1100
  x <- matrix(rnorm(n * 3), n)
  K <- rbf(x, 2)
  domain <- rep_len(1:5, n)
  F <- one_hot(rep_len(1:3, n))
  fit <- project_exact(K, F, domain)
  # K and D of naive_pencil(), without products of matrices of n rows and columns
  K <- K - outer(rowMeans(K), colMeans(K), "+") + mean(K)
  means <- K %*% sweep(one_hot(domain), 2, tabulate(domain), "/")
  D <- means %*% (diag(5) / 5 - 1 / 25) %*% t(means) + K + diag(0.1, n)
  centred <- sweep(F, 2, colMeans(F))
  e <- eigen(crossprod(centred))
  U <- centred %*% e$vectors[, 1:2] %*% diag(1 / sqrt(e$values[1:2] + n * 1e-4))
  V <- solve(D, U)
  T <- t(U) %*% K %*% K %*% V / n
  expect_equal(fit$values, sort(Re(eigen(T)$values), TRUE), tolerance = 1e-8)
  expect_lt(subspace_distance(fit$coefficients, V), 1e-8)
})

test_that("the trailing strips of a large factorisation are exact as well", {
  skip_on_cran()
  set.seed(5)
  n <- 2520
  x <- matrix(rnorm(n * 3), n)
  K <- kernel_matrix(kernel_rbf(2), x)
  domain <- rep_len(1:5, n)
  for (response in list(NULL, one_hot(rep_len(1:3, n)))) {
    fit <- project_exact(K, response, domain)
    expect_true(all(fit$residual < 20))
    if (is.null(response)) expect_identical(project_exact(K, response, domain), fit)
  }
})

test_that("leading components of a flat spectrum are found after several restarts", {
  set.seed(4)
  n <- 400
  K <- crossprod(matrix(rnorm(3 * n * n), 3 * n)) / (3 * n)
  fit <- project_exact(K, lambda = 0, ncomp = 3)
  expect_true(fit$converged)
  expect_gt(fit$iterations, 46)  # more than one basis holds
  e <- eigen(naive_centre(K), TRUE)
  expect_equal(fit$values, e$values[1:3] / n, tolerance = 1e-12)
  expect_lt(subspace_distance(fit$scores, e$vectors[, 1:3]), 1e-6)
  expect_true(all(fit$residual < 20))
})

test_that("an indefinite or infinite kernel matrix is refused, not answered with NaN", {
  set.seed(6)
  A <- matrix(rnorm(900), 30)
  indefinite <- A + t(A)
  classes <- one_hot(rep(1:3, 10))
  domain <- rep(1:5, 6)
  for (K in list(indefinite, -diag(30))) for (response in list(NULL, classes)) {
    expect_error(project_exact(K, response, domain), "numerically singular")
  }
  expect_error(project_exact(A * 1e200, classes, domain), "must be finite")
  expect_error(domgen:::projection_gram_(diag(4), list(), c(1L, 3L, 3L, 1L), 3L, list(), 1), "at least one row")
  expect_error(project_exact(diag(4), normalise = "unit"), "`normalise` must be")
})
