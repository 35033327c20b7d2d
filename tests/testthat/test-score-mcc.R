test_that("\"mcc\" is the correlation of two classes, and 0 or NA where one is constant", {
  truth <- factor(c("a", "a", "b", "b", "b", "a"))
  prediction <- factor(c("a", "b", "b", "b", "a", "a"))
  expect_equal(score(list(truth = truth, prediction = prediction), metrics$mcc),
               cor(as.integer(truth), as.integer(prediction)))
  all_a <- factor(rep("a", 6), levels(truth))
  expect_identical(score(list(truth = truth, prediction = all_a), metrics$mcc), 0)
  expect_identical(score(list(truth = all_a, prediction = prediction), metrics$mcc), NA_real_)
})

test_that("with three classes it is Gorodkin's formula of the table", {
  set.seed(2)
  truth <- factor(sample(c("a", "b", "c"), 50, TRUE))
  prediction <- factor(ifelse(runif(50) < 0.6, as.character(truth), "b"), levels(truth))
  C <- unclass(table(truth, prediction))
  n <- sum(C)
  expected <- (sum(diag(C)) * n - sum(rowSums(C) * colSums(C))) /
    sqrt((n^2 - sum(rowSums(C)^2)) * (n^2 - sum(colSums(C)^2)))
  expect_equal(score(list(truth = truth, prediction = prediction), metrics$mcc), expected)
})
