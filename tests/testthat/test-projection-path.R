# Projections for many ridges at once are those of each ridge alone.

set.seed(1)
G <- 6
n <- 150
domain <- factor(rep_len(paste0("d", seq_len(G)), n))
x <- matrix(rnorm(n * 4), n) + matrix(rnorm(G * 4, sd = 0.5), G)[domain, ]
d <- data.frame(x, class = factor(x[, 1] + rnorm(n, sd = 0.5) > 0), number = sin(x[, 1]) + x[, 2],
                domain = domain)
lambdas <- 10^seq(-8, 4, length.out = 7)

# Fits of all values, as in a search; were they solved together?
fit_together <- function(specs, data, y) {
  formula <- as.formula(paste(y, "~ X1 + X2 + X3 + X4 | domain"))
  input <- read_input(list(x = formula, data = data))
  solved <- 0
  own <- domgen:::solve_projection
  fits <- with_replaced("solve_projection", function(...) {
    solved <<- solved + 1
    own(...)
  }, {
    shared <- new_shared(specs)
    lapply(specs, fit_input, input, shared)
  })
  attr(fits, "shared") <- solved == 1
  fits
}

expect_path <- function(make, y, tolerance = 1e-7, data = d) {
  specs <- lapply(lambdas, make)
  together <- suppressWarnings(fit_together(specs, data, y))
  expect_true(attr(together, "shared"))
  formula <- as.formula(paste(y, "~ X1 + X2 + X3 + X4 | domain"))
  input <- read_input(list(x = formula, data = data))
  for (l in seq_along(lambdas)) {
    alone <- suppressWarnings(fit_input(specs[[l]], input))
    for (part in c("values", "scores", "rank", "theorem5", "variance", "centre")) {
      expect_equal(together[[l]][[part]], alone[[part]], tolerance = tolerance)
    }
    expect_equal(decision(together[[l]], list(X = x[1:30, ], domain = domain[1:30])),
                 decision(alone, list(X = x[1:30, ], domain = domain[1:30])), tolerance = tolerance)
    expect_lte(max(together[[l]]$residual), 20)
  }
}

test_that("DICA of many ridges is that of each, for classes and numbers, in both forms", {
  expect_path(function(lambda) dg_dica(ncomp = 1, lambda = lambda, scale = "none"), "class")
  expect_path(function(lambda) {
    dg_dica(ncomp = 2, lambda = lambda, form = "symmetric", scale = "none")
  }, "number")
  expect_path(function(lambda) {
    dg_dica(ncomp = 1, lambda = lambda, normalise = "whiten", domain_kernel = domain_distribution(),
         scale = "none")
  }, "number")
})

test_that("so are its relatives whose numerator has low rank", {
  expect_path(function(lambda) dg_coir(ncomp = 1, lambda = lambda, scale = "none"), "class")
  expect_path(function(lambda) dg_cidg(ncomp = 1, lambda = lambda, scale = "none"), "class")
  expect_path(function(lambda) dg_mda(ncomp = 1, beta = 1, lambda = lambda, scale = "none"), "class")
})

test_that("so are projections with a graph and rows without a response", {
  more <- as.data.frame(matrix(rnorm(80), 20, dimnames = list(NULL, paste0("X", 1:4))))
  more$domain <- "d1"
  expect_path(function(lambda) {
    dg_dica(ncomp = 1, lambda = lambda, smooth = 0.1, unlabelled = more, scale = "none")
  }, "class", tolerance = 1e-5)
})

test_that("so are all projections of features", {
  map <- features_nystrom(40, sampling = "kmeans")
  for (make in list(
    function(lambda) dg_dica(ncomp = 1, lambda = lambda, feature_map = map, scale = "none"),
    function(lambda) dg_udica(ncomp = 2, lambda = lambda, feature_map = map, scale = "none"),
    function(lambda) dg_dcm(ncomp = 1, lambda = lambda, feature_map = map, scale = "none")
  )) {
    specs <- lapply(lambdas, make)
    set.seed(1)
    together <- suppressWarnings(fit_together(specs, d, "class"))
    expect_true(attr(together, "shared"))
    for (l in c(1, 4, 7)) {
      set.seed(1)
      alone <- suppressWarnings(fit_input(specs[[l]], read_input(list(
        x = class ~ X1 + X2 + X3 + X4 | domain, data = d))))
      expect_equal(together[[l]]$values, alone$values, tolerance = 1e-7)
      expect_equal(together[[l]]$scores, alone$scores, tolerance = 1e-6)
    }
  }
})

test_that("few ridges, full numerators and other differences share nothing", {
  shared <- function(specs) attr(suppressWarnings(fit_together(specs, d, "class")), "shared")
  expect_false(shared(lapply(lambdas[1:3], function(l) dg_dica(ncomp = 1, lambda = l))))
  expect_false(shared(lapply(lambdas, function(l) dg_udica(ncomp = 1, lambda = l))))
  expect_false(shared(lapply(1:7, function(i) {
    dg_dica(ncomp = 1, lambda = lambdas[i], epsilon = 10^-i)
  })))
})

test_that("a search says of each value what its own fit would say", {
  d$class[] <- levels(d$class)[1]
  input <- read_input(list(x = class ~ X1 + X2 | domain, data = d))
  specs <- lapply(lambdas, function(l) dg_dica(ncomp = 1, lambda = l))
  shared <- new_shared(specs)
  for (spec in specs[1:2]) {
    expect_error(suppressWarnings(fit_input(spec, input, shared)), "two classes")
  }
})
