# Domains of rows in p predictors, whose means differ; list(X, domain).
standing_rows <- function(sizes, p = 2, between = 0.5, shift = 0) {
  G <- length(sizes)
  domain <- factor(rep(seq_len(G), sizes))
  centre <- matrix(rnorm(G * p, 0, between), G)
  centre[G, 1] <- centre[G, 1] + shift
  list(X = matrix(rnorm(sum(sizes) * p), ncol = p) + centre[as.integer(domain), ],
       domain = domain, threads = 1L)
}

some_domains <- function(rows, which) {
  part <- rows_at(rows, which(as.integer(rows$domain) %in% which))
  part$domain <- droplevels(part$domain)
  part
}

described <- function(rows, sigma = 1) {
  domain_kernel_fit(domain_distribution(kernel_rbf(sigma)), rows)
}

# The formulas of ?dg_novelty, in loops: scores of the training domains and of a new one, the last.
naive_scores <- function(rows, sigma = 1) {
  m <- nlevels(rows$domain)
  n <- as.vector(table(rows$domain))
  K <- exp(-as.matrix(dist(rows$X))^2 / (2 * sigma^2))
  gram <- matrix(0, m, m)
  for (i in 1:m) for (j in 1:m) gram[i, j] <- mean(K[rows$domain == i, rows$domain == j])
  known <- seq_len(m - 1)
  s2 <- (sum(n[known]) - sum(n[known] * diag(gram)[known])) / (sum(n[known]) - length(known))
  squared <- outer(diag(gram), diag(gram), "+") - 2 * gram
  noise <- outer(s2 / n, s2 / n, "+")
  k <- ceiling(sqrt(m))
  nearest <- function(values) mean(sort(values)[seq_len(min(k, length(values)))])
  between <- median(sapply(known, function(g) {
    nearest((squared - noise)[g, setdiff(known, g)])
  }))
  sapply(1:m, function(j) nearest((squared / (max(between, 0) + noise))[j, -j]))
}

test_that("the score is that of the formula, for few and many domains of other sizes", {
  set.seed(1)
  for (m in c(3, 4, 12)) {
    # a model has finite parts only
    rows <- standing_rows(sample(3:20, m, TRUE))
    known <- some_domains(rows, seq_len(m - 1))
    standing <- domain_standing(described(known), some_domains(rows, m))
    expect_true(all(is.finite(unlist(described(known)$spread))))
    scores <- naive_scores(rows)
    expect_equal(standing$distance, scores[m])
    expect_equal(c(attr(standing, "left_out")), scores[-m])
    expect_equal(standing$p, mean(scores >= scores[m] - 1e-12))
  }
})

test_that("the rank is exactly uniform over which of exchangeable domains is the new one", {
  set.seed(2)
  rows <- standing_rows(rep(8L, 9))
  p <- sapply(1:9, function(new) {
    domain_standing(described(some_domains(rows, setdiff(1:9, new))), some_domains(rows, new))$p
  })
  expect_equal(sort(p), (1:9) / 9)
})

test_that("the rank stays uniform with very unequal sizes, and sees means and spreads move", {
  set.seed(3)
  p_of <- function(shift = 0, times = 1) {
    rows <- standing_rows(round(exp(runif(10, log(4), log(60)))), shift = shift)
    last <- as.integer(rows$domain) == 10
    rows$X[last, ] <- rows$X[last, ] * times
    domain_standing(described(some_domains(rows, 1:9)), some_domains(rows, 10))$p
  }
  p <- replicate(300, p_of())
  # 1/10, ..., 1: four standard errors of a share of 300
  expect_lt(max(abs(ecdf(p)((1:10) / 10) - (1:10) / 10)), 4 * sqrt(0.25 / 300))
  expect_gt(mean(replicate(40, p_of(shift = 3)) <= 0.1), 0.8)
  expect_gt(mean(replicate(40, p_of(times = 4)) <= 0.1), 0.6)
})

