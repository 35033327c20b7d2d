# Platt's sigmoid and isotonic regression, against general minimisers and formulas.

scattered <- function(n = 60, seed = 1, slope = 1.5) {
  with_seed(seed, {
    f <- rnorm(n)
    list(f = f, positive = runif(n) < plogis(slope * f - 0.5), weights = runif(n, 0.2, 3))
  })
}

platt_target <- function(positive, weights) {
  n <- c(sum(weights[!positive]), sum(weights[positive]))
  ifelse(positive, (n[2] + 1) / (n[2] + 2), 1 / (n[1] + 2))
}

test_that("Platt's sigmoid minimises the entropy, with a slope that is not negative", {
  for (slope in c(3, 0.7, -1)) {
    d <- scattered(slope = slope)
    t <- platt_target(d$positive, d$weights)
    entropy_at <- function(theta) {
      z <- theta[1] * d$f + theta[2]
      sum(d$weights * (-t * plogis(z, log.p = TRUE) - (1 - t) * plogis(-z, log.p = TRUE)))
    }
    best <- optim(c(1, 0), entropy_at, method = "L-BFGS-B", lower = c(0, -Inf),
                  control = list(factr = 10))
    map <- platt_map(d$f, d$positive, d$weights)
    expect_equal(c(map$slope, map$intercept), best$par, tolerance = 1e-4)
    expect_lte(entropy_at(c(map$slope, map$intercept)), best$value + 1e-12)
    expect_identical(is_informed(map), slope > 0)
  }
})

test_that("Platt's sigmoid is the logistic regression of his targets", {
  d <- scattered(200)
  peer <- glm(platt_target(d$positive, d$weights) ~ d$f, family = quasibinomial(),
              weights = d$weights, control = list(epsilon = 1e-14))
  map <- platt_map(d$f, d$positive, d$weights)
  expect_equal(c(map$intercept, map$slope), unname(coef(peer)), tolerance = 1e-8)
  expect_equal(calibrated(map, d$f), unname(fitted(peer)), tolerance = 1e-8)
})

test_that("neither unit nor origin of the decision values matters, however large", {
  d <- scattered()
  p <- calibrated(platt_map(d$f, d$positive, d$weights), d$f)
  for (unit in c(1e-150, 1e-9, 1e9, 1e150)) for (origin in c(0, 1e3)) {
    f <- unit * (d$f + origin)
    expect_equal(calibrated(platt_map(f, d$positive, d$weights), f), p, tolerance = 1e-8)
  }
})

test_that("classes that f separates, and outliers, have finite sigmoids", {
  f <- c(-2, -1.5, -1, 1, 1.5, 2)
  map <- platt_map(f, f > 0, rep(1, 6))
  expect_equal(calibrated(map, f), c(rep(1, 3), rep(4, 3)) / 5, tolerance = 0.2)
  apart <- platt_map(rep(c(0, 1), each = 50), rep(c(FALSE, TRUE), each = 50), rep(1, 100))
  expect_equal(calibrated(apart, 0:1), c(1, 51) / 52, tolerance = 1e-6)
  far <- scattered()
  far$f[1:2] <- c(1e6, -1e6)
  map <- platt_map(far$f, far$positive, far$weights)
  expect_true(is.finite(map$slope) && is.finite(map$intercept))
  z <- map$slope * far$f + map$intercept
  residual <- far$weights * (plogis(z) - platt_target(far$positive, far$weights))
  expect_lt(abs(sum(residual)) / sum(far$weights), 1e-8)
  huge <- platt_map(far$f, far$positive, far$weights * 1e307)
  expect_true(all(is.finite(calibrated(huge, far$f))))
})

test_that("isotonic regression is that of stats::isoreg, but for its bounds", {
  d <- scattered(150)
  map <- isotonic_map(d$f, d$positive, rep(1, 150))
  peer <- isoreg(d$f, d$positive)
  p <- numeric(150)
  p[peer$ord] <- peer$yf
  inside <- p > 0 & p < 1
  expect_gt(length(unique(p[inside])), 4)
  expect_equal(calibrated(map, d$f)[inside], p[inside], tolerance = 1e-12)
  # a lowest block of W rows, none positive, and the highest likewise
  lowest <- sum(p == 0)
  expect_gt(lowest, 0)
  expect_equal(unique(calibrated(map, d$f)[p == 0]), min(1 / (lowest + 2), p[inside]))
  expect_equal(unique(calibrated(map, d$f)[p == 1]),
               max(1 - 1 / (sum(p == 1) + 2), p[inside]))
})

