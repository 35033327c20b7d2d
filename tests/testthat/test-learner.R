toy <- toy_domains(4, 20)
labels <- toy_classes(4, 20)
pooled <- domain_pooled()

test_that("dg_svm predicts its training rows as it fitted them", {
  number <- dg_svm(y ~ . | domain, data = toy)
  expect_equal(predict(number, toy), fitted(number), tolerance = 1e-10)
  expect_equal(residuals(number), toy$y - fitted(number))
  class <- dg_svm(y ~ . | domain, data = labels, intercept = TRUE)
  expect_identical(predict(class, labels), fitted(class))
  decision <- predict(class, labels, type = "decision")
  expect_identical(decision > 0, fitted(class) == "1")
})

test_that("the duality gap is small and reported", {
  for (offset in c(TRUE, FALSE)) {
    model <- dg_svm(y ~ . | domain, data = labels, intercept = offset, cost = 10)
    expect_true(model$converged)
    expect_lt(model$relative_gap, 1e-3)
    margin <- (2 * (labels$y == "1") - 1) * model$decision
    K <- kernel_matrix(model$space$kernel, model$space$X) *
      model$space$domain_kernel$kappa[model$domain, model$domain]
    norm <- sum(model$coefficients * (K %*% model$coefficients))
    primal <- norm / 2 + sum(model$costs * pmax(0, 1 - margin))
    expect_equal(primal + model$objective, model$gap, tolerance = 1e-6)
  }
})

test_that("pooled machines with an offset are e1071's", {
  skip_if_not_installed("e1071")
  X <- as.matrix(labels[, c("x1", "x2", "x3")])
  peer <- e1071::svm(X, labels$y, scale = FALSE, gamma = 1 / 8, cost = 3, tolerance = 1e-6)
  ours <- dg_svm(X, labels$y, labels$domain, kernel = kernel_rbf(2), cost = 3, intercept = TRUE,
                 domain_kernel = pooled, domain_weights = "size", scale = "none", tolerance = 1e-6)
  expect_equal(abs(predict(ours, X, type = "decision")),
               abs(c(attr(predict(peer, X, decision.values = TRUE), "decision.values"))), tolerance = 1e-4)
  X <- as.matrix(toy[, c("x1", "x2", "x3")])
  peer <- e1071::svm(X, toy$y, scale = FALSE, gamma = 1 / 8, cost = 3, epsilon = 0.2, tolerance = 1e-6)
  ours <- dg_svm(X, toy$y, toy$domain, kernel = kernel_rbf(2), cost = 3, epsilon = 0.2, intercept = TRUE,
                 domain_kernel = pooled, domain_weights = "size", scale = "none", tolerance = 1e-6)
  expect_equal(predict(ours, X), unname(predict(peer, X)), tolerance = 1e-4)
})

test_that("without an offset, on the kernel K + 1, it is kernlab's C-bsvc", {
  skip_if_not_installed("kernlab")
  X <- as.matrix(labels[, c("x1", "x2", "x3")])
  peer <- kernlab::ksvm(X, labels$y, type = "C-bsvc", kernel = "rbfdot", kpar = list(sigma = 1 / 8),
                        C = 2, scaled = FALSE, tol = 1e-8)
  ours <- dg_svm(X, labels$y, labels$domain, kernel = kernel_rbf(2) + 1, cost = 2, domain_kernel = pooled,
                 domain_weights = "size", scale = "none", tolerance = 1e-7)
  expect_equal(abs(predict(ours, X, type = "decision")),
               abs(c(kernlab::predict(peer, X, type = "decision"))), tolerance = 1e-3)
})

test_that("domains weigh the same by default, rows on request", {
  uneven <- rbind(domains_of(toy, 1), domains_of(toy, 2)[1:5, ])
  equal <- dg_svm(y ~ . | domain, data = uneven, cost = 2)
  sums <- tapply(equal$costs, uneven$domain, sum)
  expect_equal(sums[[1]], sums[[2]])
  expect_equal(sum(equal$costs), 2 * nrow(uneven))
  expect_equal(dg_svm(y ~ . | domain, data = uneven, cost = 2, domain_weights = "size")$costs,
               rep(2, nrow(uneven)))
})

