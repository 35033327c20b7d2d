# Predictive distributions.

toy <- toy_domains(5, 25)
new <- toy_domains(3, 12, seed = 8)
pooled <- domain_pooled()
fixed <- function(..., signal_sd = 1.1, noise_sd = 0.5) {
  # with evaluated arguments, for update()
  do.call(dg_gp, list(y ~ . | domain, ..., signal_sd = signal_sd, noise_sd = noise_sd, optimise = FALSE))
}

# K over the training rows and then new ones, whose domains are further domains.
joint_gram <- function(model, X, domain) {
  product <- model$space
  all <- factor(c(paste("old", model$domain), paste("new", domain)),
                levels = c(paste("old", levels(model$domain)), paste("new", levels(domain))))
  naive_gram(product$kernel, product$domain_kernel, rbind(product$X, X), all)
}

test_that("mean and variance at new domains are the formula's, whatever the kernels", {
  pairs <- list(
    list(kernel_rbf(1.5), domain_distribution()), list(kernel_laplace(), pooled),
    list(kernel_poly(2), domain_distribution(kernel_laplace(), kernel_poly(2))),
    list(kernel_linear() + 1, domain_multitask(0.4)),
    list(kernel_matern(), domain_distribution(embedding_kernel = kernel_linear()))
  )
  for (pair in pairs) {
    model <- fixed(data = toy, kernel = pair[[1]], domain_kernel = pair[[2]], scale = "none",
                   weights = rep_len(c(1, 0, 3), nrow(toy)))
    X <- as.matrix(new[, c("x1", "x2", "x3")])
    # domains of the same name are other domains here
    renamed <- transform(new, domain = factor(paste("new", domain)))
    got <- predict(model, renamed, se.fit = TRUE)
    n <- nrow(toy)
    naive <- naive_posterior(joint_gram(model, X, new$domain), which(model$weights > 0),
                             n + seq_len(nrow(new)), toy$y, 1.1, 0.5, model$weights)
    expect_equal(got$fit, unname(naive$mean), tolerance = 1e-9)
    expect_equal(got$se.fit, unname(sqrt(diag(naive$covariance))), tolerance = 1e-8)
    draws <- simulate(model, 4000, seed = 1, newdata = renamed)
    expect_identical(dim(draws), c(nrow(new), 4000L))
    expected <- naive$covariance + diag(0.25, nrow(new))
    error <- cov(t(as.matrix(draws))) - expected
    scale <- sqrt(outer(diag(expected), diag(expected)) / 4000)
    expect_lt(max(abs(error) / scale), 6)
    expect_lt(max(abs(rowMeans(draws) - naive$mean) / sqrt(diag(expected) / 4000)), 5)
  }
})

test_that("training rows have the variance of the formula and draws around their fit", {
  w <- rep_len(c(1, 0, 3), nrow(toy))
  model <- fixed(data = toy, weights = w, scale = "none")
  K <- naive_gram(model$space$kernel, model$space$domain_kernel, model$space$X, toy$domain)
  naive <- naive_posterior(K, which(w > 0), seq_len(nrow(toy)), toy$y, 1.1, 0.5, w)
  got <- predict(model, se.fit = TRUE)
  expect_equal(got$fit, fitted(model), tolerance = 1e-10)
  expect_equal(got$fit, naive$mean, tolerance = 1e-10)
  expect_equal(got$se.fit, unname(sqrt(diag(naive$covariance))), tolerance = 1e-8)
  draws <- simulate(model, 3000, seed = 2)
  expect_lt(max(abs(rowMeans(draws) - fitted(model)) / sqrt((got$se.fit^2 + 0.25) / 3000)), 5)
  expect_equal(apply(draws, 1, var), unname(got$se.fit^2 + 0.25), tolerance = 0.15)
})

test_that("intervals are quantiles of the normal distribution, wider for the response than for f", {
  model <- dg_gp(y ~ . | domain, data = toy, restarts = 1)
  whole <- predict(model, new, se.fit = TRUE, interval = "posterior", level = 0.9)
  deviation <- sqrt(whole$se.fit^2 + whole$residual.scale^2)
  expect_identical(colnames(whole$fit), c("fit", "lower", "upper"))
  expect_equal(whole$fit[, "upper"] - whole$fit[, "fit"], qnorm(0.95) * deviation)
  expect_equal(whole$fit[, "lower"], 2 * whole$fit[, "fit"] - whole$fit[, "upper"])
  confidence <- predict(model, new, interval = "confidence", level = 0.9)
  expect_equal(confidence[, "upper"] - confidence[, "fit"], qnorm(0.95) * whole$se.fit)
  expect_identical(predict(model, new), predict(model, new, type = "decision"))
  expect_equal(unname(confidence[, "fit"]), predict(model, new), tolerance = 1e-10)
})

