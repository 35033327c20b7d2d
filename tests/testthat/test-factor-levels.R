# Which level of a factor stands first, or has no column, does not change what a kernel or a penalty
# predicts.

levels_data <- function(n = 96) {
  with_seed(8, {
    d <- data.frame(site = rep(letters[1:6], length.out = n), x = stats::rnorm(n),
                    three = factor(sample(c("u", "v", "w"), n, TRUE)),
                    four = sample(c("n", "e", "s", "w"), n, TRUE),
                    two = factor(sample(c("p", "q"), n, TRUE)), flag = stats::runif(n) < 0.4)
    d$y <- d$x + (d$three == "v") - 2 * (d$four == "s") * d$flag + stats::rnorm(n)
    d
  })
}

# The same rows, the levels of each factor in another order; text as a factor.
other_levels <- function(d) {
  shuffled <- function(v) factor(v, sample(unique(as.character(v))))
  d[c("three", "four", "two")] <- lapply(d[c("three", "four", "two")], shuffled)
  d
}

formulas <- list(
  y ~ x + three + four | site, y ~ . | site, y ~ x * three | site, y ~ three * four | site,
  y ~ x + two * three + flag | site, y ~ two:x + four | site, y ~ flag * two | site
)

specs <- list(
  ridge = dg_ridge(lambda = 0.1), linear = dg_ridge(kernel = kernel_linear(), lambda = 0.1),
  domain = dg_ridge(scale = "domain", lambda = 0.1), both = dg_ridge(scale = "both", lambda = 0.1),
  means = dg_ridge(lambda = 0.1, domain_means = TRUE, domain_kernel = domain_pooled()),
  rank = dg_ridge(scale = "rank", lambda = 0.1), none = dg_ridge(scale = "none", lambda = 0.1),
  glm = dg_glm(lambda = 0.1), svm = dg_svm(cost = 1), gp = dg_gp(restarts = 1),
  nystrom = dg_ridge(feature_map = features_nystrom(20), lambda = 0.1),
  ensemble = dg_ensemble(list(dg_ridge(lambda = 0.1), dg_lm(), dg_glm(lambda = 1))),
  pipeline = dg_pipeline(dg_kpca(ncomp = 2), dg_ridge(lambda = 0.1)),
  dica = dg_dica(ncomp = 2), udica = dg_udica(ncomp = 2), coir = dg_coir(ncomp = 2)
)

test_that("the order of levels changes no prediction of a kernel or a penalty", {
  data <- levels_data()
  with_seed(9, for (name in names(specs)) {
    formula <- formulas[[sample.int(length(formulas), 1L)]]
    for (draw in 1:2) {
      other <- other_levels(data)
      values <- lapply(list(data, other), function(d) {
        with_seed(1, quietly({
          model <- fit(specs[[name]], formula, data = d)
          list(values = predict(model, d[1:20, ], reference = d), model = model)
        }))
      })
      expect_equal(abs(values[[1L]]$values), abs(values[[2L]]$values), tolerance = 1e-6, info = name,
                   ignore_attr = TRUE)
    }
  })
})

test_that("a model without a penalty has a reference level, and predicts the same", {
  data <- levels_data()
  other <- other_levels(data)
  other$four <- factor(other$four, c("w", "e", "n", "s"))
  for (formula in formulas[-2L]) {
    model <- dg_lm(formula, data)
    bare <- formula
    bare[[3L]] <- bare[[3L]][[2L]]
    expected <- stats::lm(bare, transform(data, four = factor(four)))
    expect_equal(coef(model), coef(expected), tolerance = 1e-8)
    expect_equal(predict(dg_lm(formula, other), other), unname(fitted(expected)), tolerance = 1e-8)
  }
})

