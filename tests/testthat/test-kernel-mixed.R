# kernel_mixed(), and predictors that a kernel takes as they are.

# The formula of the help page, one pair of rows after the other. numbers: [n x p].
naive_mixed <- function(numbers, nominal, ordered, sigma, smoothing, i, j) {
  distance <- sum((numbers[i, ] - numbers[j, ])^2)
  apart <- sum(vapply(nominal, function(v) as.character(v[i]) != as.character(v[j]), NA))
  ranks <- vapply(ordered, function(v) {
    abs(as.integer(v[i]) - as.integer(v[j])) / (nlevels(v) - 1)
  }, 1)
  exp(-distance / (2 * sigma^2)) * smoothing^(apart + sum(ranks))
}

naive_mixed_gram <- function(data, sigma, smoothing) {
  pairs <- function(i, j) {
    naive_mixed(as.matrix(data[c("x", "z", "count")]), data[c("size", "colour", "flag")],
                data["grade"], sigma, smoothing, i, j)
  }
  outer(seq_len(nrow(data)), seq_len(nrow(data)), Vectorize(pairs))
}

data <- mixed_data()
predictors <- c("x", "z", "count", "size", "grade", "colour", "flag")
formula <- y ~ x + z + count + size + grade + colour + flag | site

test_that("kernel_mixed() is the product over predictors that its help page says", {
  few <- data[1:24, ]
  for (smoothing in c(0, 0.3, 1)) {
    kernel <- kernel_mixed(bandwidth = 1.7, smoothing = smoothing)
    expect_equal(kernel_matrix(kernel, few[predictors]), naive_mixed_gram(few, 1.7, smoothing),
                 tolerance = 1e-13)
  }
})

test_that("it is positive semi-definite, with unknown levels too", {
  set.seed(1)
  for (seed in 1:5) {
    x <- mixed_data(40, seed)[predictors]
    z <- mixed_data(10, seed + 50)[predictors]
    z$colour <- rep(c("blue", "white"), 5)
    levels(z$grade) <- c("p", "b", "q")
    kernel <- kernel_mixed(smoothing = runif(1))
    model <- quietly(read_rows(kernel, x, z))
    rows <- rbind(model$x, model$z)
    values <- eigen(kernel_matrix(kernel_fit(model$kernel, model$x), rows), TRUE, TRUE)$values
    expect_gte(min(values), -1e-12 * max(values))
  }
})

test_that("on numbers alone it is kernel_rbf(), and its bandwidth is the median of the numbers", {
  X <- as.matrix(data[c("x", "z", "count")])
  expect_equal(kernel_matrix(kernel_mixed(smoothing = 0.2), X), kernel_matrix(kernel_rbf(), X))
  expect_equal(kernel_matrix(kernel_mixed(), data[c("x", "z", "count")]),
               kernel_matrix(kernel_rbf(), X))
  expect_equal(kernel_matrix(kernel_mixed(bandwidth_factor = 2), data[predictors]),
               naive_mixed_gram(data, 2 * median_bandwidth(X), 0.5), tolerance = 1e-13)
  toy <- toy_domains(4, 15)
  fit <- function(kernel) predict(dg_ridge(y ~ . | domain, toy, kernel = kernel, lambda = 1), toy)
  expect_equal(fit(kernel_mixed()), fit(kernel_rbf()), tolerance = 1e-12)
})

test_that("methods see numbers as `scale` makes them, and categories as they are", {
  for (scale in c("pooled", "none", "rank", "domain", "both")) {
    model <- dg_ridge(formula, data, kernel = kernel_mixed(), lambda = 1, scale = scale,
                      domain_kernel = domain_pooled())
    numbers <- dg_ridge(y ~ x + z + count | site, data, lambda = 1, scale = scale,
                        domain_kernel = domain_pooled())$space$X
    X <- model$space$X
    expect_identical(X[, seq_len(ncol(numbers))], numbers)
    expect_identical(colnames(X)[-seq_len(ncol(numbers))], c("size", "grade", "colour", "flag"))
    expect_identical(unname(X[, "size"]), as.numeric(data$size))
    expect_identical(unname(X[, "grade"]), (as.numeric(data$grade) - 1) / 2)
    expect_equal(predict(model, data), fitted(model), tolerance = 1e-12)
  }
})

