# Cross-validation of rows that come in blocks, against that of the same rows in memory: with all
# rows as landmarks, a given bandwidth and no scaling, features are the kernel.

cv_data <- simulate_dica(domains = 8, n = 25, p = 3, seed = 1)
cv_data$class <- factor(ifelse(cv_data$y > 0, "high", "low"))
cv_data$third <- cut(cv_data$y, c(-Inf, -0.5, 0.5, Inf), labels = c("p", "q", "r"))
cv_data$w <- rep_len(c(0.5, 1, 2), nrow(cv_data))
cv_source_rows <- row_source(cv_data, block_size = 37)
cv_formula <- y ~ x1 + x2 + x3 | domain

whole <- function(method, ...) {
  method(feature_map = features_nystrom(nrow(cv_data)), scale = "none",
         kernel = kernel_rbf(0.7), domain_kernel = domain_pooled(), ...)
}

expect_same_cv <- function(spec, formula = cv_formula, ..., tolerance = 1e-7) {
  set.seed(1)
  blocks <- dg_cv(spec, formula, data = cv_source_rows, ...)
  given <- list(...)
  given$folds <- blocks$folds
  memory <- do.call(dg_cv, c(list(spec, formula, data = cv_data), given))
  for (part in c("mean", "se", "overall", "share", "held")) {
    expect_equal(blocks[[!!part]], memory[[!!part]], tolerance = tolerance)
  }
  expect_equal(blocks$domains, memory$domains, tolerance = tolerance)
  expect_null(blocks$predictions)
}

test_that("ridge regressions without each fold are those in memory, for every metric", {
  expect_same_cv(whole(dg_ridge, lambda = 1))
  expect_same_cv(whole(dg_ridge, lambda = 1), folds = 3)
  expect_same_cv(whole(dg_ridge, lambda = 1, domain_weights = "equal", intercept = TRUE), folds = 3)
  expect_same_cv(whole(dg_ridge, lambda = 1), folds = domain_folds(cv_data$domain, 3, repeats = 2),
                 metric = c("mae", "rmse"))
  expect_same_cv(whole(dg_ridge, lambda = 1), class ~ x1 + x2 + x3 | domain)
  expect_same_cv(whole(dg_ridge, lambda = 1), third ~ x1 + x2 + x3 | domain, folds = 4)
})

test_that("squared errors from the sums are those of a pass over the rows", {
  spec <- dg_ridge(lambda = 1, feature_map = features_product(x = features_nystrom(20), rank = 4),
                   domain_kernel = domain_distribution(kernel_rbf(2), kernel_rbf(0.5)))
  scores <- lapply(list("rmse", c("rmse", "mae")), function(metric) {
    set.seed(1)
    dg_cv(spec, cv_formula, data = cv_source_rows, metric = metric)$domains$score
  })
  expect_equal(scores[[1L]], scores[[2L]], tolerance = 1e-8)
})

test_that("weights count in the fits, and not in the scores", {
  spec <- whole(dg_ridge, lambda = 1)
  blocks <- dg_cv(spec, cv_formula, data = cv_source_rows, weights = w)
  memory <- dg_cv(spec, cv_formula, data = cv_data, weights = w)
  expect_equal(blocks$domains, memory$domains, tolerance = 1e-7)
})

test_that("Gaussian processes are fitted anew without each fold", {
  expect_same_cv(whole(dg_gp), folds = 3, tolerance = 1e-5)
})

test_that("null models and chains are those in memory", {
  expect_same_cv(dg_null(), metric = c("rmse", "mae"))
  expect_same_cv(dg_null(domain_weights = "equal"), third ~ x1 | domain,
                 metric = c("accuracy", "brier", "log_loss"))
  project <- dg_kpca(ncomp = 3, scale = "none", kernel = kernel_rbf(0.7),
                  feature_map = features_nystrom(nrow(cv_data)))
  learn <- dg_ridge(lambda = 1, feature_map = features_nystrom(nrow(cv_data)),
                    domain_kernel = domain_pooled())
  suppressWarnings(expect_same_cv(dg_pipeline(project, learn), folds = 3))
})

test_that("support vector machines are fitted again without each fold", {
  expect_same_cv(whole(dg_svm, cost = 1, loss = "squared_hinge"), class ~ x1 + x2 + x3 | domain,
                 folds = 2, tolerance = 1e-4)
  expect_same_cv(whole(dg_svm, cost = 1, loss = "logistic"), class ~ x1 + x2 + x3 | domain,
                 folds = 3, metric = c("log_loss", "brier", "accuracy"), tolerance = 1e-4)
  expect_same_cv(whole(dg_svm, cost = 1, loss = "squared_epsilon_insensitive"), folds = 2,
                 metric = "mae", tolerance = 1e-4)
})

