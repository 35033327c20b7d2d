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
  expect_false("site" %in% rownames(dg_kpca(~ . | site, data = d)$blueprint$columns))
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

test_that("a formula cannot take the constant out", {
  d <- mixed_data()
  for (f in list(y ~ 0 + x | site, y ~ x - 1 | site, y ~ -1 + size + x | site, y ~ x + 0 | site)) {
    expect_domgen_error(dg_lm(f, data = d), "must not take the constant out.*`intercept = FALSE`")
  }
  expect_domgen_error(dg_kpca(~ 0 + x | site, data = d), "must not take the constant out")
  expect_equal(coef(dg_lm(y ~ 1 + x - 0 | site, data = d)), coef(dg_lm(y ~ x | site, data = d)))
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
         kpca = dg_kpca(~ bend(x) | site, data = data, ncomp = 1))
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

test_that("a term or domain that looks at other rows is an error that names it", {
  d <- mixed_data()
  for (term in expression(I(x - mean(x)), rank(x), cumsum(x), cut(x, 3), x > mean(x),
                          as.integer(factor(colour)), duplicated(count), I(scale(x)^2), d[, "x"])) {
    says <- paste0("must not have `", deparse1(term), "`, whose value in a row depends on other")
    f <- eval(bquote(y ~ z + .(term) | site))
    if (!identical(term, quote(x > mean(x)))) {
      expect_error(dg_lm(f, data = d), says, fixed = TRUE, class = "domgen_error_argument")
    }
    f <- eval(bquote(y ~ z | .(if (is_call_to(term, "I")) term[[2L]] else term)))
    expect_error(dg_lm(f, data = d), "whose value in a row depends on other", fixed = TRUE,
                 class = "domgen_error_argument")
  }
  # of the row alone
  for (f in list(y ~ x + I(z > 1.5) + as.integer(size) | paste(site, flag),
                 y ~ format(day, "%d") + log(z) | interaction(site, factor(count > 3)),
                 y ~ cut(z, c(0, 1.5, 3)) + poly(x, 2) + splines::ns(x, 3) | cut(x, c(-9, 0, 9)))) {
    model <- dg_ridge(f, data = d, lambda = 1, scale = "domain", domain_kernel = domain_pooled())
    expect_equal(predict(model, d[60:1, ]), fitted(model)[60:1])
  }
})

test_that("columns that are looked up elsewhere are an error", {
  d <- mixed_data()
  x <- "x"
  for (term in expression(d[["x"]], get("x"), get0(x), with(d, x), d$x, eval(quote(x)))) {
    for (f in list(bquote(y ~ z + .(term) | site), bquote(y ~ z | .(term)),
                   bquote(.(term) ~ z | site))) {
      expect_domgen_error(dg_lm(eval(f), data = d), "must name columns of `data`")
    }
  }
})

test_that("terms that only other packages understand are errors that say what is meant here", {
  d <- mixed_data()
  d$time <- d$z
  for (term in expression(strata(flag), cluster(id), frailty(site), survival::tt(x), pspline(x),
                          ridge(x), survival::frailty.gamma(site), s(x), mgcv::te(x, z),
                          Error(id))) {
    f <- eval(bquote(y ~ z + .(term) | site))
    expect_error(dg_lm(f, data = d), paste0("must not have `", deparse1(term), "`: "),
                 fixed = TRUE, class = "domgen_error_argument")
  }
  expect_domgen_error(dg_lm(y ~ x + (1 | site), data = d), "for `.1 . school.` write `. school`")
  expect_domgen_error(dg_lm(y ~ x^2 | site, data = d), "means x; as arithmetic it is `I.x.2.`")
  expect_domgen_error(dg_lm(y ~ x %in% c(1, 2) | site, data = d), "`I.x %in% c.1, 2..`")
  expect_length(columns_of(dg_lm(y ~ (x + z)^2 | site, data = d)), 3)
  # a user's own function is one of the columns
  s <- function(v) v^2
  expect_equal(coefficients_of(dg_lm(y ~ s(x) | site, data = d)),
               coefficients_of(dg_lm(y ~ I(x^2) | site, data = d)))
})

test_that("what cannot be meant is an error", {
  d <- mixed_data()
  expect_refusals({
    dg_lm(y ~ x | site | flag, data = d)
    dg_lm(y ~ x + (1 | site), data = d)
    dg_lm(y ~ x | id:count, data = d)
    dg_lm(y ~ 1 | site, data = d)
    dg_svm(y ~ x + offset(z) | site, data = d)
    dg_lm(y ~ x | site, y = d$y, data = d)
    dg_lm(y ~ x | site, domain = d$site, data = d)
    dg_lm(y ~ . | site)
    dg_lm(y ~ x + time | site, data = d[c("y", "x", "site")])
    dg_lm(d$y ~ d$x)
    dg_lm(y ~ log(colour) | site, data = d)
  })
  expect_domgen_error(dg_lm(cbind(y, x) ~ z | site, data = d), "with `weights = y \\+ x`")
  expect_domgen_error(dg_lm(cbind(y, x, z) ~ count | site, data = d), "one response, not cbind")
  expect_domgen_error(dg_svm(y ~ x + offset(log(z)) | site, data = d),
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
  given <- dg_coir(Sepal.Length ~ Petal.Width | Species, data = iris, ncomp = 1)
  expect_equal(own(dg_coir(ncomp = 1), iris)$scores, given$scores)
  expect_equal(dg_coir(Sepal.Length ~ Petal.Width | Species, data = iris, ncomp = 1,
                    weights = NULL)$scores, given$scores)
  expect_error(own(dg_coir(ncomp = 1), iris, rep(1, 150)), "Unknown argument `weights`")
  expect_equal(fitted(own(dg_lm(), iris)),
               fitted(dg_lm(Sepal.Length ~ Petal.Width | Species, data = iris)))
})

test_that("a column called as the dot is an error where the dot is used, of whatever class", {
  d <- mixed_data()[c("y", "x", "site")]
  expected <- dg_lm(y ~ x | site, data = d)
  for (column in list(rnorm(60), rep(1:2, 30), factor(rep(1:3, 20)), rep(c("a", "b"), 30),
                      rep(c(TRUE, FALSE), 30), as.Date("2020-01-01") + 1:60)) {
    d$. <- column
    for (f in list(y ~ . | site, y ~ x + . | site, y ~ log(abs(x) + 1) + . | site, y ~ x | .)) {
      expect_domgen_error(dg_lm(f, data = d), "`data` must not have a column called `.`")
    }
    expect_domgen_error(dg_lm(d[c("x", ".")], d$y, domain = d$site), "a column called `.`")
    expect_equal(coef(dg_lm(y ~ x | site, data = d)), coef(expected))
  }
})

test_that("a user's function with the name of a column counts where the formula may call it", {
  d <- mixed_data()
  half <- function(v) v / 2
  hand_on <- function(v, f) match.fun(f)(v)
  by_symbol <- function(v, f) do.call(sapply, list(v, substitute(f)))
  x <- function(id) eval(id)
  not_called <- list(
    y ~ x | site, y ~ x * z | site, y ~ log(abs(x) + 1) | site, y ~ I(x^2) + x | site,
    y ~ poly(x, 2) | site, y ~ splines::ns(x, 3) + z | site, y ~ scale(x) | site,
    y ~ cut(x, c(-9, 0, 9)) | site, y ~ half(x) | site, y ~ pmin(x, z) | site,
    y ~ ifelse(x > 0, z, 0) | site, exp(x) ~ z | site, y ~ sapply(x, half) | site,
    y ~ vapply(FUN = half, X = x, 1) | site, y ~ unlist(Map(half, x)) | site,
    y ~ mapply(function(a, b) a + b, x, z) | site, y ~ unlist(lapply(x, function(u) u[[1]])) | site,
    y ~ base::sapply(x, function(x, at = 1) x[[at]]) | site, y ~ Reduce(`+`, list(x, z)) | site
  )
  for (f in not_called) {
    about <- deparse1(f)
    model <- dg_lm(f, data = d)
    expect_false(exists("x", environment(model$blueprint$terms), inherits = FALSE), info = about)
    expect_s3_class(dg_coefficients(model), "dg_coefficients")
    plain <- f
    environment(plain) <- list2env(list(half = half), parent = globalenv())
    expect_equal(coef(model), coef(dg_lm(plain, data = d)), info = about)
  }
  called <- list(
    y ~ x(z) | site, y ~ x + x(z) | site, y ~ I(x * x(z)) | site, y ~ sapply(z, x) | site,
    y ~ base::sapply(z, x) + x | site, y ~ unlist(Map(x, z)) | site, y ~ hand_on(z, x) | site,
    y ~ by_symbol(z, x) | site, y ~ unlist(do.call(lapply, list(z, quote(x)))) | site,
    y ~ (function(v) x(v))(z) | site, y ~ (function(v, w = x(v)) w)(z) | site,
    y ~ sapply(z, function(v, w = x(v)) w) | site, y ~ half(x(z)) | site
  )
  for (f in called) {
    expect_domgen_error(dg_lm(f, data = d), "`formula` must not have a call of .*(eval|computed)")
  }
  # a harmless one goes with the model
  x <- function(id) id + 1
  model <- dg_lm(y ~ x + sapply(z, x) | site, data = d)
  expect_true(exists("x", environment(model$blueprint$terms), inherits = FALSE))
  expect_equal(unname(coef(model)), unname(coef(lm(y ~ x + I(z + 1), d))))
})

test_that("the default of an argument is code, too", {
  d <- mixed_data()
  for (f in list(y ~ (function(v, w = eval(v)) w)(x) | site,
                 y ~ sapply(x, function(v, w = eval(v)) w) | site,
                 y ~ I((function(v, w = (function(u = eval(v)) u)()) w)(x)) | site)) {
    expect_domgen_error(dg_lm(f, data = d), "must name columns of `data`, .* not eval\\(v\\)")
  }
})
