binary_site <- function(n = 80, seed = 1, shift = -0.5) {
  set.seed(seed)
  x <- rnorm(n)
  list(y = rbinom(n, 1, plogis(shift + 0.8 * x)), p = plogis(x), score = x)
}

test_that("AUC and its error are those of DeLong by all pairs", {
  d <- binary_site()
  d$score[1:30] <- round(d$score[1:30], 1)
  wins <- outer(d$score[d$y == 1], d$score[d$y == 0], function(a, b) (a > b) + (a == b) / 2)
  found <- site_auc(d)
  expect_equal(found$estimate, mean(wins), tolerance = 1e-12)
  expect_equal(found$se, sqrt(var(rowMeans(wins)) / nrow(wins) + var(colMeans(wins)) / ncol(wins)),
               tolerance = 1e-12)
})

test_that("AUC, its error and that of a difference are those of pROC", {
  skip_if_not_installed("pROC")
  d <- binary_site()
  other <- d
  other$score <- d$score + rnorm(80)
  roc <- function(d) pROC::roc(d$y, d$score, levels = 0:1, direction = "<", quiet = TRUE)
  a <- site_auc(d)
  b <- site_auc(other)
  expect_equal(a$se^2, pROC::var(roc(d)), tolerance = 1e-8)
  expect_equal(sum(a$effect * b$effect), pROC::cov(roc(d), roc(other)), tolerance = 1e-8)
})

test_that("the error of an area is that of Hanley and McNeil where both classes have equal rows", {
  A <- c(0.5, 0.62, 0.8, 0.97)
  for (n in c(1, 4, 30, 1e5)) {
    q1 <- A / (2 - A)
    q2 <- 2 * A^2 / (1 + A)
    of_1982 <- sqrt((A * (1 - A) + (n - 1) * (q1 - A^2) + (n - 1) * (q2 - A^2)) / n^2)
    expect_equal(area_error(A, n, n), of_1982)
  }
  expect_equal(area_error(A, 3, 40), area_error(A, 40, 3))
  expect_equal(area_error(A, 3, 40), area_error(1 - A, 3, 40))
})

test_that("intercept and slope are those of glm()", {
  d <- binary_site(200)
  logit <- qlogis(d$p)
  line <- summary(glm(d$y ~ logit, binomial(), epsilon = 1e-14))$coefficients
  free <- summary(glm(d$y ~ offset(logit), binomial(), epsilon = 1e-14))$coefficients
  expect_equal(unlist(line_slope(d, "class")[c("estimate", "se")], use.names = FALSE),
               unname(line[2L, 1:2]), tolerance = 1e-8)
  expect_equal(unlist(logistic_intercept(d)[c("estimate", "se")], use.names = FALSE),
               unname(free[1L, 1:2]), tolerance = 1e-8)
  d$p <- d$p * 5
  y <- d$y + rnorm(200)
  line <- summary(lm(y ~ d$p))$coefficients
  number <- list(y = y, p = d$p)
  found <- list(line_intercept(number, "number"), line_slope(number, "number"))
  for (k in 1:2) {
    expect_equal(unlist(found[[k]][c("estimate", "se")], use.names = FALSE), unname(line[k, 1:2]),
                 tolerance = 1e-10)
  }
})

test_that("the slope of counts is that of glm(), also of large and of overdispersed ones", {
  d <- binary_site(200)
  for (size in c(0.5, 20, 1e5)) {
    p <- d$p * size
    counts <- rnbinom(200, mu = p, size = 2)
    line <- summary(glm(counts ~ log(p), quasipoisson(), epsilon = 1e-14))
    found <- line_slope(list(y = counts, p = p), "count")
    expect_equal(found$estimate, line$coefficients[2L, 1L], tolerance = 1e-7)
    se <- line$coefficients[2L, 2L] / sqrt(min(line$dispersion, 1))
    expect_equal(found$se, se, tolerance = 1e-6)
  }
  # with events at the largest prediction alone there is no maximum
  expect_identical(line_slope(list(y = c(0, 0, 0, 3, 3, 3, 3, 3), p = rep(1:2, c(3, 5))),
                              "count")$estimate, NA_real_)
})

