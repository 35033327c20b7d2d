skip_if_not_installed("lme4")
skip_if_not_installed("nlme")
math <- as.data.frame(nlme::MathAchieve)
math$School <- factor(math$School, ordered = FALSE)
math <- droplevels(subset(math, as.integer(School) <= 25))
math$high <- factor(math$MathAch > 15)
strangers <- transform(math[1:5, ], School = "new")

test_that("numbers are those of lmer(), with the effects of known domains", {
  model <- dg_mixed(MathAch ~ SES + Sex | School, data = math)
  direct <- lme4::lmer(MathAch ~ SES + Sex + (1 | School), math)
  expect_equal(coef(model), lme4::fixef(direct), tolerance = 1e-5)
  expect_equal(predict(model, math), unname(predict(direct)), tolerance = 1e-5)
  expect_equal(fitted(model), predict(model, math))
  expect_equal(predict(model, strangers), unname(predict(direct, math[1:5, ], re.form = NA)),
               tolerance = 1e-5)
  expect_equal(predict(model, strangers[names(strangers) != "School"]), predict(model, strangers))
  expect_equal(predict(model, strangers, domain = math$School[1:5]), fitted(model)[1:5])
  expect_equal(model$sigma, sigma(direct), tolerance = 1e-5)
  expect_equal(c(model$random[[1L]]$covariance), c(lme4::VarCorr(direct)$School), tolerance = 1e-4)
})

test_that("slopes may differ too, and the domains' means are contextual effects", {
  model <- dg_mixed(MathAch ~ SES | School, data = math, random = ~ SES)
  direct <- lme4::lmer(MathAch ~ SES + (SES | School), math)
  expect_equal(predict(model, math), unname(predict(direct)), tolerance = 1e-4)
  effects <- as.matrix(lme4::ranef(direct)$School)[rownames(model$random[[1L]]$effects), ]
  expect_equal(unname(model$random[[1L]]$effects), unname(effects), tolerance = 1e-2)
  model <- dg_mixed(MathAch ~ SES | School, data = math, domain_means = TRUE)
  math$mean <- ave(math$SES, math$School)
  direct <- lme4::lmer(MathAch ~ SES + mean + (1 | School), math)
  expect_equal(unname(coef(model)), unname(lme4::fixef(direct)), tolerance = 1e-5)
})

test_that("two classes are those of glmer(), weights those of lme4", {
  model <- dg_mixed(high ~ SES | School, data = math)
  direct <- lme4::glmer(high ~ SES + (1 | School), math, family = binomial)
  expect_equal(predict(model, math, type = "prob")[, "TRUE"], unname(predict(direct, type = "resp")),
               tolerance = 1e-3)
  expect_equal(predict(model, math, type = "decision"),
               stats::qlogis(predict(model, math, type = "prob")[, 2]))
  w <- rep_len(c(1, 3), nrow(math))
  model <- dg_mixed(MathAch ~ SES | School, data = math, weights = w)
  direct <- lme4::lmer(MathAch ~ SES + (1 | School), math, weights = w)
  expect_equal(predict(model, math), unname(predict(direct)), tolerance = 1e-5)
})

test_that("of classes weight k counts as k rows", {
  w <- rep_len(1:3, nrow(math))
  model <- dg_mixed(high ~ SES | School, data = math, weights = w)
  copied <- dg_mixed(high ~ SES | School, data = math[rep(seq_len(nrow(math)), w), ])
  expect_equal(coef(model), coef(copied), tolerance = 1e-4)
  expect_equal(c(model$random[[1L]]$covariance), c(copied$random[[1L]]$covariance),
               tolerance = 1e-3)
})

test_that("the covariance of effects is in the units of the columns", {
  direct <- lme4::lmer(MathAch ~ SES + (SES | School), math)
  V <- matrix(lme4::VarCorr(direct)$School, 2L)
  model <- dg_mixed(MathAch ~ SES | School, data = math, random = ~ SES)
  expect_equal(model$random[[1L]]$covariance, V, ignore_attr = TRUE, tolerance = 1e-2)
  # u0 + u1 s = (u0 - 5 u1 / 3) + u1 / 3 (5 + 3 s)
  far <- dg_mixed(MathAch ~ SES | School, data = transform(math, SES = 5 + 3 * SES), random = ~ SES)
  A <- rbind(c(1, -5 / 3), c(0, 1 / 3))
  expect_equal(far$random[[1L]]$covariance, A %*% V %*% t(A), ignore_attr = TRUE,
               tolerance = 1e-2)
  expect_output(print(far), paste("SES", signif(sqrt(V[2L, 2L]) / 3, 2)), fixed = TRUE)
  # the mean over domains is that of a number, however it is made
  expect_no_match(capture.output(print(far)), "marginal")
})

test_that("the order of rows, a file and rows without weight change nothing", {
  model <- dg_mixed(MathAch ~ SES | School, data = math)
  turned <- dg_mixed(MathAch ~ SES | School, data = math[rev(seq_len(nrow(math))), ])
  expect_equal(predict(turned, math), predict(model, math), tolerance = 1e-5)
  expect_same_from_file <- function(model, data) {
    expect_identical(predict(unserialize(serialize(model, NULL)), data), predict(model, data))
  }
  expect_same_from_file(model, math)
  w <- as.numeric(as.integer(math$School) > 3)
  part <- dg_mixed(MathAch ~ SES | School, data = math, weights = w)
  alone <- dg_mixed(MathAch ~ SES | School, data = droplevels(math[w > 0, ]))
  expect_equal(predict(part, math), predict(alone, math))
})

