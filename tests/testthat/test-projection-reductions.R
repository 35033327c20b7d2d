# What projections reduce to in special cases, by the formulas of their papers.

d <- uneven_rows()
case <- function(name) projection_cases[[name]]
maps <- list(exact = features_exact(), few = features_nystrom(15, "uniform"))

# Landmarks are drawn when a method is fitted: the same for every method.
fit_rows <- function(method, y, domain, features = features_exact(), ..., X = d$X, ncomp = 2) {
  with_seed(2, method(X, y, domain, ncomp = ncomp, kernel = kernel_rbf(uneven_sigma),
                      scale = "none", feature_map = features, ...))
}

expect_same <- function(a, b, tolerance = 1e-8) {
  expect_equal(a$values, b$values, tolerance = tolerance)
  expect_lt(score_gap(a$scores, b$scores), 100 * tolerance)
}

# Three rows of each of three classes in each of four domains.
balanced <- local({
  y <- factor(rep(c("a", "b", "c"), 12))
  domain <- factor(rep(rep(1:4, each = 3), 3))
  X <- with_seed(5, matrix(rnorm(36 * 3), 36)) + cbind(as.integer(y), as.integer(domain) / 3, 0)
  list(X = X, y = y, domain = domain)
})

for (map in names(maps)) {
  features <- maps[[map]]
  one <- rep("one", d$n)

  test_that(paste("one domain turns DICA into COIR and UDICA into kernel PCA:", map), {
    for (form in c("published", "symmetric")) {
      expect_same(fit_rows(dg_dica, d$y, one, features, form = form),
                  fit_rows(dg_coir, d$y, d$domain, features, form = form))
    }
    expect_same(fit_rows(dg_udica, NULL, one, features, lambda = 1e-10),
                fit_rows(dg_kpca, NULL, d$domain, features), tolerance = 1e-7)
  })

  test_that(paste("one domain makes DCM's denominator the identity:", map), {
    model <- fit_rows(dg_dcm, d$y, one, features, epsilon = 1e-3, lambda = 1e-10)
    exact <- map == "exact"
    Z <- uneven_features(model, d, exact)$Z
    Z <- Z %*% svd(naive_centred(Z))$v[, seq_len(if (exact) d$n - 1 else 15)]
    dg_coir <- naive_dica(Z, uneven_p(case("dcm, classes"), d, 1e-3), one, 0, published = FALSE)
    expect_equal(unname(model$values), 1 + d$n * dg_coir$values[1:2], tolerance = 1e-8)
    # with a = KB = Z S^-1 v, v COIR's directions
    a <- naive_centred(Z) %*% solve(crossprod(naive_centred(Z)), dg_coir$W[, 1:2])
    expect_lt(subspace_distance(model$scores, a), 1e-5)
  })

  test_that(paste("SCA of total variance, each row a class, is UDICA:", map), {
    rows <- factor(seq_len(d$n))
    expect_same(fit_rows(dg_sca, rows, d$domain, features, beta = 0, lambda = 0.2),
                fit_rows(dg_udica, NULL, d$domain, features, lambda = 0.2))
  })

  test_that(paste("on balanced cells MDA, SCA and CIDG share their terms:", map), {
    with_balanced <- function(method, ...) {
      fit_rows(method, balanced$y, balanced$domain, features, X = balanced$X, ...)
    }
    expect_same(with_balanced(dg_mda, beta = 0, alpha = 1, gamma = 0, lambda = 0.01),
                with_balanced(dg_sca, beta = 1, delta = 0, average = TRUE, lambda = 0.01))
    # C = 3 classes, G = 4 domains: 2 G / (C (G - 1))
    expect_same(with_balanced(dg_mda, beta = 0, alpha = 1, gamma = 5),
                with_balanced(dg_cidg, alpha = 0, gamma = 5 * 8 / 9, average = TRUE), 1e-7)
    expect_same(with_balanced(dg_cidg, alpha = 40, gamma = 0),
                with_balanced(dg_sca, beta = 1, delta = 40), 1e-7)
  })
}

# (K + norm I + between Q K) b = y - mean(y), f = K b + mean(y)
naive_joint <- function(K, y, domain, norm, between) {
  K <- naive_centre(K)
  b <- solve(K + norm * diag(nrow(K)) + between * naive_q(domain) %*% K, y - mean(y))
  list(b = b, fitted = drop(K %*% b) + mean(y))
}