test_that("weight k is k copies and weight 0 is a row removed", {
  set.seed(4)
  w <- sample(0:3, nrow(toy), TRUE)
  for (data in list(toy, labels)) {
    w <- rep_len(w, nrow(data))
    fit_with <- function(d, ...) {
      dg_svm(y ~ . | domain, data = d, kernel = kernel_rbf(1.5), domain_kernel = pooled, scale = "none",
             tolerance = 1e-8, ...)
    }
    weighted <- fit_with(data, weights = w)
    copied <- fit_with(data[rep(seq_len(nrow(data)), w), ])
    expect_equal(predict(weighted, data, type = "decision"), predict(copied, data, type = "decision"),
                 tolerance = 1e-5)
  }
})

test_that("tau = 0 trains a machine per domain and tau = 1 pools", {
  args <- list(y ~ . | domain, data = toy, kernel = kernel_rbf(1.5), scale = "none", tolerance = 1e-8,
               domain_weights = "size", cost = 1)
  alone <- do.call(dg_svm, c(args, list(domain_kernel = domain_multitask(0))))
  first <- domains_of(toy, 1)
  single <- dg_svm(y ~ . | domain, data = first, kernel = kernel_rbf(1.5), scale = "none",
                   tolerance = 1e-8, domain_weights = "size", cost = 1)
  expect_equal(predict(alone, first), predict(single, first), tolerance = 1e-5)
  expect_equal(unname(predict(alone, toy_domains(1, 5, seed = 3), domain = "unseen")),
               rep(0, nrow(toy_domains(1, 5, seed = 3))))
  together <- do.call(dg_svm, c(args, list(domain_kernel = domain_multitask(1))))
  pool <- do.call(dg_svm, c(args, list(domain_kernel = pooled)))
  expect_equal(fitted(together), fitted(pool), tolerance = 1e-6)
})

test_that("a constant added to the response shifts the predictions, a factor stretches them", {
  moved <- transform(toy, y = 100 + 10 * y)
  a <- dg_svm(y ~ . | domain, data = toy)
  b <- dg_svm(y ~ . | domain, data = moved)
  expect_equal(predict(b, toy), 100 + 10 * predict(a, toy), tolerance = 1e-8)
})

test_that("predictions do not depend on row order, blocks of domains or threads", {
  model <- dg_svm(y ~ . | domain, data = toy)
  test <- toy_domains(3, 20, seed = 8)
  whole <- predict(model, test)
  order <- sample(nrow(test))
  expect_equal(predict(model, test[order, ]), whole[order], tolerance = 1e-12)
  by_domain <- unsplit(lapply(split(test, test$domain), predict, object = model), test$domain)
  expect_equal(by_domain, whole, tolerance = 1e-12)
  expect_equal(predict(update(model, threads = 1), test), whole, tolerance = 1e-10)
  shuffled <- update(model, data = toy[sample(nrow(toy)), ], tolerance = 1e-6)
  expect_equal(predict(shuffled, test), predict(update(model, tolerance = 1e-6), test), tolerance = 1e-4)
})

test_that("the embedding uses the domain's rows in newdata, or the reference", {
  model <- dg_svm(y ~ . | domain, data = toy)
  test <- toy_domains(2, 20, seed = 8)
  whole <- predict(model, test)
  expect_equal(predict(model, test[1:3, ], reference = test), whole[1:3], tolerance = 1e-10)
  expect_false(isTRUE(all.equal(predict(model, test[1:3, ]), whole[1:3])))
  expect_warning(predict(model, test[1, ]), "single row", class = "domgen_warning_small_domain")
  expect_domgen_error(predict(model, test[, -1]), "domain column `domain`")
  expect_equal(predict(model, test[test$domain == "d1", -1], domain = "any name"),
               whole[test$domain == "d1"], tolerance = 1e-12)
})

