# Terms of a method's own: that they are the formula with these terms, in every place where a
# specification is fitted.

d <- with_seed(4, {
  site <- factor(rep(letters[1:12], each = 20))
  age <- runif(240, 20, 80) + as.integer(site)
  sex <- factor(sample(c("f", "m"), 240, TRUE))
  lab <- rnorm(240)
  y <- sin(age / 10) + (sex == "m") * age / 40 + lab / 3 + rnorm(12)[site] / 2 + rnorm(240) / 3
  data.frame(site, age, sex, lab, y, ill = factor(ifelse(y + rlogis(240) > 0.5, "yes", "no")),
             n = rpois(240, exp(y / 2)))
})

test_that("the folds are those of glm() with the terms, and knots of the training rows", {
  spec <- dg_lm(terms = ~ splines::ns(age, 4) * sex)
  folds <- with_seed(1, domain_folds(d$site, folds = 4))
  found <- dg_compare(list(own = spec, plain = dg_lm()), ill ~ age + sex | site, data = d,
                      folds = folds, refits = FALSE)
  by_hand <- function(name, formula) {
    rows <- found$runs[[name]]$predictions
    for (fold in unique(rows$fold)) {
      held <- rows$row[rows$fold == fold]
      model <- stats::glm(formula, stats::binomial(), d[-held, ], epsilon = 1e-14)
      expect_equal(unname(rows$prob[rows$fold == fold, "yes"]),
                   unname(predict(model, d[held, ], type = "response")), tolerance = 1e-8)
    }
  }
  by_hand("own", ill ~ splines::ns(age, 4) * sex)
  by_hand("plain", ill ~ age + sex)
  one <- dg_cv(spec, ill ~ age + sex | site, data = d, folds = folds)
  expect_equal(one$predictions$prob, found$runs$own$predictions$prob)
  # a calibration by site takes the comparison
  expect_s3_class(dg_validate(found), "dg_validate")
})

test_that("every learner fits what it fits to the formula with these terms", {
  # response and domain of the shared formula, predictors of the terms
  long <- y ~ sex + poly(age, 2) + log(age) | site
  same <- function(spec, own) {
    a <- with_seed(1, fit(spec, long, data = d))
    b <- with_seed(1, fit(own, y ~ lab | site, data = d))
    expect_equal(predict(b, d), predict(a, d))
    expect_equal(predict(b, d[40:1, ]), predict(a, d[40:1, ]))
    expect_identical(format_formula(formula(b)), format_formula(formula(a)))
  }
  terms <- ~ sex + poly(age, 2) + log(age)
  same(dg_lm(), dg_lm(terms = terms))
  same(dg_ridge(lambda = 1), dg_ridge(lambda = 1, terms = terms))
  same(dg_svm(cost = 1), dg_svm(cost = 1, terms = terms))
  same(dg_glm(lambda = 1), dg_glm(lambda = 1, terms = terms))
  same(dg_gp(restarts = 1), dg_gp(restarts = 1, terms = terms))
  custom <- function(...) {
    learner_custom(function(x, y) stats::lm.fit(cbind(1, as.matrix(x)), y)$coefficients,
                   function(object, x) drop(cbind(1, as.matrix(x)) %*% object), ...)
  }
  same(custom(), custom(terms = terms))
  same(dg_pipeline(dg_kpca(ncomp = 2), dg_lm()),
       dg_pipeline(dg_kpca(ncomp = 2), dg_lm(), terms = terms))
  same(dg_ensemble(list(dg_lm(), dg_ridge(lambda = 1))),
       dg_ensemble(list(dg_lm(), dg_ridge(lambda = 1)), terms = terms))
  if (requireNamespace("ranger", quietly = TRUE)) {
    same(dg_forest(trees = 20), dg_forest(trees = 20, terms = terms))
  }
  if (requireNamespace("glmnet", quietly = TRUE)) {
    same(dg_net(lambda = 0.1), dg_net(lambda = 0.1, terms = terms))
  }
  if (requireNamespace("lme4", quietly = TRUE)) same(dg_mixed(), dg_mixed(terms = terms))
})

test_that("a dot is what the formula has", {
  expect_terms <- function(terms, formula, wanted) {
    model <- dg_lm(formula, data = d[c("site", "age", "sex", "lab", "y")], terms = terms)
    expect_equal(coef(model), coef(dg_lm(wanted, data = d)), ignore_attr = TRUE)
    expect_equal(dg_cv(model)$mean, dg_cv(dg_lm(), wanted, data = d)$mean)
  }
  expect_terms(~ . + lab, y ~ age + sex | site, y ~ age + sex + lab | site)
  expect_terms(~ .^2, y ~ age + sex | site, y ~ age * sex | site)
  expect_terms(~ . - lab, y ~ . | site, y ~ age + sex | site)
  expect_terms(~ . + I(age^2), y ~ log(age) | site, y ~ log(age) + I(age^2) | site)
})

