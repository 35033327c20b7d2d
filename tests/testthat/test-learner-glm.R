# Generalised linear models against stats::glm, glmnet and a Newton method that is written out.
skip_on_cran() # long

glm_rows <- function(n = 120, domains = 6, seed = 1) {
  with_seed(seed, {
    X <- matrix(rnorm(3 * n), n, dimnames = list(NULL, paste0("x", 1:3)))
    eta <- drop(X %*% c(0.5, -0.3, 0.2)) + 0.3
    data.frame(X, g = factor(rep_len(seq_len(domains), n)), number = eta + rnorm(n),
               two = factor(ifelse(runif(n) < plogis(eta), "b", "a")), count = rpois(n, exp(eta)),
               amount = rgamma(n, 2, 2 / exp(eta)), weight = rep_len(1:3, n))
  })
}
rows <- glm_rows()
plain <- function(formula, family, lambda = 3, data = rows, ...) {
  dg_glm(formula, data = data, family = family, lambda = lambda, kernel = kernel_linear(),
         domain_kernel = domain_pooled(), scale = "none", ...)
}
link_of <- function(model, data = rows) unname(predict(model, data, type = "decision"))

# sum_i c_i d_i + lambda |w|^2 with eta = b + X w, by steps of Fisher scoring written out.
naive_glm <- function(X, y, c, lambda, base, steps = 100) {
  Z <- cbind(1, X)
  D <- diag(c(0, rep(lambda, ncol(X))))
  theta <- c(base$linkfun(weighted.mean(y, c)), rep(0, ncol(X)))
  for (step in seq_len(steps)) {
    eta <- drop(Z %*% theta)
    mu <- base$linkinv(eta)
    w <- c * base$mu.eta(eta)^2 / base$variance(mu)
    z <- eta + (y - mu) / base$mu.eta(eta)
    theta <- solve(crossprod(Z, w * Z) + D, crossprod(Z, w * z))
  }
  drop(Z %*% theta)
}
X <- as.matrix(rows[1:3])

test_that("a linear kernel gives the penalised regression that is written out, in every family", {
  cases <- list(
    two = list(binomial(), binomial("probit"), binomial("cloglog"), binomial("cauchit")),
    count = list(poisson(), quasipoisson("sqrt"), quasi("log", "mu")),
    amount = list(Gamma("log"), inverse.gaussian("log"), quasi("log", "mu^2")),
    number = list(gaussian())
  )
  for (response in names(cases)) for (base in cases[[response]]) {
    y <- rows[[response]]
    if (is.factor(y)) y <- as.integer(y) - 1
    f <- as.formula(paste(response, "~ x1 + x2 + x3 | g"))
    expected <- naive_glm(X, y, rows$weight, 3, base)
    for (features in list(features_exact(), features_linear())) {
      model <- plain(f, base, weights = rows$weight, feature_map = features)
      label <- paste(response, base$family, base$link)
      expect_equal(link_of(model), expected, tolerance = 1e-7, label = label)
      expect_equal(unname(as.vector(model$decision)), expected, tolerance = 1e-7, label = label)
    }
  }
})

test_that("without a penalty it is stats::glm(), with its deviances and residuals", {
  for (base in list(binomial(), poisson(), Gamma("log"), gaussian())) {
    response <- c(binomial = "two", poisson = "count", Gamma = "amount", gaussian = "number")
    response <- response[[base$family]]
    f <- function(bar) as.formula(paste(response, "~ x1 + x2 + x3", bar))
    model <- plain(f("| g"), base, lambda = 1e-6)
    oracle <- glm(f(""), base, rows, control = list(epsilon = 1e-14, maxit = 100))
    expect_equal(link_of(model, rows), unname(predict(oracle)), tolerance = 1e-6)
    expect_equal(deviance(model), deviance(oracle), tolerance = 1e-6)
    expect_equal(model$null_deviance, oracle$null.deviance, tolerance = 1e-10)
    if (response == "two") next
    for (type in c("response", "deviance", "pearson")) {
      expect_equal(residuals(model, type), unname(residuals(oracle, type)), tolerance = 1e-5)
    }
  }
})

