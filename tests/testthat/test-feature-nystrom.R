test_that("with a landmark at every row the features have the Gram matrix", {
  s <- toy_pairs(90)
  kernels <- list(kernel_laplace(2), kernel_rbf(0.7) + kernel_delta(),
                  kernel_matern(c(0.5, 1, 2)) * kernel_poly(2))
  for (kernel in kernels) {
    for (domain_kernel in three_domain_kernels()) {
      exact <- represent(features_exact(), kernel, domain_kernel, s, 2L)
      for (sampling in three_samplings) {
        fitted <- represent(features_nystrom(90, sampling), kernel, domain_kernel, s, 2L)
        expect_identical(fitted$dim, 90L)
        expect_lt(max(abs(tcrossprod(rows_of(fitted, s)) - space_gram(exact))), 1e-10)
      }
    }
  }
})

test_that("with fewer landmarks they have Nystrom's approximation of it", {
  s <- toy_pairs(200)
  new <- toy_pairs(80, seed = 2)
  for (domain_kernel in three_domain_kernels()) {
    for (sampling in three_samplings) {
      fitted <- represent(features_nystrom(30, sampling), kernel_laplace(2), domain_kernel, s, 2L)
      S <- fitted$map$landmarks
      kappa <- fitted$domain_kernel$kappa
      W <- naive_product(fitted$kernel, kappa, S, S, fitted$map$domain)
      table <- unname(domain_kappa(fitted$domain_kernel,
                                   list(X = new$X, domain = new$domain, threads = 2L)))
      cross <- naive_product(fitted$kernel, table, new$X, S, as.integer(new$domain),
                             fitted$map$domain)
      expect_identical(dim(S), c(30L, 3L))
      expect_lt(max(abs(tcrossprod(rows_of(fitted, new)) - naive_nystrom(cross, W))), 1e-12)
      if (sampling != "kmeans") expect_true(all(duplicated(rbind(s$X, S))[201:230]))
    }
  }
})

test_that("the pivots' own factor gives the features of the rows they are drawn from", {
  s <- toy_pairs(200)
  W <- matrix(sin(1:60), 30)
  for (kernel in list(kernel_laplace(2), kernel_rbf(0.7) + kernel_linear())) {
    for (domain_kernel in three_domain_kernels()) {
      space <- represent(features_nystrom(30), kernel, domain_kernel, s, 2L)
      plain <- without_seen(space)
      table <- own_table(plain, s)
      near <- rounding_of_features(space$map) * 10
      Z <- features_at(plain, s, table)
      expect_equal(t(seen_features(space, s)), Z, tolerance = near)
      expect_equal(features_at(space, s, table), Z, tolerance = near)
      expect_equal(expand_rows(space, s, table, W), expand_rows(plain, s, table, W),
                   tolerance = near)
      wanted <- list(cells = as.integer(s$domain), n_cells = nlevels(s$domain), second = TRUE,
                     response = W[rep(1:20, 10), ])
      expect_equal(moments_of(space, s, table, wanted), moments_of(plain, s, table, wanted),
                   tolerance = near)
      # of other rows, or the same in another order, nothing is known
      expect_null(seen_features(plain, s))
      expect_null(seen_features(space, rows_at(s, 1:100)))
      expect_null(seen_features(space, rows_at(s, 200:1)))
      moved <- replace(s, "domain", list(rev(s$domain)))
      pooled <- inherits(domain_kernel, "domain_pooled")
      expect_identical(is.null(seen_features(space, moved)), !pooled)
    }
  }
})

test_that("what is known of the training rows while a model is fitted is not kept", {
  toy <- toy_domains(4, 30)
  toy$class <- factor(toy$y > stats::median(toy$y))
  map <- features_nystrom(20)
  between <- domain_distribution()
  models <- list(
    dg_ridge(y ~ . | domain, data = toy[1:5], feature_map = map, domain_kernel = between),
    dg_svm(y ~ . | domain, data = toy[1:5], feature_map = map),
    dg_gp(y ~ . | domain, data = toy[1:5], feature_map = map),
    dg_glm(class ~ x1 + x2 | domain, data = toy, feature_map = map),
    dg_dica(y ~ . | domain, data = toy[1:5], feature_map = map, domain_kernel = between),
    dg_cv(dg_ridge(feature_map = map), y ~ . | domain, data = toy[1:5]),
    dg_tune(dg_pipeline(dg_kpca(feature_map = map), dg_ridge(feature_map = map)), y ~ . | domain,
            data = toy[1:5], grid = data.frame(ncomp = 1:2)),
    feature_sums(y ~ . | domain, data = toy[1:5], feature_map = map)
  )
  spaces <- function(x) {
    own <- if (inherits(x, "feature_space")) list(x)
    if (is.list(x)) c(own, do.call(c, lapply(unclass(x), spaces))) else own
  }
  for (model in models) {
    for (space in spaces(model)) expect_null(space$seen)
  }
  expect_length(spaces(models[[1]]), 2)
})

