# balanced repeated measures: all domains have the same predictors
balanced <- with_seed(1, {
  d <- data.frame(id = gl(8, 5), t = rep(1:5, 8))
  d$y <- d$t + stats::rnorm(8)[d$id] + stats::rnorm(40, sd = 0.3)
  d
})
learners <- list(dg_svm = dg_svm(cost = 10), dg_ridge = dg_ridge(lambda = 0.1),
                 dg_gp = dg_gp(optimise = FALSE),
                 nystrom = dg_ridge(lambda = 0.1, feature_map = features_nystrom(5)))

test_that("where domains have the same predictors a new one with a row less is predicted as they are", {
  new <- data.frame(id = "new", t = 1:4)
  for (name in names(learners)) {
    model <- suppressWarnings(fit(learners[[name]], y ~ t | id, data = balanced))
    sigma <- model$space$domain_kernel$embedding_kernel$bandwidth
    expect_gt(sigma, 1e-3)
    expect_no_warning(p <- predict(model, new))
    line <- stats::predict(stats::lm(y ~ t, data = balanced), new)
    expect_lt(max(abs(p - line)), 0.5)
    expect_equal(unname(c(model$space$domain_kernel$kappa)), rep(1, 64), tolerance = 1e-8)
  }
})

test_that("the floor of the bandwidth is the distance that two samples of one distribution have", {
  kernel <- kernel_rbf(1)
  own <- 1
  mean_square <- mean(with_seed(2, replicate(200, {
    x <- matrix(stats::rnorm(120), 60)
    sum(dg_mmd(x, rep(1:2, c(20, 40)), kernel)$squared) / 2
  })))
  noise <- with_seed(3, replicate(50, {
    x <- matrix(stats::rnorm(120), 60)
    d <- factor(rep(1:2, c(20, 40)))
    embedding_noise(domain_gram(x, d, kernel), c(20L, 40L), own)^2
  }))
  # both are means over draws: a standard error of some percent
  expect_equal(mean(noise), mean_square, tolerance = 0.06)
})

test_that("the bandwidth between domains is the median where shift is clear, and else the floor", {
  kernel <- kernel_rbf(1)
  at <- function(centre, n = 10) do.call(rbind, lapply(centre, function(m) cbind(m + seq_len(n) / n)))
  d <- function(k, n = 10) gl(k, n)
  bandwidth <- function(x, d) {
    gram <- domain_gram(x, d, kernel)
    embedding_bandwidth(gram, tabulate(d), 1)
  }
  shifted <- at(0:4)
  distances <- sqrt(dg_mmd(shifted, d(5), kernel)$squared)
  expect_equal(bandwidth(shifted, d(5)), stats::median(distances[lower.tri(distances)]))
  # all the same; all but one, where the others' median is 0
  same <- bandwidth(at(rep(0, 5)), d(5))
  expect_equal(same, embedding_noise(domain_gram(at(rep(0, 5)), d(5), kernel), rep(10, 5), 1))
  one <- at(c(rep(0, 7), 3))
  distances <- sqrt(dg_mmd(one, d(8), kernel)$squared)
  expect_equal(bandwidth(one, d(8)), max(distances))
  # one row a domain: there is no noise to be known
  expect_equal(bandwidth(cbind(c(0, 1, 3)), gl(3, 1)), sqrt(2 - 2 * exp(-2)))
  # constant within equal domains
  expect_equal(bandwidth(cbind(rep(1, 6)), gl(3, 2)), 1)
})

test_that("the median distance of rows takes rounding for no difference", {
  expect_equal(median_bandwidth(cbind(1e8 + c(0, 1e-9, 2e-9))), 1)
  expect_equal(median_bandwidth(cbind(rep(0.1 + 0.2, 4), rep(c(0.3, 0.1 + 0.2), 2))), 1)
  # clusters of rows that are the same but for rounding
  x <- cbind(c(rep(0.3, 5), rep(0.1 + 0.2, 5), 7))
  expect_equal(median_bandwidth(x), 6.7)
  # a constant column of any size takes nothing from the others
  small <- c(1e-8, 2e-8, 4e-8)
  expect_equal(median_bandwidth(cbind(1e10, small)), median_bandwidth(cbind(small)))
})