test_that("glmnet has the same ridge regressions, with lambda / n", {
  skip_if_not_installed("glmnet")
  rows$three <- cut(rows$number, c(-Inf, -0.2, 0.8, Inf), c("u", "v", "w"))
  far <- function(y, family) {
    glmnet::glmnet(X, y, family, alpha = 0, lambda = 3 / nrow(X), standardize = FALSE,
                   thresh = 1e-16, maxit = 1e7)
  }
  expect_equal(link_of(plain(two ~ x1 + x2 + x3 | g, binomial)),
               unname(drop(predict(far(rows$two, "binomial"), X))), tolerance = 1e-7)
  expect_equal(link_of(plain(count ~ x1 + x2 + x3 | g, poisson)),
               unname(drop(predict(far(rows$count, "poisson"), X))), tolerance = 1e-7)
  expected <- predict(far(rows$three, "multinomial"), X, type = "response")[, , 1]
  for (features in list(features_exact(), features_linear())) {
    model <- plain(three ~ x1 + x2 + x3 | g, "multinomial", data = rows, feature_map = features)
    expect_equal(predict(model, rows, type = "prob"), expected, tolerance = 1e-6,
                 ignore_attr = TRUE)
    expect_equal(rowSums(model$coefficients), rep(0, nrow(model$coefficients)), tolerance = 1e-8)
  }
})

test_that("mgcv has the same regressions, with lambda as the smoothing parameter of a ridge", {
  skip_if_not_installed("mgcv")
  for (base in list(poisson(), Gamma("log"), binomial())) {
    rows$y <- switch(base$family, poisson = rows$count, Gamma = rows$amount, rows$two == "b")
    far <- mgcv::gam(y ~ X, base, rows, rows$weight, paraPen = list(X = list(diag(3), sp = 3)),
                     control = mgcv::gam.control(epsilon = 1e-14, maxit = 500))
    model <- plain(y ~ x1 + x2 + x3 | g, base, data = transform(rows, y = as.numeric(y)),
                   weights = rows$weight)
    expect_equal(link_of(model), as.vector(predict(far)), tolerance = 1e-7, label = base$family)
    expect_equal(deviance(model), deviance(far), tolerance = 1e-7, label = base$family)
  }
})

test_that("gaussian is the ridge regression with an offset and the same lambda", {
  for (weights in c("size", "equal")) {
    model <- dg_glm(number ~ x1 + x2 + x3 | g, data = rows, lambda = 2, domain_weights = weights)
    ridge <- dg_ridge(number ~ x1 + x2 + x3 | g, data = rows, lambda = 2, intercept = TRUE,
                      domain_weights = weights)
    expect_equal(fitted(model), fitted(ridge), tolerance = 1e-12)
    expect_equal(predict(model, rows), predict(ridge, rows), tolerance = 1e-12)
  }
  model <- dg_glm(number ~ x1 + x2 + x3 | g, data = rows)
  ridge <- dg_ridge(number ~ x1 + x2 + x3 | g, data = rows, intercept = TRUE)
  expect_equal(model$lambda, ridge$lambda, tolerance = 1e-10)
  expect_equal(dg_cv(model)$domains, dg_cv(ridge)$domains, tolerance = 1e-6)
})

test_that("two classes as multinomial and binomial are the same with half the penalty", {
  model <- dg_glm(two ~ x1 + x2 + x3 | g, data = rows, lambda = 2)
  both <- dg_glm(two ~ x1 + x2 + x3 | g, data = rows, lambda = 4, family = "multinomial")
  expect_equal(predict(both, rows, type = "prob"), predict(model, rows, type = "prob"),
               tolerance = 1e-7)
  logistic <- dg_svm(two ~ x1 + x2 + x3 | g, data = rows, cost = 1, loss = "logistic",
                     intercept = TRUE, domain_weights = "size", tolerance = 1e-8)
  same <- dg_glm(two ~ x1 + x2 + x3 | g, data = rows, lambda = 1)
  expect_equal(link_of(same), unname(predict(logistic, rows, type = "decision")), tolerance = 1e-7)
})

