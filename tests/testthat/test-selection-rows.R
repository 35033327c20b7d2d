test_that("rows of a search are shared evenly by domains, and all that may be are taken", {
  sizes <- c(300, 5, 40, 80)
  task <- list(y = factor(rep(c("a", "b"), c(420, 5))), domain = factor(rep(letters[1:4], sizes)))
  rows <- search_rows(task, 100, seed = 1)
  expect_length(rows, 100L)
  expect_false(anyDuplicated(rows) > 0 || is.unsorted(rows))
  expect_equal(tabulate(task$domain[rows]), c(32, 5, 32, 31), tolerance = 0.05)
  expect_identical(search_rows(task, 425, seed = 1), seq_len(425))
  expect_identical(search_rows(task, 100, seed = 1), rows)
  expect_false(identical(search_rows(task, 100, seed = 2), rows))
  expect_equal(sum(even_shares(c(10, 1, 10), 14L)), 14L)
  expect_equal(even_shares(c(2, 1, 3), 100L), c(2, 1, 3))
})

test_that("of classes a search takes rows in proportion", {
  task <- list(y = factor(rep(c("a", "b"), c(90, 10))), domain = factor(rep(c("u", "v"), 50)))
  for (seed in 1:5) {
    rows <- search_rows(task, 20, seed)
    expect_equal(c(table(task$y[rows], task$domain[rows])), c(9, 1, 9, 1))
  }
})

test_that("numbers are chosen without a look at the response", {
  task <- list(y = rnorm(60), domain = gl(3, 20))
  rows <- search_rows(task, 15, seed = 3)
  task$y <- sample(task$y)
  expect_identical(search_rows(task, 15, seed = 3), rows)
  # every row as often
  counts <- tabulate(unlist(lapply(1:400, function(seed) search_rows(task, 15, seed))), 60)
  expect_gt(stats::chisq.test(counts)$p.value, 1e-4)
})

test_that("of more domains than a search has rows for, some are taken with enough rows each", {
  task <- list(y = rnorm(4000), domain = factor(rep(1:500, each = 8)))
  rows <- search_rows(task, 600, seed = 1)
  expect_length(rows, 600L)
  expect_true(all(table(droplevels(task$domain[rows])) == 8))
  large <- list(y = rnorm(10000), domain = factor(rep(1:100, each = 100)))
  expect_equal(range(table(droplevels(large$domain[search_rows(large, 610, seed = 1)]))), c(20, 21))
})
