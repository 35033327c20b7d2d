toy <- toy_domains(5, 25)
new <- toy_domains(2, 12, seed = 8)
pooled <- domain_pooled()
fixed <- function(..., signal_sd = 1.1, noise_sd = 0.5) {
  # with evaluated arguments, for update()
  do.call(dg_gp, list(y ~ . | domain, ..., signal_sd = signal_sd, noise_sd = noise_sd, optimise = FALSE))
}

test_that("at a given noise it is kernlab's gausspr", {
  skip_if_not_installed("kernlab")
  X <- as.matrix(toy[, c("x1", "x2", "x3")])
  Z <- as.matrix(new[, c("x1", "x2", "x3")])
  peer <- kernlab::gausspr(X, toy$y, scaled = FALSE, kernel = "rbfdot", kpar = list(sigma = 1 / 8),
                           var = 0.4^2, variance.model = TRUE)
  ours <- dg_gp(X, toy$y, kernel = kernel_rbf(2), domain_kernel = pooled, signal_sd = 1, noise_sd = 0.4,
                scale = "none")
  expect_equal(predict(ours, Z), c(kernlab::predict(peer, Z)), tolerance = 1e-9)
  expect_equal(predict(ours, Z, se.fit = TRUE)$se.fit,
               c(kernlab::predict(peer, Z, type = "sdeviation")), tolerance = 1e-7)
  expect_equal(coef(ours), c(kernlab::alpha(peer)), tolerance = 1e-9)
})

test_that("the fitted parameters are a maximum of the likelihood, no start is better", {
  one <- dg_gp(y ~ . | domain, data = toy, restarts = 1)
  model <- dg_gp(y ~ . | domain, data = toy, restarts = 3)
  expect_identical(model$parameters$fitted, rep(TRUE, 5))
  expect_gte(model$log_likelihood, one$log_likelihood - 1e-6)
  expect_gte(model$log_likelihood, dg_gp(y ~ . | domain, data = toy, optimise = FALSE)$log_likelihood)
  inside <- !model$parameters$at_bound
  expect_lt(max(abs(model$gradient[inside])), 0.01)
  # neighbours in every direction are no better
  value <- model$parameters$value
  at <- function(v) {
    dg_gp(y ~ . | domain, data = toy, signal_sd = v[1], noise_sd = v[2], kernel = kernel_rbf(v[3]),
          domain_kernel = domain_distribution(kernel_rbf(v[4]), kernel_rbf(v[5])))$log_likelihood
  }
  expect_equal(at(value), model$log_likelihood, tolerance = 1e-9)
  for (i in which(inside)) for (factor in c(0.9, 1.1)) {
    expect_lt(at(replace(value, i, value[i] * factor)), model$log_likelihood + 1e-6)
  }
  set.seed(3)
  five <- dg_gp(y ~ . | domain, data = toy, restarts = 5)
  expect_gte(five$log_likelihood, model$log_likelihood - 1e-6)
  set.seed(3)
  expect_identical(dg_gp(y ~ . | domain, data = toy, restarts = 5)$parameters, five$parameters)
})

test_that("numbers that are given are kept, the others are fitted", {
  model <- dg_gp(y ~ . | domain, data = toy, noise_sd = 0.3, kernel = kernel_matern(2),
                 domain_kernel = domain_distribution(kernel_rbf(1), kernel_laplace()))
  parameters <- model$parameters
  expect_identical(parameters$name[parameters$fitted], c("signal_sd", "bandwidth of kappa"))
  expect_identical(parameters$value[!parameters$fitted], c(0.3, 2, 1))
  expect_identical(model$space$domain_kernel$embedding_kernel$bandwidth, parameters$value[5])
  expect_identical(attr(logLik(model), "df"), 2L)
  none <- dg_gp(y ~ . | domain, data = toy, optimise = FALSE, domain_kernel = pooled)
  expect_identical(none$parameters$fitted, rep(FALSE, 3))
  expect_equal(none$parameters$value[1:2], c(1, 0.5), tolerance = 0.01)
  expect_identical(none$space$kernel$bandwidth, median_bandwidth(none$space$X))
})