test_that("a gradient of 0 is where all functions of several classes stop, on any kernel", {
  flowers <- transform(iris, site = factor(rep_len(1:5, 150)))
  for (lambda in c(1e-3, 1)) {
    model <- dg_glm(Species ~ . | site, data = flowers, lambda = lambda)
    p <- predict(model, flowers, type = "prob")
    y <- outer(as.integer(flowers$Species), 1:3, "==")
    # lambda alpha = y - p
    expect_equal(unname(lambda * model$coefficients), unname(y - p), tolerance = 1e-4)
    expect_equal(unname(colSums(y - p)), rep(0, 3), tolerance = 1e-4)
    expect_true(model$converged[1L])
  }
})

test_that("shares with sizes as weights, and rates with exposures, are known offsets", {
  n <- rows$weight * 5
  cases <- with_seed(3, rbinom(nrow(rows), n, plogis(0.5 * rows$x1)))
  counts <- with_seed(4, rpois(nrow(rows), n * exp(0.5 * rows$x1)))
  shared <- transform(rows, share = cases / n, rate = counts / n, n = n, counts = counts)
  oracle <- glm(cbind(cases, n - cases) ~ x1 + x2, binomial, rows)
  expect_equal(link_of(plain(share ~ x1 + x2 | g, "binomial", 1e-6, shared,
                             weights = shared$n), shared),
               unname(predict(oracle)), tolerance = 1e-5)
  rates <- plain(rate ~ x1 + x2 | g, "poisson", 1e-6, shared, weights = shared$n)
  oracle <- glm(counts ~ x1 + x2 + offset(log(n)), poisson, shared)
  expect_equal(n * predict(rates, shared), unname(fitted(oracle)), tolerance = 1e-5)
  oracle <- glm(amount ~ x1 + x2 + offset(log(weight)), Gamma("log"), rows,
                control = list(epsilon = 1e-12))
  divided <- plain(ratio ~ x1 + x2 | g, Gamma("log"), 1e-6,
                   transform(rows, ratio = amount / weight))
  expect_equal(rows$weight * fitted(divided), unname(fitted(oracle)), tolerance = 1e-5)
})

test_that("the deviance of means is that of base R, and infinite where there is no mean", {
  at <- function(metric, truth, prediction) {
    score(list(truth = truth, prediction = prediction), metric)
  }
  mu <- exp(rows$x1)
  for (base in list(poisson(), gaussian(), quasi("log", "mu^2"))) {
    expect_equal(at(metric_deviance(base), rows$amount, mu),
                 mean(base$dev.resids(rows$amount, mu, rep(1, 120))))
  }
  p <- plogis(rows$x1)
  y <- as.integer(rows$two) - 1
  expect_equal(at(metric_deviance("binomial"), y, p), -2 * mean(log(ifelse(y == 1, p, 1 - p))))
  expect_identical(at(metric_deviance(poisson), c(1, 2), c(1, -1)), Inf)
  expect_identical(at(metric_deviance(poisson), c(0, 2), c(0, 2)), 0)
})

test_that("classes in an order are those of MASS::polr(), and stop at a gradient of 0", {
  skip_if_not_installed("MASS")
  houses <- MASS::housing
  houses <- houses[rep(seq_len(nrow(houses)), houses$Freq), ]
  houses$g <- factor(rep_len(1:9, nrow(houses)))
  houses <- houses[seq(1, nrow(houses), by = 5), ]
  oracle <- MASS::polr(Sat ~ Infl + Type + Cont, data = houses,
                       control = list(reltol = 1e-15, maxit = 1000))
  expect_no_message <- function(code) expect_message(code, NA)
  for (features in list(features_exact(), features_linear())) {
    expect_no_message(model <- dg_glm(
      Sat ~ Infl + Type + Cont | g, data = houses, family = "ordinal", lambda = 1e-5,
      kernel = kernel_linear(), domain_kernel = domain_pooled(), feature_map = features
    ))
    expect_equal(predict(model, houses, type = "prob"), fitted(oracle), tolerance = 1e-5,
                 ignore_attr = TRUE)
    expect_equal(deviance(model), deviance(oracle), tolerance = 1e-8)
  }
  # with a penalty, in other words: lambda alpha is minus the slope, the thresholds' sums are 0
  model <- dg_glm(Sat ~ Infl + Type + Cont | g, data = houses, family = "ordinal", lambda = 0.1,
                  kernel = kernel_rbf(2))
  P <- cbind(0, t(apply(predict(model, houses, type = "prob"), 1, cumsum)))
  code <- as.integer(houses$Sat)
  below <- P[cbind(seq_along(code), code)]
  above <- P[cbind(seq_along(code), code + 1)]
  expect_equal(drop(model$coefficients) * 0.1, below + above - 1, tolerance = 1e-4,
               ignore_attr = TRUE)
  expect_equal(predict(model, houses), fitted(model))
  expect_identical(levels(predict(model)), levels(houses$Sat))
  expect_equal(unname(exp(predict(model, houses, type = "decision"))),
               unname(predict(model, houses, type = "prob")), tolerance = 1e-12)
  # two of them are the logistic regression with a constant
  two <- dg_glm(two ~ x1 + x2 | g, data = rows, family = "ordinal", lambda = 1)
  expect_equal(predict(two, rows, type = "prob"),
               predict(dg_glm(two ~ x1 + x2 | g, data = rows, lambda = 1), rows, type = "prob"),
               tolerance = 1e-6)
  expect_error(dg_glm(count ~ x1 | g, data = rows, family = "ordinal"), "must be classes")
  expect_error(dg_glm(family = "ordinal", intercept = FALSE, two ~ x1 | g, data = rows), "thresholds")
})

