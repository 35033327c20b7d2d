toy <- toy_domains(5, 14)
model <- dg_auto(y ~ . | domain, data = toy)

test_that("the table has the mean, its members and the others, each in order", {
  table <- model$choice$table
  expect_identical(which(is.na(table$member)), 1L)
  expect_false(is.unsorted(table$mean[which(table$member)]))
  expect_false(is.unsorted(table$mean[which(!table$member)]))
  expect_equal(min(table$mean[-1L]), table$mean[2L])
  expect_equal(unname(colMeans(model$choice$scores)), table$mean)
  d <- model$choice$scores - model$choice$scores[, 1L]
  expect_equal(table$difference, unname(colMeans(d)))
  expect_equal(table$difference_se, unname(apply(d, 2, sd)) / sqrt(5))
  expect_equal(table$se, unname(apply(model$choice$scores, 2, sd)) / sqrt(5))
  # every scaling with three kernels
  for (scale in c("pooled", "domain", "both", "rank")) {
    plain <- table$scale == scale & table$domain_kernel == "pooled" & grepl("(1 x", table$kernel, fixed = TRUE)
    expect_setequal(sub(" kernel.*", "", table$kernel[which(plain)]),
                    c("Gaussian", "Laplace", "linear + Gaussian"))
  }
  expect_true(all(c(0.5, 2) %in% as.numeric(sub(".*\\((.*) x.*", "\\1", grep(
    " x ", table$kernel, value = TRUE)))))
})

# The candidates of a table as ridge regressions.
candidate_spec <- function(row, p, offset = TRUE) {
  number <- function(words) {
    if (grepl(" x ", words)) as.numeric(sub(".*\\(([0-9.]*) x.*", "\\1", words))
  }
  times <- number(row$kernel)
  outer <- number(row$domain_kernel)
  if (row$scale == "both") p <- 2 * p
  kernel <- if (row$kernel == "null model") kernel_rbf()
            else if (row$kernel == "linear kernel") kernel_linear()
            else if (grepl("linear", row$kernel)) kernel_rbf(times = times) + (0.5 / p) * kernel_linear()
            else if (grepl("Gaussian", row$kernel)) kernel_rbf(times = times)
            else kernel_laplace(times = times)
  domain_kernel <- if (row$domain_kernel == "pooled") domain_pooled()
                   else domain_distribution(outer = kernel_rbf(times = outer))
  dg_ridge(lambda = row$lambda, kernel = kernel, domain_kernel = domain_kernel, scale = row$scale,
           offset = offset)
}

test_that("every score is that of lodo() of the candidate's ridge regression", {
  table <- model$choice$table
  rows <- which(!is.na(table$member) & !grepl("per predictor", table$kernel))
  expect_gt(length(rows), 15L)
  for (i in rows) {
    result <- lodo(fit(candidate_spec(table[i, ], 3), y ~ . | domain, data = toy))
    # the path over lambda is exact to a thousandth of a standard deviation
    expect_equal(result$mean, table$mean[i], tolerance = 2e-3, label = paste(table[i, 1:3], collapse = " "))
    expect_equal(result$domains$score, unname(model$choice$scores[, i]), tolerance = 5e-3)
  }
})

test_that("lambda is the best of 13, of equals the largest", {
  sample <- read_sample(list(x = y ~ . | domain, data = toy), list(response = "any", domain = TRUE),
                        "none")
  search <- new_search(dg_auto()$args, sample, metrics$rmse, FALSE, 1000L)
  c <- candidate(scale = "none", kernel = "rbf")
  scored <- score_lambdas(search, c)
  expect_length(scored$lambdas, 13L)
  expect_equal(scored$lambdas, nrow(toy) * 10^seq(-6, 0, length.out = 13))
  for (l in c(1, 6, 13)) {
    spec <- dg_ridge(lambda = scored$lambdas[l], domain_kernel = domain_pooled(), scale = "none",
                     offset = TRUE)
    by_hand <- dg_cv(set_parameters(spec, list(sigma = median_bandwidth(
      as.matrix(toy[c("x1", "x2", "x3")])))), y ~ . | domain, data = toy)
    expect_equal(unname(scored$scores[, l]), by_hand$domains$score, tolerance = 5e-3)
  }
  found <- find_candidate(search, c)
  means <- colMeans(scored$scores)
  expect_equal(found$lambda, scored$lambdas[which.min(means)])
  search$metric <- metric_custom(function(truth, prediction) 1)
  expect_equal(find_candidate(search, c)$lambda, max(scored$lambdas))
})

test_that("one bandwidth per predictor is tried for few predictors, and wins where one matters", {
  sparse <- with_seed(5, {
    d <- data.frame(domain = rep(letters[1:6], each = 20), matrix(rnorm(120 * 6), 120))
    transform(d, y = sin(3 * X1) + rnorm(120) / 10)
  })
  found <- dg_auto(y ~ . | domain, data = sparse)
  per_predictor <- grepl("per predictor", found$choice$table$kernel)
  expect_identical(which(per_predictor), 2L)
  sigma <- found$members[[1L]]$spec$args$kernel$sigma
  expect_length(sigma, 6L)
  expect_identical(which.min(sigma), 1L)
  none <- dg_auto(y ~ . | domain, data = sparse, max_predictors = 5)
  expect_false(any(grepl("per predictor", none$choice$table$kernel)))
  # and the choice is good on new domains
  new <- with_seed(6, {
    d <- data.frame(domain = rep(letters[1:3], each = 20), matrix(rnorm(60 * 6), 60))
    transform(d, y = sin(3 * X1) + rnorm(60) / 10)
  })
  rmse <- function(model) sqrt(mean((predict(model, new) - new$y)^2))
  expect_lt(rmse(found), rmse(none))
  expect_lt(rmse(found), 0.3)
})