test_that("one bandwidth per predictor finds the one that counts", {
  set.seed(6)
  X <- matrix(rnorm(240 * 3), 240, dimnames = list(NULL, c("useless", "used", "idle")))
  y <- sin(2 * X[, 2]) + rnorm(240) / 10
  model <- dg_gp(X, y, ard = TRUE, domain_kernel = pooled)
  sigma <- model$parameters[3:5, ]
  expect_identical(sigma$name, paste0("bandwidth [", colnames(X), "]"))
  expect_gt(min(sigma$value[c(1, 3)]), 10 * sigma$value[2])
  expect_gt(model$log_likelihood, dg_gp(X, y, domain_kernel = pooled)$log_likelihood + 10)
  expect_equal(model$noise_sd * sd(y), 0.1, tolerance = 0.2)
})

test_that("signal, noise and bandwidth are found again where the data come from the model", {
  set.seed(12)
  X <- matrix(runif(400 * 2, -3, 3), 400)
  K <- kernel_matrix(kernel_rbf(1), X)
  y <- drop(crossprod(chol(4 * K + diag(1e-8, 400)), rnorm(400))) + rnorm(400, sd = 0.5)
  model <- dg_gp(X, y, domain_kernel = pooled, scale = "none")
  expect_equal(model$parameters$value[2:3], c(0.5, 1), tolerance = 0.15)
  expect_equal(model$parameters$value[1], 2, tolerance = 0.4)
})

test_that("correlation between domains is fitted: near 1 where they agree, 0 where they do not", {
  set.seed(5)
  x <- runif(200, -2, 2)
  domain <- rep(letters[1:4], 50)
  sign <- c(a = 1, b = -1, c = 1, d = -1)
  tau <- function(y) {
    model <- dg_gp(cbind(x), y, domain, domain_kernel = domain_multitask(NULL))
    model$parameters$value[model$parameters$name == "tau"]
  }
  noise <- rnorm(200) / 10
  expect_gt(tau(sin(2 * x) + noise), 0.95)
  expect_lt(tau(sign[domain] * sin(2 * x) + noise), 0.3)
  expect_domgen_error(dg_svm(y ~ . | domain, data = toy, domain_kernel = domain_multitask(NULL)),
                      "`tau` must be one number from 0 to 1; only `dg_gp\\(\\)`", "domgen_error_argument")
  expect_output(print(domain_multitask(NULL)), "else tau")
})

test_that("a climb from few rows ends where one from all rows does, in any order of the rows", {
  skip_on_cran()
  many <- toy_domains(4, 130)
  model <- dg_gp(y ~ . | domain, data = many, domain_kernel = pooled, restarts = 2)
  expect_lt(max(abs(model$gradient)), 0.01)
  set.seed(2)
  shuffled <- update(model, data = many[sample(nrow(many)), ])
  expect_equal(shuffled$parameters$value, model$parameters$value, tolerance = 1e-5)
  single <- update(model, threads = 1)
  expect_identical(single$parameters, model$parameters)
})

test_that("a weight is a precision: at given parameters predictions are those with copies", {
  w <- rep_len(c(0, 1, 2, 3), nrow(toy))
  arguments <- list(kernel = kernel_rbf(1.5), domain_kernel = pooled, scale = "none")
  weighted <- do.call(fixed, c(list(data = toy, weights = w), arguments))
  copied <- do.call(fixed, c(list(data = toy[rep(seq_len(nrow(toy)), w), ]), arguments))
  expect_equal(predict(weighted, new, se.fit = TRUE), predict(copied, new, se.fit = TRUE),
               tolerance = 1e-9)
  # rows of weight 0 are predicted too, and each row counts once
  left <- dg_cv(weighted)$predictions
  again <- dg_cv(copied)$predictions
  expect_equal(left$prediction[rep(seq_len(nrow(toy)), w)], again$prediction, tolerance = 1e-9)
  # the noise of a row of weight 1e8 is nil
  certain <- fixed(data = toy, weights = replace(rep(1, nrow(toy)), 7, 1e8))
  expect_equal(fitted(certain)[7], toy$y[7], tolerance = 1e-6)
  expect_identical(nobs(logLik(weighted)), sum(w > 0))
})

