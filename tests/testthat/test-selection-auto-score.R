read_toy <- function(data, formula = y ~ . | domain) {
  read_sample(read_input(list(x = formula, data = data)),
              list(response = "any", domain = TRUE), "none")
}

# The last round of a search, and what it chooses.
searched <- function(data, ...) {
  sample <- read_toy(data)
  args <- dg_auto(progress = FALSE, ...)$args
  search <- new_search(args, sample, read_single_metric(NULL, sample$y)[[1L]], FALSE, args$max_rows)
  run_stages(search)
  search
}

test_that("a domain's cross-fitted score is that of lambda and candidate that the others choose", {
  # one predictor of six matters: a bandwidth each
  sparse <- with_seed(5, {
    d <- data.frame(domain = gl(6, 16), matrix(rnorm(96 * 6), 96))
    transform(d, y = sin(3 * X1) + rnorm(96) / 10)
  })
  search <- searched(sparse, n_members = 1)
  expect_gt(length(search$found), 20L)
  expect_true(any(lengths(lapply(search$found, `[[`, "parts")) > 1L))
  by_hand <- vapply(1:6, function(g) {
    # [candidates] of list(mean in the other domains, score in g), each at the others' lambda
    each <- vapply(search$found, function(f) {
      own <- vapply(seq_len(6), function(h) {
        part <- Filter(function(part) part$held[h], f$parts)[[1L]]
        judging <- setdiff(which(part$in_choice), g)
        means <- colMeans(part$scores[judging, , drop = FALSE])
        part$scores[h, max(which(means == min(means)))]
      }, numeric(1))
      c(mean(own[-g]), own[g])
    }, numeric(2))
    each[2L, which.min(each[1L, ])]
  }, numeric(1))
  expect_equal(known_scores(cross_fitted(search), search$scoring), by_hand)
  # all domains together choose what is in the table
  chosen <- choose_members(search, 1)
  expect_equal(mean(chosen$scores), min(found_losses(search)))
})

test_that("more than ten domains are scored by the choice of the other groups", {
  search <- searched(with_seed(4, toy_domains(13, 6)), n_members = 2, max_ard = 0)
  group <- in_groups(factor(levels(search$scored_by), levels(search$scored_by)))
  fair <- known_scores(cross_fitted(search), search$scoring)
  one <- group == 3
  expect_equal(fair[one], choose_members(search, 2, !one)$scores[one])
})

test_that("what is learned from noise is not reported as a gain", {
  seeds <- seq_len(if (long_form()) 8 else 4)
  gains <- vapply(seeds, function(seed) {
    noise <- toy_domains(8, 12)
    noise$y <- with_seed(seed, rnorm(nrow(noise)))
    found <- dg_auto(y ~ . | domain, data = noise, max_ard = 0, progress = FALSE)
    table <- found$choice$table
    null <- table$mean[which(table$kernel == "null model")]
    c(best = null - min(table$mean[-1L]), reported = null - found$choice$expected$mean)
  }, numeric(2))
  # there is none; the best of many show one
  expect_gt(mean(gains["best", ]), 0.01)
  expect_gte(sum(gains["reported", ] <= 1e-12), 0.75 * length(seeds))
  expect_true(all(gains["reported", ] <= gains["best", ]))
})

test_that("the expected score has an interval, and loses more than cross-fitting takes off", {
  raw <- c(1, 2, 1.5, 1.2, 0.9)
  off <- -c(0.1, 0.2, 0, 0.1, 0.1)
  found <- expected_of(raw, off, metrics$rmse)
  expect_equal(found$mean, mean(raw) + (1 + 4 / 5) * mean(-off))
  expect_equal(found$se, sd(raw - off) * sqrt(1 / 5 + 1 / 4))
  expect_equal(c(found$lower, found$upper),
               found$mean * exp(c(-1, 1) * qt(0.975, 4) * found$se / found$mean))
  # what the other domains choose may be better: nothing more is taken off
  expect_equal(expected_of(raw, -off, metrics$rmse)$mean, mean(raw + off))
  # higher is better; not on the log scale
  high <- expected_of(-raw, -off, metrics$r2)
  expect_equal(high$mean, -found$mean)
  expect_equal(c(high$lower, high$upper), high$mean + c(-1, 1) * qt(0.975, 4) * found$se)
  # two domains say nothing of the error, and take off enough
  two <- expected_of(raw[1:2], off[1:2], metrics$rmse)
  expect_equal(two$mean, mean((raw - off)[1:2]))
  expect_identical(c(two$se, two$lower, two$upper), rep(NA_real_, 3))
  expect_gt(expected_of(raw, off, metrics$rmse, unit = 0.3)$upper, found$upper)
})

