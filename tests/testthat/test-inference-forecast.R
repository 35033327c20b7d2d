# Forecasts of scores: the regression against sums in loops with whole matrices, expected scores
# against enumeration, the parts of a loss in a world of known densities.

# The density of all values, and mean and variance of theta at site g given the others, by loops.
naive_forecast <- function(value, se, e, d, large, g) {
  grid <- forecast_grid(large, !is.null(d))
  slopes <- if (is.null(e)) 0 else forecast_slopes
  k <- length(value)
  terms <- list()
  for (i in seq_len(nrow(grid))) for (c in slopes) {
    y <- if (is.null(e)) value else value - c * e
    V <- diag(grid$tau[i]^2 + se^2)
    if (!is.null(d)) V <- V + grid$s[i]^2 * outer(d, d)
    density <- function(at) {
      P <- solve(V[at, at])
      one <- rep(1, length(at))
      mu <- sum(P %*% y[at]) / sum(P)
      misfit <- drop((y[at] - mu) %*% P %*% (y[at] - mu))
      -(determinant(V[at, at])$modulus + log(sum(P)) + misfit) / 2
    }
    others <- setdiff(seq_len(k), g)
    P <- solve(V[others, others])
    mu <- sum(P %*% y[others]) / sum(P)
    across <- V[g, others]
    mean <- mu + drop(across %*% P %*% (y[others] - mu)) + if (is.null(e)) 0 else c * e[g]
    left <- 1 - sum(across %*% P)
    variance <- V[g, g] - se[g]^2 - drop(across %*% P %*% across) + left^2 / sum(P)
    terms[[length(terms) + 1L]] <- c(density(seq_len(k)), density(others), mean, variance) +
      c(grid$log_weight[i] - log(length(slopes)), grid$log_weight[i], 0, 0)
  }
  terms <- do.call(rbind, terms)
  w <- shares_of(terms[, 2])
  list(evidence = max(terms[, 1]) + log(sum(exp(terms[, 1] - max(terms[, 1])))),
       mean = sum(w * terms[, 3]), second = sum(w * (terms[, 4] + terms[, 3]^2)))
}

test_that("values given all others are those of normal distributions, summed in loops", {
  set.seed(1)
  value <- stats::rnorm(6)
  se <- stats::runif(6, 0.1, 0.6)
  e <- stats::rnorm(6)
  d <- stats::rnorm(6)
  for (case in list(list(NULL, NULL), list(e, d))) {
    found <- left_out_sites(value, se, case[[1]], case[[2]], 0.5)
    own <- found$without()
    naive <- naive_forecast(value, se, case[[1]], case[[2]], 0.5, 2L)
    expect_equal(found$evidence, naive$evidence, tolerance = 1e-8)
    expect_equal(left_out_means(found)[2], naive$mean, tolerance = 1e-8)
    expect_equal(sum(own$weights[, 2] * (own$sd[, 2]^2 + own$mean[, 2]^2)), naive$second,
                 tolerance = 1e-8)
  }
})

test_that("a new site is one whose value says nothing", {
  set.seed(2)
  value <- stats::rnorm(8)
  described <- list(e = stats::rnorm(8), new_e = c(0.5, -1), d = stats::rnorm(8), new_d = c(0, 2))
  found <- forecast_sites(value, rep(0.2, 8), described, 0.5, 1, 0.9)
  naive <- naive_forecast(c(value, 5), c(rep(0.2, 8), 0.2), c(described$e, 0.5),
                          c(described$d, 0), 0.5, 9L)
  expect_equal(found$new$mean[1], naive$mean, tolerance = 1e-5)
  expect_equal(found$left_out$mean, left_out_means(
    left_out_sites(value, rep(0.2, 8), described$e, described$d, 0.5)
  ), tolerance = 1e-5)
  expect_true(all(found$new$lower < found$new$mean & found$new$mean < found$new$upper))
})

test_that("forecasts shift with the values and do not depend on the order", {
  set.seed(3)
  value <- stats::rnorm(9)
  se <- stats::runif(9, 0.1, 0.3)
  e <- stats::rnorm(9)
  d <- stats::rnorm(9)
  means <- function(i, shift) left_out_means(left_out_sites(value[i] + shift, se[i], e[i], d[i], 1))
  order <- c(3, 1, 9, 2, 5, 4, 8, 7, 6)
  expect_equal(means(order, 0), means(1:9, 0)[order])
  expect_equal(means(1:9, 4), means(1:9, 0) + 4)
})

