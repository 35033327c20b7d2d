test_that("the optimum is that of SMO on the Gram matrix, with and without intercept", {
  for (size in list(c(60, 12), c(25, 60), c(120, 3))) {
    d <- linear_data(size[1], size[2])
    K <- tcrossprod(d$Z)
    uneven <- rep_len(c(0.2, 30, 4), size[1])
    for (cost in if (size[1] == 60) list(0.01, 1, uneven) else list(uneven)) {
      for (case in linear_cases(d, cost)) for (intercept in c(FALSE, TRUE)) {
        smo <- run_smo(K, case$dual, intercept, tol = 1e-6)
        fit <- run_linear(d$Z, case$rows, intercept, tol = 1e-8)
        expect_true(smo$converged && fit$converged)
        expect_equal(fit$objective, smo$objective, tolerance = 1e-7)
        expect_equal(fit$decision + fit$b, smo$decision + smo$b, tolerance = 1e-5)
        expect_equal(fit$b, smo$b, tolerance = 1e-5)
        expect_equal(fit$objective,
                     naive_objective(K, case$dual, split_beta(fit$beta, case$dual)),
                     tolerance = 1e-10)
      }
    }
  }
})

test_that("the optimality conditions hold to the tolerance and the box is respected", {
  d <- linear_data(120, 20)
  K <- tcrossprod(d$Z)
  for (pair in list(c(1e-1, 1000), c(1e-3, 10), c(1e-6, 0.1), c(1e-6, 1000))) {
    tol <- pair[1L]
    cost <- pair[2L]
    for (case in linear_cases(d, cost)) for (intercept in c(FALSE, TRUE)) {
      fit <- run_linear(d$Z, case$rows, intercept, tol = tol)
      fit$alpha <- split_beta(fit$beta, case$dual)
      expect_true(fit$converged)
      # the slopes of the variables at 0 and at their bound, in units of f
      expect_lt(kkt_violation(K, case$dual, fit), tol * (1 + 1e-6))
      expect_true(all(fit$beta >= case$rows$low & fit$beta <= case$rows$high))
      if (intercept) expect_lt(abs(sum(fit$beta)), 1e-11 * sum(abs(fit$beta)))
      if (!intercept) expect_identical(fit$b, 0)
      expect_equal(fit$w, drop(crossprod(d$Z, fit$beta)), tolerance = 1e-10)
      expect_equal(fit$decision, drop(d$Z %*% fit$w), tolerance = 1e-10)
      expect_lte(fit$relative_gap, 1e-3)
    }
  }
})

test_that("the gap is the primal objective plus the dual one", {
  d <- linear_data()
  cost <- rep_len(c(0.5, 2), 150)
  losses <- list(
    hinge = function(f) cost * pmax(0, 1 - d$class * f),
    tube = function(f) cost * pmax(0, abs(d$number - f) - 0.1),
    squared_hinge = function(f) cost * pmax(0, 1 - d$class * f)^2,
    squared_tube = function(f) cost * pmax(0, abs(d$number - f) - 0.1)^2
  )
  cases <- linear_cases(d, cost)
  for (name in names(losses)) for (intercept in c(FALSE, TRUE)) {
    fit <- run_linear(d$Z, cases[[name]]$rows, intercept, max_iter = 3)
    primal <- linear_primal(fit, losses[[name]])
    expect_false(fit$converged)
    expect_gt(fit$relative_gap, 1e-6)
    expect_equal(fit$gap, primal + fit$objective, tolerance = 1e-10)
    expect_equal(fit$relative_gap, fit$gap / max(primal, abs(fit$objective)), tolerance = 1e-10)
  }
})

test_that("the optimum is liblinear's", {
  i <- 1:120
  j <- 1:15
  Z <- cos(outer(i, j) + rep(j^2 / 7, each = 120)) / rep(sqrt(j), each = 120)
  signal <- 2 * sin(i) + Z[, 2] + cos(3.7 * i^2)
  d <- list(class = ifelse(signal > 0, 1, -1), number = signal)
  peer <- read.csv(test_path("fixtures", "liblinear.csv"))
  ours <- c(hinge = "hinge", squared_hinge = "squared_hinge", epsilon_insensitive = "tube",
            squared_epsilon_insensitive = "squared_tube")
  expect_identical(nrow(peer), 12L)
  for (k in seq_len(nrow(peer))) {
    cost <- peer$cost[k] * (1 + i %% 3)
    rows <- linear_cases(d, cost)[[ours[[peer$loss[k]]]]]$rows
    fit <- run_linear(Z, rows, tol = 1e-8)
    expect_equal(fit$gap - fit$objective, peer$objective[k], tolerance = 1e-8)
    expect_equal(fit$w[1:3], unlist(peer[k, c("w1", "w2", "w3")], use.names = FALSE),
                 tolerance = 1e-4)
  }
})