test_that("shapes of domains are used where they tell", {
  ellipses <- simulate_ellipses(domains = 10, rows = 40, seed = 1)
  found <- dg_auto(y ~ . | domain, data = domains_of(ellipses, 1:8))
  expect_match(found$choice$table$domain_kernel[2L], "distributional")
  new <- domains_of(ellipses, 9:10)
  expect_gt(mean(predict(found, new) == new$y), 0.8)
})

test_that("with few domains the default is fitted, with a warning", {
  for (n in 1:2) {
    few <- domains_of(toy, seq_len(n))
    expect_warning(found <- dg_auto(y ~ . | domain, data = few),
                   "nothing can be learned about new ones: the default model is fitted",
                   class = "domgen_warning_few_domains")
    expect_length(found$members, 1L)
    expect_identical(found$choice$table$scale, c(NA, "pooled"))
    expect_identical(found$choice$table$domain_kernel, c(NA, "pooled"))
    expect_length(predict(found, toy), nrow(toy))
    expect_output(print(found), "too few domains to choose by")
  }
  three <- domains_of(toy, 1:3)
  expect_silent(found <- dg_auto(y ~ . | domain, data = three, progress = FALSE))
  expect_gt(nrow(found$choice$table), 10L)
})

test_that("a search takes some of the rows, and the fit all", {
  big <- toy_domains(5, 40)
  found <- dg_auto(y ~ . | domain, data = big, max_rows = 60, max_predictors = 0)
  expect_lte(found$choice$rows, 60L)
  expect_length(found$decision, nrow(big))
  expect_equal(found$members[[1L]]$spec$args$lambda,
               found$choice$table$lambda[2L] * nrow(big) / found$choice$rows)
})

test_that("any score of predictions or decisions decides, for two classes and more", {
  labels <- toy_classes(5, 20)
  found <- dg_auto(y ~ . | domain, data = labels, metric = "auc", max_predictors = 0)
  expect_identical(found$choice$metric$title, "area under the ROC curve")
  expect_equal(max(found$choice$table$mean[-1L]), found$choice$table$mean[2L])
  # a distributional winner included: its lodo() is its score
  table <- found$choice$table
  for (i in setdiff(2:4, grep("per predictor", table$kernel))) {
    result <- lodo(fit(candidate_spec(table[i, ], 3), y ~ . | domain, data = labels), metric = "auc")
    expect_equal(result$mean, table$mean[i], tolerance = 0.02)
  }
  lacking <- labels
  lacking$y[labels$domain == "d2"] <- "1"
  some <- dg_auto(y ~ . | domain, data = lacking, metric = "auc", max_predictors = 0)
  expect_true(all(is.na(some$choice$scores["d2", ])))
  expect_false(anyNA(some$choice$table$mean))
  many <- with_seed(1, transform(toy_domains(4, 24), y = factor(c("a", "b", "c")[
    findInterval(x1 + rnorm(length(x1)) / 4, c(-0.4, 0.4)) + 1L])))
  found <- dg_auto(y ~ . | domain, data = many, max_predictors = 0)
  expect_s3_class(predict(found, many), "factor")
  expect_gt(found$choice$table$mean[1L], 0.6)
  expect_identical(dim(predict(found, many, type = "decision")), c(nrow(many), 3L))
  own <- dg_auto(y ~ . | domain, data = toy, max_predictors = 0, metric = metric_custom(
    function(truth, prediction) median(abs(truth - prediction)), title = "median error"))
  expect_output(print(own), "median error on left-out domains")
})

test_that("weights, probabilities and matrices go through", {
  labels <- toy_classes(4, 16)
  w <- seq_len(nrow(labels)) %% 3 + 1
  found <- dg_auto(labels[c("x1", "x2", "x3")], labels$y, labels$domain, weights = w,
                   probability = "platt", max_predictors = 0)
  prob <- predict(found, labels[c("x1", "x2", "x3")], domain = labels$domain, type = "prob")
  expect_equal(rowSums(prob), rep(1, nrow(labels)), ignore_attr = TRUE)
  weightless <- dg_auto(y ~ . | domain, data = labels, max_predictors = 0)
  expect_false(identical(found$choice$table$mean, weightless$choice$table$mean))
})

test_that("what was chosen is printed with what was not", {
  expect_output(print(model), "[0-9]+ candidates tried")
  expect_output(print(model), "RMSE on left-out domains \\([0-9]+ rows")
  expect_output(print(model), "RMSE expected on a new domain: [0-9.]+ \\(standard error [0-9.]+\\)")
  expect_output(print(model), "not chosen")
  others <- best_others(model$choice$table)
  expect_false(any(model$choice$table$member[others]))
  expect_output(print(dg_auto()), "Ridge regressions chosen by the training domains")
})

test_that("a search that cannot be is refused", {
  run <- function(...) dg_auto(y ~ . | domain, data = toy, ...)
  expect_refusals({
    run(metric = "log_density")
    run(metric = "auc")
    run(metric = "nothing")
    run(max_rows = 5)
    run(members = 0)
    run(max_predictors = -1)
    run(lambda = 1)
    run(probability = "sure")
    dg_auto(y ~ ., data = toy)
    dg_auto(y ~ . | domain, data = subset(toy, domain == "none"))
  })
})
