# Kernel ridge regression against the formula, laws of its weights and features.

toy <- toy_domains(4, 20)
toy$w <- rep_len(c(1, 2, 0, 3), nrow(toy))
labels <- toy_classes(4, 20)
three <- transform(toy, y = cut(y, 3, labels = c("low", "mid", "top")))
predictors <- c("x1", "x2", "x3")
pooled <- domain_pooled()
new <- toy_domains(2, 15, seed = 7)

test_that("coefficients are (K + lambda I)^-1 y of the standardised response", {
  model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy, lambda = 0.7)
  K <- model_gram(model)
  y <- toy$y - mean(toy$y)
  spread <- sqrt(mean(y^2))
  alpha <- solve(K + diag(0.7, nrow(K)), y / spread)
  expect_equal(model$coefficients[, 1], alpha, tolerance = 1e-9)
  expect_equal(fitted(model), mean(toy$y) + spread * drop(K %*% alpha), tolerance = 1e-9)
  expect_equal(predict(model, toy), fitted(model), tolerance = 1e-9)
  expect_equal(residuals(model), toy$y - fitted(model))
})

test_that("weights, domains that weigh the same and an intercept are those of the formula", {
  for (intercept in c(FALSE, TRUE)) for (domains in c("size", "equal")) {
    model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy, weights = w, lambda = 0.3,
                      intercept = intercept, domain_weights = domains, scale = "none")
    costs <- toy$w
    if (domains == "equal") {
      n_g <- tapply(toy$w, toy$domain, sum)
      costs <- costs * sum(toy$w) / (4 * c(n_g)[as.character(toy$domain)])
    }
    expect_equal(model$costs, unname(costs))
    K <- model_gram(model)
    naive <- naive_kernel_ridge(K, matrix(toy$y), costs, 0.3, intercept)
    expect_equal(unname(model$coefficients), naive$alpha, tolerance = 1e-8)
    expect_equal(unname(model$intercept), naive$intercept, tolerance = 1e-8)
    expect_equal(fitted(model), naive_ridge_fitted(K, naive)[, 1], tolerance = 1e-8)
  }
})

test_that("the solution minimises the objective", {
  model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy, weights = w, lambda = 0.3)
  K <- model_gram(model)
  y <- drop(code_rows(model$response, model$y))
  objective <- function(alpha) {
    f <- K %*% alpha
    sum(model$costs * (y - f)^2) + 0.3 * sum(alpha * f)
  }
  best <- objective(model$coefficients)
  set.seed(1)
  for (i in 1:20) expect_gt(objective(model$coefficients + rnorm(nrow(K), sd = 1e-3)), best)
})

test_that("weight k is k copies and weight 0 is a row removed", {
  fit_with <- function(d, weights = NULL) {
    dg_ridge(d[predictors], d$y, d$domain, kernel = kernel_rbf(1.5), domain_kernel = pooled,
             scale = "none", lambda = 0.5, weights = weights)
  }
  copies <- rep(seq_len(nrow(toy)), toy$w)
  for (data in list(toy, three)) {
    weighted <- fit_with(data, toy$w)
    copied <- fit_with(data[copies, ])
    expect_equal(predict(weighted, data, type = "decision"), predict(copied, data, type = "decision"),
                 tolerance = 1e-10)
    expect_identical(unname(weighted$coefficients[toy$w == 0, ]),
                     unname(0 * weighted$coefficients[toy$w == 0, ]))
  }
  # the mean of the response is weighted too
  response <- function(d, ...) dg_ridge(d[predictors], d$y, d$domain, ...)$response
  expect_equal(response(toy, weights = toy$w)[c("centre", "scale")],
               response(toy[copies, ])[c("centre", "scale")], tolerance = 1e-12)
})

test_that("a constant added to the response shifts predictions, a factor stretches them", {
  moved <- transform(toy, y = 100 + 10 * y)
  a <- dg_ridge(y ~ x1 + x2 | domain, data = toy)
  b <- dg_ridge(y ~ x1 + x2 | domain, data = moved)
  expect_equal(predict(b, new), 100 + 10 * predict(a, new), tolerance = 1e-10)
  free <- dg_ridge(y ~ x1 + x2 | domain, data = toy, intercept = TRUE, scale = "none")
  expect_equal(predict(update(free, data = transform(toy, y = y + 5)), new), 5 + predict(free, new),
               tolerance = 1e-10)
})