test_that("cost zero removes a row and a whole cost is so many copies", {
  d <- linear_data(80, 12)
  set.seed(2)
  copies <- sample(0:3, 80, TRUE)
  again <- rep(1:80, copies)
  some <- copies > 0
  for (name in c("hinge", "tube", "squared_hinge", "squared_tube")) for (intercept in c(FALSE, TRUE)) {
    rows <- function(d, cost) linear_cases(d, cost)[[name]]$rows
    take <- function(i) list(class = d$class[i], number = d$number[i])
    copied <- run_linear(d$Z[again, ], rows(take(again), 2), intercept, tol = 1e-9)
    kept <- run_linear(d$Z[some, ], rows(take(some), 2 * copies[some]), intercept, tol = 1e-9)
    expect_equal(copied[c("w", "b", "objective")], kept[c("w", "b", "objective")], tolerance = 1e-6)
    if (name %in% c("hinge", "tube")) {
      weighted <- run_linear(d$Z, rows(d, 2 * copies), intercept, tol = 1e-9)
      expect_equal(weighted[c("w", "b", "objective")], kept[c("w", "b", "objective")],
                   tolerance = 1e-6)
      expect_identical(weighted$beta[!some], numeric(sum(!some)))
    }
  }
})

test_that("large costs are solved to the same gap", {
  d <- linear_data(500, 40)
  K <- tcrossprod(d$Z)
  for (cost in c(1e3, 1e5)) for (case in linear_cases(d, cost)) for (intercept in c(FALSE, TRUE)) {
    fit <- run_linear(d$Z, case$rows, intercept)
    expect_true(fit$converged)
    expect_lt(fit$relative_gap, 1e-3)
    expect_lt(fit$iterations, 1000)
  }
  # separable: the hard margin
  d$class <- ifelse(d$Z[, 1] > 0, 1, -1)
  fit <- run_linear(d$Z, hinge_rows(d$class, 1e6), intercept = TRUE, tol = 1e-6)
  expect_true(fit$converged)
  expect_gt(min(d$class * (fit$decision + fit$b)), 1 - 1e-5)
  smo <- run_smo(K, hinge_dual(d$class, 1e6), tol = 1e-6)
  expect_equal(fit$objective, smo$objective, tolerance = 1e-5)
})

test_that("features of any scale are solved", {
  d <- linear_data(200, 10)
  for (scale in c(1e-8, 1e-3, 1e3, 1e8)) {
    # |w|^2 is scaled by scale^-2, and so is the cost
    for (case in linear_cases(d, 3 / scale^2)) {
      fit <- run_linear(scale * d$Z, case$rows, TRUE, tol = 1e-6)
      expect_true(fit$converged)
      expect_lt(fit$relative_gap, 1e-5)
    }
  }
  Z <- d$Z %*% diag(10^seq(-3, 3, length.out = 10))
  fit <- run_linear(Z, hinge_rows(d$class, 1), TRUE)
  expect_true(fit$converged)
})

test_that("few rows, many features, constant and empty features are no special cases", {
  d <- linear_data(60, 8)
  cases <- list(
    two = list(Z = d$Z[1:2, ], y = c(1, -1)),
    one = list(Z = d$Z[1, , drop = FALSE], y = 1),
    constant = list(Z = cbind(d$Z[, 1:3], 1, 1), y = d$class),
    only_constant = list(Z = matrix(1, 60, 2), y = d$class),
    zero_rows = list(Z = rbind(d$Z, matrix(0, 5, 8)), y = c(d$class, 1, 1, 1, -1, -1)),
    all_zero = list(Z = matrix(0, 60, 3), y = d$class),
    same_rows = list(Z = d$Z[rep(1, 60), ], y = d$class),
    duplicated_columns = list(Z = d$Z[, rep(1:8, 20)] / sqrt(20), y = d$class)
  )
  for (case in cases) for (intercept in c(FALSE, TRUE)) for (cost in c(0.1, 50)) {
    if (length(unique(case$y)) == 1L && intercept) next
    K <- tcrossprod(case$Z)
    for (kind in c("hinge", "tube")) {
      dual <- if (kind == "hinge") hinge_dual(case$y, cost) else tube_dual(case$y, cost)
      rows <- if (kind == "hinge") hinge_rows(case$y, cost) else tube_rows_of(case$y, cost)
      fit <- run_linear(case$Z, rows, intercept, tol = 1e-7)
      smo <- run_smo(K, dual, intercept, tol = 1e-6)
      expect_true(fit$converged && smo$converged)
      expect_equal(fit$objective, smo$objective, tolerance = 1e-6)
      expect_equal(fit$decision + fit$b, smo$decision + smo$b, tolerance = 1e-5)
    }
  }
  none <- run_linear(matrix(0, 0, 3), hinge_rows(numeric(0), numeric(0)))
  expect_identical(none$w, numeric(3))
  no_feature <- run_linear(matrix(0, 3, 0), hinge_rows(c(1, 1, -1), 2), TRUE, tol = 1e-8)
  expect_equal(no_feature$b, 1)
  expect_equal(no_feature$objective, -4)
})

