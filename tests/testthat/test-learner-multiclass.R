three_classes <- function(domains = 4, rows = 30, seed = 1) {
  set.seed(seed)
  d <- data.frame(domain = rep(paste0("d", seq_len(domains)), each = rows))
  centre <- rep_len(1:3, nrow(d))
  d$x1 <- cos(2 * pi * centre / 3) + rnorm(nrow(d), sd = 0.7)
  d$x2 <- sin(2 * pi * centre / 3) + rnorm(nrow(d), sd = 0.7)
  d$y <- factor(c("a", "b", "c")[centre])
  d
}

machine <- function(...) {
  dg_svm(..., kernel = kernel_rbf(1), domain_kernel = domain_pooled(), scale = "none",
         tolerance = 1e-7, cost = 2)
}

test_that("one against one is the vote of machines fitted to the rows of two classes", {
  d <- three_classes()
  new <- three_classes(2, 40, seed = 2)
  model <- machine(y ~ x1 + x2 | domain, data = d)
  pairs <- combn(levels(d$y), 2)
  votes <- matrix(0, nrow(new), 3, dimnames = list(NULL, levels(d$y)))
  values <- sapply(seq_len(3), function(m) {
    two <- droplevels(d[d$y %in% pairs[, m], ])
    predict(machine(y ~ x1 + x2 | domain, data = two), new, type = "decision")
  })
  for (m in 1:3) {
    winner <- pairs[1 + (values[, m] > 0), m]
    at <- cbind(seq_len(nrow(new)), match(winner, levels(d$y)))
    votes[at] <- votes[at] + 1
  }
  clear <- apply(votes, 1, function(v) sum(v == max(v)) == 1)
  expect_gt(mean(clear), 0.9)
  expect_identical(as.character(predict(model, new))[clear],
                   levels(d$y)[max.col(votes[clear, ])])
  expect_equal(round(predict(model, new, type = "decision")[clear, ]), votes[clear, ],
               tolerance = 1e-8)
})

test_that("one against the rest has the decision values of machines for each class", {
  d <- three_classes()
  model <- machine(y ~ x1 + x2 | domain, data = d, multiclass = "one_vs_rest")
  scores <- predict(model, d, type = "decision")
  for (class in levels(d$y)) {
    two <- transform(d, y = factor(y == class))
    alone <- machine(y ~ x1 + x2 | domain, data = two)
    expect_equal(unname(scores[, class]), predict(alone, d, type = "decision"), tolerance = 1e-5)
  }
  expect_identical(as.character(predict(model, d)), levels(d$y)[max.col(scores)])
  expect_identical(fitted(model), predict(model, d))
})

test_that("pairs decide as in e1071", {
  skip_if_not_installed("e1071")
  d <- three_classes(4, 60)
  new <- three_classes(2, 100, seed = 3)
  model <- machine(y ~ x1 + x2 | domain, data = d, domain_weights = "size", intercept = TRUE)
  peer <- e1071::svm(d[c("x1", "x2")], d$y, scale = FALSE, gamma = 0.5, cost = 2, tolerance = 1e-6)
  same <- as.character(predict(peer, new[c("x1", "x2")])) == as.character(predict(model, new))
  expect_gt(mean(same), 0.99)
})

test_that("ties between votes go to the larger sum of decision values", {
  response <- list(levels = c("a", "b", "c"), pairs = t(combn(3, 2)))
  # a beats b, b beats c, c beats a: one vote each; b has the largest margin
  values <- cbind(ab = -0.1, ac = 0.2, bc = -0.9)
  scores <- class_scores(values, response)
  expect_equal(round(c(scores)), c(1, 1, 1))
  expect_identical(as.character(largest_class(scores, response$levels)), "b")
  missing <- class_scores(cbind(NA_real_, 1, 1), response)
  expect_true(is.na(largest_class(missing, response$levels)))
})

test_that("a class that a domain lacks, weights of zero and features are no hindrance", {
  d <- three_classes()
  lacking <- subset(d, !(domain == "d1" & y == "c"))
  expect_identical(levels(predict(machine(y ~ x1 + x2 | domain, data = lacking), d)), levels(d$y))
  w <- rep_len(c(1, 0, 1, 1), nrow(d))
  expect_equal(predict(machine(y ~ x1 + x2 | domain, data = d, weights = w), d, type = "decision"),
               predict(machine(y ~ x1 + x2 | domain, data = d[w > 0, ]), d, type = "decision"),
               tolerance = 1e-5)
  expect_warning(on_features <- machine(y ~ x1 + x2 | domain, data = d,
                                        feature_map = features_nystrom(nrow(d), "uniform")),
                 class = "domgen_warning_rank")
  expect_equal(predict(on_features, d, type = "decision"),
               predict(machine(y ~ x1 + x2 | domain, data = d), d, type = "decision"),
               tolerance = 1e-4)
  holes <- d
  holes$x1[3] <- NA
  expect_warning(class <- predict(on_features, holes), class = "domgen_warning_missing")
  expect_identical(which(is.na(class)), 3L)
  result <- dg_cv(dg_svm(kernel = kernel_rbf(1)), y ~ x1 + x2 | domain, data = d)
  expect_gt(result$mean, 0.6)
})

test_that("squared losses minimise what they say, exact and on features", {
  d <- three_classes(3, 30)
  labels <- droplevels(d[d$y != "c", ])
  for (features in list(features_exact(), features_nystrom(nrow(labels), "uniform"))) {
    fit <- suppressWarnings(dg_svm(y ~ x1 + x2 | domain, data = labels, loss = "squared_hinge",
                                   cost = 3, kernel = kernel_rbf(1), scale = "none",
                                   domain_kernel = domain_pooled(), feature_map = features,
                                   domain_weights = "size", tolerance = 1e-9))
    K <- kernel_matrix(kernel_rbf(1), as.matrix(labels[c("x1", "x2")]))
    sign <- ifelse(labels$y == "b", 1, -1)
    # at the optimum beta_i = 2 c_i y_i max(0, 1 - y_i f_i)
    f <- drop(fit$decision)
    beta <- 2 * 3 * sign * pmax(0, 1 - sign * f)
    expect_equal(drop(K %*% beta), f, tolerance = 1e-6)

    number <- suppressWarnings(dg_svm(x2 ~ x1 | domain, data = d, cost = 3, epsilon = 0.2,
                                      loss = "squared_epsilon_insensitive", feature_map = features,
                                      kernel = kernel_rbf(1), scale = "none", tolerance = 1e-9,
                                      domain_kernel = domain_pooled(), domain_weights = "size"))
    error <- d$x2 - drop(number$decision)
    beta <- 2 * 3 * sign(error) * pmax(0, abs(error) - 0.2)
    K <- kernel_matrix(kernel_rbf(1), as.matrix(d["x1"]))
    expect_equal(drop(K %*% beta), drop(number$decision), tolerance = 1e-5)
  }
})

test_that("a loss that does not fit the response is refused by name", {
  d <- three_classes()
  expect_domgen_error(dg_svm(x1 ~ x2 | domain, data = d, loss = "hinge"), "epsilon_insensitive",
                      "domgen_error_argument")
  expect_domgen_error(dg_svm(y ~ x2 | domain, data = d, loss = "squared_epsilon_insensitive"),
                      "squared_hinge", "domgen_error_argument")
  expect_domgen_error(dg_svm(loss = "exponential"), "one of", "domgen_error_argument")
  expect_domgen_error(dg_svm(multiclass = "all"), "one of", "domgen_error_argument")
})
