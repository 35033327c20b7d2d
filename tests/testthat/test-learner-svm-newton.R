# Machines from sums over rows: R/learner-svm-newton.R, R/learner-svm-newton-sums.R.

newton_data <- function(n = 300, r = 12, seed = 1) {
  set.seed(seed)
  Z <- matrix(rnorm(n * r), n) %*% diag(1 / sqrt(seq_len(r)))
  f <- drop(Z %*% rnorm(r)) + 0.4
  y <- f + rnorm(n) / 2
  list(Z = Z, class = cbind(ifelse(f + rnorm(n) > 0, 1, -1), ifelse(f + rnorm(n) > 1, 1, -1)),
       number = cbind((y - mean(y)) / sd(y)))
}

targets_of <- function(d, loss) if (loss$kinds == "class") d$class else d$number

# Passes over the rows in blocks.
run_newton <- function(Z, Y, costs, loss, intercept = FALSE, blocks = 3, start = 0, tube = 0.1,
                       ...) {
  if (is.character(loss)) loss <- get(paste0("loss_", loss))()
  costs <- matrix(costs, nrow(Z), ncol(Y))
  args <- list(epsilon = tube)
  part <- split(seq_len(nrow(Z)), rep_len(seq_len(blocks), nrow(Z)))
  state <- newton_start(ncol(Z), ncol(Y), intercept, loss, ...)
  while (!state$done) {
    sums <- lapply(part, function(i) {
      newton_block(state, Z[i, , drop = FALSE], Y[i, , drop = FALSE], costs[i, , drop = FALSE],
                   loss, args, take_start(start, i))
    })
    state <- newton_next(state, Reduce(add_moments, sums))
  }
  c(newton_result(state), list(theta = state$theta, passes = state$passes))
}

# The objective at its final width, written out.
objective_of <- function(theta, Z, y, costs, loss, intercept, start = 0) {
  f <- start + drop((if (intercept) cbind(Z, 1) else Z) %*% theta)
  w <- theta[seq_len(ncol(Z))]
  sum(costs * loss$smooth(y, f, list(epsilon = 0.1), kink_width)$value) + sum(w^2) / 2
}

test_that("no function near it has a smaller objective, whatever the loss, cost and constant", {
  d <- newton_data(120, 5)
  for (loss in svm_losses()) for (intercept in c(FALSE, TRUE)) for (cost in c(0.01, 1, 100)) {
    Y <- targets_of(d, loss)
    costs <- cost * rep_len(c(1, 2, 0.5), nrow(Y))
    found <- run_newton(d$Z, Y, costs, loss, intercept)
    expect_true(all(found$converged))
    for (m in seq_len(ncol(Y))) {
      at <- function(theta) objective_of(theta, d$Z, Y[, m], costs, loss, intercept)
      least <- at(found$theta[, m])
      best <- optim(found$theta[, m], at, method = "BFGS", control = list(reltol = 1e-14))$value
      expect_lte(least, best + 1e-8 * abs(best))
      expect_equal(-found$objective[m], least, tolerance = 1e-6)
    }
  }
})

test_that("from anywhere optim() comes to the same logistic machine", {
  d <- newton_data()
  loss <- loss_logistic()
  found <- run_newton(d$Z, d$class, 0.7, loss, intercept = TRUE)
  value <- function(theta) objective_of(theta, d$Z, d$class[, 1], 0.7, loss, TRUE)
  slope <- function(theta) {
    f <- drop(cbind(d$Z, 1) %*% theta)
    drop(crossprod(cbind(d$Z, 1), -0.7 * d$class[, 1] / (1 + exp(d$class[, 1] * f)))) +
      c(theta[-13], 0)
  }
  naive <- optim(rep(1, 13), value, slope, method = "BFGS",
                 control = list(reltol = 1e-15, maxit = 1000))
  expect_equal(found$theta[, 1], naive$par, tolerance = 1e-5)
  expect_lt(max(abs(slope(found$theta[, 1]))), 1e-6)
  expect_lte(found$passes, 8)
})

test_that("squared losses have the machine of the solver for rows in memory", {
  d <- newton_data()
  set.seed(1)
  for (name in c("squared_hinge", "squared_epsilon_insensitive")) for (intercept in c(FALSE, TRUE)) {
    loss <- c(get(paste0("loss_", name))(), name = name)
    Y <- targets_of(d, loss)
    costs <- rep_len(c(1, 3), nrow(Y))
    found <- run_newton(d$Z, Y, costs, loss, intercept)
    data <- structure(list(Zt = t(d$Z)), class = "feature_data")
    args <- list(epsilon = 0.1, intercept = intercept, tolerance = 1e-10, max_iterations = 0,
                 threads = 1L)
    for (m in seq_len(ncol(Y))) {
      other <- train_submodel(data, Y[, m], costs, loss, args)
      expect_equal(found$coefficients[, m], other$coefficients, tolerance = 1e-6)
      expect_equal(found$intercept[m], other$intercept, tolerance = 1e-6)
      expect_equal(found$objective[m], other$objective, tolerance = 1e-9)
    }
  }
})