test_that("two classes are -1 and 1, and the sign decides", {
  model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = labels, lambda = 0.5)
  f <- model_gram(model) %*% naive_kernel_ridge(model_gram(model), matrix(ifelse(labels$y == "1", 1, -1)),
                                      model$costs, 0.5)$alpha
  expect_equal(predict(model, labels, type = "decision"), drop(f), tolerance = 1e-9)
  expect_identical(predict(model, labels) == "1", drop(f) > 0)
})

test_that("many classes are ridge regressions of their indicators, and the largest decides", {
  for (intercept in c(FALSE, TRUE)) {
    model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = three, weights = w, lambda = 0.5,
                      intercept = intercept, domain_weights = "equal")
    K <- model_gram(model)
    naive <- naive_ridge_fitted(K, naive_kernel_ridge(K, indicators(three$y), model$costs, 0.5, intercept))
    decision <- predict(model, three, type = "decision")
    expect_equal(unname(decision), naive, tolerance = 1e-9)
    expect_identical(colnames(decision), levels(three$y))
    expect_identical(predict(model, three), factor(levels(three$y)[max.col(naive)], levels(three$y)))
    expect_identical(fitted(model), predict(model, three))
  }
  # with two classes the rule is that of the sign
  K <- model_gram(dg_ridge(y ~ x1 + x2 + x3 | domain, data = labels))
  both <- naive_kernel_ridge(K, indicators(labels$y), rep(1, nrow(K)), 0.5)$alpha
  one <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = labels, lambda = 0.5)$coefficients
  expect_equal(both[, 2] - both[, 1], unname(one[, 1]), tolerance = 1e-9)
})

test_that("a row with a missing value is NA in the matrix of decision values too", {
  model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = three)
  holes <- three
  holes$x1[3] <- NA
  expect_warning(values <- predict(model, holes, type = "decision"), class = "domgen_warning_missing")
  expect_identical(which(is.na(values[, 1])), 3L)
  expect_warning(class <- predict(model, holes), class = "domgen_warning_missing")
  expect_identical(which(is.na(class)), 3L)
})

every_row <- list(nystrom = features_nystrom(500),
                  product = features_product(x = features_nystrom(500), rank = 4,
                                             embedding = features_nystrom(500)))

for (name in names(every_row)) {
  test_that(paste("features with a landmark at every row are the exact kernel:", name), {
    for (data in list(toy, three)) for (intercept in c(FALSE, TRUE)) {
      exact <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = data, weights = w, intercept = intercept,
                        domain_weights = "equal")
      features <- suppressWarnings(update(exact, feature_map = every_row[[name]]),
                                   "domgen_warning_rank")
      expect_equal(features$decision, exact$decision, tolerance = 1e-8)
      expect_equal(unname(features$intercept), unname(exact$intercept), tolerance = 1e-8)
      # domains whose embeddings lie in the span of the features
      some <- data[seq(1, nrow(data), by = 3), ]
      expect_equal(predict(features, some, type = "decision", reference = data),
                   predict(exact, some, type = "decision", reference = data), tolerance = 1e-8)
    }
  })
}

test_that("a fit with features is (Z'CZ + lambda)^-1 Z'Cy and keeps no rows", {
  set.seed(1)
  model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy, weights = w, lambda = 0.3,
                    feature_map = features_rff(20), domain_kernel = pooled)
  X <- apply_scaling(as.matrix(toy[predictors]), model$blueprint$scaling)
  Z <- space_rows(model$space, list(X = X, domain = toy$domain))
  y <- (toy$y - model$response$centre) / model$response$scale
  expect_equal(unname(model$coefficients[, 1]),
               solve(crossprod(Z, toy$w * Z) + diag(0.3, 40), drop(crossprod(Z, toy$w * y))),
               tolerance = 1e-9)
  expect_equal(predict(model, toy), fitted(model), tolerance = 1e-10)
  holds <- function(part) {
    if (is.environment(part) || is.function(part)) return(FALSE)
    if (is.list(part)) return(any(vapply(unclass(part), holds, logical(1))))
    is.numeric(part) && length(part) >= nrow(toy) * length(predictors)
  }
  expect_false(holds(model[setdiff(names(model), "call")]))
  expect_true(holds(dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy)$space))
})

