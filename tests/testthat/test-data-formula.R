test_that("the bar names the domain and the rest the predictors", {
  d <- mixed_data()
  model <- dg_lm(y ~ x + z | site, data = d)
  expect_equal(columns_of(model), c("x", "z"))
  expect_equal(levels(model$domain), c("s1", "s2", "s3"))
  expect_equal(coefficients_of(model), unname(coef(lm(y ~ x + z, d))))
  expect_equal(formula(model), y ~ x + z | site, ignore_formula_env = TRUE)
})

test_that("a dot stands for all but the response and the domain", {
  d <- mixed_data()[c("y", "x", "z", "id", "site")]
  expect_equal(columns_of(dg_lm(y ~ . | site, data = d)), c("x", "z", "id"))
  expect_equal(columns_of(dg_lm(y ~ ., domain = site, data = d)), c("x", "z", "id"))
  expect_equal(columns_of(dg_lm(exp(y) ~ . | site, data = d)), c("x", "z", "id"))
  expect_equal(columns_of(dg_lm(exp(y) ~ poly(x, 2) + x:z | site, data = d)),
               c("poly(x, 2)1", "poly(x, 2)2", "x:z"))
  expect_equal(columns_of(dg_lm(y ~ . | interaction(site, id > 30), data = d)), c("x", "z"))
  expect_false("site" %in% rownames(kpca(~ . | site, data = d)$blueprint$columns))
})

test_that("a variable that is taken out of the dot is not asked for again", {
  d <- mixed_data()[c("y", "x", "z", "id", "site")]
  whole <- dg_lm(y ~ . - id | site, data = d)
  expect_equal(columns_of(whole), c("x", "z"))
  d$id[3:9] <- NA
  expect_silent(model <- dg_lm(y ~ . - id | site, data = d))
  expect_equal(nobs(model), 60)
  expect_equal(predict(model, d[c("z", "x")]), fitted(whole))
})

test_that("the intercept is the model's affair", {
  d <- mixed_data()
  expect_equal(columns_of(dg_lm(y ~ 0 + size + x | site, data = d)),
               columns_of(dg_lm(y ~ size + x | site, data = d)))
})

test_that("interactions of variables can be domains", {
  d <- mixed_data()
  model <- dg_svm(y ~ x | interaction(site, flag, drop = TRUE), data = d)
  expect_equal(nlevels(model$domain), 6)
  expect_equal(predict(model, d), fitted(model))
  expect_domgen_error(predict(model, d[c("x", "site")]), "`site`, `flag`")
})

test_that("the formula may be a variable, a named argument, or come before unnamed data", {
  d <- mixed_data()
  f <- y ~ x + z | site
  expected <- coef(dg_lm(y ~ x + z | site, data = d))
  expect_equal(coef(dg_lm(f, data = d)), expected)
  expect_equal(coef(dg_lm(formula = f, data = d)), expected)
  expect_equal(coef(dg_lm(f, d)), expected)
  expect_equal(coef(dg_lm(formula = f, d)), expected)
  expect_equal(coef(fit(dg_lm(), f, d)), expected)
  expect_equal(coef(dg_lm(y ~ x + z, d, domain = site)), expected)
})

test_that("variables are found where the formula was written", {
  d <- mixed_data()
  y <- d$y
  x <- replace(d$x, 60, NA)
  where <- d$site
  expect_warning(free <- dg_lm(y ~ poly(x, 2) | where), "1 row of 60",
                 class = "domgen_warning_missing")
  expect_equal(coef(free), coef(dg_lm(y ~ poly(x, 2) | site, data = d[-60, ])))
  expect_equal(predict(free, d[5:1, ]), predict(free, d)[5:1])
  expect_domgen_error(predict(free, d["z"]), "no column `x`")

  extra <- d$z
  mixed <- dg_lm(y ~ x + extra | site, data = d)
  expect_equal(coefficients_of(mixed), coefficients_of(dg_lm(y ~ x + z | site, data = d)))
  expect_domgen_error(predict(mixed, d), "no column `extra`")
})

test_that("functions and constants of the caller are remembered, its data are not", {
  d <- mixed_data()
  fit_here <- function(data) {
    big <- stats::rnorm(1e6)
    x <- big
    power <- 2
    helper <- function(v) v^power
    bend <- function(v, times = power) times * helper(v)
    list(lm = dg_lm(y ~ bend(x) + I(z^power) | site, data = data),
         kpca = kpca(~ bend(x) | site, data = data, ncomp = 1))
  }
  models <- fit_here(d)
  expect_lt(length(serialize(models$lm, NULL)), 1e5)
  expect_lt(length(serialize(models$kpca, NULL)), 1e5)
  file <- tempfile(fileext = ".rds")
  saveRDS(models, file)
  again <- readRDS(file)
  unlink(file)
  expect_equal(predict(again$lm, d), fitted(lm(y ~ I(2 * x^2) + I(z^2), d)), ignore_attr = TRUE)
  expect_equal(predict(again$kpca, d), fitted(models$kpca))
})

