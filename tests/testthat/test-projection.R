toy <- toy_domains(4, 20)
X <- as.matrix(toy[, c("x1", "x2", "x3")])
K <- exp(-as.matrix(dist(X))^2 / (2 * 1.5^2))
L <- exp(-as.matrix(dist(toy$y))^2 / 2)
labels <- toy_classes(4, 20)
one_hot <- outer(as.character(labels$y), c("-1", "1"), "==") + 0

agrees <- function(model, oracle) {
  m <- length(model$values)
  dense <- dense_solution(oracle, m)
  expect_equal(unname(model$values), dense$values, tolerance = 1e-8)
  expect_lt(subspace_distance(model$scores, oracle$K %*% dense$B), 1e-6)
  expect_true(all(model$residual < 20))
}

test_that("dica solves the published and the symmetric pencil", {
  for (form in c("published", "symmetric")) {
    model <- dg_dica(X, toy$y, toy$domain, kernel = kernel_rbf(1.5), kernel_y = kernel_rbf(1),
                  form = form, scale = "none", lambda = 0.2, epsilon = 1e-3)
    agrees(model, pencil(K, toy$domain, L, 1e-3, 0.2, published = form == "published"))
  }
})

test_that("udica, coir and kpca solve theirs", {
  dg_udica <- dg_udica(X, domain = toy$domain, kernel = kernel_rbf(1.5), scale = "none")
  agrees(dg_udica, pencil(K, toy$domain))
  dg_coir <- dg_coir(X, toy$y, kernel = kernel_rbf(1.5), kernel_y = kernel_rbf(1), scale = "none")
  agrees(dg_coir, pencil(K, toy$domain, L, domains = FALSE))
  dg_kpca <- dg_kpca(X, kernel = kernel_rbf(1.5), scale = "none", ncomp = 3)
  expect_equal(unname(dg_kpca$values), eigen(centred(K) / nrow(K))$values[1:3], tolerance = 1e-8)
})

test_that("class labels enter through the delta kernel and give C - 1 components", {
  Xl <- as.matrix(labels[, c("x1", "x2", "x3")])
  Kl <- exp(-as.matrix(dist(Xl))^2 / 8)
  expect_warning(
    model <- dg_dica(Xl, labels$y, labels$domain, kernel = kernel_rbf(2), scale = "none"),
    "only 1 component exists", class = "domgen_warning_rank")
  expect_identical(model$rank, 1L)
  expect_equal(ncol(model$scores), 1L)
  agrees(model, pencil(Kl, labels$domain, tcrossprod(one_hot)))
  same <- dg_dica(Xl, as.numeric(labels$y), labels$domain, kernel = kernel_rbf(2), ncomp = 1,
               kernel_y = kernel_delta(), scale = "none")
  expect_equal(same$values, model$values)
})

test_that("one domain turns dica into coir and udica into kernel PCA", {
  one <- rep("one", nrow(X))
  args <- list(X, toy$y, one, kernel = kernel_rbf(1.5), lambda = 0.1)
  expect_equal(do.call(dg_dica, args)$scores, do.call(dg_coir, args)$scores, tolerance = 1e-8)
  u <- dg_udica(X, domain = one, kernel = kernel_rbf(1.5), lambda = 1e-10)
  expect_equal(u$values, dg_kpca(X, kernel = kernel_rbf(1.5))$values, tolerance = 1e-6)
  expect_identical(u$theorem5[["distributional"]] < 1e-12, TRUE)
})

test_that("new rows are centred with the training means, one by one as all together", {
  model <- dg_dica(y ~ . | domain, data = toy)
  expect_equal(predict(model, toy), fitted(model), tolerance = 1e-10)
  test <- toy_domains(2, 10, seed = 5)
  together <- predict(model, test)
  alone <- do.call(rbind, lapply(seq_len(nrow(test)), function(i) predict(model, test[i, ])))
  expect_equal(alone, together, tolerance = 1e-12)
  shuffled <- sample(nrow(test))
  expect_equal(predict(model, test[shuffled, ]), together[shuffled, ], tolerance = 1e-12)
  expect_gt(max(abs(colMeans(together))), 1e-3)
})

