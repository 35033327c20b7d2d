# dg_svm(loss = "logistic"): R/learner-svm-logistic.R.
source(system.file("testthat", "laws.R", package = "domgen"), local = TRUE)

logistic_data <- function(domains = 4, rows = 25) simulate_dcm(domains, rows, p = 3, seed = 2)

fit_logistic <- function(data = logistic_data(), ..., cost = 2) {
  dg_svm(y ~ . | domain, data = data, loss = "logistic", cost = cost, ...)
}

# The rows as a plain matrix, and a machine without domains.
plain_logistic <- function(X, y, ..., cost = 1, weights = NULL, kernel = kernel_linear()) {
  dg_svm(X, y, rep("a", nrow(X)), loss = "logistic", cost = cost, kernel = kernel,
         domain_kernel = domain_pooled(), domain_weights = "size", scale = "none",
         weights = weights, ...)
}

plain_data <- function(n = 80, seed = 1) {
  set.seed(seed)
  X <- matrix(rnorm(3 * n), n, dimnames = list(NULL, c("a", "b", "c")))
  list(X = X, y = factor(rbinom(n, 1, plogis(X[, 1] - X[, 2] + 0.5)), 0:1, c("no", "yes")))
}

learner_laws(dg_svm(loss = "logistic"), "dg_svm with the logistic loss", response = "class")
learner_laws(dg_svm(loss = "logistic", intercept = TRUE, feature_map = features_nystrom(40), cost = 1),
             "dg_svm with the logistic loss on features", response = "class")

test_that("the machine is stationary: its coefficients are minus the slopes of the losses", {
  d <- logistic_data()
  sign <- 2 * (d$y == levels(d$y)[2]) - 1
  for (intercept in c(FALSE, TRUE)) for (cost in c(1e-3, 1, 1e3)) {
    model <- fit_logistic(d, intercept = intercept, cost = cost)
    f <- predict(model, type = "decision")
    expect_true(model$converged)
    expect_equal(model$coefficients, model$costs * sign / (1 + exp(sign * f)), tolerance = 1e-5)
    if (intercept) expect_lt(abs(sum(model$coefficients)), 1e-8 * sum(model$costs))
    else expect_identical(model$intercept, 0)
    # the Gram matrix of the model
    g <- f - model$intercept
    value <- sum(model$coefficients * g) / 2 + sum(model$costs * log(1 + exp(-sign * f)))
    expect_equal(-model$objective, value, tolerance = 1e-8)
    expect_lt(model$relative_gap, 1e-9)
  }
})

test_that("without a norm to speak of it is the logistic regression of glm()", {
  d <- plain_data()
  model <- plain_logistic(d$X, d$y, intercept = TRUE, cost = 1e6)
  other <- glm(d$y ~ d$X, family = binomial(), control = list(epsilon = 1e-14))
  expect_equal(predict(model, type = "decision"), unname(other$linear.predictors),
               tolerance = 1e-5)
  expect_equal(predict(model, type = "prob")[, "yes"], unname(fitted(other)), tolerance = 1e-5)
})

test_that("with one it is the ridge logistic regression of glmnet", {
  skip_if_not_installed("glmnet")
  d <- plain_data()
  weights <- rep_len(1:3, nrow(d$X))
  for (lambda in c(0.01, 1)) {
    other <- glmnet::glmnet(d$X, d$y, family = "binomial", alpha = 0, lambda = lambda,
                            standardize = FALSE, weights = weights, thresh = 1e-16, maxit = 1e6)
    value <- drop(predict(other, d$X, type = "link"))
    for (features in list(features_exact(), features_linear())) {
      model <- plain_logistic(d$X, d$y, intercept = TRUE, feature_map = features, weights = weights,
                              cost = 1 / (lambda * sum(weights)))
      expect_equal(predict(model, type = "decision"), unname(value), tolerance = 1e-5)
    }
  }
})

