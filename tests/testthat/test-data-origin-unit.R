# Where a predictor has its origin and its unit changes neither which columns are kept nor what is
# predicted: a time stamp is 1.7e9 and a few days.

# Columns of d at another origin and in another unit, and the same put back, so that both have the
# digits that rounding leaves.
moved_columns <- function(d, names, origin, unit) {
  there <- here <- d
  for (name in names) {
    there[[name]] <- origin + unit * d[[name]]
    here[[name]] <- (there[[name]] - origin) / unit
  }
  list(there = there, here = here)
}

# Of origins of up to 1e7 units, and of units from 1e-12 to 1e12.
random_moves <- function(n) {
  lapply(seq_len(n), function(i) {
    unit <- 10^stats::runif(1L, -12, 12)
    list(unit = unit, origin = unit * sample(c(0, 1), 1L) * 10^stats::runif(1L, 3, 7))
  })
}

origin_data <- function(seed) {
  d <- simulate_dica(domains = 8, n = 20, p = 2, seed = seed)
  d$few <- rep_len(0:2, nrow(d))
  d$b <- factor(d$y > stats::median(d$y))
  d$twice <- 2 * d$x1 + d$few
  d
}

fits_of_origin <- function() {
  list(
    lm = function(d) dg_lm(y ~ x1 + x2 + few | domain, data = d),
    `lm, collinear` = function(d) dg_lm(y ~ x1 + few + I(2 * x1 - few) + x2 | domain, data = d),
    `lm, means` = function(d) dg_lm(y ~ x1 + few | domain, data = d, domain_means = TRUE),
    logistic = function(d) dg_lm(b ~ x1 + few | domain, data = d),
    mixed = function(d) dg_mixed(y ~ x1 + few | domain, data = d),
    `mixed, collinear` = function(d) dg_mixed(y ~ x1 + I(x1 / 2) + few | domain, data = d),
    slopes = function(d) dg_mixed(y ~ few + x1 | domain, data = d, random = ~ 1 + few),
    gam = function(d) dg_gam(y ~ x1 + few | domain, data = d),
    net = function(d) dg_net(b ~ x1 + few | domain, data = d, lambda = 0.02),
    boost = function(d) dg_boost(y ~ x1 + few | domain, data = d, trees = 10),
    ridge = function(d) dg_ridge(y ~ x1 + few | domain, data = d, lambda = 0.1, scale = "both"),
    linear = function(d) {
      dg_ridge(y ~ x1 + few | domain, data = d, lambda = 0.1, kernel = kernel_linear(),
               domain_kernel = domain_pooled())
    }
  )
}

package_of <- c(mixed = "lme4", `mixed, collinear` = "lme4", slopes = "lme4", gam = "mgcv",
                net = "glmnet", boost = "xgboost")

test_that("origin and unit of predictors change no prediction", {
  d <- origin_data(1)
  fits <- fits_of_origin()
  for (name in names(fits)) {
    package <- package_of[name]
    if (!is.na(package) && !requireNamespace(package, quietly = TRUE)) next
    for (move in with_seed(nchar(name), random_moves(if (long_form()) 20L else 2L))) {
      both <- moved_columns(d, c("x1", "x2", "few"), move$origin, move$unit)
      values <- lapply(both, function(data) {
        model <- quietly(fits[[name]](data))
        quietly(predict(model, data, type = if (is.null(model$response$levels)) "response"
                                            else "decision"))
      })
      expect_equal(values$there, values$here, tolerance = if (name %in% names(package_of)) 1e-4
                                                          else 1e-6,
                   label = paste(name, move$origin, move$unit))
    }
  }
})

test_that("origin and unit of columns do not say which are combinations of others", {
  set.seed(1)
  for (i in 1:20) {
    p <- sample(2:6, 1L)
    X <- matrix(rnorm(40 * p), 40)
    from <- sample(p, 1L)
    X <- cbind(X, X[, from] * 3 + 1, 1)
    kept <- c(rep(TRUE, p), FALSE, FALSE)
    expect_identical(independent_columns(X), kept)
    unit <- 10^runif(p + 2, -12, 12)
    origin <- unit * 10^runif(p + 2, 3, 11)
    expect_identical(independent_columns(sweep(sweep(X, 2, unit, "*"), 2, origin, "+")), kept)
  }
  # one that is nearly another is kept, however far the others are
  X <- cbind(1e12 + rnorm(40), rnorm(40))
  X <- cbind(X, X[, 2] + 1e-5 * rnorm(40))
  expect_identical(independent_columns(X), c(TRUE, TRUE, TRUE))
})

test_that("a time stamp is no constant: it has the slope that its seconds have", {
  skip_if_not_installed("lme4")
  d <- origin_data(2)
  seconds <- dg_mixed(y ~ x1 | domain, data = d)
  d$x1 <- as.POSIXct("2024-05-01 10:00", tz = "UTC") + d$x1
  stamps <- dg_mixed(y ~ x1 | domain, data = d)
  expect_equal(coef(stamps)[["x1"]], coef(seconds)[["x1"]], tolerance = 1e-6)
  expect_equal(predict(stamps, d), unname(fitted(seconds)), tolerance = 1e-6)
})

test_that("a far origin leaves no coefficient without its standard error", {
  d <- origin_data(3)
  near <- dg_coefficients(dg_lm(y ~ x1 + few | domain, data = d))
  far <- dg_coefficients(dg_lm(y ~ x1 + few | domain, data = transform(d, x1 = 1e8 + x1)))
  expect_equal(tidy(far)$std.error[-1], tidy(near)$std.error[-1], tolerance = 1e-5)
  cv <- dg_cv(dg_lm(), y ~ x1 + few | domain, data = d)
  about <- data.frame(domain = levels(d$domain), opened = seq_len(8)^2)
  slope <- function(about) {
    found <- dg_validate(cv, covariates = about)$regression
    found[found$term == "opened", c("estimate", "se", "p")]
  }
  moved <- slope(transform(about, opened = 1.7e9 + opened))
  expect_equal(moved, slope(about), tolerance = 1e-5)
})