test_that("without a signal few are forecast, with one nearly all", {
  set.seed(4)
  decide <- function(signal) {
    e <- stats::rnorm(12, sd = 0.3)
    se <- stats::runif(12, 0.05, 0.15)
    value <- signal * e + stats::rnorm(12, sd = 0.1 + 0.2 * (signal == 0)) + se * stats::rnorm(12)
    found <- forecast_skill(value, se, even_errors(value, se),
                            list(e = e - mean(e), d = stats::rnorm(12)), 0.5, 19L)
    isTRUE(found$skill > 0) && found$p <= 0.05
  }
  expect_lte(sum(replicate(40, decide(0))), 5L)
  expect_gte(mean(replicate(10, decide(1))), 0.9)
})

test_that("forecasts are of sites, also where precision goes with the value", {
  off <- with_seed(1, replicate(12L, {
    z <- stats::runif(80L, -1.7, 1.7)
    e <- stats::rnorm(80L)
    theta <- 0.5 * e + 0.1 * (0.7 * z + 0.7 * stats::rnorm(80L))
    known <- 1:40
    value <- theta[known] + exp(-1.4 - z[known]) * stats::rnorm(40L)
    scores <- data.frame(domain = paste(known), rows = 1, estimate = value, value,
                         se = exp(-1.4 - z[known]), value_se = exp(-1.4 - z[known]),
                         likelihood = I(vector("list", 40L)), information = I(vector("list", 40L)))
    expected <- list(left_out = stats::setNames(e[known], known),
                     new = stats::setNames(e[-known], 41:80), rows = list(domain = factor()))
    measure <- list(scale = "identity", prior_sd = 0.5, loss = function(d) numeric())
    found <- forecast_from(scores, expected, NULL, paste(41:80), measure, 1, 0.95,
                           19L)$regression
    c(mean(found$forecast - theta[-known]),
      mean(found$lower <= theta[-known] & theta[-known] <= found$upper))
  }))
  # by precision: 0.07, and 0.88 of new sites in the interval
  expect_lt(abs(mean(off[1L, ])), 0.03)
  expect_gte(mean(off[2L, ]), 0.93)
})

test_that("expected scores are sums over all labels", {
  set.seed(5)
  n <- 5L
  p <- stats::runif(n)
  q <- stats::runif(n)
  d <- list(p = cbind(1 - p, p), q = cbind(1 - q, q), class = 1L + (p > 0.5), score = p)
  labels <- as.matrix(expand.grid(rep(list(1:2), n)))
  chance <- apply(labels, 1, function(y) prod(d$q[cbind(seq_len(n), y)]))
  for (name in c("accuracy", "log_loss", "brier")) {
    measure <- forecast_scores$class[[name]]
    losses <- apply(labels, 1, function(y) mean(measure$loss(c(d, list(y = y)))))
    expected <- sum(chance * losses)
    expect_equal(measure$expected(d), if (name == "accuracy") 1 - expected else expected)
  }
  d$score <- c(1, 2, 2, 3, 3)
  pairs <- function(won) {
    both <- outer(q, 1 - q)
    diag(both) <- 0
    sum(both * won)
  }
  won <- outer(d$score, d$score, ">") + outer(d$score, d$score, "==") / 2
  expect_equal(expected_auc(d), pairs(won) / pairs(1))
})

test_that("the loss of a class is that of dg_cv()", {
  toy <- toy_classes(5, 20)
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = c("brier", "log_loss", "accuracy"))
  rows <- held_out_scored(cv, levels(toy$y), NULL)
  for (name in c("brier", "log_loss", "accuracy")) {
    expect_equal(site_scores(rows, forecast_scores$class[[name]])$estimate, cv$domains[[name]])
  }
})

