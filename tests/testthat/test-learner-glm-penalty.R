# The penalty that is chosen by fits without domains, against fits that are written out.
counts <- with_seed(3, {
  x <- rnorm(60)
  data.frame(x, g = factor(rep(1:6, 10)), y = rpois(60, exp(1 + x)))
})

test_that("the chosen lambda has the least deviance of domains that are left out", {
  # one width, a kernel that no row changes, and no scaling: the folds are those of the fit
  fit_at <- function(data, lambda = NULL) {
    dg_glm(y ~ x | g, data = data, family = poisson(), lambda = lambda, kernel = kernel_rbf(1),
           domain_kernel = domain_pooled(), scale = "none")
  }
  base <- poisson()
  total <- nrow(counts) * mean(counts$y)
  lambdas <- total * 10^seq(-5, 1, by = 0.5)
  left_out <- vapply(lambdas, function(lambda) {
    sum(vapply(levels(counts$g), function(g) {
      held <- counts$g == g
      mu <- predict(fit_at(droplevels(counts[!held, ]), lambda), counts[held, ])
      sum(base$dev.resids(counts$y[held], mu, rep(1, sum(held))))
    }, numeric(1)))
  }, numeric(1))
  # a path with one minimum, so that where it stops makes no difference
  least <- which.min(left_out)
  expect_true(all(diff(left_out[seq_len(least)]) < 0) && all(diff(left_out[least:13]) > 0))
  expect_equal(fit_at(counts)$lambda, lambdas[least], tolerance = 1e-6)
})

test_that("gaussian responses keep the penalty of ridge regression", {
  expect_equal(dg_glm(y ~ x | g, data = counts, family = gaussian())$lambda,
               dg_ridge(y ~ x | g, data = counts, intercept = TRUE)$lambda, tolerance = 1e-6)
})

test_that("several classes and classes in an order have one too, also where a fold lacks a class", {
  rare <- transform(counts, size = cut(y + 40 * (g == 1 & seq_along(g) < 8),
                                       c(-1, 1, 39, 99), c("a", "b", "c")))
  for (family in c("multinomial", "ordinal")) {
    model <- dg_glm(size ~ x | g, data = rare, family = family)
    expect_true(is.finite(model$lambda) && all(model$converged), label = family)
    expect_gt(1 - deviance(model) / model$null_deviance, 0.05)
  }
})

test_that("counts of epileptic seizures are near what glm() gives on domains that are left out", {
  skip_if_not_installed("MASS")
  epil <- transform(MASS::epil, subject = factor(subject))
  # three folds differ by as much as 2
  found <- with_seed(1, dg_cv(dg_glm(family = poisson()), y ~ lbase + trt + lage + V4 | subject,
                              data = epil, folds = 3, metric = metric_deviance(poisson),
                              progress = FALSE))
  # with the quadratic approximation alone 9.6, in 8 folds
  expect_lt(found$mean, 8)
})

test_that("a lambda is found for large counts that hardly differ", {
  expect_identical(simplest_best(c(-1e-8, -1e-7, 3)), 2L)
  d <- with_seed(3, data.frame(g = rep(1:6, each = 10), x = rnorm(60)))
  d$y <- rep(c(1e9, 1e9 + 5), 30)
  model <- expect_no_warning(dg_glm(y ~ x | g, data = d, family = poisson()))
  expect_true(all(is.finite(fitted(model))))
})

test_that("a deviance that rises before it falls does not end the search for lambda", {
  # the mean is exp(x b): at the constants the working weights say nothing of large means
  world <- with_seed(15, {
    g <- rep(1:8, each = 15)
    x <- rnorm(120) + rnorm(8)[g]
    data.frame(g = factor(g), x, y = exp(1.5 * x + 0.3 * rnorm(8)[g]) + rnorm(120))
  })
  fit <- function(rows, ...) {
    dg_glm(y ~ x | g, data = droplevels(world[rows, ]), family = gaussian("log"),
           kernel = kernel_linear(), domain_kernel = domain_pooled(), ...)
  }
  held <- function(lambda) {
    sum(vapply(levels(world$g), function(left) {
      rows <- world$g != left
      sum((world$y - predict(fit(rows, lambda = lambda), world))[!rows]^2)
    }, 0))
  }
  some <- vapply(nrow(world) * 10^c(-4, -2, 0, 2), held, 0)
  expect_lt(held(fit(TRUE)$lambda), 1.2 * min(some))
})

test_that("a fit that stands at the edge of where there is a mean ends there, with a warning", {
  set.seed(1)
  toy <- data.frame(x = rnorm(60), domain = rep(letters[1:5], 12))
  toy$y <- rpois(60, exp(toy$x - 1))
  expect_warning(model <- dg_glm(y ~ x | domain, data = toy, lambda = 0.01,
                                 family = quasipoisson("sqrt")),
                 "stopped after", class = "domgen_warning_convergence")
  expect_lt(model$iterations, 50)
  expect_true(all(model$decision > 0))
})

