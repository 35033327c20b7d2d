# Rows, responses, domains and weights of every kind against ensembles, the automatic choice, and
# learners of two functions.
skip_on_cran() # long

b <- bad_input_base()
list2env(bad_data(b), environment())
list2env(bad_weights(b), environment())

test_that("predictors, responses and domains of every kind give an error or a finite answer", {
  for (name in names(whole_fits())) {
    fit_to <- whole_fits()[[name]]
    of_turn <- function(values) turn(values, name, names(whole_fits()))
    expect_outcomes(each(name, of_turn(matrices), function(x) fit_to(x, b$number, b$domain)), fine)
    expect_outcomes(each(name, of_turn(not_matrices), function(x) {
      fit_to(x, b$number, b$domain)
    }), "error")
    expect_outcomes(each(name, of_turn(responses), function(y) {
      quietly(fit_to(b$X, y, b$domain))
    }), fine)
    expect_outcomes(each(name, of_turn(not_responses), function(y) {
      fit_to(b$X, y, b$domain)
    }), "error")
    expect_outcomes(each(name, of_turn(domains), function(g) fit_to(b$X, b$class, g)), fine)
    expect_outcomes(each(name, of_turn(not_domains), function(g) {
      fit_to(b$X, b$number, g)
    }), "error")
  }
})

test_that("weights of every kind, and few rows, give an error or a finite answer", {
  few <- list("1" = 1, "2" = 1:2, "3" = c(1, 9, 17), "4" = c(1, 2, 9, 10))
  for (name in names(whole_fits())) {
    fit_to <- whole_fits()[[name]]
    of_turn <- function(values) turn(values, name, names(whole_fits()))
    for (y in list(b$number, b$class)) {
      expect_outcomes(each(name, of_turn(weightings), function(w) {
        fit_to(b$X, y, b$domain, w)
      }), fine)
      expect_outcomes(each(name, of_turn(few), function(i) {
        fit_to(b$X[i, , drop = FALSE], y[i], b$domain[i])
      }), fine)
    }
    expect_outcomes(each(name, of_turn(not_weights), function(w) {
      fit_to(b$X, y, b$domain, w)
    }), "error")
  }
})

test_that("a class of which all rows have weight 0 has no probability in a forest", {
  skip_if_not_installed("ranger")
  for (y in list(b$class, factor(rep_len(c("p", "q", "r"), nrow(b$X))))) {
    model <- dg_forest(b$X, y, b$domain, trees = 5, weights = as.numeric(y != "q"))
    P <- predict(model, b$X, domain = b$domain, type = "prob")
    expect_identical(colnames(P), levels(y))
    expect_equal(P[, "q"], rep(0, nrow(P)))
    expect_false(any(predict(model, b$X, domain = b$domain) == "q"))
  }
})

test_that("one column that is called by the first class is no probability of the second", {
  of <- function(name) {
    learner_custom(function(x, y) 1, function(object, x) {
      matrix(0.75, nrow(x), 1L, dimnames = list(NULL, name))
    })
  }
  expect_domgen_error(fit(of("p"), b$X, b$class, b$domain), "not 1 column called `p`",
                      "domgen_error_learner")
  found <- predict(fit(of("q"), b$X, b$class, b$domain), b$X, domain = b$domain, type = "prob")
  expect_equal(found[, "q"], rep(0.75, nrow(b$X)))
})

test_that("the automatic choice does not depend on the unit of the weights", {
  w <- rep_len(c(1, 2, 4), nrow(b$X))
  model <- function(unit) dg_auto(b$X, b$number, b$domain, weights = unit * w, n_members = 2)
  expected <- model(1)
  for (unit in c(1e-6, 1e6)) {
    expect_equal(fitted(model(unit)), fitted(expected), tolerance = 1e-6)
    expect_equal(model(unit)$choice$expected, expected$choice$expected, tolerance = 1e-6)
  }
})

test_that("folds and units that leave nothing to learn from are named", {
  choose <- function(...) dg_auto(b$X, b$number, b$domain, ...)
  expect_refusals({
    choose(folds = row_folds(b$domain, 2))
    choose(unit = rep(1, 24))
    choose(unit = rep(c(1, 2, 1), c(4, 4, 16)))
  })
})

test_that("odd names, arguments and functions of learners and ensembles are refused or read", {
  expect_warning(expect_domgen_error(learner_custom(`[`, function(object, x) 1), "`fit` must be"),
                 NA)
  rest <- function(x, y, ...) 1
  expect_domgen_error(learner_custom(rest, function(object, x) 1, a = 1, a = 2),
                      "`a` must be given once")
  listed <- learner_custom(rest, function(object, x) 1, a = list(1, "b"))
  expect_output(print(listed), "a +1, b")
  members <- stats::setNames(list(dg_lm(), dg_null()), c(NA, "b"))
  expect_named(dg_ensemble(members)$args$members, c("lm", "b"))
  large <- fit(dg_ensemble(unname(members), member_weights = c(1e308, 1e308)), b$X, b$number, b$domain)
  expect_equal(coef(large), c(lm = 0.5, null = 0.5))
})

test_that("a model that keeps no rows has no map of its domains", {
  own <- learner_custom(function(x, y) 1, function(object, x) rep(1, nrow(x)))
  for (spec in list(own, dg_lm(), dg_null())) {
    model <- fit(spec, b$X, b$number, b$domain)
    expect_domgen_error(domain_map(model, b$X, b$domain), "must keep its training rows")
    expect_domgen_error(domain_map(model), "must keep its training rows")
  }
})
