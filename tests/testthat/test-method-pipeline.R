toy <- toy_domains(4, 20)
test <- toy_domains(2, 15, seed = 6)

test_that("a chain is the projection, then the learner on its scores", {
  spec <- dg_pipeline(dg_dica(ncomp = 2), dg_svm(cost = 2, domain_kernel = domain_pooled()))
  model <- fit(spec, y ~ . | domain, data = toy)
  projection <- dg_dica(y ~ . | domain, data = toy, ncomp = 2)
  expect_equal(model$projection$scores, projection$scores)
  spread <- sqrt(mean((toy$y - mean(toy$y))^2))
  by_hand <- dg_svm(fitted(projection) / model$unit, (toy$y - mean(toy$y)) / spread, toy$domain,
                    cost = 2, kernel = kernel_linear(), domain_kernel = domain_pooled(),
                    scale = "none")
  expect_equal(predict(model, test),
               mean(toy$y) + spread * predict(by_hand, predict(projection, test) / model$unit),
               tolerance = 1e-8)
})

test_that("the learner's kernel on x is the projection's own kernel, K B B'K", {
  spec <- dg_pipeline(dg_dica(ncomp = 2), dg_svm(domain_kernel = domain_pooled(), tolerance = 1e-8))
  model <- fit(spec, y ~ . | domain, data = toy)
  # up to one factor, the mean of its diagonal
  S <- model$projection$scores
  S <- S / sqrt(mean(rowSums(S^2)))
  expect_equal(kernel_matrix(model$learner$space$kernel, S), unname(S %*% t(S)), tolerance = 1e-12)
  expect_s3_class(model$learner$space$kernel, "kernel_linear")
})

test_that("a kernel on request is kept, and the domain kernel compares projected domains", {
  spec <- dg_pipeline(dg_udica(ncomp = 2), dg_svm(kernel = kernel_rbf(), domain_kernel = domain_distribution()))
  model <- fit(spec, y ~ . | domain, data = toy)
  expect_s3_class(model$learner$space$kernel, "kernel_rbf")
  expect_equal(model$learner$space$domain_kernel$X, model$projection$scores / model$unit)
  expect_equal(predict(model, toy), fitted(model), tolerance = 1e-9)
  expect_equal(predict(model, test[1:3, ], reference = test), predict(model, test)[1:3], tolerance = 1e-9)
  expect_domgen_error(predict(model, test[-1]), "domain column")
})

test_that("a reference describes the domains of the projection and of the learner", {
  spec <- dg_pipeline(dg_dica(domain_kernel = domain_distribution()), dg_svm())
  model <- fit(spec, y ~ . | domain, data = toy)
  expect_equal(predict(model, test[1:3, ], reference = test), predict(model, test)[1:3],
               tolerance = 1e-9)
})

test_that("chains end in any learner, with weights", {
  model <- fit(dg_pipeline(dg_kpca(ncomp = 2), dg_lm()), y ~ . | domain, data = toy, weights = x1^2)
  expect_equal(weights(model), toy$x1^2)
  scores <- model$projection$scores
  expect_equal(fitted(model), unname(fitted(lm(toy$y ~ scores, weights = toy$x1^2))), tolerance = 1e-10)
  expect_output(print(model), "KPCA, then dg_lm\\(\\)")
  expect_output(print(dg_pipeline(dg_kpca(), dg_lm())), "specification")
})

test_that("a chain of a projection on features fits, predicts and is cross-validated", {
  train <- toy_classes(4, 20)
  new <- toy_classes(2, 15, seed = 6)
  spec <- dg_pipeline(dg_dcm(feature_map = features_nystrom(20), ncomp = 1),
                dg_svm(domain_kernel = domain_pooled()))
  run <- function() fit(spec, y ~ . | domain, data = train)
  model <- with_seed(1, run())
  projection <- with_seed(1, dg_dcm(y ~ . | domain, data = train, ncomp = 1,
                                 feature_map = features_nystrom(20)))
  expect_equal(model$projection$scores, projection$scores)
  by_hand <- dg_svm(fitted(projection) / model$unit, train$y, train$domain,
                    kernel = kernel_linear(), domain_kernel = domain_pooled(), scale = "none")
  expect_identical(predict(model, new), predict(by_hand, predict(projection, new) / model$unit))
  expect_identical(predict(model, train), fitted(model))

  result <- with_seed(2, dg_cv(spec, y ~ . | domain, data = train))
  first <- train$domain == "d1"
  expect_length(result$domains$score, 4)
  expect_true(all(is.finite(result$domains$score)))
  expect_equal(result$domains$score[1],
               mean(result$predictions$prediction[first] == train$y[first]))
  expect_identical(with_seed(2, dg_cv(spec, y ~ . | domain, data = train))$predictions,
                   result$predictions)
})

test_that("a chain's learner sees labelled rows only, where the projection has a target", {
  train <- toy_classes(4, 20)
  new <- toy_classes(2, 15, seed = 6)
  levels(new$domain) <- c("t1", "t2")
  for (features in list(features_exact(), features_rff(20))) {
    spec <- dg_pipeline(dg_tca(target = new, feature_map = features), dg_svm())
    model <- with_seed(1, fit(spec, y ~ . | domain, data = train))
    expect_equal(nrow(model$projection$scores), nrow(train))
    expect_length(fitted(model), nrow(train))
    expect_identical(predict(model, train), fitted(model))
    expect_length(predict(model, new), nrow(new))
    expect_true(is.finite(with_seed(1, dg_cv(spec, y ~ . | domain, data = train))$mean))
  }
})

test_that("a chain takes a projection and a learner, both without data", {
  expect_refusals({
    dg_pipeline(dg_svm(), dg_dica())
    dg_pipeline(dg_dica(), dg_dica())
    dg_pipeline(dg_dica(), "svm")
    dg_pipeline(dg_kpca(~ . | domain, data = toy), dg_svm())
  })
})