test_that("rounded kinks cost a quarter of the width for each kink and row at most", {
  d <- newton_data()
  set.seed(1)
  for (name in c("hinge", "absolute", "epsilon_insensitive")) for (intercept in c(FALSE, TRUE)) {
    loss <- c(get(paste0("loss_", name))(), name = name)
    Y <- targets_of(d, loss)[, 1, drop = FALSE]
    found <- run_newton(d$Z, Y, 2, loss, intercept)
    data <- structure(list(Zt = t(d$Z)), class = "feature_data")
    args <- list(epsilon = 0.1, intercept = intercept, tolerance = 1e-8, max_iterations = 0,
                 threads = 1L)
    other <- train_submodel(data, Y[, 1], rep(2, nrow(Y)), loss, args)
    bound <- 2 * nrow(Y) * loss$kinks * kink_width / 4
    # the rounded problem lies above the exact one, by no more than the bound
    expect_gte(other$objective - found$objective, -1e-6)
    expect_lte(other$objective - found$objective, bound)
    exact <- sum(2 * loss$smooth(Y[, 1], drop(d$Z %*% found$coefficients) + found$intercept, args,
                                 1e-12)$value) + sum(found$coefficients^2) / 2
    expect_lte(exact + other$objective, bound)
    # |w - w*|^2 / 2 is at most the difference, by strong convexity
    expect_lte(sum((found$coefficients - other$coefficients)^2) / 2, bound)
    expect_lt(sqrt(mean((d$Z %*% (found$coefficients - other$coefficients))^2)), 0.05)
  }
})

test_that("blocks, their order and other machines beside it do not change a machine", {
  d <- newton_data()
  for (name in c("logistic", "hinge")) {
    whole <- run_newton(d$Z, d$class, 1, name, TRUE, blocks = 1)
    expect_equal(run_newton(d$Z, d$class, 1, name, TRUE, blocks = 7)$theta, whole$theta,
                 tolerance = 1e-10)
    for (m in 1:2) {
      alone <- run_newton(d$Z, d$class[, m, drop = FALSE], 1, name, TRUE)
      expect_equal(alone$theta[, 1], whole$theta[, m], tolerance = 1e-10)
    }
  }
})

test_that("a cost counts copies of a row, and a row without cost is none", {
  d <- newton_data(100, 5)
  copies <- rep_len(0:3, 100)
  rows <- rep(1:100, copies)
  for (name in names(svm_losses())) {
    Y <- targets_of(d, svm_losses()[[name]])
    weighted <- run_newton(d$Z, Y, copies, name, TRUE, tolerance = 1e-6)
    copied <- run_newton(d$Z[rows, ], Y[rows, , drop = FALSE], 1, name, TRUE, tolerance = 1e-6)
    expect_equal(weighted$theta, copied$theta, tolerance = 1e-7)
  }
})

test_that("known values of f are added to, and a start near the solution saves passes", {
  d <- newton_data()
  known <- cbind(d$Z[, 1], -d$Z[, 2])
  # w'z with w = (1, 0, ...) known and a penalty on the rest
  found <- run_newton(d$Z, d$class, 1, "logistic", start = known)
  for (m in 1:2) {
    at <- function(theta) {
      objective_of(theta, d$Z, d$class[, m], 1, loss_logistic(), FALSE, known[, m])
    }
    best <- optim(rep(0, 12), at, method = "BFGS", control = list(reltol = 1e-15))
    expect_equal(found$theta[, m], best$par, tolerance = 1e-4)
  }
  for (name in c("logistic", "hinge")) {
    cold <- run_newton(d$Z, d$class, 1, name)
    warm <- run_newton(d$Z, d$class, 1, name, at = cold$theta)
    expect_equal(warm$theta, cold$theta, tolerance = 1e-6)
    expect_lt(warm$passes, cold$passes)
  }
})

test_that("classes that a line separates, one class alone and rows without cost have a machine", {
  d <- newton_data(150, 6)
  d$Z <- d$Z[abs(d$Z[, 1]) > 0.2, ]
  sides <- cbind(sign(d$Z[, 1]))
  for (name in c("logistic", "hinge", "squared_hinge")) for (intercept in c(FALSE, TRUE)) {
    found <- run_newton(d$Z, sides, 1e4, name, intercept)
    expect_true(found$converged)
    expect_gt(min(sides * (d$Z %*% found$coefficients + found$intercept)), 0)
    one <- run_newton(d$Z, sides^2, 1, name, intercept, max_iterations = 60)
    expect_true(all(is.finite(one$theta)))
    none <- run_newton(d$Z, sides, 0, name, intercept)
    expect_true(none$converged)
    expect_equal(none$theta[, 1], rep(0, 6 + intercept))
  }
})

