# Terms of the response's kernel that projections made outside the package name, R/projection-
# response.R, against eigen() of the matrices written out.

response_projection <- function(terms) {
  made <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, epsilon = 0.01,
                   kernel = kernel_rbf(), kernel_y = NULL, domain_kernel = domain_pooled(),
                   feature_map = features_exact(), form = "symmetric",
                   normalise = c("constraint", "whiten", "published_code"),
                   scale = c("pooled", "domain", "both", "rank", "none"),
                   na.action = stats::na.omit, threads = NULL, ...) {
    projection_method("by_response", "By the response", terms, response = "any",
                      needs_domain = FALSE)
  }
  # found by its name
  assign("by_response", made, envir = globalenv())
  made
}

# values and training scores of N b = D b gamma, where scores are Zb: Z [n x r] of full rank.
solved_in <- function(Z, N, D, ncomp) {
  root <- solve(chol(D))
  e <- eigen(t(root) %*% N %*% root, symmetric = TRUE)
  list(values = e$values[seq_len(ncomp)], scores = Z %*% root %*% e$vectors[, seq_len(ncomp)])
}

expect_solves <- function(model, oracle) {
  expect_equal(unname(model$values), oracle$values, tolerance = 1e-8)
  expect_lt(score_gap(model$scores, oracle$scores), 1e-6)
  expect_true(all(model$residual < 20))
}

# What may stand on either side, as the user writes it and as a matrix over the rows' scores:
# L the centred Gram matrix of the response's kernel, E of domains' means, H that centres.
drawn_sides <- function(i, n) {
  with_seed(i, {
    power <- sample(c(0.5, 1, 2), 1L)
    weight <- stats::runif(1L, 0.5, 2)
    by_response <- list(
      list(function(s, n) s, function(L) L),
      list(function(s, n) weight * s^power / n, function(L) {
        e <- eigen(L, symmetric = TRUE)
        e$vectors %*% (weight * pmax(e$values, 0)^power / n * t(e$vectors))
      }),
      list(weight, function(L) weight * L %*% solve(L + n * 0.01 * diag(n)) / n)
    )
    list(numerator = by_response[[sample(3L, 1L)]], denominator = by_response[[sample(3L, 1L)]],
         more = sample(c(TRUE, FALSE), 3L, TRUE), weight = stats::runif(1L))
  })
}

test_that("terms of the response solve the problem as it is written, in memory and by features", {
  for (i in 1:12) {
    d <- uneven_rows(seed = i)
    n <- d$n
    drawn <- drawn_sides(i, n)
    classes <- i %% 2 == 0
    y <- if (classes) d$y else d$number
    H <- diag(n) - 1 / n
    L <- H %*% (if (classes) tcrossprod(one_hot(d$y)) else rbf(d$number, 1)) %*% H
    terms <- list(numerator = list(response = drawn$numerator[[1L]]),
                  denominator = list(norm = 1, ridge = 0.1))
    N <- drawn$numerator[[2L]](L)
    D <- matrix(0, n, n)
    if (drawn$more[1L]) {
      terms$numerator$domains <- drawn$weight
      N <- N + drawn$weight * naive_q(d$domain)
    }
    if (drawn$more[2L]) {
      terms$denominator$response <- drawn$denominator[[1L]]
      D <- drawn$denominator[[2L]](L)
    }
    if (drawn$more[3L]) {
      terms$denominator$variance <- drawn$weight
      D <- D + drawn$weight * H / n
    }
    projection <- response_projection(function(args) terms)
    for (map in list(features_exact(), features_nystrom(15, "uniform"), features_rff(9))) {
      model <- with_seed(i, projection(d$X, y, d$domain, kernel = kernel_rbf(uneven_sigma),
                                       kernel_y = if (!classes) kernel_rbf(1), scale = "none",
                                       feature_map = map))
      Z <- naive_centred(uneven_features(model, d, inherits(map, "features_exact"))$Z)
      s <- svd(Z)
      kept <- which(s$d > 1e-7 * s$d[1])
      Z <- s$u[, kept] %*% diag(s$d[kept])
      # scores Za: f = K b = Z (Z'b), |f|^2 = |a|^2, |b|^2 = a' (Z'Z)^-1 a
      D_of <- crossprod(Z, D %*% Z) + diag(length(kept)) + 0.1 * diag(1 / s$d[kept]^2, length(kept))
      expect_solves(model, solved_in(Z, crossprod(Z, N %*% Z), D_of, 2L))
    }
  }
})