test_that("with few events Firth's penalised likelihood is at its maximum", {
  d <- binary_site(30, shift = -2)
  expect_lt(sum(d$y), few_events)
  x <- qlogis(d$p)
  penalised <- function(beta) {
    p <- plogis(beta[1L] + beta[2L] * x)
    X <- cbind(1, x)
    -sum(log(ifelse(d$y == 1, p, 1 - p))) - log(det(crossprod(X, p * (1 - p) * X))) / 2
  }
  best <- optim(c(0, 0), penalised, method = "BFGS", control = list(reltol = 1e-15))$par
  fit <- canonical_fit(cbind(1, x), d$y, binomial())
  expect_equal(unname(fit$beta), best, tolerance = 1e-5)
})

test_that("errors of means and ratios are those of the jackknife, which they approach", {
  d <- binary_site(400)
  number <- list(y = 2 * d$score + rnorm(400), p = 2 * d$score)
  jackknife <- function(of, d) {
    without <- vapply(seq_along(d$y), function(i) {
      of(lapply(d, function(v) v[-i]))$estimate
    }, 0)
    n <- length(without)
    sqrt((n - 1) / n * sum((without - mean(without))^2))
  }
  for (name in c("oe", "brier", "scaled_brier", "log_loss")) {
    of <- measures$class[[name]]$of
    expect_equal(of(d)$se, jackknife(of, d), tolerance = 0.01)
  }
  for (name in c("rmse", "r2", "bias")) {
    of <- measures$number[[name]]$of
    expect_equal(of(number)$se, jackknife(of, number), tolerance = 0.01)
  }
  counts <- list(y = rpois(400, exp(d$score)), p = exp(d$score))
  of <- measures$count$deviance$of
  expect_equal(of(counts)$se, jackknife(of, counts), tolerance = 0.01)
})

test_that("the ranked probability score and concordance are those of their definition", {
  set.seed(1)
  P <- matrix(rexp(120), 40)
  P <- P / rowSums(P)
  y <- sample(1:3, 40, TRUE)
  rps <- vapply(1:40, function(i) sum((cumsum(P[i, ]) - (y[i] <= 1:3))^2), 0)
  expect_equal(measures$ordinal$rps$of(list(y = y, p = P))$estimate, mean(rps))
  score <- round(drop(P %*% 1:3), 1)
  right <- outer(score, score, function(a, b) (a > b) + (a == b) / 2)
  expect_equal(site_auc(list(y = y, score = score))$estimate, mean(right[outer(y, y, ">")]))
})

test_that("small sites have no value, or one whose error says how little it is worth", {
  one <- list(y = c(1, 0, 0), p = c(0.6, 0.2, 0.1), score = c(3, 2, 1))
  none <- list(y = c(0, 0, 0), p = one$p, score = one$score)
  expect_identical(site_auc(none)$estimate, NA_real_)
  expect_identical(line_slope(one, "class")$estimate, NA_real_)
  expect_identical(site_ratio(none)$estimate, 0)
  expect_equal(site_ratio(none)$value, log(0.5 / 0.9))
  # an event between two others
  middle <- list(y = c(0, 1, 0), score = c(3, 2, 1))
  se <- function(d) on_scale(site_auc(d), scales$logit)$value_se
  expect_gt(se(middle), 2 * se(lapply(middle, rep, each = 6)))
  expect_true(is.finite(logistic_intercept(none)$estimate))
})

test_that("the probability of a hit is on the logit scale also where all hit", {
  found <- on_scale(site_proportion(rep(TRUE, 8), rep(TRUE, 8)), scales$logit)
  expect_identical(found$estimate, 1)
  expect_equal(found$value, log(8.5 / 0.5))
})
