# Runs of a comparison, with scores that are given: columns of methods, the first the null model.
compared_scores <- function(scores, metric = NULL) {
  domains <- nrow(scores)
  toy <- data.frame(domain = rep(paste0("d", seq_len(domains)), each = 4), x = seq_len(4 * domains))
  toy$y <- toy$x %% 3
  methods <- stats::setNames(rep(list(dg_lm()), ncol(scores) - 1L), colnames(scores)[-1L])
  result <- dg_compare(methods, y ~ x | domain, data = toy, folds = 3, refits = FALSE,
                       metric = metric)
  runs <- Map(function(run, own) {
    run$domains$score <- own
    run$mean <- mean(own)
    run
  }, result$runs, as.data.frame(scores))
  new_comparison(runs, names(runs), result$baseline)
}

test_that("one p a method is printed, and summary() says how small that of the ranks can be", {
  set.seed(1)
  base <- rnorm(15, 5)
  result <- compared_scores(cbind(null = base + 9 + rnorm(15), a = base, b = base + 1 + runif(15)))
  printed <- capture.output(print(result))
  expect_no_match(printed, "p_rank|seconds")
  head <- grep("^ method", printed, value = TRUE)
  expect_match(head, "method +RMSE difference +95 % CI +p$")
  expect_match(printed, "^ b .* to [0-9.]+ <0.001$", all = FALSE)
  expect_match(printed, "summary() adds ranks", fixed = TRUE, all = FALSE)
  summed <- summary(result)
  # all domains differ alike: no p of ranks could be smaller
  expect_equal(summed$ranks$p_rank[3], summed$ranks$least[3])
  expect_gt(summed$ranks$least[3], 0.005)
  expect_output(print(summed), "least: the smallest possible\\s+p_rank")
})

test_that("Friedman's test is of the methods without the null model, and gives no verdict", {
  set.seed(2)
  noise <- matrix(rnorm(45, 0, 0.1), 15)
  colnames(noise) <- c("a", "b", "c")
  result <- compared_scores(cbind(null = 100 + rnorm(15), noise + rnorm(15)))
  expect_equal(result$friedman, friedman(rank_methods(result$scores[, -1], "low"),
                                         c(NA, result$inference$inflation[3:4])))
  expect_gt(result$friedman$p, 0.05)
  expect_no_match(capture.output(print(result)), "Some methods differ|stands out")
  expect_output(print(summary(result)), "without the null model: p = ")
  # two methods and the null model are too few
  expect_null(compared_scores(result$scores[, 1:3])$friedman)
})

test_that("every metric that was asked for is in the table", {
  toy <- toy_domains(5, 12)
  result <- dg_compare(list(a = dg_lm()), y ~ . | domain, data = toy, refits = FALSE,
                       metric = c("rmse", "mae", "r2"))
  found <- result_cells(describe_result(result), "print")
  expect_identical(found$headers, c("method", "RMSE", "difference", "95 % CI", "p",
                                    "mean absolute error", "R squared"))
  expect_equal(as.numeric(found$cells$mae),
               sort(unname(vapply(result$runs, function(run) mean(run$domains$mae), 0))),
               tolerance = 1e-3)
  text <- gsub("\\s+", " ", paste(capture.output(print(result)), collapse = " "))
  expect_match(text, "Differences are of RMSE; mean absolute error, R squared: means over domains")
})

test_that("methods that differ by rounding alone are said to be equal, and rank alike", {
  set.seed(3)
  base <- rnorm(12, 6)
  scores <- cbind(null = base + 1 + rnorm(12), a = base, b = base + 1e-9 * rnorm(12),
                  c = base + 1e-4 * rnorm(12))
  result <- compared_scores(scores)
  expect_identical(result$table$difference[3], 0)
  expect_identical(result$table$se[3], 0)
  expect_equal(result$table$rank[2], result$table$rank[3])
  expect_equal(result$scores, scores, ignore_attr = TRUE)
  printed <- capture.output(print(result))
  expect_match(printed, "Equal in every domain: b", all = FALSE, fixed = TRUE)
  expect_match(printed, "Not distinguishable: c, null", all = FALSE, fixed = TRUE)
  expect_match(printed, "^ b +[0-9.]+ +0.0+$", all = FALSE)
  expect_identical(summary(result)$methods$best_in[2:3], rep(summary(result)$methods$best_in[2], 2))
})

test_that("what all methods warn of is one note", {
  toy <- toy_classes(4, 10)
  chains <- list(a = dg_pipeline(dg_dica(ncomp = 2), dg_lm()), b = dg_pipeline(dg_dica(ncomp = 2), dg_ridge(lambda = 1)))
  result <- dg_compare(chains, y ~ . | domain, data = toy, refits = FALSE)
  text <- gsub("\\s+", " ", paste(capture.output(print(result)), collapse = " "))
  expect_identical(lengths(regmatches(text, gregexpr("`ncomp` is 2", text))), 1L)
  expect_match(text, "note, 4 of 4 folds of a, 4 of 4 folds of b: `ncomp` is 2", fixed = TRUE)
})
