test_that("simulators have the shapes that the papers describe", {
  toy <- simulate_dica(domains = 7, n = 50, seed = 1)
  expect_identical(names(toy), c("domain", "y", paste0("x", 1:5)))
  expect_equal(nlevels(toy$domain), 7L)
  expect_equal(mean(table(toy$domain)), 50, tolerance = 0.2)
  dg_dcm <- simulate_dcm(domains = 3, n = 40, seed = 1)
  expect_identical(levels(dg_dcm$y), c("-1", "1"))
  expect_equal(ncol(dg_dcm), 12L)
})

test_that("the mean covariance of the domains is that of the Wishart distribution", {
  toy <- simulate_dica(domains = 300, n = 100, p = 2, eta = 0.2, seed = 1)
  expect_equal(unname(cov(toy[, c("x1", "x2")])), 10 * 0.2 * diag(2), tolerance = 0.1)
})

test_that("the response is the papers' function of x, up to its errors", {
  toy <- simulate_dica(domains = 20, n = 200, b1 = c(100, 0), b2 = c(0, 100), p = 2, seed = 1)
  expect_gt(mean(sign(toy$y) == sign(toy$x1)), 0.95)
  expect_gt(cor(abs(toy$y), log(abs(100 * toy$x2))), 0.9)
})

test_that("ellipses have the stated axes, angles and labels", {
  for (sampling in c("uniform", "program")) {
    toy <- simulate_ellipses(domains = 4, n = 500, sampling = sampling, seed = 2)
    angle <- attr(toy, "angle")
    expect_true(all(angle > pi / 4 & angle < 3 * pi / 4))
    a <- angle[as.character(toy$domain)]
    long <- toy$x1 * cos(a) + toy$x2 * sin(a)
    short <- -toy$x1 * sin(a) + toy$x2 * cos(a)
    expect_true(all(long^2 + (short / 0.2)^2 <= 1 + 1e-12))
    # right of a mostly upright axis: the positive x side
    expect_true(all((toy$y == "1") == (short < 0)))
  }
  expect_equal(c(table(toy$y)), c("-1" = 1000L, "1" = 1000L))
  uniform <- simulate_ellipses(1, 4000, seed = 3)
  expect_equal(mean(uniform$x1^2 + uniform$x2^2), (1 + 0.04) / 4, tolerance = 0.05)
})

test_that("a seed repeats the draw and leaves R's generator alone", {
  set.seed(42)
  before <- .Random.seed
  a <- simulate_dica(domains = 2, n = 10, seed = 5)
  expect_identical(.Random.seed, before)
  expect_identical(a, simulate_dica(domains = 2, n = 10, seed = 5))
  set.seed(5)
  expect_equal(simulate_dica(domains = 2, n = 10), a)
})

test_that("wrong sizes are refused", {
  expect_refusals({
    simulate_dica(domains = 0)
    simulate_ellipses(n = 2.5)
    simulate_dcm(b1 = 1:3)
    simulate_dica(seed = "a")
  })
})
