# Domains left out in closed form, against fits without them.

toy <- toy_domains(5, 12)
set.seed(1)
toy <- toy[sample(nrow(toy)), ]
toy$w <- rep_len(c(1, 2, 0, 3), nrow(toy))
three <- transform(toy, y = cut(y, 3, labels = c("low", "mid", "top")))
fixed <- dg_ridge(lambda = 0.5, kernel = kernel_rbf(2), scale = "none",
                  domain_kernel = domain_distribution(kernel_rbf(1.5), kernel_rbf(1)))

test_that("with bandwidths and scaling fixed it is cross-validation, without fits", {
  model <- fit(fixed, y ~ x1 + x2 + x3 | domain, data = toy)
  closed <- dg_cv(model)
  cross <- dg_cv(fixed, y ~ x1 + x2 + x3 | domain, data = toy)
  expect_s3_class(closed, "dg_cv")
  expect_equal(closed$predictions, cross$predictions, tolerance = 1e-10)
  expect_equal(closed[c("domains", "mean", "se", "overall", "metric", "folds")],
               cross[c("domains", "mean", "se", "overall", "metric", "folds")], tolerance = 1e-10)
  expect_output(print(closed), "5 domains held out one at a time")
  expect_equal(dg_cv(model, metric = "mae")$domains$score,
               dg_cv(fixed, y ~ x1 + x2 + x3 | domain, data = toy, metric = "mae")$domains$score,
               tolerance = 1e-10)
  two <- transform(toy, y = factor(y > 1.5))
  expect_equal(dg_cv(fit(fixed, y ~ x1 + x2 + x3 | domain, data = two))$predictions,
               dg_cv(fixed, y ~ x1 + x2 + x3 | domain, data = two)$predictions, tolerance = 1e-10)
  # decision values of many classes are left out by both; a fold that lacks one has others
  expect_identical(dg_cv(fit(fixed, y ~ x1 + x2 + x3 | domain, data = three))$predictions$prediction,
                   dg_cv(fixed, y ~ x1 + x2 + x3 | domain, data = three)$predictions$prediction)
})

test_that("residuals are those of fits to the other domains, whatever the weights and the intercept", {
  for (data in list(toy, three)) for (intercept in c(FALSE, TRUE)) for (scale in c("pooled", "none")) {
    for (domains in c("size", "equal")) {
      model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = data, weights = w, intercept = intercept,
                        lambda = 0.3, scale = scale, domain_weights = domains)
      Y <- code_rows(model$response, model$y)
      centred <- is.numeric(data$y) && scale == "pooled" && !intercept
      naive <- naive_left_out(model_gram(model), Y, as.character(toy$domain), model$costs, 0.3, intercept,
                              if (centred) toy$w)
      expect_equal(matrix(left_out(model), nrow(Y)), naive, tolerance = 1e-8)
    }
  }
})

test_that("rows without weight are predicted as if they were new", {
  model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy, weights = w, lambda = 1, kernel = kernel_rbf(2),
                    scale = "none", domain_kernel = domain_pooled())
  d1 <- toy$domain == "d1"
  without <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy[!d1, ], weights = w, lambda = 1,
                      kernel = kernel_rbf(2), scale = "none", domain_kernel = domain_pooled())
  expect_equal(dg_cv(model)$predictions$prediction[d1], predict(without, toy[d1, ]), tolerance = 1e-9)
  expect_true(any(toy$w[d1] == 0))
})

test_that("labels of the left-out domain are not used, nor is their mean", {
  for (intercept in c(FALSE, TRUE)) {
    model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy, intercept = intercept, lambda = 1)
    scrambled <- toy
    d1 <- toy$domain == "d1"
    scrambled$y[d1] <- 1000 * seq_len(sum(d1))
    other <- update(model, data = scrambled)
    expect_equal(dg_cv(other)$predictions$prediction[d1], dg_cv(model)$predictions$prediction[d1],
                 tolerance = 1e-8)
  }
})

test_that("features at every row leave domains out as the exact kernel does", {
  for (data in list(toy, three)) for (intercept in c(FALSE, TRUE)) {
    exact <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = data, weights = w, intercept = intercept)
    for (features in list(features_nystrom(500),
                          features_product(x = features_nystrom(500), rank = 5,
                                           embedding = features_nystrom(500)))) {
      model <- suppressWarnings(update(exact, feature_map = features), "domgen_warning_rank")
      a <- dg_cv(model)$predictions
      b <- dg_cv(exact)$predictions
      expect_identical(as.character(a$prediction[is.factor(data$y)]),
                       as.character(b$prediction[is.factor(data$y)]))
      expect_equal(a$decision, b$decision, tolerance = 1e-7)
    }
  }
})

