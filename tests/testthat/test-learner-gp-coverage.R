# Predictive intervals where the data come from the model: f from the prior with a kernel
# between domains, parameters fitted, domains not seen in training. The margin of 93 to
# 97 % is wider than twice the standard error of 20 draws, which is about 0.5 %; that of the short
# form, 91 to 98 %, would notice variances that are wrong by 30 %.

draw_from_prior <- function(G = 24, rows = if (long_form()) 25 else 12) {
  domain <- factor(rep(seq_len(G), each = rows))
  X <- cbind(rnorm(G * rows, mean = rnorm(G)[domain]), runif(G * rows, -2, 2))
  K <- naive_gram(kernel_rbf(1.2), domain_distribution(kernel_rbf(1), kernel_rbf(0.5)), X, domain)
  f <- crossprod(chol(K + diag(1e-8, nrow(X))), rnorm(nrow(X)))
  list(X = X, y = 3 + drop(f) + rnorm(nrow(X), sd = 0.4), domain = domain,
       train = as.integer(domain) <= G / 2)
}

coverage_on <- function(d, ...) {
  model <- dg_gp(d$X[d$train, ], d$y[d$train], d$domain[d$train], restarts = 1, ...)
  interval <- predict(model, d$X[!d$train, ], domain = d$domain[!d$train], interval = "posterior",
                      level = 0.95)
  mean(d$y[!d$train] >= interval[, "lower"] & d$y[!d$train] <= interval[, "upper"])
}

test_that("95% intervals cover what they say on unseen domains, exact and by features", {
  skip_on_cran()
  set.seed(35)
  known <- list(kernel = kernel_rbf(1.2), scale = "none",
                domain_kernel = domain_distribution(kernel_rbf(1), kernel_rbf(0.5)))
  ways <- list(
    exact = list(),
    nystrom = c(known, list(feature_map = features_nystrom(200))),
    product = c(known, list(feature_map = features_product(x = features_nystrom(50))))
  )
  bounds <- if (long_form()) c(0.93, 0.97) else c(0.91, 0.98)
  covered <- replicate(if (long_form()) 20 else 6, {
    d <- draw_from_prior()
    vapply(ways, function(way) do.call(coverage_on, c(list(d), way)), numeric(1))
  })
  for (way in names(ways)) {
    expect_gt(mean(covered[way, ]), bounds[1L])
    expect_lt(mean(covered[way, ]), bounds[2L])
  }
})
