rows_of_sizes <- function() {
  toy <- toy_domains(5, 12)
  droplevels(toy[-(1:4), ])
}

test_that("sizes, responses and ranges are those of the data", {
  toy <- rows_of_sizes()
  toy$x1[3] <- NA
  expect_warning(model <- dg_ridge(y ~ . | domain, data = toy, lambda = 1,
                                   na.action = stats::na.exclude), "left out")
  found <- summary(model)
  used <- stats::na.omit(toy)
  counts <- as.vector(table(used$domain))
  expect_equal(unlist(found$size), c(rows = nrow(used), dropped = 1, predictors = 3, domains = 5,
                                     smallest = min(counts), median = stats::median(counts),
                                     largest = max(counts)))
  expect_equal(found$response, c(mean = mean(used$y), sd = sd(used$y), min = min(used$y),
                                 max = max(used$y)))
  expect_equal(found$predictors$min, unname(vapply(used[c("x1", "x2", "x3")], min, 0)))
  expect_equal(found$predictors$mean, unname(colMeans(used[c("x1", "x2", "x3")])))
  expect_null(summary(dg_ridge(y ~ . | domain, data = used, lambda = 1, scale = "rank"))$predictors)
  labels <- toy_classes(4, 15)
  classes <- summary(dg_lm(y ~ . | domain, data = labels))
  expect_equal(classes$response, c(table(labels$y)))
})

test_that("errors are those of the closed form and of the fitted values, the worst domain first", {
  toy <- rows_of_sizes()
  rmse <- function(e) sqrt(mean(e^2))
  for (fit in list(dg_ridge, dg_gp)) {
    model <- fit(y ~ . | domain, data = toy)
    found <- summary(model)
    by_hand <- tapply(residuals(model), toy$domain, rmse)
    expect_equal(found$domains$training, unname(c(by_hand[found$domains$domain])))
    # the folds of dg_cv() with the parameters of the fit
    left <- dg_cv(model)$domains
    score <- left$score
    expect_equal(found$domains$left_out, sort(score, decreasing = TRUE))
    expect_identical(found$domains$domain, left$domain[order(-score)])
    expect_equal(found$errors$mean, c(mean(score), mean(by_hand)))
    expect_equal(found$errors$overall[2], rmse(residuals(model)))
    expect_equal(found$errors$overall[1], sqrt(sum(left$rows * score^2) / nrow(toy)))
  }
  without <- summary(model, left_out = FALSE)
  expect_identical(without$errors$rows, "training")
  expect_match(without$unknown, "not computed")
  expect_match(summary(dg_svm(y ~ . | domain, data = toy, cost = 1))$unknown, "dg_cv()")
})

test_that("accuracies put the least accurate domain first", {
  labels <- toy_classes(5, 15)
  model <- dg_svm(y ~ . | domain, data = labels, cost = 1)
  found <- summary(model)
  hits <- tapply(fitted(model) == labels$y, labels$domain, mean)
  expect_equal(found$domains$training, unname(sort(c(hits))))
  expect_identical(found$metric, "accuracy")
  expect_equal(found$support, c(vectors = sum(coef(model) != 0), share = mean(coef(model) != 0)))
})

test_that("a tuning and a choice show the errors of their search", {
  toy <- rows_of_sizes()
  tuned <- dg_tune(dg_svm(), y ~ . | domain, data = toy, grid = list(cost = c(1, 10)),
                   extend = FALSE, metric = "mae")
  found <- summary(tuned)
  expect_equal(found$model$errors$mean[1], min(tuned$tuning$table$mean))
  expect_equal(found$model$errors$overall[2], mean(abs(residuals(tuned))))
  expect_identical(found$best$cost, c(1, 10)[order(tuned$tuning$table$mean)])
  expect_match(subset(found$model$parameters, parameter == "cost")$how, "tuned")
  chosen <- dg_auto(y ~ . | domain, data = toy, seed = 1, max_seconds = 2)
  expect_equal(summary(chosen)$errors$mean[1], chosen$choice$expected$mean)
  expect_equal(sum(summary(chosen)$terms$weight), 1)
})

