test_that("an expansion is the features times the coefficients", {
  s <- toy_pairs(120)
  A <- matrix(cos(1:60), 20)
  for (domain_kernel in three_domain_kernels()) {
    fitted <- represent(features_nystrom(20), kernel_rbf(1), domain_kernel, s, 2L)
    expect_equal(space_expansion(fitted, s, A), rows_of(fitted, s) %*% A,
                 tolerance = 1e-13)
  }
  expect_identical(space_expansion(fitted, list(X = s$X[0L, ], domain = s$domain[0L]), A),
                   matrix(0, 0, 3))
  expect_identical(dim(space_rows(fitted, list(X = s$X[0L, ], domain = s$domain[0L]))),
                   c(0L, 20L))
})

test_that("a kernel that is evaluated in R has the features of the same compiled kernel", {
  s <- toy_pairs(4200, p = 2)
  custom <- kernel_custom(function(x, z) (1 + tcrossprod(x, z))^2)
  response <- s$X
  labelled <- rep_len(c(1, 0, 2), 4200)
  moments <- lapply(list(custom, kernel_poly(2)), function(kernel) {
    set.seed(3)
    fitted <- represent(features_nystrom(6, "uniform"), kernel, domain_multitask(0.5), s, 2L)
    feature_moments(fitted, s$X, s$domain, as.integer(s$domain), 4L, response, labelled, 2L)
  })
  expect_moments(moments[[1]], moments[[2]], 1e-9)
  set.seed(3)
  fitted <- fit_map(features_nystrom(5), kernel_rbf(1) + custom, toy_pairs(400, p = 2))
  K <- kernel_matrix(kernel_rbf(1) + kernel_poly(2), fitted$map$landmarks)
  expect_equal(tcrossprod(space_rows(fitted,
                                       list(X = fitted$map$landmarks, domain = s$domain[1:5]))), K)
  expect_equal(space_expansion(fitted, s, diag(5)), rows_of(fitted, s))
})

test_that("moments are those of the features, whatever the block and the number of threads", {
  s <- toy_pairs(450)
  response <- cbind(s$X[, 1]^2, cos(1:450), 1)
  labelled <- rep_len(c(1, 0, 0, 1, 1, 0.5), 450)
  cells <- rep_len(c(1L, 5L, 3L, 2L), 450)
  maps <- list(
    represent(features_nystrom(40), kernel_laplace(2), domain_multitask(0.3), s, 2L),
    fit_map(features_rff(33), kernel_rbf(1), s)
  )
  for (fitted in maps) {
    Z <- rows_of(fitted, s)
    naive <- naive_moments(Z, cells, 5L, response, labelled)
    table <- own_table(fitted, s)
    program <- feature_program(fitted$map, s$X, table)
    codes <- as.integer(s$domain)
    for (block in c(0L, 1L, 37L, 64L, 449L)) {
      ours <- feature_moments_(program, s$X, codes, cells, 5L, response, labelled, 2L, TRUE, block)
      expect_moments(ours, naive)
      expect_lt(max(abs(feature_rows_(program, s$X, codes, 1L, block) - Z)), 1e-11)
    }
    expect_moments(feature_moments(fitted, s$X, s$domain, cells, 5L, response, labelled, 1L), naive)
    bare <- feature_moments(fitted, s$X, s$domain, cells, 5L, threads = 2L)
    expect_moments(bare, naive_moments(Z, cells, 5L))
    expect_identical(bare$second, t(bare$second))
    expect_equal(feature_means(fitted, s),
                 unname(apply(Z, 2, tapply, s$domain, mean)), tolerance = 1e-12)
  }
})

test_that("moments of several blocks add up", {
  s <- toy_pairs(5000, p = 2)
  fitted <- fit_map(features_rff(20), kernel_rbf(1), s)
  naive <- naive_moments(rows_of(fitted, s), as.integer(s$domain), 4L)
  one <- feature_moments(fitted, s$X, s$domain, as.integer(s$domain), 4L, threads = 1L)
  two <- feature_moments(fitted, s$X, s$domain, as.integer(s$domain), 4L, threads = 2L)
  expect_moments(one, naive)
  expect_moments(one, two, 1e-14)
})