test_that("features and costs of other sizes are no reason to stop", {
  d <- newton_data(150, 6)
  for (name in names(svm_losses())) {
    loss <- svm_losses()[[name]]
    Y <- targets_of(d, loss)
    plain <- run_newton(d$Z, Y, 1, name, TRUE)
    for (scale in c(1e-8, 1e3, 1e8)) {
      found <- run_newton(scale * d$Z, Y, scale^-2, name, TRUE)
      # |w|^2 and the costs are scale^-2 times as large
      expect_equal(scale * found$coefficients, plain$coefficients, tolerance = 1e-5)
      expect_equal(found$intercept, plain$intercept, tolerance = 1e-5)
    }
  }
  found <- run_newton(d$Z, d$class, 1e300, "squared_hinge", start = matrix(1e10, 150, 2))
  expect_false(any(found$converged))
  expect_true(all(is.infinite(found$objective)))
})

test_that("a response that is not standardised has kinks as wide as its spread", {
  d <- newton_data()
  for (name in c("absolute", "epsilon_insensitive")) {
    plain <- run_newton(d$Z, d$number, 1, name, TRUE, tube = 0.1)
    # c |y - f| and |w|^2 are 1e6 and 1e12 times as large
    large <- run_newton(d$Z, 1e6 * d$number, 1e6, name, TRUE, tube = 1e5, unit = 1e6)
    expect_equal(large$theta / 1e6, plain$theta, tolerance = 1e-6)
    expect_identical(large$passes, plain$passes)
  }
})

test_that("a limit of passes is kept and told", {
  d <- newton_data()
  found <- run_newton(d$Z, d$class, 1, "hinge", max_iterations = 2)
  expect_identical(found$passes, 2L)
  expect_false(any(found$converged))
  expect_gt(min(found$relative_gap), 1e-6)
})

test_that("sums of rows that nobody keeps are those of their features, also by domain", {
  toy <- simulate_ellipses(domains = 4, n = 30, seed = 1)
  sample <- list(X = as.matrix(toy[c("x1", "x2")]), domain = toy$domain)
  Y <- cbind(ifelse(toy$y == levels(toy$y)[2], 1, -1), ifelse(toy$x1 > 0, 1, -1))
  costs <- matrix(rep_len(c(1, 0, 2), 240), 120)
  start <- matrix(rnorm(240), 120)
  spaces <- list(
    represent(features_nystrom(15), kernel_rbf(1), domain_pooled(), sample, 1L),
    represent(features_nystrom(15), kernel_rbf(1), domain_distribution(), sample, 1L),
    represent(features_product(x = features_nystrom(10), rank = 3), kernel_rbf(1),
              domain_distribution(), sample, 1L)
  )
  for (product in spaces) for (intercept in c(FALSE, TRUE)) {
    table <- own_table(product, sample)
    Z <- features_at(product, sample, table)
    state <- newton_start(ncol(Z), 2L, intercept, loss_hinge())
    state$theta[] <- rnorm(length(state$theta))
    state$direction[] <- rnorm(length(state$theta))
    state$active <- c(intercept, TRUE)
    found <- newton_features(state, product, sample, table, Y, costs, loss_hinge(), NULL, start)
    expect_equal(found, newton_block(state, Z, Y, costs, loss_hinge(), NULL, start),
                 tolerance = 1e-9)
    expect_identical(dim(found$hessian), c(rep(ncol(Z) + intercept, 2L), 1L + intercept))
    empty <- newton_features(state, product, rows_at(sample, integer()), table, Y[0, ], costs[0, ],
                             loss_hinge(), NULL)
    expect_equal(add_moments(found, empty), found)
  }
  expect_true(is_product(spaces[[3]], own_table(spaces[[3]], sample)))
})

test_that("the sums are those of the formulas", {
  d <- newton_data(40, 3)
  loss <- loss_logistic()
  state <- newton_start(3L, 2L, TRUE, loss)
  state$theta[] <- rnorm(8)
  state$direction[] <- rnorm(8)
  costs <- matrix(runif(80), 40)
  sums <- newton_block(state, d$Z, d$class, costs, loss, NULL)
  Z <- cbind(d$Z, 1)
  for (m in 1:2) {
    for (t in seq_along(step_lengths)) {
      f <- drop(Z %*% (state$theta[, m] + step_lengths[t] * state$direction[, m]))
      margin <- d$class[, m] * f
      expect_equal(sums$value[t, m], sum(costs[, m] * log(1 + exp(-margin))))
      expect_equal(sums$slope[t, m], sum(-costs[, m] * d$class[, m] / (1 + exp(margin)) *
                                           Z %*% state$direction[, m]))
    }
    p <- plogis(drop(Z %*% (state$theta[, m] + state$direction[, m])))
    expect_equal(sums$gradient[, m],
                 drop(crossprod(Z, costs[, m] * (p - (d$class[, m] > 0)))))
    expect_equal(sums$hessian[, , m], crossprod(Z, costs[, m] * p * (1 - p) * Z))
  }
  expect_equal(sums$costs, colSums(costs))
})