test_that("a constant added to the response shifts predictions, a factor stretches them", {
  moved <- transform(toy, y = 100 + 10 * y)
  a <- predict(fixed(data = toy), new, se.fit = TRUE)
  b <- predict(fixed(data = moved), new, se.fit = TRUE)
  expect_equal(b$fit, 100 + 10 * a$fit, tolerance = 1e-10)
  expect_equal(b$se.fit, 10 * a$se.fit, tolerance = 1e-10)
  expect_equal(b$residual.scale, 10 * a$residual.scale)
  n <- nrow(toy)
  expect_equal(c(logLik(fixed(data = moved))), c(logLik(fixed(data = toy))) - n * log(10))
  # fitted parameters too
  expect_equal(predict(dg_gp(y ~ . | domain, data = moved), new),
               100 + 10 * predict(dg_gp(y ~ . | domain, data = toy), new), tolerance = 1e-5)
})

test_that("the likelihood serves AIC, BIC and comparisons of models", {
  model <- dg_gp(y ~ . | domain, data = toy)
  n <- nrow(toy)
  expect_equal(BIC(model), -2 * model$log_likelihood + 5 * log(n))
  expect_equal(AIC(model), -2 * model$log_likelihood + 10)
  table <- BIC(model, update(model, domain_kernel = pooled))
  expect_identical(table$df, c(5, 3))
  # standardising the response changes its units, not what is fitted
  raw <- update(model, data = transform(toy, y = (y - mean(y)) / sd(y) * sqrt(n / (n - 1))), scale = "none",
                x = y ~ scale(x1) + scale(x2) + scale(x3) | domain)
  expect_equal(raw$log_likelihood - n * log(model$response$scale), model$log_likelihood, tolerance = 1e-6)
})

test_that("leaving a domain out in closed form is leaving its responses out of the fit", {
  centred <- transform(toy, y = y - mean(y))
  for (kernel in list(domain_distribution(), domain_multitask(0.5), pooled)) {
    model <- fixed(data = centred, domain_kernel = kernel, scale = "none",
                   weights = rep_len(c(1, 2), nrow(toy)))
    left_out <- dg_cv(model)
    expect_s3_class(left_out, "dg_cv")
    table <- left_out$domains
    expect_identical(table$domain, levels(toy$domain))
    expect_identical(table$rows, as.vector(table(toy$domain)))
    for (g in 1:2) {
      out <- toy$domain == table$domain[g]
      without <- update(model, weights = ifelse(out, 0, rep_len(c(1, 2), nrow(toy))))
      expect_equal(left_out$predictions$prediction[out], fitted(without)[out], tolerance = 1e-10)
      left <- (centred$y - fitted(without))[out]
      expect_equal(table$score[g], sqrt(mean(left^2)), tolerance = 1e-10)
      expect_equal(dg_cv(model, metric = "mae")$domains$score[g], mean(abs(left)), tolerance = 1e-10)
      K <- naive_gram(model$space$kernel, model$space$domain_kernel, model$space$X, toy$domain)
      naive <- naive_posterior(K, which(!out), which(out), centred$y, 1.1, 0.5, model$weights)
      density <- log_normal(centred$y[out], naive$mean,
                            naive$covariance + diag(0.25 / model$weights[out]))
      expect_equal(table$log_density[g], density, tolerance = 1e-9)
    }
  }
  more <- dg_cv(fixed(data = transform(centred, y = 10 * y)))
  expect_equal(more$domains$score, 10 * dg_cv(fixed(data = centred))$domains$score)
  expect_output(print(more), "5 domains held out one at a time.*RMSE +log density")
})

test_that("a saved model predicts the same and is small", {
  file <- tempfile(fileext = ".rds")
  model <- dg_gp(y ~ poly(x1, 2) + x2 | domain, data = toy)
  saveRDS(model, file)
  expect_identical(predict(readRDS(file), new, interval = "posterior"),
                   predict(model, new, interval = "posterior"))
  expect_lt(file.size(file), 5e4)
  parts <- c("domains", "predictions", "errors")
  expect_identical(dg_cv(readRDS(file))[parts], dg_cv(model)[parts])
})

