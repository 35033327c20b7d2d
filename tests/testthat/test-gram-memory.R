# The core works in the memory of a Gram matrix that has no other name, and in a copy of any other.
rows <- with_seed(1, matrix(rnorm(120 * 3), 120))
gram <- function() gram_matrix(kernel_rbf(2), list(X = rows, threads = 1L))
Y <- rows[, 1:2]
ridge <- rep(0.5, nrow(rows))
sizes <- rep(40L, 3)
no_centre <- matrix(0, 3, 2)
terms <- list(covariance = FALSE, norm = 1, ridge = 0.1, total = 1, numerator_plus = diag(0, 0, 3),
              denominator_plus = diag(3), denominator_minus = diag(0, 0, 3), spread = diag(3),
              within = 0, smooth = 0, centred = TRUE, ncomp = 2, normalise = "constraint")

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
  args <- list(lambda = 1, intercept = TRUE, threads = 1L)
  large <- function(code) {
    log <- tempfile()
    utils::Rprofmem(log, threshold = 2^20 * mb * 0.9)
    on.exit(utils::Rprofmem(NULL))
    force(code)
    utils::Rprofmem(NULL)
    sum(grepl("^[0-9]", readLines(log)))  # not the pages for small objects
  }
  expect_identical(large(solve_ridge(product, sample, task, args)), 1L)
  expect_identical(large(leave_rows_out(function() space_gram(product), task$Y,
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
  expect_error(gp_inverse_(new.env(), 3L), "`A` must be a numeric matrix")
  expect_error(gp_inverse_(memory, 3L), "`A` must have 3 rows, not 120")
})

test_that("what is no square matrix of doubles is refused", {
  for (K in list(matrix(1, 2, 3), matrix(1L, 2, 2), c(1, 2), NULL)) {
    expect_error(ridge_solve_(K, matrix(1, 2), c(1, 1)), "square matrix of doubles")
  }
})

test_that("sums of groups change where nobody else holds them, whole numbers too", {
  map <- list(type = "fourier", frequencies = matrix(c(0.3, -0.2, 0.5), 3))
  add <- function(sums) {
    feature_group_moments_(map, rows[1:4, ], NULL, c(1L, 1L, 2L, 2L), rep(1, 4), matrix(1, 4), 2L,
                           sums, 1L)
  }
  empty <- function(zero) {
    list2env(list(second = matrix(zero, 4, 2), cross = matrix(zero, 2, 2),
                  response = matrix(zero, 1, 2)), new.env())
  }
  doubles <- empty(0)
  whole <- empty(0L)
  held <- whole$second
  for (sums in list(doubles, whole)) add(sums)
  expect_identical(held, matrix(0L, 4, 2))
  expect_equal(doubles$response, matrix(2, 1, 2))
  expect_identical(as.list(whole, sorted = TRUE), as.list(doubles, sorted = TRUE))
  held <- doubles$second
  before <- held + 0
  add(doubles)
  expect_identical(held, before)
  expect_equal(doubles$second, 2 * before)
})

test_that("an allocation that R refuses leaves nothing of C++ behind", {
  skip_if_not(file.exists("/proc/self/statm"))
  old <- Sys.getenv("R_MAX_VSIZE", NA)
  on.exit(if (is.na(old)) Sys.unsetenv("R_MAX_VSIZE") else Sys.setenv(R_MAX_VSIZE = old))
  Sys.setenv(R_MAX_VSIZE = "100Mb")
  grown <- in_new_session({
    X <- matrix(sin(seq_len(4000 * 400)), 4000)
    rbf <- list(type = "rbf", inv = 1)
    fourier <- list(type = "fourier", frequencies = matrix(0.1, 400, 4000))
    refused <- list(
      gram = function() domgen:::kernel_gram_(rbf, X, NULL, NULL, 1L),
      cross = function() domgen:::kernel_cross_(rbf, X, X, NULL, NULL, NULL, 1L),
      apply = function() {
        domgen:::kernel_apply_(rbf, X, X[1:2, ], matrix(0, 2, 4000), NULL, NULL, NULL, 1L)
      },
      rows = function() domgen:::feature_rows_(fourier, X, NULL, 1L),
      columns = function() domgen:::feature_columns_(fourier, X, NULL, 1L),
      # a result that is copied
      moments = function() {
        domgen:::feature_moments_(list(type = "fourier", frequencies = matrix(1)), matrix(1), NULL,
                                  1L, 6e6, NULL, NULL, 1L, FALSE)
      }
    )
    megabytes <- function() {
      as.numeric(strsplit(readLines("/proc/self/statm"), " ")[[1L]][2L]) * 4096 / 2^20
    }
    vapply(refused, function(call) {
      times <- if (identical(call, refused$moments)) 2L else 4L
      failed <- 0L
      again <- function() {
        tryCatch(call(), error = function(e) {
          failed <<- failed + grepl("cannot allocate|memory exhausted", conditionMessage(e))
        })
      }
      again()
      before <- megabytes()
      for (i in seq_len(times)) again()
      if (failed == times + 1L) megabytes() - before else NA
    }, 0)
  }, list())
  # each call holds 12 MB or more where it packs the rows
  expect_true(all(grown < 30), info = paste(names(grown), round(grown), collapse = ", "))
})
