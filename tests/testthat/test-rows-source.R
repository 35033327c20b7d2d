# Fits to rows that come in blocks, against fits to the same rows in memory.

rows <- simulate_dica(domains = 8, n = 40, seed = 5)
set.seed(2)
rows$count <- rows$x1 + rnorm(nrow(rows))
rows$kind <- c("a", "b", "c")[1 + (rows$x1 > 0) + (rows$x2 > 0.5)]
rows$site <- factor(c("u", "v"))[1 + (rows$x3 > 0)]
rows$w <- round(runif(nrow(rows)), 2)
rows$w[3:9] <- 0
rows$x4[5] <- NA
known <- rows[-5, ]

# Predictions of fits in memory and from a source, to rounding.
expect_same_fit <- function(spec, formula, weights = NULL, tolerance = 1e-9) {
  call <- list(spec, formula)
  if (!is.null(weights)) call$weights <- weights
  whole <- suppressWarnings(as_in_source(1, do.call(fit, c(call, list(data = quote(rows))))))
  several <- row_source(rows, block_size = 37)
  for (source in c(if (long_form()) list(row_source(rows, block_size = 1000)), list(several))) {
    blocks <- suppressWarnings(in_source(1, do.call(fit, c(call, list(data = quote(source))))))
    values <- lapply(list(whole, blocks), function(model) {
      suppressWarnings(if (inherits(model, "dg_projection")) predict(model, known)
                       else predict(model, known, type = "decision"))
    })
    expect_equal(values[[2L]], values[[1L]], tolerance = tolerance)
    expect_equal(nobs(blocks), nobs(whole))
  }
  invisible(whole)
}

numbers <- count ~ x1 + x2 + x4 + site | domain
nystrom <- features_nystrom(25)

test_that("a method function takes a source as its specification does", {
  source <- row_source(known, block_size = 40)
  spec <- dg_ridge(lambda = 1, feature_map = nystrom, domain_kernel = domain_pooled(),
                   domain_weights = "equal")
  expected <- predict(in_source(1, fit(spec, numbers, data = source)), known)
  direct <- in_source(1, dg_ridge(numbers, data = source, lambda = 1, feature_map = nystrom,
                                  domain_kernel = domain_pooled(), domain_weights = "equal"))
  expect_identical(predict(direct, known), expected)
  second <- in_source(1, dg_ridge(numbers, source, lambda = 1, feature_map = nystrom,
                                  domain_kernel = domain_pooled(), domain_weights = "equal"))
  expect_identical(predict(second, known), expected)
  argument <- in_source(1, dg_ridge(count ~ x1 + x2 + x4 + site, data = source, domain = domain,
                                    lambda = 1, feature_map = nystrom, domain_weights = "equal",
                                    domain_kernel = domain_pooled()))
  expect_identical(predict(argument, known), expected)
})

test_that("an argument that begins with `domain` is not taken for the domain", {
  data <- data.frame(y = sin(1:20), x = cos(1:20), kernel = rep(1:2, 10))
  kernel <- domain_pooled()
  model <- dg_ridge(y ~ x, data = data, lambda = 1, domain_kernel = kernel)
  expect_identical(nlevels(model$domain), 1L)
})

test_that("ridge regressions of a source are those of its rows", {
  for (scale in c("pooled", "domain", "both", "rank", "none")) {
    expect_same_fit(dg_ridge(lambda = 1, feature_map = nystrom, scale = scale), numbers)
  }
  for (weighting in c("size", "equal")) {
    spec <- dg_ridge(lambda = 1, feature_map = features_product(x = nystrom),
                     domain_weights = weighting)
    expect_same_fit(spec, numbers, quote(w))
    expect_same_fit(spec, kind ~ x1 + x2 | domain)
  }
  pooled <- dg_ridge(lambda = 2, feature_map = features_rff(20), domain_kernel = domain_pooled())
  expect_same_fit(pooled, numbers)
  expect_same_fit(dg_ridge(lambda = 1, intercept = TRUE, feature_map = nystrom, domain_means = TRUE,
                           domain_kernel = domain_multitask(0.5)), site ~ x1 + x2 | domain)
  expect_same_fit(dg_ridge(lambda = 1, feature_map = features_product("fourier", n_features = 20)),
                  numbers)
})