test_that("errors of a choice are those that print() tells to expect", {
  many <- simulate_dica(4, 250, seed = 3)
  # the search has some of the rows, the score to expect is of more
  chosen <- dg_auto(y ~ . | domain, data = many, max_seconds = 0.5, max_rows = 100)
  expected <- chosen$choice$expected
  expect_false(isTRUE(all.equal(expected$mean, chosen$choice$table$mean[1])))
  found <- summary(chosen)$errors
  expect_equal(unlist(found[1, c("mean", "se")]), unlist(expected[c("mean", "se")]))

  # a tuning over dg_auto() has two searches, and is one line
  tuned <- dg_tune(dg_auto(max_seconds = 0.1), y ~ . | domain, data = rows_of_sizes(),
                   grid = list(n_members = 2), folds = 2)
  found <- summary(tuned)$model
  expect_identical(found$errors$rows, c("held-out domains", "training"))
  best <- tuned$tuning$table[tuned$tuning$chosen, ]
  expect_equal(unlist(found$errors[1, c("mean", "se")]), unlist(best[c("mean", "se")]))
  expect_output(print(summary(tuned)), "optimistic, because the\\s+candidate")
})

test_that("one domain has no left-out domains", {
  expect_warning(alone <- dg_auto(y ~ . | domain, data = domains_of(toy_domains(5, 12), 1),
                                  max_seconds = 0.5))
  found <- summary(alone)
  expect_identical(found$errors$rows, "training")
  text <- capture.output(print(found))
  expect_match(text, "held-out rows", all = FALSE)
  expect_match(text, "On held-out domains: a single domain says nothing", all = FALSE)
  expect_no_match(text, "NaN")
  expect_match(report_table(alone)$headers, "held-out rows", all = FALSE)
})

test_that("what a row of another domain counts is kappa, and pooled domains are one", {
  toy <- rows_of_sizes()
  model <- dg_ridge(y ~ . | domain, data = toy, lambda = 1)
  gram <- domain_gram(scale(as.matrix(toy[c("x1", "x2", "x3")])), toy$domain,
                      model$space$kernel)
  squared <- outer(diag(gram), diag(gram), "+") - 2 * gram
  kappa <- exp(-squared / (2 * model$space$domain_kernel$embedding_kernel$bandwidth^2))
  found <- summary(model)$kappa
  between <- kappa[upper.tri(kappa)]
  expect_equal(found[1:3], c(mean = mean(between), min = min(between), max = max(between)),
               tolerance = 1e-6)
  expect_equal(found[["effective"]], 25 / sum(kappa), tolerance = 1e-6)
  wide <- domain_distribution(embedding_kernel = kernel_rbf(1e4))
  alike <- summary(dg_ridge(y ~ . | domain, data = toy, lambda = 1, domain_kernel = wide))$kappa
  expect_equal(alike[["effective"]], 1, tolerance = 1e-6)
  expect_null(summary(dg_ridge(y ~ . | domain, data = toy, domain_kernel = domain_pooled()))$kappa)
})

test_that("predictors are ranked by their bandwidths", {
  toy <- rows_of_sizes()
  model <- dg_ridge(y ~ . | domain, data = toy, lambda = 1, kernel = kernel_rbf(c(4, 1, 2)))
  expect_equal(summary(model)$relevance,
               data.frame(predictor = c("x2", "x3", "x1"), bandwidth = c(1, 2, 4),
                          relevance = c(1, 0.5, 0.25)))
  expect_null(summary(dg_ridge(y ~ . | domain, data = toy, lambda = 1))$relevance)
})

