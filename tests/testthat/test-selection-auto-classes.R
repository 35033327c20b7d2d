# dg_auto() of two classes: what selects, and logistic regressions as members.

two_classes <- function(domains = 8L, n = 30L, seed = 1, signal = 1) with_seed(seed, {
  d <- data.frame(domain = gl(domains, n), matrix(rnorm(domains * n * 3), domains * n))
  f <- signal * (d$X1 - d$X2^2 / 2) + rnorm(domains)[d$domain] / 2
  transform(d, y = factor(ifelse(runif(domains * n) < plogis(f), "yes", "no")))
})

test_that("members are logistic regressions, whose probabilities the ensemble averages", {
  rows <- two_classes()
  model <- dg_auto(y ~ . | domain, data = rows, max_ard = 0, n_members = 2, folds = 3,
                   progress = FALSE)
  table <- model$choice$table
  expect_true(all(grepl("logistic|forest", table$kernel[table$member %in% TRUE])))
  expect_true(any(grepl("logistic", table$kernel[table$member %in% TRUE])))
  new <- two_classes(2L, seed = 2)
  share <- Reduce(`+`, Map(function(member, weight) {
    weight * predict(member, new, type = "prob")[, "yes"]
  }, model$members, model$coefficients))
  expect_equal(predict(model, new, type = "prob")[, "yes"], share, tolerance = 1e-12)
  expect_equal(drop(predict(model, new, type = "decision")), 2 * share - 1, tolerance = 1e-12,
               ignore_attr = TRUE)
})

test_that("a logistic candidate's scores are those of fits without each group of domains", {
  rows <- two_classes(5L)
  model <- dg_auto(y ~ . | domain, data = rows, metric = "log_loss", max_ard = 0, n_members = 1,
                   progress = FALSE)
  table <- model$choice$table
  line <- which(table$kernel == "logistic, linear kernel")
  spec <- dg_glm(lambda = table$lambda[line], kernel = kernel_linear(),
                 domain_kernel = domain_pooled(), scale = "none")
  # scaled by all rows, as candidates are
  scaled <- rows
  scaled[c("X1", "X2", "X3")] <- scale(rows[c("X1", "X2", "X3")])
  scaled[c("X1", "X2", "X3")] <- scaled[c("X1", "X2", "X3")] * sqrt(149 / 150)
  by_hand <- vapply(levels(rows$domain), function(d) {
    own <- scaled$domain == d
    fitted <- fit(spec, y ~ . | domain, data = droplevels(scaled[!own, ]))
    p <- predict(fitted, scaled[own, ], type = "prob")
    -mean(log(p[cbind(seq_len(sum(own)), as.integer(scaled$y[own]))]))
  }, 0)
  expect_equal(model$choice$scores[, line], by_hand, tolerance = 1e-2)
})

test_that("classes and ranks are not what selects between them, other scores are", {
  rows <- two_classes(6L, 20L)
  chosen <- lapply(c("accuracy", "auc", "brier", "log_loss"), function(metric) {
    dg_auto(y ~ . | domain, data = rows, metric = metric, max_ard = 0, n_members = 2, folds = 3,
            progress = FALSE)
  })
  words <- vapply(chosen, chosen_parameters, list(""))
  expect_length(unique(unlist(words)), 1L)
  for (model in chosen[-3L]) expect_match(auto_notes(model$choice, 2L), "Selected by the Brier",
                                          all = FALSE)
  means <- vapply(chosen, function(model) model$choice$expected$mean, 0)
  # of the same values
  expect_true(means[1L] > 0.5 && means[2L] > 0.5 && means[3L] < 0.25 && means[4L] < log(2))
})

test_that("where nothing is to be learned little is lost against the shares of the classes", {
  rows <- two_classes(20L, 20L, signal = 0)
  model <- dg_auto(y ~ . | domain, data = rows, metric = "log_loss", max_ard = 0, n_members = 2,
                   progress = FALSE)
  new <- two_classes(100L, 20L, seed = 3, signal = 0)
  log_loss <- function(p) -mean(log(p[cbind(seq_len(nrow(new)), as.integer(new$y))]))
  share <- mean(rows$y == "yes")
  lost <- log_loss(predict(model, new, type = "prob")) -
    log_loss(matrix(c(1 - share, share), nrow(new), 2L, byrow = TRUE))
  expect_lt(abs(lost), 0.03)
})