test_that("the moments of a product map are those of its features", {
  s <- toy_pairs(600)
  fitted <- fit_map(features_nystrom(15), kernel_rbf(1), s)
  codes <- as.integer(s$domain)
  table <- matrix(cos(1:15), 3)  # of five domains, one of them without rows
  wanted <- list(cells = rep_len(c(1L, 5L, 3L, 2L), 600), n_cells = 6L, response = s$X[, 1:2],
                 labelled = rep_len(c(1, 0, 0.5), 600), second = TRUE)
  naive <- naive_moments(naive_tensor(rows_of(fitted, s), table, codes), wanted$cells, 6L,
                         wanted$response, wanted$labelled)
  program <- list(type = "product", x = feature_program(fitted$map, s$X), table = table)
  expect_moments(feature_moments_(program, s$X, codes, wanted$cells, 6L, wanted$response,
                                  wanted$labelled, 2L, TRUE), naive)
  tensor <- fitted
  tensor$map <- structure(list(x = fitted$map), class = "product_map")
  tensor$dim <- 45
  expect_moments(moments_of(tensor, list(X = s$X, domain = codes), table, wanted), naive)
  # so many coordinates that the domains come one at a time
  tensor$dim <- 3 * 2^12
  expect_moments(moments_of(tensor, list(X = s$X, domain = codes), table, wanted), naive)
  W <- matrix(sin(1:90), 45)
  expect_equal(feature_apply_(program, s$X, codes, W, 2L),
               naive_tensor(rows_of(fitted, s), table, codes) %*% W, tolerance = 1e-12)
})

test_that("a seed reproduces a map, and random numbers do not depend on threads", {
  s <- toy_pairs(500)
  maps <- c(lapply(three_samplings, function(sampling) features_nystrom(30, sampling)),
            list(features_rff(30), features_rff(30, FALSE)))
  for (features in maps) {
    fits <- lapply(c(1L, 2L), function(threads) {
      set.seed(4)
      fitted <- represent(features, kernel_rbf(1), domain_pooled(), s, threads)
      list(map = fitted$map[setdiff(names(fitted$map), "kernel")], after = runif(1))
    })
    expect_identical(fits[[1]], fits[[2]])
    expect_false(identical(represent(features, kernel_rbf(1), domain_pooled(), s, 1L)$map,
                           represent(features, kernel_rbf(1), domain_pooled(), s, 1L)$map))
  }
})

test_that("a fit keeps nothing of the size of the training data", {
  bytes <- function(n, features, domain_kernel) {
    fitted <- represent(features, kernel_rbf(1), domain_kernel, toy_pairs(n), 2L)
    length(serialize(without_seen(fitted), NULL))
  }
  for (domain_kernel in three_domain_kernels()) {
    expect_lt(abs(bytes(8000, features_nystrom(20), domain_kernel) -
                    bytes(400, features_nystrom(20), domain_kernel)), 500)
  }
  expect_lt(abs(bytes(8000, features_rff(20), domain_pooled()) -
                  bytes(400, features_rff(20), domain_pooled())), 500)
})

test_that("one predictor and one new row are enough", {
  s <- toy_pairs(50, p = 1)
  maps <- list(features_nystrom(1), features_nystrom(10), features_rff(1), features_rff(7))
  for (features in maps) {
    fitted <- fit_map(features, kernel_rbf(1), s)
    Z <- rows_of(fitted, s)
    expect_equal(dim(Z), c(50, fitted$dim))
    one <- space_rows(fitted, list(X = s$X[9, , drop = FALSE], domain = s$domain[9]))
    expect_lt(max(abs(one - Z[9, ])), 1e-12)
  }
})