test_that("sums over parts of the rows are those over all of them", {
  set.seed(1)
  product <- represent(features_nystrom(15), kernel_rbf(2), pooled,
                       list(X = as.matrix(toy[predictors]), domain = toy$domain), 1L)
  sample <- list(X = as.matrix(toy[predictors]), domain = toy$domain)
  task <- list(Y = indicators(three$y), costs = toy$w)
  whole <- ridge_moments(product, sample, task, NULL)
  Z <- space_rows(product, sample)
  expect_equal(whole$second, crossprod(Z, toy$w * Z), tolerance = 1e-10)
  expect_equal(unname(whole$cross), unname(crossprod(Z, toy$w * task$Y)), tolerance = 1e-10)
  expect_equal(whole$sums, drop(crossprod(Z, toy$w)), tolerance = 1e-10)
  expect_equal(whole$total, sum(toy$w))
  half <- lapply(list(1:30, 31:nrow(toy)), function(rows) {
    ridge_moments(product, sample, task, NULL, rows)
  })
  expect_equal(Map(`+`, half[[1]], half[[2]]), whole, tolerance = 1e-10)
})

test_that("a fit to sums is the fit to the rows", {
  few <- features_nystrom(20)
  cases <- list(numbers = transform(toy, y = y + 1e5), two = transform(toy, y = factor(y > 1)),
                many = three)
  for (name in names(cases)) for (intercept in c(FALSE, TRUE)) {
    data <- cases[[name]]
    set.seed(1)
    first <- feature_sums(y ~ x1 + x2 + x3 | domain, data = data, feature_map = few)
    sums <- update(first, data[1:25, ]) + update(first, data[26:nrow(data), ])
    model <- fit(dg_ridge(lambda = 0.2, intercept = intercept, domain_kernel = pooled), sums)
    set.seed(1)
    rows <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = data, lambda = 0.2, intercept = intercept,
                     feature_map = few, domain_kernel = pooled)
    expect_equal(nobs(model), nrow(data))
    values <- predict(model, new, type = "decision")
    wanted <- predict(rows, new, type = "decision")
    if (name == "many") wanted <- wanted[, colnames(values)]
    expect_equal(values, wanted, tolerance = 1e-9, label = name)
    if (name != "numbers") {
      expect_identical(as.character(predict(model, new)), as.character(predict(rows, new)))
    }
  }
  unscaled <- feature_sums(y ~ x1 + x2 | domain, data = toy, feature_map = few, scale = "none")
  model <- fit(dg_ridge(domain_kernel = pooled, scale = "none"), unscaled)
  expect_equal(model$response[c("centre", "scale")], list(centre = 0, scale = 1))
  expect_output(print(model), paste(nrow(toy), "rows"))
})

test_that("results do not depend on threads, order of rows or names of domains", {
  model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy)
  expect_equal(predict(update(model, threads = 1), new), predict(model, new), tolerance = 1e-10)
  shuffled <- update(model, data = toy[sample(nrow(toy)), ])
  expect_equal(predict(shuffled, new), predict(model, new), tolerance = 1e-8)
  renamed <- update(model, data = transform(toy, domain = factor(domain, labels = letters[4:1])))
  expect_equal(predict(renamed, new), predict(model, new), tolerance = 1e-8)
})

test_that("a saved model predicts the same", {
  file <- tempfile(fileext = ".rds")
  set.seed(1)
  for (features in list(features_exact(), features_nystrom(20))) {
    model <- dg_ridge(y ~ poly(x1, 2) + x2 | domain, data = three, feature_map = features)
    saveRDS(model, file)
    expect_identical(predict(readRDS(file), three, type = "decision"),
                     predict(model, three, type = "decision"))
  }
})

