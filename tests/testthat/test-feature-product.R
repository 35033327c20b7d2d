# Feature maps of kappa(P, P') k(x, x') against the kernel itself.

toy <- toy_domains(5, 20)
X <- as.matrix(toy[-(1:2)])
sample_of <- function(rows = seq_len(nrow(X))) {
  list(X = X[rows, , drop = FALSE], domain = factor(toy$domain[rows]))
}
new <- toy_domains(3, 12, seed = 8)
new_X <- as.matrix(new[-(1:2)])
new_domain <- factor(paste("new", new$domain))

many <- features_nystrom(1000)
map_of <- function(features, domain_kernel, kernel = kernel_rbf(1.5), sample = sample_of()) {
  represent(features, kernel, domain_kernel, sample, 2L)
}
full_map <- function(domain_kernel, ...) {
  # more landmarks than rows: of which a warning tells
  suppressWarnings(map_of(features_product(x = many, rank = 100, embedding = many), domain_kernel,
                          ...), classes = "domgen_warning_rank")
}

# kappa and K as their formulas say
squared <- function(A, B) outer(rowSums(A^2), rowSums(B^2), "+") - 2 * tcrossprod(A, B)
rbf_between <- function(A, B, sigma) exp(-squared(A, B) / (2 * sigma^2))
means_between <- function(A, da, B, db, sigma) {
  average <- function(d) sweep(outer(d, levels(d), "==") + 0, 2, tabulate(d), "/")
  t(average(da)) %*% rbf_between(A, B, sigma) %*% average(db)
}
naive_kappa <- function(A, da, B, db, sigma, outer_sigma) {
  norm <- function(A, d) diag(means_between(A, d, A, d, sigma))
  distance <- outer(norm(A, da), norm(B, db), "+") - 2 * means_between(A, da, B, db, sigma)
  exp(-distance / (2 * outer_sigma^2))
}
expect_close <- function(value, expected, within) {
  testthat::expect_identical(dim(value), dim(expected))
  testthat::expect_lt(max(abs(value - expected)), within)
}
domain <- sample_of()$domain
# an embedding kernel so smooth that the landmarks of training span the new rows too
kappa_train <- naive_kappa(X, domain, X, domain, 8, 0.1)
kappa_new <- naive_kappa(new_X, new_domain, X, domain, 8, 0.1)
product_train <- kappa_train[domain, domain] * rbf_between(X, X, 1.5)
product_new <- kappa_new[new_domain, domain] * rbf_between(new_X, X, 1.5)
distribution <- domain_distribution(kernel_rbf(8), kernel_rbf(0.1))

gram_of <- function(map, X1 = X, d1 = domain, X2 = X, d2 = domain) {
  tcrossprod(space_rows(map, list(X = X1, domain = d1)),
             space_rows(map, list(X = X2, domain = d2)))
}

test_that("the product map of full rank has the product kernel as its inner products", {
  map <- full_map(distribution)
  expect_close(gram_of(map), product_train, 1e-8)
  expect_close(gram_of(map, new_X, new_domain), product_new, 1e-6)
})

test_that("domains that are nearly the same keep the digits of what they differ in", {
  map <- full_map(domain_distribution(kernel_rbf(8), kernel_rbf(3)))
  kappa <- naive_kappa(X, domain, X, domain, 8, 3)
  expect_lt(1 - min(kappa), 0.01)
  expect_close(gram_of(map), kappa[domain, domain] * rbf_between(X, X, 1.5), 2e-8)
})

test_that("the product map works with every domain kernel", {
  K <- rbf_between(X, X, 1.5)
  same <- outer(domain, domain, "==")
  pooled <- full_map(domain_pooled())
  expect_close(gram_of(pooled), K, 1e-8)
  expect_equal(ncol(space_rows(pooled, list(X = X[1:3, ], domain = domain[1:3]))), pooled$dim)

  multitask <- full_map(domain_multitask(0.3))
  expect_close(gram_of(multitask), ifelse(same, 1, 0.3) * K, 1e-8)
  expect_close(gram_of(multitask, new_X, new_domain), 0.3 * rbf_between(new_X, X, 1.5), 1e-8)

  linear <- full_map(domain_distribution(kernel_rbf(1), kernel_linear()))
  kappa <- means_between(X, domain, X, domain, 1)
  expect_close(gram_of(linear), kappa[domain, domain] * K, 1e-8)
})