test_that("what is expected of errors does not use the means of sites", {
  set.seed(6)
  domain <- factor(rep(1:6, each = 20))
  X <- matrix(stats::rnorm(240), 120, dimnames = list(NULL, c("a", "b")))
  values <- abs(X[, 1]) + stats::runif(120)
  shift <- c(3, 0, 5, 1, 2, 9)
  found <- within_regression(X, values, domain, X)
  moved <- within_regression(X, values + shift[domain], domain, X)
  expect_equal(found$fitted - mean(found$fitted), moved$fitted - mean(moved$fitted))
  # the same rows as new ones
  expect_equal(found$fitted, found$new)
  expect_gt(stats::cor(found$new, abs(X[, 1])), 0.5)
  expect_null(within_regression(X[, 0, drop = FALSE], values, domain, X[, 0, drop = FALSE]))
  # a row of each domain leaves nothing within
  expect_null(within_regression(X[1:6, ], values[1:6], factor(1:6), X))
})

test_that("sampling error that the expected score shares is told from the rest", {
  set.seed(10)
  y <- stats::rnorm(1200)
  share <- function(error) {
    row_share(list(rows = list(y = y, p = 0 * y, error = error, domain = factor(rep(1:12, 100)))),
              forecast_scores$number$rmse)
  }
  # what is expected of each row is its error, or says nothing of it
  expect_equal(share(abs(y)), 0.9)
  expect_lt(share(abs(stats::rnorm(1200))), 0.1)
})

test_that("odds of a site are the ratio of the densities, whatever the numbers of rows", {
  set.seed(11)
  site <- factor(rep(1:6, c(20, 20, 20, 40, 150, 450)))
  train <- list(X = matrix(stats::rnorm(700)), loss = numeric(700), site = site)
  new <- matrix(stats::rnorm(150, 0.7))
  # more training rows than it is fitted to
  odds <- with_replaced("parts_rows", 500L, site_odds(train, new))
  ratio <- function(x) 0.7 * x - 0.7^2 / 2
  expect_lt(mean((log(odds$train) - ratio(train$X))^2), 0.1)
  expect_lt(mean((log(odds$new) - ratio(new))^2), 0.1)
  # as any ratio of densities, with sites of equal weight
  expect_equal(sum(equal_weights(site) * odds$train), 1, tolerance = 0.1)
  expect_equal(c(tapply(equal_weights(site), site, sum)), rep(1 / 6, 6), ignore_attr = TRUE)
})

test_that("the parts of a loss are those of a world whose densities are known", {
  p <- c(4, 3, 2, 1) / 10
  q <- c(1, 1, 2, 4) / 8
  of_p <- c(1, 2, 4, 3)
  of_q <- c(1, 3, 4, 5)
  # rows in these proportions, in two sites
  x_p <- rep(1:4, 20 * p)
  x_q <- rep(1:4, 16 * q)
  site <- factor(stats::ave(x_p, x_p, FUN = function(x) rep(1:2, length.out = length(x))))
  found <- disde(of_p[x_p], of_q[x_q], (q / p)[x_p], (q / p)[x_q], site)
  shared <- p * q / (p + q) / sum(p * q / (p + q))
  expect_equal(found$difference, sum(q * of_q) - sum(p * of_p))
  expect_equal(found$from_training, sum(shared * of_p) - sum(p * of_p))
  expect_equal(found$relation, sum(shared * (of_q - of_p)))
  expect_equal(found$to_site, sum(q * of_q) - sum(shared * of_q))
  expect_equal(found$covariates + found$relation, found$difference)
  expect_equal(found$overlap, sum(2 * p * q / (p + q)))
  same <- disde(of_p[x_p], of_p[x_q], (q / p)[x_p], (q / p)[x_q], site)
  expect_equal(same$relation, 0)
})

test_that("standard errors of the parts are those of repeated draws", {
  set.seed(7)
  p <- c(4, 3, 2, 1) / 10
  q <- c(1, 1, 2, 4) / 8
  draws <- replicate(300, {
    x_p <- sample(4L, 200, TRUE, p)
    x_q <- sample(4L, 80, TRUE, q)
    site <- factor(rep(1:20, each = 10))
    loss <- function(x, more) x + more[x] + stats::rnorm(length(x))
    level <- stats::rnorm(20, sd = 0.5)[site]
    found <- disde(loss(x_p, numeric(4)) + level, loss(x_q, c(0, 1, 0, 1)), (q / p)[x_p],
                   (q / p)[x_q], site)
    unlist(found[c("difference", "covariates", "relation", "difference_se", "covariates_se",
                   "relation_se")])
  })
  expect_equal(unname(apply(draws[1:3, ], 1, stats::sd)), unname(rowMeans(draws[4:6, ])),
               tolerance = 0.15)
})

