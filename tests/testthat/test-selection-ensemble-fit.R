# Rows with a factor, of which some members see dummy variables and others the factor.
mixed_rows <- function(n) {
  with_seed(3, data.frame(y = stats::rnorm(n), f = factor(sample(letters[1:3], n, TRUE)),
                          x = stats::rnorm(n), domain = rep(c("a", "b", "c", "d"), length.out = n)))
}

# Of numbers and factors: the mean of the factor's level plus a multiple of x.
by_level <- function(scale = "none", domain_means = FALSE) {
  learner_custom(
    fit = function(x, y, share = 1) list(means = tapply(y, x$f, mean), share = share),
    predict = function(object, x) {
      object$means[as.character(x$f)] + object$share * rowSums(x[-ncol(x)])
    },
    needs = "data", scale = scale, domain_means = domain_means
  )
}

test_that("a member is the model that it is alone, whatever columns the others see", {
  data <- mixed_rows(48)
  new <- mixed_rows(80)[49:80, ]
  members <- list(
    linear = dg_lm(scale = "domain", domain_means = TRUE), level = by_level("both", TRUE),
    searched = dg_tune(dg_ridge(scale = "both"), grid = list(lambda = c(0.1, 10))),
    found = dg_tune(by_level("pooled", TRUE), grid = list(share = c(0, 0.1))),
    mixed = dg_tune(dg_ridge(kernel = kernel_mixed()), grid = list(lambda = c(0.1, 10))),
    inner = dg_ensemble(list(dg_lm(), by_level()))
  )
  formula <- y ~ f + x | domain
  model <- fit(dg_ensemble(members), formula, data = data)
  alone <- lapply(members, fit, formula, data = data)
  for (name in names(members)) {
    expect_equal(model$members[[name]]$decision, alone[[name]]$decision, info = name)
    expect_equal(predict(model$members[[name]], new), predict(alone[[name]], new), info = name)
  }
  expect_equal(predict(model, new), rowMeans(sapply(alone, predict, new)))
  by_reference <- function(model) predict(model, new[1:2, ], reference = new)
  expect_equal(by_reference(model), rowMeans(sapply(alone, by_reference)))
})

test_that("weights are learned from members that see their own columns only", {
  data <- mixed_rows(48)
  members <- list(level = by_level(),
                  searched = dg_tune(dg_ridge(), grid = list(lambda = c(0.1, 10))))
  scores <- fit(dg_ensemble(members, "stacked"), y ~ f + x | domain, data = data)$held_out$scores
  alone <- dg_cv(members$level, y ~ f + x | domain, data = data)$domains
  expect_equal(scores[, "level"], stats::setNames(alone$score, alone$domain))
})