test_that("a kernel evaluated in R has the same map, in chunks of rows", {
  rows <- rep(seq_len(nrow(X)), length.out = 2100)
  own <- kernel_custom(function(x, z) rbf_between(x, z, 1.5))
  features <- features_product(x = features_nystrom(20, "uniform"), rank = 3)
  maps <- lapply(list(kernel_rbf(1.5), own), function(kernel) {
    set.seed(3)
    map_of(features, distribution, kernel)
  })
  # pivots of equal size may come in another order: the coordinates are compared by products
  new_rows <- lapply(maps, space_rows, list(X = X[rows, ], domain = domain[rows]))
  few <- lapply(new_rows, function(Z) Z[2000:2100, ])
  expect_close(tcrossprod(few[[2]], new_rows[[2]]), tcrossprod(few[[1]], new_rows[[1]]), 1e-8)
})

test_that("the coordinates are those of z_P, and within each those of z_x", {
  set.seed(1)
  map <- map_of(features_product(x = features_nystrom(7), rank = 2, embedding = many), distribution)
  chosen <- map$map$domains
  L <- t(chol(kappa_train[chosen, chosen]))
  z_domain <- forwardsolve(L, t(kappa_new[, chosen]))
  landmarks <- map$map$x$landmarks
  z_x <- forwardsolve(t(chol(rbf_between(landmarks, landmarks, 1.5))),
                      rbf_between(landmarks, new_X, 1.5))
  expected <- sapply(seq_len(nrow(new_X)), function(i) {
    kronecker(z_domain[, as.integer(new_domain)[i]], z_x[, i])
  })
  expect_close(space_rows(map, list(X = new_X, domain = new_domain)), t(expected), 1e-5)
  expect_equal(map$dim, 14)
})

test_that("landmark domains are those that leave least, and the default rank leaves 0.1%", {
  map <- full_map(distribution)$map
  left <- kappa_train
  for (s in map$domains) {
    expect_gte(left[s, s], max(diag(left)) - 1e-8)
    left <- left - tcrossprod(left[, s]) / left[s, s]
  }
  default <- map_of(features_product(), distribution)$map
  share <- function(s) {
    chosen <- map$domains[seq_len(s)]
    W <- kappa_train[chosen, chosen, drop = FALSE]
    1 - sum(kappa_train[, chosen] * t(solve(W, kappa_train[chosen, ]))) / sum(diag(kappa_train))
  }
  s <- length(default$domains)
  expect_lte(share(s), 0.001 + 1e-8)
  expect_gt(share(s - 1L), 0.001)
  expect_equal(default$left, share(s), tolerance = 1e-6)
})

test_that("a rank is cut at what there is, and a default rank that is too small is told of", {
  map <- map_of(features_product(rank = 40), distribution)
  expect_lte(length(map$map$domains), 5L)
  wide <- toy_domains(30, 5)
  sample <- list(X = as.matrix(wide[-(1:2)]), domain = wide$domain)
  features <- features_product(x = features_rff(150))
  expect_warning(map <- map_of(features, domain_multitask(0.1), sample = sample),
                 "rank = 30", class = "domgen_warning_rank")
  expect_identical(length(map$map$domains), 10L)
  features <- features_product(x = features_rff(150), rank = 30)
  expect_no_warning(map <- map_of(features, domain_multitask(0.1), sample = sample))
  expect_equal(map$dim, 9000)
})

fourier_error <- function(D, orthogonal, embedding = NULL) {
  features <- features_product("fourier", n_features = D, orthogonal = orthogonal,
                               embedding = embedding)
  mean(sapply(1:5, function(seed) {
    set.seed(seed)
    sqrt(mean((gram_of(map_of(features, distribution), new_X, new_domain) - product_new)^2))
  }))
}

test_that("the second stage comes closer to the product kernel as 1 / sqrt(frequencies)", {
  for (orthogonal in c(FALSE, TRUE)) {
    errors <- sapply(c(30, 300, 3000), fourier_error, orthogonal, embedding = many)
    expect_lt(errors[3], 0.02)
    expect_equal(errors[-1] / errors[-3], rep(1 / sqrt(10), 2), tolerance = 0.4)
  }
})

test_that("both stages together come closer to the product kernel with more frequencies", {
  errors <- sapply(c(10, 40, 160), function(D) {
    fourier_error(D, orthogonal = FALSE, embedding = features_rff(D, orthogonal = FALSE))
  })
  expect_equal(errors[-1] / errors[-3], c(1 / 2, 1 / 2), tolerance = 0.4)
})