noisy_sites <- function(sites, n = 40, slope = 0.6) {
  site <- rep(paste("site", seq_len(sites)), each = n)
  x1 <- stats::rnorm(sites * n, rep(stats::rnorm(sites, sd = 0.7), each = n))
  x2 <- stats::rnorm(sites * n)
  data.frame(y = x1 + x2 + exp(slope * x1) * stats::rnorm(sites * n), x1, x2, site)
}

test_that("noise that depends on a predictor is forecast, and a cross-validation is used again", {
  set.seed(8)
  data <- noisy_sites(18)
  new <- data$site %in% c("site 17", "site 18")
  train <- data[!new, ]
  model <- dg_lm(y ~ x1 + x2 | site, data = train)
  found <- dg_forecast(model, data[new, c("x1", "x2", "site")], permutations = 39)
  expect_true(found$can)
  expect_gt(found$skill$skill, 0.3)
  expect_match(format(found)[1], "skill [01]")
  cv <- dg_cv(model$spec, y ~ x1 + x2 | site, data = train)
  expect_equal(dg_forecast(model, data[new, -1], cv = cv, permutations = 39), found)
  expect_identical(nrow(found$left_out), 16L)
  labelled <- dg_forecast(model, data[new, ], permutations = 39)
  expect_equal(labelled$sites[names(found$sites)], found$sites)
  p <- predict(model, data[new, ])
  expect_equal(labelled$sites$found,
               c(sqrt(tapply((data$y[new] - p)^2, data$site[new], mean))), ignore_attr = TRUE)
  expect_equal(labelled$parts$site, labelled$sites$found^2)
  # domains and rows in another order
  turned <- dg_forecast(model, data[rev(which(new)), -1], permutations = 39)
  expect_equal(turned$sites$forecast, found$sites$forecast)
})

test_that("where predictors are the same by design nothing is forecast", {
  set.seed(9)
  data <- expand.grid(time = 1:6, site = letters[1:10])
  level <- stats::rnorm(10)
  data$y <- data$time + level[data$site] + stats::rnorm(60, sd = 0.2)
  model <- dg_lm(y ~ time | site, data = data)
  found <- dg_forecast(model, data.frame(time = 1:6, site = "new"), permutations = 19)
  expect_false(found$can)
  expect_match(format(found)[1], "cannot be forecast")
  expect_match(paste(format(found), collapse = " "), "do not differ in what is known")
  values <- dg_validate(dg_cv(model))$summary
  rmse <- values[values$measure == "rmse", ]
  expect_equal(c(found$sites$forecast, found$sites$lower, found$sites$upper),
               c(rmse$mean, rmse$new_lower, rmse$new_upper))
})

test_that("two domains, two or three classes and densities are dealt with", {
  two <- dg_forecast(dg_lm(y ~ . | domain, data = toy_domains(2, 15)),
                     transform(toy_domains(2, 15), domain = paste("new", domain)),
                     permutations = 19)
  expect_true(all(is.finite(two$sites$forecast)))
  expect_true(all(is.na(two$sites$distance)))
  flowers <- transform(iris, site = rep(paste("s", 1:6), 25))
  three <- dg_forecast(dg_glm(Species ~ Sepal.Length + Sepal.Width | site, lambda = 0.1,
                              data = flowers[flowers$site != "s 1", ]),
                       flowers[flowers$site == "s 1", ], metric = "log_loss", permutations = 19)
  p <- three$sites
  expect_true(is.finite(p$expected) && is.finite(p$found))
  few <- dg_forecast(dg_lm(y ~ . | domain, data = toy_domains(4, 15)),
                     transform(toy_domains(2, 15), domain = paste("new", domain)),
                     permutations = 19)
  expect_match(paste(format(few), collapse = " "), "at least 5")
  toy <- toy_classes(6, 20)
  other <- transform(toy[toy$domain %in% levels(toy$domain)[1:2], ], domain = paste("new", domain))
  model <- dg_lm(y ~ . | domain, data = toy)
  cv <- dg_cv(model)
  for (metric in names(forecast_scores$class)) {
    found <- dg_forecast(model, other, metric = metric, cv = cv, permutations = 19)
    expect_true(all(is.finite(found$sites$forecast)))
    expect_identical(is.null(found$parts), metric == "auc")
    expect_equal(nrow(found$sites), 2L)
  }
  # without probabilities
  ridge <- dg_ridge(y ~ . | domain, data = toy, lambda = 1)
  alone <- other[other$domain == other$domain[1], ]
  expect_true(is.finite(dg_forecast(ridge, alone, permutations = 19)$sites$expected))
  expect_domgen_error(dg_forecast(ridge, other, metric = "brier"), "probabilities")
  gp <- dg_gp(y ~ . | domain, data = toy_domains(6, 15), optimise = FALSE)
  found <- dg_forecast(gp, transform(domains_of(toy_domains(2, 15), 1), domain = "new"), permutations = 19)
  expect_true(is.finite(found$sites$expected))
  expect_domgen_error(dg_forecast(gp, toy_domains(2, 15), cv = dg_cv(gp)), "standard deviations")
})

