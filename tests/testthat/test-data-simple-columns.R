# The same columns by terms(), model.frame() and model.matrix().
by_terms <- function(formula, data) {
  with_replaced("simple_columns", function(...) NULL, dg_lm(formula, data = data))
}

test_that("columns taken as they are say the same as model.matrix()", {
  d <- mixed_data()
  d$M <- cbind(p = d$x^2, q = d$z^2)
  d$`odd name` <- d$x * d$z
  for (f in list(y ~ x + z | site, y ~ . - id - w | site, y ~ size + x + grade + z + colour | site,
                 log(z) ~ size + x | site, y ~ M + x + flag + day | site, y ~ x - 0 + z | site,
                 y ~ 1 + x + `odd name` + size, y ~ x + z - x + x | site, y ~ x + x,
                 y ~ x - z + 1 + z, count ~ count + x | site)) {
    plain <- quietly(dg_lm(f, data = d))
    expected <- quietly(by_terms(f, d))
    expect_false(is.null(plain$blueprint$simple))
    expect_null(expected$blueprint$simple)
    expect_identical(unname(coef(plain)), unname(coef(expected)))
    # model.matrix() puts odd names in quotes
    expect_identical(names(coef(plain)), gsub("`", "", names(coef(expected))))
    new <- d[60:41, ]
    expect_identical(predict(plain, new), predict(expected, new))
    expect_identical(attr(terms(plain), "term.labels"), attr(terms(expected), "term.labels"))
  }
  for (f in list(y ~ log(z) + x | site, y ~ x:z | site, y ~ size | site, y ~ (x + z) | site)) {
    expect_null(dg_lm(f, data = d)$blueprint$simple)
  }
})

test_that("columns taken as they are drop the same rows", {
  d <- with_missing(mixed_data(), x = 2, size = 5:6, y = 9)
  d$z[1] <- -1
  for (f in list(y ~ x + z | site, log(z) ~ x + size | site, y ~ z + size | site)) {
    plain <- quietly(dg_lm(f, data = d))
    expected <- quietly(by_terms(f, d))
    expect_identical(coef(plain), coef(expected))
    expect_identical(plain$rows, expected$rows)
    expect_identical(quietly(predict(plain, d)), quietly(predict(expected, d)))
  }
  expect_domgen_error(dg_lm(y ~ x + z, data = with_missing(d, x = 1:60)), "without any value: `x`")
  expect_identical(coef(quietly(dg_kpca(~ x + z | site, data = d))),
                   coef(quietly(dg_kpca(as.matrix(d[c("x", "z")]), domain = d$site))))
})

test_that("ten thousand columns are read as fast as a formula of some", {
  X <- matrix(sin(seq_len(30 * 1e4)), 30)
  d <- data.frame(y = cos(1:30), site = rep(1:3, 10), X)
  # the square of the columns would be 800 MB; how much garbage waits depends on the session
  grown <- in_new_session({
    before <- sum(gc(reset = TRUE)[, 6L])
    dg_ridge(y ~ . | site, data = input, domain_kernel = domain_pooled())
    sum(gc()[, 6L]) - before
  }, d)
  expect_lt(grown, 300)
  X <- X[, 1:2000]
  d <- d[1:2002]
  model <- dg_ridge(y ~ . | site, data = d, domain_kernel = domain_pooled())
  expect_equal(unname(fitted(model)),
               unname(fitted(dg_ridge(X, d$y, d$site, domain_kernel = domain_pooled()))))
  expect_equal(predict(model, d[5:1, ]), fitted(model)[5:1])
})

test_that("formulas of thousands of terms are read", {
  d <- data.frame(y = cos(1:30), site = rep(1:3, 10), matrix(sin(seq_len(30 * 2500)), 30))
  names <- names(d)[-(1:2)]
  long <- stats::as.formula(paste("y ~", paste(names, collapse = " + "), "| site"))
  whole <- dg_ridge(y ~ . | site, data = d)
  model <- dg_ridge(long, data = d)
  expect_equal(fitted(model), fitted(whole))
  expect_equal(predict(model, d[1:6, ]), predict(whole, d[1:6, ]))
  expect_lte(length(capture.output(print(model))), length(capture.output(print(whole))) + 4L)
  again <- dg_ridge(stats::as.formula(paste("y ~", paste(names, collapse = " + "))), domain = site,
                    data = d)
  expect_equal(fitted(again), fitted(whole))
  functions <- stats::as.formula(paste("y ~", paste0("I(", names[1:500], ")", collapse = " + "),
                                       "| site"))
  expect_equal(unname(fitted(dg_ridge(functions, data = d))),
               unname(fitted(dg_ridge(as.matrix(d[names[1:500]]), d$y, d$site))))
  expect_domgen_error(dg_ridge(stats::as.formula(paste0("y ~ (x | z) + ",
                                                        paste(names, collapse = "+"))),
                               data = d), "one bar")
  nested <- Reduce(function(inside, k) call("(", inside), 1:2000, quote(X1 | site))
  expect_domgen_error(dg_ridge(stats::as.formula(call("~", quote(y), nested)), data = d), "one bar")
})

test_that("a column without a name is no predictor, and told where a dot would mean it", {
  d <- mixed_data()[c("y", "x", "z", "site")]
  indexed <- `names<-`(cbind(1:60, d), c("", names(d)))
  expected <- dg_lm(y ~ . | site, data = d)
  expect_warning(model <- dg_lm(y ~ . | site, data = indexed), "1 column of `data` without a name",
                 class = "domgen_warning_unnamed")
  expect_identical(coef(model), coef(expected))
  expect_silent(named <- dg_lm(y ~ x + log(z) | site, data = indexed))
  expect_silent(values <- predict(named, indexed))
  expect_equal(values, fitted(named))
  expect_silent(predict(model, `names<-`(indexed, c(NA, names(d)))))
  expect_warning(frame <- dg_lm(indexed[c(1, 3, 4)], d$y, d$site), class = "domgen_warning_unnamed")
  expect_identical(coef(frame), coef(dg_lm(d[c("x", "z")], d$y, d$site)))
  expect_warning(cv <- dg_cv(dg_lm(), y ~ . | site, data = indexed),
                 class = "domgen_warning_unnamed")
  expect_identical(cv$mean, dg_cv(dg_lm(), y ~ . | site, data = d)$mean)
})

test_that("two columns of one name are an error where they are used", {
  d <- mixed_data()[c("y", "x", "z", "site")]
  twice <- function(name) cbind(d, d[name])
  expect_domgen_error(dg_lm(y ~ . | site, data = twice("x")), "one column of each name.*`x`")
  expect_domgen_error(dg_lm(y ~ x + log(z) | site, data = twice("x")),
                      "one column of each name.*`x`")
  expect_domgen_error(dg_lm(y ~ x | site, data = twice("y")), "`y`")
  expect_domgen_error(dg_lm(y ~ x | site, data = twice("site")), "`site`")
  expect_domgen_error(dg_lm(`names<-`(d[2:3], c("x", "x")), d$y), "`x`")
  expect_domgen_error(dg_cv(dg_lm(), y ~ x | site, data = twice("x")), "`x`")
  model <- dg_svm(y ~ x | site, data = twice("z"))
  expect_equal(predict(model, twice("z")), fitted(model))
  expect_domgen_error(predict(model, twice("x")), "`newdata` must have one column of each name")
  expect_domgen_error(predict(model, twice("site")), "`newdata` must have one column of each name")
})