test_that("the Fourier map is the formula of its two stages", {
  set.seed(2)
  features <- features_product("fourier", n_features = 30, embedding = features_rff(20))
  map <- map_of(features, distribution)
  w <- map$domain_kernel$map$map$frequencies
  angles <- sweep(new_X, 2, map$domain_kernel$map$map$centre) %*% w
  first <- cbind(cos(angles), sin(angles)) / sqrt(20)
  embedding <- rowsum(first, as.integer(new_domain)) / tabulate(new_domain)
  u <- cbind(sweep(new_X, 2, map$map$centre),
             sweep(embedding, 2, map$map$domain_centre)[new_domain, ])
  phase <- u %*% rbind(map$map$frequencies, map$map$domain_frequencies)
  expect_close(space_rows(map, list(X = new_X, domain = new_domain)),
               cbind(cos(phase), sin(phase)) / sqrt(30),
               1e-10)
})

test_that("the Fourier map takes quantiles for mean embeddings", {
  set.seed(6)
  map <- map_of(features_product("fourier", n_features = 5000), domain_wasserstein(kernel_rbf(1), 7))
  quantiles <- function(X, domain) {
    t(vapply(split(seq_along(domain), domain), function(i) {
      c(apply(X[i, ], 2, stats::quantile, (1:7 - 0.5) / 7))
    }, numeric(21))) / sqrt(7)
  }
  known <- quantiles(X, domain)
  unseen <- quantiles(new_X, new_domain)
  kappa <- rbf_between(unseen, known, 1)
  expect_gt(diff(range(kappa)), 0.2)
  expect_lt(max(abs(gram_of(map, new_X, new_domain) -
                      kappa[new_domain, domain] * rbf_between(new_X, X, 1.5))), 0.1)
  expect_null(map$domain_kernel$X)
})

test_that("one bandwidth per predictor reaches the frequencies", {
  set.seed(4)
  sigma <- c(0.5, 2, 5)
  map <- map_of(features_product("fourier", n_features = 5000, orthogonal = FALSE), distribution,
                kernel_rbf(sigma))
  scaled <- sweep(X, 2, sigma, "/")
  expected <- kappa_train[domain, domain] * rbf_between(scaled, scaled, 1)
  expect_lt(max(abs(gram_of(map) - expected)), 0.1)
})

test_that("an embedding by landmarks makes the first stage exact", {
  set.seed(5)
  features <- features_product("fourier", n_features = 10, embedding = many)
  map <- map_of(features, domain_distribution(kernel_poly(2), kernel_rbf()))
  expect_equal(unname(tcrossprod(map$domain_kernel$coordinates)),
               unname(domain_gram(X, domain, kernel_poly(2))), tolerance = 1e-7)
  expect_equal(map$domain_kernel$embedding_kernel$bandwidth, median_bandwidth(map$domain_kernel$coordinates),
               tolerance = 1e-10)
})

both <- list(
  product = features_product(x = features_nystrom(15), rank = 3, embedding = features_nystrom(30)),
  fourier = features_product("fourier", n_features = 25)
)