test_that("a row of weight 0 is not there, and one of weight 2 is there twice", {
  w <- rep_len(0:2, nrow(rows))
  twice <- rows[rep(seq_len(nrow(rows)), w), ]
  rows$three <- cut(rows$number, c(-Inf, -0.2, 0.8, Inf), c("u", "v", "w"))
  twice$three <- rows$three[rep(seq_len(nrow(rows)), w)]
  for (response in c("two", "count", "amount", "three")) {
    f <- as.formula(paste(response, "~ x1 + x2 | g"))
    family <- c(two = "binomial", count = "poisson", amount = "quasipoisson",
                three = "multinomial")[[response]]
    fit_to <- function(...) {
      dg_glm(f, family = family, lambda = 0.5, kernel = kernel_rbf(1.5), scale = "none",
             domain_kernel = domain_pooled(), ...)
    }
    one <- fit_to(data = rows, weights = w)
    other <- fit_to(data = twice)
    expect_equal(predict(one, rows, type = "decision"), predict(other, rows, type = "decision"),
                 tolerance = 1e-6, label = response)
    expect_equal(deviance(one), deviance(other), tolerance = 1e-6)
  }
  ordered <- function(...) {
    dg_glm(three ~ x1 + x2 | g, family = "ordinal", lambda = 0.5, kernel = kernel_rbf(1.5),
           scale = "none", domain_kernel = domain_pooled(), ...)
  }
  expect_equal(predict(ordered(data = rows, weights = w), rows, type = "prob"),
               predict(ordered(data = twice), rows, type = "prob"), tolerance = 1e-6)
})

test_that("negative binomial counts are those of MASS::glm.nb(), with its dispersion", {
  skip_if_not_installed("MASS")
  rows$count <- with_seed(1, rnbinom(nrow(rows), mu = exp(rows$weight / 4 + rows$x1), size = 1.5))
  formula <- count ~ x1 + x2 + offset(weight / 4)
  direct <- MASS::glm.nb(formula, rows)
  model <- plain(count ~ x1 + x2 + offset(weight / 4) | g, "nbinom2", lambda = 1e-8, data = rows)
  expect_equal(model$family$theta, direct$theta, tolerance = 1e-5)
  expect_equal(link_of(model, rows), unname(predict(direct)), tolerance = 1e-5)
  expect_equal(model$deviance, deviance(direct), tolerance = 1e-5)
  # beside an offset the constant is that of poisson()
  expect_equal(model$null_deviance, direct$null.deviance, tolerance = 1e-3)
  for (type in c("deviance", "pearson")) {
    expect_equal(residuals(model, type = type), residuals(direct, type), tolerance = 1e-4,
                 ignore_attr = TRUE)
  }
  # with a variance that is Poisson's
  even <- transform(rows, count = rep_len(0:4, nrow(rows)))
  expect_equal(link_of(plain(count ~ x1 | g, "nbinom2", data = even), even),
               link_of(plain(count ~ x1 | g, "poisson", data = even), even), tolerance = 1e-4)
  w <- rep_len(0:2, nrow(rows))
  twice <- rows[rep(seq_len(nrow(rows)), w), ]
  expect_equal(link_of(plain(count ~ x1 | g, "nbinom2", data = rows, weights = w)),
               link_of(plain(count ~ x1 | g, "nbinom2", data = twice)), tolerance = 1e-4)
  expect_output(print(model), "nbinom2(log), theta = ", fixed = TRUE)
  expect_lt(max(dg_cv(plain(count ~ x1 | g, "nbinom2", data = rows))$one_step$difference), 0.05)
  skip_if_not_installed("glmmTMB")
  expect_identical(dg_glm(family = glmmTMB::nbinom2)$args$family,
                   dg_glm(family = "nbinom2")$args$family)
  expect_identical(dg_mixed(family = "nbinom2")$args$family, dg_glm(family = "nbinom2")$args$family)
  expect_domgen_error(metric_deviance("nbinom2"), "must be one of base R's", "domgen_error_argument")
})