test_that("it says what was fitted", {
  old <- options(domgen.threads = 2)
  on.exit(options(old))
  model <- fixed(data = toy, kernel = kernel_rbf(2), domain_kernel = domain_multitask(0.5))
  expect_snapshot_output(print(model))
  expect_snapshot_output(print(summary(model)))
  expect_snapshot_output(print(dg_gp(noise_sd = 0.1, feature_map = features_nystrom(20))))
  expect_identical(summary(dg_gp(y ~ . | domain, data = toy))$parameters$parameter,
                   c("kernel", "domain kernel", "signal_sd", "noise_sd", "bandwidth",
                     "bandwidth of embeddings", "bandwidth of kappa"))
})

test_that("what a Gaussian process cannot do is said", {
  labels <- toy_classes(4, 15)
  model <- fixed(data = toy)
  expect_refusals({
    dg_gp(y ~ . | domain, data = labels)
    dg_gp(~ . | domain, data = toy)
    dg_gp(y ~ . | domain, data = toy, noise_sd = 0)
    dg_gp(y ~ . | domain, data = toy, noise_sd = -1)
    dg_gp(y ~ . | domain, data = toy, signal_sd = c(1, 2))
    dg_gp(y ~ . | domain, data = toy, bandwidth = 1)
    dg_gp(y ~ . | domain, data = toy, restarts = 0)
    dg_gp(y ~ . | domain, data = toy, optimise = NA)
    dg_gp(y ~ . | domain, data = toy, feature_map = "nystrom")
    dg_gp(y ~ . | domain, data = toy, ard = TRUE, kernel = kernel_linear())
    dg_gp(y ~ . | domain, data = toy, ard = TRUE, feature_map = features_nystrom(20))
    dg_gp(y ~ . | domain, data = toy, feature_map = features_nystrom(20),
          domain_kernel = domain_multitask(NULL))
    fixed(data = toy[c(1, 1, 2, 3), ], signal = 1e9, noise = 1e-9)
    predict(model, new, level = 1)
    predict(model, new, interval = "both")
    predict(model, new, se.fit = 1)
    predict(model, new, type = "prob")
    predict(model, new, std.err = TRUE)
    simulate(model, nsim = 0)
    simulate(model, seed = "a")
    simulate(model, draws = 3)
    dg_cv(dg_lm(y ~ . | domain, data = toy), refit = FALSE)
    dg_cv(fixed(data = domains_of(toy, 1)))
    dg_cv(model, folds = 3, refit = FALSE)
    logLik(model, REML = TRUE)
  })
})

test_that("odd data give an answer or an error of ours", {
  b <- bad_input_base(24)
  fit <- function(X = b$X, y = b$number, domain = b$domain, ...) {
    model <- dg_gp(X, y, domain, ...)
    c(everything(model, X, domain), list(predict(model, X, domain = domain, se.fit = TRUE)))
  }
  small <- options(domgen.memory_limit = 1000)
  expect_domgen_error(fit(), "would take", "domgen_error_memory")
  options(small)
  expect_outcomes(list(
    constant = function() fit(y = rep(2, 24)), two = function() fit(y = rep(0:1, 12)),
    "1e150" = function() fit(y = 1e150 * b$number), "1e-150" = function() fit(y = 1e-150 * b$number),
    "X 1e150" = function() fit(X = 1e150 * b$X), "raw X 1e150" = function() fit(X = 1e150 * b$X, scale = "none"),
    duplicated = function() fit(X = b$X[rep(1, 24), ]), "one domain" = function() fit(domain = rep("a", 24)),
    "one row" = function() fit(X = b$X[1, , drop = FALSE], y = 3, domain = "a"),
    "one row a domain" = function() fit(domain = seq_len(24)),
    "one row weighted" = function() fit(weights = rep(0:1, c(23, 1))),
    "heavy" = function() fit(weights = rep(1e307, 24)), "light" = function() fit(weights = rep(1e-307, 24)),
    "features constant" = function() fit(y = rep(2, 24), feature_map = features_rff(5), domain_kernel = pooled),
    linear = function() fit(kernel = kernel_linear(), ard = FALSE),
    custom = function() fit(kernel = kernel_custom(function(x, z) tcrossprod(x, z) + 1))
  ), answered)
  # noise so small that the covariance of the features alone is left
  expect_outcomes(list(heavy = function() {
    fit(weights = rep(1e307, 24), feature_map = features_nystrom(5))
  }), fine)
})
