# kernel_precomputed(): the same model as with the kernel that the matrix was made of.

toy <- simulate_dica(domains = 5, n = 25, seed = 1)
X <- as.matrix(toy[paste0("x", 1:5)])
ids <- paste0("row ", seq_len(nrow(X)))
K <- kernel_matrix(kernel_rbf(2), X)
dimnames(K) <- list(ids, ids)
given <- kernel_precomputed(K)
rows <- data.frame(id = ids, y = toy$y, domain = toy$domain)
train <- as.integer(toy$domain) < 5

expect_same_model <- function(spec, domain_kernel) {
  spec <- update(spec, scale = "none")
  known <- update(spec, kernel = kernel_rbf(2), domain_kernel = domain_kernel(kernel_rbf(2)))
  looked <- update(spec, kernel = given, domain_kernel = domain_kernel(given))
  expect_equal(predict(fit(looked, y ~ id | domain, data = rows[train, ]), rows),
               predict(fit(known, y ~ . | domain, data = toy[train, ]), toy), tolerance = 1e-7)
}

test_that("learners and projections are those of the kernel that made the matrix", {
  specs <- list(dg_ridge(lambda = 0.1), dg_svm(cost = 1), dg_dica(),
                dg_gp(signal_sd = 1, noise_sd = 0.3, optimise = FALSE))
  between <- list(function(k) domain_pooled(), function(k) domain_multitask(0.4),
                  function(k) domain_distribution(k, kernel_rbf(0.5)))
  for (spec in specs) for (domain_kernel in between) expect_same_model(spec, domain_kernel)
})

test_that("cross-validation, tuning and chains are too", {
  known <- dg_ridge(scale = "none", lambda = 1, kernel = kernel_rbf(2), domain_kernel = domain_pooled())
  looked <- update(known, kernel = given)
  expect_equal(dg_cv(looked, y ~ id | domain, data = rows)$domains,
               dg_cv(known, y ~ . | domain, data = toy)$domains)
  grid <- list(lambda = 10^(-2:1))
  expect_equal(predict(dg_tune(looked, y ~ id | domain, data = rows, grid = grid), rows),
               predict(dg_tune(known, y ~ . | domain, data = toy, grid = grid), toy))
  behind <- function(kernel) {
    dg_pipeline(dg_dica(scale = "none", kernel = kernel), dg_ridge(lambda = 1, domain_kernel = domain_pooled()))
  }
  expect_equal(predict(fit(behind(given), y ~ id | domain, data = rows), rows),
               predict(fit(behind(kernel_rbf(2)), y ~ . | domain, data = toy), toy), tolerance = 1e-7)
})

test_that("Nystrom features are too, with every sampling that needs no means", {
  for (sampling in c("rpcholesky", "uniform")) {
    model <- function(kernel, formula, data) {
      with_seed(1, dg_ridge(formula, data = data, lambda = 0.1, scale = "none", kernel = kernel,
                            feature_map = features_nystrom(40, sampling), domain_kernel = domain_pooled()))
    }
    expect_equal(predict(model(given, y ~ id | domain, rows), rows),
                 predict(model(kernel_rbf(2), y ~ . | domain, toy), toy), tolerance = 1e-6)
  }
  spec <- dg_ridge(kernel = given, domain_kernel = domain_pooled())
  for (features in list(features_nystrom(9, "kmeans"), features_rff(9))) {
    expect_error(fit(update(spec, feature_map = features), y ~ id | domain, data = rows),
                 class = "domgen_error_argument")
  }
})

test_that("kernels beside it act on the other predictors", {
  both <- cbind(toy, id = ids)
  model <- function(kernel, data, ...) {
    dg_ridge(y ~ . | domain, data = data, kernel = kernel, lambda = 0.1, scale = "none", ...)
  }
  named <- kernel_precomputed(K, "id")
  expect_equal(predict(model(named * kernel_linear(), both), both),
               predict(model(kernel_rbf(2) * kernel_linear(), toy), toy), tolerance = 1e-8)
  expect_equal(model(named + kernel_rbf(), both, bandwidths = "fitted")$space$kernel$parts[[2]]$parts[[1]]$bandwidth,
               model(kernel_rbf(2) + kernel_rbf(), toy, bandwidths = "fitted")$space$kernel$parts[[2]]$bandwidth,
               tolerance = 1e-6)
  # two matrices of the same ids, in another order
  other <- kernel_matrix(kernel_laplace(2), X)
  dimnames(other) <- list(ids, ids)
  mixed <- sample(ids)
  expect_equal(predict(model(named + kernel_precomputed(other[mixed, mixed], "id"), both,
                             domain_kernel = domain_pooled()), both),
               predict(model(kernel_rbf(2) + kernel_laplace(2), toy, domain_kernel = domain_pooled()), toy),
               tolerance = 1e-8)
})

test_that("ids may be numbers, factors, a matrix's column or the rows themselves", {
  numbered <- K
  dimnames(numbered) <- rep(list(99999L + seq_along(ids)), 2)
  numbers <- cbind(id = 99999 + seq_along(ids), X)
  spec <- dg_ridge(lambda = 0.1, scale = "none", domain_kernel = domain_pooled())
  model <- fit(update(spec, kernel = kernel_precomputed(numbered, "id")), numbers, toy$y, toy$domain)
  expected <- predict(fit(update(spec, kernel = kernel_rbf(2)), X, toy$y, toy$domain), X)
  expect_equal(predict(model, numbers), expected, tolerance = 1e-10)
  expect_equal(predict(model, numbers[, 6:1]), expected, tolerance = 1e-10)
  expect_equal(predict(model, as.data.frame(numbers)), expected, tolerance = 1e-10)
  factors <- transform(rows, id = factor(id))
  model <- fit(update(spec, kernel = given), y ~ id | domain, data = factors[train, ])
  expect_equal(predict(model, factors), predict(model, rows))
  expect_identical(unname(kernel_matrix(given, ids[3:4], ids[1:5])), unname(K[3:4, 1:5]))
  expect_identical(unname(kernel_matrix(given, ids)), unname(K))
  expect_equal(dg_mmd(ids, toy$domain, given)$squared, dg_mmd(X, toy$domain, kernel_rbf(2))$squared)
  expect_equal(distributional_variance(rows["id"], toy$domain, given),
               distributional_variance(X, toy$domain, kernel_rbf(2)))
})

