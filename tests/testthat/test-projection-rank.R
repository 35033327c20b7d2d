# How many components there are, where few rows make it a matter of rounding.

small_rows <- function(n, seed) {
  with_seed(seed, list(X = matrix(rnorm(3 * n), n), y = sample(rep_len(c("a", "b"), n)),
                       domain = rep_len(1:2, n)))
}

test_that("n rows have n - 1 components, however few they are", {
  methods <- list(dg_udica, dg_kpca, dg_tca, dg_sca)
  seeds <- seq_len(if (long_form()) 7 else 2)
  for (n in c(4, 6, 10)) for (seed in seeds) for (method in methods) {
    d <- small_rows(n, seed)
    for (features in list(features_exact(), features_nystrom(n, "uniform"))) {
      expect_warning(
        model <- method(d$X, d$y, d$domain, ncomp = n, kernel = kernel_rbf(0.7), scale = "none",
                        feature_map = features),
        paste("only", n - 1, "components exist"), class = "domgen_warning_rank"
      )
      expect_identical(model$rank, as.integer(n - 1))
    }
  }
})

test_that("features without the constant among their span have a component each", {
  d <- small_rows(20, 1)
  expect_warning(model <- dg_tca(d$X, d$y, d$domain, ncomp = 20, feature_map = features_rff(4)),
                 "only 8 components exist", class = "domgen_warning_rank")
  expect_identical(model$rank, 8L)
})

test_that("rows that coincide have no direction for TCA either", {
  X <- matrix(1, 12, 2)
  for (features in list(features_exact(), features_nystrom(1), features_rff(4))) {
    expect_domgen_error(suppressWarnings(dg_tca(X, domain = rep(1:3, 4), feature_map = features,
                                             kernel = kernel_rbf(1))),
                        "All rows coincide", "domgen_error_data")
  }
})
