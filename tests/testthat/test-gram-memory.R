# The core works in the memory of a Gram matrix that has no other name, and in a copy of any other.
rows <- with_seed(1, matrix(rnorm(120 * 3), 120))
gram <- function() gram_matrix(kernel_rbf(2), list(X = rows, threads = 1L))
Y <- rows[, 1:2]
ridge <- rep(0.5, nrow(rows))
sizes <- rep(40L, 3)
no_centre <- matrix(0, 3, 2)
terms <- list(covariance = FALSE, norm = 1, ridge = 0.1, total = 1, numerator_plus = diag(0, 0, 3),
              denominator_plus = diag(3), denominator_minus = diag(0, 0, 3), spread = diag(3),
              within = 0, smooth = 0, centred = TRUE, epsilon = 0.01, labelled = 120, ncomp = 2,
              published = TRUE, normalise = "constraint")

consumers <- list(
  ridge_solve_ = function(K) ridge_solve_(K, Y, ridge),
  ridge_lodo_ = function(K) ridge_lodo_(K, Y, ridge, sizes, no_centre, TRUE, NULL),
  ridge_inverse_ = function(K) ridge_inverse_(K, ridge),
  ridge_shifted_ = function(K) ridge_shifted_(K, Y, c(0.1, 1), 1L),
  ridge_many_ = function(K) ridge_many_(K, Y, ridge, c(0.1, 1), TRUE, 1L),
  projection_gram_ = function(K) {
    projection_gram_(K, terms, rep(1:3, each = 40), 3L, list(), 1L)
  }
)

test_that("no matrix changes that has another name or a place in a list", {
  for (name in names(consumers)) {
    consume <- consumers[[name]]
    once <- consume(gram())
    K <- gram()
    other <- K
    kept <- list(K = gram())
    untouched <- gram()
    expect_identical(consume(K), once, info = name)
    expect_identical(consume(kept$K), once, info = name)
    expect_identical(K, untouched, info = name)
    expect_identical(other, untouched, info = name)
    expect_identical(kept$K, untouched, info = name)
  }
})

test_that("a matrix that has no other name is not copied", {
  skip_if_not(capabilities("profmem"))
  mb <- 8 * 1200^2 / 2^20
  wide <- with_seed(2, matrix(rnorm(1200 * 3), 1200))
  task <- list(Y = wide[, 1, drop = FALSE], costs = rep(1, 1200))
  sample <- list(X = wide, domain = gl(3, 400))
  product <- gram_space(kernel_rbf(2), domain_pooled(), sample, 1L)
  args <- list(lambda = 1, offset = TRUE, threads = 1L)
  large <- function(code) {
    log <- tempfile()
    utils::Rprofmem(log, threshold = 2^20 * mb * 0.9)
    on.exit(utils::Rprofmem(NULL))
    force(code)
    utils::Rprofmem(NULL)
    sum(grepl("^[0-9]", readLines(log)))  # not the pages for small objects
  }
  expect_identical(large(train_ridge(product, sample, task, args)), 1L)
  expect_identical(large(ridge_residuals(function() space_gram(product), task$Y,
                                         sample$domain, task$costs, 1, matrix(0, 3), TRUE)), 1L)
  K <- space_gram(product)
  expect_identical(large(ridge_solve_(K, task$Y, task$costs)), 1L)
})

test_that("an environment keeps its matrix from call to call, and gives up one that others hold", {
  program <- kernel_program(kernel_rbf(2), rows, rows)
  factor <- function(memory) {
    gp_factor_(memory, program, rows, NULL, NULL, ridge, Y[, 1], 1L)
  }
  memory <- new.env()
  first <- factor(memory)
  held <- memory$A
  before <- held + 0
  expect_identical(factor(memory), first)
  gp_inverse_(memory, nrow(rows))
  expect_identical(held, before)
  expect_false(identical(memory$A, before))
  expect_error(gp_inverse_(new.env(), 3L), "A must be n x n")
  expect_error(gp_inverse_(memory, 3L), "A must be n x n")
})

test_that("what is no square matrix of doubles is refused", {
  for (K in list(matrix(1, 2, 3), matrix(1L, 2, 2), c(1, 2), NULL)) {
    expect_error(ridge_solve_(K, matrix(1, 2), c(1, 1)), "square matrix of doubles")
  }
})
