# Rows, responses, domains and weights of every kind against every method: an
# error of ours, or a finite answer. Which of the two is fixed where it matters.
skip_on_cran() # long

b <- bad_input_base()
n <- nrow(b$X)

list2env(bad_data(b), environment())
list2env(bad_weights(b), environment())

test_that("predictors of every kind give an error of ours or a finite answer", {
  for (name in names(fits())) {
    fit_to <- fits()[[name]]
    of_turn <- function(values) turn(values, name, names(fits()))
    expect_outcomes(each(name, of_turn(matrices), function(x) fit_to(x, b$number, b$domain)), fine)
    expect_outcomes(each(name, of_turn(not_matrices), function(x) {
      fit_to(x, b$number, b$domain)
    }), "error")
  }
})

test_that("predictors of every kind are handled in classification", {
  methods <- fits()[c("dica", "udica", "svm", "svm linear", "lm", "chain")]
  for (name in names(methods)) {
    expect_outcomes(each(name, turn(matrices, name, names(methods)), function(x) {
      methods[[name]](x, b$class, b$domain)
    }), fine)
  }
})

test_that("responses of every kind give an error of ours or a finite answer", {
  for (name in names(fits())) {
    fit_to <- fits()[[name]]
    of_turn <- function(values) turn(values, name, names(fits()))
    expect_outcomes(each(name, of_turn(responses), function(y) fit_to(b$X, y, b$domain)), fine)
    expect_outcomes(each(name, of_turn(not_responses), function(y) {
      fit_to(b$X, y, b$domain)
    }), "error")
  }
})

test_that("domains of every kind give an error of ours or a finite answer", {
  for (name in names(fits())) {
    fit_to <- fits()[[name]]
    of_turn <- function(values) turn(values, name, names(fits()))
    expect_outcomes(each(name, of_turn(domains), function(g) fit_to(b$X, b$number, g)), fine)
    expect_outcomes(each(name, of_turn(not_domains), function(g) fit_to(b$X, b$number, g)), "error")
  }
})

test_that("columns of odd kinds are numbers or an error that names them", {
  d <- data.frame(b$X, y = b$number, g = b$domain)
  odd <- function(name, value) {
    d[[name]] <- value
    d
  }
  expect_domgen_error(dg_lm(y ~ . | g, data = odd("a", as.raw(1:24))),
                      "Predictor `a` must be numeric")
  expect_domgen_error(dg_lm(y ~ a | g, data = odd("y", as.raw(1:24))), "response `y` must be numeric")
  expect_domgen_error(dg_lm(y ~ a | g, data = odd("g", as.raw(1:24))), "Domain `g` must be a vector")
  expect_domgen_error(dg_lm(1 ~ I(1) | g, data = d), "one value per row \\(24\\), not 1")
  expect_domgen_error(dg_lm(1 ~ I(1) | d, data = d), "formula|[Dd]omain|one entry per row")
  expect_domgen_error(predict(dg_lm(y ~ . | g, data = d), odd("a", as.raw(1:24))), "`newdata\\$a`")
  model <- dg_ridge(as.matrix(d[c("a", "b")]), d$y, d$g)
  expect_domgen_error(predict(model, odd("a", as.matrix(d[1:2])), domain = d$g), "numeric columns")
  hexadecimal <- dg_lm(y ~ a | g, data = odd("a", as.hexmode(1:24)))
  expect_equal(fitted(hexadecimal), fitted(dg_lm(y ~ a | g, data = odd("a", 1:24))))
})

test_that("weights of every kind give an error of ours or a finite answer", {
  for (name in names(weighted_fits())) {
    fit_to <- weighted_fits()[[name]]
    of_turn <- function(values) turn(values, name, names(weighted_fits()))
    for (y in list(b$number, b$class)) {
      expect_outcomes(each(name, of_turn(weightings), function(w) {
        fit_to(b$X, y, b$domain, w)
      }), fine)
      expect_outcomes(each(name, of_turn(not_weights), function(w) {
        fit_to(b$X, y, b$domain, w)
      }), "error")
    }
  }
})

test_that("few rows give an error of ours or a finite answer", {
  for (name in names(fits())) {
    fit_to <- fits()[[name]]
    for (y in list(b$number, b$class)) {
      rows <- list("0" = integer(0), "1" = 1, "2" = 1:2, "3" = c(1, 9, 17))
      found <- expect_outcomes(
        each(name, rows, function(i) fit_to(b$X[i, , drop = FALSE], y[i], b$domain[i])), fine
      )
      expect_equal(found[[1]], "error")
    }
  }
})

