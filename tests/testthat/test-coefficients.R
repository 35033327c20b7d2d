# dg_coefficients(): estimates of linear models, with errors by leaving out domains.

test_that("the covariance matrix is the jackknife's over domains", {
  model <- dg_lm(uptake ~ log(conc) + Type + Treatment | Plant, data = CO2)
  found <- dg_coefficients(model)
  plain <- uptake ~ log(conc) + Type + Treatment
  b <- coef(lm(plain, CO2))
  left <- t(vapply(levels(CO2$Plant), function(g) coef(lm(plain, CO2[CO2$Plant != g, ])), b))
  V <- 11 / 12 * crossprod(left - rep(b, each = 12L))
  expect_equal(coef(found), b, tolerance = 1e-10)
  expect_equal(vcov(found), V, tolerance = 1e-10)
  expect_equal(unname(confint(found, "log(conc)", level = 0.9)[1L, ]),
               unname(b[2L] + c(-1, 1) * qt(0.95, 11) * sqrt(V[2L, 2L])), tolerance = 1e-10)
  expect_equal(found$table$p, unname(2 * pt(-abs(b / sqrt(diag(V))), 11)), tolerance = 1e-10)
  expect_identical(names(tidy(found))[2:4], c("estimate", "std.error", "statistic"))
})

test_that("without a penalty a linear kernel has the coefficients of the linear model", {
  formulas <- list(uptake ~ log(conc) + Type | Plant,
                   survival::Surv(conc + seq_along(conc) / 100, uptake > 20) ~ Type + Treatment | Plant)
  if (!requireNamespace("survival", quietly = TRUE)) formulas <- formulas[1L]
  for (f in formulas) {
    linear <- dg_coefficients(dg_lm(f, data = CO2), data = CO2)
    kernel <- dg_glm(f, data = CO2, kernel = kernel_linear(), domain_kernel = domain_pooled(),
                     lambda = 1e-8)
    found <- dg_coefficients(kernel, data = CO2)
    expect_equal(coef(found), coef(linear), tolerance = 1e-5)
    expect_equal(vcov(found), vcov(linear), tolerance = 1e-4)
  }
  ridge <- dg_ridge(uptake ~ log(conc) + Type | Plant, data = CO2, kernel = kernel_linear(),
                    domain_kernel = domain_pooled(), lambda = 1e-8)
  expect_equal(dg_coefficients(ridge)$table, dg_coefficients(
    dg_lm(uptake ~ log(conc) + Type | Plant, data = CO2))$table, tolerance = 1e-4)
})

test_that("ratios are exp() of coefficients, beside an offset too", {
  rows <- transform(warpbreaks, g = gl(9, 6), length = rep(1:6, 9))
  model <- dg_glm(breaks ~ wool + tension + offset(log(length)) | g, data = rows,
                  family = "poisson", kernel = kernel_linear(), domain_kernel = domain_pooled(),
                  lambda = 1e-6)
  found <- dg_coefficients(model, exponentiate = TRUE)
  b <- coef(glm(breaks ~ wool + tension + offset(log(length)), poisson, rows))
  expect_equal(stats::setNames(found$table$estimate, found$table$term), exp(b), tolerance = 1e-6)
  expect_equal(found$table$lower, unname(exp(b - qt(0.975, 8) * sqrt(diag(vcov(found))))),
               tolerance = 1e-5)
  expect_output(print(found), "ratio")
  expect_output(print(found), "shrunk \\(lambda = 1e-06\\)")
})

test_that("what one domain alone tells has no standard error", {
  rows <- transform(CO2, only = factor(ifelse(Plant == "Qn1", "a", "b")))
  found <- dg_coefficients(dg_lm(uptake ~ conc + only | Plant, data = rows))
  # the constant is the value of level a
  expect_identical(is.na(found$table$se), c(TRUE, FALSE, TRUE))
  expect_output(print(found), "No standard error of `\\(Intercept\\)`, `onlyb`")
  other <- transform(rows, only = relevel(only, "b"))
  found <- dg_coefficients(dg_lm(uptake ~ conc + only | Plant, data = other))
  expect_identical(is.na(found$table$se), c(FALSE, FALSE, TRUE))
  # a reference level that only one domain has changes what the others are compared with
  levels <- c("a", "b", "c")
  three <- transform(CO2, dose = factor(ifelse(Plant == "Qn1", "a", rep(c("b", "c"), 42)), levels))
  found <- dg_coefficients(dg_lm(uptake ~ conc + dose | Plant, data = three))
  expect_identical(is.na(found$table$se), c(TRUE, FALSE, TRUE, TRUE))
  # collinear without a domain
  twice <- transform(CO2, twice = 2 * conc + ifelse(Plant == "Mc1", uptake, 0))
  found <- dg_coefficients(dg_lm(uptake ~ conc + twice + Type | Plant, data = twice))
  expect_identical(is.na(found$table$se), c(FALSE, TRUE, TRUE, FALSE))
})

