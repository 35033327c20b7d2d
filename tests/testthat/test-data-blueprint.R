test_that("factors, text and logicals are replayed from any rows and any type of text", {
  d <- mixed_data()
  model <- dg_lm(y ~ size + grade + colour + flag + count | site, data = d)
  expect_equal(predict(model, d), fitted(lm(y ~ size + grade + colour + flag + count, d)),
               ignore_attr = TRUE)
  one <- d[d$colour == "red" & d$flag & d$size == "large", ][1L, ]
  expect_equal(predict(model, droplevels(one)), fitted(model)[one$id])

  other <- d[rev(names(d))]
  other$size <- as.character(other$size)
  other$grade <- factor(as.character(other$grade), levels = c("c", "b", "a"))
  other$colour <- factor(other$colour)
  other$count <- as.numeric(other$count)
  other$y <- NULL
  other$unknown <- 1
  expect_equal(predict(model, other), fitted(model))
})

test_that("contrasts are remembered", {
  d <- mixed_data()
  treated <- dg_lm(y ~ size * x | site, data = d)
  old <- options(contrasts = c("contr.sum", "contr.poly"))
  on.exit(options(old))
  summed <- dg_lm(y ~ size * x | site, data = d)
  expect_equal(predict(treated, d), fitted(treated))
  options(old)
  expect_equal(predict(summed, d), fitted(summed))
  expect_equal(fitted(summed), fitted(treated))
  contrasts(d$size) <- contr.helmert(3)
  helmert <- dg_lm(y ~ size | site, data = d)
  expect_equal(predict(helmert, mixed_data()), fitted(helmert))
})

test_that("transformed factors and text keep their meaning", {
  d <- mixed_data()
  model <- dg_lm(y ~ I(grade > "a") + toupper(colour) + as.integer(size) + cut(z, c(0, 1.5, 2)) +
                   nchar(label) | site, data = transform(d, label = strrep("a", count)))
  expect_equal(length(columns_of(model)), 5)
  double <- transform(d, label = strrep("a", 2 * count))
  new <- transform(d, label = strrep("bc", count), size = as.character(size))[c(7, 3), ]
  expect_equal(predict(model, new), predict(model, double)[c(7, 3)])
  expect_warning(values <- predict(model, transform(d, label = "a", z = z + id / 100)), "missing")
  expect_equal(is.na(values), d$z + d$id / 100 > 2)
})

test_that("what new data cannot be is an error that names the column", {
  d <- mixed_data()
  model <- dg_lm(y ~ size + colour + x + flag + day | site, data = d)
  expect_refusals({
    predict(model, d[c("size", "x", "flag")])
    predict(model, transform(d, size = "huge"), new_levels = "error")
    predict(model, transform(d, colour = factor("blue")), new_levels = "error")
    predict(model, d, new_levels = "ignore")
    predict(model, cbind(d, d["x"]))
    predict(model, transform(d, size = 1))
    predict(model, transform(d, x = "1"))
    predict(model, transform(d, flag = 1))
    predict(model, transform(d, day = 1))
    predict(model, as.matrix(d["x"])[, 1])
    predict(model, NULL)
  })
  expect_domgen_error(predict(dg_lm(y ~ toupper(colour), data = d), transform(d, colour = "blue"),
                              new_levels = "error"),
                      "toupper\\(colour\\).*levels of training .*not \"BLUE\"")
  expect_domgen_error(dg_lm(y ~ x + constant, data = transform(d, constant = "a")),
                      "`constant` is categorical and must have at least two levels")
})

test_that("a level that is new gives NA in its rows and a warning that names it", {
  d <- mixed_data()
  new <- transform(d, size = replace(as.character(size), c(2, 9), "huge"),
                   colour = replace(colour, 5, "blue"))
  for (model in list(dg_lm(y ~ size + colour + x | site, data = d),
                     dg_lm(y ~ size + toupper(colour) + x | site, data = d),
                     dg_svm(y ~ size:x + colour | site, data = d,
                            domain_kernel = domain_pooled()))) {
    told <- testthat::capture_warnings(values <- predict(model, new))
    expect_match(told[1L],
                 "`newdata$size` has a level that training did not have, \"huge\", in 2 rows",
                 fixed = TRUE)
    expect_match(told[2L], "\"b", ignore.case = TRUE)
    expect_match(told[3L], "3 rows of `newdata` have missing values: the prediction is NA")
    expect_equal(values, replace(fitted(model), c(2, 5, 9), NA))
  }
  scores <- quietly(predict(dg_kpca(~ size + x | site, data = d), new))
  expect_equal(which(is.na(scores[, 1L])), c(2, 9))
  expect_warning(expect_warning(predict(dg_lm(y ~ size, data = d), new[2, ]),
                                class = "domgen_warning_new_level"),
                 class = "domgen_warning_missing")
})

