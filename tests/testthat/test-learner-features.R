toy <- toy_domains(5, 20)
labels <- toy_classes(5, 20)
new_rows <- function(kind = toy_domains) {
  rows <- kind(7, 15, seed = 9)
  domains_of(transform(rows, domain = factor(paste0("new", domain))), 1:3)
}

as_many_landmarks <- function(data) features_nystrom(nrow(data))

decisions <- function(model, newdata) predict(model, newdata, type = "decision")

test_that("with a landmark at every row the machine is the exact one", {
  domain_kernels <- list(domain_pooled(), domain_multitask(0.4), domain_distribution())
  for (domain_kernel in domain_kernels) for (intercept in c(FALSE, TRUE)) {
    for (kind in list(toy_domains, toy_classes)) {
      data <- kind(5, 20)
      exact <- dg_svm(y ~ . | domain, data = data, kernel = kernel_laplace(1), cost = 3,
                      domain_kernel = domain_kernel, intercept = intercept, tolerance = 1e-6)
      set.seed(1)
      fit <- update(exact, feature_map = as_many_landmarks(data))
      expect_length(fit$coefficients, nrow(data))
      expect_true(fit$converged && exact$converged)
      expect_equal(fit$objective, exact$objective, tolerance = 1e-6)
      expect_equal(fit$decision, exact$decision, tolerance = 1e-5)
      expect_equal(fit$intercept, exact$intercept, tolerance = 1e-5)
      test <- new_rows(kind)
      # the norm of a new mean embedding is the one thing that is approximated
      close <- if (inherits(domain_kernel, "domain_embedding")) 0.02 else 1e-5
      expect_equal(decisions(fit, test), decisions(exact, test), tolerance = close)
    }
  }
})

test_that("it is the machine on the linear kernel of its features", {
  set.seed(3)
  maps <- list(features_nystrom(30), features_product(x = features_nystrom(20), rank = 3))
  for (map in maps) for (data in list(toy, labels)) {
    fit <- dg_svm(y ~ . | domain, data = data, feature_map = map, cost = 2, intercept = TRUE,
                  tolerance = 1e-7)
    X <- apply_scaling(as.matrix(data[, c("x1", "x2", "x3")]), fit$blueprint$scaling)
    Z <- space_rows(fit$space, list(X = X, domain = data$domain))
    expect_identical(dim(Z), c(nrow(data), length(fit$coefficients)))
    expect_equal(fit$decision, Z %*% fit$coefficients + fit$intercept, tolerance = 1e-10)
    linear <- dg_svm(Z, data$y, data$domain, kernel = kernel_linear(), cost = 2, intercept = TRUE,
                     domain_kernel = domain_pooled(), scale = "none", tolerance = 1e-7)
    # the response is standardised on the first way in only
    if (is.factor(data$y)) {
      expect_equal(fit$objective, linear$objective, tolerance = 1e-6)
      expect_equal(fit$decision, linear$decision, tolerance = 1e-5)
    }
    f <- fit$decision
    target <- if (is.factor(data$y)) 2 * (data$y == "1") - 1 else drop(code_rows(fit$response, fit$y))
    loss <- if (is.factor(data$y)) pmax(0, 1 - target * f) else pmax(0, abs(target - f) - 0.1)
    primal <- sum(fit$coefficients^2) / 2 + sum(fit$costs * loss)
    expect_equal(primal + fit$objective, fit$gap, tolerance = 1e-6)
    expect_lt(fit$relative_gap, 1e-6)
  }
})

test_that("it predicts its training rows as it fitted them, whatever the rows' order", {
  for (features in list(features_nystrom(25), features_product("fourier", n_features = 40))) {
    set.seed(2)
    number <- dg_svm(y ~ . | domain, data = toy, feature_map = features)
    expect_equal(predict(number, toy), fitted(number), tolerance = 1e-10)
    expect_equal(residuals(number), toy$y - fitted(number))
    class <- dg_svm(y ~ . | domain, data = labels, feature_map = features, intercept = TRUE)
    expect_identical(predict(class, labels), fitted(class))
    test <- new_rows(toy_classes)
    whole <- predict(class, test, type = "decision")
    order <- sample(nrow(test))
    expect_equal(predict(class, test[order, ], type = "decision"), whole[order], tolerance = 1e-10)
    expect_equal(predict(class, test[1:3, ], type = "decision", reference = test), whole[1:3],
                 tolerance = 1e-10)
    expect_warning(predict(class, test[1, ]), "single row", class = "domgen_warning_small_domain")
    expect_domgen_error(predict(class, test[, names(test) != "domain"]), "domain column `domain`")
  }
})

test_that("weight k is k copies and weight 0 is a row removed", {
  set.seed(4)
  for (data in list(toy, labels)) for (intercept in c(FALSE, TRUE)) {
    w <- sample(0:3, nrow(data), TRUE)
    fit_with <- function(d, ...) {
      dg_svm(y ~ . | domain, data = d, kernel = kernel_laplace(1), domain_kernel = domain_pooled(),
             scale = "none", intercept = intercept, tolerance = 1e-8, ...)
    }
    weighted <- fit_with(data, weights = w, feature_map = as_many_landmarks(data))
    copied <- fit_with(data[rep(seq_len(nrow(data)), w), ])
    expect_equal(decisions(weighted, data), decisions(copied, data), tolerance = 1e-5)
  }
})

