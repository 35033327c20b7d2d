# Worlds of which is known what there is to gain.
world <- function(kind, seed = 1, domains = 12, rows = 30) {
  if (kind == "recoverable") return(simulate_ellipses(domains, rows, seed = seed))
  with_seed(seed, {
    g <- rep(seq_len(domains), each = rows)
    n <- length(g)
    shift <- if (kind == "plain") 0 else 2 * stats::rnorm(domains)[g]
    x1 <- stats::rnorm(n) + if (kind == "shift") shift else 0
    x2 <- stats::rnorm(n)
    slope <- if (kind == "flip") sample(c(-1, 1), domains, replace = TRUE)[g] else 1
    data.frame(domain = factor(g), y = slope * x1 + stats::rnorm(n) / 3, x1, x2)
  })
}
diagnosis <- function(kind, ...) {
  dg_diagnose(y ~ . | domain, data = world(kind), permutations = 60, ...)
}

test_that("a world without any difference is found to have none", {
  found <- diagnosis("plain")
  expect_gt(found$shift$p, 0.05)
  expect_lt(abs(found$shift$ratio - 1), 0.5)
  expect_false(found$room$lower > 0)
  expect_false(found$gain$lower > 0)
  expect_match(found$verdict[1L], "No shift")
  expect_match(found$verdict[3L], "Pooling is enough")
})

test_that("shift of the predictors alone leaves no room", {
  found <- diagnosis("shift")
  expect_lt(found$shift$p, 0.05)
  expect_gt(found$shift$ratio, 5)
  expect_false(found$room$lower > 0)
  expect_match(found$verdict[1L], "distributions differ between domains")
  expect_match(found$verdict[2L], "cannot be seen")
  expect_match(found$verdict[3L], "gains nothing certain. Pooling")
})

test_that("a relation that moves with the shape of the domain can be recovered", {
  found <- diagnosis("recoverable")
  expect_lt(found$shift$p, 0.05)
  expect_gt(found$room$lower, 0)
  expect_gt(found$gain$lower, 0)
  expect_match(found$verdict[3L], "^Unlabelled rows tell how.*domain_distribution")
})

test_that("a relation that flips at random is room that nobody can recover", {
  found <- diagnosis("flip")
  expect_gt(found$shift$p, 0.05)
  expect_gt(found$room$lower, 0)
  expect_gt(found$room$difference, 0.3)
  expect_false(found$gain$lower > 0)
  expect_match(found$verdict[3L], "^Unlabelled rows do not tell how.*adapt\\(\\)")
})

test_that("false alarms are as rare as they should be", {
  wrong <- vapply(1:10, function(seed) {
    data <- world("plain", seed = 100 + seed, domains = 8, rows = 12)
    found <- dg_diagnose(y ~ . | domain, data = data, permutations = 40)
    c(found$shift$p < 0.05, found$room$lower > 0, found$gain$lower > 0)
  }, logical(3))
  # of ten: 4 or more have probability 0.001 at 5 %
  expect_true(all(rowSums(wrong) <= 3))
})

test_that("slopes that flip at random are seldom taken for something that embeddings tell", {
  wrong <- vapply(1:8, function(seed) {
    found <- dg_diagnose(y ~ . | domain, data = world("flip", seed = 100 + seed), permutations = 20)
    is_certain(found$gain) && found$gain$p_embedding <= 0.05
  }, NA)
  expect_lte(sum(wrong), 2)
})

test_that("exchanged embeddings are tried until one gains as much", {
  gain <- data.frame(difference = 1, lower = 0.5)
  draws <- 0L
  draw <- function(values) function() values[[draws <<- draws + 1L]]
  expect_identical(embedding_p(gain, draw(c(0, 0.5, 1, 0))), 1 / 3)
  expect_identical(draws, 3L)
  draws <- 0L
  expect_identical(embedding_p(gain, draw(rep(0, 19))), 1 / 20)
  expect_identical(embedding_p(data.frame(difference = 1, lower = -1), stop), NA_real_)
})