test_that("a row that is left out does not move its domain without a word", {
  d <- mixed_data()
  model <- dg_svm(y ~ x + size | site, data = d)
  new <- transform(d, size = replace(as.character(size), c(2, 5, 7), "huge"))
  told <- testthat::capture_warnings(values <- predict(model, new))
  expect_match(told[2L], paste("these domains are described by their other rows:",
                               "\"s1\" (without 1 of its 20 rows),",
                               "\"s2\" (without 2 of its 20 rows)."), fixed = TRUE)
  expect_equal(values[-c(2, 5, 7)], predict(model, new[-c(2, 5, 7), ]))
  told <- testthat::capture_warnings(predict(model, d[1:9, ], reference = new))
  expect_match(told[2L], "`reference` have missing values: left out, and these domains are")
})

test_that("dates, times and matrices are predictors, lists are not", {
  d <- mixed_data()
  d$time <- as.POSIXct(d$day)
  d$lag <- d$day - as.Date("2019-12-01")
  d$M <- as.matrix(d[c("x", "z")])
  model <- suppressWarnings(dg_lm(y ~ day + lag + M | site, data = d))
  expect_equal(predict(model, d), fitted(model))
  expect_equal(columns_of(model), c("day", "lag", "Mx", "Mz"))
  swapped <- d
  swapped$M <- d$M[, 2:1]
  expect_equal(predict(model, swapped), fitted(model))
  hours <- d
  units(hours$lag) <- "hours"
  expect_domgen_error(predict(model, hours), "`newdata\\$lag` must be a time in days")
  swapped$M <- d$M[, 1]
  expect_domgen_error(predict(model, swapped), "a numeric matrix of 2 columns")
  expect_equal(predict(dg_lm(y ~ time, data = d), d[3:4, ]), fitted(dg_lm(y ~ time, data = d))[3:4])
  d$L <- as.list(d$x)
  expect_domgen_error(dg_lm(y ~ L | site, data = d), "Predictor `L` must be numeric.*\"list\"")
  expect_domgen_error(dg_lm(y ~ C | site, data = transform(d, C = x + 1i)), "`C` must be numeric")
  expect_equal(columns_of(dg_lm(y ~ sapply(L, sum) | site, data = d)), "sapply(L, sum)")
  d$B <- structure(d$x, class = "integer64")
  expect_domgen_error(dg_lm(y ~ B, data = d), "Predictor `B` must be.*64-bit integers beyond 2\\^53")
})

test_that("rows with missing values give NA there and change no other row", {
  d <- mixed_data()
  model <- dg_lm(y ~ log(z) + size + poly(x, 2) | site, data = d)
  holes <- with_missing(d, x = 2, size = 5:6, site = 9, y = 1:60)
  holes$z[7] <- -1
  expect_warning(values <- predict(model, holes), "4 rows of `newdata` have missing values",
                 class = "domgen_warning_missing")
  expect_equal(which(is.na(values)), c(2, 5, 6, 7))
  expect_equal(values[-c(2, 5:7)], predict(model, d)[-c(2, 5:7)])
  expect_warning(values <- predict(model, with_missing(d[1:3, ], x = 1:3)), "3 rows")
  expect_equal(values, rep(NA_real_, 3))
  expect_length(predict(model, d[0, ]), 0)
  scores <- suppressWarnings(predict(dg_kpca(~ x + z | site, data = d), holes))
  expect_equal(which(is.na(scores[, 2])), c(2))
})

test_that("a missing row of a judged domain is NA and the others are judged without it", {
  d <- mixed_data()
  model <- dg_svm(y ~ x + z | site, data = d)
  expect_warning(values <- predict(model, with_missing(d, x = 2, site = 7)),
                 "the domain is described by its other rows: \"s2\" \\(without 1 of its 20 rows\\)")
  expect_equal(which(is.na(values)), c(2, 7))
  expect_equal(values[-c(2, 7)], predict(model, d[-c(2, 7), ]))
})

test_that("the domain is asked for only where the model judges by it", {
  d <- mixed_data()
  pooled <- dg_svm(y ~ x + z | site, data = d, domain_kernel = domain_pooled())
  expect_equal(predict(pooled, d[c("x", "z")]), fitted(pooled))
  expect_equal(predict(pooled, d[4, ]), fitted(pooled)[4])
  expect_equal(predict(pooled, with_missing(d, site = 1:60)), fitted(pooled))
  judging <- dg_svm(y ~ x + z | site, data = d)
  matrix <- dg_svm(as.matrix(d[c("x", "z")]), d$y, d$site)
  expect_refusals({
    predict(judging, d[c("x", "z")])
    predict(matrix, as.matrix(d[c("x", "z")]))
    predict(judging, d, domain = d$site[-1])
    predict(judging, d, reference = d[c("x", "z")])
    predict(judging, d, reference = d, reference_domain = 1:2)
  })
  expect_equal(predict(judging, d[c("x", "z")], domain = d$site), fitted(judging))
  expect_equal(predict(matrix, as.matrix(d[c("x", "z")]), domain = as.character(d$site)),
               fitted(matrix))
  expect_equal(predict(judging, d[d$site == "s2", c("x", "z")], domain = "any"),
               fitted(judging)[d$site == "s2"])
  shuffled <- sample(60)
  expect_equal(predict(judging, d[shuffled, ]), fitted(judging)[shuffled])
})

