noisy <- with_seed(3, {
  d <- data.frame(domain = gl(12, 15))
  d$x1 <- stats::rnorm(180) + stats::rnorm(12)[d$domain]
  d$x2 <- stats::rnorm(180)
  d$noise <- stats::rnorm(180)
  d$y <- sin(d$x1) + stats::rnorm(180)
  d
})

test_that("lambda and the width of kappa are those of a search written out by leaving domains out", {
  model <- dg_ridge(y ~ x1 + x2 | domain, data = noisy)
  folds <- calibration_folds(list(weights = rep(1, 180), domain = noisy$domain))
  held <- folds[noisy$domain]
  y <- (noisy$y - mean(noisy$y)) / sqrt(mean((noisy$y - mean(noisy$y))^2))
  X <- model$space$X
  sigma <- median_bandwidth(X)
  K <- exp(-as.matrix(dist(X))^2 / (2 * sigma^2))
  gram <- domain_gram(X, noisy$domain, kernel_rbf(sigma))
  outer_sigma <- stats::median(sqrt(dg_mmd(X, noisy$domain, kernel_rbf(sigma))$squared)[lower.tri(gram)])
  squares <- outer(diag(gram), diag(gram), "+") - 2 * gram
  shares <- 10^seq(-5, 1, by = 0.5)
  left_out <- function(times, lambda) {
    kappa <- exp(-squares / (2 * (times * outer_sigma)^2))[noisy$domain, noisy$domain]
    r <- numeric(180)
    for (k in unique(held)) {
      i <- held == k
      centre <- mean(y[!i])
      alpha <- solve((K * kappa)[!i, !i] + lambda * diag(sum(!i)), y[!i] - centre)
      r[i] <- y[i] - centre - (K * kappa)[i, !i] %*% alpha
    }
    r^2
  }
  found <- lapply(c(1, 2, 4, 8), function(times) {
    squares <- vapply(180 * shares, function(lambda) left_out(times, lambda), numeric(180))
    best <- which.min(colSums(squares))
    list(best = best, domains = rowsum(squares[, best], noisy$domain))
  })
  total <- vapply(found, function(f) sum(f$domains), numeric(1))
  good <- vapply(found, function(f) {
    worse <- f$domains - found[[which.min(total)]]$domains
    sum(worse) <= 0.5 * sqrt(12) * stats::sd(worse)
  }, NA)
  chosen <- max(which(good | total == min(total)))
  expect_equal(model$lambda, 180 * shares[found[[chosen]]$best])
  expect_equal(model$space$domain_kernel$embedding_kernel$bandwidth, outer_sigma * c(1, 2, 4, 8)[chosen],
               tolerance = 1e-8)
})

test_that("a given lambda or cost is used as it is, with the median", {
  given <- dg_ridge(y ~ x1 + x2 | domain, data = noisy, lambda = 2)
  expect_identical(given$lambda, 2)
  alpha <- solve(space_gram(given$space) + 2 * diag(180), drop(code_rows(given$response, given$y)))
  expect_equal(c(given$coefficients), alpha, tolerance = 1e-8)
  distances <- sqrt(dg_mmd(given$space$X, noisy$domain, given$space$domain_kernel$kernel)$squared)
  expect_equal(given$space$domain_kernel$embedding_kernel$bandwidth, stats::median(distances[lower.tri(distances)]),
               tolerance = 1e-8)
  svm <- dg_svm(y ~ x1 + x2 | domain, data = noisy, cost = 3)
  expect_equal(range(svm$costs), c(3, 3))
})

test_that("the penalty that was chosen gives the model that is given it", {
  chosen <- dg_ridge(y ~ x1 + x2 | domain, data = noisy)
  expect_output(print(chosen), "chosen on held-out domains")
  again <- dg_ridge(y ~ x1 + x2 | domain, data = noisy, lambda = chosen$lambda,
                    domain_kernel = domain_distribution(
                      embedding_kernel = kernel_rbf(chosen$space$domain_kernel$embedding_kernel$bandwidth)))
  expect_equal(predict(chosen, noisy), predict(again, noisy), tolerance = 1e-10)
  expect_equal(dg_cv(chosen)$mean, dg_cv(again)$mean, tolerance = 1e-8)
})

test_that("noise is not fitted: the default is as good as the mean where there is nothing to learn", {
  data <- transform(noisy, y = noise)
  held <- data$domain %in% 1:4
  train <- droplevels(data[!held, ])
  test <- droplevels(data[held, ])
  null <- sqrt(mean((mean(train$y) - test$y)^2))
  for (model in list(dg_ridge(y ~ x1 + x2 | domain, data = train),
                     dg_svm(y ~ x1 + x2 | domain, data = train))) {
    expect_lt(sqrt(mean((predict(model, test) - test$y)^2)), 1.01 * null)
  }
})

