# A learner as a row of parts, R/fit-rows.R: the kernel smoother of vignette("extending").

smoother_row <- function() learner_row("Kernel smoother", function(problem, shared) {
  list(coefficients = space_sums(problem))
})

dg_smoother <- function(x, y = NULL, domain = NULL, data = NULL, kernel = kernel_rbf(1),
                        domain_kernel = domain_pooled(), feature_map = features_exact(),
                        weights = NULL, scale = "pooled", na.action = stats::na.omit,
                        threads = NULL, ...) {
  learner_call("dg_smoother", environment(), match.call(), parent.frame(), smoother_row())
}

with_smoother <- function(code) {
  # method_spec() finds the function by its name
  assign("dg_smoother", dg_smoother, globalenv())
  on.exit(rm("dg_smoother", envir = globalenv()))
  registerS3method("decision", "dg_smoother", function(object, new) {
    sums <- space_expansion(object$space, new, object$coefficients)
    last <- ncol(sums)
    sums[, -last, drop = FALSE] / sums[, last]
  }, envir = asNamespace("domgen"))
  force(code)
}

test_that("a row with a way to solve is a learner, in memory the naive smoother", with_smoother({
  d <- simulate_dica(domains = 5, n = 20, p = 2, seed = 1)
  d$w <- rep_len(c(1, 2, 0), nrow(d))
  model <- dg_smoother(y ~ x1 + x2 | domain, data = d, weights = w)
  X <- scale(as.matrix(d[c("x1", "x2")]))
  K <- d$w * exp(-as.matrix(dist(X))^2 / 2)
  naive <- unname(colSums(d$y * K) / colSums(K))
  expect_equal(fitted(model), naive, tolerance = 1e-10)
  expect_equal(predict(model, d[7:9, ]), naive[7:9], tolerance = 1e-10)
  three <- dg_smoother(cut(y, 3) ~ x1 + x2 | domain, data = d)
  expect_identical(levels(predict(three, d[1:3, ])), levels(cut(d$y, 3)))
}))

test_that("it runs over a source, with a feature map and without, and without a word about either",
          with_smoother({
  d <- simulate_dica(domains = 5, n = 20, p = 2, seed = 1)
  formula <- y ~ x1 + x2 | domain
  all <- features_nystrom(nrow(d), sampling = "uniform")
  exact <- dg_smoother(formula, data = d, domain_kernel = domain_distribution())
  for (features in list(features_exact(), all)) {
    model <- suppressWarnings(dg_smoother(formula, data = row_source(d, block_size = 40),
                                          domain_kernel = domain_distribution(),
                                          feature_map = features))
    expect_equal(predict(model, d), predict(exact, d), tolerance = 1e-4)
    expect_equal(
      suppressWarnings(dg_cv(dg_smoother(feature_map = features), formula, data = row_source(d)))$mean,
      dg_cv(dg_smoother(), formula, data = d)$mean, tolerance = 0.03
    )
  }
}))