test_that("a kernel between domains may be given in the call that fits", {
  source <- row_source(rows, block_size = 100)
  at_once <- suppressWarnings(dg_ridge(numbers, data = source, domain_kernel = domain_pooled(),
                                       feature_map = features_linear(), kernel = kernel_linear(),
                                       lambda = 1))
  spec <- dg_ridge(domain_kernel = domain_pooled(), feature_map = features_linear(),
                   kernel = kernel_linear(), lambda = 1)
  expect_equal(coef(at_once), coef(suppressWarnings(fit(spec, numbers, data = source))))
  named <- suppressWarnings(dg_ridge(count ~ x1, data = source, domain = domain, lambda = 1,
                                     feature_map = nystrom, domain_kernel = domain_distribution()))
  expect_identical(levels(named$domain), levels(factor(known$domain)))
})

test_that("Gaussian processes of a source are those of its rows, with their left-out domains", {
  for (features in list(nystrom, features_product())) {
    spec <- dg_gp(feature_map = features, restarts = 1)
    expect_same_fit(spec, numbers, quote(w))
    whole <- expect_same_fit(spec, numbers)
    blocks <- in_source(1, suppressWarnings(fit(spec, numbers, data = row_source(rows, block_size = 50))))
    expect_equal(dg_cv(blocks)$domains, dg_cv(whole)$domains, tolerance = 1e-8)
    expect_equal(dg_cv(blocks, metric = "mae")$domains, dg_cv(whole, metric = "mae")$domains, tolerance = 1e-8)
    expect_equal(logLik(blocks), logLik(whole), tolerance = 1e-10)
  }
})

test_that("projections and chains of a source are those of its rows", {
  expect_same_fit(dg_dica(ncomp = 2, feature_map = nystrom), numbers)
  expect_same_fit(dg_dica(ncomp = 2, feature_map = features_rff(20)), kind ~ x1 + x2 | domain)
  expect_same_fit(dg_dcm(ncomp = 2, feature_map = nystrom), kind ~ x1 + x2 | domain)
  expect_same_fit(dg_kpca(ncomp = 2, feature_map = features_product(x = nystrom),
                       domain_kernel = domain_distribution()), ~ x1 + x2 + x4 | domain)
  expect_same_fit(dg_pipeline(dg_udica(ncomp = 2, feature_map = nystrom),
                        dg_ridge(lambda = 1, feature_map = features_product(x = features_nystrom(9)))),
                  numbers)
})

test_that("a lambda that was left open is the one that predicts left-out domains best", {
  model <- in_source(1, fit(dg_ridge(feature_map = nystrom, domain_kernel = domain_pooled()),
                            count ~ x1 + x2 | domain, data = row_source(rows)))
  grid <- nrow(rows) * 10^seq(-5, 1, by = 0.5)
  errors <- vapply(grid, function(lambda) {
    parts <- split(seq_len(nrow(rows)), rows$domain)
    Z <- domgen:::space_rows(model$space, list(X = scale(
      as.matrix(rows[c("x1", "x2")]), model$blueprint$scaling$centre,
      model$blueprint$scaling$scale)))
    y <- (rows$count - model$response$centre) / model$response$scale
    sum(vapply(parts, function(held) {
      centre <- mean(y[-held])
      w <- solve(crossprod(Z[-held, ]) + diag(lambda, ncol(Z)),
                 crossprod(Z[-held, ], y[-held] - centre))
      sum((y[held] - centre - Z[held, ] %*% w)^2)
    }, numeric(1)))
  }, numeric(1))
  expect_equal(model$lambda, grid[which.min(errors)])
})

test_that("files and one data frame give the same coefficients", {
  folder <- write_files(known, 7)
  spec <- dg_ridge(feature_map = features_product(x = nystrom))
  frame <- in_source(3, fit(spec, numbers, data = row_source(known)))
  files <- in_source(3, fit(spec, numbers, data = row_source(folder, block_size = 41)))
  expect_equal(files$coefficients, frame$coefficients, tolerance = 1e-10)
  expect_identical(files$lambda, frame$lambda)
})

