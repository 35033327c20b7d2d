# dg_mixed() beside the packages that it calls, on the data that these ship, and its means in new
# domains beside integrals.

skip_if_not_installed("lme4")

# Largest difference, relative to the largest number; effects without variance are 0.
expect_close <- function(found, wanted, tolerance = 1e-6) {
  found <- unname(as.matrix(found))
  wanted <- unname(as.matrix(wanted))
  testthat::expect_identical(dim(found), dim(wanted))
  testthat::expect_lt(max(abs(found - wanted)) / max(abs(wanted), 1e-3), tolerance)
}

expect_model <- function(model, beta, V, effects, fitted, data, tolerance = 1e-6,
                         predicted = predict(model, data)) {
  testthat::expect_identical(names(coef(model)), names(beta))
  expect_close(coef(model), beta, tolerance)
  expect_close(sqrt(diag(vcov(model))), sqrt(diag(as.matrix(V))), 10 * tolerance)
  own <- lme4::ranef(model)
  testthat::expect_setequal(names(own), names(effects))
  for (group in names(own)) {
    rows <- rownames(own[[group]])
    expect_close(own[[group]], effects[[group]][rows, , drop = FALSE], 10 * tolerance)
  }
  expect_close(predicted, fitted, tolerance)
}

by_integrate <- function(inverse, value, sd) {
  mapply(function(value, sd) {
    stats::integrate(function(z) inverse(value + sd * z) * stats::dnorm(z), -12, 12,
                     rel.tol = 1e-11)$value
  }, value, sd)
}

sleep <- lme4::sleepstudy

test_that("sleepstudy is that of lmer(), however the effects are written", {
  expect_lmer <- function(formula, random, lmer) {
    model <- dg_mixed(formula, data = sleep, random = random)
    direct <- suppressMessages(lme4::lmer(lmer, sleep))
    expect_model(model, lme4::fixef(direct), vcov(direct), lme4::ranef(direct), fitted(direct),
                 sleep)
    expect_equal(as.numeric(logLik(model)), as.numeric(logLik(direct)))
  }
  expect_lmer(Reaction ~ Days | Subject, NULL, Reaction ~ Days + (1 | Subject))
  expect_lmer(Reaction ~ Days | Subject, ~ Days, Reaction ~ Days + (Days | Subject))
  expect_lmer(Reaction ~ Days | Subject, ~ (1 + Days | Subject), Reaction ~ Days + (Days | Subject))
  expect_lmer(Reaction ~ Days | Subject, ~ (Days || Subject), Reaction ~ Days + (Days || Subject))
  expect_lmer(Reaction ~ Days | Subject, ~ (0 + Days | Subject),
              Reaction ~ Days + (0 + Days | Subject))
  sleep$week <<- factor(sleep$Days %/% 4)
  expect_lmer(Reaction ~ Days | Subject, ~ (1 | Subject) + (1 | week:Subject),
              Reaction ~ Days + (1 | Subject) + (1 | week:Subject))
  expect_lmer(Reaction ~ Days | Subject / week, NULL, Reaction ~ Days + (1 | Subject / week))
  expect_lmer(Reaction ~ Days | Subject + week, NULL, Reaction ~ Days + (1 | Subject) + (1 | week))
  expect_lmer(Reaction ~ Days | Subject, ~ poly(Days, 2),
              Reaction ~ Days + (poly(Days, 2) | Subject))
})

test_that("cbpp is that of glmer(), and its mean over herds the integral", {
  cbpp <- lme4::cbpp
  for (link in c("logit", "probit", "cloglog")) {
    model <- dg_mixed(incidence / size ~ period | herd, data = cbpp, weights = size,
                      family = binomial(link))
    direct <- lme4::glmer(incidence / size ~ period + (1 | herd), cbpp, binomial(link),
                          weights = size)
    expect_model(model, lme4::fixef(direct), vcov(direct), lme4::ranef(direct), fitted(direct),
                 cbpp)
    new <- data.frame(period = factor(1:4), herd = "new")
    eta <- stats::model.matrix(~ period, new) %*% coef(model)
    sd <- sqrt(model$random[[1L]]$covariance[1L])
    expect_close(predict(model, new), by_integrate(binomial(link)$linkinv, eta, sd), 1e-9)
    expect_close(predict(update(model, marginal = FALSE), new), binomial(link)$linkinv(eta), 1e-9)
  }
  # one row a herd more: an effect for each observation
  cbpp$row <- factor(seq_len(nrow(cbpp)))
  model <- dg_mixed(incidence / size ~ period | herd, data = cbpp, weights = size,
                    family = binomial, random = ~ (1 | herd) + (1 | row))
  direct <- lme4::glmer(incidence / size ~ period + (1 | herd) + (1 | row), cbpp, binomial,
                        weights = size)
  expect_model(model, lme4::fixef(direct), vcov(direct), lme4::ranef(direct), fitted(direct), cbpp)
})

