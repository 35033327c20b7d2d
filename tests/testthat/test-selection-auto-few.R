# Few training domains: what is averaged, and what is not tried.
world <- function(domains, slopes, sd = 1) {
  do.call(rbind, lapply(seq_len(domains), function(d) {
    Z <- matrix(rnorm(90), 30)
    X <- Z + rep(sd * rnorm(3), each = 30)
    data.frame(y = c(X %*% slopes) + 0.5 * rnorm(1) + rnorm(1) * Z[, 1] + rnorm(30), X,
               domain = factor(d))
  }))
}
mean_rmse <- function(model, data) {
  mean(sqrt(tapply((predict(model, data) - data$y)^2, data$domain, mean)))
}

test_that("linear functions of the means of as few domains as predictors are not tried", {
  set.seed(5005)
  slopes <- rnorm(3)
  train <- world(5, slopes)
  new <- transform(world(20, slopes), domain = factor(paste("new", domain)))
  model <- dg_auto(y ~ X1 + X2 + X3 | domain, data = train, seed = 5, max_ard = 0,
                   progress = FALSE)
  tried <- model$choice$table
  expect_false(any(grepl("mean", tried$scale) & grepl("linear kernel", tried$kernel)))
  # with them 6 times the null model's
  expect_lt(mean_rmse(model, new), mean_rmse(dg_null(y ~ X1 | domain, data = train), new))
})

test_that("of few domains only kinds near the best are averaged", {
  search <- list(scored_by = factor(c(1, 1, 2, 2)),
                 stack = list(target = matrix(0, 4), share = rep(0.25, 4)))
  value <- function(key) matrix(c(best = 1, near = 1.2, far = 1.3)[[key]], 4)
  keys <- c("far", "near", "best")
  expect_identical(near_best(search, keys, value, TRUE), c("near", "best"))
  # of the domains that are used: the others do not count
  other <- function(key) matrix(if (key == "far") c(1, 1, 9, 9) else c(1, 1, 1, 1), 4)
  expect_identical(near_best(search, keys, other, c(TRUE, FALSE)), keys)
  search$scored_by <- factor(rep(1:5, each = 2))
  expect_identical(near_best(search, keys, value, TRUE), keys)
})

test_that("print says where what is chosen is not expected to be better than the null model", {
  model <- dg_auto(case ~ age + parity + spontaneous + induced | education, seed = 1,
                   data = transform(infert, case = factor(case)), max_ard = 0)
  null <- with(model$choice$table, mean[which(kernel == "null model")])
  expect_gt(model$choice$expected$mean, null)
  expect_length(null_words(model$choice), 0L)
  model$choice$expected$mean <- null - 0.01
  expect_match(null_words(model$choice), "null model by the accuracy, and there are too few domains")
  many <- model$choice
  many$scores <- many$scores[rep(1:3, 2L), ]
  expect_match(null_words(many), "no better than the null model by the accuracy$")
  many["selected_by"] <- list(NULL)
  expect_match(null_words(many), "it is better only before correction$")
  expect_match(auto_notes(model$choice, 2:3), "Expected to be no better than the null model",
               all = FALSE)
})