test_that("a sample stands for more rows than it has, whatever the blocks", {
  local_mocked <- domgen:::sample_rows
  on.exit(utils::assignInNamespace("sample_rows", local_mocked, "domgen"))
  utils::assignInNamespace("sample_rows", 100, "domgen")
  spec <- dg_ridge(lambda = 1, feature_map = nystrom)
  models <- lapply(list(row_source(known), row_source(known, block_size = 33)),
                   function(source) in_source(1, fit(spec, numbers, data = source)))
  expect_equal(models[[2L]]$coefficients, models[[1L]]$coefficients, tolerance = 1e-10)
  # moments are those of all rows
  expect_equal(models[[1L]]$blueprint$scaling$centre,
               unname(colMeans(model.matrix(~ x1 + x2 + x4 + site, known)[, -1])))
})

test_that("weight 2 is a row that stands twice", {
  twice <- rbind(known, known[1:40, ])
  weighted <- cbind(known, v = c(rep(2, 40), rep(1, nrow(known) - 40)))
  spec <- dg_ridge(lambda = 1, feature_map = features_linear(), kernel = kernel_linear(),
                   domain_kernel = domain_pooled(), scale = "none")
  a <- fit(spec, count ~ x1 + x2 | domain, data = row_source(twice))
  b <- fit(spec, count ~ x1 + x2 | domain, data = row_source(weighted), weights = v)
  expect_equal(b$coefficients, a$coefficients, tolerance = 1e-12)
})

test_that("what needs all rows at once says so, and what to do", {
  source <- row_source(known)
  with_replaced("sample_rows", 10, {
    expect_snapshot(error = TRUE, fit(dg_ridge(), count ~ x1 | domain, data = source))
    expect_snapshot(error = TRUE, fit(dg_lm(), count ~ x1 | domain, data = source))
  })
  few <- dg_ridge(feature_map = features_nystrom(5))
  expect_snapshot(error = TRUE, fit(few, count ~ poly(x1, 2) | domain, data = source))
  expect_snapshot(error = TRUE, fit(few, count ~ I(x1 - mean(x1)) | domain, data = source))
  expect_snapshot(error = TRUE, fit(few, count ~ x1 + height | domain, data = source))
  expect_snapshot(error = TRUE, fit(few, ~ x1 | domain, data = source))
  expect_snapshot(error = TRUE, fit(few, count ~ x1, data = source))
  expect_snapshot(error = TRUE, fit(few, count ~ x1 | domain, data = source, y = 1))
  expect_snapshot(error = TRUE, fit(few, count ~ x1 | domain, data = source, na.action = na.impute))
  expect_snapshot(error = TRUE, fit(dg_ridge(feature_map = features_nystrom(5), bandwidths = "fitted"), count ~ x1 | domain,
            data = source))
  expect_snapshot(error = TRUE, fit(dg_ridge(feature_map = features_nystrom(5), domain_kernel = domain_wasserstein()),
            count ~ x1 | domain, data = source))
  expect_snapshot(error = TRUE, fitted(fit(few, count ~ x1 | domain, data = source)))
})

test_that("rows that cannot be used are told with table and row", {
  few <- dg_ridge(feature_map = features_nystrom(5), lambda = 1)
  bad <- known
  bad$x1[221] <- Inf
  expect_error(fit(few, count ~ x1 | domain, data = row_source(bad, block_size = 40)),
               "`data`, row 221 has a predictor that is not finite",
               class = "domgen_error_data")
  expect_error(fit(few, count ~ x1 | domain, data = row_source(known), weights = -1 - w),
               "`data`, row 1 has a weight", class = "domgen_error_data")
  expect_warning(fit(few, count ~ x4 | domain, data = row_source(rows)), "1 row of",
                 class = "domgen_warning_missing")
  expect_error(fit(few, count ~ x4 | domain, data = row_source(rows), na.action = na.fail),
               "`data`, row 5 has missing values", class = "domgen_error_data")
})

test_that("`factor(y)` makes classes of the 0 and 1 that SQLite has for logical values", {
  skip_if_not_installed("DBI")
  skip_if_not_installed("RSQLite")
  data <- known[c("x1", "x2", "domain")]
  data$high <- known$count > 0
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "t", transform(data, domain = as.character(domain)))
  spec <- dg_ridge(lambda = 1, feature_map = nystrom)
  logical <- in_source(1, fit(spec, high ~ x1 + x2 | domain, data = row_source(data)))
  stored <- in_source(1, fit(spec, factor(high) ~ x1 + x2 | domain,
                             data = row_source(con, table = "t")))
  expect_identical(predict(stored, known) == "1", predict(logical, known) == "TRUE")
})

