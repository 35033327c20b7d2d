# The estimates of stats::glm(), nnet::multinom() and survival::coxph() are the oracles.

regression_data <- function(n = 240, seed = 1) {
  set.seed(seed)
  d <- data.frame(site = factor(rep(1:8, length.out = n)), age = rnorm(n, 50, 9),
                  sex = factor(sample(c("f", "m"), n, TRUE)), e = runif(n, 0.5, 2),
                  w = sample(c(0, 0.5, 1, 2), n, TRUE))
  z <- (d$age - 50) / 9 + (d$sex == "m") / 3
  d$y <- z + rnorm(n)
  d$count <- rpois(n, d$e * exp(0.3 * z))
  d$amount <- rgamma(n, 2, 2 / exp(0.3 * z))
  d$share <- rbinom(n, 10, plogis(z)) / 10
  d$two <- factor(ifelse(z + rlogis(n) > 0, "yes", "no"))
  d$three <- factor(letters[1 + (z + rlogis(n) > 0) + (rnorm(n) > 0)])
  d$time <- ceiling(10 * rexp(n, exp(0.3 * z)))
  d$status <- rbinom(n, 1, 0.8)
  d
}

with_glm <- function(formula, family, data, start = NULL) {
  suppressWarnings(glm(formula, family, data, weights = w, start = start,
                       control = glm.control(epsilon = 1e-15, maxit = 200)))
}

test_that("estimates, means and links are those of glm(), with weights and offsets", {
  d <- regression_data(seed = sample(1e4, 1))
  check <- function(response, family, offset, start = NULL) {
    right <- if (offset) "age + sex + offset(log(e))" else "age + sex"
    of <- function(domain) as.formula(paste(response, "~", right, if (domain) "| site"))
    info <- paste(response, family$family, family$link, offset)
    model <- dg_lm(of(TRUE), data = d, weights = w, family = family)
    peer <- with_glm(of(FALSE), family, d, start)
    expect_equal(coef(model), coef(peer), tolerance = 1e-6, info = info)
    expect_equal(predict(model, d), unname(predict(peer, d, type = "response")), tolerance = 1e-6,
                 info = info)
    expect_equal(predict(model, d, type = "link"), unname(predict(peer, d)), tolerance = 1e-6,
                 info = info)
  }
  counts <- list(poisson(), quasipoisson(), quasipoisson("sqrt"), quasi("log", "mu"))
  amounts <- list(Gamma("log"), inverse.gaussian("log"), quasi("log", "mu^2"), gaussian("log"))
  shares <- list(binomial(), binomial("probit"), quasibinomial("cloglog"))
  for (offset in c(FALSE, TRUE)) {
    check("y", gaussian(), offset)
    check("count", counts[[sample(4, 1)]], offset, c(1, 0, 0))
    check("amount", amounts[[sample(4, 1)]], offset, c(1, 0, 0))
    check("share", shares[[sample(3, 1)]], offset)
  }
})

test_that("two classes are logistic regression", {
  d <- regression_data()
  model <- dg_lm(two ~ age + sex + offset(e) | site, data = d, weights = w)
  peer <- with_glm(two ~ age + sex + offset(e), quasibinomial(), d)
  expect_equal(coef(model), coef(peer), tolerance = 1e-8)
  expect_equal(predict(model, d, type = "prob")[, "yes"], unname(predict(peer, d, "response")),
               tolerance = 1e-8)
  expect_identical(predict(model, d, type = "link"), predict(model, d, type = "decision"))
  probit <- dg_lm(two ~ age | site, data = d, weights = w, family = binomial("probit"))
  expect_equal(coef(probit), coef(with_glm(two ~ age, quasibinomial("probit"), d)),
               tolerance = 1e-6)
})