test_that("every kind of response, features and weights chooses a penalty, and rows of weight 0 none", {
  data <- transform(noisy, class = factor(ifelse(y > 0, "a", "b")),
                    three = cut(y, c(-Inf, -0.5, 0.5, Inf), c("l", "m", "h")))
  for (response in c("y", "class", "three")) {
    f <- stats::reformulate(c("x1", "x2 | domain"), response)
    for (spec in list(dg_ridge(), dg_svm(), dg_ridge(intercept = TRUE), dg_svm(loss = NULL, intercept = TRUE),
                      dg_ridge(domain_kernel = domain_pooled()),
                      dg_ridge(domain_kernel = domain_multitask(0.5)))) {
      model <- fit(spec, f, data = data)
      expect_gt(penalty_of(model, if (spec$method == "dg_svm") "cost" else "lambda"), 0)
    }
  }
  weights <- rep(c(1, 0), c(135, 45))
  weighted <- dg_ridge(y ~ x1 + x2 | domain, data = noisy, weights = weights, scale = "none",
                       kernel = kernel_rbf(1), domain_kernel = domain_pooled())
  part <- dg_ridge(y ~ x1 + x2 | domain, data = noisy[weights > 0, ], scale = "none",
                   kernel = kernel_rbf(1), domain_kernel = domain_pooled())
  expect_equal(weighted$lambda, part$lambda)
  few <- with_seed(1, dg_ridge(y ~ x1 + x2 | domain, data = noisy, feature_map = features_nystrom(30)))
  exact <- dg_ridge(y ~ x1 + x2 | domain, data = noisy)
  expect_lte(abs(log10(few$lambda / exact$lambda)), 0.5)
})

test_that("one domain leaves the penalty at 1", {
  one <- noisy[noisy$domain == 1, ]
  expect_identical(dg_ridge(one[c("x1", "x2")], one$y, domain_kernel = domain_pooled())$lambda, 1)
  expect_identical(dg_svm(one[c("x1", "x2")], one$y, domain_kernel = domain_pooled())$cost, 1)
})

test_that("the penalty does not depend on the order of rows", {
  turned <- noisy[rev(seq_len(180)), ]
  for (method in list(dg_ridge, dg_svm)) {
    a <- method(y ~ x1 + x2 | domain, data = noisy)
    b <- method(y ~ x1 + x2 | domain, data = turned)
    expect_equal(a[["lambda"]], b[["lambda"]])
    expect_equal(a[["cost"]], b[["cost"]], tolerance = 1e-6)
  }
})

test_that("of many equal rows the order changes nothing, nor do fits change random numbers", {
  d <- with_seed(2, data.frame(g = gl(6, 100), x = rbinom(600, 1, 0.5), v = rbinom(600, 2, 0.5)))
  d$y <- with_seed(3, rpois(600, exp(0.5 * d$x)))
  d$class <- cut(d$y, c(-1, 0, 1, 99))
  set.seed(1)
  before <- .Random.seed
  for (f in list(y ~ x + v | g, class ~ x + v | g)) {
    family <- if (all.vars(f)[1L] == "y") "poisson" else "multinomial"
    choose <- function(rows) dg_glm(f, d[rows, ], family = family)$lambda
    expect_equal(choose(1:600), choose(with_seed(4, sample(600))), label = family)
  }
  expect_identical(.Random.seed, before)
})

test_that("more rows than are searched give nearly the same penalty", {
  skip_on_cran()
  large <- with_seed(5, {
    d <- data.frame(domain = gl(10, 150), x = stats::rnorm(1500))
    d$y <- sin(2 * d$x) + 0.5 * stats::rnorm(1500)
    d
  })
  model <- dg_ridge(y ~ x | domain, data = large, domain_kernel = domain_pooled())
  task <- ridge_task(list(y = large$y, weights = rep(1, 1500), domain = large$domain),
                     model$spec$args)
  path <- ridge_path(space_gram(model$space), task$Y, large$domain, task$costs,
                     1500 * 10^seq(-5, 1, by = 0.5))
  best <- 1500 * 10^seq(-5, 1, by = 0.5)[which.min(path$error)]
  expect_lte(abs(log10(model$lambda / best)), 1)
})

test_that("the order of predictors and of levels changes no choice, however many rows there are", {
  specs <- list(dg_glm(), dg_ridge(), dg_glm(feature_map = features_nystrom(20)))
  for (draw in seq_along(specs)) with_seed(draw, {
    # more than median_bandwidth() and the searches look at
    n <- 1200L
    d <- data.frame(site = sample(letters[1:20], n, TRUE), x = rnorm(n), z = round(rnorm(n), 1),
                    g = factor(sample(letters[1:4], n, TRUE, 4:1)),
                    h = factor(sample(letters[1:3], n, TRUE)))
    d$y <- factor(rbinom(n, 1L, plogis(d$x + (d$g == "c") + rnorm(26L)[match(d$site, letters)])))
    other <- transform(d, g = factor(g, sample(levels(g))), h = factor(h, rev(levels(h))))
    expect_gt(n, penalty_rows)
    X <- cbind(d$x, d$z, outer(d$g, letters[1:4], "=="))
    expect_equal(median_bandwidth(X), median_bandwidth(X[, sample(6L)]), tolerance = 1e-14)
    one <- with_seed(1L, fit(specs[[draw]], y ~ x + z + g + h | site, data = d))
    two <- with_seed(1L, fit(specs[[draw]], y ~ h + z + x + g | site, data = other))
    expect_equal(two$lambda, one$lambda, tolerance = 1e-9)
    expect_equal(two$decision, one$decision, tolerance = 1e-8)
  })
})

test_that("constants of several machines stand in a row without gaps", {
  of <- function(intercept, wanted) {
    fact_words(intercept_fact(list(intercept = intercept,
                                   spec = list(args = list(intercept = wanted)))))
  }
  expect_identical(of(c(-0.12345, 0.5, 10), TRUE), "-0.1234, 0.5000, 10.0000")
  expect_identical(of(0.25, TRUE), "0.25")
  expect_identical(of(0, FALSE), "none")
})