test_that("feature maps print what they are", {
  expect_identical(format(features_exact()), "exact (Gram matrix)")
  expect_output(print(features_nystrom(1500, "kmeans")),
                "features: Nystrom, 1,500 landmarks by k-means", fixed = TRUE)
  expect_identical(format(features_nystrom(1)), "Nystrom, 1 landmark by randomly pivoted Cholesky")
  expect_identical(format(features_rff()), "random Fourier, 250 orthogonal frequencies")
  expect_identical(format(features_rff(1, FALSE)), "random Fourier, 1 frequency")
})

test_that("wrong feature maps are refused", {
  s <- toy_pairs(30)
  fit <- function(features, kernel = kernel_rbf(1), domain_kernel = domain_pooled(), X = s$X) {
    represent(features, kernel, domain_kernel, list(X = X, domain = s$domain), 2L)
  }
  moments <- function(fitted) feature_moments(fitted, s$X, s$domain, rep(1L, 30), 1L, threads = 2L)
  expect_refusals({
    features_nystrom(0)
    features_nystrom(2.5)
    features_nystrom(sampling = "leverage")
    features_rff(-1)
    features_rff(orthogonal = NA)
    check_feature_map("nystrom", "features")
    fit(features_rff(10), kernel_poly(2))
    fit(features_rff(10), kernel_rbf(1) + kernel_linear())
    fit(features_rff(10), domain_kernel = domain_multitask(0.5))
    fit(features_rff(10), kernel_rbf(c(1, 2)))
    fit(features_nystrom(5), kernel_linear(), X = s$X * 1e200)
    fit(features_nystrom(30), kernel_linear(), X = s$X * 1e200)
    fit(features_nystrom(5), kernel_linear(), X = s$X * 0)
    space_rows(fit(features_rff(3)), list(X = s$X * 1e308, domain = s$domain))
    space_expansion(suppressWarnings(fit(features_nystrom(30), kernel_linear())),
                      list(X = s$X * 1e308, domain = s$domain), matrix(1e10, 3))
  })
  old <- options(domgen.memory_limit = 1e5)
  on.exit(options(old))
  expect_domgen_error(moments(fit(features_rff(100))), "200 features", "domgen_error_memory")
  expect_domgen_error(rows_of(fit(features_rff(1000)), s), "2,000 features", "domgen_error_memory")
  expect_domgen_error(fit(features_rff(1e9)), "2,000,000,000 features", "domgen_error_memory")
})

test_that("the core refuses feature maps that do not fit together", {
  s <- toy_pairs(30)
  fitted <- represent(features_nystrom(5), kernel_rbf(1), domain_multitask(0.5), s, 2L)
  codes <- as.integer(s$domain)
  table <- own_table(fitted, s)
  program <- feature_program(fitted$map, s$X, table)
  expect_error(feature_rows_(list(type = "sketch"), s$X, codes, 1L), "unknown feature map")
  expect_error(feature_rows_(program, s$X[, 1:2], codes, 1L), "columns")
  expect_error(feature_rows_(program, s$X, NULL, 1L), "`domain` must have 30")
  expect_error(feature_rows_(program, s$X, codes + 9L, 1L), "out of range")
  expect_error(feature_rows_(program, s$X, codes[-1], 1L), "`domain` must have 30")
  expect_error(feature_apply_(program, s$X, codes, diag(4), 1L), "`W` must have")
  expect_error(feature_moments_(program, s$X, codes, codes, 2L, NULL, NULL, 1L, TRUE),
               "out of range")
  expect_error(feature_moments_(program, s$X, codes, codes, 4L, diag(4), NULL, 1L, TRUE),
               "`F` must have 30 rows, not 4")
  expect_error(feature_moments_(program, s$X, codes, codes, 4L, NULL, 1, 1L, TRUE),
               "`labelled` must have 30 values")
  expect_error(feature_moments_(program, s$X, codes, codes, 4L, NULL, rep(-1, 30), 1L, TRUE),
               "`labelled` must be between 0")
  program$factor <- diag(4)
  expect_error(feature_rows_(program, s$X, codes, 1L), "one row and column per landmark")
  fourier <- list(type = "fourier", frequencies = matrix(0, 3, 4), offset = diag(2))
  expect_error(feature_rows_(fourier, s$X, codes, 1L), "do not fit")
})