test_that("features take their rows from the data of the call, and see when these have changed", {
  data <- toy
  set.seed(1)
  model <- dg_ridge(y ~ x1 + x2 | domain, data = data, weights = w, feature_map = features_nystrom(10))
  before <- dg_cv(model)$predictions
  by_fit <- fit(dg_ridge(feature_map = features_nystrom(10)), y ~ x1 + x2 | domain, data = data)
  expect_equal(nrow(dg_cv(by_fit)$predictions), nrow(data))
  data$y[1] <- 0
  expect_domgen_error(dg_cv(model), "they have changed", "domgen_error_data")
  data <- toy
  expect_identical(dg_cv(model)$predictions, before)
})

test_that("domains that cannot be left out are named", {
  model <- dg_ridge(y ~ x1 | domain, data = toy, domain_kernel = domain_pooled())
  single <- update(model, data = domains_of(toy, 1))
  weightless <- update(model, weights = as.numeric(toy$domain == "d1"))
  sums <- fit(dg_ridge(domain_kernel = domain_pooled()),
              feature_sums(y ~ x1 | domain, data = toy, feature_map = features_nystrom(5)))
  expect_refusals({
    dg_cv()
    dg_cv(dg_lm(y ~ x1 | domain, data = toy), refit = FALSE)
    dg_cv(fixed, y ~ x1 | domain, data = toy, refit = FALSE)
    dg_cv(model, refit = 1)
    dg_cv(model, metric = "accuracy")
    dg_cv(model, folds = 3, refit = FALSE)
    dg_cv(model, data = toy, refit = FALSE)
    dg_cv(model, metric = "coverage", refit = FALSE)
    dg_cv(single)
    dg_cv(weightless)
    dg_cv(sums)
  })
})

# The level "c" is in domain 4 alone, "d" is in all.
lone_rows <- function() {
  d <- with_seed(1, data.frame(z = rep(1:6, each = 9), x = stats::rnorm(54),
                               f = rep(c("a", "b", "d"), 18)))
  d$f[d$z == 4][1:3] <- "c"
  d$y <- with_seed(2, d$x + 3 * (d$f == "c") + stats::rnorm(54, sd = 0.3))
  d$n <- with_seed(3, stats::rpois(54, exp(d$x / 2)))
  d$k <- factor(d$x + (d$f == "a") > 0)
  d
}

test_that("closed forms give no value to a level that only the left-out domain has", {
  d <- lone_rows()
  lost <- which(d$f == "c")
  spec <- dg_ridge(lambda = 1, kernel = kernel_rbf(2), scale = "none",
                   domain_kernel = domain_pooled())
  cross <- suppressWarnings(dg_cv(spec, y ~ x + f | z, data = d))
  models <- list(ridge = fit(spec, y ~ x + f | z, data = d),
                 feature_map = update(fit(spec, y ~ x + f | z, data = d),
                                   feature_map = features_nystrom(20)),
                 class = fit(spec, k ~ x + f | z, data = d),
                 glm = dg_glm(n ~ x + f | z, data = d, family = "poisson", lambda = 1),
                 ensemble = fit(dg_ensemble(list(spec, dg_ridge(lambda = 10)), member_weights = "equal"),
                                y ~ x + f | z, data = d))
  for (name in names(models)) {
    expect_warning(closed <- dg_cv(models[[name]]),
                   "3 rows of the domain \"4\" cannot be predicted.*no score: `f` has a level",
                   class = "domgen_warning_new_level")
    expect_identical(which(is.na(closed$predictions$prediction)), lost, info = name)
    expect_identical(is.na(closed$domains$score), 1:6 == 4, info = name)
    if (name == "ridge") expect_equal(closed$predictions, cross$predictions, tolerance = 1e-10)
  }
  process <- dg_gp(y ~ x + f | z, data = d, optimise = FALSE)
  expect_warning(closed <- dg_cv(process), "domain \"4\" cannot be predicted",
                 class = "domgen_warning_new_level")
  expect_identical(is.na(closed$domains$score), 1:6 == 4)
  expect_identical(is.na(closed$domains$log_density), 1:6 == 4)
})

test_that("probabilities are those of the values without each domain, near those of fits", {
  f <- y ~ x1 + x2 + x3 | domain
  spec <- dg_glm(lambda = 20, kernel = kernel_rbf(2), scale = "none",
                 domain_kernel = domain_pooled())
  two <- transform(toy, y = factor(y > 1.5))
  # each class is in several domains
  several <- transform(toy, y = factor(rank(y) %/% 21))
  for (data in list(two, several)) {
    model <- fit(spec, f, data = data)
    for (metric in c("log_loss", "brier")) {
      closed <- dg_cv(model, metric = metric)
      expect_equal(closed$domains$score, dg_cv(model, metric = metric, refit = TRUE)$domains$score,
                   tolerance = 0.02)
    }
    expect_equal(rowSums(closed$predictions$prob), rep(1, nrow(data)))
    expect_identical(colnames(closed$predictions$prob), levels(data$y))
    expect_s3_class(dg_calibration(closed), "dg_calibration")
    both <- fit(dg_ensemble(list(spec, spec), member_weights = "equal"), f, data = data)
    expect_equal(dg_cv(both, metric = "brier")$domains$score,
                 dg_cv(model, metric = "brier", refit = TRUE)$domains$score,
                 tolerance = 0.02)
    # what is calibrated with the labels of all domains is not scored
    platt <- dg_ridge(f, data = data, lambda = 1, calibration = "platt")
    expect_domgen_error(dg_cv(platt, metric = "log_loss", refit = FALSE), "must be TRUE or NULL",
                        "domgen_error_argument")
    expect_null(dg_cv(platt)$predictions$prob)
  }
  source <- dg_ridge(f, data = row_source(two), lambda = 1, feature_map = features_nystrom(10))
  expect_domgen_error(dg_cv(source, metric = "log_loss"), "`metric` must not be \"log_loss\"",
                      "domgen_error_argument")
})