# The same model from the naive matrix.
test_that("ridge regression and SVM are those of the naive matrix", {
  scaled <- data
  scaled[c("x", "z", "count")] <- scale(scaled[c("x", "z", "count")])
  K <- naive_mixed_gram(scaled, 2, 0.4)
  dimnames(K) <- rep(list(paste0("r", seq_len(nrow(data)))), 2)
  rows <- cbind(data, row = rownames(K))
  for (spec in list(dg_ridge(lambda = 1), dg_svm(cost = 1))) {
    spec <- update(spec, domain_kernel = domain_multitask(0.5))
    mixed <- fit(update(spec, kernel = kernel_mixed(2, 0.4)), formula, data = data[1:40, ])
    mixed <- fit(update(spec, kernel = kernel_mixed(2, 0.4), scale = "none"), formula,
                 data = scaled[1:40, ])
    given <- fit(update(spec, kernel = kernel_precomputed(K), scale = "none"), y ~ row | site,
                 data = rows[1:40, ])
    expect_equal(predict(mixed, scaled), predict(given, rows), tolerance = 1e-6)
  }
})

test_that("a level that training did not have is unlike all others, with a warning or an error", {
  kernel <- kernel_mixed(bandwidth = 1, smoothing = 0.3)
  model <- dg_ridge(y ~ colour + grade | site, data, kernel = kernel, lambda = 1,
                    domain_kernel = domain_pooled())
  new <- data[1:4, ]
  new$colour[2:3] <- c("blue", "white")
  expect_warning(values <- predict(model, new), "`newdata\\$colour` has levels .* unlike any other",
                 class = "domgen_warning_new_level")
  expect_equal(values[c(1, 4)], fitted(model)[c(1, 4)], tolerance = 1e-12)
  apart <- abs(outer(as.integer(new$grade), as.integer(data$grade), "-")) / 2
  expected <- 0.3^(1 + apart) %*% model$coefficients
  shown <- quietly(predict(model, new, type = "decision"))
  expect_equal(shown[2:3], c(model$response$centre + model$response$scale * expected)[2:3])
  expect_error(predict(model, new, new_levels = "error"), "not \"blue\", \"white\"",
               class = "domgen_error_data")
  # beside a kernel that takes dummy variables
  model <- quietly(update(model, domain_kernel = domain_distribution()))
  expect_warning(values <- predict(model, new), "taken as missing", class = "domgen_warning_new_level") |>
    expect_warning(class = "domgen_warning_missing")
  expect_identical(is.na(values), c(FALSE, TRUE, TRUE, FALSE))
})

test_that("in sums and products each kernel acts on its columns", {
  X <- as.matrix(data[c("x", "z", "count")])
  design <- cbind(X, outer(as.character(data$size), levels(data$size), "=="), data$colour == "red",
                  data$flag)
  kept <- c("x", "z", "count", "size", "colour", "flag")
  expected <- kernel_matrix(kernel_mixed(1, 0.3), data[kept]) * kernel_matrix(kernel_linear(), design) +
    kernel_matrix(kernel_rbf(2), design)
  kernel <- kernel_mixed(1, 0.3) * kernel_linear() + kernel_rbf(2)
  expect_equal(kernel_matrix(kernel, data[kept]), unname(expected), tolerance = 1e-12)
  # other kernels are what they are alone, whatever the domains' kernel asks for
  alone <- dg_ridge(formula, data, lambda = 1, domain_kernel = domain_pooled())
  beside <- dg_ridge(formula, data, lambda = 1,
                     domain_kernel = domain_distribution(kernel_mixed(), kernel_poly(1, 0, 1)))
  expect_equal(predict(beside, data), predict(alone, data), tolerance = 1e-10)
})

test_that("missing values, order, columns and files are as with other kernels", {
  holes <- with_missing(data, x = 3, size = 5, flag = 9)
  model <- quietly(dg_ridge(formula, holes, kernel = kernel_mixed(), lambda = 1,
                            domain_kernel = domain_distribution(kernel_mixed()),
                            na.action = stats::na.exclude))
  expect_identical(which(is.na(fitted(model))), c(3L, 5L, 9L))
  expect_equal(quietly(predict(model, holes[60:1, rev(names(holes))])), rev(fitted(model)), tolerance = 1e-12)
  file <- tempfile(fileext = ".rds")
  saveRDS(model, file)
  expect_identical(predict(readRDS(file), data), predict(model, data))
})

test_that("a category that training has one level of tells nothing, until there is another", {
  one <- dg_ridge(y ~ x + colour | site, data = transform(data, colour = "red"), lambda = 1,
                  kernel = kernel_mixed(smoothing = 0.3), domain_kernel = domain_pooled())
  without <- dg_ridge(y ~ x | site, data = data, lambda = 1, domain_kernel = domain_pooled())
  red <- transform(data[1:3, ], colour = "red")
  expect_equal(predict(one, red), predict(without, red))
  centre <- one$response$centre
  expect_equal(quietly(predict(one, transform(red, colour = "blue"))) - centre,
               0.3 * (predict(one, red) - centre))
})

