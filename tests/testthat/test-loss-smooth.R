# The smooth forms of the losses, see R/loss.R.

grid <- seq(-4, 4, length.out = 4001)
targets <- function(loss) if (loss$kinds == "class") c(-1, 1) else c(-0.7, 0, 1.3)

# The losses by their formulas.
exact_losses <- list(
  hinge = function(y, f) pmax(0, 1 - y * f),
  squared_hinge = function(y, f) pmax(0, 1 - y * f)^2,
  logistic = function(y, f) log(1 + exp(-y * f)),
  absolute = function(y, f) abs(y - f),
  epsilon_insensitive = function(y, f) pmax(0, abs(y - f) - 0.1),
  squared_epsilon_insensitive = function(y, f) pmax(0, abs(y - f) - 0.1)^2
)

for_each_loss <- function(body) {
  losses <- svm_losses()
  expect_setequal(names(losses), names(exact_losses))
  for (name in names(losses)) for (y in targets(losses[[name]])) body(losses[[name]], name, y)
}

test_that("a loss without kinks is its own smooth form, others are within a quarter of the width", {
  for_each_loss(function(loss, name, y) {
    exact <- exact_losses[[name]](y, grid)
    for (width in c(0.01, 0.05, 2)) {
      found <- loss$smooth(y, grid, list(epsilon = 0.1), width)$value
      if (loss$kinks == 0L) expect_equal(found, exact, tolerance = 1e-14, info = name)
      expect_gte(min(found - exact), -1e-12)
      expect_lte(max(found - exact), loss$kinks * width / 4 + 1e-12)
    }
    # reached at the kink itself
    at <- c(hinge = y, absolute = y, epsilon_insensitive = y + 0.1)[name]
    if (loss$kinks > 0L) {
      value <- loss$smooth(y, at, list(epsilon = 0.1), 0.05)$value
      expect_equal(value, (if (name == "absolute") 2 else 1) * 0.05 / 4, ignore_attr = TRUE)
    }
  })
})

test_that("slope and curvature are the derivatives of the value, which is convex", {
  step <- 1e-5
  for_each_loss(function(loss, name, y) {
    at <- function(f) loss$smooth(y, f, list(epsilon = 0.1), 0.3)
    here <- at(grid)
    above <- at(grid + step)
    below <- at(grid - step)
    expect_equal(here$slope, (above$value - below$value) / (2 * step), tolerance = 1e-6,
                 info = name)
    # but where the curvature jumps
    steady <- abs(above$curvature - below$curvature) < 1e-3
    expect_gt(mean(steady), 0.99)
    expect_equal(here$curvature[steady], ((above$slope - below$slope) / (2 * step))[steady],
                 tolerance = 1e-6, info = name)
    expect_gte(min(diff(here$slope)), -1e-12)
    expect_gte(min(here$curvature), 0)
  })
})

test_that("no value of f overflows the logistic loss or loses its digits", {
  at <- loss_logistic()$smooth(1, c(-1e300, -1e3, -40, 0, 40, 1e3, 1e300), NULL, 0)
  expect_equal(at$value, c(1e300, 1e3, 40 + exp(-40), log(2), exp(-40), 0, 0), tolerance = 1e-15)
  expect_equal(at$slope, c(-1, -1, -1, -0.5, -exp(-40), 0, 0), tolerance = 1e-15)
  expect_equal(at$curvature, c(0, 0, exp(-40), 0.25, exp(-40), 0, 0), tolerance = 1e-15)
  # relative
  expect_equal(at$value[5] / exp(-40), 1, tolerance = 1e-14)
})

test_that("smooth forms take values of one shape and keep it, with a width for each", {
  for (loss in svm_losses()) {
    y <- matrix(if (loss$kinds == "class") c(1, -1) else c(0.3, 2), 3, 2)
    f <- matrix(c(-1, 0.98, 3, 0.1, 1.02, 5), 3)
    all <- loss$smooth(y, f, list(epsilon = 0.1), rep(c(0.05, 1), each = 3))
    for (part in all) expect_identical(dim(part), c(3L, 2L))
    for (j in 1:2) {
      own <- loss$smooth(y[, j], f[, j], list(epsilon = 0.1), c(0.05, 1)[j])
      expect_equal(lapply(all, function(part) part[, j]), own)
    }
  }
})
