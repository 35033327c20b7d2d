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
