# A loss with a parameter of its own, made outside the package: the pinball loss of ?extending.

pinball <- function(y, f, par, width) {
  expect_identical(names(par), "tau")
  t <- y - f
  bent <- abs(t) < width
  share <- pmin(pmax((t + width) / (2 * width), 0), 1)
  list(value = (par$tau - 1) * t + ifelse(bent, share^2 * width, pmax(t, 0)),
       slope = 1 - par$tau - share, curvature = bent / (2 * width))
}

pinball_tube <- function(y, costs, par) {
  expect_identical(names(par), "tau")
  list(low = (par$tau - 1) * costs, high = par$tau * costs, epsilon = 0)
}

quantile_loss <- function(tau = 0.5) {
  new_svm_loss("quantile_loss", "number", pinball, kinks = 1, tube = pinball_tube, tau = tau)
}

without_tube <- function(tau) new_svm_loss("without_tube", smooth = pinball, kinks = 1, tau = tau)

# specifications are made again by the constructor, which must be seen from anywhere
assign("quantile_loss", quantile_loss, envir = globalenv())

check_loss_of <- function(tau, y, f) sum(pmax(tau * (y - f), (tau - 1) * (y - f)))

test_that("a quantile is what minimises the loss of a constant", {
  set.seed(1)
  for (tau in c(0.1, 0.5, 0.83)) {
    y <- rexp(31)
    model <- dg_svm(matrix(0, 31), y, rep("a", 31), loss = quantile_loss(tau), cost = 50,
                    intercept = TRUE, scale = "none", kernel = kernel_linear(),
                    domain_kernel = domain_pooled(), tolerance = 1e-6)
    values <- vapply(y, check_loss_of, 0, tau = tau, y = y)
    expect_equal(unname(fitted(model)[1]), y[which.min(values)], tolerance = 1e-3)
  }
})

test_that("a fit solves the quadratic program of the loss, on the Gram matrix and on features", {
  toy <- simulate_dica(domains = 4, n = 15, p = 2, seed = 3)
  X <- as.matrix(toy[c("x1", "x2")])
  fit <- function(tau, loss = quantile_loss, ...) {
    dg_svm(y ~ x1 + x2 | domain, data = toy, loss = loss(tau), cost = 2, intercept = TRUE,
           kernel = kernel_rbf(2), domain_kernel = domain_pooled(), scale = "none",
           domain_weights = "size", tolerance = 1e-7, ...)
  }
  K <- exp(-as.matrix(dist(X))^2 / 8)
  for (tau in c(0.2, 0.7)) {
    n <- nrow(X)
    solved <- quadprog::solve.QP(K + 1e-9 * diag(n), toy$y, cbind(1, diag(n), -diag(n)),
                                 c(0, rep(-2 * (1 - tau), n), rep(-2 * tau, n)), meq = 1)
    objective <- function(model) {
      f <- fitted(model)
      a <- solve(K + 1e-9 * diag(n), f - model$intercept)
      2 * check_loss_of(tau, toy$y, f) + sum(a * (K %*% a)) / 2
    }
    # strong duality
    expect_equal(objective(fit(tau)), -solved$value, tolerance = 1e-4)
    expect_equal(fitted(fit(tau)), fitted(fit(tau, feature_map = features_nystrom(n))), tolerance = 1e-2)
    # without a tube the kink is rounded by 0.05
    expect_equal(objective(fit(tau, without_tube)), -solved$value, tolerance = 0.02)
  }
})