test_that("the closed form is one Newton step from the fit, and says how far it is from the fit without", {
  model <- dg_glm(count ~ x1 + x2 + x3 | g, data = rows, family = poisson, lambda = 2,
                  kernel = kernel_rbf(2), scale = "none", domain_kernel = domain_pooled())
  left <- with_replaced("compared_domains", 6L, dg_cv(model))
  K <- kernel_matrix(kernel_rbf(2), X)
  mu <- fitted(model)
  z <- drop(model$decision) + (rows$count - mu) / mu
  step <- numeric(nrow(rows))
  for (name in levels(rows$g)) {
    held <- rows$g == name
    A <- rbind(cbind(K[!held, !held] + diag(2 / mu[!held]), 1), c(rep(1, sum(!held)), 0))
    solved <- solve(A, c(z[!held], 0))
    step[held] <- cbind(K[held, !held], 1) %*% solved
  }
  found <- left$predictions$decision[order(left$predictions$row)]
  expect_equal(found, step, tolerance = 1e-7)
  refits <- unsplit(lapply(levels(rows$g), function(name) {
    rest <- update(model, data = subset(rows, g != name))
    predict(rest, subset(rows, g == name), type = "decision")
  }), rows$g)
  size <- function(v) sqrt(tapply(v^2, rows$g, mean))
  order <- match(left$one_step$domain, levels(rows$g))
  expect_equal(left$one_step$difference, as.vector(size(step - refits)[order]), tolerance = 1e-5)
  expect_equal(left$one_step$change, as.vector(size(drop(model$decision) - refits)[order]),
               tolerance = 1e-5)
  expect_lt(max(left$one_step$difference / left$one_step$change), 0.5)
  expect_output(print(left), "of the Newton\\s+step")
  # on features the same, from sums
  line <- dg_glm(count ~ x1 + x2 + x3 | g, data = rows, family = poisson, lambda = 2,
                 kernel = kernel_linear(), domain_kernel = domain_pooled())
  fast <- update(line, feature_map = features_linear())
  of_all <- function(model) with_replaced("compared_domains", 6L, dg_cv(model)$one_step)
  expect_equal(of_all(fast), of_all(line), tolerance = 1e-5)
})

test_that("the closed form of several classes is near the fits without, on kernels and on features", {
  world <- with_seed(2, {
    g <- factor(rep(1:6, each = 20))
    d <- data.frame(x1 = rnorm(120) + rnorm(6)[g], x2 = rnorm(120), g = g)
    u <- d$x1 + sin(d$x2) + rnorm(6, sd = 0.5)[g] + rlogis(120)
    transform(d, class = cut(u, c(-Inf, -1, 0.5, 2, Inf), labels = letters[1:4]))
  })
  most <- c(multinomial = 0.15, ordinal = 0.45)
  for (family in names(most)) {
    model <- dg_glm(class ~ x1 + x2 | g, data = world, family = family, lambda = 2,
                    kernel = kernel_rbf(2), scale = "none", domain_kernel = domain_pooled())
    left <- with_replaced("compared_domains", 6L, dg_cv(model))
    ratio <- left$one_step$difference / left$one_step$change
    expect_lt(max(ratio), most[family])
    expect_lt(median(ratio), most[family] * 0.75)
    # what is held against the step is the fit without the domain
    held <- world$g == 2
    refit <- predict(update(model, data = world[!held, ]), world[held, ], type = "decision")
    change <- sqrt(mean((predict(model, world[held, ], type = "decision") - refit)^2))
    expect_equal(left$one_step$change[left$one_step$domain == "2"], change, tolerance = 1e-5)
    # and scores of decision values are those of the step
    step <- sqrt(mean((left$predictions$decision[held, ] - refit)^2))
    expect_equal(left$one_step$difference[left$one_step$domain == "2"], step, tolerance = 1e-5)
    line <- update(model, kernel = kernel_linear(), lambda = 1)
    fast <- update(line, feature_map = features_linear())
    expect_equal(dg_cv(fast)$one_step, dg_cv(line)$one_step, tolerance = 1e-4)
  }
})