test_that("more classes are multinomial logistic regression against the first class", {
  skip_if_not_installed("nnet")
  d <- regression_data()
  model <- dg_lm(three ~ age + sex | site, data = d, weights = w)
  peer <- nnet::multinom(three ~ age + sex, d, weights = w, trace = FALSE, reltol = 1e-15,
                         abstol = 1e-15, maxit = 2000)
  expect_equal(t(coef(model)), coef(peer), tolerance = 1e-6)
  expect_equal(predict(model, d, type = "prob"), predict(peer, d, type = "probs"),
               tolerance = 1e-6, ignore_attr = TRUE)
  link <- predict(model, d, type = "link")
  expect_equal(link, cbind(a = 0, cbind(1, d$age, d$sex == "m") %*% coef(model)),
               tolerance = 1e-12, ignore_attr = "dimnames")
  expect_identical(colnames(link), c("a", "b", "c"))
  expect_silent(none <- predict(model, d[0, ], type = "link"))
  expect_identical(dim(none), c(0L, 3L))
  # the score equations, whatever the peer did
  d <- d[d$w > 0, ]
  rest <- outer(d$three, levels(d$three), "==") - predict(model, d, type = "prob")
  expect_lt(max(abs(crossprod(cbind(1, (d$age - 50) / 9, d$sex == "m"), d$w * rest))), 1e-6)
})

test_that("times are Cox regression, without an intercept", {
  skip_if_not_installed("survival")
  d <- regression_data()
  model <- dg_lm(survival::Surv(time, status) ~ age + sex + offset(log(e)) | site, data = d,
                 weights = w)
  peer <- survival::coxph(survival::Surv(time, status) ~ age + sex + offset(log(e)),
                          d[d$w > 0, ], weights = w)
  expect_equal(coef(model), coef(peer), tolerance = 1e-6)
  expect_identical(names(coef(model)), c("age", "sexm"))
  lp <- predict(model, d, type = "link")
  expect_equal(lp - lp[1], unname(predict(peer, d, type = "lp") - predict(peer, d[1, ])),
               tolerance = 1e-6)
})

test_that("negative binomial regression is that of MASS", {
  skip_if_not_installed("MASS")
  d <- regression_data()
  d$count <- rnbinom(nrow(d), size = 1.5, mu = d$e * exp(d$y))
  model <- dg_lm(count ~ y + sex + offset(log(e)) | site, data = d, family = "nbinom2")
  peer <- MASS::glm.nb(count ~ y + sex + offset(log(e)), d)
  expect_equal(coef(model), coef(peer), tolerance = 1e-4)
  expect_equal(model$family$theta, peer$theta, tolerance = 1e-3)
})

test_that("prints, cross-validations, comparisons and validations name the regression", {
  d <- regression_data()
  names <- list(y = "Linear model", two = "Logistic regression",
                three = "Multinomial logistic regression")
  for (response in names(names)) {
    formula <- as.formula(paste(response, "~ age + sex | site"))
    model <- dg_lm(formula, data = d)
    cv <- dg_cv(dg_lm(), formula, data = d, folds = 3)
    for (x in list(model, summary(model), cv)) {
      expect_match(capture.output(print(x))[1], paste0("^", names[[response]], ":"))
    }
    validation <- dg_validate(cv, class = if (response == "three") "b")
    expect_match(paste(capture.output(print(validation)), collapse = "\n"), names[[response]])
    compared <- dg_compare(list(dg_lm(), other = dg_ridge(lambda = 1)), formula, data = d, folds = 3)
    expect_true(names[[response]] %in% compared$table$method)
  }
  expect_match(capture.output(print(dg_coefficients(dg_lm(two ~ age | site, data = d))))[1],
               "^Logistic regression: two")
  of <- function(...) capture.output(print(dg_lm(...)))
  expect_match(of(count ~ age | site, data = d, family = poisson)[1], "^Poisson regression: count")
  expect_match(of(family = Gamma())[1], "^Gamma regression \\(specification")
  expect_match(of(two ~ age | site, data = d, family = binomial("probit"))[1], "^Probit regression")
  # two of one name keep theirs
  both <- dg_compare(list(dg_lm(), dg_lm(family = binomial())), two ~ age | site, data = d,
                     folds = 3)
  expect_setequal(both$table$method, c("null", "Linear model", "Logistic regression"))
})