test_that("a matrix is replayed by name where it has names", {
  d <- mixed_data()
  X <- as.matrix(d[c("x", "z", "count")])
  model <- dg_lm(X, d$y)
  expect_equal(predict(model, cbind(extra = 1, X[, 3:1])), fitted(model))
  expect_equal(predict(model, unname(X)), fitted(model))
  expect_equal(predict(model, d), fitted(model))
  expect_equal(predict(model, X[2, ]), fitted(model)[2])
  expect_equal(predict(model, X[2, 3:1]), fitted(model)[2])
  nameless <- dg_lm(unname(X), d$y)
  expect_equal(predict(nameless, X), fitted(model))
  single <- dg_lm(d$x, d$y)
  expect_equal(predict(single, d$x[2:4]), fitted(single)[2:4])
  expect_warning(values <- predict(model, replace(X, 2, NA)), "1 row of `newdata`")
  expect_equal(values, replace(fitted(model), 2, NA))
  expect_refusals({
    predict(model, X[, 1:2])
    predict(model, unname(X[, 1:2]))
    predict(model, transform(d, z = "a"))
    predict(model, d["x"])
    predict(model, list(1))
  })
})

test_that("a level that no training row has is new, however it is declared", {
  d <- data.frame(x = c(1, 3, 2, 5, 4, 7), f = factor(c("a", "b", "c")[c(2, 3, 2, 3, 2, 3)],
                                                       c("a", "b", "c")), z = rep(1:2, 3))
  d$y <- d$x + (d$f == "c")
  new <- data.frame(x = 1, f = factor(c("b", "a")), z = 1)
  for (data in list(d, droplevels(d), transform(d, f = as.character(f)))) {
    model <- dg_lm(y ~ x + f | z, data = data)
    expect_equal(unname(coef(model)), c(0, 1, 1))
    expect_equal(quietly(predict(model, new)), c(1, NA))
    expect_warning(quietly(predict(model, new), "domgen_warning_missing"),
                   "`newdata\\$f` has a level that training did not have, \"a\"",
                   class = "domgen_warning_new_level")
    expect_domgen_error(predict(model, new, new_levels = "error"), "levels of training .\"b\", \"c\"")
  }
  # numbers that are made of a factor stay what the declared levels make of them
  model <- dg_lm(y ~ x + as.integer(f) | z, data = d)
  expect_equal(predict(model, d), d$y)
  # one level that is left is no reason to fail
  one <- suppressWarnings(dg_lm(y ~ x + f | z, data = d[d$f == "b", ]))
  expect_identical(is.na(suppressWarnings(predict(one, new))), c(FALSE, TRUE))
})

test_that("a column in units is an error in others", {
  in_units <- function(x, unit) {
    structure(x, class = "units", units = structure(
      list(numerator = unit, denominator = character()), class = "symbolic_units"))
  }
  # as package units has it
  assign("[.units", envir = globalenv(), function(x, i) {
    structure(unclass(x)[i], class = "units", units = attr(x, "units"))
  })
  on.exit(rm("[.units", envir = globalenv()))
  d <- data.frame(y = c(1, 2, 4, 3), z = 1:2)
  d$far <- in_units(c(1, 2, 3, 4), "km")
  model <- dg_lm(y ~ far | z, data = d)
  expect_equal(predict(model, d), fitted(model))
  for (far in list(in_units(1000, "m"), 1)) {
    new <- data.frame(z = 1)
    new$far <- far
    expect_domgen_error(predict(model, new), "`newdata.far` must be a number in km as in training")
  }
  expect_domgen_error(source_rows(d), "`far` must be numeric")
})

test_that("columns of a matrix in new data are found by their names", {
  toy <- toy_domains(3, 12)
  toy$M <- cbind(a = toy$x1, b = toy$x2)
  for (formula in c(y ~ M | domain, y ~ M[, 1] | domain, y ~ I(M %*% c(1, 2)) | domain)) {
    model <- dg_lm(formula, data = toy)
    turned <- transform(toy, M = I(M[, 2:1]))
    expect_equal(predict(model, turned), predict(model, toy))
    colnames(turned$M) <- c("u", "v")
    expect_domgen_error(predict(model, turned), "must have the columns of training, `a`, `b`, not `u`, `v`")
  }
})