test_that("it is tuned, updated, printed, saved and passed over a source like the package's own", {
  toy <- simulate_dica(domains = 5, n = 20, p = 2, seed = 1)
  spec <- dg_svm(loss = quantile_loss(0.9), cost = 1, intercept = TRUE, feature_map = features_nystrom(20))
  expect_output(print(spec), "quantile_loss\\(tau = 0.9\\)")
  expect_identical(set_parameters(spec, list(loss.tau = 0.3))$args$loss$tau, 0.3)
  tuned <- dg_tune(spec, y ~ . | domain, data = toy, grid = list(loss.tau = c(0.01, 0.5)), metric = "mae")
  expect_identical(tuned$tuning$best$loss.tau, 0.5)
  model <- fit(spec, y ~ . | domain, data = toy)
  expect_output(print(model), "tau\\s+0.9")
  expect_gt(mean(toy$y < fitted(model)), mean(toy$y < fitted(fit(dg_svm(intercept = TRUE), y ~ . | domain, data = toy))))
  file <- tempfile(fileext = ".rds")
  saveRDS(model, file)
  expect_identical(predict(readRDS(file), toy), predict(model, toy))
  open <- fit(dg_svm(loss = quantile_loss(0.9)), y ~ . | domain, data = toy)
  expect_true(is.finite(open$cost))
  set.seed(1)
  passes <- fit(update(spec, loss = without_tube(0.9)), y ~ . | domain, data = toy)
  set.seed(1)
  source <- fit(spec, y ~ . | domain, data = row_source(toy))
  expect_equal(predict(source, toy), predict(passes, toy), tolerance = 0.1)
  expect_domgen_error(dg_svm(cut(y, 2) ~ . | domain, data = toy, loss = quantile_loss(0.9)),
                      "not quantile_loss\\(tau = 0.9\\)")
  expect_domgen_error(dg_svm(loss = 3), "`loss` must be one of \"absolute\"")
  expect_domgen_error(new_svm_loss("a b", "number", pinball), "`name` must be one name")
  expect_domgen_error(new_svm_loss("a", smooth = pinball, kinds = 1), "names of their own, not `kinds`")
})

rm("quantile_loss", envir = globalenv())

test_that("functions of a loss that fail, or give too few, missing or wrong numbers, are told", {
  toy <- simulate_dica(domains = 4, n = 8, p = 2, seed = 1)
  square <- function(y, f, par, width) {
    list(value = (f - y)^2 / 2, slope = f - y, curvature = 0 * f + 1)
  }
  sides <- function(y, costs, par) list(low = -costs, high = costs, epsilon = 0)
  wrong <- list(
    cut = function(v) v[-1], one = function(v) v[1], added = function(v) c(v, v[1]),
    missing = function(v) replace(v, 1, NA), text = function(v) as.character(v),
    list = function(v) as.list(v), gone = function(v) NULL, twice = function(v) cbind(c(v), c(v))
  )
  made_wrong <- function(fun, part, how) {
    function(...) {
      found <- fun(...)
      found[part] <- list(wrong[[how]](found[[part]]))
      found
    }
  }
  set.seed(2)
  for (how in names(wrong)) {
    part <- sample(c("value", "slope", "curvature"), 1)
    side <- sample(c("low", "high"), 1)
    for (map in list(features_exact(), features_nystrom(6))) {
      told <- function(loss, part, arg) {
        expect_domgen_error(dg_svm(y ~ . | domain, data = toy, loss = loss, cost = 1, feature_map = map),
                            sprintf("`%s` must give a list with `%s`", arg, part), "domgen_error_data")
      }
      told(new_svm_loss("l", smooth = made_wrong(square, part, how)), part, "smooth")
      told(new_svm_loss("l", smooth = square, tube = made_wrong(sides, side, how)), side, "tube")
    }
  }
  fails <- function(...) stop("no such thing")
  for (loss in list(new_svm_loss("l", smooth = fails), new_svm_loss("l", smooth = square, tube = fails))) {
    expect_domgen_error(dg_svm(y ~ . | domain, data = toy, loss = loss, cost = 1),
                        "` failed: no such thing", "domgen_error_argument")
  }
  swapped <- function(y, costs, par) list(low = costs, high = -costs, epsilon = 0)
  expect_domgen_error(dg_svm(y ~ . | domain, data = toy, loss = new_svm_loss("l", smooth = square, tube = swapped)),
                      "with `low`", "domgen_error_data")
  for (value in list(1, "f", sum(1))) {
    expect_domgen_error(new_svm_loss("l", smooth = value), "`smooth` must be", "domgen_error_argument")
  }
})