test_that("a fit without a penalty says no word of one", {
  d <- regression_data()
  models <- list(
    dg_lm(y ~ age | site, data = d), dg_lm(two ~ age | site, data = d),
    dg_lm(three ~ age | site, data = d), dg_lm(count ~ age | site, data = d, family = poisson()),
    dg_ridge(y ~ age | site, data = d, lambda = 1e-8, kernel = kernel_linear(),
             domain_kernel = domain_pooled())
  )
  for (model in models) {
    said <- c(capture.output(print(model)), capture.output(print(summary(model))))
    if (inherits(model, "dg_lm")) expect_no_match(said, "lambda|shr[iu]nk|penalt", ignore.case = TRUE)
    if (!is.matrix(coef(model))) {
      said <- capture.output(print(dg_coefficients(model)))
      expect_no_match(said, "lambda|shr[iu]nk|penalt", ignore.case = TRUE)
    }
  }
  separated <- transform(d, two = factor(ifelse(age > 50, "yes", "no")))
  expect_warning(dg_lm(two ~ age | site, data = separated), "^Logistic regression: fitted prob",
                 class = "domgen_warning_separation")
  lambda <- dg_ridge(y ~ age | site, data = d, lambda = 1, kernel = kernel_linear(),
                     domain_kernel = domain_pooled())
  expect_match(capture.output(print(dg_coefficients(lambda))), "shrunk", all = FALSE)
})

test_that("standard errors of dg_coefficients() are the jackknife over domains of glm()", {
  d <- regression_data()
  d <- d[d$w > 0, ]
  model <- dg_lm(count ~ age + sex + offset(log(e)) | site, data = d, weights = w,
                 family = poisson())
  found <- dg_coefficients(model, exponentiate = TRUE)
  of <- function(rows) coef(with_glm(count ~ age + sex + offset(log(e)), poisson(), rows))
  all <- of(d)
  without <- sapply(levels(d$site), function(g) of(d[d$site != g, ]))
  V <- 7 / 8 * tcrossprod(without - all)
  expect_equal(vcov(found), V, tolerance = 1e-6)
  expect_equal(found$table$lower, unname(exp(all - qt(0.975, 7) * sqrt(diag(V)))), tolerance = 1e-6)
})

test_that("families that do not go with the response or the learner are refused", {
  d <- regression_data()
  expect_domgen_error(dg_lm(three ~ age | site, data = d, family = "ordinal"),
                      "dg_mixed\\(family = \"ordinal\"\\)")
  expect_domgen_error(dg_lm(three ~ age | site, data = d, family = binomial()), "multinomial")
  expect_domgen_error(dg_lm(y ~ age | site, data = d, family = poisson()), "0 or more")
  expect_domgen_error(dg_lm(family = "poison"), "must be one of \"gaussian\"")
  expect_domgen_error(dg_lm(three ~ age + offset(e) | site, data = d), "offset")
})

test_that("intervals end where the family does", {
  d <- regression_data()
  model <- dg_lm(count ~ age | site, data = d, family = poisson())
  limits <- predict(model, d, interval = "prediction", level = 0.8)
  expect_true(all(limits$lower >= 0))
})

test_that("coefficients of several classes have the jackknife over domains too", {
  d <- regression_data()
  d$only <- d$site == "3" & seq_len(nrow(d)) %% 2 == 0
  found <- dg_coefficients(dg_lm(three ~ age + sex | site, data = d))
  of <- function(rows) c(coef(dg_lm(three ~ age + sex, data = rows)))
  without <- sapply(levels(d$site), function(g) of(d[d$site != g, ]))
  V <- 7 / 8 * tcrossprod(without - of(d))
  expect_equal(unname(vcov(found)), V, tolerance = 1e-6)
  expect_identical(found$table$term, paste0(rep(c("b", "c"), each = 3), ": ",
                                            c("(Intercept)", "age", "sexm")))
  said <- paste(capture.output(print(found)), collapse = " ")
  expect_match(said, "Each class is compared with \"a\": log odds")
  expect_warning(lost <- dg_coefficients(dg_lm(three ~ age + only | site, data = d))$table,
                 "set to zero: `onlyTRUE`")
  expect_identical(lost$term[is.na(lost$se)], c("b: onlyTRUE", "c: onlyTRUE"))
})
