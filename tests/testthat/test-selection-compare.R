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
  # a variance that is f times as large: the deviation by the root of f, of the t distribution
  d <- c(1.5, 1.1, -2, 0.3, 3, 4, 5)
  z <- (24 - 14) / sqrt(7 * 8 * 15 / 24)
  expect_equal(signed_rank(d, list(inflation = 2, df = 6)), 2 * pt(-z / sqrt(2), 6))
  expect_gte(signed_rank(d, list(inflation = 1.0001, df = 1e6)), signed_rank(d))
  # wholly dependent domains are as good as one
  dependent <- list(inflation = 48, df = 5)
  expect_equal(signed_rank(1:6, dependent), signed_rank(1:6, list(inflation = 6, df = 5)))
  expect_lt(signed_rank(1:6, dependent), 0.5)
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
  # a method that hardly differs from the first, and with all domains alike, hides no other
  ranks <- rank_methods(cbind(outer(rnorm(12), c(0, 1e-6), "+"), 9 + rnorm(12)), "low")
  expect_lt(friedman(ranks, c(NA, 1e3, 1.2))$p, 0.05)
  expect_equal(friedman(ranks, c(NA, 1e3, 1e3))$statistic, friedman(ranks)$statistic / 12)
  expect_equal(friedman(ranks, rep(NA_real_, 3)), friedman(ranks))
  # domains without all scores do not rank
  scores[2, 1] <- NA
  expect_equal(rank_methods(scores, "low"), low[-2, ])
})

test_that("the table has the paired differences, with domains that lack a score left out", {
  toy <- toy_classes(9, 12)
  toy$y[toy$domain == "d4"] <- "1"
  result <- dg_compare(list(linear = dg_lm(), svm = dg_svm(), ridge = dg_ridge()), y ~ . | domain,
                       data = toy, metric = "auc", folds = 3, baseline = "svm")
  table <- result$table
  expect_identical(table$method, c("null", "linear", "svm", "ridge"))
  expect_identical(which(is.na(rowSums(result$scores))), c(d4 = 4L))
  for (name in table$method) {
    line <- table[table$method == name, ]
    d <- (result$scores[, name] - result$scores[, "svm"])[-4]
    expect_equal(line$difference, mean(d))
    without <- list(scores = (result$runs[[name]]$refits$without$auc$scores -
                                result$runs$svm$refits$without$auc$scores)[-4, ],
                    group = result$runs$svm$refits$without$auc$group[-4])
    error <- mean_error(d, without, result$runs$svm$share, off = 0.5)
    expect_equal(line$se, error$se)
    expect_equal(line$p_rank, signed_rank(d, error))
    expect_equal(line$mean, mean(result$scores[-4, name]))
    expect_equal(line$mean, result$runs[[name]]$mean)
    expect_equal(line$rank, mean(rank_methods(result$scores, "high")[, name]))
  }
  expect_equal(unlist(table[2, c("lower", "upper")], use.names = FALSE),
               table$difference[2] + c(-1, 1) * table$se[2] * qt(0.975, result$inference$df[2]))
  expect_equal(2 * pt(-abs(table$difference / table$se), result$inference$df)[-3], table$p[-3])
  # without the null model
  plain <- friedman.test(result$scores[-4, -1])
  factors <- pmin(pmax(result$inference$inflation[-1], 1), 8)
  factors[2] <- mean(factors[-2])
  deviation <- (colMeans(rank_methods(result$scores[, -1], "high")) - 2)^2
  expect_equal(result$friedman$statistic,
               unname(plain$statistic) * sum(deviation / factors) / sum(deviation))
  expect_equal(result$friedman$p, pchisq(result$friedman$statistic, 2, lower.tail = FALSE))
  expect_equal(sum(table$rank), 10)
  expect_output(print(result), "1 domain without a score")
  # the same folds for all
  folds <- lapply(result$runs, function(run) run$predictions$fold)
  expect_length(unique(folds), 1L)
})

test_that("the null model is always there, once, and the first other method is compared with", {
  toy <- toy_domains(4, 8)
  methods <- function(...) dg_compare(..., x = y ~ . | domain, data = toy)[c("table", "baseline")]
  expect_identical(methods(list(a = dg_lm()))$table$method, c("null", "a"))
  expect_identical(methods(list(a = dg_lm(), n = dg_null()))$table$method, c("a", "n"))
  expect_identical(methods(list(a = dg_lm(), b = dg_ridge()))$baseline, "a")
  expect_identical(methods(list(a = dg_lm(), pooled = dg_ridge()))$baseline, "pooled")
  expect_identical(methods(list(n = dg_null()))$baseline, "n")
  expect_identical(methods(list(a = dg_lm()), baseline = "null")$baseline, "null")
})

test_that("the verdict says what the interval says", {
  low <- metrics$rmse
  high <- metrics$accuracy
  row <- function(difference, lower, upper) {
    data.frame(method = "m", difference = difference, se = 0.1, lower = lower, upper = upper)
  }
  expect_identical(verdict(row(-0.5, -0.7, -0.3), low), "Better")
  expect_identical(verdict(row(0.5, 0.3, 0.7), low), "Worse")
  expect_identical(verdict(row(0.5, 0.3, 0.7), high), "Better")
  expect_identical(verdict(row(-0.5, -0.7, -0.3), high), "Worse")
  expect_identical(verdict(row(0.1, -0.1, 0.3), low), "Not distinguishable")
  expect_identical(verdict(row(1, NA, NA), low), "Too few domains for an interval")
  expect_identical(verdict(row(NA, NA, NA), low), "No domain has a score")
  expect_identical(verdict(row(Inf, NA, NA), low), "Scores are not finite")
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
    expect_lte(max(nchar(printed)), getOption("width"))
    expect_match(printed[5], "null +[0-9.]+e[+-][01]")
  }
  infinite <- metric_custom(function(truth, prediction) if (truth[1] < 0) Inf else 1)
  result <- dg_compare(list(a = dg_lm()), y ~ . | domain, data = toy, metric = infinite)
  expect_output(print(result), "not finite|Not distinguishable|Too few")
  expect_silent(dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = infinite))
})

test_that("methods that are alike can be compared and printed", {
  toy <- toy_classes(5, 10)
  result <- dg_compare(list(a = dg_null(), b = dg_null(), c = dg_null()), y ~ . | domain,
                       data = toy)
  expect_equal(result$table$rank, c(2, 2, 2))
  expect_null(result$friedman)
  expect_output(print(result), "Equal in every domain: b, c")
})

test_that("tuned methods and dg_auto() are compared like any other", {
  toy <- toy_domains(4, 10)
  specs <- list(tuned = dg_tune(dg_ridge(), grid = list(lambda = 10^(0:2)), folds = 2),
                auto = dg_auto(max_ard = 0), lm = dg_lm())
  set.seed(3)
  result <- dg_compare(specs, y ~ . | domain, data = toy, folds = 2)
  set.seed(3)
  alone <- dg_cv(specs$tuned, y ~ . | domain, data = toy, folds = 2)
  expect_identical(result$runs$tuned$predictions, alone$predictions)
  expect_identical(result$runs$tuned$fits$lambda, alone$fits$lambda)
  expect_named(alone$fits, c("fold", "rep", "seconds", "lambda"))
})