test_that("projections, chains and Nystrom features take it; the others say what does", {
  model <- dg_dica(formula, data, kernel = kernel_mixed())
  expect_equal(predict(model, data), fitted(model), tolerance = 1e-9)
  chained <- fit(dg_pipeline(dg_dica(kernel = kernel_mixed()), dg_ridge(lambda = 1, kernel = kernel_mixed())),
                 formula, data = data)
  expect_equal(predict(chained, data), fitted(chained), tolerance = 1e-9)
  spec <- dg_ridge(lambda = 1, kernel = kernel_mixed(), domain_kernel = domain_pooled())
  exact <- fit(spec, formula, data = data)
  nystrom <- fit(update(spec, feature_map = features_nystrom(60)), formula, data = data)
  expect_equal(predict(nystrom, data), predict(exact, data), tolerance = 1e-6)
  expect_error(fit(update(spec, feature_map = features_nystrom(9, "kmeans")), formula, data = data),
               "categories and ids have no means", class = "domgen_error_argument")
  expect_error(fit(update(spec, feature_map = features_rff(9)), formula, data = data),
               "use `features_nystrom\\(\\)`", class = "domgen_error_argument")
  # Fourier features of a kernel beside it see their own columns only
  fourier <- function(kernel) {
    with_seed(1, fit(dg_ridge(lambda = 1, domain_kernel = domain_distribution(kernel, kernel_poly(1, 0, 1)),
                              feature_map = features_product(x = features_rff(50))), formula, data = data))
  }
  expect_equal(cor(predict(fourier(kernel_mixed()), data), predict(fourier(kernel_rbf()), data)), 1,
               tolerance = 0.2)
})

test_that("its bandwidth is fitted, by predictor too, and its smoothing is tuned", {
  gp <- dg_gp(formula, data, kernel = kernel_mixed(), ard = TRUE, restarts = 1,
              domain_kernel = domain_pooled())
  expect_identical(gp$parameters$name, c("signal_sd", "noise_sd", paste0("bandwidth [", c("x", "z", "count"), "]")))
  ridge <- dg_ridge(formula, data, kernel = kernel_mixed(), lambda = 1, bandwidths = "fitted",
                    domain_kernel = domain_pooled())
  expect_length(ridge$space$kernel$parts[[1]]$parts[[1]]$bandwidth, 3)
  tuned <- dg_tune(dg_ridge(lambda = 1, kernel = kernel_mixed(), domain_kernel = domain_pooled()),
                   formula, data = data, grid = list(smoothing = c(0.2, 0.8), bandwidth_factor = 1:2))
  expect_true(tuned$spec$args$kernel$smoothing %in% c(0.2, 0.8))
  expect_identical(names(kernel_grid(kernel_mixed())), c("bandwidth_factor", "smoothing"))
  expect_identical(names(kernel_grid(kernel_mixed(bandwidth = 1))), "smoothing")
})

test_that("projections that differ in their ridge share their work with it too", {
  spec <- dg_pipeline(dg_dica(kernel = kernel_mixed()), dg_ridge(lambda = 1, domain_kernel = domain_pooled()))
  values <- 10^(-3:2)
  tuned <- dg_tune(spec, formula, data = data, grid = list(dica.lambda = values), extend = FALSE)
  alone <- vapply(values, function(value) {
    dg_cv(update(spec, dica.lambda = value), formula, data = data)$mean
  }, 1)
  expect_equal(unname(colMeans(tuned$tuning$scores)), alone, tolerance = 1e-6)
})

test_that("messages name the argument and the rule", {
  expect_error(kernel_mixed(smoothing = 2), "`smoothing` must be one number from 0 to 1, not 2",
               class = "domgen_error_argument")
  expect_error(kernel_mixed(bandwidth = -1), "`bandwidth` must be one positive", class = "domgen_error_argument")
  expect_error(dg_ridge(y ~ size * x | site, data, kernel = kernel_mixed()),
               "leave out `size:x`", class = "domgen_error_argument")
  expect_error(fit(dg_ridge(kernel = kernel_mixed(bandwidth = 1:2)), formula, data = data),
               "`bandwidth` must be one number or one per predictor \\(3\\)", class = "domgen_error_argument")
  expect_output(print(kernel_mixed(1, 0.3)), "0.3^(levels apart)", fixed = TRUE)
})

test_that("missing values are told by the column that has them", {
  rows <- data.frame(a = 1:3, f = c("a", NA, "b"))
  expect_domgen_error(kernel_matrix(kernel_mixed(), rows),
                      "column `f` must be finite; found 1 missing value", "domgen_error_data")
})