test_that("counts are those of glmmTMB(), with the closed form in new domains", {
  skip_if_not_installed("glmmTMB")
  data("Salamanders", "Owls", package = "glmmTMB", envir = environment())
  Salamanders <- droplevels(subset(Salamanders, spp %in% c("GP", "DM", "EC-L")))
  linear <- function(model, terms, new) drop(stats::model.matrix(terms, new) %*% coef(model))
  expect_tmb <- function(formula, tmb, data, family, theirs, ...) {
    model <- suppressWarnings(dg_mixed(formula, data = data, family = family, ...))
    direct <- suppressWarnings(glmmTMB::glmmTMB(tmb, data, family = theirs))
    expect_model(model, glmmTMB::fixef(direct)$cond, vcov(direct)$cond,
                 glmmTMB::ranef(direct)$cond, fitted(direct), data)
    model
  }
  count <- count ~ mined + spp | site
  tmb <- count ~ mined + spp + (1 | site)
  expect_tmb(count, tmb, Salamanders, poisson(), poisson)
  model <- expect_tmb(count, tmb, Salamanders, glmmTMB::nbinom2, glmmTMB::nbinom2)
  expect_equal(format(model$family), "nbinom2(log)")
  new <- transform(Salamanders[1:5, ], site = "new")
  expect_close(predict(model, new), exp(linear(model, ~ mined + spp, new) +
                                          model$random[[1L]]$covariance[1L] / 2), 1e-12)
  # slopes: the variance depends on the row
  model <- expect_tmb(count ~ DOP + mined | site, count ~ DOP + mined + (DOP | site),
                      Salamanders, "poisson", poisson, random = ~ DOP)
  z <- cbind(1, new$DOP)
  sd <- sqrt(rowSums(z %*% model$random[[1L]]$covariance * z))
  eta <- linear(model, ~ DOP + mined, new)
  expect_close(predict(model, new), by_integrate(exp, eta, sd), 1e-8)
  owls <- expect_tmb(SiblingNegotiation ~ FoodTreatment * SexParent + offset(log(BroodSize)) | Nest,
                     SiblingNegotiation ~ FoodTreatment * SexParent + offset(log(BroodSize)) +
                       (1 | Nest), Owls, "nbinom1", glmmTMB::nbinom1)
  twice <- transform(Owls[1:4, ], BroodSize = 2 * BroodSize)
  expect_close(predict(owls, twice), 2 * predict(owls, Owls[1:4, ]), 1e-12)
  ticks <- transform(subset(lme4::grouseticks, as.integer(LOCATION) <= 30),
                     height = (HEIGHT - mean(HEIGHT)) / 10)
  model <- expect_tmb(TICKS ~ YEAR + height | LOCATION,
                      TICKS ~ YEAR + height + (1 | LOCATION) + (1 | BROOD) + (1 | INDEX), ticks,
                      poisson(), poisson, random = ~ (1 | LOCATION) + (1 | BROOD) + (1 | INDEX))
  # a group that is not given is a new one; a known location keeps its effect
  some <- ticks[1:3, ]
  expect_equal(predict(model, some[c("YEAR", "height", "LOCATION")]),
               predict(model, transform(some, BROOD = "new", INDEX = "new")))
  v <- vapply(model$random, function(term) term$covariance[1L], 0)
  names(v) <- vapply(model$random, `[[`, "", "title")
  eta <- drop(stats::model.matrix(~ YEAR + height, ticks)[1:3, ] %*% coef(model)) +
    lme4::ranef(model)$LOCATION[as.character(some$LOCATION), 1L]
  expect_close(predict(model, some[c("YEAR", "height", "LOCATION")]),
               exp(eta + sum(v[c("BROOD", "INDEX")]) / 2), 1e-10)
})

test_that("ordered classes are those of clmm(), and their mean over judges the integral", {
  skip_if_not_installed("ordinal")
  wine <- ordinal::wine
  expect_clmm <- function(random, formula) {
    model <- dg_mixed(rating ~ temp + contact | judge, data = wine, family = "ordinal",
                      random = random)
    direct <- ordinal::clmm(formula, data = wine)
    P <- predict(model, wine, type = "prob")
    expect_model(model, coef(direct), vcov(direct)[1:6, 1:6], ordinal::ranef(direct),
                 fitted(direct), wine, predicted = P[cbind(1:72, as.integer(wine$rating))])
    model
  }
  model <- expect_clmm(NULL, rating ~ temp + contact + (1 | judge))
  wine$warm <- as.numeric(wine$temp == "warm")
  expect_clmm(~ (1 | judge) + (0 + warm | bottle),
              rating ~ temp + contact + (1 | judge) + (0 + warm | bottle))
  new <- transform(wine[c(1, 5), ], judge = "new")
  P <- predict(model, new, type = "prob")
  eta <- drop(stats::model.matrix(~ temp + contact, new)[, -1L] %*% coef(model)[5:6])
  sd <- sqrt(model$random[[1L]]$covariance[1L])
  below <- vapply(coef(model)[1:4], function(t) by_integrate(stats::plogis, t - eta, sd), eta)
  expect_close(t(apply(P, 1L, cumsum))[, 1:4], below, 1e-9)
  expect_equal(rowSums(P), c(1, 1))
  expect_identical(predict(model, new), factor(colnames(P)[max.col(P)], levels(factor(wine$rating)),
                                               ordered = FALSE))
})

