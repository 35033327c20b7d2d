skip_if_not_installed("ranger")
toy <- toy_domains(4, 15)
new <- toy_domains(2, 12, seed = 5)
flowers <- transform(iris, site = factor(rep_len(c("a", "b", "c", "d"), 150)))

seeded <- function(code) {
  set.seed(4)
  code
}

test_that("the forest is ranger's, with the same seed", {
  model <- seeded(dg_forest(y ~ . | domain, data = toy, trees = 50))
  direct <- seeded(ranger::ranger(y ~ . - domain, toy, num.trees = 50))
  expect_identical(predict(model, new), predict(direct, new)$predictions)
  model <- seeded(dg_forest(Species ~ . | site, data = flowers, trees = 50, mtry = 3, min_n = 7))
  direct <- seeded(ranger::ranger(x = iris[1:4], y = iris$Species, num.trees = 50, mtry = 3,
                                  min.node.size = 7, probability = TRUE))
  expect_equal(predict(model, flowers, type = "prob"), predict(direct, iris)$predictions)
  d <- mixed_data()
  model <- seeded(dg_forest(y ~ x + z + size + colour | site, data = d, trees = 20))
  direct <- seeded(ranger::ranger(y ~ x + z + size + colour, d, num.trees = 20))
  expect_equal(predict(model, d), predict(direct, d)$predictions)
  w <- rep_len(1:2, nrow(toy))
  model <- seeded(dg_forest(y ~ . | domain, data = toy, trees = 50, weights = w))
  direct <- seeded(ranger::ranger(y ~ . - domain, toy, num.trees = 50, case.weights = w))
  expect_identical(predict(model, new), predict(direct, new)$predictions)
})

test_that("predictions in pieces of rows are those of all rows at once", {
  many <- flowers[rep_len(seq_len(150), 3001), ]
  model <- seeded(dg_forest(Species ~ . | site, data = flowers, trees = 20))
  whole <- predict(model$engine$object, many[1:4], seed = 1)$predictions
  # the last piece has one row
  found <- in_growing_pieces(3001L, function(i) i)
  expect_identical(unlist(found), 1:3001)
  expect_identical(lengths(found), c(1000L, 2000L, 1L))
  # the forest knows classes by their numbers
  expect_identical(colnames(whole), as.character(1:3))
  expect_identical(predict(model, many, type = "prob"), `colnames<-`(whole, levels(flowers$Species)))
  one <- seeded(dg_forest(y ~ . | domain, data = toy, trees = 20))
  far <- new[rep_len(seq_len(nrow(new)), 3001), ]
  expect_identical(predict(one, far), predict(one$engine$object, far, seed = 1)$predictions)
})

test_that("threads change nothing", {
  one <- seeded(dg_forest(y ~ . | domain, data = toy, trees = 50, threads = 1))
  two <- seeded(dg_forest(y ~ . | domain, data = toy, trees = 50, threads = 2))
  expect_identical(predict(one, new), predict(two, new))
})

test_that("both scalings and the domains' means are columns of the forest", {
  model <- seeded(dg_forest(y ~ x1 + x2 | domain, data = toy, trees = 30, scale = "both",
                            domain_means = TRUE))
  columns <- function(data) {
    own <- function(v) ave(v, data$domain, FUN = function(v) (v - mean(v)) / sd(v))
    z <- function(v, of) (v - mean(of)) / sd(of)
    data.frame(x1 = z(data$x1, toy$x1), x2 = z(data$x2, toy$x2), x1.domain = own(data$x1),
               x2.domain = own(data$x2), x1.mean = z(ave(data$x1, data$domain), toy$x1),
               x2.mean = z(ave(data$x2, data$domain), toy$x2))
  }
  direct <- seeded(ranger::ranger(x = columns(toy), y = toy$y, num.trees = 30))
  expect_equal(predict(model, new), predict(direct, columns(new))$predictions)
  # its domain is described by the rows that come, or by a reference
  part <- new[new$domain == new$domain[1], ]
  expect_equal(predict(model, part[1:3, ], reference = part), predict(model, new)[1:3])
  expect_error(predict(model, new[names(new) != "domain"]), "must have the domain column",
               class = "domgen_error_data")
  expect_equal(predict(model, toy[16:18, ], reference = "training"), fitted(model)[16:18])
})

test_that("it is searched, compared and put behind a projection", {
  set.seed(1)
  tuned <- dg_tune(dg_forest(trees = 20), y ~ . | domain, data = toy, extend = FALSE)
  expect_setequal(unlist(tuned$tuning$table$min_n), c(1, 5, 20, 80))
  # more than there are
  expect_s3_class(dg_forest(y ~ . | domain, data = toy, trees = 5, mtry = 1000), "dg_forest")
  compared <- dg_compare(list(forest = dg_forest(trees = 20)), Species ~ . | site, data = flowers,
                         metric = "log_loss", refits = FALSE)
  expect_lt(compared$table$mean[2], compared$table$mean[1])
  model <- fit(dg_pipeline(dg_kpca(ncomp = 2), dg_forest(trees = 20)), Species ~ . | site, data = flowers)
  expect_gt(mean(predict(model, flowers) == flowers$Species), 0.9)
})

test_that("its arguments are checked, and what ranger refuses is said", {
  expect_error(dg_forest(trees = 0), "`trees` must be one whole number")
  expect_error(dg_forest(mtry = "all"), "`mtry` must be")
  expect_error(dg_forest(treees = 5), "did you mean `trees`")
  expect_error(need_package("nothing.of.this.name", "dg_forest()"),
               "`dg_forest\\(\\)` needs the package nothing.of.this.name", class = "domgen_error_package")
  expect_error(coef(dg_forest(y ~ . | domain, data = toy, trees = 5)), "no coefficients")
})

test_that("a prediction takes nothing from the generator", {
  set.seed(1)
  for (data in list(toy_domains(3, 20), toy_classes(3, 20))) {
    model <- fit(dg_forest(trees = 5), y ~ . | domain, data = data)
    before <- .Random.seed
    found <- predict(model, data)
    expect_identical(.Random.seed, before)
    expect_identical(predict(model, data), found)
  }
})

test_that("a response far from 0 has the forest of the same response at 0", {
  near <- toy_domains(4, 12)
  far <- transform(near, y = y + 1e9)
  predictions <- lapply(list(near, far), function(rows) {
    set.seed(1)
    predict(dg_forest(y ~ x1 + x2 | domain, data = rows, trees = 50), rows)
  })
  expect_equal(predictions[[2L]] - 1e9, predictions[[1L]], tolerance = 1e-3)
})