test_that("a cost that is open is chosen without the fold, whose domain is not in the sample", {
  spec <- dg_svm(feature_map = features_nystrom(30), domain_kernel = domain_pooled())
  set.seed(1)
  blocks <- dg_cv(spec, class ~ x1 + x2 + x3 | domain, data = cv_source_rows, folds = 3)
  memory <- dg_cv(spec, class ~ x1 + x2 + x3 | domain, data = cv_data, folds = blocks$folds)
  expect_equal(blocks$mean, memory$mean, tolerance = 0.1)
})

test_that("kernels of known domains are fitted again, so that a fold's are new", {
  spec <- dg_ridge(lambda = 1, feature_map = features_nystrom(nrow(cv_data)), scale = "none",
                   kernel = kernel_rbf(0.7), domain_kernel = domain_multitask(0.5))
  suppressWarnings(expect_same_cv(spec, folds = 4))
})

test_that("a lambda that is open is chosen without the labels of the fold", {
  # labels of a domain that mislead: its own score must not know them
  spec <- whole(dg_ridge, intercept = TRUE)
  changed <- cv_data
  own <- changed$domain == "d3"
  changed$y[own] <- rev(100 * changed$y[own])
  folds <- domain_folds(cv_data$domain)
  folds[] <- seq_along(folds)
  fits <- lapply(list(cv_data, changed), function(data) {
    set.seed(1)
    dg_cv(spec, cv_formula, data = row_source(data), folds = folds)$fits
  })
  expect_equal(fits[[1L]]$lambda[3L], fits[[2L]]$lambda[3L])
  expect_false(isTRUE(all.equal(fits[[1L]]$lambda[1L], fits[[2L]]$lambda[1L])))
})

test_that("scores of maps that all rows made are near those of refits and true on fresh domains", {
  spec <- dg_ridge(feature_map = features_nystrom(40))
  runs <- vapply(seq_len(if (long_form()) 12 else 4), function(seed) {
    rows <- simulate_dica(domains = 40, n = 20, p = 3, seed = seed)
    known <- rows$domain %in% levels(rows$domain)[1:12]
    train <- droplevels(rows[known, ])
    fresh <- rows[!known, ]
    set.seed(seed)
    blocks <- dg_cv(spec, y ~ . | domain, data = row_source(train), folds = 6)
    model <- fit(spec, y ~ . | domain, data = row_source(train))
    refits <- dg_cv(spec, y ~ . | domain, data = train, folds = blocks$folds)
    true <- mean(tapply((predict(model, fresh) - fresh$y)^2, droplevels(fresh$domain), mean))
    c(blocks = mean(blocks$domains$score^2), refits = mean(refits$domains$score^2), true = true)
  }, numeric(3))
  off <- (runs["blocks", ] - runs["true", ]) / runs["true", ]
  expect_lt(abs(mean(off)), 2.5 * stats::sd(off) / sqrt(length(off)))
  expect_lt(abs(mean(runs["blocks", ] / runs["refits", ]) - 1), 0.02)
})

test_that("dg_cv() of a source is that in memory, and needs no pass for squared errors", {
  spec <- whole(dg_ridge, lambda = 1)
  reads <- 0
  rows <- function(reset) {
    if (reset) at <<- 0 else if (at < 2) {
      reads <<- reads + 1
      at <<- at + 1
      cv_data[seq_len(nrow(cv_data)) %% 2 == at - 1, ]
    }
  }
  at <- 0
  model <- fit(spec, cv_formula, data = row_source(rows))
  memory <- fit(spec, cv_formula, data = cv_data)
  before <- reads
  expect_equal(dg_cv(model)$domains, dg_cv(memory)$domains, tolerance = 1e-7)
  expect_identical(reads, before)
  expect_equal(dg_cv(model, metric = "mae")$domains, dg_cv(memory, metric = "mae")$domains,
               tolerance = 1e-7)
  expect_gt(reads, before)
})

