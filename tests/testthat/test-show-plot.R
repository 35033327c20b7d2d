test_that("projections plot for numbers, classes and no response, with unseen domains", {
  toy <- toy_domains(4, 15)
  model <- udica(y ~ . | domain, data = domains_of(toy, 1:2))
  result <- drawn(plot(model, newdata = domains_of(toy, 3:4)))
  expect_false(result$visible)
  expect_identical(result$value, model)
  drawn(plot(model, newdata = domains_of(toy, 3)[, -2], components = 1))
  drawn(plot(kpca(~ . - y | domain, data = toy)))
  labels <- toy_classes(4, 15)
  class <- dica(y ~ . | domain, data = domains_of(labels, 1:3), ncomp = 1)
  drawn(plot(class, newdata = domains_of(labels, 4)))
  expect_domgen_error(plot(model, components = 3), "from 1 to 2")
})

test_that("comparisons and cross-validations plot", {
  toy <- toy_domains(4, 15)
  drawn(plot(dg_compare(list(pooled = dg_lm()), y ~ . | domain, data = toy)))
  drawn(plot(dg_cv(dg_lm(), y ~ . | domain, data = toy)))
})

test_that("methods that are no list are refused, and small differences get digits", {
  toy <- toy_domains(4, 15)
  expect_domgen_error(dg_compare(dg_lm(), dg_svm(), y ~ . | domain, data = toy), "one list")
  expect_identical(enough_digits(c(0, NA, 0.00114), 3), 4)
  expect_identical(enough_digits(c(0, NA), 3), 3)
})

test_that("long names are broken or shortened, and stay different", {
  names <- paste("University hospital of the city number", 1:12)
  fitted <- fit_text(names, 16, lines = 2L)
  expect_lte(widest(fitted), 16)
  expect_lte(number_of_lines(fitted), 2)
  expect_length(unique(fitted), 12)
  expect_identical(fit_text(c("pooled", "a b"), 16), c("pooled", "a b"))
  expect_identical(shorten("instrument 17", 9), "ins... 17")
  toy <- toy_domains(4, 15)
  levels(toy$domain) <- names[1:4]
  drawn(plot(udica(y ~ . | domain, data = domains_of(toy, 1:2)), newdata = domains_of(toy, 3:4)))
  drawn(plot(dg_cv(dg_lm(), y ~ . | domain, data = toy)))
})

test_that("classes of new rows have the place they had in training", {
  labels <- toy_classes(4, 15)
  model <- dica(y ~ . | domain, data = domains_of(labels, 1:3), ncomp = 1)
  new <- domains_of(labels, 4)
  only <- new[new$y == levels(new$y)[2], ]
  frame <- scores_frame(model, only, 1L, NULL, NULL, 5)
  expect_true(all(round(score_places(frame)$y[!frame$seen]) == 2))
})
