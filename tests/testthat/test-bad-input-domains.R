# Names of domains that a list or a vector of R does not find by name.
test_that("a domain without a name is one like others, whatever is asked of it", {
  d <- with_seed(3, data.frame(g = rep(c("n", "a", "b", "c"), each = 8), x = rnorm(32)))
  d$y <- d$x + with_seed(4, rnorm(32))
  blank <- transform(d, g = ifelse(g == "n", "", g))
  # domains in the same order
  named <- transform(d, g = ifelse(g == "n", "!", g))
  spec <- dg_ridge(lambda = 1)
  both <- function(f) {
    lapply(list(blank, named), function(data) {
      set.seed(1)
      f(data)
    })
  }
  expect_same <- function(found) expect_equal(found[[1L]], found[[2L]])
  expect_same(both(function(data) {
    dg_importance(spec, y ~ x | g, data = data, permutations = 2,
                  kind = c("within", "between", "context"))$table
  }))
  expect_same(both(function(data) {
    dg_cv(spec, y ~ x | g, data = data, shots = 2, refits = TRUE)$shots
  }))
  expect_same(both(function(data) {
    found <- dg_novelty(fit(spec, y ~ x | g, data = data), data)
    list(found$domains[-1L], found$rows[c("distance", "p")])
  }))
})