test_that("the matrix is there once, in memory and in a file", {
  model <- dg_ridge(y ~ id | domain, data = rows, kernel = given, lambda = 1,
                    domain_kernel = domain_distribution(given))
  expect_identical(model$space$kernel$parts[[1]]$table, given$table)
  expect_identical(model$space$domain_kernel$kernel$parts[[1]]$table, given$table)
  expect_lt(length(serialize(model, NULL)), 1.5 * length(serialize(K, NULL)))
  file <- tempfile(fileext = ".rds")
  saveRDS(model, file)
  expect_identical(predict(readRDS(file), rows), predict(model, rows))
  expect_equal(domain_map(model)$squared, dg_mmd(ids, toy$domain, given)$squared)
})

test_that("a matrix that is none of a kernel is an error that says why", {
  named <- function(values, names = letters[seq_len(nrow(values))]) {
    dimnames(values) <- list(names, names)
    values
  }
  wrong <- list(
    "square numeric matrix, not 1" = 1, "not an integer matrix of 2 x 3" = matrix(1:6, 2),
    "it has no names" = diag(2), "\"a\" occurs twice" = named(diag(2), c("a", "a")),
    "some rows have none" = named(diag(2), c("a", "")), "finite; found NA" = named(matrix(NA_real_, 1)),
    "finite; found Inf" = named(diag(c(1, Inf))),
    "differ by up to 1" = named(matrix(c(3, 1, 2, 3), 2)),
    "its smallest eigenvalue is -1." = named(matrix(c(1, 2, 2, 1), 2)),
    "the two differ" = `dimnames<-`(diag(2), list(c("a", "b"), c("b", "a")))
  )
  for (rule in names(wrong)) {
    expect_error(kernel_precomputed(wrong[[rule]]), rule, fixed = TRUE, class = "domgen_error_data")
  }
  expect_error(kernel_precomputed(), "`K` must be given", class = "domgen_error_argument")
  expect_error(kernel_precomputed(K, 3), "`column` must be the name", class = "domgen_error_argument")
  # rounding is none
  expect_s3_class(kernel_precomputed(named(tcrossprod(1:5) + 1e-12 * outer(1:5, 5:1))), "domgen_kernel")
})

test_that("large matrices are probed", {
  n <- 2001
  Q <- tcrossprod(with_seed(1, matrix(rnorm(n * 5), n)))
  dimnames(Q) <- rep(list(seq_len(n)), 2)
  expect_s3_class(kernel_precomputed(Q), "domgen_kernel")
  diag(Q) <- diag(Q) - 0.01
  expect_error(kernel_precomputed(Q), "the variance of \".*\" given other rows is", class = "domgen_error_data")
})

test_that("ids and predictors that are not there are errors that name them", {
  spec <- dg_ridge(lambda = 1, kernel = given, domain_kernel = domain_pooled())
  model <- fit(spec, y ~ id | domain, data = rows)
  expect_error(predict(model, data.frame(id = c(ids[1], "stranger"))), "`newdata\\$id` .* not \"stranger\"",
               class = "domgen_error_data")
  expect_error(fit(spec, y ~ id | domain, data = transform(rows, id = sub("1", "I", id))),
               "`data\\$id` .* not \"row I\"", class = "domgen_error_data")
  expect_error(kernel_matrix(given, "stranger"), "not \"stranger\"", class = "domgen_error_data")
  expect_identical(kernel_matrix(given, ids[1]), matrix(1))
  expect_warning(values <- predict(model, data.frame(id = c(ids[1], NA))), class = "domgen_warning_missing")
  expect_identical(is.na(values), c(FALSE, TRUE))
  expect_error(fit(spec, y ~ . | domain, data = cbind(rows, group = rep_len(letters[1:5], nrow(rows)))),
               "`column` .* `id`, `group`", class = "domgen_error_argument")
  expect_error(fit(update(spec, kernel = kernel_precomputed(K, "name")), y ~ id | domain, data = rows),
               "`name` is none of `id`", class = "domgen_error_data")
  expect_error(fit(update(spec, domain_kernel = domain_distribution()), y ~ id | domain, data = rows),
               "domain_distribution\\(kernel_precomputed\\(K\\)\\)", class = "domgen_error_argument")
  expect_error(fit(dg_pipeline(dg_dica(kernel = given), dg_ridge(kernel = given)), y ~ id | domain, data = rows),
               "acts on ids", class = "domgen_error_argument")
  expect_error(dg_dica(y ~ . | domain, data = toy, kernel_y = given), "The response must be ids",
               class = "domgen_error_data")
  expect_error(fit(update(spec, domain_kernel = domain_distribution(given, given)), y ~ id | domain,
                   data = rows), "acts on ids", class = "domgen_error_argument")
  expect_error(dg_ridge(y ~ id:x1 | domain, data = cbind(toy, id = ids), kernel = kernel_precomputed(K, "id")),
               "leave out", class = "domgen_error_argument")
})
