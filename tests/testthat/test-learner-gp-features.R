# Gaussian processes on feature maps.

toy <- toy_domains(5, 25)
new <- toy_domains(3, 12, seed = 8)
pooled <- domain_pooled()
fixed <- function(..., signal_sd = 1.1, noise_sd = 0.5) {
  # with evaluated arguments, for update()
  do.call(dg_gp, list(y ~ . | domain, ..., signal_sd = signal_sd, noise_sd = noise_sd, optimise = FALSE))
}

test_that("with a landmark at every row it is the exact process", {
  for (kernel in list(pooled, domain_multitask(0.4), domain_distribution())) {
    exact <- fixed(data = toy, domain_kernel = kernel, weights = rep_len(c(1, 2, 0), nrow(toy)))
    features <- suppressWarnings(update(exact, feature_map = features_nystrom(nrow(toy))))
    expect_equal(features$log_likelihood, exact$log_likelihood, tolerance = 1e-8)
    expect_equal(fitted(features), fitted(exact), tolerance = 1e-7)
    # a new domain's embedding is projected on those of the training rows
    close <- if (inherits(kernel, "domain_embedding")) 1e-4 else 1e-6
    expect_equal(predict(features, new, se.fit = TRUE), predict(exact, new, se.fit = TRUE), tolerance = close)
    parts <- c("domains", "predictions")
    expect_equal(dg_cv(features)[parts], dg_cv(exact)[parts], tolerance = 1e-6)
  }
  # and so are the fitted signal and noise
  exact <- dg_gp(y ~ . | domain, data = toy, kernel = kernel_rbf(1.5), domain_kernel = pooled)
  features <- suppressWarnings(update(exact, feature_map = features_nystrom(nrow(toy))))
  expect_equal(features$parameters$value, exact$parameters$value, tolerance = 1e-4)
  expect_lt(max(abs(features$gradient)), 0.01)
})

test_that("it is the dense formula for the kernel <z, z'>, whatever the map", {
  set.seed(1)
  maps <- list(
    nystrom = list(features_nystrom(25), domain_distribution()), rff = list(features_rff(20), pooled),
    product = list(features_product(), domain_distribution()), pooled = list(features_nystrom(10), pooled)
  )
  w <- rep_len(c(1, 0.5, 3, 0), nrow(toy))
  for (name in names(maps)) {
    model <- suppressWarnings(fixed(data = toy, feature_map = maps[[name]][[1]], domain_kernel = maps[[name]][[2]],
                                    weights = w, scale = "none"))
    train <- suppressWarnings(space_rows(model$space,
                                           list(X = as.matrix(toy[, c("x1", "x2", "x3")]),
                                                domain = toy$domain)))
    test <- space_rows(model$space,
                         list(X = as.matrix(new[, c("x1", "x2", "x3")]), domain = new$domain))
    K <- tcrossprod(rbind(train, test))
    used <- which(w > 0)
    A <- 1.1^2 * K[used, used] + diag(0.25 / w[used])
    expect_equal(model$log_likelihood, log_normal(toy$y[used], 0, A), tolerance = 1e-9, label = name)
    naive <- naive_posterior(K, used, nrow(toy) + seq_len(nrow(new)), toy$y, 1.1, 0.5, w)
    got <- predict(model, new, se.fit = TRUE)
    expect_equal(got$fit, unname(naive$mean), tolerance = 1e-8, label = name)
    # the prior variance is that of the kernel
    expect_equal(got$se.fit^2, unname(diag(naive$covariance)) + 1.1^2 * pmax(1 - rowSums(test^2), 0),
                 tolerance = 1e-8, label = name)
    draws <- simulate(model, 4000, seed = 3, newdata = new)
    sd <- sqrt(got$se.fit^2 + 0.25)
    expect_lt(max(abs(rowMeans(draws) - got$fit) / sd * sqrt(4000)), 5)
    expect_equal(apply(draws, 1, stats::sd), unname(sd), tolerance = 0.1)
  }
})

test_that("leaving a domain out needs sums by domain only", {
  centred <- transform(toy, y = y - mean(y))
  model <- fixed(data = centred, feature_map = features_nystrom(20), domain_kernel = pooled, scale = "none")
  table <- dg_cv(model)$domains
  Z <- space_rows(model$space,
                    list(X = as.matrix(toy[, c("x1", "x2", "x3")]), domain = toy$domain))
  for (g in 1:3) {
    out <- toy$domain == table$domain[g]
    naive <- naive_posterior(tcrossprod(Z), which(!out), which(out), centred$y, 1.1, 0.5)
    expect_equal(table$score[g], sqrt(mean((centred$y[out] - naive$mean)^2)), tolerance = 1e-9)
    expect_equal(table$log_density[g],
                 log_normal(centred$y[out], naive$mean, naive$covariance + diag(0.25, sum(out))),
                 tolerance = 1e-9)
  }
  domains <- summary(model)$domains
  expect_equal(domains$left_out, sort(table$score, decreasing = TRUE))
  expect_identical(domains$domain, table$domain[order(-table$score)])
})

test_that("no training rows are kept, and a saved model predicts the same", {
  large <- toy_domains(4, 400)
  set.seed(2)
  model <- dg_gp(y ~ . | domain, data = large, feature_map = features_nystrom(20))
  file <- tempfile(fileext = ".rds")
  saveRDS(model, file)
  expect_identical(predict(readRDS(file), new, se.fit = TRUE), predict(model, new, se.fit = TRUE))
  expect_null(model$space$X)
  expect_domgen_error(predict(model, se.fit = TRUE), "`newdata` must be given", "domgen_error_argument")
  expect_domgen_error(simulate(model), "`newdata` must be given", "domgen_error_argument")
  expect_equal(predict(model, large), fitted(model), tolerance = 1e-9)
  # n-sized are only responses, weights, codes and fitted values
  n_sized <- c("decision", "y", "weights", "rows", "domain", "response")
  expect_lt(as.numeric(object.size(unclass(model)[setdiff(names(model), c(n_sized, "call", "blueprint"))])), 1e5)
})

test_that("weights of any size say the same", {
  a <- fixed(data = toy, feature_map = features_nystrom(20, "uniform"), weights = rep_len(1:3, nrow(toy)),
             domain_kernel = pooled, noise_sd = 0.5)
  set.seed(9)
  a <- update(a)
  set.seed(9)
  b <- update(a, weights = 1e6 * rep_len(1:3, nrow(toy)), noise_sd = 500)
  expect_equal(predict(a, new, se.fit = TRUE)[1:2], predict(b, new, se.fit = TRUE)[1:2], tolerance = 1e-8)
  expect_equal(b$log_likelihood, a$log_likelihood, tolerance = 1e-10)
})