test_that("where every variable is at a bound the intercept is the middle of its interval", {
  Z <- matrix(c(2, 3, -2, -3))
  # all beta at the bound 0.01: margins 0.01 * 10 * z
  fit <- run_linear(Z, hinge_rows(c(1, 1, -1, -1), 0.01), intercept = TRUE)
  expect_equal(fit$beta, c(1, 1, -1, -1) / 100)
  smo <- run_smo(tcrossprod(Z), hinge_dual(c(1, 1, -1, -1), 0.01))
  expect_equal(fit$b, smo$b, tolerance = 1e-6)
  one_class <- run_linear(Z, hinge_rows(rep(1, 4), 1), intercept = TRUE)
  expect_equal(one_class$w, 0)
  expect_gte(one_class$b, 1 - 1e-3)
  expect_lt(one_class$gap, 1e-2)
})

test_that("a response that is fitted without loss has no gap", {
  d <- linear_data(50, 20)
  for (epsilon in c(0, 0.1)) for (ridge in c(0, 0.5)) {
    rows <- tube_rows_of(rep(2.2, 50), if (ridge > 0) Inf else 30, epsilon, ridge)
    fit <- run_linear(d$Z, rows, intercept = TRUE)
    expect_true(fit$converged)
    expect_lt(fit$relative_gap, 1e-3)
    expect_lt(fit$gap, 1e-9)
    expect_lt(max(abs(fit$w)), 1e-6)
    expect_lt(abs(fit$b - 2.2), epsilon + 1e-3)
  }
})

test_that("the path depends on the seed, the optimum on nothing but the problem", {
  d <- linear_data(600, 50)
  for (case in linear_cases(d, 5)) {
    fit <- function(seed, threads, order = 1:600) {
      run_linear(d$Z[order, ], lapply(case$rows, `[`, order), TRUE, tol = 1e-7, seed = seed,
                 threads = threads)
    }
    first <- fit(1, 1L)
    expect_identical(fit(1, 1L), first)
    expect_identical(fit(1, 3L), first)
    other <- fit(2, 1L)
    expect_false(identical(other$w, first$w))
    expect_equal(other$w, first$w, tolerance = 1e-5)
    expect_equal(fit(3, 1L, order = 600:1)$w, first$w, tolerance = 1e-5)
  }
})

test_that("max_iter is kept to, and what it leaves is a feasible point", {
  d <- linear_data(400, 60)
  for (case in linear_cases(d, 100)) for (limit in c(1, 7, 12)) {
    fit <- run_linear(d$Z, case$rows, TRUE, tol = 1e-9, max_iter = limit)
    expect_lte(fit$iterations, limit)
    expect_false(fit$converged)
    expect_true(all(fit$beta >= case$rows$low & fit$beta <= case$rows$high))
    expect_lt(abs(sum(fit$beta)), 1e-11 * sum(abs(fit$beta)))
    expect_gte(fit$gap, 0)
  }
})

test_that("more iterations never end at a worse objective", {
  d <- linear_data(400, 60)
  for (case in linear_cases(d, 100)) {
    objective <- vapply(c(12, 20, 40, 400), function(limit) {
      run_linear(d$Z, case$rows, FALSE, tol = 1e-7, max_iter = limit)$objective
    }, numeric(1))
    expect_lt(objective[4], objective[1])
    expect_equal(min(objective), objective[4])
  }
})

test_that("what is not a convex, finite loss is refused", {
  d <- linear_data(5, 2)
  expect_error(run_linear(d$Z, hinge_rows(d$class, Inf)), "not finite")
  expect_error(run_linear(d$Z, hinge_rows(d$class, -1)), "must be between")
  expect_error(run_linear(d$Z[1:3, ], hinge_rows(d$class, 1)), "must have 3 values, not 5")
})