test_that("a chain ends in a ridge regression with the linear kernel on the scores", {
  model <- fit(dg_pipeline(dg_dica(ncomp = 2), dg_ridge(domain_kernel = pooled)), y ~ x1 + x2 + x3 | domain,
               data = three)
  expect_s3_class(model$learner$space$kernel, "kernel_linear")
  expect_identical(colnames(predict(model, new, type = "decision")), levels(three$y))
  expect_identical(predict(model, three), fitted(model))
})

test_that("a lambda that is lost in rounding is raised, with a warning", {
  same <- toy[rep(1:5, 8), ]
  same$y <- seq_len(nrow(same))
  expect_warning(model <- dg_ridge(y ~ x1 | domain, data = same, lambda = 1e-300, domain_kernel = pooled),
                 "lost in the rounding", class = "domgen_warning_ridge")
  expect_true(all(is.finite(fitted(model))))
})

test_that("what a ridge regression cannot do is said", {
  one <- transform(toy, y = factor("a"))
  sums <- feature_sums(y ~ x1 | domain, data = toy, feature_map = features_nystrom(5))
  custom <- kernel_custom(function(x, z) -tcrossprod(x, z))
  expect_refusals({
    dg_ridge(y ~ x1 | domain, data = toy, lambda = 0)
    dg_ridge(y ~ x1 | domain, data = toy, bandwidths = "free")
    dg_ridge(y ~ x1 | domain, data = one)
    dg_ridge(y ~ x1 | domain, data = toy, weights = w - 1)
    dg_ridge(y ~ x1 | domain, data = toy, cost = 1)
    dg_ridge(y ~ x1 | domain, data = toy, kernel = custom)
    predict(dg_ridge(y ~ x1 | domain, data = labels), labels, type = "prob")
    predict(dg_ridge(y ~ x1 | domain, data = toy), toy, type = "class")
    fit(dg_ridge(domain_weights = "equal"), sums)
    fit(dg_ridge(bandwidths = "fitted"), sums)
    fit(dg_ridge(kernel = kernel_linear()), sums)
    fit(dg_ridge(), feature_sums(~ x1 | domain, data = toy, feature_map = features_nystrom(5)))
    fit(dg_ridge(), sums + update(sums, transform(toy[1:3, ], y = 1e300)))
    fit(dg_svm(), sums)
  })
})

test_that("with a free constant, rows far from 0 cost no digits to a linear kernel", {
  set.seed(5)
  # shifts by 2^17 are exact
  X <- matrix(round(rnorm(120) * 2^12) / 2^12, 40)
  y <- drop(X %*% c(1, -2, 0.5)) + rnorm(40)
  g <- rep(letters[1:4], 10)
  X_new <- X[1:8, ] + 0.5
  lambda <- 0.5
  m <- colMeans(X)
  closed <- function(P) {
    Z <- sweep(X, 2, m)
    w <- solve(crossprod(Z) + diag(lambda * P, length(P)), crossprod(Z, y - mean(y)))
    drop(mean(y) + sweep(X_new, 2, m) %*% w)
  }
  far <- 2^17
  ridge <- function(kernel, ...) {
    dg_ridge(X + far, y, g, kernel = kernel, domain_kernel = pooled, intercept = TRUE, scale = "none",
             lambda = lambda, ...)
  }
  # sums of 40 products, solved with a condition number of at most 40 * 4 / 0.5
  rounding <- 40 * 320 * .Machine$double.eps
  expect_equal(predict(ridge(kernel_linear()), X_new + far), closed(rep(1, 3)), tolerance = rounding)
  expect_equal(predict(ridge(kernel_poly(1, gamma = 2, coef0 = 3)), X_new + far), closed(rep(0.5, 3)),
               tolerance = rounding)
  expect_equal(predict(ridge(kernel_linear(), feature_map = features_nystrom(3)), X_new + far),
               closed(rep(1, 3)), tolerance = 1e3 * rounding)
  near <- function(method, by, ...) {
    method(X + by, y, g, kernel = kernel_linear() + kernel_rbf(2), domain_kernel = pooled,
           scale = "none", ...)
  }
  for (shift in c(0, far)) {
    svm <- near(dg_svm, shift, intercept = TRUE, tolerance = 1e-8)
    left <- dg_cv(near(dg_ridge, shift, intercept = TRUE))$predictions$prediction
    scores <- abs(fitted(near(dg_dica, shift, ncomp = 1)))
    values <- c(predict(svm, X_new + shift), left, scores)
    if (shift == 0) origin <- values
  }
  expect_equal(values, origin, tolerance = 1e-6)
  # a constant for each domain is none that is free: then the digits lost are told
  expect_warning(dg_ridge(X + far, y, g, lambda = 1, kernel = kernel_linear(), intercept = TRUE,
                          scale = "none"),
                 "leaves about [0-9] digits?", class = "domgen_warning_ridge")
  expect_silent(dg_ridge(X + 100, y, g, lambda = 1, kernel = kernel_linear(), intercept = TRUE,
                         scale = "none"))
  expect_output(print(ridge(kernel_linear())), "<x - mean, z - mean>", fixed = TRUE)
  # without a free constant the origin says something
  expect_null(dg_ridge(X, y, g, kernel = kernel_linear(), domain_kernel = pooled)$space$kernel$origin)
  expect_null(dg_ridge(X, y, g, kernel = kernel_linear(), intercept = TRUE)$space$kernel$origin)
})

