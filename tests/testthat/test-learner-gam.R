skip_if_not_installed("mgcv")
flowers <- transform(iris, site = factor(rep_len(letters[1:5], 150)))
two <- droplevels(subset(flowers, Species != "setosa"))

test_that("numbers are those of gam(), smooth in columns with many values", {
  model <- dg_gam(Sepal.Length ~ . | site, data = flowers)
  direct <- mgcv::gam(Sepal.Length ~ s(Sepal.Width) + s(Petal.Length) + s(Petal.Width) + Species,
                      data = iris, method = "REML")
  new <- transform(flowers[1:20, ], Petal.Length = Petal.Length + 3)
  expect_equal(predict(model, new), unname(c(predict(direct, new))), tolerance = 1e-6)
  expect_equal(fitted(model), predict(model, flowers))
  w <- rep_len(1:2, 150)
  model <- dg_gam(Sepal.Length ~ Petal.Length | site, data = flowers, k = 5, weights = w)
  direct <- mgcv::gam(Sepal.Length ~ s(Petal.Length, k = 5), data = iris, method = "REML",
                      weights = w / mean(w))
  expect_equal(predict(model, flowers), unname(c(fitted(direct))), tolerance = 1e-6)
})

test_that("two classes are those of the binomial family", {
  model <- dg_gam(Species ~ Sepal.Length + Sepal.Width | site, data = two, k = 4)
  direct <- mgcv::gam(I(Species == "virginica") ~ s(Sepal.Length, k = 4) + s(Sepal.Width, k = 4),
                      binomial, two, method = "REML")
  expect_equal(predict(model, two, type = "prob")[, 2], unname(c(fitted(direct))), tolerance = 1e-6)
})

test_that("the domains' means have few values and linear terms", {
  model <- dg_gam(Sepal.Length ~ Petal.Length | site, data = flowers, domain_means = TRUE)
  flowers$mean <- ave(flowers$Petal.Length, flowers$site)
  direct <- mgcv::gam(Sepal.Length ~ s(Petal.Length) + mean, data = flowers, method = "REML")
  expect_equal(predict(model, flowers), unname(c(fitted(direct))), tolerance = 1e-6)
  expect_output(print(model), "smooth +1 of 2 columns, the others linear")
  all <- dg_gam(Sepal.Length ~ Petal.Length + Petal.Width | site, data = flowers)
  expect_output(print(all), "smooth +2 of 2 columns\n|smooth +2 of 2 columns$")
})

test_that("a model has no rows, comes back from a file and needs few rows", {
  model <- dg_gam(Sepal.Length ~ Petal.Length + Species | site, data = flowers)
  many <- dg_gam(Sepal.Length ~ Petal.Length + Species | site,
                 data = flowers[rep(seq_len(150), 20), ])
  size <- function(model) length(serialize(model$engine$object, NULL))
  expect_lt(size(many), 1.2 * size(model))
  expect_identical(predict(unserialize(serialize(model, NULL)), flowers), predict(model, flowers))
  # as many smooth functions as rows allow
  few <- dg_gam(Sepal.Length ~ Sepal.Width + Petal.Length + Petal.Width | site,
                data = flowers[seq(1, 150, 10), ])
  expect_true(all(is.finite(predict(few, flowers))))
  tiny <- dg_gam(Sepal.Length ~ Petal.Length | site, data = flowers[c(1, 60, 90), ])
  expect_equal(predict(tiny, flowers),
               unname(predict(lm(Sepal.Length ~ Petal.Length, flowers[c(1, 60, 90), ]), flowers)))
})

test_that("of classes weight k counts as k rows", {
  w <- rep_len(1:3, nrow(two))
  model <- dg_gam(Species ~ Petal.Length + Sepal.Width | site, data = two, k = 4, weights = w)
  copied <- dg_gam(Species ~ Petal.Length + Sepal.Width | site, k = 4,
                   data = two[rep(seq_len(nrow(two)), w), ])
  expect_equal(predict(model, two, type = "prob"), predict(copied, two, type = "prob"),
               tolerance = 1e-3)
})

test_that("it is compared and tuned, and what is wrong is said", {
  tuned <- dg_tune(dg_gam(), Sepal.Length ~ Petal.Length | site, data = flowers, extend = FALSE,
                   grid = list(k = c(4, 8)))
  expect_identical(nrow(tuned$tuning$table), 2L)
  expect_error(dg_gam(k = 2), "`k` must be one whole number of at least 3, not 2")
  expect_error(dg_gam(Species ~ . | site, data = flowers), "^`dg_gam\\(\\)` needs a numeric response or two")
})

test_that("values whose squares overflow are fitted right or refused", {
  small <- toy_domains(3, 20)
  expected <- predict(dg_gam(y ~ x1 | domain, data = small), small)
  for (unit in c(1e150, 1e-150)) {
    for (data in list(transform(small, x1 = x1 * unit), transform(small, y = y * unit))) {
      found <- tryCatch(quietly(predict(dg_gam(y ~ x1 | domain, data = data), data)),
                        domgen_error = identity)
      if (is.numeric(found)) {
        expect_equal(found * max(expected) / max(found), expected, tolerance = 1e-3)
      } else expect_s3_class(found, "domgen_error")
    }
  }
})
