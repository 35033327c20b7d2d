# kernel_anova(): means over predictors, pairs and so on of Gaussian kernels of one predictor.

set.seed(1)
x <- matrix(rnorm(37 * 4), 37)
z <- matrix(rnorm(9 * 4), 9)
widths <- c(0.7, 1, 1.5, 2)
one <- function(x, z, j, width = widths[j]) exp(-outer(x[, j], z[, j], "-")^2 / (2 * width^2))

# Mean over all sets of m predictors of the product over the set, then over m.
naive_anova <- function(x, z, degree) {
  orders <- lapply(seq_len(degree), function(m) {
    sets <- utils::combn(ncol(x), m, simplify = FALSE)
    products <- lapply(sets, function(set) Reduce(`*`, lapply(set, one, x = x, z = z)))
    Reduce(`+`, products) / length(sets)
  })
  Reduce(`+`, orders) / degree
}

test_that("kernel_anova() is the mean over sets of predictors that its help page says", {
  for (degree in 1:4) {
    kernel <- kernel_anova(degree, widths)
    expect_equal(kernel_matrix(kernel, x, z), naive_anova(x, z, degree), tolerance = 1e-12)
    expect_equal(kernel_matrix(kernel, x + 1e4, z + 1e4), naive_anova(x, z, degree), tolerance = 1e-9)
  }
})

test_that("of degree 1 it is the mean of kernel_rbf() of each predictor, at the median / sqrt(p)", {
  alone <- function(width) lapply(1:4, function(j) kernel_matrix(kernel_rbf(width), x[, j]))
  middle <- median_bandwidth(x) / 2
  expect_equal(kernel_matrix(kernel_anova(1), x), Reduce(`+`, alone(middle)) / 4, tolerance = 1e-12)
  expect_equal(kernel_matrix(kernel_anova(1, bandwidth_factor = 3), x),
               Reduce(`+`, alone(3 * middle)) / 4, tolerance = 1e-12)
  expect_equal(kernel_matrix(kernel_anova(), x[, 1]), kernel_matrix(kernel_rbf(), x[, 1]),
               tolerance = 1e-12)
})

test_that("of degree 1 it is the kernel of kernlab, divided by the number of predictors", {
  skip_if_not_installed("kernlab")
  peer <- kernlab::kernelMatrix(kernlab::anovadot(1 / (2 * 1.3^2), 1), x)
  expect_equal(kernel_matrix(kernel_anova(1, 1.3), x), matrix(peer / 4, 37), tolerance = 1e-12)
})

test_that("of degree p all sets together are the product over predictors of 1 + k_j", {
  sums <- lapply(1:4, function(m) m * kernel_matrix(kernel_anova(m, widths), x, z))
  orders <- Map(`-`, sums, c(list(0), sums[-4]))
  expect_equal(Reduce(`+`, Map(`*`, orders, choose(4, 1:4))),
               Reduce(`*`, lapply(1:4, function(j) 1 + one(x, z, j))) - 1, tolerance = 1e-12)
  expect_identical(kernel_matrix(kernel_anova(7, widths), x), kernel_matrix(kernel_anova(4, widths), x))
})

test_that("its matrix is positive semi-definite, symmetric to the bit, 1 on the diagonal, for any threads", {
  rows <- rbind(x, x[1:5, ], matrix(rnorm(90 * 4), 90))
  for (degree in c(1, 2, 4)) {
    K <- kernel_matrix(kernel_anova(degree), rows, threads = 1)
    expect_identical(K, kernel_matrix(kernel_anova(degree), rows, threads = 2))
    expect_identical(K, t(K))
    expect_identical(diag(K), rep(1, nrow(rows)))
    expect_gte(min(eigen(K, TRUE, TRUE)$values), -1e-12 * nrow(rows))
  }
})

toy <- toy_domains(4, 12)
predictors <- setdiff(names(toy), c("y", "domain"))