test_that("sums are fitted with their own kernels: a default that differs is told, a wish is refused", {
  sums <- feature_sums(y ~ x1 + x2 | domain, data = toy, feature_map = features_nystrom(5))
  expect_message(model <- fit(dg_ridge(), sums), "`domain_kernel` is that of the sums, 1 \\(pooled\\)",
                 class = "domgen_message_sums")
  expect_message(again <- fit(dg_ridge(domain_kernel = pooled), sums), NA)
  expect_identical(predict(model, toy), predict(again, toy))
  expect_domgen_error(fit(dg_ridge(domain_kernel = domain_distribution()), sums),
                      "`domain_kernel` must be given to `feature_sums\\(\\)`.*1 \\(pooled\\)")
  expect_message(fit(dg_kpca(ncomp = 1), sums), NA)
  linear <- feature_sums(y ~ x1 + x2 | domain, data = toy, feature_map = features_nystrom(2),
                         kernel = kernel_linear())
  expect_message(fit(dg_kpca(ncomp = 1), linear), "`kernel` is that of the sums, <x, z>",
                 class = "domgen_message_sums")
  expect_domgen_error(fit(dg_kpca(ncomp = 1, kernel = kernel_rbf()), linear), "`kernel` must be given")
})

test_that("fits of many rows by conjugate gradients solve the equations", {
  set.seed(1)
  n <- 1000
  d <- data.frame(matrix(rnorm(3 * n), n), g = rep_len(letters[1:8], n), w = rep_len(0:2, n))
  d$y <- sin(2 * d$X1) + d$X2 + rnorm(n)
  K <- kernel_matrix(kernel_rbf(1.5), scale(as.matrix(d[1:3]))) *
    ifelse(outer(d$g, d$g, "=="), 1, 0.5)
  used <- d$w > 0
  # the last is lost in rounding: a factor, which raises it, takes over
  for (lambda in c(100, 1, 1e-3, 1e-14)) for (intercept in c(TRUE, FALSE)) {
    model <- suppressWarnings(dg_ridge(
      y ~ X1 + X2 + X3 | g, data = d, weights = w, lambda = lambda, kernel = kernel_rbf(1.5),
      domain_kernel = domain_multitask(0.5), intercept = intercept), "domgen_warning_ridge")
    alpha <- model$coefficients[used, ]
    y <- code_rows(model$response, model$y)[used, ]
    left <- y - drop(K[used, used] %*% alpha) - lambda * alpha / d$w[used] - model$intercept
    expect_lt(max(abs(left)), if (lambda > 1e-10) 1e-8 else 1e-4)
    if (intercept) expect_lt(abs(sum(alpha)), 1e-9 * sum(abs(alpha)))
    expect_equal(model$coefficients[!used, ], numeric(sum(!used)))
  }
})
