test_that("the dual solution agrees with projected gradients, with and without intercept", {
  classes <- smo_classes(24)
  numbers <- smo_numbers(16)
  cases <- list(
    list(K = classes$K, dual = hinge_dual(classes$y, 2)),
    list(K = classes$K, dual = hinge_dual(classes$y, rep_len(c(0.3, 5, 1), 24))),
    list(K = classes$K, dual = hinge_dual(classes$y, Inf, ridge = 0.5)),
    list(K = numbers$K, dual = tube_dual(numbers$y, 3)),
    list(K = numbers$K, dual = tube_dual(numbers$y, Inf, ridge = 0.2))
  )
  for (case in cases) for (intercept in c(TRUE, FALSE)) {
    fit <- run_smo(case$K, case$dual, intercept, tol = 1e-8)
    oracle <- naive_dual(case$K, case$dual, intercept, steps = 1000)
    expect_true(fit$converged)
    expect_equal(fit$objective, naive_objective(case$K, case$dual, oracle), tolerance = 1e-8)
    expect_equal(fit$objective, naive_objective(case$K, case$dual, fit$alpha), tolerance = 1e-10)
    expect_equal(fit$alpha, oracle, tolerance = 1e-3)
  }
})

test_that("the optimality conditions hold to the tolerance and the box is respected", {
  d <- smo_numbers(200)
  for (cost in c(0.1, 10, 1000)) for (intercept in c(TRUE, FALSE)) {
    dual <- tube_dual(d$y, cost)
    fit <- run_smo(d$K, dual, intercept)
    expect_true(fit$converged)
    expect_lt(kkt_violation(d$K, dual, fit), 1e-3 * (1 + 1e-6))
    expect_true(all(fit$alpha >= 0 & fit$alpha <= cost))
    if (intercept) expect_lt(abs(sum(fit$beta)), 1e-9 * cost * 200)
    expect_equal(fit$beta, fit$alpha[1:200] - fit$alpha[201:400])
    expect_equal(fit$decision, drop(d$K %*% fit$beta), tolerance = 1e-10)
    expect_lte(fit$relative_gap, 1e-3)
  }
})

test_that("the gap is the primal objective plus the dual one", {
  d <- smo_classes()
  cost <- rep_len(c(0.5, 2), 60)
  for (intercept in c(TRUE, FALSE)) {
    fit <- run_smo(d$K, hinge_dual(d$y, cost), intercept, tol = 0.1)
    hinge <- function(f) cost * pmax(0, 1 - d$y * f)
    expect_equal(fit$gap, naive_primal(d$K, fit, hinge) + fit$objective, tolerance = 1e-10)

    fit <- run_smo(d$K, hinge_dual(d$y, Inf, ridge = 0.5), intercept, tol = 0.1)
    squared <- function(f) pmax(0, 1 - d$y * f)^2
    expect_equal(fit$gap, naive_primal(d$K, fit, squared) + fit$objective, tolerance = 1e-10)
  }
  d <- smo_numbers()
  fit <- run_smo(d$K, tube_dual(d$y, 3), tol = 0.1)
  tube <- function(f) 3 * pmax(0, abs(d$y - f) - 0.1)
  expect_equal(fit$gap, naive_primal(d$K, fit, tube) + fit$objective, tolerance = 1e-10)
})

test_that("shrinking and gathered columns lead to the same optimum as e1071", {
  skip_if_not_installed("e1071")
  d <- smo_classes(600)
  flip <- seq(1, 600, by = 7)
  d$y[flip] <- -d$y[flip]
  for (cost in c(0.1, 100)) {
    fit <- run_smo(d$K, hinge_dual(d$y, cost))
    peer <- e1071::svm(d$x, factor(d$y), scale = FALSE, gamma = 1 / 4, cost = cost,
                       tolerance = 1e-5)
    beta <- numeric(600)
    beta[peer$index] <- abs(peer$coefs)
    beta <- beta * d$y
    objective <- sum(beta * (d$K %*% beta)) / 2 - sum(abs(beta))
    expect_lt(fit$objective, objective + 1e-6 * abs(objective))
    expect_equal(fit$objective, objective, tolerance = 1e-5)
  }
  d <- smo_numbers(600)
  for (cost in c(0.1, 100)) {
    fit <- run_smo(d$K, tube_dual(d$y, cost))
    peer <- e1071::svm(d$x, d$y, scale = FALSE, gamma = 1 / 4, cost = cost, tolerance = 1e-5)
    expect_equal(fit$decision + fit$b, unname(predict(peer, d$x)), tolerance = 2e-3)
  }
})

test_that("no intercept on K + 1 is kernlab's bound-constrained machine", {
  skip_if_not_installed("kernlab")
  d <- smo_classes(100)
  fit <- run_smo(d$K + 1, hinge_dual(d$y, 5), intercept = FALSE, tol = 1e-6)
  peer <- kernlab::ksvm(d$x, factor(d$y), type = "C-bsvc", kernel = "rbfdot",
                        kpar = list(sigma = 1 / 4), C = 5, scaled = FALSE, tol = 1e-6)
  decision <- drop(kernlab::predict(peer, d$x, type = "decision"))
  expect_equal(abs(cor(decision, fit$decision)), 1, tolerance = 1e-6)
  expect_equal(abs(decision), abs(fit$decision), tolerance = 1e-3)
})