test_that("domains without which the classes are separated are named", {
  rows <- data.frame(site = factor(rep(1:6, each = 20)), z = factor(rep(1:2, 60)))
  rows$y <- factor(ifelse(rows$z == 1, rep(1:2, each = 2, 30),
                          ifelse(rows$site == 1 & seq_len(120) < 11, 2, 1)))
  found <- dg_coefficients(dg_lm(y ~ z | site, data = rows))
  expect_identical(found$separated, "1")
  expect_output(print(found), "Without \"1\" an effect is infinite", fixed = TRUE)
  found <- dg_coefficients(dg_lm(as.numeric(y) + seq_along(y) ~ z | site, data = rows))
  expect_identical(found$separated, character())
})

test_that("of crossed domains the print says which factor is left out", {
  rows <- transform(CO2, day = factor(rep(1:7, 12)))
  found <- dg_coefficients(dg_lm(uptake ~ conc | Plant + day, data = rows))
  expect_output(print(found), "leaving out each Plant")
  expect_output(print(found), "Plant is crossed with day")
})

test_that("other data than those of the fit are refused", {
  model <- dg_lm(uptake ~ conc | Plant, data = CO2)
  expect_domgen_error(dg_coefficients(model, data = transform(CO2, uptake = rev(uptake))),
                      "its response is another", "domgen_error_data")
})

test_that("ordered classes have the coefficients of a proportional odds model", {
  skip_if_not_installed("ordinal")
  wine <- ordinal::wine
  model <- dg_glm(rating ~ temp + contact | judge, data = wine, family = "ordinal", lambda = 1e-6,
                  kernel = kernel_linear(), domain_kernel = domain_pooled(),
                  domain_weights = "size")
  direct <- ordinal::clm(rating ~ temp + contact, data = wine)
  found <- dg_coefficients(model, exponentiate = TRUE)
  expect_equal(coef(found), direct$beta, tolerance = 1e-3)
  without <- ordinal::clm(rating ~ temp + contact, data = subset(wine, judge != "4"))
  expect_equal(found$domains["4", ], without$beta, tolerance = 1e-3)
  expect_output(print(found), "odds ratio")
  expect_output(print(model), "thresholds +")
})

test_that("an offset and a baseline have no coefficient", {
  skip_if_not_installed("survival")
  rows <- stats::na.omit(survival::lung[c("time", "status", "age", "sex", "ph.ecog", "inst")])
  rows$inst <- factor(rows$inst)
  model <- dg_glm(survival::Surv(time, status) ~ age + offset(sex / 10) + ph.ecog | inst,
                  data = rows, kernel = kernel_linear(), domain_kernel = domain_pooled(),
                  domain_weights = "size", lambda = 1e-6)
  direct <- survival::coxph(survival::Surv(time, status) ~ age + offset(sex / 10) + ph.ecog,
                            data = rows, ties = "breslow")
  expect_equal(coef(dg_coefficients(model)), coef(direct), tolerance = 1e-4)
})

test_that("odds ratios are those of logistic models only", {
  words <- function(model) dg_coefficients(model, exponentiate = TRUE)
  linear <- function(learner, ...) {
    learner(Type ~ uptake | Plant, data = CO2, kernel = kernel_linear(),
            domain_kernel = domain_pooled(), ...)
  }
  expect_output(print(words(linear(dg_svm, cost = 1, loss = "logistic"))), "odds ratio")
  expect_output(print(words(linear(dg_svm, cost = 1))), "exp(estimate)", fixed = TRUE)
  expect_output(print(words(linear(dg_ridge, lambda = 1))), "exp(estimate)", fixed = TRUE)
})

test_that("of nested domains whole levels of the outer factor are left out", {
  rows <- transform(CO2, part = rep(1:2, 42))
  nested <- dg_coefficients(dg_lm(uptake ~ log(conc) | Plant / part, data = rows))
  alone <- dg_coefficients(dg_lm(uptake ~ log(conc) | Plant, data = rows))
  expect_equal(nested$table, alone$table)
})

test_that("what has no coefficients is refused", {
  refused <- function(model) {
    expect_domgen_error(dg_coefficients(model), "linear in its predictors", "domgen_error_argument")
  }
  refused(dg_ridge(uptake ~ conc | Plant, data = CO2))
  refused(dg_lm(uptake ~ conc | Plant, data = CO2, scale = "domain"))
  refused(dg_lm())
  two <- subset(CO2, Plant %in% c("Qn1", "Qn2"))
  expect_domgen_error(dg_coefficients(dg_lm(uptake ~ conc | Plant, data = two)),
                      "at least 3 domains", "domgen_error_data")
  model <- dg_lm(uptake ~ conc | Plant, data = CO2)
  expect_domgen_error(dg_coefficients(model, data = CO2[-1L, ]), "rows of the fit",
                      "domgen_error_data")
})