test_that("randomly pivoted Cholesky draws by what is left of the diagonal", {
  y <- matrix(c(0, 0.3, 1, 2.5, 2.6))
  kernel <- kernel_rbf(1) * kernel_poly(1, 0.3, 1)
  K <- kernel_matrix(kernel, y)
  expected <- matrix(0, 5, 5)
  for (i in 1:5) {
    left <- pmax(diag(K) - K[, i]^2 / K[i, i], 0)
    expected[i, ] <- diag(K)[i] / sum(diag(K)) * left / sum(left)
  }
  set.seed(7)
  program <- kernel_program(kernel, y, y)
  two <- function() feature_pivots_(program, y, NULL, NULL, 2L, negligible, 0, FALSE, 0L, 1L)$rows
  draws <- replicate(6000, two())
  observed <- table(factor(draws[1, ], 1:5), factor(draws[2, ], 1:5)) / 6000
  z <- (observed - expected) / sqrt(pmax(expected * (1 - expected), 1e-12) / 6000)
  expect_lt(max(abs(z[expected > 1e-12])), 4)
  expect_true(all(observed[expected < 1e-12] == 0))
})

test_that("randomly pivoted Cholesky weighs by the domain kernel and stops when nothing is left", {
  s <- toy_pairs(300)
  kappa <- diag(c(1, 1e-9, 1, 1e-9))
  program <- kernel_program(kernel_laplace(1), s$X, s$X)
  codes <- as.integer(s$domain)
  set.seed(1)
  rows <- feature_pivots_(program, s$X, kappa, codes, 60L, negligible, 0, FALSE, 0L, 2L)$rows
  expect_identical(anyDuplicated(rows), 0L)
  expect_true(all(codes[rows] %in% c(1L, 3L)))
  twice <- rbind(s$X[1:20, ], s$X[1:20, ])
  program <- kernel_program(kernel_laplace(1), twice, twice)
  rows <- feature_pivots_(program, twice, NULL, NULL, 30L, negligible, 0, FALSE, 0L, 2L)$rows
  expect_identical(sort((rows - 1L) %% 20L), 0:19)
})

test_that("no landmark is kept where rounding exceeds what it adds", {
  s <- toy_pairs(400, p = 1)
  for (sampling in three_samplings) {
    fit <- function() {
      represent(features_nystrom(60, sampling), kernel_rbf(2), domain_pooled(), s, 2L)
    }
    # of landmarks that are drawn without looking at what they add
    if (sampling == "uniform") expect_warning(fitted <- fit(), class = "domgen_warning_rank")
    else expect_no_warning(fitted <- fit())
    kept <- diag(fitted$map$factor)
    expect_lt(max(kept) / min(kept), .Machine$double.eps^(-1 / 3) + 1)
  }
})

test_that("pivots stop when they leave a millionth of the trace, and not before", {
  s <- toy_pairs(400, p = 2)
  for (kernel in list(kernel_rbf(2), kernel_linear(), kernel_rbf(1) + kernel_linear())) {
    K <- kernel_matrix(kernel, s$X)
    set.seed(1)
    pivots <- draw_pivots(kernel_fit(kernel, s$X), NULL, c(s, threads = 2L), 300,
                          features = TRUE)
    left <- sum(diag(K)) - sum(pivots$features^2)
    expect_lt(length(pivots$rows), 200)
    expect_lt(left, 1e-6 * sum(diag(K)))
    expect_equal(pivots$left, max(left, 0) / 400, tolerance = 1e-3)
    expect_lt(max(abs(crossprod(pivots$features) - K)), 1e-6 * sum(diag(K)))
    # a step adds up to 128 of them: those before the last are not enough
    before <- seq_len(max(length(pivots$rows) - 128, 0))
    if (length(before)) {
      expect_gt(sum(diag(K)) - sum(pivots$features[before, ]^2), 1e-6 * sum(diag(K)))
    }
  }
})

