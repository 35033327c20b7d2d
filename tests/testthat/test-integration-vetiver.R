skip_if_not_installed("vetiver")
toy <- toy_domains(4, 20)
toy$kind <- factor(rep_len(c("a", "b"), nrow(toy)))
new <- domains_of(toy_domains(3, 15, seed = 6), 2)
new$kind <- rep_len(c("b", "a"), nrow(new))
model <- dg_ridge(y ~ x1 + x2 + kind | domain, data = toy, lambda = 1, scale = "both",
                  domain_kernel = domain_distribution())
one <- set_reference(model, new)
answer <- function(served, body, ...) vetiver::handler_predict(served, ...)(list(body = body))$.pred

test_that("a model is served with its description, its prototype, and slimmed", {
  served <- vetiver::vetiver_model(one, "toy")
  expect_identical(names(served$prototype), c("x1", "x2", "kind"))
  expect_identical(levels(served$prototype$kind), c("a", "b"))
  expect_match(served$description, "Kernel ridge regression (domgen): y ~ x1", fixed = TRUE)
  expect_true("domgen" %in% served$metadata$required_pkgs)
  expect_null(served$model$call)
  expected <- predict(model, new, reference = new)
  expect_equal(answer(served, new[c("x1", "x2", "kind")]), expected, tolerance = 1e-10)
  # as JSON and CSV bring them
  body <- data.frame(x1 = format(new$x1[3], digits = 17), x2 = new$x2[3], kind = new$kind[3])
  expect_equal(answer(served, body), expected[3], tolerance = 1e-10)
  expect_error(answer(served, body[c("x1", "x2")]), "kind")
  expect_error(answer(served, transform(body, x1 = "much")))
})

test_that("with several domains a request says its domain", {
  inputs <- setdiff(names(toy), "y")
  both <- rbind(new[inputs], transform(toy[1:20, inputs], domain = "other"))
  served <- vetiver::vetiver_model(set_reference(model, both), "toy")
  expect_identical(names(served$prototype), c("x1", "x2", "kind", "domain"))
  expect_equal(answer(served, transform(both[25, ], domain = as.character(domain))),
               predict(model, both[25, ], reference = both), tolerance = 1e-10)
  expect_domgen_error(answer(served, transform(both[25, ], domain = "third")), "not of \"third\"")
})

test_that("a model that is not fixed is served with a warning", {
  expect_warning(served <- vetiver::vetiver_model(model, "toy"), "rows one by one",
                 class = "domgen_warning_moving")
  expect_true("domain" %in% names(served$prototype))
  pooled <- dg_lm(as.matrix(toy[c("x1", "x2")]), toy$y, toy$domain)
  expect_silent(served <- vetiver::vetiver_model(pooled, "toy"))
  expect_identical(names(served$prototype), c("x1", "x2"))
  expect_equal(answer(served, new[c("x1", "x2")]), predict(pooled, new[c("x1", "x2")]))
})

test_that("probabilities come as columns", {
  labelled <- toy_classes(4, 25)
  svm <- dg_svm(y ~ x1 + x2 | domain, data = labelled, cost = 1, calibration = "platt")
  served <- vetiver::vetiver_model(set_reference(svm, labelled), "toy")
  rows <- transform(labelled[1:3, ], domain = as.character(domain))
  expect_equal(as.matrix(answer(served, rows, type = "prob")),
               predict(svm, rows, reference = labelled, type = "prob"), ignore_attr = TRUE)
})

test_that("a pinned model comes back and predicts the same", {
  skip_if_not_installed("pins")
  board <- pins::board_temp()
  suppressMessages(vetiver::vetiver_pin_write(board, vetiver::vetiver_model(one, "toy")))
  found <- vetiver::vetiver_pin_read(board, "toy")
  expect_identical(predict(found$model, new), predict(one, new))
})