test_that("tidy() has the terms of broom.mixed, with Wald's intervals", {
  model <- dg_mixed(Reaction ~ Days | Subject, data = sleep, random = ~ Days)
  found <- tidy(model)
  expect_identical(names(found), c("effect", "group", "term", "estimate", "std.error", "statistic",
                                   "p.value", "conf.low", "conf.high"))
  fixed <- found[found$effect == "fixed", ]
  expect_equal(fixed$conf.high - fixed$conf.low, 2 * qnorm(0.975) * fixed$std.error)
  expect_equal(fixed$statistic, fixed$estimate / fixed$std.error)
  values <- tidy(model, effects = "ran_vals")
  expect_identical(nrow(values), 36L)
  expect_equal(diff(unlist(tidy(model, "fixed", 0.5)[2L, c("conf.low", "conf.high")])),
               2 * qnorm(0.75) * fixed$std.error[2L], ignore_attr = TRUE)
  expect_error(tidy(model, effects = "all"), "`effects` must be one of")
  expect_output(print(model), "sd  *Subject: .*Days 5.922.*residual sd")
  # broom.mixed 0.2.9.4, tidy(lme4::lmer(Reaction ~ Days + (Days | Subject), sleepstudy),
  # conf.int = TRUE)
  theirs <- data.frame(
    group = c(NA, NA, "Subject", "Subject", "Subject", "Residual"),
    term = c("(Intercept)", "Days", "sd__(Intercept)", "cor__(Intercept).Days", "sd__Days",
             "sd__Observation"),
    estimate = c(251.4051048484850, 10.4672859595960, 24.7406579949841, 0.0655512382381,
                 5.9221376588981, 25.5917957216753),
    conf.low = c(238.02914111736, 7.43759392987, NA, NA, NA, NA)
  )
  at <- match(paste(theirs$group, theirs$term), paste(found$group, found$term))
  expect_false(anyNA(at))
  expect_equal(found$estimate[at], theirs$estimate, tolerance = 1e-6)
  expect_equal(found$conf.low[at], theirs$conf.low, tolerance = 1e-6)
})

test_that("columns of any size are fitted, and are in their units", {
  far <- transform(sleep, Days = 2e6 + 1e4 * Days)
  model <- dg_mixed(Reaction ~ Days | Subject, data = far)
  plain <- dg_mixed(Reaction ~ Days | Subject, data = sleep)
  expect_equal(coef(model)[["Days"]], coef(plain)[["Days"]] / 1e4, tolerance = 1e-6)
  expect_equal(vcov(model)[2L, 2L], vcov(plain)[2L, 2L] / 1e8, tolerance = 1e-6)
  expect_equal(predict(model, far), predict(plain, sleep), tolerance = 1e-6)
  skip_if_not_installed("ordinal")
  wine <- transform(ordinal::wine, near = (temp == "warm") + (contact == "yes") / 2)
  wine$far <- 1e5 + 1e4 * wine$near
  a <- dg_mixed(rating ~ far | judge, data = wine, family = "ordinal")
  b <- dg_mixed(rating ~ near | judge, data = wine, family = "ordinal")
  expect_equal(predict(a, wine, type = "prob"), predict(b, wine, type = "prob"), tolerance = 1e-4)
})

test_that("folds leave out districts, and predict with what they know", {
  d <- with_seed(2, {
    district <- rep(1:6, each = 20)
    school <- rep(1:4, each = 5, length.out = 120)
    x <- rnorm(120)
    u <- rnorm(6)[district] + rnorm(24)[4 * (district - 1) + school] / 2
    data.frame(district, school, x, n = rpois(120, exp(x / 3 + u)))
  })
  skip_if_not_installed("glmmTMB")
  found <- dg_cv(dg_mixed(family = poisson()), n ~ x | district / school, data = d,
                 hold_out = "district", folds = 2)
  rows <- found$predictions
  held <- rows$row[rows$fold == 1]
  direct <- glmmTMB::glmmTMB(n ~ x + (1 | district / school), d[-held, ], poisson)
  v <- sum(unlist(glmmTMB::VarCorr(direct)$cond))
  eta <- drop(cbind(1, d$x[held]) %*% glmmTMB::fixef(direct)$cond)
  expect_close(rows$prediction[rows$fold == 1], exp(eta + v / 2))
  # a new school of a known district has the district's effect
  model <- dg_mixed(n ~ x | district / school, data = d, family = poisson())
  new <- data.frame(x = 0, district = 1, school = 99)
  own <- lme4::ranef(model)$district["1", 1L]
  expect_close(predict(model, new),
               exp(coef(model)[[1L]] + own + lme4::VarCorr(model)$`school:district`[1L] / 2))
})