test_that("a ridge on all of UDICA's components has the distributional variance as regulariser", {
  y <- with_seed(4, d$X[, 1] + as.integer(factor(d$domain)) + rnorm(d$n) / 5)
  K <- rbf(d$X, uneven_sigma)
  weight <- 50
  between <- 2
  for (features in list(features_exact(), features_nystrom(d$n, "uniform"))) {
    joint <- dg_pipeline(dg_udica(ncomp = d$n - 1, kernel = weight * kernel_rbf(uneven_sigma),
                                  lambda = 1e-10, scale = "none", feature_map = features),
                         dg_ridge(lambda = 1, intercept = TRUE, domain_kernel = domain_pooled()))
    unit <- fit(joint, d$X, y, d$domain)$unit
    model <- fit(update(joint, ridge.lambda = between / unit^2), d$X, y, d$domain)
    oracle <- naive_joint(K, y, d$domain, between / weight, between)
    expect_equal(as.vector(fitted(model)), oracle$fitted, tolerance = 1e-8)
    plain <- naive_joint(K, y, d$domain, between / weight, 0)
    expect_gt(max(abs(oracle$fitted - plain$fitted)), 1e-2)
    # which is the quantity that is made smaller
    spread <- function(f) drop(crossprod(f, naive_q(d$domain) %*% f))
    expect_lt(spread(fitted(model)), spread(plain$fitted))
    # at new rows k(x, X) b, centred by the training means
    from_first <- function(f) f[-1] - f[1]
    Kx <- exp(-outer(rowSums(d$new^2), rowSums(d$X^2), "+") / (2 * uneven_sigma^2) +
                tcrossprod(d$new, d$X) / uneven_sigma^2)
    b <- oracle$b - mean(oracle$b)
    expect_equal(from_first(as.vector(predict(model, d$new))), from_first(drop(Kx %*% b)),
                 tolerance = 1e-8)
    # and for a learner of any loss: the kernel of the scores is (K^-1 / weight + Q)^-1
    S <- model$projection$scores
    K_c <- naive_centre(K)
    expect_equal(unname(tcrossprod(S)),
                 solve(diag(d$n) / weight + K_c %*% naive_q(d$domain), K_c), tolerance = 1e-7)
  }
})

test_that("scores of DCM before the ridge depend on label and domain alone", {
  model <- fit_rows(dg_dcm, d$y, d$domain, lambda = 1e-10)
  additive <- lm(model$scores ~ d$y + d$domain)
  expect_lt(max(abs(residuals(additive))), 1e-5 * max(abs(model$scores)))
  ridged <- lm(fit_rows(dg_dcm, d$y, d$domain)$scores ~ d$y + d$domain)
  expect_gt(max(abs(residuals(ridged))), 1e-2 * max(abs(model$scores)))
})

test_that("two domains turn TCA into the paper's equation", {
  two <- ifelse(d$domain %in% c("p", "q"), "source", "target")
  K <- rbf(d$X, 1.5)
  dual <- naive_tca_dual(K, two, 0.3)
  expect_equal(dual$L, 4 * naive_q(two))
  model <- fit_rows(dg_tca, NULL, two, mu = 0.3, ncomp = 3)
  expect_equal(unname(model$values), dual$values[1:3], tolerance = 1e-8)
  expect_lt(subspace_distance(model$directions, dual$B[, 1:3]), 1e-6)
  expect_lt(subspace_distance(model$scores, naive_centred(K %*% dual$B[, 1:3])), 1e-6)
})

test_that("TCA's scores of two domains have the squared MMD that the eigenvalue leaves", {
  two <- ifelse(d$domain %in% c("p", "q"), "source", "target")
  model <- fit_rows(dg_tca, NULL, two, mu = 0.3, ncomp = 3)
  means <- rowsum(model$scores, two) / c(table(two))
  discrepancy <- (means[1, ] - means[2, ])^2
  expect_equal(discrepancy + 0.3 * colSums(model$directions^2), 1 + 0 * discrepancy,
               tolerance = 1e-8)
  expect_equal(colSums(model$scores^2), model$values, tolerance = 1e-8)
})

test_that("MDA of two classes has the same component whatever beta", {
  two <- uneven_rows(c("a", "b"), seed = 2)
  fits <- lapply(c(0, 0.4, 1), function(beta) {
    fit_rows(dg_mda, two$y, two$domain, X = two$X, ncomp = 1, beta = beta)
  })
  for (fit in fits[-1]) expect_lt(subspace_distance(fit$scores, fits[[1]]$scores), 1e-8)
  expect_gt(fits[[3]]$values / fits[[1]]$values, 1.1)
})

test_that("MDA's class means and pairs weigh domains the same, whatever their size", {
  twice <- c(seq_len(d$n), which(d$domain == "r"))
  fits <- function(...) {
    list(fit_rows(dg_mda, d$y, d$domain, alpha = 0, gamma = 2, ...),
         fit_rows(dg_mda, d$y[twice], d$domain[twice], X = d$X[twice, ], alpha = 0, gamma = 2, ...))
  }
  same <- fits(beta = 1)
  expect_equal(same[[2]]$values, same[[1]]$values, tolerance = 1e-8)
  # the centres differ
  from_first <- lapply(same, function(model) sweep(predict(model, d$new[-1, ]), 2,
                                                   predict(model, d$new[1, ])))
  expect_lt(score_gap(from_first[[2]], from_first[[1]]), 1e-6)
  # with beta = 0 classes weigh by their rows
  other <- fits(beta = 0)
  expect_gt(abs(other[[2]]$values[[1]] / other[[1]]$values[[1]] - 1), 1e-3)
})

test_that("a class that only one domain has leaves no pairs of domains, and MDA answers", {
  own <- factor(d$domain) # each class in one domain
  expect_same(fit_rows(dg_mda, own, d$domain, gamma = 1e6, lambda = 0.1),
              fit_rows(dg_mda, own, d$domain, gamma = 0, lambda = 0.1))
  expect_same(fit_rows(dg_cidg, own, d$domain, gamma = 1e6, lambda = 0.1),
              fit_rows(dg_cidg, own, d$domain, gamma = 0, lambda = 0.1))
})
