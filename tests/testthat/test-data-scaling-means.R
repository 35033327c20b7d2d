toy <- toy_domains(4, 15)
new <- toy_domains(2, 12, seed = 9)

# The domains' means as further columns, by hand.
with_means <- function(data, from = data, by = from$domain) {
  for (name in c("x1", "x2", "x3")) {
    means <- tapply(from[[name]], as.character(by), mean)
    data[[paste0(name, ".mean")]] <- means[as.character(data$domain)]
  }
  data
}

test_that("the domains' means are contextual effects, as by hand", {
  model <- dg_lm(y ~ . | domain, data = toy, domain_means = TRUE)
  direct <- lm(y ~ . - domain, with_means(toy))
  expect_equal(coef(model)[names(coef(direct))], coef(direct))
  expect_equal(predict(model, new), unname(predict(direct, with_means(new))))
  expect_equal(predict(model, toy), fitted(model))
  # described by all of its rows, or by those of a reference
  expect_equal(predict(model, new[1:3, ], reference = new), predict(model, new)[1:3])
  expect_equal(predict(model, toy[1:3, ], reference = "training"), fitted(model)[1:3])
  few <- unname(predict(direct, with_means(new[1:3, ])))
  expect_equal(predict(model, new[1:3, ]), few)
  expect_error(predict(model, new[names(new) != "domain"]), "must have the domain column",
               class = "domgen_error_data")
  expect_output(print(model), "scale: none, with the domains' means")
})

test_that("means stand in the unit of the scaled column", {
  X <- as.matrix(toy[c("x1", "x2", "x3")])
  means <- as.matrix(with_means(toy)[paste0(colnames(X), ".mean")])
  z <- function(M) sweep(sweep(M, 2, colMeans(X)), 2, apply(X, 2, sd), "/")
  for (scale in c("pooled", "domain", "both", "rank", "none")) {
    learned <- learn_scaling(X, c(scale, "means"), toy$domain)
    found <- apply_scaling(X, learned, toy$domain)
    alone <- apply_scaling(X, learn_scaling(X, scale, toy$domain), toy$domain)
    expect_equal(found[, seq_len(ncol(alone))], alone)
    expect_equal(found[, -seq_len(ncol(alone))], if (scale == "none") means else z(means),
                 ignore_attr = TRUE)
  }
})

test_that("coded columns stay at the end, and kernels and factors find theirs", {
  d <- mixed_data()
  spec <- learner_custom(function(x, y) x, function(object, x) rep(0, nrow(x)), needs = "data",
                         scale = "both", domain_means = TRUE)
  x <- fit(spec, y ~ x + z + size | site, data = d)$engine$object
  expect_identical(names(x), c("x", "z", "x.domain", "z.domain", "x.mean", "z.mean", "size"))
  expect_identical(x$size, d$size)
})

test_that("what is learned of means depends neither on the order of rows nor on others' rows", {
  model <- dg_lm(y ~ . | domain, data = toy, domain_means = TRUE, scale = "both")
  turned <- dg_lm(y ~ . | domain, data = toy[rev(seq_len(nrow(toy))), ], domain_means = TRUE,
                  scale = "both")
  expect_equal(coef(model), coef(turned))
  one <- new$domain == new$domain[1]
  expect_equal(predict(model, new)[one], predict(model, new[one, ]))
})

test_that("least squares are the same in any unit of the columns, and read by column", {
  raw <- dg_lm(y ~ . | domain, data = toy)
  pooled <- dg_lm(y ~ . | domain, data = toy, scale = "pooled")
  expect_equal(predict(raw, new), predict(pooled, new))
  expect_equal(coef(pooled)[["x2"]], coef(raw)[["x2"]] * sd(toy$x2))
  both <- dg_lm(y ~ . | domain, data = toy, scale = "both")
  own <- function(v) ave(v, toy$domain, FUN = function(v) (v - mean(v)) / sd(v))
  direct <- lm(y ~ ., data.frame(y = toy$y, scale(toy[c("x1", "x2", "x3")]),
                                 d = sapply(toy[c("x1", "x2", "x3")], own)))
  expect_equal(unname(coef(both)), unname(coef(direct)))
  expect_error(dg_lm(domain_means = "yes"), "`domain_means` must be TRUE or FALSE")
  expect_error(dg_lm(scale = "all"), "`scale` must be one of")
  expect_error(dg_lm(y ~ x1, data = toy, domain_means = TRUE), "A domain is needed",
               class = "domgen_error_data")
})

test_that("school means say what pupils' own values do not", {
  skip_if_not_installed("nlme")
  math <- as.data.frame(nlme::MathAchieve)
  model <- dg_lm(MathAch ~ SES | School, data = math, domain_means = TRUE)
  math$mean <- ave(math$SES, math$School)
  expect_equal(unname(coef(model)), unname(coef(lm(MathAch ~ SES + mean, math))))
})

test_that("means that are the same by design are told from none by no rounding", {
  dose <- c(0.1, 0.2, 0.3, 0.7, 1.1)
  set.seed(2)
  d <- data.frame(domain = rep(letters[1:8], each = 5), dose = c(replicate(8, sample(dose))))
  d$y <- d$dose + rnorm(40)
  means <- tapply(d$dose, d$domain, function(v) sum(v * 1) / 5)
  expect_lt(diff(range(means)), 1e-15)
  expect_warning(model <- dg_lm(y ~ poly(log(dose), 2) | domain, data = d, domain_means = TRUE),
                 "cannot be separated")
  expect_lt(max(abs(coef(model))), 100)
  expect_equal(predict(model, d), unname(fitted(lm(y ~ poly(log(dose), 2), d))))
})