test_that("rows that left-out domains cannot predict choose nothing", {
  d <- lone_rows()
  sample <- read_sample(read_input(list(x = y ~ x + f | z, data = d)),
                        list(response = "any", domain = TRUE),
                        "none")
  args <- dg_ridge(scale = "none")$args
  task <- ridge_task(sample, args)
  product <- gram_space(kernel_rbf(2), domain_pooled(), sample, 1L)
  rows <- c(sample[c("X", "domain", "weights", "levels")], list(left_out = sample$domain))
  left <- left_out_predictions(product, rows, task, args, nrow(d) * penalty_shares) - c(task$Y)
  expect_identical(which(is.na(left[, 1, 1])), which(d$f == "c"))
  expect_equal(try_penalties(product, rows, task, args)$error,
               min(apply(left^2, 3, mean, na.rm = TRUE)))
  expect_true(is.finite(dg_glm(n ~ x + f | z, data = d, family = "poisson")$lambda))
  auto <- dg_auto(y ~ x + f | z, data = d, max_seconds = 1e-6)
  expect_true(is.finite(auto$choice$expected$mean))
  expect_identical(nrow(auto$choice$scores), 6L)
  expect_domgen_error(dg_auto(y ~ x + g | z, data = transform(d, g = factor(z))), "no other domain",
                      "domgen_error_data")
  # nor do they widen intervals
  far <- transform(d, y = y + 1e3 * (f == "c"))
  kept <- keep_intervals(fit(dg_ridge(lambda = 1), y ~ x + f | z, data = far), globalenv())
  expect_true(all(abs(kept$intervals$error) < 100))
  expect_length(kept$intervals$error, 51L)
})

test_that("a fitted model is held out in closed form where it has one, else by fits, and says so", {
  f <- y ~ x1 + x2 + x3 | domain
  model <- fit(fixed, f, data = toy)
  closed <- dg_cv(model, folds = NULL, refits = FALSE, hold_out = "all", shots = NULL, data = NULL)
  expect_false(closed$refit)
  expect_identical(closed$predictions, dg_cv(model, refit = FALSE)$predictions)
  expect_match(closed$held_out, "held out one at a time, in closed form$")
  expect_output(print(closed), "`refit = TRUE` of dg_cv\\(\\) learns\\s+these\\s+again")
  fitted <- dg_cv(model, refit = TRUE)
  expect_true(fitted$refit)
  expect_output(print(fitted), "one at a time, the model fitted again without them")
  specified <- dg_cv(fixed, f, data = toy)
  expect_null(specified$refit)
  expect_identical(fitted$predictions, specified$predictions)
  expect_identical(setdiff(names(specified), names(closed)), character())

  metrics <- c("rmse", "mae", "r2")
  both <- dg_cv(model, metric = metrics)
  for (name in metrics) {
    expect_identical(both$domains[[name]], dg_cv(model, metric = name)$domains$score)
  }
  # what needs fits has them, unless it is asked for without
  other <- list(data = toy, folds = 3, refits = TRUE, shots = 2, metric = "coverage",
                na.action = stats::na.exclude)
  for (name in names(other)) {
    args <- c(list(model), other[name])
    expect_true(quietly(do.call(dg_cv, args))$refit, info = name)
    expect_domgen_error(do.call(dg_cv, c(args, refit = FALSE)), paste0("no closed form.*", name))
  }
  expect_true(dg_cv(dg_lm(f, data = toy))$refit)
  nested <- transform(toy, half = rep_len(1:2, nrow(toy)))
  expect_true(dg_cv(fit(fixed, y ~ x1 | domain / half, data = nested))$refit)
  tuned <- dg_tune(fixed, f, data = toy, grid = list(lambda = c(0.1, 1)), extend = FALSE)
  expect_true(dg_cv(tuned)$refit)
  expect_false(dg_cv(tuned, refit = FALSE)$refit)
  # the report of it, too
  expect_match(dg_validate(closed)$held_out, "in closed form$")
})
