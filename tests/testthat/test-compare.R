test_that("intervals of the mean difference cover it as often as they say", {
  covered <- function(n, draw, truth, seeds = 400) {
    set.seed(n)
    mean(replicate(seeds, {
      interval <- bootstrap_interval(draw(n), draws = 1000L)
      interval[1L] <= truth && truth <= interval[2L]
    }))
  }
  # three standard errors of 400 draws: 0.033
  for (n in c(3, 5, 8, 12, 30)) {
    expect_gt(covered(n, function(n) rnorm(n, 2), 2), 0.95 - 0.04)
    expect_lt(covered(n, function(n) rnorm(n, 2), 2), 0.95 + 0.04)
  }
  # of skewed differences any interval covers less
  expect_gt(covered(15, function(n) rexp(n), 1), 0.88)
})

test_that("below eight domains the interval is Student's, from there on the bootstrap's", {
  set.seed(1)
  for (n in 2:7) {
    d <- rnorm(n)
    expect_equal(bootstrap_interval(d), c(t.test(d)$conf.int))
  }
  d <- rnorm(40)
  expect_equal(bootstrap_interval(d), c(t.test(d)$conf.int), tolerance = 0.05)
  expect_identical(bootstrap_interval(d), bootstrap_interval(d))
  # the same in other units, and for the other sign
  expect_equal(bootstrap_interval(1e6 * d + 3e6), 1e6 * bootstrap_interval(d) + 3e6)
  expect_equal(bootstrap_interval(-d), -rev(bootstrap_interval(d)), tolerance = 0.02)
  # Student's quantile and the factor of few domains: wider than plain percentiles
  few <- d[1:8]
  means <- with_seed(1L, colMeans(matrix(few[sample.int(8, 80000, replace = TRUE)], 8)))
  plain <- quantile(means, c(0.025, 0.975))
  expect_gt(diff(bootstrap_interval(few)), diff(plain))
  expect_identical(bootstrap_interval(3), c(NA_real_, NA_real_))
  expect_identical(bootstrap_interval(numeric()), c(NA_real_, NA_real_))
  expect_identical(bootstrap_interval(rep(2, 9)), c(2, 2))
})

test_that("the generator is left as it was", {
  set.seed(5)
  before <- .Random.seed
  bootstrap_interval(c(1, 5, 3, 2, 8, 4, 7, 7, 1))
  expect_identical(.Random.seed, before)
})

test_that("tests are those of R", {
  set.seed(2)
  for (n in c(5, 10, 25, 26, 40)) {
    d <- rnorm(n, 0.3)
    expect_equal(signed_rank(d), wilcox.test(d, exact = n <= 25)$p.value)
  }
  # ties and zeros: the normal approximation without zeros
  d <- c(1, 1, -2, 0, 3, 3, 0, 5)
  expect_equal(signed_rank(d), suppressWarnings(wilcox.test(d[d != 0], exact = FALSE))$p.value)
  expect_identical(signed_rank(c(0, 0, 0)), NA_real_)
  expect_identical(signed_rank(2), NA_real_)
  scores <- matrix(rnorm(30), 10, dimnames = list(NULL, c("a", "b", "c")))
  scores[, 3] <- scores[, 3] + 1
  low <- rank_methods(scores, "low")
  high <- rank_methods(scores, "high")
  expect_equal(low, t(apply(scores, 1, rank)))
  expect_equal(high, 4 - low)
  theirs <- friedman.test(scores)
  for (ranks in list(low, high)) {
    expect_equal(friedman(ranks), list(statistic = unname(theirs$statistic), df = 2,
                                       p = theirs$p.value), ignore_attr = TRUE)
  }
  expect_null(friedman(low[, 1:2]))
  # alike everywhere: no difference, rather than no number
  expect_equal(friedman(rank_methods(matrix(1, 5, 3), "low"))$p, 1)
  # domains without all scores do not rank
  scores[2, 1] <- NA
  expect_equal(rank_methods(scores, "low"), low[-2, ])
})

test_that("the table has the paired differences, with domains that lack a score left out", {
  toy <- toy_classes(9, 12)
  toy$y[toy$domain == "d4"] <- "1"
  result <- dg_compare(list(linear = dg_lm(), svm = dg_svm(), ridge = dg_ridge()), y ~ . | domain,
                       data = toy, metric = "auc", folds = 3, against = "svm")
  table <- result$table
  expect_identical(table$method, c("null", "linear", "svm", "ridge"))
  expect_identical(which(is.na(rowSums(result$scores))), c(d4 = 4L))
  for (name in table$method) {
    line <- table[table$method == name, ]
    d <- (result$scores[, name] - result$scores[, "svm"])[-4]
    expect_equal(line$difference, mean(d))
    expect_equal(line$se, sd(d) / sqrt(8))
    expect_equal(line$p, signed_rank(d))
    expect_equal(line$mean, mean(result$scores[-4, name]))
    expect_equal(line$mean, result$runs[[name]]$mean)
    expect_equal(line$rank, mean(rank_methods(result$scores, "high")[, name]))
  }
  expect_equal(unlist(table[2, c("lower", "upper")], use.names = FALSE),
               bootstrap_interval((result$scores[, "linear"] - result$scores[, "svm"])[-4]))
  expect_equal(result$friedman$p, friedman.test(result$scores[-4, ])$p.value)
  expect_equal(sum(table$rank), 10)
  expect_output(print(result), "1 domain without a score")
  # the same folds for all
  folds <- lapply(result$runs, function(run) run$predictions$fold)
  expect_length(unique(folds), 1L)
})