test_that("a whole cost is a repeated row and no cost a removed one", {
  d <- smo_classes(50)
  times <- rep_len(c(1, 3, 2, 0, 1), 50)
  for (intercept in c(TRUE, FALSE)) {
    fit <- run_smo(d$K, hinge_dual(d$y, 2 * times), intercept, tol = 1e-9)
    repeated <- rep(seq_len(50), times)
    copies <- run_smo(d$K[repeated, repeated], hinge_dual(d$y[repeated], 2), intercept,
                      tol = 1e-9)
    expect_equal(fit$objective, copies$objective, tolerance = 1e-8)
    expect_equal(fit$decision[repeated] + fit$b, copies$decision + copies$b, tolerance = 1e-6)
    expect_equal(fit$beta[times == 0], numeric(10))
  }
})

test_that("variables may belong to some rows of K only", {
  d <- smo_classes(50)
  for (rows in list(seq(1, 50, by = 3), 2:50)) for (intercept in c(TRUE, FALSE)) {
    dual <- hinge_dual(d$y[rows], 2)
    part <- run_smo(d$K[rows, rows], dual, intercept, tol = 1e-9)
    dual$row <- rows
    fit <- run_smo(d$K, dual, intercept, tol = 1e-9)
    expect_equal(fit$alpha, part$alpha, tolerance = 1e-6)
    expect_equal(fit$decision[rows], part$decision, tolerance = 1e-6)
  }
})

test_that("a warm start, feasible or not, leads to the same optimum", {
  d <- smo_numbers(150)
  for (intercept in c(TRUE, FALSE)) {
    cold <- run_smo(d$K, tube_dual(d$y, 5), intercept, tol = 1e-7)
    again <- run_smo(d$K, tube_dual(d$y, 5), intercept, tol = 1e-6, start = cold$alpha)
    expect_equal(again$iterations, 0)
    expect_equal(again$alpha, cold$alpha)

    set.seed(1)
    for (start in list(run_smo(d$K, tube_dual(d$y, 1), intercept)$alpha, 10 * runif(300))) {
      warm <- run_smo(d$K, tube_dual(d$y, 5), intercept, tol = 1e-7, start = start)
      expect_equal(warm$objective, cold$objective, tolerance = 1e-9)
      expect_equal(warm$decision + warm$b, cold$decision + cold$b, tolerance = 1e-5)
    }
  }
})

test_that("degenerate problems end with a right answer", {
  d <- smo_classes(20)
  one_class <- run_smo(d$K, hinge_dual(rep(1, 20), 1))
  expect_equal(one_class$alpha, numeric(20))
  expect_equal(one_class$b, 1)
  expect_equal(one_class$relative_gap, 0)

  nothing <- run_smo(d$K, hinge_dual(d$y, 0))
  expect_equal(nothing[c("objective", "gap", "iterations", "b")],
               list(objective = 0, gap = 0, iterations = 0, b = 0))
  expect_true(nothing$converged)

  single <- run_smo(matrix(2), hinge_dual(-1, 3), intercept = FALSE, tol = 1e-9)
  expect_equal(single$alpha, 0.5)
  expect_equal(run_smo(matrix(2), hinge_dual(-1, 3))$b, -1)
  expect_equal(run_smo(matrix(0, 3, 3), hinge_dual(c(1, -1, 1), 1))$objective, -2)

  twice <- rep(1:20, 2)
  copies <- run_smo(d$K[twice, twice], hinge_dual(d$y[twice], 1), tol = 1e-6)
  expect_true(copies$converged)

  opposed <- run_smo(matrix(1, 2, 2), hinge_dual(c(1, -1), 7))
  expect_equal(opposed$alpha, c(7, 7))
})

test_that("an indefinite K or an unbounded problem ends", {
  set.seed(1)
  K <- crossprod(matrix(rnorm(400), 20)) - 20 * diag(20)
  K <- (K + t(K)) / 2
  y <- rep_len(c(1, -1), 20)
  for (intercept in c(TRUE, FALSE)) {
    fit <- run_smo(K, hinge_dual(y, 1), intercept)
    expect_true(fit$converged)
    expect_true(all(fit$alpha >= 0 & fit$alpha <= 1))
    hard <- run_smo(K, hinge_dual(y, Inf), intercept, max_iter = 5000)
    expect_false(hard$converged)
  }
})

test_that("max_iter is kept to and the same run twice is bitwise equal", {
  d <- smo_numbers(300)
  fit <- run_smo(d$K, tube_dual(d$y, 100), max_iter = 50)
  expect_equal(fit$iterations, 50)
  expect_false(fit$converged)
  expect_identical(run_smo(d$K, tube_dual(d$y, 100)), run_smo(d$K, tube_dual(d$y, 100)))
})

test_that("the separable hard margin is found", {
  K <- tcrossprod(c(-2, -1, 1, 3))
  fit <- run_smo(K, hinge_dual(c(-1, -1, 1, 1), Inf), tol = 1e-8)
  expect_true(fit$converged)
  expect_equal(fit$decision + fit$b, c(-2, -1, 1, 3), tolerance = 1e-6)
  expect_lt(fit$relative_gap, 1e-6)
})

test_that("a small tolerance is reached though columns are kept in single precision", {
  d <- linear_data(150, 20)
  dual <- tube_dual(d$number, rep_len(c(0.2, 30, 4), 150))
  fit <- run_smo(tcrossprod(d$Z), dual, FALSE, tol = 1e-8)
  expect_lt(fit$relative_gap, 1e-7)
})
