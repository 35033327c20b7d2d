test_that("the data of a call are evaluated once, from memory and from a source", {
  count <- 0
  read <- function() {
    count <<- count + 1
    toy_domains()
  }
  for (call in expression(dg_lm(y ~ . | domain, read()), dg_ridge(y ~ . | domain, data = read()),
                          dg_cv(dg_lm(), y ~ . | domain, data = read()),
                          dg_ridge(y ~ . | domain, row_source(read()), feature_map = fourier),
                          fit(dg_lm(), y ~ . | domain, data = read()))) {
    count <- 0
    fourier <- features_nystrom(10)
    eval(call)
    expect_identical(count, 1, label = deparse1(call))
  }
})

test_that("folds share a formula that was taken apart once", {
  toy <- toy_domains()
  times <- c(split_formula = 0, check_formula_calls = 0, check_domain_alone = 0,
             check_rows_alone = 0)
  counted <- function(name) {
    f <- get(name, asNamespace("domgen"))
    function(...) {
      times[[name]] <<- times[[name]] + 1
      f(...)
    }
  }
  run <- quote(dg_compare(list(lm = dg_lm(), mixed = dg_ridge(kernel = kernel_mixed(), lambda = 1)),
                          y ~ . + I(x1^2) | domain, data = toy, refits = FALSE))
  for (name in names(times)) run <- bquote(with_replaced(.(name), counted(.(name)), .(run)))
  eval(run)
  expect_identical(unname(times), rep(1, 4))
})

test_that("what folds learn, they learn from their own rows of what was read", {
  toy <- toy_domains()
  toy$x1[60] <- NA
  toy$kind <- rep(c("a", "b", "c"), length.out = nrow(toy))
  run <- dg_cv(dg_lm(), y ~ poly(x2, 2) + x1 + kind | domain, data = toy, na.action = na.impute)
  held <- toy$domain == toy$domain[1L]
  alone <- dg_lm(y ~ poly(x2, 2) + x1 + kind | domain, data = toy[!held, ], na.action = na.impute)
  expect_equal(run$predictions$prediction[match(which(held), run$predictions$row)],
               unname(predict(alone, toy[held, ])))
})

test_that("variables that no data frame holds are cut into folds as its columns are", {
  toy <- toy_domains()
  y <- toy$y
  x1 <- toy$x1
  place <- toy$domain
  expect_equal(dg_cv(dg_lm(), y ~ x1 | place)$domains,
               dg_cv(dg_lm(), y ~ x1 | domain, data = toy)$domains)
})

test_that("a matrix has a name for each column, every one another, or none at all", {
  d <- mixed_data()
  X <- cbind(d$x, d$z, d$id)
  named <- function(...) `colnames<-`(X, c(...))
  fits <- list(function(x) dg_lm(x, d$y, domain = d$site),
               function(x) dg_kpca(x, domain = d$site, ncomp = 1),
               function(x) dg_cv(dg_lm(), x, d$y, domain = d$site),
               function(x) dg_importance(dg_lm(), x, d$y, domain = d$site))
  for (fit in fits) {
    expect_domgen_error(fit(named("x", "z", "x")), "`x` must have one column of each name.*`x`")
    for (lacking in list("", NA)) {
      expect_domgen_error(fit(named("x", lacking, "z")), "`x` must have a name for every.*column 2")
    }
  }
  model <- dg_lm(named("a", "b", "c"), d$y, domain = d$site)
  expect_equal(predict(model, named("a", "b", "c")[, c(3, 1, 2)]), fitted(model))
  expect_equal(predict(model, unname(X)), fitted(model))
  expect_equal(predict(model, named("", "", "")), fitted(model))
  expect_domgen_error(predict(model, cbind(named("a", "b", "c"), b = 1)),
                      "`newdata` must have one column of each name.*`b`")
  expect_domgen_error(predict(model, named("a", "b", "")), "`newdata` must have a name for every")
  # an invented name is none of the user's
  model <- dg_lm(named("x1", "x2", "x3"), d$y, domain = d$site)
  expect_domgen_error(predict(model, named("x2", "", "x1")), "`newdata` must have a name for every")
  nameless <- dg_lm(named("", "", ""), d$y, domain = d$site)
  expect_equal(predict(nameless, named("c", "a", "b")), fitted(nameless))
})