test_that("a naive Newton method with a matrix inverse comes to the same function", {
  d <- plain_data(40)
  sign <- 2 * (d$y == "yes") - 1
  K <- exp(-as.matrix(dist(d$X))^2 / 2)
  f <- numeric(40)
  for (i in 1:30) {
    p <- plogis(f)
    W <- 3 * p * (1 - p)
    f <- drop(K %*% solve(K + diag(1 / W), f + 3 * ((d$y == "yes") - p) / W))
  }
  model <- plain_logistic(d$X, d$y, cost = 3, kernel = kernel_rbf(1))
  expect_equal(predict(model, type = "decision"), unname(f), tolerance = 1e-8)
  expect_lte(model$iterations, 8)
})

test_that("on features that are exact it is the machine of the Gram matrix", {
  d <- logistic_data()
  for (intercept in c(FALSE, TRUE)) {
    fit <- function(features) {
      fit_logistic(d, kernel = kernel_linear(), domain_kernel = domain_pooled(), intercept = intercept,
                   cost = 0.5, tolerance = 1e-6, feature_map = features)
    }
    exact <- fit(features_exact())
    linear <- fit(features_linear())
    expect_equal(predict(linear, d, type = "decision"), predict(exact, d, type = "decision"),
                 tolerance = 1e-8)
    expect_equal(linear$objective, exact$objective, tolerance = 1e-9)
    expect_identical(fitted(linear), predict(linear, d))
  }
})

test_that("with the product map, whose moments go by domain, too", {
  d <- logistic_data()
  set.seed(1)
  product <- fit_logistic(d, feature_map = features_product(x = features_nystrom(100), rank = 4))
  expect_equal(predict(product, d, type = "decision"),
               predict(fit_logistic(d), d, type = "decision"), tolerance = 1e-3)
})

test_that("a weight is as many copies of a row, weight 0 is none, in any order", {
  d <- plain_data()
  copies <- rep_len(0:2, 80)
  rows <- rev(rep(1:80, copies))
  for (features in list(features_exact(), features_linear())) {
    decide <- function(model) predict(model, d$X, type = "decision")
    weighted <- plain_logistic(d$X, d$y, weights = copies, intercept = TRUE, feature_map = features)
    copied <- plain_logistic(d$X[rows, ], d$y[rows], intercept = TRUE, feature_map = features)
    expect_equal(decide(weighted), decide(copied), tolerance = 1e-7)
    doubled <- plain_logistic(d$X, d$y, weights = 3 * copies, intercept = TRUE, feature_map = features)
    expect_equal(decide(doubled),
                 decide(plain_logistic(d$X, d$y, weights = copies, intercept = TRUE, cost = 3,
                                       feature_map = features)), tolerance = 1e-7)
  }
})

test_that("classes that are apart, values of f in the thousands and tiny costs have a machine", {
  d <- plain_data()
  y <- factor(d$X[, 1] > 0)
  for (features in list(features_exact(), features_linear())) for (intercept in c(FALSE, TRUE)) {
    fit <- function(X, cost) {
      plain_logistic(X, y, cost = cost, feature_map = features, intercept = intercept)
    }
    hard <- fit(d$X, 1e10)
    expect_true(hard$converged)
    expect_identical(as.character(fitted(hard)), as.character(y))
    P <- predict(hard, 1e3 * d$X, type = "prob")
    expect_true(all(is.finite(P)) && all(P > 0))
    expect_equal(rowSums(P), rep(1, 80))
    soft <- fit(d$X, 1e-12)
    expect_true(soft$converged)
    if (!intercept) expect_lt(max(abs(soft$decision)), 1e-9)
    # |w|^2 of 1e8 x is 1e16 times smaller
    expect_equal(fit(1e8 * d$X, 1e-16)$decision, fit(d$X, 1)$decision, tolerance = 1e-6)
  }
})

test_that("known values of f that are far off do no harm", {
  d <- plain_data(40)
  K <- tcrossprod(d$X)
  y <- 2 * (d$y == "yes") - 1
  # rows with slopes of 1 and of 0 for all f that are near
  start <- rep(c(1e3, -1e3, 0, 0), 10)
  args <- list(intercept = FALSE, tolerance = 1e-6, max_iterations = 0)
  found <- newton_gram(list(K = K), matrix(y), rep(2, 40), matrix(start), loss_logistic(), args)
  expect_true(found$converged)
  expect_equal(c(found$alpha), 2 * y * plogis(-y * (start + c(found$g))),
               tolerance = 1e-6)
})