test_that("the distributional variance and its test are the formulas", {
  data <- world("shift", domains = 4, rows = 8)
  found <- dg_diagnose(y ~ . | domain, data = data, permutations = 50, seed = 3)
  X <- scale(as.matrix(data[c("x1", "x2")]))
  sigma <- median_bandwidth(X)
  K <- exp(-as.matrix(dist(X))^2 / (2 * sigma^2))
  naive <- function(g) {
    means <- sapply(levels(g), function(a) sapply(levels(g), function(b) mean(K[g == a, g == b])))
    mean(diag(means)) - mean(means)
  }
  expect_equal(found$shift$variance, naive(data$domain))
  expect_equal(found$shift$ratio, found$shift$variance / found$shift$level)
  expect_true(found$shift$p %in% (seq_len(51) / 51))
  by_chance <- with_seed(8, replicate(300, naive(sample(data$domain))))
  expect_equal(found$shift$level, mean(by_chance), tolerance = 0.1)
})

test_that("scores are those of machines that know the other domains' labels alone", {
  data <- world("recoverable", domains = 6, rows = 20)
  found <- dg_diagnose(y ~ . | domain, data = data, permutations = 20)
  expect_identical(found$domains$domain, levels(data$domain))
  expect_identical(found$domains$rows, rep(20L, 6))
  expect_equal(found$room[1, ], paired_difference(found$domains$told - found$domains$pooled_known))
  expect_equal(found$gain[1, 1:5],
               paired_difference(found$domains$distributional - found$domains$pooled_unseen))
  # the choice of a domain is what is best in the others
  scores <- with_seed(1, matrix(runif(28), 7))
  scores[3, ] <- NA
  scores[5, 2] <- NA
  for (metric in metrics[c("accuracy", "rmse")]) {
    sign <- if (metric$better == "low") -1 else 1
    naive <- vapply(1:7, function(g) {
      scores[g, which.max(sign * colMeans(scores[-g, ], na.rm = TRUE))]
    }, 0)
    expect_equal(choose_elsewhere(scores, metric), naive)
  }
})

test_that("a diagnosis is the same for a seed and leaves the generator alone", {
  data <- world("recoverable", domains = 5, rows = 12)
  set.seed(1)
  before <- .Random.seed
  one <- dg_diagnose(y ~ . | domain, data = data, permutations = 30)
  expect_identical(.Random.seed, before)
  expect_identical(dg_diagnose(y ~ . | domain, data = data, permutations = 30), one)
  few <- dg_diagnose(y ~ . | domain, data = data, permutations = 30, max_rows = 40, seed = 2)
  expect_lte(few$rows, 40L)
  by_matrix <- dg_diagnose(data[c("x1", "x2")], data$y, data$domain, permutations = 30)
  expect_equal(by_matrix$domains, one$domains)
})

test_that("a diagnosis is printed in sentences and drawn", {
  found <- dg_diagnose(y ~ . | domain, data = world("flip", domains = 6, rows = 12),
                       permutations = 30, metric = "mae")
  expect_output(print(found), "What is there to gain from domains\\? \\(6 domains, 72 rows used\\)")
  expect_output(print(found), "mean absolute error in unseen domains: pooled")
  file <- tempfile(fileext = ".png")
  grDevices::png(file)
  expect_identical(withVisible(plot(found)), list(value = found, visible = FALSE))
  grDevices::dev.off()
  expect_gt(file.size(file), 2000)
  unlink(file)
})

test_that("data that cannot be diagnosed are refused", {
  toy <- toy_domains(4, 10)
  run <- function(...) dg_diagnose(y ~ . | domain, data = toy, ...)
  expect_refusals({
    dg_diagnose()
    dg_diagnose(y ~ ., data = toy)
    dg_diagnose(y ~ . | domain, data = domains_of(toy, 1:2))
    run(metric = "log_density")
    run(metric = "auc")
    run(permutations = 5)
    run(max_rows = 1)
    run(scale = "domain")
    run(seed = "a")
    run(kernel = kernel_rbf())
  })
})