test_that("fixed effects of a mixed model have the errors of its engine", {
  skip_if_not_installed("lme4")
  peer <- lme4::lmer(uptake ~ log(conc) + Type + (1 | Plant), CO2)
  model <- dg_mixed(uptake ~ log(conc) + Type | Plant, data = CO2)
  found <- dg_coefficients(model)
  expect_equal(as.matrix(found$table[c("estimate", "se", "statistic")]),
               summary(peer)$coefficients, tolerance = 1e-5, ignore_attr = TRUE)
  expect_equal(unname(confint(found)), unname(confint(peer, method = "Wald")[-(1:2), ]),
               tolerance = 1e-5)
  said <- capture.output(print(found))
  expect_match(said, "84 rows, 12 Plants|84 rows, 12 ", all = FALSE)
  expect_match(paste(said, collapse = " "), "errors of the mixed model.*normal distribution")
  cows <- dg_mixed(incidence / size ~ period | herd, data = lme4::cbpp, weights = size,
                   family = binomial())
  peer <- lme4::glmer(incidence / size ~ period + (1 | herd), lme4::cbpp, binomial(), weights = size)
  found <- dg_coefficients(cows, exponentiate = TRUE)
  expect_equal(found$table$estimate, unname(exp(lme4::fixef(peer))), tolerance = 1e-3)
  expect_equal(found$table$se, unname(sqrt(diag(as.matrix(vcov(peer))))), tolerance = 1e-3)
  expect_identical(found$ratio, "odds ratio")
  expect_domgen_error(dg_coefficients(dg_mixed(uptake ~ conc | Plant, data = CO2, scale = "pooled")),
                      "scale = \"pooled\"")
})

test_that("features_linear() have the coefficients of the Gram matrix", {
  for (spec in list(dg_ridge(lambda = 0.1), dg_glm(lambda = 0.1, family = poisson()))) {
    spec$args[c("kernel", "domain_kernel")] <- list(kernel_linear(), domain_pooled())
    formula <- round(uptake) ~ log(conc) + Type | Plant
    exact <- fit(spec, formula, data = CO2)
    spec$args$feature_map <- features_linear()
    features <- fit(spec, formula, data = CO2)
    expect_equal(coef(features), coef(exact), tolerance = 1e-6)
    expect_equal(dg_coefficients(features, data = CO2)$table,
                 dg_coefficients(exact, data = CO2)$table, tolerance = 1e-4)
  }
})

test_that("coef() of a linear model has names, its intercept and the units of the data", {
  make <- list(
    ridge = function(...) dg_ridge(uptake ~ conc + Type | Plant, data = CO2, lambda = 1, ...),
    svm = function(...) dg_svm(Type ~ conc + uptake | Plant, data = CO2, cost = 1,
                               loss = "logistic", ...),
    glm = function(...) dg_glm(Treatment ~ conc + uptake | Plant, data = CO2, lambda = 1,
                               family = "multinomial", ...)
  )
  for (name in names(make)) for (scale in c("pooled", "none")) {
    model <- make[[name]](kernel = kernel_linear(), domain_kernel = domain_pooled(), scale = scale)
    b <- as.matrix(coef(model))
    expect_identical(rownames(b)[1], "(Intercept)")
    X <- cbind(1, sapply(rownames(b)[-1], function(column) {
      if (column %in% names(CO2)) CO2[[column]]
      else CO2$Type == sub("^Type", "", column)
    }))
    expect_equal(unname(X %*% b), unname(as.matrix(predict(model, CO2, type = "link"))),
                 tolerance = 1e-7, info = paste(name, scale))
  }
  # others keep what they have
  curved <- dg_ridge(uptake ~ conc | Plant, data = CO2, lambda = 1)
  expect_identical(coef(curved), curved$coefficients)
})

test_that("vcov() and confint() of a model without errors of its own name dg_coefficients()", {
  line <- dg_lm(uptake ~ conc | Plant, data = CO2)
  expect_domgen_error(vcov(line), "dg_coefficients")
  expect_domgen_error(confint(line), "confint\\(dg_coefficients\\(model\\)\\)")
  expect_domgen_error(vcov(dg_ridge(uptake ~ conc | Plant, data = CO2, lambda = 1)),
                      "dg_coefficients")
})

test_that("without the only domain of a class its coefficients have no standard error", {
  for (k in 3:4) {
    rows <- data.frame(x = rnorm(150), g = rep(letters[1:5], 30))
    rows$y <- factor(sample(k, 150, TRUE))
    only <- sample(k, 1)
    rows$y[rows$y == only & rows$g != "b"] <- if (only == 1) 2 else 1
    inference <- dg_coefficients(suppressWarnings(dg_lm(y ~ x | g, data = rows)))
    of <- sub(":.*", "", inference$table$term)
    lost <- only == 1 | of == only
    expect_identical(is.na(inference$table$se), lost)
    # the fit without "b" has one function fewer, whose others are those of its own
    fewer <- subset(rows, g != "b")
    fewer$y <- droplevels(fewer$y)
    if (only > 1) {
      own <- coef(dg_lm(y ~ x | g, data = fewer))
      expect_equal(unname(inference$domains["b", !lost]), c(unname(own)), tolerance = 1e-6)
    }
    expect_output(print(inference), "a class\\s+has no rows")
  }
})