test_that("a site that is too far has no forecast, and no name or row is lost", {
  set.seed(12)
  data <- noisy_sites(12)
  data$site[data$site == "site 3"] <- ""
  model <- dg_lm(y ~ x1 + x2 | site, data = data)
  new <- rbind(transform(noisy_sites(1), site = "near"),
               transform(noisy_sites(1), site = "far", x1 = x1 + 50),
               transform(noisy_sites(1, 1), site = "NA"))
  found <- suppressWarnings(dg_forecast(model, new[-1], permutations = 19))
  expect_identical(is.na(found$sites$forecast), found$sites$domain == "far")
  expect_output(print(found), "No forecast for \"far\"")
  expect_true(all(is.finite(found$left_out$distance)))
  expect_identical(found$skill$descriptions, 2)
  # no site has both classes, so that none has an AUC
  one <- data.frame(site = rep(1:4, each = 8), x = stats::rnorm(32),
                    y = factor(rep(c("a", "b"), each = 16)))
  none <- dg_forecast(dg_lm(y ~ x | site, data = one), data.frame(site = "new", x = 0:3),
                      metric = "auc", permutations = 19)
  expect_true(is.na(none$sites$forecast))
  expect_output(print(none), "only 0 domains", ignore.case = TRUE)
})

test_that("near its bound the score of a new site is that of all right and wrong rows", {
  set.seed(13)
  data <- data.frame(site = rep(1:30, each = 40), x = stats::rnorm(1200))
  data$y <- factor(ifelse(stats::runif(1200) < 0.99, data$x > 0, data$x <= 0))
  found <- dg_forecast(dg_lm(y ~ x | site, data = data),
                       data.frame(site = "new", x = stats::rnorm(20)), permutations = 19)
  right <- found$left_out$score
  expect_equal(found$mean$mean, mean(right), tolerance = 0.004)
  expect_lt(found$mean$lower, 0.99)
  expect_gt(found$mean$upper, 0.99)
})

test_that("what does not fit is an error", {
  toy <- toy_domains(6, 12)
  model <- dg_lm(y ~ . | domain, data = toy)
  new <- transform(toy, domain = paste("new", domain))
  expect_domgen_error(dg_forecast(dg_lm(), new), "must be a fitted model")
  expect_domgen_error(dg_forecast(model, new, metric = "accuracy"), "`metric` must be one of")
  expect_domgen_error(dg_forecast(model, new, cv = 1), "result of dg_cv")
  expect_domgen_error(dg_forecast(model, new, cv = dg_cv(model, folds = row_folds(toy$domain, 3))),
                      "hold out whole domains")
  other <- transform(toy, y = y + 1)
  expect_domgen_error(dg_forecast(model, new, cv = dg_cv(dg_lm(), y ~ . | domain, data = other)),
                      "responses differ")
  expect_domgen_error(dg_forecast(model, new, cv = dg_cv(dg_ridge(lambda = 1), y ~ . | domain,
                                                         data = toy)), "not of another one")
  expect_domgen_error(dg_forecast(model, new, metric = c("rmse", "mae")), "one score")
  new$y[1] <- Inf
  expect_domgen_error(dg_forecast(model, new, permutations = 19), "infinite")
  expect_warning(dg_forecast(model, domains_of(toy, 1), permutations = 19),
                 class = "domgen_warning_training_domains")
})