test_that("the baselines are those of base R", {
  linear <- dg_lm(y ~ . | domain, data = toy)
  expect_equal(unname(fitted(linear)), unname(fitted(lm(y ~ x1 + x2 + x3, toy))))
  logistic <- dg_lm(y ~ . | domain, data = labels)
  peer <- glm(y ~ x1 + x2 + x3, binomial, labels)
  expect_equal(unname(coef(logistic)), unname(coef(peer)), tolerance = 1e-6)
  expect_equal(predict(logistic, labels, type = "prob")[, 2], unname(fitted(peer)), tolerance = 1e-6)
  expect_equal(unique(predict(dg_null(y ~ . | domain, data = toy), toy)), mean(toy$y))
  null <- dg_null(y ~ . | domain, data = labels)
  expect_equal(predict(null, labels[1:2, ], type = "prob")[1, ], c(prop.table(table(labels$y))))
  expect_identical(as.character(predict(null, labels[1, ])), names(which.max(table(labels$y))))
  expect_warning(dg_lm(y ~ x1 + I(2 * x1) | domain, data = toy), "set to zero: `I\\(2 \\* x1\\)`\\.$")
  # why the mean of what does not vary in a domain is lost
  toy$size <- as.integer(toy$domain)
  expect_warning(dg_lm(y ~ x1 + size | domain, data = toy, domain_means = TRUE),
                 "set to zero: `size.mean` \\(a predictor that is constant in each domain")
})

test_that("what a learner cannot do is said", {
  three <- transform(labels, y = factor(rep_len(c("a", "b", "c"), nrow(labels))))
  expect_refusals({
    dg_lm(y ~ . | domain, data = three, family = binomial())
    dg_svm(y ~ . | domain, data = subset(labels, y == "1"))
    dg_svm(y ~ . | domain, data = toy, cost = 0)
    dg_svm(y ~ . | domain, data = toy, weights = -1)
    dg_svm(y ~ . | domain, data = toy, gamma = 1)
    dg_svm(~ . | domain, data = toy)
    predict(dg_svm(y ~ . | domain, data = labels), labels, type = "prob")
    predict(dg_svm(y ~ . | domain, data = toy), toy, type = "class")
    residuals(dg_svm(y ~ . | domain, data = labels))
  })
  expect_warning(dg_svm(y ~ . | domain, data = labels, cost = 1000, max_iterations = 5), "solver stopped",
                 class = "domgen_warning_convergence")
})

test_that("a saved model predicts the same", {
  file <- tempfile(fileext = ".rds")
  model <- dg_svm(y ~ poly(x1, 2) + x2 | domain, data = toy)
  saveRDS(model, file)
  expect_identical(predict(readRDS(file), toy), predict(model, toy))
})

test_that("the print names the class of positive decision values", {
  toy <- toy_classes(4, 12)
  toy$y <- factor(toy$y, labels = c("well", "ill"))
  models <- list(dg_lm(y ~ . | domain, data = toy), dg_svm(y ~ . | domain, data = toy, cost = 1),
                 dg_glm(y ~ . | domain, data = toy, lambda = 1),
                 dg_ridge(y ~ . | domain, data = toy, lambda = 1))
  for (model in models) {
    positive <- unique(predict(model, toy)[predict(model, toy, type = "decision") > 0])
    expect_identical(as.character(positive), "ill")
    expect_output(print(model), "\"well\", \"ill\" \\(decision\\s+> 0: \"ill\"\\)")
    expect_output(print(summary(model, left_out = FALSE)), "rows: well\\s+25,\\s+ill\\s+25")
  }
  # classes are what predict() gives of all of them, probabilities where there are some
  prob <- predict(models[[3]], toy, type = "prob")
  expect_identical(predict(models[[3]], toy),
                   factor(colnames(prob)[max.col(prob, "first")], levels(toy$y)))
})

test_that("the link is the decision value of models with a link, and an error of others", {
  toy <- simulate_dcm(domains = 5, n = 20, seed = 3)
  logistic <- dg_svm(y ~ . | domain, data = toy, cost = 1, loss = "logistic")
  expect_identical(predict(logistic, toy, type = "link"), predict(logistic, toy, type = "decision"))
  expect_equal(predict(logistic, toy, type = "prob")[, 2],
               plogis(predict(logistic, toy, type = "link")))
  ordinal <- dg_glm(y ~ . | domain, data = toy, family = "ordinal", lambda = 1)
  for (model in list(dg_svm(y ~ . | domain, data = toy, cost = 1), ordinal,
                     dg_null(y ~ . | domain, data = toy))) {
    expect_domgen_error(predict(model, toy, type = "link"), "`type = \"decision\"`")
  }
  numbers <- simulate_dica(domains = 5, n = 20, seed = 3)
  ridge <- dg_ridge(y ~ . | domain, data = numbers, lambda = 1)
  expect_identical(predict(ridge, numbers, type = "link"), predict(ridge, numbers))
})