test_that("landmarks by k-means are centres, in every domain when domains count", {
  s <- toy_pairs(200, p = 1, domains = 3)
  s$X <- s$X / 100 + 10 * as.integer(s$domain)
  fit <- function(q, domain_kernel) {
    represent(features_nystrom(q, "kmeans"), kernel_laplace(1), domain_kernel, s, 2L)
  }
  fitted <- fit(20, domain_multitask(0))
  expect_gt(min(tabulate(fitted$map$domain)), 3)
  expect_lt(max(abs(fitted$map$landmarks - 10 * fitted$map$domain)), 0.1)
  # a fixed point: the mean of the rows that are nearest
  S <- fitted$map$landmarks[, 1]
  nearest <- apply(abs(outer(s$X[, 1], S, "-")), 1, which.min)
  expect_equal(as.vector(tapply(s$X, nearest, mean)), S, tolerance = 1e-10)
  means <- as.vector(tapply(s$X, s$domain, mean))
  expect_equal(sort(fit(3, domain_pooled())$map$landmarks), sort(means))
  few <- fit(2, domain_multitask(0))
  expect_equal(few$map$landmarks[, 1], means[few$map$domain])
  # fewer distinct rows than centres
  s$X <- matrix(rep_len(c(1, 2, 5), 200))
  expect_no_warning(fitted <- fit(9, domain_pooled()))
  expect_identical(fitted$dim, 3L)
  expect_equal(tcrossprod(rows_of(fitted, s)), kernel_matrix(kernel_laplace(1), s$X))
})

test_that("k-means sees predictors in units of their bandwidths", {
  set.seed(1)
  s <- list(X = cbind(rep(c(0, 1), 100), rnorm(200, sd = 1e4)), domain = factor(rep("a", 200)))
  fitted <- fit_map(features_nystrom(2, "kmeans"), kernel_rbf(c(0.1, 1e6)), s)
  expect_equal(sort(fitted$map$landmarks[, 1]), c(0, 1))
})

test_that("landmarks that are not independent are dropped, with a warning where they were drawn", {
  s <- toy_pairs(100)
  twice <- list(X = rbind(s$X[1:10, ], s$X[1:10, ]), domain = factor(rep("a", 20)))
  ranks <- list(
    list(kernel_linear(), 3L), list(kernel_poly(2), 10L), list(kernel_linear() + 1, 4L)
  )
  for (case in ranks) {
    expect_no_warning(fitted <- fit_map(features_nystrom(40), case[[1]], s))
    expect_identical(fitted$dim, case[[2]])
    expect_warning(fitted <- fit_map(features_nystrom(40, "uniform"), case[[1]], s),
                   "only .* independent", class = "domgen_warning_rank")
    expect_identical(fitted$dim, case[[2]])
    # in units of the rows' norms: an inner product near 0 has no digits of its own
    K <- kernel_matrix(case[[1]], s$X)
    left <- (tcrossprod(rows_of(fitted, s)) - K) / sqrt(outer(diag(K), diag(K)))
    expect_lt(max(abs(left)), rounding_of_features(fitted$map))
  }
  expect_warning(fitted <- fit_map(features_nystrom(20, "uniform"), kernel_rbf(1), twice),
                 "but only 10", class = "domgen_warning_rank")
  K <- kernel_matrix(kernel_rbf(1), twice$X)
  expect_lt(max(abs(tcrossprod(rows_of(fitted, twice)) - K)), rounding_of_features(fitted$map))
  expect_warning(fitted <- fit_map(features_nystrom(101, "uniform"), kernel_rbf(0.3), s),
                 "`n_landmarks` is 101, but there are only 100 rows: 100 are used.",
                 class = "domgen_warning_rank")
  expect_identical(fitted$dim, 100L)
  labels <- list(X = matrix(rep(c(1, 2, 3), 10)), domain = factor(rep("a", 30)))
  fitted <- fit_map(features_nystrom(30), kernel_delta(), labels)
  expect_equal(tcrossprod(rows_of(fitted, labels)), outer(labels$X[, 1], labels$X[, 1], "==") + 0)
  expect_equal(unname(space_rows(fitted, list(X = matrix(9), domain = factor("a")))),
               matrix(0, 1, 3))
})

