test_that("the largest and the smallest values of rows are those of sort()", {
  set.seed(1)
  for (m in list(matrix(rnorm(60), 6), matrix(rnorm(60), 30), matrix(c(Inf, 1, 1, -Inf, 2, 2), 2))) {
    expect_identical(row_largest(m), apply(m, 1, max))
    for (k in c(1L, 2L)) {
      expect_identical(row_smallest(m, k), matrix(apply(m, 1, function(v) sort(v)[1:k]), nrow(m), k,
                                                  byrow = TRUE))
    }
  }
  expect_identical(row_largest(matrix(0, 0, 3)), numeric())
  expect_identical(row_largest(rbind(c(1, NA), c(3, 2))), c(NA, 3))
})
