test_that("the absolute loss is the tube without width, on the Gram matrix and on features", {
  toy <- simulate_dica(domains = 4, n = 20, seed = 1)
  for (features in list(features_exact(), features_nystrom(30))) {
    fit <- function(...) {
      set.seed(1)
      dg_svm(y ~ . | domain, data = toy, cost = 2, feature_map = features, tolerance = 1e-6, ...)
    }
    absolute <- fit(loss = "absolute")
    expect_equal(fitted(absolute), fitted(fit(epsilon = 0)), tolerance = 1e-5)
    expect_identical(absolute$loss, "absolute")
  }
})

test_that("the machine of a constant with the absolute loss is the median", {
  y <- c(1, 2, 3, 10, 50)
  X <- matrix(0, 5)
  model <- dg_svm(X, y, rep("a", 5), loss = "absolute", cost = 10, intercept = TRUE, scale = "none",
                  kernel = kernel_linear(), domain_kernel = domain_pooled())
  expect_equal(unname(fitted(model)), rep(3, 5), tolerance = 1e-3)
})

test_that("losses are for classes or for numbers", {
  toy <- simulate_ellipses(domains = 3, n = 10, seed = 1)
  expect_domgen_error(dg_svm(y ~ . | domain, data = toy, loss = "absolute"),
                      "when the response is classes", "domgen_error_argument")
})

test_that("epsilon is nothing to the absolute loss", {
  toy <- simulate_dica(domains = 5, n = 20, seed = 1)
  cost <- vapply(c(0, 0.1, 1), function(epsilon) {
    dg_svm(y ~ . | domain, data = toy, loss = "absolute", epsilon = epsilon)$cost
  }, 0)
  expect_identical(cost, rep(cost[1], 3))
  shown <- function(...) {
    paste(capture.output(print(dg_svm(y ~ . | domain, data = toy, ...))), collapse = "\n")
  }
  expect_match(shown(), "epsilon\\s+0.1")
  expect_false(grepl("epsilon", shown(loss = "absolute")))
})

test_that("a loss with straight arms and no kink, as Huber's, has a finite cost of its own", {
  huber <- new_loss("number", function(y, f, par, width) {
    r <- f - y
    inside <- abs(r) <= par$epsilon
    list(value = ifelse(inside, r^2 / 2, par$epsilon * (abs(r) - par$epsilon / 2)),
         slope = pmin(pmax(r, -par$epsilon), par$epsilon), curvature = inside + 0)
  })
  chosen <- list(lambda = 4, slope = 0.1)
  cost <- function(loss, epsilon) {
    choose_cost(list(epsilon = epsilon), loss, chosen)$cost
  }
  # the pull of residuals is that of a loss of slope 1
  expect_equal(cost(huber, 0.5) * 0.5, cost(loss_absolute(), 0))
  expect_equal(cost(loss_squared_epsilon_insensitive(), 2), 1 / 8)
})

test_that("a tube is that of the loss: where it is 0, and its slopes below and above", {
  set.seed(11)
  losses <- Filter(function(loss) !is.null(loss$tube), losses_of("dg_svm"))
  expect_setequal(names(losses), c("hinge", "squared_hinge", "epsilon_insensitive",
                                   "squared_epsilon_insensitive", "absolute"))
  for (name in names(losses)) for (draw in 1:20) {
    loss <- losses[[name]]
    y <- if ("class" %in% loss$kinds) sample(c(-1, 1), 5, TRUE) else rnorm(5)
    costs <- rexp(5)
    par <- list(epsilon = rexp(1))
    tube <- lapply(loss$tube(y, costs, par), rep_len, 5)
    slope <- function(f) costs * loss$smooth(y, f, par, 1e-9)$slope
    inside <- y + runif(5, -1, 1) * 0.99 * tube$epsilon
    if (any(tube$epsilon > 0)) expect_equal(loss$smooth(y, inside, par, 1e-9)$value, numeric(5))
    # so far outside that the slope of a square is that of the tube
    far <- tube$epsilon + if (loss$squared) 0.5 else rexp(5)
    expect_equal(slope(y - far), -tube$high, info = name)
    expect_equal(slope(y + far), -tube$low, info = name)
  }
})