test_that("how parameters were found is said", {
  toy <- rows_of_sizes()
  how <- function(model, name) subset(summary(model)$parameters, parameter == name)$how
  expect_identical(how(dg_ridge(y ~ . | domain, data = toy, lambda = 1), "lambda"), "given")
  expect_match(how(dg_ridge(y ~ . | domain, data = toy), "lambda"), "held-out domains")
  expect_match(how(dg_ridge(y ~ . | domain, data = toy), "kernel"), "median")
  fixed <- dg_ridge(y ~ . | domain, data = toy, kernel = kernel_rbf(1))
  expect_identical(how(fixed, "kernel"), "given")
  expect_match(how(dg_gp(y ~ . | domain, data = toy), "noise_sd"), "; fitted")
  expect_match(how(dg_gp(y ~ . | domain, data = toy, noise_sd = 1, signal_sd = 1), "noise_sd"), "not fitted")
})

test_that("coefficients are shown where they are few, members with their weights", {
  toy <- rows_of_sizes()
  linear <- dg_lm(y ~ . | domain, data = toy)
  expect_equal(summary(linear)$terms$estimate, unname(coef(linear)))
  expect_null(summary(dg_ridge(y ~ . | domain, data = toy, lambda = 1))$terms)
  expect_lt(length(capture.output(print(summary(dg_svm(y ~ . | domain, data = toy))))), 45)
})

test_that("the data of a call are found where summary() is called", {
  inner <- function() {
    hidden <- rows_of_sizes()
    summary(dg_ridge(y ~ . | domain, data = hidden, lambda = 1, feature_map = features_nystrom(20)))
  }
  expect_identical(inner()$errors$rows, c("held-out domains", "training"))
})

test_that("a cross-validation and a comparison say where they err", {
  toy <- rows_of_sizes()
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = c("rmse", "r2"))
  found <- summary(cv)
  expect_identical(found$metrics$metric, c("RMSE", "R squared"))
  expect_equal(found$metrics$worst, c(max(cv$domains$score), min(cv$domains$r2)))
  expect_equal(found$metrics$best, c(min(cv$domains$score), max(cv$domains$r2)))
  expect_equal(found$metrics$lower[1], glance(cv)$conf.low)
  expect_identical(found$domains$score, sort(cv$domains$score, decreasing = TRUE))
  comparison <- dg_compare(list(a = dg_lm(), b = dg_ridge(lambda = 1)), y ~ . | domain, data = toy)
  methods <- summary(comparison)$methods
  S <- comparison$scores
  expect_equal(methods$best_in, unname(colSums(S == apply(S, 1, min))))
  expect_equal(methods$better_in, unname(colSums(S < S[, comparison$baseline])))
  expect_equal(methods$worst, unname(apply(S, 2, max)))
  expect_identical(methods$worst_domain, rownames(S)[apply(S, 2, which.max)])
})

test_that("errors in closed form are told from those of fits, and a default from a choice", {
  toy <- toy_domains(4, 15)
  text <- capture.output(print(summary(dg_ridge(y ~ . | domain, data = toy))))
  expect_match(paste(text, collapse = " "), "chosen on held-out domains")
  expect_match(paste(text, collapse = " "), "in closed form, with scaling")
  text <- capture.output(print(summary(dg_ridge(y ~ . | domain, data = domains_of(toy, 1)))))
  expect_match(paste(text, collapse = " "), "the default: no domain can be held out")
  expect_no_match(paste(text, collapse = " "), "in closed form")
})

test_that("a model of rows in blocks is summarised with the errors of its left-out domains", {
  toy <- toy_domains(4, 20)
  # the source by that name is sought where summary() is called
  rows <- row_source(list(toy[1:33, ], toy[34:80, ]))
  for (spec in list(dg_ridge(lambda = 1, feature_map = features_nystrom(10)),
                    dg_gp(feature_map = features_nystrom(10), optimise = FALSE))) {
    set.seed(1)
    model <- fit(spec, y ~ . | domain, data = rows)
    found <- summary(model)
    left_out <- dg_cv(model)$domains
    lines <- found$domains[match(left_out$domain, found$domains$domain), ]
    expect_equal(lines$left_out, left_out$score)
    expect_equal(lines$rows, left_out$rows)
    expect_output(print(found), "RMSE on held-out domains: mean over domains")
  }
  classes <- toy_classes(4, 20)
  rows <- row_source(list(classes[1:33, ], classes[34:80, ]))
  model <- dg_ridge(y ~ . | domain, data = rows, lambda = 1, feature_map = features_nystrom(10))
  found <- summary(model)
  expect_output(print(found), "accuracy on held-out domains: mean over domains")
  worst <- dg_cv(model)$domains
  expect_equal(found$domains$left_out, sort(worst$score))
  expect_equal(sum(found$domains$rows), 80)
})