test_that("domains are embedded by features of their own kernel", {
  s <- toy_pairs(120)
  new <- toy_pairs(60, domains = 3, seed = 8)
  levels(new$domain) <- c("a", "new", "other")
  fit <- function(outer, features = NULL) {
    domain_kernel_fit(domain_distribution(kernel_rbf(1), outer),
                      list(X = s$X, domain = s$domain, threads = 2L), features)
  }
  kappa_new <- function(fitted) unname(domain_kappa(fitted,
                                                    list(X = new$X, domain = new$domain,
                                                         threads = 2L)))
  outers <- list(kernel_rbf(), kernel_laplace(0.3) + kernel_linear(), kernel_exponential(0.5))
  for (outer in outers) {
    exact <- fit(outer)
    with_all <- fit(outer, features_nystrom(120))
    expect_equal(with_all$kappa, unname(exact$kappa), tolerance = 1e-6)
    expect_null(with_all$X)
    expect_identical(fit(outer, features_exact()), exact)
  }
  # inner products with training domains are exact, and so are kernels of them
  expect_equal(kappa_new(with_all), kappa_new(exact), tolerance = 1e-8)
  # a new domain's norm is that of its projection on the landmarks
  few <- fit(kernel_rbf(0.3), features_nystrom(10))
  projected <- lapply(list(new, s), function(rows) {
    apply(rows_of(few$map, rows), 2, tapply, rows$domain, mean)
  })
  distance <- naive_distance(unname(projected[[1]]), unname(projected[[2]]), 1)
  expect_equal(kappa_new(few), exp(-distance^2 / (2 * 0.3^2)), tolerance = 1e-10)
  set.seed(1)
  fourier <- fit(kernel_rbf(0.5), features_rff(5000))
  expect_lt(max(abs(fourier$kappa - fit(kernel_rbf(0.5))$kappa)), 0.05)
})

test_that("unseen domains and reference rows are judged as with the Gram matrix", {
  s <- toy_pairs(100)
  new <- toy_pairs(40, domains = 3, seed = 8)
  levels(new$domain) <- c("a", "new", "other")
  reference <- toy_pairs(50, domains = 2, seed = 9)
  levels(reference$domain) <- c("new", "unused")
  a <- matrix(sin(1:200), 100)
  for (domain_kernel in list(domain_pooled(), domain_multitask(0.4),
                             domain_distribution(kernel_rbf(1), kernel_exponential(0.5)))) {
    exact <- represent(features_exact(), kernel_laplace(2), domain_kernel, s, 2L)
    fitted <- represent(features_nystrom(100), kernel_laplace(2), domain_kernel, s, 2L)
    # f = sum_i k(., x_i) a_i has the coefficients Z'a
    W <- crossprod(rows_of(fitted, s), a)
    for (further in list(NULL, reference)) {
      expect_equal(space_expansion(fitted,
                                     list(X = new$X, domain = new$domain, reference = further), W),
                   space_expansion(exact,
                                     list(X = new$X, domain = new$domain,
                                          reference = further), a), tolerance = 1e-8)
    }
    expect_equal(space_rows(fitted,
                              list(X = new$X, domain = new$domain, reference = reference)) %*% W,
                 space_expansion(fitted,
                                   list(X = new$X, domain = new$domain,
                                        reference = reference), W), tolerance = 1e-12)
  }
})

test_that("k-means takes as many centres as there are rows, or fewer", {
  d <- data.frame(y = c(1, 3, 2, 5, 4, 7), x = c(1, 2, 4, 7, 9, 13), g = rep(1:2, 3))
  for (q in 4:6) {
    expect_length(fitted(dg_ridge(y ~ x | g, data = d, feature_map = features_nystrom(q, "kmeans"))), 6)
    expect_length(fitted(dg_ridge(y ~ x | g, data = d, feature_map = features_nystrom(q, "kmeans"),
                                  domain_kernel = domain_multitask(0.5))), 6)
  }
})

test_that("the default number of landmarks is a maximum, without a word where rows are fewer", {
  toy <- simulate_dcm(domains = 5, n = 10, seed = 1)
  expect_silent(fitted <- dg_ridge(y ~ . | domain, data = toy, feature_map = features_nystrom()))
  expect_lte(fitted$space$dim, nrow(toy))
  expect_silent(dg_ridge(y ~ . | domain, data = toy, feature_map = features_nystrom(100)))
  expect_warning(dg_ridge(y ~ . | domain, data = toy,
                          feature_map = features_nystrom(100, "uniform")), "is 100",
                 class = "domgen_warning_rank")
})

test_that("a factor that was left out is made again", {
  data <- toy_domains(4, 20)
  model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = data, lambda = 1, intercept = TRUE,
                    domain_kernel = domain_multitask(0.5), feature_map = features_nystrom(30))
  map <- model$space$map
  less <- without_factor(map, model$space$domain_kernel$kappa)
  expect_null(less$factor)
  expect_equal(with_factor(less)$factor, map$factor, tolerance = 1e-8)
  sample <- lodo_sample(model, environment())
  found <- left_out_values(model, sample)
  model$space$map <- less
  expect_equal(left_out_values(model, sample), found, tolerance = 1e-8)
})