test_that("fits without each group of rows, all at once, are those to the other rows", {
  set.seed(2)
  n <- conjugate_rows
  rows <- list(X = matrix(rnorm(2 * n), n), left_out = factor(rep(1:4, n / 4)))
  K <- exp(-as.matrix(dist(rows$X))^2 / 2)
  classes <- factor(ifelse(rows$X[, 1L] > 1, "a", ifelse(rnorm(n) > 0, "b", "c")))
  responses <- list(poisson = rpois(n, exp(rows$X[, 1L])), multinomial = classes)
  for (name in names(responses)) {
    family <- check_family(name, "family")
    loss <- family_loss(family)
    Y <- loss$targets(responses[[name]])
    task <- list(loss = loss, par = family, Y = Y, costs = rep(c(1, 2), n / 2),
                 constant = loss$constant(Y, rep(1, n), NULL))
    unknown <- rep(c(TRUE, FALSE), c(3, n - 3))
    held <- outer(rows$left_out, levels(rows$left_out), "==")
    fit <- refit_starts(K, task, !held)[[1L]]
    fit$scored <- c(task$costs * (held & !unknown))
    for (lambda in c(1, 0.1)) {
      args <- list(lambda = lambda, intercept = TRUE)
      fit <- refit_held(fit, args)
      alone <- vapply(levels(rows$left_out), function(g) {
        held <- rows$left_out == g
        own <- train_glm(gram_data(K[!held, !held]), task_of_rows(task, !held), args)
        scored <- which(held & !unknown)
        values <- add_intercept(K[scored, !held] %*% own$coefficients, own$intercept)
        glm_deviance(task_of_rows(task, scored), values)
      }, 0)
      expect_equal(fit$deviance, sum(alone), tolerance = 1e-3, label = paste(name, lambda))
    }
  }
})

test_that("all classes in the same steps give the probabilities of a class at a time", {
  set.seed(4)
  n <- conjugate_rows
  K <- exp(-as.matrix(dist(matrix(rnorm(2 * n), n)))^2 / 2)
  Y <- outer(sample(3L, n, TRUE, c(0.7, 0.2, 0.1)), 1:3, "==") + 0
  loss <- loss_multinomial()
  for (intercept in c(TRUE, FALSE)) for (cost in c(0.1, 100)) {
    problem <- list(Y = Y, start = 0 * Y, loss = loss, costs = rep(cost * c(1, 0, 2, 1), n / 4),
                    args = list(intercept = intercept, tolerance = 1e-8, max_iterations = 0))
    joint <- solve_classes(c(problem, list(data = gram_data(K))))
    whole <- structure(list(K = K), class = "gram_data")
    rounds <- solve_classes(c(problem, list(data = whole)))
    expect_true(joint$converged)
    expect_lt(joint$iterations, 20L)
    expect_equal(joint$decision, rounds$decision, tolerance = 1e-5)
    # the slope of the objective is 0
    p <- class_shares(joint$decision)
    expect_equal(joint$coefficients, problem$costs * (Y - p), tolerance = 1e-7)
    if (intercept) expect_equal(colSums(joint$coefficients), numeric(3), tolerance = 1e-8)
  }
})

# f = 0 is possible, and what is best under a penalty is better than another fit under a smaller one.
test_that("with any family, penalty and number of rows the objective is what its minimum can be", {
  families <- list(
    binary = function(f) factor(f + rlogis(length(f)) > 0),
    several = function(f) cut(f + rnorm(length(f)), c(-Inf, -1, 0, 1, Inf), labels = letters[1:4]),
    counts = function(f) rpois(length(f), exp(f / 2)),
    positive = function(f) exp(f / 2) * rexp(length(f))
  )
  fits <- list(
    binary = function(f, data, l, ...) dg_glm(f, data = data, lambda = l, ...),
    probit = function(f, data, l, ...) {
      dg_glm(f, data = data, lambda = l, family = binomial("probit"), ...)
    },
    several = function(f, data, l, ...) dg_glm(f, data = data, lambda = l, ...),
    ordinal = function(f, data, l, ...) {
      dg_glm(f, data = data, lambda = l, family = "ordinal", ...)
    },
    counts = function(f, data, l, ...) {
      dg_glm(f, data = data, lambda = l, family = poisson(), ...)
    },
    positive = function(f, data, l, ...) {
      dg_glm(f, data = data, lambda = l, family = Gamma("log"), ...)
    }
  )
  responses <- c(binary = "binary", probit = "binary", several = "several", ordinal = "several",
                 counts = "counts", positive = "positive")
  with_seed(8L, for (draw in 1:(if (long_form()) 60 else 8)) {
    name <- names(fits)[(draw - 1) %% length(fits) + 1]
    data <- data.frame(x = rnorm(260), z = rexp(260)^sample(c(1, 3), 1), g = rep(1:10, 26))
    data$y <- families[[responses[[name]]]](data$x + sin(3 * data$z))
    if (name == "ordinal") data$y <- factor(data$y, ordered = TRUE)
    kernel <- list(kernel_rbf(1), kernel_linear(), kernel_rbf(0.3))[[sample(3, 1)]]
    map <- list(features_exact(), features_nystrom(30))[[sample(2, 1)]]
    lambdas <- 10^(-6:0)
    # the same landmarks
    models <- quietly(lapply(lambdas, function(l) with_seed(9L, {
      fits[[name]](y ~ x + z | g, data, l, kernel = kernel, domain_kernel = domain_pooled(),
                   feature_map = map)
    })))
    label <- paste(draw, name, format(kernel), class(map)[1L])
    deviance <- vapply(models, `[[`, 0, "deviance")
    expect_lte(max(deviance), models[[1L]]$null_deviance * (1 + 1e-8), label = label)
    expect_gte(min(diff(deviance) / deviance[-1L]), -1e-6, label = label)
  })
})