worlds <- function(seed, shift = 0.5, rows = 25) {
  with_seed(seed, {
    centre <- matrix(stats::rnorm(24, sd = shift), 12)
    d <- rep(1:12, each = rows)
    x <- centre[d, ] + matrix(stats::rnorm(24 * rows), 12 * rows)
    data.frame(y = x[, 1] + stats::rnorm(12 * rows), x, domain = factor(d))
  })
}

test_that("a domain ten standard deviations away is told by name, once, and ordinary ones are not", {
  for (name in names(learners)) {
    data <- worlds(1)
    train <- droplevels(subset(data, as.integer(domain) <= 8))
    test <- droplevels(subset(data, as.integer(domain) > 8))
    model <- suppressWarnings(fit(learners[[name]], y ~ X1 + X2 | domain, data = train))
    expect_no_warning(predict(model, test))
    far <- transform(test, X1 = X1 + 10 * (domain == "11"), X2 = X2 + 10 * (domain == "11"))
    told <- character()
    withCallingHandlers(predict(model, far), domgen_warning_far_domain = function(w) {
      told <<- c(told, conditionMessage(w))
      invokeRestart("muffleWarning")
    })
    expect_length(told, 1L)
    expect_match(told, "Domain \"11\" is far from every training domain")
  }
  spec <- dg_pipeline(dg_kpca(ncomp = 2, domain_kernel = domain_distribution()),
                dg_ridge(lambda = 1, domain_kernel = domain_pooled()))
  model <- fit(spec, y ~ X1 + X2 | domain, data = train)
  expect_warning(predict(model, far), class = "domgen_warning_far_domain")
})

test_that("support is the largest normalised kernel to a training row", {
  data <- worlds(2)
  train <- droplevels(subset(data, as.integer(domain) <= 8))
  test <- droplevels(subset(data, as.integer(domain) > 8))
  test[1, c("X1", "X2")] <- NA
  test$X1[2] <- 50
  for (kernel in list(kernel_rbf(), kernel_poly(2))) for (outer in list(kernel_rbf(), kernel_linear())) {
    model <- dg_ridge(y ~ X1 + X2 | domain, data = train, lambda = 1, kernel = kernel,
                      domain_kernel = domain_distribution(embedding_kernel = outer))
    support <- suppressWarnings(predict(model, test, type = "similarity"))
    expect_identical(is.na(support), c(TRUE, rep(FALSE, nrow(test) - 1L)))
    scaling <- model$blueprint$scaling
    X <- apply_scaling(as.matrix(test[-1, c("X1", "X2")]), scaling, test$domain[-1])
    all <- rbind(model$space$X, X)
    d <- c(as.integer(train$domain), 8L + as.integer(droplevels(test$domain[-1])))
    gram <- unname(domain_gram(all, d, model$space$domain_kernel$kernel))
    kappa <- kernel_profile(model$space$domain_kernel$embedding_kernel, gram, diag(gram), diag(gram))
    K <- kernel_matrix(model$space$kernel, all) * kappa[d, d]
    cosines <- abs(K) / sqrt(outer(diag(K), diag(K)))
    old <- seq_len(nrow(train))
    expect_equal(support[-1], apply(cosines[-old, old], 1, max), tolerance = 1e-10)
    expect_equal(predict(model, train, type = "similarity"), rep(1, nrow(train)), tolerance = 1e-10)
  }
  gp <- dg_gp(y ~ X1 + X2 | domain, data = train, restarts = 1)
  expect_lt(suppressWarnings(predict(gp, test, type = "similarity"))[2], 1e-3)
  landmarks <- with_seed(1, dg_svm(y ~ X1 + X2 | domain, data = train,
                                   feature_map = features_nystrom(200)))
  support <- suppressWarnings(predict(landmarks, test, type = "similarity"))
  expect_true(all(support[-1] >= 0 & support[-1] <= 1) && support[2] < 1e-3)
})

test_that("support is refused where there is nothing to compare with", {
  data <- worlds(2)
  for (spec in list(dg_null(), dg_lm(), dg_ridge(feature_map = features_rff(20), domain_kernel = domain_pooled()))) {
    model <- fit(spec, y ~ X1 + X2 | domain, data = data)
    expect_error(predict(model, data, type = "similarity"), class = "domgen_error_argument")
  }
  model <- dg_ridge(y ~ X1 + X2 | domain, data = data)
  expect_error(predict(model, type = "similarity"), "`newdata` must be given",
               class = "domgen_error_argument")
})
