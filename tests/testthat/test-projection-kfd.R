test_that("dg_kfd() is the eigenproblem of between and within scatters, written out", {
  toy <- simulate_dcm(domains = 4, n = 20, seed = 1)
  toy$y <- factor(rep_len(c("a", "b", "c"), nrow(toy)))
  X <- as.matrix(toy[, grep("^x", names(toy))])
  toy[grep("^x", names(toy))] <- X <- X + 2 * (as.integer(toy$y) - 2)
  n <- nrow(X)
  H <- diag(n) - 1 / n
  K <- H %*% kernel_matrix(kernel_rbf(3), X) %*% H
  class <- as.integer(toy$y)
  scatter <- function(j, of) {
    M <- rowMeans(K[, class == j])
    if (of == "between") sum(class == j) * tcrossprod(M) else tcrossprod(K[, class == j] - M)
  }
  total <- function(of) Reduce(`+`, lapply(1:3, scatter, of)) / n
  expected <- Re(eigen(solve(total("within") + 0.01 * diag(n), total("between")))$values[1:2])
  model <- dg_kfd(y ~ . | domain, data = toy, lambda = 0.01, kernel = kernel_rbf(3), scale = "none")
  expect_equal(unname(model$values), expected, tolerance = 1e-6)
  # domains are not asked for
  expect_equal(dg_kfd(X, toy$y, lambda = 0.01, kernel = kernel_rbf(3), scale = "none")$values,
               model$values)
})
