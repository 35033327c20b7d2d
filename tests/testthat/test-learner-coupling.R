# Pairwise probabilities to probabilities of all classes.

# The quadratic problem with its multiplier, for one row. r[i, j]: i on the rows of i and j.
naive_couple <- function(r) {
  k <- nrow(r)
  Q <- -t(r) * r
  diag(Q) <- sapply(seq_len(k), function(i) sum(r[-i, i]^2))
  solve(rbind(cbind(Q, 1), c(rep(1, k), 0)), c(rep(0, k), 1))[seq_len(k)]
}

random_pairs <- function(rows, k, seed = 1) {
  with_seed(seed, matrix(runif(rows * k * (k - 1) / 2, 0.01, 0.99), rows))
}

# r as a matrix of all pairs; machine m gives the probability of its second class.
full_matrix <- function(r, pairs, k) {
  full <- matrix(0, k, k)
  full[pairs[, 2:1]] <- r
  full[pairs] <- 1 - r
  full
}

test_that("coupled probabilities solve the quadratic problem of Wu, Lin and Weng", {
  for (k in c(2, 3, 4, 7)) {
    pairs <- t(combn(k, 2))
    r <- random_pairs(20, k)
    p <- couple_pairs(r, pairs, k)
    naive <- t(apply(r, 1, function(row) naive_couple(full_matrix(row, pairs, k))))
    expect_equal(p, naive, tolerance = 1e-10)
    expect_equal(rowSums(p), rep(1, 20), tolerance = 1e-14)
    expect_true(all(p >= 0))
  }
})

test_that("no other probabilities have a smaller sum of squares", {
  pairs <- t(combn(5, 2))
  r <- random_pairs(1, 5, seed = 3)
  full <- full_matrix(r, pairs, 5)
  squares <- function(p) {
    sum(sapply(seq_len(5), function(i) sum((full[-i, i] * p[i] - full[i, -i] * p[-i])^2)))
  }
  best <- squares(couple_pairs(r, pairs, 5)[1, ])
  others <- with_seed(2, replicate(500, {
    p <- rexp(5)
    squares(p / sum(p))
  }))
  expect_true(all(others > best))
})

test_that("pairwise probabilities of a distribution give that distribution", {
  for (k in 3:8) {
    p <- with_seed(k, matrix(rexp(30 * k)^3, 30))
    p <- p / rowSums(p)
    pairs <- t(combn(k, 2))
    r <- p[, pairs[, 2]] / (p[, pairs[, 1]] + p[, pairs[, 2]])
    expect_equal(couple_pairs(r, pairs, k), p, tolerance = 1e-9)
  }
})

test_that("certain pairs, circles and missing values have their answers", {
  pairs <- t(combn(4, 2))
  sure <- matrix(ifelse(pairs[, 2] == 3, 1, ifelse(pairs[, 1] == 3, 0, 0.5)), 1)
  expect_equal(couple_pairs(sure, pairs, 4)[1, ], c(0, 0, 1, 0))
  # a beats b, b beats c, c beats a
  circle <- cbind(0.1, 0.9, 0.1)
  expect_equal(couple_pairs(circle, t(combn(3, 2)), 3)[1, ], rep(1 / 3, 3))
  corners <- as.matrix(expand.grid(rep(list(c(1e-7, 0.5, 1 - 1e-7)), 6)))
  p <- couple_pairs(unname(corners), pairs, 4)
  expect_true(all(is.finite(p)) && all(p >= 0))
  expect_equal(rowSums(p), rep(1, nrow(p)))
  with_hole <- random_pairs(3, 4)
  with_hole[2, 5] <- NA
  p <- couple_pairs(with_hole, pairs, 4)
  expect_true(all(is.na(p[2, ])))
  expect_false(anyNA(p[-2, ]))
})

test_that("rows do not depend on each other, however many there are", {
  pairs <- t(combn(3, 2))
  r <- random_pairs(2 * chunk_rows + 5, 3)
  p <- couple_pairs(r, pairs, 3)
  some <- c(1, chunk_rows, chunk_rows + 1, nrow(r))
  expect_identical(p[some, ], couple_pairs(r[some, ], pairs, 3))
  expect_identical(dim(couple_pairs(r[0, , drop = FALSE], pairs, 3)), c(0L, 3L))
})

test_that("they are the probabilities of LIBSVM, to the precision of its iteration", {
  skip_if_not_installed("e1071")
  set.seed(1)
  peer <- e1071::svm(Species ~ ., iris, probability = TRUE)
  told <- predict(peer, iris, probability = TRUE, decision.values = TRUE)
  values <- attr(told, "decision.values")
  first <- plogis(-sweep(sweep(values, 2, peer$probA, "*"), 2, peer$probB, "+"))
  pairs <- t(sapply(strsplit(colnames(values), "/"), match, levels(iris$Species)))
  # a machine of ours gives the second class
  r <- pmin(pmax(1 - unname(first), 1e-7), 1 - 1e-7)
  p <- couple_pairs(r, pairs, 3)
  theirs <- attr(told, "probabilities")[, levels(iris$Species)]
  expect_lt(max(abs(p - theirs)), 2e-3)
})

test_that("probabilities of each class against the rest are divided by their sum", {
  response <- list(levels = c("a", "b", "c"), pairs = each_class(letters[1:3]))
  maps <- lapply(1:3, function(m) structure(list(slope = m, intercept = 0), class = "platt_map"))
  values <- cbind(c(1, -1, -1e4), c(0, 2, -1e4), c(-1, NA, -1e4))
  p <- class_probabilities(values, response, maps)
  one <- plogis(c(1, 0, -3))
  expect_equal(p[1, ], c(a = one[1], b = one[2], c = one[3]) / sum(one))
  expect_true(all(is.na(p[2, ])))
  expect_equal(unname(p[3, ]), rep(1 / 3, 3))
})

test_that("machines of fewer classes are found by their classes", {
  full <- list(levels = c("a", "b", "c", "d"), pairs = t(combn(4, 2)))
  part <- list(levels = c("b", "c", "d"), pairs = t(combn(3, 2)))
  expect_identical(match(submodel_codes(full, full$levels), submodel_codes(part, full$levels)),
                   c(NA, NA, NA, 1L, 2L, 3L))
  rest <- list(levels = c("a", "b", "c", "d"), pairs = each_class(letters[1:4]))
  two <- list(levels = c("b", "d"))
  expect_true(all(is.na(match(submodel_codes(rest, rest$levels), submodel_codes(two, rest$levels)))))
  expect_identical(submodel_names(rest)[2], "\"b\" from the rest")
  sides <- submodel_sides(factor(c("a", "b", "d")), list(levels = c("a", "b", "d"),
                                                       pairs = t(combn(3, 2))))
  expect_identical(sides, cbind(c(FALSE, TRUE, NA), c(FALSE, NA, TRUE), c(NA, FALSE, TRUE)))
})