test_that("with a kernel between domains the closed form needs no more than the fit", {
  for (features in list(features_exact(), features_nystrom(40), features_product())) {
    model <- with_seed(1, dg_glm(two ~ x1 + x2 + x3 | g, data = rows, feature_map = features,
                                 lambda = 1))
    left <- dg_cv(model)
    expect_lt(max(left$one_step$difference / left$one_step$change), 0.5)
    expect_identical(nrow(left$domains), 6L)
  }
})

test_that("the chosen lambda shrinks to the constant what says nothing, and keeps what does", {
  set <- function(strength) with_seed(5, {
    x <- rnorm(200)
    data.frame(x, g = factor(rep(1:8, 25)), y = rpois(200, exp(1 + strength * x)))
  })
  nothing <- dg_glm(y ~ x | g, data = set(0), family = poisson)
  much <- dg_glm(y ~ x | g, data = set(0.6), family = poisson)
  expect_lt(diff(range(nothing$decision)), 0.3)
  expect_gt(1 - deviance(much) / much$null_deviance, 0.3)
  expect_output(print(much), "chosen on held-out domains")
})

test_that("known answers: separation, huge counts, far predictors, tiny and huge penalties", {
  apart <- transform(rows, two = factor(ifelse(x1 > 0, "b", "a")))
  for (lambda in c(1e-6, 1e-3, 1e6)) {
    model <- dg_glm(two ~ x1 + x2 | g, data = apart, lambda = lambda)
    expect_true(model$converged)
    expect_true(all(is.finite(model$decision)))
  }
  expect_equal(predict(model, apart, type = "prob")[, "b"], rep(mean(apart$two == "b"), 120),
               tolerance = 1e-4, ignore_attr = TRUE)
  huge <- transform(rows, count = round(exp(3 * x1 + 12)))
  model <- plain(count ~ x1 | g, "poisson", 1e-3, huge)
  expect_equal(link_of(model, huge), log(huge$count + 1e-9), tolerance = 1e-3)
  one <- transform(rows, count = replace(rep(0, 120), 7, 1e9))
  expect_true(plain(count ~ x1 | g, "poisson", 1, one)$converged)
  none <- transform(rows, count = 0)
  expect_lt(max(predict(plain(count ~ x1 | g, "poisson", 1, none), none)), 1e-3)
  far <- transform(rows, x1 = x1 + 1e6)
  expect_equal(link_of(plain(count ~ x1 | g, "poisson", 1, far), far),
               link_of(plain(count ~ x1 | g, "poisson", 1)), tolerance = 1e-6)
  heavy <- plain(count ~ x1 | g, "poisson", 1e200, rows, weights = 1e200 * rows$weight)
  expect_equal(link_of(heavy), link_of(plain(count ~ x1 | g, "poisson", 1, weights = rows$weight)),
               tolerance = 1e-8)
  for (base in list(Gamma("inverse"), inverse.gaussian(), poisson("identity"), Gamma("identity"))) {
    response <- if (base$family == "poisson") count + 1 ~ x1 + x2 | g else amount ~ x1 + x2 | g
    model <- plain(response, base, 5)
    expect_true(model$converged)
    expect_true(all(predict(model, rows) > 0))
  }
})

test_that("domains that are left out are predicted better than by the null model, on real herds", {
  skip_if_not_installed("lme4")
  cbpp <- transform(lme4::cbpp, share = incidence / size)
  spec <- dg_glm(family = "binomial", kernel = kernel_linear(), domain_kernel = domain_pooled())
  cv <- dg_cv(spec, share ~ period | herd, data = cbpp, weights = size,
              metric = metric_deviance(binomial))
  null <- dg_cv(dg_null(), share ~ period | herd, data = cbpp, weights = size, folds = cv$folds,
                metric = metric_deviance(binomial))
  expect_lt(cv$overall, null$overall)
})