test_that("directions have the length that `normalise` says", {
  fitted_with <- function(normalise) {
    dg_dica(X, toy$y, toy$domain, kernel = kernel_rbf(1.5), kernel_y = kernel_rbf(1), scale = "none",
         normalise = normalise)
  }
  whiten <- fitted_with("whiten")
  expect_equal(unname(colMeans(whiten$scores^2)), c(1, 1), tolerance = 1e-8)
  plain <- fitted_with("constraint")
  expect_equal(plain$scores / fitted_with("published_code")$scores,
               matrix(sqrt(plain$values), nrow(X), 2, byrow = TRUE, dimnames = dimnames(plain$scores)),
               tolerance = 1e-8)
  symmetric <- dg_udica(X, domain = toy$domain, kernel = kernel_rbf(1.5), scale = "none")
  B <- symmetric$directions
  expect_equal(unname(t(B) %*% pencil(K, toy$domain)$D %*% B), diag(2), tolerance = 1e-8)
})

test_that("summary gives the quantities of theorem 5 and the variance before and after", {
  model <- dg_udica(X, domain = toy$domain, kernel = kernel_rbf(1.5), scale = "none")
  oracle <- pencil(K, toy$domain)
  B <- model$directions
  s <- summary(model)
  expect_equal(s$theorem5[["distributional"]], sum(diag(t(B) %*% oracle$K %*% oracle$Q %*% oracle$K %*% B)),
               tolerance = 1e-8)
  expect_equal(s$theorem5[["norm"]], sum(diag(t(B) %*% oracle$K %*% B)), tolerance = 1e-8)
  expect_equal(s$variance["before", "distributional"],
               distributional_variance(X, toy$domain, kernel_rbf(1.5)), tolerance = 1e-8)
  expect_equal(s$variance["before", "total"], sum(diag(oracle$K)) / nrow(X), tolerance = 1e-8)
  expect_equal(s$variance["after", "total"], sum(model$scores^2) / nrow(X), tolerance = 1e-8)
  expect_equal(s$variance["after", "distributional"], s$theorem5[["distributional"]], tolerance = 1e-12)
})

test_that("a domain kernel multiplies the Gram matrix", {
  kernel <- domain_distribution(kernel_rbf(1), kernel_rbf(0.3))
  kappa <- domain_kernel_fit(kernel, list(X = X, domain = toy$domain, threads = 1L))$kappa
  product <- K * kappa[toy$domain, toy$domain]
  model <- dg_dica(X, toy$y, toy$domain, kernel = kernel_rbf(1.5), kernel_y = kernel_rbf(1),
                domain_kernel = kernel, scale = "none")
  agrees(model, pencil(product, toy$domain, L))
  expect_equal(predict(model, X, domain = toy$domain), model$scores, tolerance = 1e-10)
  expect_domgen_error(predict(model, X), "uses the other rows of a row.s domain")
})

test_that("a domain's few rows can be described by a larger reference", {
  model <- dg_dica(y ~ . | domain, data = toy, domain_kernel = domain_distribution())
  test <- toy_domains(2, 30, seed = 5)
  whole <- predict(model, test)
  few <- c(1, 2, nrow(test))
  expect_equal(predict(model, test[few, ], reference = test), whole[few, ], tolerance = 1e-10)
  expect_warning(predict(model, test[1, ]), "single row", class = "domgen_warning_small_domain")
  stored <- predict(model, toy[1:3, ], reference = "training")
  expect_equal(stored, fitted(model)[1:3, ], tolerance = 1e-10)
  expect_domgen_error(predict(model, test, reference = "other"), "reference")
})

