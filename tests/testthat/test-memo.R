test_that("a slot keeps what was made last, from the same key", {
  memo <- new_memo()
  made <- 0
  make <- function(value) {
    made <<- made + 1
    value
  }
  expect_identical(recall(memo, "gram", list(1, "a"), make(10)), 10)
  expect_identical(recall(memo, "gram", list(1, "a"), make(20)), 10)
  expect_identical(made, 1)
  expect_identical(recall(memo, "gram", list(1, "b"), make(30)), 30)
  expect_identical(recall(memo, "other", list(1, "b"), make(40)), 40)
  expect_identical(recall(memo, "gram", list(1, "b"), make(50)), 30)
  expect_identical(recall(memo, "gram", list(1, "a"), make(60)), 60)
  expect_identical(recall(NULL, "gram", list(1, "a"), make(70)), 70)
  expect_identical(recall(NULL, "gram", list(1, "a"), make(80)), 80)
  # nothing is a value too
  expect_null(recall(memo, "none", 1, make(NULL)))
  before <- made
  expect_null(recall(memo, "none", 1, make(5)))
  expect_identical(made, before)
})

test_that("fits that share a memo are the fits without it, in any order", {
  toy <- toy_domains(4, 10)
  input <- list(x = y ~ . | domain, data = toy)
  specs <- list(
    dg_ridge(lambda = 1), dg_ridge(lambda = 5), dg_ridge(lambda = 5, scale = "rank"),
    dg_ridge(lambda = 5, kernel = kernel_laplace()), dg_ridge(lambda = 1),
    dg_ridge(lambda = 1, domain_kernel = domain_pooled()),
    dg_ridge(lambda = 1, features = features_nystrom(43)),
    chain(dica(ncomp = 1), dg_ridge(lambda = 1)), chain(dica(ncomp = 1), dg_ridge(lambda = 2)),
    chain(dica(ncomp = 2), dg_ridge(lambda = 2)),
    chain(dica(ncomp = 2, scale = "domain"), dg_ridge(lambda = 2)),
    chain(udica(ncomp = 2), dg_ridge(lambda = 2)), dg_gp(optimise = FALSE), dg_lm()
  )
  for (order in list(seq_along(specs), rev(seq_along(specs)))) {
    memo <- new_memo()
    for (i in order) {
      shared <- fit_input(specs[[i]], input, memo)
      alone <- fit_input(specs[[i]], input)
      expect_equal(predict(shared, toy), predict(alone, toy), tolerance = 1e-10, label = i)
    }
  }
})

test_that("machines that start from an earlier cost end at the same solution", {
  toy <- toy_classes(4, 12)
  input <- list(x = y ~ . | domain, data = toy)
  memo <- new_memo()
  for (spec in list(dg_svm(cost = 1), dg_svm(cost = 10), dg_svm(cost = 0.1),
                    dg_svm(cost = 10, kernel = kernel_linear()), dg_svm(cost = 1, offset = TRUE))) {
    shared <- fit_input(spec, input, memo)
    alone <- fit_input(spec, input)
    expect_equal(predict(shared, toy, type = "decision"), predict(alone, toy, type = "decision"),
                 tolerance = 5e-3)
  }
})