test_that("what cannot be estimated is said", {
  expect_error(dg_mixed(iris, y = "Species"), class = "domgen_error")
  flowers <- transform(iris, site = rep_len(1:5, 150))
  expect_error(dg_mixed(Species ~ . | site, data = flowers), "^`dg_mixed\\(\\)` needs a numeric response or two",
               class = "domgen_error_data")
  expect_error(dg_mixed(MathAch ~ SES | School, data = math, random = ~ sex),
               "there is no `sex`")
  expect_error(dg_mixed(random = "SES"), "varies with `random = ~ SES`")
  expect_error(dg_mixed(slopes = "SES"), "`slopes` is now called `random`")
  expect_error(dg_mixed(MathAch ~ SES, data = math), "A domain is needed", class = "domgen_error_data")
  expect_warning(one <- dg_mixed(MathAch ~ SES | School, data = droplevels(subset(math, School == "8367"))),
                 "cannot be separated from the intercept", class = "domgen_warning_engine")
  expect_equal(coef(one), coef(lm(MathAch ~ SES, subset(math, School == "8367"))))
  math$twice <- 2 * math$SES
  expect_warning(model <- dg_mixed(MathAch ~ SES + twice | School, data = math),
                 "cannot be separated; set to zero: `twice`", class = "domgen_warning_collinear")
  expect_equal(predict(model, math), fitted(dg_mixed(MathAch ~ SES | School, data = math)),
               tolerance = 1e-5)
})

test_that("left-out domains are predicted at the population level, also tuned", {
  found <- dg_cv(dg_mixed(), MathAch ~ SES | School, data = math, folds = 5, refits = FALSE)
  first <- found$predictions[found$predictions$fold == 1, ]
  rest <- droplevels(math[-first$row, ])
  direct <- lme4::lmer(MathAch ~ SES + (1 | School), rest)
  expect_equal(first$prediction, unname(predict(direct, math[first$row, ], re.form = NA)),
               tolerance = 1e-5)
  tuned <- dg_tune(dg_mixed(), MathAch ~ SES | School, data = math, folds = 3,
                   grid = list(random = list(~ 1, ~ SES), domain_means = c(FALSE, TRUE)))
  expect_identical(nrow(tuned$tuning$table), 4L)
})

test_that("a probability in a new domain is the mean over its random effects", {
  naive <- function(value, sd) {
    stats::integrate(function(z) stats::plogis(value + sd * z) * stats::dnorm(z), -Inf, Inf,
                     rel.tol = 1e-11)$value
  }
  value <- rep(c(-6, -1, 0, 2), each = 4)
  sd <- rep(c(0, 0.3, 1, 5), 4)
  expect_equal(mean_logistic(value, sd), mapply(naive, value, sd), tolerance = 1e-10)
  model <- dg_mixed(high ~ SES | School, data = math, random = ~ SES)
  own <- cbind(1, strangers$SES)
  sds <- sqrt(diag(own %*% model$random[[1L]]$covariance %*% t(own)))
  at_zero <- dg_mixed(high ~ SES | School, data = math, random = ~ SES, marginal = FALSE)
  expect_output(print(at_zero), "marginal = FALSE")
  values <- stats::qlogis(predict(at_zero, strangers, type = "prob")[, 2L])
  expect_equal(drop(own %*% coef(model)), values, tolerance = 1e-6)
  expect_equal(predict(model, strangers, type = "prob")[, 2L], mapply(naive, values, sds),
               tolerance = 1e-6)
  # known domains keep their own effects
  expect_equal(predict(model, math), predict(at_zero, math))
  expect_error(dg_mixed(marginal = NA), "`marginal` must be TRUE or FALSE")
})

test_that("a probability in a new domain is right where domains are nearly separated", {
  # the integrand is a step beside the density: integrate() is told where
  by_parts <- function(value, sd) {
    ends <- c(-12, -value / sd + c(-40, 0, 40) / sd, 12)
    ends <- sort(pmin(pmax(ends, -12), 12))
    sum(mapply(function(low, high) {
      stats::integrate(function(z) stats::plogis(value + sd * z) * stats::dnorm(z), low, high,
                       rel.tol = 1e-12)$value
    }, ends[-length(ends)], ends[-1L]))
  }
  value <- rep(c(-40, -3, 0, 5), 5)
  sd <- rep(c(4.9, 5.1, 15, 60, 1000), each = 4)
  expect_equal(mean_logistic(value, sd), mapply(by_parts, value, sd), tolerance = 1e-9)
})

test_that("the mean probability in new domains is the observed proportion", {
  world <- with_seed(8, {
    g <- rep(1:160, each = 15)
    x <- rnorm(2400)
    data.frame(g = factor(g), x, y = factor(rbinom(2400, 1, plogis(1.5 + x + 2 * rnorm(160)[g]))))
  })
  train <- droplevels(subset(world, as.integer(g) <= 60))
  test <- subset(world, as.integer(g) > 60)
  mean_of <- function(...) {
    # lme4 doubts that it converged
    model <- suppressWarnings(dg_mixed(y ~ x | g, data = train, ...))
    mean(predict(model, test, type = "prob")[, "1"])
  }
  observed <- mean(test$y == "1")
  expect_lt(abs(mean_of() - observed), 0.04)
  expect_gt(mean_of(marginal = FALSE) - observed, 0.06)
})