test_that("dg_adapt() starts from what the model says and ends at the labels", {
  train <- subset(rows, g != 6)
  new <- transform(subset(rows, g == 6), count = 10 * count)
  model <- dg_glm(count ~ x1 + x2 + x3 | g, data = train, family = poisson, lambda = 1)
  far <- dg_adapt(model, new, count, lambda = 1e9)
  expect_equal(predict(far), predict(model, new), tolerance = 1e-5)
  near <- dg_adapt(model, new, count, lambda = 1e-6)
  expect_equal(predict(near), pmax(new$count, 0), tolerance = 0.05)
  known <- replace(new$count, 11:20, NA)
  some <- dg_adapt(model, new, known)
  expect_lt(mean((predict(some) - new$count)[11:20]^2),
            mean((predict(model, new) - new$count)[11:20]^2))
  two <- dg_glm(two ~ x1 + x2 + x3 | g, data = train, lambda = 1)
  p <- predict(dg_adapt(two, new, two), type = "prob")
  expect_equal(rowSums(p), rep(1, nrow(new)))
  expect_error(dg_adapt(model, new, -count), "0 or more", class = "domgen_error_data")
  expect_error(dg_adapt(model, new, count, cost = 1), "`cost` must not be given")
})

test_that("a chain, a comparison, a tuning and an ensemble take it", {
  chained <- fit(dg_pipeline(dg_kpca(ncomp = 2), dg_glm(family = poisson, lambda = 1)),
                 count ~ x1 + x2 + x3 | g, data = rows)
  expect_true(all(predict(chained, rows) > 0))
  both <- dg_ensemble(list(glm = dg_glm(family = poisson, lambda = 1), null = dg_null()),
                      member_weights = "stacked")
  both <- fit(both, count ~ x1 + x2 + x3 | g, data = rows)
  expect_equal(mean(fitted(both)), mean(rows$count), tolerance = 0.1)
  tuned <- dg_tune(dg_glm(family = poisson), count ~ x1 + x2 + x3 | g, data = rows, folds = 3,
                   grid = list(lambda = c(1, 100)), metric = metric_deviance(poisson),
                   progress = FALSE)
  expect_true(tuned$tuning$best$lambda %in% c(1, 100))
  scored <- dg_cv(dg_glm(lambda = 1), two ~ x1 + x2 | g, data = rows, metric = "log_loss")
  expect_true(scored$mean < log(2) + 0.1)
})

test_that("what a family does not have is refused in words", {
  expect_snapshot(error = TRUE, {
    dg_glm(family = "negative")
    dg_glm(family = 3)
    dg_glm(family = quasi(power(1 / 3)))
    dg_glm(number ~ x1 | g, data = rows, family = poisson)
    dg_glm(number ~ x1 | g, data = rows, family = binomial())
    dg_glm(count ~ x1 | g, data = rows, family = Gamma())
    dg_glm(Species ~ Sepal.Width | Petal.Width, data = iris, family = binomial())
    dg_glm(Species ~ Sepal.Width | Petal.Width, data = iris, family = "poisson")
    dg_glm(count ~ x1 | g, data = rows, family = "multinomial")
    dg_glm(amount ~ x1 | g, data = rows, family = Gamma(), intercept = FALSE)
    residuals(dg_glm(two ~ x1 | g, data = rows, lambda = 1), "deviance")
    metric_deviance("multinomial")
  })
  expect_error(dg_cv(dg_null(), number ~ x1 | g, data = rows, metric = metric_deviance(poisson)),
               "0 or more")
})

test_that("it is printed with its family, deviance and penalty", {
  expect_snapshot({
    plain(count ~ x1 + x2 | g, poisson)
    dg_glm(family = Gamma("log"), lambda = 2)
  })
})