test_that("a ridge regression of degree 1 has no interactions, one of degree 2 has those of pairs", {
  corners <- expand.grid(rep(list(c(-1, 0.5)), length(predictors)))
  names(corners) <- predictors
  sign <- 1 - 2 * (rowSums(corners[1:2] > 0) %% 2)
  at <- corners[[3]] < 0 | length(predictors) < 3
  interaction <- function(degree) {
    model <- dg_ridge(y ~ . | domain, toy, kernel = kernel_anova(degree), lambda = 0.1,
                      domain_kernel = domain_pooled())
    corners$domain <- "new"
    sum((sign * predict(model, corners))[at])
  }
  expect_equal(interaction(1), 0, tolerance = 1e-12)
  expect_gt(abs(interaction(2)), 1e-4)
})

test_that("landmarks at all rows give the model of the whole matrix", {
  fit <- function(map) {
    model <- dg_ridge(y ~ . | domain, toy, kernel = kernel_anova(), lambda = 0.1, feature_map = map)
    predict(model, toy[1:12, ])
  }
  expect_equal(fit(features_nystrom(nrow(toy))), fit(features_exact()), tolerance = 1e-6)
})

test_that("it stands where kernels stand, and in a saved model", {
  specs <- list(dg_svm(kernel = kernel_anova(1)), dg_glm(family = "gaussian", kernel = kernel_anova(), lambda = 1),
                dg_ridge(kernel = 0.5 * kernel_anova(1) + kernel_linear() * kernel_anova(), lambda = 1,
                         domain_kernel = domain_distribution(kernel_anova())),
                dg_pipeline(dg_kpca(kernel = kernel_anova()), dg_ridge(kernel = kernel_anova(1), lambda = 1)))
  for (spec in specs) {
    model <- fit(spec, y ~ . | domain, data = toy)
    values <- predict(model, toy)
    expect_true(all(is.finite(values)))
    expect_identical(predict(unserialize(serialize(model, NULL)), toy), values)
  }
})

test_that("beside categories it acts on the numbers, and the columns of levels", {
  data <- mixed_data(40)
  kernel <- kernel_anova(2, 1.3) * kernel_mixed(1, 0.3)
  kept <- c("x", "z", "colour")
  design <- cbind(as.matrix(data[c("x", "z")]), stats::model.matrix(~ colour, data)[, -1])
  expect_equal(kernel_matrix(kernel, data[kept]),
               kernel_matrix(kernel_anova(2, 1.3), design) * kernel_matrix(kernel_mixed(1, 0.3), data[kept]),
               tolerance = 1e-12)
})

test_that("degree and bandwidths are parameters of a search", {
  tuned <- dg_tune(dg_ridge(lambda = 0.1, kernel = kernel_anova(), domain_kernel = domain_pooled()),
                   grid = list(kernel.degree = 1:2, bandwidth_factor = c(1, 2))) |>
    fit(y ~ . | domain, data = toy)
  expect_identical(nrow(tuned$tuning$table), 4L)
  expect_identical(names(kernel_grid(kernel_anova())), "bandwidth_factor")
  expect_null(kernel_grid(kernel_anova(bandwidth = 1)))
  expect_identical(format_value(kernel_anova(1, 2)), "anova(1, bandwidth = 2)")
})

test_that("its bandwidths are not fitted, with a warning or an error", {
  expect_warning(dg_gp(y ~ . | domain, toy[1:30, ], kernel = kernel_anova(),
                       domain_kernel = domain_pooled()),
                 "bandwidth of `kernel` is not fitted", class = "domgen_warning_derivative")
  expect_domgen_error(dg_ridge(y ~ . | domain, toy, kernel = kernel_anova(), lambda = 1,
                               domain_kernel = domain_pooled(), bandwidths = "fitted"), "derivative")
})

test_that("wrong arguments and places are refused, and the formula is printed", {
  fit <- function(...) dg_ridge(y ~ . | domain, toy, lambda = 1, ...)
  expect_refusals({
    kernel_anova(0)
    kernel_anova(1.5)
    kernel_anova(bandwidth = -1)
    kernel_anova(bandwidth = 1, bandwidth_factor = 2)
    kernel_anova(sigma = 1)
    kernel_matrix(kernel_anova(bandwidth = 1:3), x)
    fit(kernel = kernel_anova(), domain_kernel = domain_pooled(), feature_map = features_rff())
    fit(domain_kernel = domain_distribution(embedding_kernel = kernel_anova(1)))
  })
  expect_snapshot({
    kernel_anova(1)
    kernel_anova(3, c(1, 2))
    kernel_anova(bandwidth_factor = 2) + kernel_linear()
  })
})