test_that("embeddings and distances take the same rows and domains", {
  methods <- list(
    gram = function(x, g) domain_gram(x, g), linear = function(x, g) domain_gram(x, g,
      kernel_linear()),
    mmd = function(x, g) dg_mmd(x, g)$squared, variance = function(x, g) distributional_variance(x, g),
    permutations = function(x, g) {
      p <- dg_mmd(x, g, permutations = 3)$p_value
      p[upper.tri(p)]
    }
  )
  for (name in names(methods)) {
    expect_outcomes(each(name, matrices, function(x) methods[[name]](x, b$domain)), fine)
    expect_outcomes(each(name, not_matrices, function(x) methods[[name]](x, b$domain)), "error")
    expect_outcomes(each(name, domains, function(g) methods[[name]](b$X, g)), fine)
    expect_outcomes(each(name, not_domains, function(g) methods[[name]](b$X, g)), "error")
  }
  expect_outcomes(each("folds", domains, domain_folds), fine)
  expect_outcomes(each("folds", not_domains[c("list", "raw", "two columns", "all NA")],
    domain_folds),
                  "error")
})

test_that("scale and offset of the data do not change what can be learned", {
  scaled <- cbind(a = b$X[, 1] * 1e150, b = b$X[, 2] * 1e-150)
  for (method in list(dg_lm, dg_svm)) {
    expected <- fitted(method(b$X, b$number, b$domain))
    expect_equal(fitted(method(scaled, b$number, b$domain)), expected, tolerance = 1e-4)
    expect_equal(fitted(method(b$X + 1e8, b$number, b$domain)), expected, tolerance = 1e-4)
    expect_equal(fitted(method(b$X, b$number * 1e160, b$domain)), expected * 1e160,
      tolerance = 1e-4)
  }
  heavy <- dg_lm(b$X, b$class, b$domain, weights = rep(1e307, n), domain_weights = "equal")
  expect_equal(coef(heavy), coef(dg_lm(b$X, b$class, b$domain, domain_weights = "equal")))
  expect_equal(fitted(dg_null(b$X, b$number, weights = rep(1e307, n))), rep(mean(b$number), n))
})

test_that("scores of large numbers are finite", {
  d <- data.frame(b$X, y = b$number * 1e200, g = b$domain)
  large <- dg_cv(dg_lm(), y ~ a + b | g, data = d, progress = FALSE)
  small <- dg_cv(dg_lm(), y ~ a + b | g, data = transform(d, y = y / 1e200), progress = FALSE)
  expect_equal(large$domains$score, small$domains$score * 1e200)
  expect_equal(large$se, small$se * 1e200)
})

test_that("a weight on one row alone leaves a finite machine", {
  model <- dg_svm(b$X, b$number, b$domain, weights = rep(0:1, c(n - 1, 1)))
  expect_equal(fitted(model)[n], b$number[n], tolerance = 1e-6)
})

test_that("messages about data name the column and the value found", {
  expect_refusals({
    dg_svm(replace_at(b$X, 3, Inf), b$number, b$domain)
    kernel_matrix(kernel_rbf(), data.frame(a = 1:2, f = c("x", "y")))
    domain_gram(b$X, replace_at(b$domain, 2, NA))
    dg_dica(b$X, rep("a", n), b$domain)
    dg_dica(b$X[1, , drop = FALSE], 1, "u")
    dg_kpca(b$X[0, ])
    dg_dica(b$X, rep(0, n), b$domain, kernel_y = kernel_linear())
    kernel_matrix(kernel_linear(), b$X * 1e200, b$X * 1e200)
    dg_svm(b$X, b$number, b$domain, cost = 1e300, weights = rep(1e100, n))
  })
})

test_that("a response whose differences are not finite is refused by every learner", {
  x <- matrix(seq_len(24) / 24)
  y <- rep(c(-1e308, 0, 1e308), 8)
  for (learner in list(dg_ridge, dg_svm, dg_lm, dg_null, dg_gp)) {
    expect_domgen_error(learner(x, y, gl(4, 6)), "from -1e\\+308 to 1e\\+308", "domgen_error_data")
  }
})