test_that("rows are those that are complete for all methods, which is printed", {
  gaps <- d
  gaps$age[1:3] <- NA
  gaps$lab[c(3, 30)] <- NA
  found <- suppressWarnings(dg_compare(list(a = dg_lm(), b = dg_lm(terms = ~ lab)),
                                       y ~ age | site, data = gaps, folds = 3, refits = FALSE))
  for (run in found$runs) expect_identical(sort(run$predictions$row), setdiff(1:240, c(1:3, 30)))
  expect_output(print(found), "4 of 240 rows left out: incomplete for at least one method")
  # without terms nothing is said
  plain <- suppressWarnings(dg_compare(list(a = dg_lm()), y ~ age | site, data = gaps, folds = 3,
                                       refits = FALSE))
  expect_no_match(capture.output(print(plain)), "left out: incomplete")
  tuned <- suppressWarnings(dg_tune(dg_lm(), y ~ age | site, data = gaps, folds = 3,
                                    grid = list(terms = list(~ age, ~ poly(age, 2) + lab))))
  expect_identical(nrow(tuned$tuning$table), 2L)
  gaps$lab[gaps$site != "a"] <- NA
  gaps$age[gaps$site == "a"] <- NA
  expect_error(suppressWarnings(dg_compare(list(dg_lm(), b = dg_lm(terms = ~ lab)), y ~ age | site,
                                           data = gaps)),
               "No row is complete for all methods", class = "domgen_error_data")
})

test_that("searches, updates and closed forms keep the terms", {
  model <- dg_ridge(y ~ age | site, data = d, lambda = 1, terms = ~ splines::ns(age, 3) + sex)
  direct <- dg_ridge(y ~ splines::ns(age, 3) + sex | site, data = d, lambda = 1)
  expect_equal(dg_cv(model)$mean, dg_cv(direct)$mean)
  expect_equal(predict(update(model, terms = ~ log(age)), d),
               predict(dg_ridge(y ~ log(age) | site, data = d, lambda = 1), d))
  expect_equal(predict(update(model, data = d[1:200, ]), d),
               predict(dg_ridge(y ~ splines::ns(age, 3) + sex | site, data = d[1:200, ],
                                lambda = 1), d))
  expect_error(update(model, . ~ . + lab), "a model with `terms` of its own")
  spec <- dg_ridge(terms = ~ splines::ns(age, 3), domain_kernel = domain_pooled())
  tuned <- dg_tune(spec, y ~ sex | site, data = d, grid = list(lambda = c(0.1, 1)), folds = 3)
  expect_identical(format_formula(formula(tuned)), "y ~ splines::ns(age, 3) | site")
  expect_equal(predict(tuned, d)[1:3], predict(tuned, d[1:3, ]))
  expect_equal(predict(unserialize(serialize(model, NULL)), d), predict(model, d))
})

test_that("a specification carries what its terms name, and no more", {
  make <- function() {
    bulk <- rnorm(1e5)
    age <- rnorm(1e5)
    half <- function(v) v / 2
    k <- 2
    dg_lm(terms = ~ poly(half(age), k))
  }
  model <- fit(make(), y ~ sex | site, data = d)
  expect_equal(predict(model, d),
               unname(fitted(lm(y ~ poly(age, 2), d))), tolerance = 1e-8)
  # `age` is a column, not the variable of that name
  expect_lt(length(serialize(model$spec, NULL)), 2e5)
  k <- 3
  expect_error(fit(make(), I(y^k) ~ sex | site, data = d), "`k` has one value in `terms`")
})

test_that("what terms cannot be is said", {
  expect_error(dg_lm(terms = "age"), "`terms` must be a formula with one side, as in")
  expect_error(dg_lm(terms = y ~ age), "the response is that of the formula")
  expect_error(dg_lm(terms = ~ age | site), "the domain is that of the formula")
  fitted <- function(terms) dg_lm(y ~ sex | site, data = d, terms = terms)
  expect_error(fitted(~ 1), "`terms` must name at least one predictor")
  expect_error(fitted(~ nothing), "`data` has no column `nothing`")
  expect_error(fitted(~ s(age)), "`terms` must not have `s\\(age\\)`")
  expect_error(fitted(~ I(age - mean(age))), "depends on other rows")
  expect_error(dg_lm(as.matrix(d["age"]), d$y, d$site, terms = ~ log(age)),
               "`terms` needs a data frame")
  expect_error(dg_ensemble(list(dg_lm(terms = ~ age), dg_ridge())), "use `dg_ensemble\\(...,")
  expect_error(dg_pipeline(dg_kpca(), dg_lm(terms = ~ age)), "use `dg_pipeline\\(...,")
  expect_error(dg_tune(dg_pipeline(dg_kpca(), dg_lm()), grid = list(terms = list(~ age))),
               "A part must not have `terms`")
  # data frames without a formula have columns
  expect_equal(coef(dg_lm(d["age"], d$y, d$site, terms = ~ log(age))),
               coef(lm(y ~ log(age), d)))
})