test_that("models of a source say rows of domains and errors as those in memory", {
  toy <- rows_of_sizes()
  source <- row_source(toy)
  sizes <- table(toy$domain)
  for (fit in list(dg_ridge, dg_gp)) {
    model <- fit(y ~ . | domain, data = source, feature_map = features_nystrom(20))
    found <- summary(model)
    expect_equal(unlist(found$size[c("smallest", "median", "largest")], use.names = FALSE),
                 c(min(sizes), stats::median(sizes), max(sizes)))
    score <- dg_cv(model)$domains$score
    expect_equal(found$errors$mean, mean(score))
    expect_equal(found$errors$overall, sqrt(sum(score^2 * sizes) / sum(sizes)))
    expect_equal(found$domains$rows, c(sizes[found$domains$domain]), ignore_attr = TRUE)
    expect_output(print(found), "held-out domains: mean over domains")
  }
  # with features the likelihood does not fit bandwidths
  expect_match(found$parameters$how[found$parameters$parameter == "kernel"], "median")
  expect_match(found$parameters$how[found$parameters$parameter == "bandwidth"], "not fitted")
  classes <- dg_ridge(y ~ . | domain, data = row_source(toy_classes(4, 15)), lambda = 1,
                      feature_map = features_nystrom(20))
  expect_identical(summary(classes)$metric, "accuracy")
})

test_that("scores of other sizes do not take each other's digits", {
  toy <- toy_domains(5, 12)
  found <- summary(dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = c("mae", "r2")))
  found$metrics[1, -1] <- 300 * found$metrics[1, -1]
  found$metrics[2, -1] <- c(0.9063, 0.04181, 0.8, 1, 0, 0.5, 1, 1)
  expect_match(capture.output(print(found)), " 0.9063 +0.04181 +0.8 to 1 +0 +0.5 +1 +1$", all = FALSE)
})

test_that("tables show each score once, and say of what a standard error is", {
  toy <- simulate_ellipses(domains = 4, n = 12, seed = 1)
  cv <- dg_cv(dg_ridge(lambda = 1), y ~ . | domain, data = toy, metric = c("accuracy", "auc"))
  expect_output(print(cv), "domain +fold +rows +accuracy +auc")
  expect_output(print(summary(cv)), "domain +fold +rows +accuracy +auc")
  compared <- dg_compare(list(a = dg_ridge(lambda = 1), b = dg_lm()), y ~ . | domain, data = toy,
                         refits = FALSE)
  expect_output(print(summary(compared)), "rank +se of difference +p ")
  expect_match(report_table(cv)$notes, "for new domains of the same kind", all = FALSE)
})

test_that("domains of which the kernel sees next to nothing are not counted", {
  toy <- toy_domains(6, 20)
  near <- dg_ridge(y ~ . | domain, data = toy, lambda = 1,
                   domain_kernel = domain_distribution(embedding_kernel = kernel_rbf(100)))
  expect_output(print(summary(near, left_out = FALSE)), "nearly\\s+pooled")
  apart <- dg_ridge(y ~ . | domain, data = toy, lambda = 1,
                    domain_kernel = domain_distribution(embedding_kernel = kernel_rbf(0.1)))
  expect_output(print(summary(apart, left_out = FALSE)), "Effective number of domains: [2-6.]+ of 6")
})