test_that("the null model is always there, once, and the first other method is compared with", {
  toy <- toy_domains(4, 8)
  methods <- function(...) dg_compare(..., x = y ~ . | domain, data = toy)[c("table", "against")]
  expect_identical(methods(list(a = dg_lm()))$table$method, c("null", "a"))
  expect_identical(methods(list(a = dg_lm(), n = dg_null()))$table$method, c("a", "n"))
  expect_identical(methods(list(a = dg_lm(), b = dg_ridge()))$against, "a")
  expect_identical(methods(list(a = dg_lm(), pooled = dg_ridge()))$against, "pooled")
  expect_identical(methods(list(n = dg_null()))$against, "n")
  expect_identical(methods(list(a = dg_lm()), against = "null")$against, "null")
})

test_that("the verdict says what the interval says", {
  low <- metrics$rmse
  high <- metrics$accuracy
  row <- function(difference, lower, upper, p = 0.01) {
    data.frame(method = "m", difference = difference, se = 0.1, lower = lower, upper = upper, p = p)
  }
  expect_match(verdict(row(-0.5, -0.7, -0.3), low, "pooled", 9), "^m: better than pooled by 0.5 ")
  expect_match(verdict(row(0.5, 0.3, 0.7), low, "pooled", 9), "^m: worse than pooled by 0.5 ")
  expect_match(verdict(row(0.5, 0.3, 0.7), high, "pooled", 9), "^m: better than pooled by 0.5 ")
  expect_match(verdict(row(-0.5, -0.7, -0.3), high, "pooled", 9), "^m: worse than pooled by 0.5 ")
  # with a grain of salt where the ranks do not agree
  expect_match(verdict(row(0.5, 0.3, 0.7, p = 0.2), low, "pooled", 9),
               "but not in most domains alike")
  expect_false(grepl("alike", verdict(row(0.5, 0.3, 0.7), low, "pooled", 9)))
  expect_identical(verdict(row(0.1, -0.1, 0.3), low, "pooled", 9),
                   "m: not distinguishable from pooled")
  # fewer than six ranks cannot agree
  expect_false(grepl("alike", verdict(row(0.5, 0.3, 0.7, p = 0.2), low, "pooled", 5)))
  expect_identical(verdict(row(1, NA, NA), low, "pooled", 1), "m: too few domains for an interval")
  expect_identical(verdict(row(NA, NA, NA), low, "pooled", 0), "m: no domain has a score")
  expect_identical(verdict(row(Inf, NA, NA), low, "pooled", 9), "m: scores are not finite")
})

test_that("no method takes the null model's name", {
  toy <- toy_domains(4, 8)
  expect_domgen_error(dg_compare(list(null = dg_lm()), y ~ . | domain, data = toy),
                      "must not call a method \"null\"", "domgen_error_argument")
  expect_domgen_error(dg_compare(list(dg_lm(), 1), y ~ . | domain, data = toy),
                      "Element 2 of `objects` must be", "domgen_error_argument")
})

test_that("scores of any size can be read, and infinite ones do no harm", {
  toy <- toy_domains(6, 10)
  for (unit in c(1e-8, 1e12)) {
    toy$y <- unit * toy_domains(6, 10)$y
    printed <- capture.output(print(dg_compare(list(a = dg_lm()), y ~ . | domain, data = toy)))
    expect_lte(max(nchar(printed)), 110)
    expect_match(printed[4], "null +[0-9.]+e[+-][01]")
  }
  infinite <- metric_custom(function(truth, prediction) if (truth[1] < 0) Inf else 1)
  result <- dg_compare(list(a = dg_lm()), y ~ . | domain, data = toy, metric = infinite)
  expect_output(print(result), "not finite|not distinguishable|too few")
  expect_silent(dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = infinite))
})

test_that("methods that are alike can be compared and printed", {
  toy <- toy_classes(5, 10)
  result <- dg_compare(list(a = dg_null(), b = dg_null(), c = dg_null()), y ~ . | domain,
                       data = toy)
  expect_equal(result$table$rank, c(2, 2, 2))
  expect_output(print(result), "No method stands out")
  expect_output(print(result), "b: not distinguishable from a")
})

test_that("tuned methods and dg_auto() are compared like any other", {
  toy <- toy_domains(4, 10)
  specs <- list(tuned = dg_tune(dg_ridge(), grid = list(lambda = 10^(0:2)), folds = 2),
                auto = dg_auto(max_predictors = 0), lm = dg_lm())
  set.seed(3)
  result <- dg_compare(specs, y ~ . | domain, data = toy, folds = 2)
  set.seed(3)
  alone <- dg_cv(specs$tuned, y ~ . | domain, data = toy, folds = 2)
  expect_identical(result$runs$tuned$predictions, alone$predictions)
  expect_identical(result$runs$tuned$fits$lambda, alone$fits$lambda)
  expect_named(alone$fits, c("fold", "rep", "seconds", "lambda"))
})