test_that("rows of a search do not make the score too good", {
  world <- function(domains) {
    d <- data.frame(domain = factor(rep(seq_len(domains), each = 40)), x = rnorm(40 * domains))
    transform(d, y = 2 * x + rnorm(nrow(d)))
  }
  found <- dg_auto(y ~ x | domain, data = with_seed(7, world(40)), max_rows = 240, n_members = 2,
                   progress = FALSE, seed = 9)
  fresh <- with_seed(8, world(200))
  true <- mean(sqrt(tapply((predict(found, fresh) - fresh$y)^2, fresh$domain, mean)))
  expected <- found$choice$expected
  expect_lt(abs(expected$mean - true), 2.5 * expected$se)
  expect_lt(expected$se, 0.05)
  # irreducible: 1; of 20 rows a domain 0.988
  expect_lt(abs(found$choice$table$mean[1L] - 0.99), 3 * found$choice$table$se[1L])
  # the world is linear and pooled
  table <- found$choice$table
  right <- which(table$scale == "pooled" & table$kernel == "linear kernel" &
                   table$domain_kernel == "pooled" & table$rows == table$rows[1L])
  expect_length(right, 1L)
  expect_false(clearly_worse(found$choice, right))
  expect_identical(found$choice$seed, 9)
  expect_identical(expected$domains, 40L)
})

test_that("with more rows than the search has, the members' scores are those of dg_cv()", {
  # without heavy tails, which bring a member that has no dg_cv()
  big <- with_seed(5, {
    d <- toy_domains(6, 40)
    transform(d, y = 2 * x1 + sin(x2) + rnorm(nrow(d)))
  })
  found <- dg_auto(y ~ . | domain, data = big, max_rows = 90, max_ard = 0, n_members = 2,
                   progress = FALSE)
  held <- lapply(found$members, function(m) {
    d <- dg_cv(fit(m$spec, y ~ . | domain, data = big))$predictions
    d$prediction[order(d$row)]
  })
  residual <- big$y - Reduce(`+`, held) / length(held)
  by_hand <- mean(sqrt(tapply(residual^2, big$domain, mean)))
  expect_equal(found$choice$expected$raw, by_hand, tolerance = 2e-3)
  # of all rows, 90 were seen by the choice
  fair <- found$choice$scores[, 1L]
  expect_false(isTRUE(all.equal(found$choice$expected$mean, mean(fair))))
})

test_that("more domains than a search has rows and classes too rare to be drawn do not stop it", {
  many <- with_seed(6, data.frame(domain = rep(1:150, each = 4), x = rnorm(600)))
  many$y <- many$x + with_seed(7, rnorm(600))
  many$class <- factor(ifelse(many$y > 0, "u", "v"))
  many$rare <- factor(ifelse(seq_len(600) %in% c(5, 320), "yes", "no"))
  for (response in c("y", "class", "rare")) {
    found <- dg_auto(stats::reformulate("x | domain", response), data = many, max_rows = 100,
                     n_members = 1, progress = FALSE)
    expect_true(is.finite(found$choice$expected$mean))
    # logistic regressions are scored on the rows of the search
    members <- found$choice$table$member %in% TRUE
    logistic <- any(grepl("logistic", found$choice$table$kernel[members]))
    expect_identical(found$choice$expected$domains, if (logistic) 25L else 150L)
    expect_output(print(found), "expected on a new domain: [0-9.]+ \\(95 % interval [-0-9.]+ to")
  }
  for (seed in 1:10) {
    rows <- search_rows(list(y = many$rare, domain = factor(many$domain)), 40, seed)
    expect_true(all(table(many$rare[rows]) > 0))
    expect_length(rows, 40L)
  }
})

test_that("rounds of a search that have different domains stand in one table", {
  many <- with_seed(9, transform(data.frame(domain = rep(1:30, each = 6), x = rnorm(180)),
                                 y = x + rnorm(180)))
  found <- with_replaced("first_rows", 120L, {
    dg_auto(y ~ x | domain, data = many, max_rows = 160, n_members = 2, progress = FALSE)
  })
  expect_setequal(found$choice$table$rows, c(120L, 156L))
  first <- found$choice$table$rows == 120L
  expect_identical(unique(colSums(!is.na(found$choice$scores[, first]))), 20)
  expect_identical(nrow(found$choice$scores), 26L)
})

test_that("of candidates that are equally good one is seldom called clearly worse", {
  # scores of eight domains, whose training sets have most domains in common
  choice <- function(loss = 0) {
    shared <- rep(rnorm(8) / sqrt(8), each = 8)
    list(metric = metrics$rmse, scores = matrix(rnorm(64) + shared, 8) + rep(c(0, loss), c(8, 56)))
  }
  found <- with_seed(1, replicate(400, any(clearly_worse(choice(), 2:8))))
  # the share is at most 0.05: 33 of 400 have probability 0.003
  expect_lte(sum(found), 32L)
  expect_true(all(with_seed(2, clearly_worse(choice(12), 2:8))))
  better <- choice(12)
  better$metric <- metrics$accuracy
  expect_false(any(clearly_worse(better, 2:8)))
  expect_identical(length(clearly_worse(choice(), integer(0))), 0L)
})
