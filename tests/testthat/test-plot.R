drawn <- function(code) {
  file <- tempfile(fileext = ".png")
  grDevices::png(file, 800, 400)
  before <- graphics::par("mfrow", "mar")
  value <- withVisible(code)
  after <- graphics::par("mfrow", "mar")
  grDevices::dev.off()
  expect_identical(after, before)
  expect_gt(file.size(file), 2000)
  value
}

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