test_that("several new domains are judged one by one, in any order", {
  set.seed(4)
  rows <- standing_rows(rep(6L, 8))
  kernel <- described(some_domains(rows, 1:5))
  alone <- do.call(rbind, lapply(6:8, function(j) domain_standing(kernel, some_domains(rows, j))))
  expect_equal(as.data.frame(domain_standing(kernel, some_domains(rows, 6:8))), alone,
               ignore_attr = TRUE)
})

test_that("domains with the same predictors by design are all alike", {
  x <- matrix(seq(-1, 1, length.out = 10))
  rows <- list(X = x[rep(1:10, 20), , drop = FALSE], domain = factor(rep(1:20, each = 10)),
               threads = 1L)
  kernel <- described(rows)
  less <- list(X = x[-4, , drop = FALSE], domain = factor(rep("new", 9)), threads = 1L)
  standing <- domain_standing(kernel, less)
  expect_lt(standing$distance, 0.1)
  expect_identical(standing$p, 1)
  expect_false(stands_beyond(standing))
})

test_that("features stand for the rows, and single domains or other kernels say nothing", {
  set.seed(5)
  rows <- standing_rows(rep(10L, 12), shift = 2)
  known <- some_domains(rows, 1:11)
  mapped <- domain_kernel_fit(domain_distribution(kernel_rbf(1)), known, features_nystrom(60))
  exact <- domain_standing(described(known), some_domains(rows, 12))
  expect_equal(domain_standing(mapped, some_domains(rows, 12)), exact, tolerance = 0.05)
  expect_null(domain_standing(described(some_domains(rows, 1)), known))
  expect_null(domain_standing(domain_pooled(), known))
  expect_null(domain_standing(NULL, known))
})

test_that("predict() warns of domains beyond all of many, and of no ordinary or few", {
  train <- simulate_dica(domains = 20, n = 15, seed = 1)
  new <- simulate_dica(domains = 2, n = 15, seed = 2)
  moved <- transform(new, x1 = x1 + ifelse(domain == "d2", 4, 0))
  model <- dg_ridge(y ~ . | domain, data = train, lambda = 1)
  expect_silent(predict(model, new))
  said <- expect_warning(predict(model, moved), class = "domgen_warning_far_domain")
  expect_match(conditionMessage(said), "\"d2\" is beyond all training .* times as far .*dg_novelty")
  expect_identical(length(capture_warnings(predict(model, moved))), 1L)
  ten <- subset(train, domain %in% levels(domain)[1:10])
  few <- dg_ridge(y ~ . | domain, data = ten, lambda = 1)
  expect_silent(predict(few, moved))
})

test_that("rows in blocks are warned of as rows in memory", {
  train <- simulate_dica(domains = 20, n = 15, seed = 1)
  new <- transform(simulate_dica(domains = 1, n = 15, seed = 2), x1 = x1 + 4)
  model <- dg_ridge(y ~ . | domain, data = train, lambda = 1, feature_map = features_product())
  in_memory <- capture_warnings(predict(model, new))
  expect_match(in_memory, "is beyond all")
  expect_identical(capture_warnings(predict(model, row_source(new))), in_memory)
})

test_that("predict() finds the domains that stand beyond without all of their standing", {
  set.seed(6)
  for (outlying in c(0, 3, 8)) {
    known <- standing_rows(rep(6L, 24))
    new <- standing_rows(sample(2:9, 30, TRUE), shift = outlying)
    kernel <- described(known, sigma = 10)
    standing <- domain_standing(kernel, new)
    found <- domains_beyond(kernel, new_embeddings(kernel, new), new)
    expect_identical(as.integer(found), which(stands_beyond(standing)))
    if (length(found)) {
      expect_equal(attr(found, "standing"), standing[found, ], ignore_attr = TRUE)
    }
    near <- embedding_distances(kernel$spread, new_embeddings(kernel, new), tabulate(new$domain))
    expect_equal(count_near(kernel$spread, new_embeddings(kernel, new), tabulate(new$domain)),
                 rowSums(near <= 2), ignore_attr = TRUE)
  }
  expect_gt(length(found), 0)
})