test_that("dg_cv() judges domains without weight by the fit of all others, and in groups", {
  cv_data$w[cv_data$domain %in% levels(cv_data$domain)[c(2, 8)]] <- 0
  spec <- whole(dg_ridge, lambda = 1)
  source <- row_source(cv_data, block_size = 40)
  memory <- dg_cv(fit(spec, cv_formula, data = cv_data, weights = w))$domains
  model <- fit(spec, cv_formula, data = source, weights = w)
  expect_equal(dg_cv(model)$domains, memory, tolerance = 1e-7)
  sums <- list(group = c(1L, 2L, 1L, 3L, 3L, 4L))
  expect_identical(with_weightless(list(1L, 2L), sums), list(c(1L, 3L), 2L, 4:5, 6L))
  sums$group <- c(1L, 2L, 2L + seq_len(left_out_sets))
  expect_identical(lengths(with_weightless(list(1L, 2L), sums)), c(1L, 1L, left_out_sets))
})

test_that("a domain that no fit judges has no score", {
  fits <- list(scorers = list(list(rep = 1, at = c(1L, NA, 2L)), list(rep = 2, at = c(NA, 1L, 1L))),
               repeats = 2L, choices = 2L)
  expect_identical(scored_cells(fits, 3L), rep(c(TRUE, FALSE, TRUE, FALSE, TRUE, TRUE), 2L))
})

test_that("results print, plot and become tables", {
  cv <- dg_cv(whole(dg_ridge, lambda = 1), cv_formula, data = cv_source_rows)
  expect_output(print(cv), "RMSE: mean over domains .* 8 domains held out|held out one at a time")
  expect_identical(as.data.frame(generics::tidy(cv)), cv$domains)
  expect_equal(generics::glance(cv)$mean, cv$mean)
  expect_error(generics::augment(cv), "not kept", class = "domgen_error_argument")
  if (requireNamespace("ggplot2", quietly = TRUE)) expect_plots(cv)
  expect_equal(dg_cv(fit(whole(dg_ridge, lambda = 1), cv_formula, data = cv_source_rows))$mean,
               cv$mean)
})

test_that("what a source cannot do is an error that says what it can", {
  spec <- whole(dg_ridge, lambda = 1)
  refuse <- function(message, object = spec, formula = cv_formula, ..., class = "argument") {
    expect_error(dg_cv(object, formula, data = cv_source_rows, ...), message,
                 class = paste0("domgen_error_", class))
  }
  refuse("\"rmse\", \"mae\", not \"r2\"", metric = "r2")
  refuse("\"accuracy\", not \"auc\"", formula = class ~ x1 | domain, metric = "auc")
  refuse("`refits` must be FALSE", refits = TRUE)
  refuse("not rows", folds = row_folds(cv_data$domain))
  refuse("not dg_auto", object = dg_auto())
  refuse("predictive density", object = whole(dg_gp), metric = "log_density")
  one <- row_source(cv_data[cv_data$domain == "d1", ])
  expect_error(dg_cv(spec, cv_formula, data = one), "at least 2 domains",
               class = "domgen_error_data")
  expect_error(dg_cv(suppressWarnings(fit(spec, cv_formula, data = one))), "at least 2 domains",
               class = "domgen_error_data")
})

test_that("a change of the source after the fit is told", {
  data <- cv_data
  rows <- row_source(list(function(reset) if (reset) done <<- FALSE else if (!done) {
    done <<- TRUE
    data
  }))
  done <- FALSE
  model <- fit(whole(dg_ridge, lambda = 1), cv_formula, data = rows)
  data <- data[-1L, ]
  expect_error(dg_cv(model, metric = "mae"), "has changed", class = "domgen_error_data")
})

test_that("rows with missing values are told once, however many methods are compared", {
  data <- simulate_dica(domains = 6, n = 20, p = 2, seed = 1)
  data$x1[c(3, 50)] <- NA
  ridge <- dg_ridge(lambda = 1, feature_map = features_nystrom(10))
  set.seed(1)
  told <- capture_warnings(dg_compare(list(a = ridge, b = ridge), y ~ x1 + x2 | domain,
                                      data = row_source(data), folds = 3))
  expect_identical(grep("missing values", told, value = TRUE),
                   paste("2 rows of", nrow(data), "left out because of missing values."))
})

test_that("a chain that ends in the null model predicts its mean", {
  spec <- dg_pipeline(dg_kpca(feature_map = features_nystrom(10)), dg_null())
  expect_equal(dg_cv(spec, cv_formula, data = cv_source_rows)$mean,
               dg_cv(spec, cv_formula, data = cv_data)$mean, tolerance = 1e-8)
})