test_that("HSIC's components are those of supervised principal components (Barshan et al. 2011)", {
  d <- uneven_rows()
  supervised <- response_projection(function(args) {
    list(numerator = list(response = function(s, n) s), denominator = c(norm = 1))
  })
  # maximise tr(B'KHK_yHKB) with B'KB = I, by eigen() of K^1/2 H K_y H K^1/2, K centred
  K <- naive_centre(rbf(d$X, uneven_sigma))
  L <- naive_centre(rbf(d$number, 1))
  e <- eigen(K, symmetric = TRUE)
  half <- e$vectors %*% (sqrt(pmax(e$values, 0)) * t(e$vectors))
  found <- eigen(half %*% L %*% half, symmetric = TRUE)
  model <- supervised(d$X, d$number, kernel = kernel_rbf(uneven_sigma), kernel_y = kernel_rbf(1),
                      scale = "none", ncomp = 3)
  expect_equal(unname(model$values), found$values[1:3], tolerance = 1e-8)
  expect_lt(score_gap(model$scores, half %*% found$vectors[, 1:3]), 1e-6)
  # by sums of features, of rows in memory and of a source
  data <- data.frame(d$X, y = d$number, domain = d$domain)
  fit_to <- function(data) {
    as_in <- if (is.data.frame(data)) as_in_source else in_source
    as_in(1, supervised(y ~ x1 + x2 + x3 | domain, data = data, kernel = kernel_rbf(uneven_sigma),
                        kernel_y = kernel_rbf(1), feature_map = features_nystrom(12)))
  }
  memory <- fit_to(data)
  source <- fit_to(row_source(write_files(data, 3)))
  expect_equal(source$values, memory$values, tolerance = 1e-8)
  expect_lt(score_gap(predict(source, data), predict(memory, data)), 1e-6)
})

test_that("terms that cannot be are errors that name them", {
  d <- uneven_rows()
  ask <- function(terms, ...) {
    response_projection(function(args) terms)(d$X, d$number, d$domain, ...)
  }
  norm <- c(norm = 1)
  expect_domgen_error(ask(list(numerator = c(varaince = 1), denominator = norm)),
                      "`numerator` of the `terms` of `by_response\\(\\)` must have terms by name.*`varaince`")
  expect_domgen_error(ask(list(numerator = norm, denominator = norm)), "it has `norm`")
  expect_domgen_error(ask(list(numerator = 1, denominator = norm)), "it has ``")
  expect_domgen_error(ask(list(numerator = c(variance = -1), denominator = norm)),
                      "`variance` must be one non-negative number, not")
  expect_domgen_error(ask(list(numerator = c(variance = 1))), "`denominator` of the .* it has none")
  expect_domgen_error(ask(c(variance = 1)), "`numerator` of the .* it has none")
  expect_domgen_error(ask(list(numerator = c(between = 1), denominator = norm)), "it has `between`")
  expect_domgen_error(ask(list(numerator = c(within = 1), denominator = norm)), "it has `within`")
  for (wrong in list(function(s, n) -s, function(s, n) "s", function(s, n) 1:1e3)) {
    expect_domgen_error(ask(list(numerator = list(response = wrong), denominator = norm)),
                        "must give a non-negative number for each of the eigenvalues")
  }
  expect_domgen_error(ask(list(numerator = c(response = 1, variance = 1), denominator = norm),
                          form = "published"), "of `response`; it has `variance`")
})

rm(list = intersect("by_response", ls(globalenv())), envir = globalenv())