test_that("no rows are predicted by every family", {
  set.seed(31)
  rows <- data.frame(g = rep(1:4, each = 5), x = rnorm(20))
  rows$y <- factor(rep(c("a", "b"), 10))
  rows$k <- factor(rep(c("a", "b", "c", "a", "b"), 4))
  rows$n <- rpois(20, 2)
  rows$share <- runif(20)
  for (family in c("binomial", "multinomial", "ordinal")) {
    for (response in c("y", if (family != "binomial") "k")) {
      model <- dg_glm(reformulate("x | g", response), data = rows, family = family, lambda = 1)
      classes <- length(unique(rows[[response]]))
      expect_length(predict(model, rows[0, ]), 0)
      expect_identical(dim(predict(model, rows[0, ], type = "prob")), c(0L, classes))
    }
  }
  for (model in list(dg_glm(share ~ x | g, data = rows, family = "binomial", lambda = 1),
                     dg_glm(n ~ x | g, data = rows, family = "poisson", lambda = 1))) {
    expect_identical(predict(model, rows[0, ]), numeric())
  }
})

test_that("rows without a mean under the link are NaN, with a warning of the package", {
  loss <- family_loss(check_family("inverse.gaussian", "family"))
  expect_warning(found <- loss$mean(cbind(c(4, -1, NA, 0.25))), "1 row has no mean",
                 class = "domgen_warning_no_mean")
  expect_identical(found[, 1], c(0.5, NaN, NA, 2))
})

test_that("conjugate gradients give the steps of a factor, with a constant and without", {
  set.seed(1)
  n <- 150
  X <- matrix(rnorm(n * 2), n)
  K <- exp(-as.matrix(dist(X))^2 / 2)
  y <- rpois(n, exp(sin(X[, 1L])))
  family <- check_family("poisson", "family")
  loss <- family_loss(family)
  for (intercept in c(TRUE, FALSE)) for (lambda in c(0.01, 1, 100)) {
    args <- c(list(intercept = intercept, tolerance = 1e-8, max_iterations = 0), family)
    # a start that does not add up to 0, and rows without cost
    costs <- rep(c(0, 1, 2), c(10, 100, 40)) / lambda
    fit <- function(root) newton_gram(list(K = K, root = root), matrix(y), costs, matrix(0, n), loss,
                                      args, matrix(0.01, n))
    by_factor <- fit(NULL)
    by_gradients <- fit(ridge_landmarks_(K, 30L))
    expect_true(by_gradients$converged)
    expect_equal(by_gradients$g + c(by_gradients$b), by_factor$g + c(by_factor$b),
                 tolerance = 1e-8)
    expect_equal(by_gradients$alpha, by_factor$alpha, tolerance = 1e-7)
    expect_lte(abs(by_gradients$iterations - by_factor$iterations), 1)
    if (intercept) expect_lt(abs(sum(by_gradients$alpha)), 1e-8)
  }
})

test_that("the landmarks' root is made where it is asked for, and a Gram matrix may have none", {
  n <- conjugate_rows
  x <- seq_len(n) / 20
  K <- exp(-outer(x, x, "-")^2)
  data <- gram_data(K)
  U <- data$root
  expect_identical(nrow(U), n)
  # UU' is at most K, and K in the landmarks' rows
  left <- diag(K) - rowSums(U^2)
  expect_gt(min(left), -1e-8)
  expect_equal(left[1L], 0, tolerance = 1e-8)
  expect_null(gram_data(K[-1L, -1L])$root)
  expect_null(gram_data(0 * K)$root)
  expect_null(gram_data(-K)$root)
  rows <- data.frame(y = rep(c(0, 1, 1, 3), n / 4), x = 1, g = rep(1:8, n / 8))
  suppressWarnings(model <- dg_glm(y ~ x | g, data = rows, family = "poisson", lambda = 1,
                                   kernel = kernel_linear()))
  expect_equal(unname(fitted(model)), rep(mean(rows$y), n), tolerance = 1e-6)
})

test_that("a family that others call by another name is answered with ours", {
  for (name in names(families_called)) {
    expect_domgen_error(check_family(name, "family"),
                        paste0("did you mean \"", families_called[[name]], "\"\\?"))
  }
  for (name in c("Poisson", "gamma", "BINOMIAL", "gausian")) {
    expect_domgen_error(check_family(name, "family"), "did you mean")
  }
  expect_true(all(families_called %in% c(base_families, names(losses_of("dg_glm")))))
})