test_that("degenerate data give an answer or a clear error", {
  expect_domgen_error(dg_dica(X, rep(1, nrow(X)), toy$domain), "response is constant")
  expect_domgen_error(suppressWarnings(dg_kpca(matrix(1, 10, 2))), "rows coincide")
  expect_domgen_error(suppressWarnings(dg_kpca(X[1, , drop = FALSE])), "at least 2 rows")
  doubled <- dg_udica(X[rep(1:10, 3), ], domain = rep(1:3, 10), ncomp = 2)
  expect_true(all(is.finite(doubled$scores)))
  expect_warning(few <- dg_kpca(X[1:3, ], ncomp = 5), "only 2 components exist")
  expect_equal(ncol(few$scores), 2L)
  alone <- dg_dica(X, toy$y, replace(as.character(toy$domain), 1, "alone"))
  expect_true(all(is.finite(alone$scores)))
})

test_that("wrong arguments are refused by name", {
  expect_refusals({
    dg_dica(y ~ . | domain, data = toy, ncomp = 0)
    dg_dica(y ~ . | domain, data = toy, lambda = -1)
    dg_dica(y ~ . | domain, data = toy, epsilon = 0)
    dg_dica(y ~ . | domain, data = toy, lamda = 1)
    dg_dica(y ~ . | domain, data = toy, bandwidth = 1)
    dg_dica(y ~ . | domain, data = toy, form = "both")
    dg_dica(y ~ . | domain, data = toy, kernel = "rbf")
    dg_dica(y ~ ., data = toy[-1])
    dg_dica(~ . | domain, data = toy[-2])
    dg_kpca(~ . | domain, data = toy, weights = 1)
    dg_dica(domain = toy$domain)
  })
})

test_that("projections print, update and extract", {
  old <- options(domgen.threads = 2)
  on.exit(options(old))
  model <- dg_udica(y ~ x1 + x2 | domain, data = toy, kernel = kernel_rbf(1), lambda = 0.3)
  expect_snapshot(dg_udica(ncomp = 3))
  expect_output(print(model), "UDICA: y ~ x1 \\+ x2 \\| domain")
  expect_output(print(summary(model)), "Theorem 5")
  expect_equal(ncol(update(model, ncomp = 1)$scores), 1L)
  expect_equal(update(model, . ~ . - x2)$blueprint$columns, "x1")
  expect_equal(nobs(model), nrow(toy))
  expect_equal(formula(model), y ~ x1 + x2 | domain, ignore_formula_env = TRUE)
  expect_identical(coef(model), model$directions)
  from_spec <- fit(dg_udica(kernel = kernel_rbf(1), lambda = 0.3), y ~ x1 + x2 | domain, data = toy)
  expect_equal(from_spec$scores, model$scores)
  expect_equal(ncol(update(from_spec, ncomp = 1)$scores), 1L)
})

test_that("update() changes a formula that has a dot", {
  model <- dg_ridge(y ~ . | domain, data = toy, lambda = 1)
  predictors <- setdiff(names(toy), c("y", "domain"))
  fewer <- update(model, . ~ . - x2)
  expect_equal(fewer$blueprint$columns, setdiff(predictors, "x2"))
  expect_equal(predict(fewer, toy), predict(dg_ridge(y ~ . - x2 | domain, data = toy, lambda = 1),
                                            toy))
  expect_equal(update(model, log(y + 100) ~ .)$blueprint$columns, predictors)
  from_spec <- fit(dg_pipeline(dg_dica(ncomp = 1), dg_svm()), y ~ . | domain, data = toy)
  expect_equal(update(from_spec, . ~ . - x2)$projection$blueprint$columns,
               setdiff(predictors, "x2"))
  expect_equal(update(dg_kpca(~ . - y | domain, data = toy), ~ . - x1)$blueprint$columns,
               setdiff(predictors, "x1"))
})

test_that("what other packages are told of are all projections that there are", {
  made <- Filter(function(name) {
    fun <- get(name, asNamespace("domgen"))
    # their functions end in the engine
    any(all.names(body(fun)) == "projection_call")
  }, setdiff(getNamespaceExports("domgen"), "projection_method"))
  expect_setequal(paste0("dg_", projection_methods), made)
})