test_that("the same seed gives the same model on any number of threads", {
  fit <- function(threads) {
    set.seed(5)
    dg_svm(y ~ . | domain, data = labels, feature_map = features_nystrom(30), threads = threads)
  }
  first <- fit(1)
  expect_identical(fit(1)$coefficients, first$coefficients)
  expect_equal(fit(2)$coefficients, first$coefficients, tolerance = 1e-8)
})

test_that("the model keeps neither training rows nor features, and predicts after saving", {
  data <- toy_domains(10, 200)
  set.seed(1)
  model <- dg_svm(y ~ x1 + x2 + x3 | domain, data = data, cost = 1,
                  feature_map = features_nystrom(20))
  expect_null(model$space$X)
  expect_length(model$coefficients, 20L)
  # what is left are some numbers per row: weight, cost, response, decision, domain
  expect_lt(length(serialize(model, NULL)), 8 * 2000 * 8)
  expect_lt(length(serialize(model$space, NULL)), 50000)
  file <- tempfile(fileext = ".rds")
  saveRDS(model, file)
  test <- new_rows()
  expect_identical(predict(readRDS(file), test), predict(model, test))
  expect_domgen_error(predict(model, test, reference = "training"), "keeps no training rows",
                      "domgen_error_argument")
  expect_equal(predict(model, data[1:5, ], reference = data), fitted(model)[1:5], tolerance = 1e-10)
})

test_that("a chain's learner takes features of the scores", {
  set.seed(6)
  spec <- dg_pipeline(dg_kpca(ncomp = 2), dg_svm(kernel = kernel_laplace(1), tolerance = 1e-6))
  exact <- fit(spec, y ~ . | domain, data = labels)
  spec <- dg_pipeline(dg_kpca(ncomp = 2), dg_svm(kernel = kernel_laplace(1), tolerance = 1e-6,
                                        feature_map = as_many_landmarks(labels)))
  model <- fit(spec, y ~ . | domain, data = labels)
  expect_equal(decisions(model, labels), decisions(exact, labels), tolerance = 1e-5)
  test <- new_rows(toy_classes)
  expect_equal(decisions(model, test), decisions(exact, test), tolerance = 0.02)
  expect_domgen_error(predict(
    fit(dg_pipeline(dg_kpca(ncomp = 2, feature_map = features_nystrom(20)), dg_svm()), y ~ . | domain,
        data = labels), test, reference = "training"), "keeps no training rows")
})

test_that("it is cross-validated and compared like any learner", {
  set.seed(7)
  spec <- dg_svm(feature_map = features_nystrom(20))
  held_out <- dg_cv(spec, y ~ . | domain, data = labels)
  expect_true(all(is.finite(held_out$scores$accuracy)))
})

test_that("a kernel that is evaluated in R serves as well", {
  custom <- kernel_custom(function(x, z) (1 + tcrossprod(x, z))^2)
  for (kernel in list(custom, kernel_poly(2))) {
    set.seed(1)
    s <- list(X = matrix(rnorm(2100 * 2), 2100), domain = factor(rep_len(c("a", "b"), 2100)))
    product <- represent(features_nystrom(6), kernel, domain_distribution(), s, 2L)
    expect_equal(feature_columns(product, s),
                 t(space_rows(product, s)), tolerance = 1e-12)
  }
  fit <- function(kernel, features) {
    dg_svm(y ~ . | domain, data = labels, kernel = kernel, feature_map = features,
           domain_kernel = domain_pooled(), tolerance = 1e-6)
  }
  # all polynomials of degree 2 of three predictors
  by_hand <- suppressWarnings(fit(custom, features_nystrom(40)), "domgen_warning_rank")
  expect_length(by_hand$coefficients, 10L)
  expect_equal(decisions(by_hand, labels), decisions(fit(kernel_poly(2), features_exact()), labels),
               tolerance = 1e-5)
})

test_that("the model says what it is", {
  set.seed(8)
  model <- dg_svm(y ~ . | domain, data = labels, feature_map = features_rff(20), cost = 2,
                  kernel = kernel_rbf(1.5), domain_kernel = domain_pooled())
  output <- capture.output(print(model))
  expect_match(output, "feature map +random Fourier, 20 orthogonal frequencies, 40 features",
               all = FALSE)
  expect_match(output, "^  iterations +[0-9]+$", all = FALSE)
  expect_match(output, "^  duality gap +[-0-9.e]+, relative", all = FALSE)
  expect_match(capture.output(print(model$spec)), "feature_map +random Fourier", all = FALSE)
})

test_that("what features cannot do is said", {
  expect_domgen_error(dg_svm(feature_map = 10), "`feature_map` must be made by `features_exact\\(\\)`",
                      "domgen_error_argument")
  expect_domgen_error(dg_svm(y ~ . | domain, data = toy, feature_map = features_rff(10)),
                      "features_product", "domgen_error")
  expect_warning(
    dg_svm(y ~ . | domain, data = toy, cost = 1e4, feature_map = features_nystrom(50),
           max_iterations = 3), "solver stopped after 3 iterations",
    class = "domgen_warning_convergence")
  expect_warning(
    dg_svm(y ~ . | domain, data = toy, kernel = kernel_linear(), domain_kernel = domain_pooled(),
           feature_map = features_nystrom(50, "uniform")), "only 3 .*independent",
    class = "domgen_warning_rank")
  old <- options(domgen.memory_limit = 50000)
  on.exit(options(old))
  expect_domgen_error(
    dg_svm(y ~ . | domain, data = toy, feature_map = features_rff(100),
           domain_kernel = domain_pooled()), "would take", "domgen_error_memory")
})