test_that("a response that depends on the rows around is an error with a source", {
  toy <- toy_domains(4, 15)
  path <- tempfile(fileext = ".csv")
  on.exit(unlink(path))
  utils::write.csv(toy, path, row.names = FALSE)
  for (formula in c(scale(y) ~ x1 | domain, I(y / max(y)) ~ x1 | domain, y > median(y) ~ x1 | domain)) {
    expect_domgen_error(dg_ridge(formula, data = row_source(path, block_size = 10), lambda = 1,
                                 feature_map = features_product()),
                        "with a source: its value in a row depends on other rows")
  }
})

test_that("what needs all rows takes a source that fits into memory, and is what it is there", {
  source <- row_source(known)
  mean_of <- learner_custom(fit = function(x, y, ...) mean(y) + mean(x$x1),
                            predict = function(object, x, ...) rep(object, nrow(x)))
  formula <- count ~ x1 + x2 | domain
  for (spec in list(dg_lm(), mean_of, dg_glm(lambda = 1), dg_svm(cost = 1), dg_ridge(), dg_pipeline(dg_kpca(), dg_lm()))) {
    whole <- fit(spec, formula, data = source)
    expect_identical(fitted(whole), fitted(fit(spec, formula, data = known)))
  }
  expect_identical(dg_cv(fit(dg_ridge(), formula, data = source))$mean,
                   dg_cv(fit(dg_ridge(), formula, data = known))$mean)
  specs <- list(lm = dg_lm(), ridge = dg_ridge(lambda = 1))
  expect_identical(dg_compare(specs, formula, data = source, refits = FALSE)$table$mean,
                   dg_compare(specs, formula, data = known, refits = FALSE)$table$mean)
  expect_identical(dg_cv(dg_lm(), formula, data = source, weights = x3^2)$mean,
                   dg_cv(dg_lm(), formula, data = known, weights = x3^2)$mean)
})

test_that("files of different domains, and names with zeros, are read into memory as they are", {
  rows <- known[c("domain", "y", "count", "x1", "x2")]
  rows$domain <- c("1", "01", "001", "2", "10", "a", "b", "c")[as.integer(rows$domain)]
  files <- row_source(write_files(rows[order(rows$domain), ], 8))
  for (spec in list(dg_lm(), dg_ridge(lambda = 1), dg_glm(family = "poisson", lambda = 1))) {
    whole <- fit(spec, abs(y) ~ x1 + x2 | domain, data = rows)
    expect_equal(predict(fit(spec, abs(y) ~ x1 + x2 | domain, data = files), rows),
                 predict(whole, rows), tolerance = 1e-8)
  }
  scored <- dg_cv(dg_lm(), count ~ x1 + x2 | domain, data = files)
  usual <- dg_cv(dg_lm(), count ~ x1 + x2 | domain, data = rows)
  expect_setequal(scored$domains$domain, unique(rows$domain))
  at <- match(scored$domains$domain, usual$domains$domain)
  expect_equal(scored$domains$score, usual$domains$score[at], tolerance = 1e-10)
})

test_that("what reads no chunks says so", {
  source <- row_source(known)
  expect_error(feature_sums(y ~ x1 | domain, data = source), "must be rows in memory",
               class = "domgen_error_argument")
  expect_error(domain_gram(~ x1 | domain, data = source), "must be rows in memory",
               class = "domgen_error_argument")
})

test_that("the sums of some groups are those of their upper triangles, whole", {
  second <- matrix(sin(1:48), 16)
  upper <- matrix(second[, 1L] + second[, 3L], 4)
  upper[lower.tri(upper)] <- t(upper)[lower.tri(upper)]
  expect_equal(feature_group_sum_(second, 4L, c(1L, 3L)), upper, tolerance = 1e-14)
  expect_identical(feature_group_sum_(second, 4L, integer()), matrix(0, 4, 4))
})