test_that("with ties and weights it is the max-min formula of weighted means", {
  d <- scattered(60)
  f <- round(d$f, 1)
  values <- sort(unique(f))
  weight <- tapply(d$weights, f, sum)
  mean <- tapply(d$weights * d$positive, f, sum) / weight
  expect_lt(length(values), 50)
  m <- length(values)
  naive <- sapply(seq_len(m), function(i) {
    max(sapply(seq_len(i), function(a) {
      min(sapply(i:m, function(b) weighted.mean(mean[a:b], weight[a:b])))
    }))
  })
  map <- isotonic_map(f, d$positive, d$weights)
  inside <- naive > 0 & naive < 1
  expect_gt(sum(inside), 10)
  expect_equal(calibrated(map, values)[inside], naive[inside], tolerance = 1e-10)
})

test_that("between blocks probabilities are linear, outside constant", {
  map <- isotonic_map(c(1, 2, 3, 5, 6, 7), c(FALSE, TRUE, FALSE, TRUE, FALSE, TRUE), rep(1, 6))
  # blocks 1 | 2, 3 | 5, 6 | 7 with 0, 1/2, 1/2, 1; the two in the middle are one
  expect_equal(map$value, c(1, 2, 6, 7))
  expect_equal(map$probability, c(1 / 3, 1 / 2, 1 / 2, 2 / 3))
  expect_equal(calibrated(map, c(-9, 1.5, 4, 6.5, 99, NA)),
               c(1 / 3, 5 / 12, 1 / 2, 7 / 12, 2 / 3, NA))
  flat <- isotonic_map(1:4, c(TRUE, TRUE, FALSE, FALSE), rep(1, 4))
  expect_false(is_informed(flat))
  expect_equal(calibrated(flat, c(0, 9, NA)), c(0.5, 0.5, NA))
  one <- isotonic_map(c(3, 3), c(TRUE, FALSE), c(3, 1))
  expect_equal(calibrated(one, c(2, NA)), c(0.75, NA))
})

test_that("a larger decision value never lowers the probability, which is never 0 or 1", {
  grid <- c(-Inf, seq(-20, 20, length.out = 500), Inf)
  for (seed in 1:5) for (make in list(platt_map, isotonic_map)) {
    d <- scattered(40, seed, slope = 0.5)
    p <- calibrated(make(d$f, d$positive, d$weights), grid[2:501])
    expect_true(all(diff(p) >= 0))
    expect_true(all(p > 0 & p < 1))
  }
})

test_that("weight k is k copies, and the order of rows does not matter", {
  d <- scattered(80)
  k <- rep_len(c(1, 3, 2), 80)
  copies <- rep(seq_len(80), k)
  order <- rev(seq_len(80))
  grid <- seq(-3, 3, 0.1)
  for (make in list(platt_map, isotonic_map)) {
    p <- calibrated(make(d$f, d$positive, k), grid)
    expect_equal(calibrated(make(d$f[copies], d$positive[copies], rep(1, sum(k))), grid), p,
                 tolerance = 1e-9)
    expect_equal(calibrated(make(d$f[order], d$positive[order], k[order]), grid), p,
                 tolerance = 1e-9)
    expect_gt(max(abs(calibrated(make(d$f, d$positive, rep(1, 80)), grid) - p)), 0.005)
  }
})

test_that("without decision values the probability is (N+ + 1) / (N + 2)", {
  expect_equal(calibrated(constant_map(c(TRUE, TRUE, FALSE), c(1, 2, 4)), 0:1), rep(4 / 9, 2))
  expect_equal(calibrated(constant_map(logical(), numeric()), 0), 0.5)
  expect_equal(calibrated(constant_map(c(TRUE, FALSE), c(1e308, 1e308)), 0), 0.5)
})

test_that("pooling runs at once gives what pooling one after the other gives", {
  cases <- c(
    lapply(1:5, function(seed) with_seed(seed, list(round(runif(200), 1), runif(200)))),
    # a heavy low end takes in one block after the other
    list(list(c(seq_len(100), 0), c(rep(1, 100), 50)), list(5, 1), list(rev(1:9), 1:9),
         list(rep(0.3, 7), 1:7))
  )
  for (case in cases) {
    n <- length(case[[1]])
    one <- pool_in_order(case[[1]], as.numeric(case[[2]]), rep(1L, n))
    all <- pool_adjacent(case[[1]], as.numeric(case[[2]]))
    expect_equal(all, one, tolerance = 1e-12)
    expect_false(is.unsorted(all$level, strictly = TRUE))
    expect_equal(sum(all$size), n)
  }
})