test_that("a class that is in one row, or alone, is learned or refused", {
  d <- plain_data()
  rare <- factor(seq_len(80) == 5)
  model <- plain_logistic(d$X, rare, intercept = TRUE, cost = 10)
  expect_true(model$converged)
  # of an unpenalised constant the probabilities add up to the class counts
  expect_equal(sum(predict(model, type = "prob")[, 2]), 1, tolerance = 1e-4)
  expect_domgen_error(plain_logistic(d$X, factor(rep("a", 80))), "class", "domgen_error_data")
  # one that has no weight left: all are of the other
  for (features in list(features_exact(), features_linear())) {
    model <- plain_logistic(d$X, d$y, weights = as.numeric(d$y == "yes"), intercept = TRUE,
                            feature_map = features)
    expect_true(model$converged)
    expect_lt(model$iterations, 60)
    expect_identical(as.character(fitted(model)), rep("yes", 80))
  }
  # a domain may lack a class
  toy <- logistic_data()
  toy$y[toy$domain == levels(toy$domain)[1]] <- levels(toy$y)[1]
  expect_true(fit_logistic(toy)$converged)
})

test_that("three classes have probabilities, of which the largest decides, by either scheme", {
  set.seed(3)
  X <- matrix(rnorm(240), 120)
  toy <- data.frame(y = factor(c("a", "b", "c")[1 + (X[, 1] > 0) + (X[, 2] > 0.5)]), X = X,
                    domain = rep(c("u", "v"), 60))
  for (scheme in c("one_vs_one", "one_vs_rest")) {
    for (features in list(features_exact(), features_nystrom(60))) {
      set.seed(1)
      model <- fit_logistic(toy, multiclass = scheme, feature_map = features)
      P <- predict(model, toy, type = "prob")
      expect_identical(dim(P), c(120L, 3L))
      expect_equal(rowSums(P), rep(1, 120))
      expect_identical(as.character(predict(model, toy)), colnames(P)[max.col(P)])
      expect_gt(mean(predict(model, toy) == toy$y), 0.85)
      if (scheme == "one_vs_rest") {
        one <- plogis(model$decision)
        expect_equal(unname(P), one / rowSums(one), tolerance = 1e-6)
      }
    }
  }
  # a machine of two classes is that of their rows alone
  two <- droplevels(subset(toy, y != "c"))
  pair <- function(data) {
    dg_svm(y ~ X.1 + X.2 | domain, data = data, loss = "logistic", cost = 2, scale = "none",
           kernel = kernel_rbf(1), domain_kernel = domain_pooled(), domain_weights = "size")
  }
  expect_equal(pair(toy)$decision[toy$y != "c", 1], drop(pair(two)$decision), tolerance = 1e-6)
})

test_that("probabilities are those of f, and others where they are calibrated", {
  toy <- simulate_ellipses(domains = 5, n = 20, seed = 1)
  model <- fit_logistic(toy)
  f <- predict(model, toy, type = "decision")
  P <- predict(model, toy, type = "prob")
  expect_equal(unname(P[, 2]), plogis(f), tolerance = 1e-6)
  expect_identical(predict(model, toy), predict(model, toy, type = "class"))
  calibrated <- fit_logistic(toy, calibration = "platt")
  map <- calibrated$calibration$maps[[1]]
  expect_equal(unname(predict(calibrated, toy, type = "prob")[, 2]),
               plogis(map$slope * predict(calibrated, toy, type = "decision") + map$intercept),
               tolerance = 1e-6)
  expect_gt(max(abs(predict(calibrated, toy, type = "prob") - P)), 1e-3)
  # other losses have none
  hinge <- dg_svm(y ~ . | domain, data = toy, cost = 1)
  expect_domgen_error(predict(hinge, toy, type = "prob"), "platt", "domgen_error_argument")
})