for (type in names(both)) {
  test_that(paste("a domain is judged by its rows or by `reference`:", type), {
    set.seed(6)
    map <- map_of(both[[type]], distribution)
    whole <- space_rows(map, list(X = new_X, domain = new_domain))
    some <- c(30, 2, 17)
    reference <- list(X = new_X, domain = as.character(new_domain))
    expect_equal(space_rows(map,
                              list(X = new_X[some, ], domain = factor(new_domain[some]),
                                   reference = reference)),
                 whole[some, ], tolerance = 1e-12)
    order <- sample(nrow(new_X))
    expect_equal(space_rows(map, list(X = new_X[order, ], domain = new_domain[order])),
                 whole[order, ],
                 tolerance = 1e-12)
  })

  test_that(paste("expansions and moments are those of the features:", type), {
    set.seed(6)
    map <- map_of(both[[type]], distribution)
    Z <- space_rows(map, list(X = X, domain = domain))
    W <- matrix(rnorm(2 * map$dim), map$dim)
    expect_equal(space_expansion(map, list(X = X, domain = domain), W), Z %*% W,
                 tolerance = 1e-10)
    F <- cbind(X[, 1], 1)
    moments <- feature_moments(map, X, domain, as.integer(domain), 5L, F, threads = 2L)
    expect_equal(moments$second, crossprod(Z), tolerance = 1e-10)
    expect_equal(moments$sums, t(rowsum(Z, domain)), tolerance = 1e-10, ignore_attr = TRUE)
    expect_equal(moments$cross, crossprod(Z, F), tolerance = 1e-10, ignore_attr = TRUE)
  })

  test_that(paste("what is random is drawn once, from the seed, and stored:", type), {
    fitted <- function() {
      set.seed(7)
      map_of(both[[type]], distribution)
    }
    map <- fitted()
    before <- .Random.seed
    Z <- space_rows(map, list(X = new_X, domain = new_domain))
    expect_identical(.Random.seed, before)
    expect_identical(space_rows(fitted(), list(X = new_X, domain = new_domain)), Z)
    map$threads <- 1L
    expect_equal(space_rows(map, list(X = new_X, domain = new_domain)), Z, tolerance = 1e-12)
    set.seed(8)
    expect_false(isTRUE(all.equal(space_rows(map_of(both[[type]], distribution),
                                               list(X = new_X, domain = new_domain)), Z)))
    file <- tempfile(fileext = ".rds")
    saveRDS(map, file)
    expect_identical(space_rows(readRDS(file), list(X = new_X, domain = new_domain)), Z)
  })

  test_that(paste("the fit does not grow with the rows:", type), {
    size <- function(times) {
      set.seed(9)
      rows <- rep(seq_len(nrow(X)), times)
      sample <- list(X = X[rows, ] + rnorm(length(rows), 0, 0.1), domain = domain[rows])
      length(serialize(map_of(both[[type]], distribution, sample = sample), NULL))
    }
    # other rows may need a few landmarks more
    expect_equal(size(40), size(2), tolerance = if (type == "product") 0.2 else 0.01)
  })
}

test_that("product maps print what they are made of", {
  expect_snapshot_output({
    print(features_product())
    print(features_product(x = features_rff(100), rank = 4, embedding = features_rff(50)))
    print(features_product("fourier", n_features = 100, orthogonal = FALSE))
  })
})

# A domain kernel of somebody's own: Gaussian, of what it does not say.
no_coordinates <- function() {
  structure(list(embedding_kernel = kernel_rbf()), class = c("domain_mine", "domgen_domain_kernel"))
}
registerS3method("domain_kernel_fit", "domain_mine", function(kernel, rows, features = NULL) kernel,
                 asNamespace("domgen"))
registerS3method("format", "domain_mine", function(x, ...) "a kernel of my own")

test_that("wrong arguments and kernels are refused", {
  fourier <- features_product("fourier")
  expect_refusals({
    features_product("nystrom")
    features_product(x = features_exact())
    features_product(x = 50)
    features_product(rank = 0)
    features_product(embedding = features_product())
    features_product(n_features = 100)
    features_product("fourier", rank = 5)
    features_product("fourier", x = features_rff())
    features_product("fourier", n_features = 0)
    map_of(fourier, distribution, kernel_laplace())
    map_of(fourier, domain_pooled())
    map_of(fourier, domain_multitask(0.5))
    map_of(fourier, domain_distribution(embedding_kernel = kernel_laplace()))
    map_of(fourier, domain_wasserstein(kernel_cauchy()))
    map_of(fourier, no_coordinates())
    map_of(fourier, domain_distribution(kernel_linear()))
    map_of(features_product(), domain_distribution(kernel_rbf(), kernel_poly(1, 0, 0)))
  })
})

test_that("a number of landmarks is a maximum, which is missed aloud where they were drawn", {
  few <- list(X = X[1:20, ], domain = factor(toy$domain[1:20]))
  distribution <- domain_distribution(kernel_rbf(1), kernel_rbf(1))
  for (quiet in list(features_nystrom(), features_nystrom(200), features_product(rank = 2),
                     features_product(rank = 2, x = features_nystrom(50)))) {
    expect_no_warning(map_of(quiet, distribution, sample = few))
  }
  drawn <- function(q) features_nystrom(q, "uniform")
  for (loud in list(drawn(200), features_product(x = drawn(50), rank = 2))) {
    expect_warning(map_of(loud, distribution, sample = few), "n_landmarks",
                   class = "domgen_warning_rank")
  }
})
