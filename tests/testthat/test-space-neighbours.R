laplacian <- function(X, k, threads = 2) domgen:::neighbour_laplacian(X, k, threads)

test_that("the graph joins each row to its k nearest, as computed one by one", {
  set.seed(1)
  for (n in c(2, 63, 64, 65, 200)) {
    X <- matrix(rnorm(3 * n), n)
    for (k in unique(pmin(c(1, 4, 70), n - 1))) {
      expect_equal(dense_laplacian(laplacian(X, k)), naive_laplacian(X, k))
    }
  }
  X <- matrix(rnorm(40 * 300), 40)
  expect_equal(dense_laplacian(laplacian(X, 5)), naive_laplacian(X, 5))
})

test_that("each edge appears once, from the earlier to the later row, with weight 1", {
  set.seed(2)
  graph <- laplacian(matrix(rnorm(300), 100), 6)
  expect_true(all(graph$from < graph$to))
  expect_equal(anyDuplicated(cbind(graph$from, graph$to)), 0L)
  expect_identical(order(graph$from, graph$to), seq_along(graph$from))
  expect_identical(graph$weight, rep(1, length(graph$from)))
  expect_identical(graph$n, 100L)
  degree <- tabulate(c(graph$from, graph$to), 100)
  expect_true(all(degree >= 6))
})

test_that("of rows equally far the earlier ones are the neighbours", {
  square <- cbind(c(0, 1, 0, 1), c(0, 0, 1, 1))
  graph <- laplacian(square, 1)
  expect_identical(paste(graph$from, graph$to), c("1 2", "1 3", "2 4"))
  grid <- as.matrix(expand.grid(1:12, 1:12)) + 0
  for (k in c(1, 3, 5)) {
    expect_equal(dense_laplacian(laplacian(grid, k)), naive_laplacian(grid, k))
  }
})

test_that("duplicated rows are each other's neighbours, and no row is its own", {
  same <- matrix(1, 70, 2)
  graph <- laplacian(same, 2)
  expect_equal(dense_laplacian(graph), naive_laplacian(same, 2))
  expect_identical(paste(graph$from, graph$to)[1:2], c("1 2", "1 3"))
  set.seed(3)
  X <- matrix(rnorm(60), 30)[rep(1:30, 3), ]
  expect_equal(dense_laplacian(laplacian(X, 2)), naive_laplacian(X, 2))
})

test_that("small differences far from the origin are seen", {
  X <- cbind(1e8 + c(0, 1, 3, 7, 15) * 1e-3)
  graph <- laplacian(X, 1)
  expect_identical(paste(graph$from, graph$to), c("1 2", "2 3", "3 4", "4 5"))
})

test_that("distances that overflow still leave k neighbours", {
  X <- cbind(c(-1e200, 0, 1e200))
  expect_equal(dense_laplacian(laplacian(X, 1)), naive_laplacian(X, 1))
})

test_that("the graph does not depend on the number of threads", {
  set.seed(4)
  X <- matrix(rnorm(4 * 700), 700)
  expect_identical(laplacian(X, 7, threads = 1), laplacian(X, 7, threads = 3))
})

test_that("the number of neighbours must be a whole number below the number of rows", {
  X <- matrix(1:6 + 0, 3)
  refused <- function(k, message) {
    expect_domgen_error(laplacian(X, k), message, "domgen_error_argument")
  }
  refused(3, "`neighbours` must be less than the number of rows, 3, not 3")
  refused(0, "`neighbours` must be one whole number of at least 1, not 0")
  refused(1.5, "`neighbours` must be one whole number of at least 1, not 1.5")
})