test_that("two columns of two levels say as much as one", {
  data <- levels_data()
  # beside a product with another predictor that does not vary each level has its column
  data$one <- factor(c("a", "b")[1L + (data$x > 0)])
  alone <- dg_ridge(y ~ x + two | site, data, lambda = 0.1, domain_kernel = domain_pooled())
  numbers <- transform(data, two = as.numeric(two == "q"))
  expect_equal(fitted(alone), fitted(update(alone, data = numbers)), tolerance = 1e-10)
  beside <- dg_ridge(y ~ two * one | site, data, lambda = 0.1, domain_kernel = domain_pooled(),
                     kernel = kernel_linear())
  # z: as the package scales them, each of variance 1, and all of a factor as much as k - 1
  z <- function(...) {
    columns <- cbind(...)
    scale(columns) * sqrt(0.5)^(ncol(columns) / 2)
  }
  a <- sapply(c("p", "q"), function(l) data$two == l)
  b <- sapply(c("a", "b"), function(l) data$one == l)
  products <- cbind(a[, 1] & b[, 1], a[, 2] & b[, 1], a[, 1] & b[, 2], a[, 2] & b[, 2])
  Z <- cbind(z(a), z(b), scale(products) / 2)
  y <- data$y - mean(data$y)
  K <- Z %*% t(Z)
  expected <- mean(data$y) + K %*% solve(K + 0.1 * diag(nrow(Z)), y)
  expect_equal(fitted(beside), drop(expected), tolerance = 1e-6)
})

test_that("coefficients to publish are differences from the reference level", {
  data <- levels_data()
  for (formula in formulas[c(1L, 3L, 5L)]) {
    linear <- dg_ridge(formula, data, kernel = kernel_linear(), domain_kernel = domain_pooled(),
                       lambda = 1e-7, intercept = TRUE)
    found <- dg_coefficients(linear)
    expected <- dg_coefficients(dg_lm(formula, data))
    expect_equal(coef(found), coef(expected), tolerance = 1e-4)
    expect_equal(vcov(found), vcov(expected), tolerance = 1e-3)
  }
  # without a site that alone has the reference level, nothing is known of differences from it
  data$three <- factor(ifelse(data$site == "a", "u", ifelse(data$x > 0, "v", "w")))
  linear <- update(linear, . ~ three, data = data)
  expect_identical(is.na(dg_coefficients(linear)$table$se), c(TRUE, TRUE, TRUE))
})

test_that("contrasts that a factor comes with, and the polynomials of an ordered one, stay", {
  data <- levels_data()
  contrasts(data$three) <- stats::contr.sum(3)
  data$four <- factor(data$four, ordered = TRUE)
  model <- dg_ridge(y ~ three + four | site, data, lambda = 0.1)
  expect_identical(model$blueprint$columns, c("three1", "three2", "four.L", "four.Q", "four.C"))
})

test_that("a source and a matrix of members have the columns of a data frame", {
  data <- levels_data()
  spec <- dg_ridge(feature_map = features_nystrom(96), lambda = 0.1, domain_kernel = domain_pooled())
  for (formula in formulas[c(1L, 3L)]) {
    model <- with_seed(1, fit(spec, formula, data = data))
    source <- with_seed(1, fit(spec, formula, data = row_source(data, block_size = 17)))
    expect_equal(predict(source, data), predict(model, data), tolerance = 1e-6)
  }
})

test_that("rows in which a logical has one of its values are predicted as among others", {
  set.seed(3)
  d <- data.frame(x = rnorm(60), l = rep(c(TRUE, FALSE), 30), domain = rep(letters[1:3], 20))
  d$y <- d$x + d$l
  for (formula in list(y ~ l * x | domain, y ~ l:x | domain, y ~ (x > 0) * x | domain)) {
    for (spec in list(dg_ridge(lambda = 1, domain_kernel = domain_pooled()), dg_lm())) {
      model <- fit(spec, formula, data = d)
      all <- predict(model, d)
      for (rows in list(which(d$l), which(!d$l & d$x > 0), 1L)) {
        expect_equal(unname(predict(model, d[rows, ])), unname(all[rows]))
      }
    }
  }
})
