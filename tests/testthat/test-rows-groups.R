# Sums over rows of landmarks' features, by groups of domains.

sums_when <- function(most, rows, space, targets, costs, group) {
  with_replaced("most_trace", most, group_sums(rows, space, targets, costs, group))
}

test_that("sums of landmarks' features are the same when they are solved after the pass", {
  set.seed(8)
  for (draw in 1:10) {
    toy <- toy_domains(4, 250, seed = draw)
    toy$w <- runif(nrow(toy))
    features <- if (draw %% 2L) features_nystrom(sample(3:12, 1L))
                else features_product(x = features_nystrom(6), rank = 2L)
    kernel <- sample(list(kernel_rbf(), kernel_laplace(), kernel_matern(2)), 1L)[[1L]]
    model <- dg_ridge(y ~ . - w | domain, data = toy, weights = w, lambda = 1, kernel = kernel,
                      feature_map = features)
    sample <- list(X = as.matrix(toy[c("x1", "x2", "x3")]), y = toy$y, domain = toy$domain,
                   weights = toy$w)
    rows <- rows_frame(sample)
    targets <- new_targets(rows, TRUE)
    costs <- runif(4)
    group <- if (draw %% 3L) one_group else function(space, G) c(1L, 2L, 1L, 2L)
    later <- sums_when(Inf, rows, model$space, targets, costs, group)
    by_row <- sums_when(0, rows, model$space, targets, costs, group)
    expect_equal(sum_groups(later), sum_groups(by_row), tolerance = 1e-9)
    expect_equal(sum_groups(later, 1L), sum_groups(by_row, 1L), tolerance = 1e-9)
  }
})

test_that("landmarks that are nearly dependent are solved row by row", {
  X <- matrix(c(0, 1e-3, 1, 2), 4)
  map <- function(bandwidth) {
    kernel <- kernel_fit(kernel_rbf(bandwidth), X)
    landmark_map(kernel, NULL, list(X = X, domain = rep(1L, 4), threads = 1L))
  }
  expect_false(solves_squares(map(1)))
  X <- matrix(c(0, 1, 2, 3), 4)
  expect_true(solves_squares(map(1)))
  expect_false(solves_squares(structure(list(), class = "fourier_map")))
})

test_that("means of embeddings of thousands of domains take no more than their matrix", {
  skip_if_not(Sys.getenv("DOMGEN_LONG") == "true")
  skip_if_not(file.exists("/proc/self/status"))
  peak <- function() proc_bytes("/proc/self/status", "^VmHWM:", 1024)
  X <- matrix(rnorm(12000), 6000)
  before <- peak()
  T <- kernel_means_(kernel_program(kernel_fit(kernel_rbf(1), X), X, X), X, 1:6000, 6000L, NULL,
                     NULL, 0L, 1L)
  expect_equal(T[1:50, 1:50], kernel_matrix(kernel_rbf(1), X)[1:50, 1:50], tolerance = 1e-12)
  # U, D, and the copy for R
  expect_lt(peak() - before, 4.5 * 8 * 6000^2)
})