test_that("what a family or a random effect cannot be is said", {
  counts <- transform(sleep, n = round(Reaction / 50), late = factor(Days %/% 4))
  fit <- function(formula, ...) dg_mixed(formula, data = counts, ...)
  expect_error(fit(late ~ Days | Subject), "are `family = \"ordinal\"`",
               class = "domgen_error_data")
  expect_error(fit(late ~ Days | Subject, family = binomial()), "must be two classes or a propor")
  expect_error(dg_mixed(family = "negbin"), "counts are \"nbinom2\"")
  expect_error(dg_mixed(family = "multinomial"), "must be one of \"gaussian\", \"binomial\"")
  expect_error(dg_mixed(family = binomial("cauchit")), "must have the link \"logit\" or \"probit\"")
  expect_error(fit(-n ~ Days | Subject, family = poisson()), "must be 0 or more")
  expect_error(dg_mixed(random = y ~ x), "`random` must be a formula with one side")
  expect_error(dg_mixed(random = ~ (1 | a) + x), "x stands in no term with a group")
  expect_error(dg_mixed(random = ~ (1 | log(a))), "must have columns or nested columns after a bar")
  expect_error(fit(n ~ Days | Subject, random = ~ (1 | subject)), "there is no `subject`")
  expect_error(fit(n ~ Days | Subject, random = ~ (1 | Days:Subject)),
               "the package lme4 failed: .*problems: Days:Subject", class = "domgen_error_learner")
  expect_error(fit(late ~ Days + offset(n) | Subject, family = "ordinal"), "must not contain `offset")
  one <- transform(counts, ward = factor("a"))
  expect_warning(model <- dg_mixed(n ~ Days | Subject, data = one,
                                   random = ~ (1 | Subject) + (1 | ward)),
                 "with one level of `ward`, its effect cannot be separated")
  expect_equal(coef(model), coef(fit(n ~ Days | Subject)))
})

test_that("a quick fit predicts new domains nearly as the full one does", {
  skip_if_not_installed("glmmTMB")
  skip_if_not_installed("ordinal")
  expect_quick <- function(formula, data, family, type = "response", weights = NULL) {
    spec <- dg_mixed(family = family)
    full <- fit(spec, formula, data = data, weights = weights)
    spec$effort <- "quick"
    quick <- fit(spec, formula, data = data, weights = weights)
    new <- transform(data, herd = "new", judge = "new", LOCATION = "new")
    expect_close(predict(quick, new, type = type), predict(full, new, type = type), 0.05)
    invisible(quick)
  }
  expect_quick(incidence / size ~ period | herd, lme4::cbpp, "binomial",
               weights = lme4::cbpp$size)
  few <- subset(lme4::grouseticks, as.integer(LOCATION) <= 20)
  ticks <- expect_quick(TICKS ~ YEAR | LOCATION, few, "poisson")
  expect_output(print(ticks), "fitted by lme4")
  counts <- expect_quick(TICKS ~ YEAR | LOCATION, few, "nbinom2")
  expect_true(all(is.na(vcov(counts))))
  expect_quick(rating ~ temp + contact | judge, ordinal::wine, "ordinal", type = "prob")
  spec <- dg_mixed(family = "ordinal")
  spec$effort <- "fixed"
  fixed <- fit(spec, rating ~ temp + contact | judge, data = ordinal::wine)
  expect_close(coef(fixed), coef(ordinal::clm(rating ~ temp + contact, data = ordinal::wine)))
})

test_that("a model of ordered classes has a summary and an information criterion", {
  skip_if_not_installed("ordinal")
  model <- dg_mixed(rating ~ temp + contact | judge, data = ordinal::wine, family = "ordinal")
  direct <- ordinal::clmm(rating ~ temp + contact + (1 | judge), data = ordinal::wine)
  expect_equal(BIC(model), -2 * direct$logLik + 7 * log(72), tolerance = 1e-6)
  expect_output(print(summary(model)), "BIC 193")
})

test_that("coefficients are printed with the decimals of their errors", {
  model <- dg_mixed(distance ~ age + Sex | Subject, data = nlme::Orthodont)
  expect_output(print(model), "age +0\\.660 +0\\.062 +10\\.7[0-9]")
})
