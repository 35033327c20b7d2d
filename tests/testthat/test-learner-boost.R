skip_if_not_installed("xgboost")
toy <- toy_domains(4, 15)
flowers <- transform(iris, site = factor(rep_len(c("a", "b", "c", "d"), 150)))
two <- droplevels(subset(flowers, Species != "setosa"))

direct <- function(X, label, trees, ...) {
  rows <- xgboost::xgb.DMatrix(unname(as.matrix(X)), label = label)
  predict(xgboost::xgb.train(list(...), rows, nrounds = trees, verbose = 0), rows)
}

test_that("numbers, two and three classes are those of xgb.train()", {
  model <- dg_boost(y ~ . | domain, data = toy, trees = 20, tree_depth = 3, learn_rate = 0.3)
  X <- toy[c("x1", "x2", "x3")]
  expected <- mean(toy$y) + direct(X, toy$y - mean(toy$y), 20, max_depth = 3, eta = 0.3,
                                   objective = "reg:squarederror", base_score = 0)
  expect_equal(predict(model, toy), expected, tolerance = 1e-6)
  model <- dg_boost(Species ~ . | site, data = two, trees = 20, tree_depth = 2)
  expected <- direct(two[1:4], as.integer(two$Species) - 1, 20, max_depth = 2, eta = 0.1,
                     objective = "binary:logistic")
  expect_equal(predict(model, two, type = "prob")[, 2], expected, tolerance = 1e-6)
  model <- dg_boost(Species ~ . | site, data = flowers, trees = 20, tree_depth = 2)
  expected <- direct(iris[1:4], as.integer(iris$Species) - 1, 20, max_depth = 2, eta = 0.1,
                     objective = "multi:softprob", num_class = 3)
  if (is.null(dim(expected))) expected <- matrix(expected, ncol = 3, byrow = TRUE)
  expect_equal(unname(predict(model, flowers, type = "prob")), unname(expected), tolerance = 1e-6)
  expect_gt(mean(predict(model, flowers) == iris$Species), 0.95)
})

test_that("a seed makes it reproducible, threads change nothing, and the level of y neither", {
  fitted_with <- function(...) {
    set.seed(2)
    fitted(dg_boost(y ~ . | domain, data = toy, trees = 30, subsample = 0.5, ...))
  }
  expect_identical(fitted_with(), fitted_with())
  expect_identical(fitted_with(threads = 1), fitted_with(threads = 2))
  before <- fitted_with()
  expect_false(identical(before, fitted(dg_boost(y ~ . | domain, data = toy, trees = 30,
                                                 subsample = 0.5))))
  toy$y <- toy$y + 1000
  expect_equal(fitted_with() - 1000, before, tolerance = 1e-3)
})

test_that("it comes back from a file, is searched and compared", {
  file <- tempfile()
  on.exit(unlink(file))
  model <- dg_boost(y ~ . | domain, data = toy, trees = 20, scale = "both", domain_means = TRUE)
  saveRDS(model, file)
  expect_identical(predict(readRDS(file), toy), predict(model, toy))
  tuned <- dg_tune(dg_boost(trees = 10), y ~ . | domain, data = toy, grid = list(tree_depth = c(1, 2)))
  expect_identical(nrow(tuned$tuning$table), 2L)
  scores <- dg_cv(dg_boost(trees = 20), Species ~ . | site, data = flowers, metric = "log_loss",
                  refits = FALSE)
  expect_lt(scores$mean, 0.5)
  w <- rep_len(c(0, 1, 2), nrow(toy))
  weighted <- dg_boost(y ~ . | domain, data = toy, trees = 20, weights = w)
  copied <- dg_boost(y ~ . | domain, data = toy[rep(seq_len(nrow(toy)), w), ], trees = 20)
  expect_equal(predict(weighted, toy), predict(copied, toy), tolerance = 1e-4)
})

test_that("its arguments are checked", {
  expect_error(dg_boost(learn_rate = 2), "`learn_rate` must be one number above 0 and at most 1, not 2")
  expect_error(dg_boost(subsample = 0), "`subsample` must be one number above 0")
  expect_error(dg_boost(tree_depth = 1.5), "`tree_depth` must be one whole number")
})
