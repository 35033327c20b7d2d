test_that("the largest and the smallest values of rows are those of sort()", {
  set.seed(1)
  ties <- matrix(c(Inf, 1, 1, -Inf, 2, 2), 2)
  for (m in list(matrix(rnorm(60), 6), matrix(rnorm(60), 30), ties)) {
    expect_identical(row_largest(m), apply(m, 1, max))
    for (k in 1:2) {
      expect_identical(row_smallest(m, k), t(matrix(apply(m, 1, function(v) sort(v)[1:k]), k)))
    }
  }
  expect_identical(row_largest(matrix(0, 0, 3)), numeric())
  expect_identical(row_largest(rbind(c(1, NA), c(3, 2))), c(NA, 3))
})