test_that("recursive functions and constants of the global environment are remembered too", {
  d <- mixed_data()
  f <- local({
    down <- function(v, k) if (k == 0) v else down(v / 2, k - 1)
    y ~ down(x, 3) | site
  })
  model <- dg_lm(f, data = d)
  assign("domgen_test_power", 3, globalenv())
  f <- y ~ I(x^domgen_test_power) | site
  environment(f) <- globalenv()
  cubic <- dg_lm(f, data = d)
  rm("domgen_test_power", envir = globalenv())
  rm(f)
  expect_equal(predict(model, d), fitted(model))
  expect_equal(predict(cubic, d), fitted(cubic))
})

test_that("an argument of the caller that was not given is in nobody's way", {
  d <- mixed_data()
  inside <- function(x, site) dg_lm(y ~ x + I(z^2) | site, data = d)
  expect_equal(coef(inside()), coef(dg_lm(y ~ x + I(z^2) | site, data = d)))
})

test_that("bases learn their knots once", {
  d <- mixed_data()
  for (f in list(y ~ splines::ns(x, 3) | site, y ~ poly(x, 2) | site, y ~ scale(x) | site,
                 y ~ I(x^2) | site, y ~ splines::bs(x, df = 4) | site)) {
    model <- dg_lm(f, data = d)
    expect_equal(unname(unlist(lapply(1:5, function(i) predict(model, d[i, ])))),
                 fitted(model)[1:5])
  }
})

test_that("a transformation that looks at other rows gives a warning", {
  d <- mixed_data()
  for (f in list(y ~ z + I(x - mean(x)) | site, y ~ rank(x) | site, y ~ cumsum(x) | site)) {
    expect_warning(dg_lm(f, data = d), "depends on the other rows",
                   class = "domgen_warning_dependent")
  }
  # not that one row has other breaks
  for (kernel in list(kernel_rbf(), kernel_mixed())) {
    told <- capture_warnings(dg_ridge(y ~ z + cut(x, 3) | site, data = d, lambda = 1,
                                      kernel = kernel))
    expect_length(told, 1L)
    expect_match(told, "depends on the other rows")
  }
})

test_that("what cannot be meant is an error", {
  d <- mixed_data()
  expect_refusals({
    dg_lm(y ~ x | site | flag, data = d)
    dg_lm(y ~ x + (1 | site), data = d)
    dg_lm(y ~ x | id:count, data = d)
    dg_lm(y ~ 1 | site, data = d)
    dg_lm(y ~ x + offset(z) | site, data = d)
    dg_lm(y ~ x | site, y = d$y, data = d)
    dg_lm(y ~ x | site, domain = d$site, data = d)
    dg_lm(y ~ . | site)
    dg_lm(y ~ x + time | site, data = d[c("y", "x", "site")])
    dg_lm(d$y ~ d$x)
    dg_lm(y ~ log(colour) | site, data = d)
  })
  expect_domgen_error(dg_lm(cbind(y, x) ~ z | site, data = d), "with `weights = y \\+ x`")
  expect_domgen_error(dg_lm(cbind(y, x, z) ~ time | site, data = d), "one response, not cbind")
  expect_domgen_error(dg_lm(y ~ x + offset(log(z)) | site, data = d),
                      "`y / z ~ ...` with `weights = z`")
})

test_that("a change of a formula with a dot knows what the dot stood for", {
  data <- data.frame(y = c(1, 3, 2, 5), a = 1:4, b = c(2, 1, 1, 4), g = c("u", "u", "v", "v"))
  model <- dg_lm(y ~ .^2 | g, data = data)
  changed <- update(model, . ~ . - a:b + log(b))
  expect_equal(fitted(changed), fitted(dg_lm(y ~ a + b + log(b) | g, data = data)))
})

test_that("weights that are NULL are not given, also where a function hands its own on", {
  own <- function(spec, data, weights = NULL) {
    fit(spec, Sepal.Length ~ Petal.Width | Species, data = data, weights = weights)
  }
  given <- coir(Sepal.Length ~ Petal.Width | Species, data = iris, ncomp = 1)
  expect_equal(own(coir(ncomp = 1), iris)$scores, given$scores)
  expect_equal(coir(Sepal.Length ~ Petal.Width | Species, data = iris, ncomp = 1,
                    weights = NULL)$scores, given$scores)
  expect_error(own(coir(ncomp = 1), iris, rep(1, 150)), "Unknown argument `weights`")
  expect_equal(fitted(own(dg_lm(), iris)),
               fitted(dg_lm(Sepal.Length ~ Petal.Width | Species, data = iris)))
})