test_that("chains, scores and new labels go by the same probabilities", {
  toy <- logistic_data(5)
  chained <- fit(dg_pipeline(dg_dica(ncomp = 1), dg_svm(loss = "logistic", cost = 1)), y ~ . | domain,
                 data = toy)
  expect_equal(unname(predict(chained, toy, type = "prob")[, 2]),
               plogis(predict(chained, toy, type = "decision")), tolerance = 1e-6)
  scored <- dg_cv(dg_svm(loss = "logistic", cost = 1), y ~ . | domain, data = toy,
                  metric = "log_loss", progress = FALSE)
  expect_true(is.finite(scored$mean))
  new <- subset(toy, domain == levels(domain)[5])
  model <- fit_logistic(subset(toy, domain != levels(domain)[5]))
  known <- replace(new$y, -(1:10), NA)
  adapted <- dg_adapt(model, new, known)
  expect_equal(unname(predict(adapted, new, type = "prob")[, 2]),
               plogis(predict(adapted, new, type = "decision")), tolerance = 1e-6)
  # stationary in g = f - f0
  sign <- 2 * (new$y[1:10] == levels(toy$y)[2]) - 1
  expect_equal(drop(adapted$correction$coefficients),
               2 * sign / (1 + exp(sign * adapted$decision[1:10])), tolerance = 1e-5)
  on_features <- fit_logistic(subset(toy, domain != levels(domain)[5]),
                              feature_map = features_nystrom(100))
  again <- dg_adapt(on_features, new, known)
  expect_lt(abs(again$correction$relative_gap), 1e-8)
  # towards the labels
  expect_gt(mean(sign * (again$decision - again$start)[1:10]), 0)
})

test_that("without a cost it has the curvature of the ridge regression at f = 0", {
  toy <- logistic_data()
  squared <- dg_svm(y ~ . | domain, data = toy, loss = "squared_hinge")
  # that is 1 / (2 lambda) and 4 / lambda
  expect_equal(dg_svm(y ~ . | domain, data = toy, loss = "logistic")$cost, 8 * squared$cost)
})

test_that("a search over costs and losses fits what single calls do", {
  toy <- logistic_data()
  for (features in list(features_exact(), features_nystrom(20))) {
    specs <- list(dg_svm(loss = "logistic", cost = 1, feature_map = features),
                  dg_svm(loss = "logistic", cost = 30, feature_map = features),
                  dg_svm(loss = "hinge", cost = 30, feature_map = features),
                  dg_svm(loss = "logistic", cost = 5, feature_map = features))
    input <- read_input(list(x = y ~ . | domain, data = toy))
    set.seed(1)
    shared <- new_shared(specs)
    together <- lapply(specs, fit_input, input, shared)
    for (i in c(1, 2, 4)) {
      set.seed(1)
      alone <- fit(specs[[i]], y ~ . | domain, data = toy)
      expect_identical(together[[i]]$loss, "logistic")
      expect_equal(together[[i]]$decision, alone$decision, tolerance = 1e-6)
    }
    expect_identical(together[[3]]$loss, "hinge")
  }
  set.seed(1)
  tuned <- dg_tune(dg_svm(loss = "logistic"), y ~ . | domain, data = toy,
                   grid = list(cost = c(0.1, 10)), metric = "log_loss", progress = FALSE)
  expect_true(all(is.finite(tuned$results$mean)))
})

test_that("what is printed names no support vectors, and a stopped solver warns", {
  model <- fit_logistic()
  shown <- paste(capture.output(print(model)), collapse = "\n")
  expect_match(shown, "iterations +[0-9]+\n +gap +[-0-9.e]+, relative")
  expect_false(grepl("support vector|epsilon|duality", shown))
  for (features in list(features_exact(), features_nystrom(20))) {
    expect_warning(stopped <- fit_logistic(feature_map = features, max_iterations = 1, cost = 100),
                   "stopped after", class = "domgen_warning_convergence")
    expect_false(stopped$converged)
  }
})

test_that("a number as response and a Gram matrix without room are refused", {
  toy <- simulate_dica(domains = 3, n = 10, seed = 1)
  expect_domgen_error(dg_svm(y ~ . | domain, data = toy, loss = "logistic"),
                      "when the response is numeric, not \"logistic\"", "domgen_error_argument")
  old <- options(domgen.memory_limit = 1.9 * 8 * 100^2)
  on.exit(options(old))
  expect_domgen_error(fit_logistic(), "features_nystrom", "domgen_error_memory")
})