test_that("far from all training rows there is only the mean, and the signal's uncertainty", {
  model <- fixed(data = toy)
  far <- transform(new, x1 = x1 + 1e3)
  got <- predict(model, far, se.fit = TRUE)
  spread <- model$response$scale
  expect_equal(got$fit, rep(mean(toy$y), nrow(new)))
  expect_equal(got$se.fit, rep(1.1 * spread, nrow(new)))
  # and so on features, whose own variance vanishes there
  features <- fixed(data = toy, feature_map = features_nystrom(30))
  expect_equal(predict(features, far, se.fit = TRUE)$se.fit, rep(1.1 * spread, nrow(new)))
})

test_that("standard errors do not depend on blocks, order or threads, and pass over missing rows", {
  model <- fixed(data = toy)
  whole <- predict(model, new, se.fit = TRUE)
  order <- sample(nrow(new))
  expect_equal(predict(model, new[order, ], se.fit = TRUE)$se.fit, whole$se.fit[order], tolerance = 1e-10)
  by_domain <- unsplit(lapply(split(new, new$domain), function(d) predict(model, d, se.fit = TRUE)$se.fit),
                       new$domain)
  expect_equal(by_domain, whole$se.fit, tolerance = 1e-10)
  expect_equal(predict(model, new[1:3, ], se.fit = TRUE, reference = new)$se.fit, whole$se.fit[1:3],
               tolerance = 1e-10)
  expect_warning(predict(model, new[1, ], se.fit = TRUE), "single row", class = "domgen_warning_small_domain")
  expect_identical(predict(update(model, threads = 1), new, se.fit = TRUE), whole)
  holes <- new
  holes$x2[4] <- NA
  expect_warning(got <- predict(model, holes, se.fit = TRUE, interval = "confidence"), "1 row")
  expect_true(all(is.na(got$fit[4, ])) && is.na(got$se.fit[4]) && !anyNA(got$se.fit[-4]))
  expect_warning(draws <- simulate(model, 2, newdata = holes), "1 row")
  expect_identical(which(is.na(draws$sim_2)), 4L)
  many <- new[rep(seq_len(nrow(new)), 40), ]
  expect_gt(length(blocks_of_rows(nrow(many), 2^15)), 1L)
  expect_identical(unlist(blocks_of_rows(nrow(many), 2^15)), seq_len(nrow(many)))
  kept <- suppressWarnings(fixed(data = holes, na.action = na.exclude))
  expect_identical(which(is.na(predict(kept, se.fit = TRUE)$se.fit)), 4L)
  expect_identical(which(is.na(simulate(kept, 1)[[1]])), 4L)
  expect_identical(predict(model, new[0, ], se.fit = TRUE)$se.fit, numeric(0))
})

test_that("draws leave the generator alone when they have a seed", {
  model <- fixed(data = toy)
  set.seed(1)
  before <- .Random.seed
  first <- simulate(model, 2, seed = 5, newdata = new)
  expect_identical(.Random.seed, before)
  expect_identical(simulate(model, 2, seed = 5, newdata = new), first)
  expect_identical(names(first), c("sim_1", "sim_2"))
  expect_false(identical(simulate(model, 2, newdata = new), simulate(model, 2, newdata = new)))
})

test_that("a chain that ends in a Gaussian process has its standard errors", {
  model <- fit(dg_pipeline(dg_dica(ncomp = 2), dg_gp(restarts = 1)), y ~ . | domain, data = toy)
  got <- predict(model, new, se.fit = TRUE, interval = "posterior")
  expect_equal(unname(got$fit[, "fit"]), predict(model, new), tolerance = 1e-9)
  scores <- predict(model$projection, new) / model$unit
  expect_equal(got$se.fit, predict(dg_gp(fitted(model$projection) / model$unit, toy$y, toy$domain, scale = "none",
                                         kernel = model$learner$space$kernel, signal_sd = model$learner$signal_sd *
                                           model$learner$response$scale, noise_sd = model$learner$noise_sd *
                                           model$learner$response$scale,
                                         domain_kernel = model$learner$space$domain_kernel[c("kernel", "embedding_kernel")] |>
                                           (\(k) domain_distribution(k$kernel, k$embedding_kernel))()),
                                   scores, domain = new$domain, se.fit = TRUE)$se.fit, tolerance = 1e-6)
  expect_identical(length(predict(model, se.fit = TRUE)$se.fit), nrow(toy))
  svm <- fit(dg_pipeline(dg_dica(ncomp = 2), dg_svm()), y ~ . | domain, data = toy)
  expect_domgen_error(predict(svm, new, se.fit = TRUE), "`se.fit` must be FALSE for `dg_svm\\(\\)`, which has no posterior")
})
