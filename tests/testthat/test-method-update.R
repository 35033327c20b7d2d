test_that("a specification is changed by name, and its arguments are checked", {
  expect_identical(update(dg_svm(), cost = 10), dg_svm(cost = 10))
  expect_identical(update(dg_svm(cost = 10)), dg_svm(cost = 10))
  expect_identical(update(dg_svm(kernel = kernel_laplace()), kernel = NULL, threads = 1),
                   dg_svm(threads = 1))
  expect_identical(update(dg_ridge(kernel = kernel_rbf(2)), bandwidth = 3),
                   dg_ridge(kernel = kernel_rbf(3)))
  expect_identical(update(dg_svm(feature_map = features_nystrom(9)), feature_map.n_landmarks = 5),
                   dg_svm(feature_map = features_nystrom(5)))
  expect_identical(update(dg_dica(), lambda = 3, ncomp = 4), dg_dica(lambda = 3, ncomp = 4))
  expect_identical(update(dg_auto(), seed = 3), dg_auto(seed = 3))
  expect_domgen_error(update(dg_svm(), cost = -1), "`cost` must be one positive number")
  expect_domgen_error(update(dg_svm(), costt = 1), "did you mean `cost`")
  expect_domgen_error(update(dg_svm(), 3), "must be named")
  expect_domgen_error(update(dg_svm(), data = iris), "use fit\\(\\)")
})

test_that("chains and searches are changed by name", {
  spec <- dg_pipeline(dg_dica(), dg_svm())
  expect_identical(update(spec, dica.epsilon = 0.1, cost = 3, ncomp = 1),
                   dg_pipeline(dg_dica(epsilon = 0.1, ncomp = 1), dg_svm(cost = 3)))
  expect_identical(update(spec, projection = dg_kpca()), dg_pipeline(dg_kpca(), dg_svm()))
  expect_identical(update(spec, learner = dg_lm()), dg_pipeline(dg_dica(), dg_lm()))
  expect_domgen_error(update(spec, epsilon = 1), "both parts of the pipeline: write `dica.epsilon`")
  expect_domgen_error(update(spec, tau = 1), "Unknown argument `tau`")
  expect_domgen_error(update(spec, learner = 3), "`learner` must be a learner")
  search <- dg_tune(dg_svm(), grid = list(cost = 1:3))
  expect_identical(update(search, rule = "one_se", tolerance = 0.1)[c("object", "args")],
                   dg_tune(dg_svm(tolerance = 0.1), grid = list(cost = 1:3),
                           rule = "one_se")[c("object", "args")])
  expect_domgen_error(update(search, rule = "some"), "`rule` must be one of")
})

test_that("a model that was fitted by fit() is changed the same way", {
  toy <- toy_domains(3, 10)
  model <- fit(dg_pipeline(dg_kpca(ncomp = 1), dg_ridge()), y ~ . | domain, data = toy)
  again <- update(model, kpca.ncomp = 2, lambda = 3)
  expect_equal(fitted(again),
               fitted(fit(dg_pipeline(dg_kpca(ncomp = 2), dg_ridge(lambda = 3)), y ~ . | domain,
                          data = toy)))
  expect_equal(nobs(update(again, data = toy[toy$domain != "d1", ])), sum(toy$domain != "d1"))
  expect_domgen_error(update(model, kpca.lambda = 3), "Unknown argument")
})
