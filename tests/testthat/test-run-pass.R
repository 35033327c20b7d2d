# Passes over partitions: sums in a tree, workers that are lost, calls that go on.

rows <- simulate_dica(domains = 6, n = 50, seed = 9)
spec <- dg_ridge(lambda = 1, feature_map = features_nystrom(15))
fit_to <- function(source) in_source(4, fit(spec, y ~ x1 + x2 | domain, data = source))
expected <- fit_to(row_source(rows))

test_that("sums of partitions are added two, four, eight at a time", {
  for (n in c(1, 2, 5, 8, 13)) {
    sums <- list()
    for (k in seq_len(n)) {
      sums <- domgen:::push_sum(sums, k, 1, function(a, b) paste0("(", a, " ", b, ")"))
    }
    expect_identical(vapply(sums, `[[`, 1, "size"), rev(2^(which(intToBits(n) == 1) - 1)))
  }
  expect_identical(sums[[1L]]$value, "(((1 2) (3 4)) ((5 6) (7 8)))")
})

test_that("runs of partitions are powers of two, and all partitions come in their order", {
  for (workers in c(2, 5, 100)) for (n in c(1, 7, 64, 1000)) {
    done <- 0L
    seen <- integer()
    while (done < n) {
      runs <- domgen:::next_runs(done, n, workers)
      expect_lte(length(runs), workers)
      seen <- c(seen, unlist(runs))
      done <- max(seen)
    }
    expect_identical(seen, seq_len(n))
  }
})

test_that("a partition whose rows change between passes is told", {
  passes <- 0
  changing <- function(reset) {
    if (reset) {
      passes <<- passes + 1
      at <<- 0
      return(NULL)
    }
    at <<- at + 1
    if (at == 1) rows[seq_len(if (passes > 3) 100 else 120), ]
  }
  at <- 0
  expect_error(fit_to(row_source(changing)), "must have the same rows in every pass",
               class = "domgen_error_data")
})

# A source whose partition fails once, when `file` is not there, in the pass of this number.
failing <- function(file, pass, how, store = NULL) {
  parts <- split(rows, sort(rep_len(1:3, nrow(rows))))
  force(pass)
  # what a function counts makes it another one: readings are counted in a file
  log <- tempfile("opened")
  at <- 0
  fail_once <- function(reset) {
    if (reset) {
      cat("opened\n", file = log, append = TRUE)
      at <<- 0
      return(NULL)
    }
    at <<- at + 1
    if (length(readLines(log)) == pass && at == 2 && !file.exists(file)) {
      file.create(file)
      how()
    }
    if (at <= 2) parts[[2L]][if (at == 1) 1:30 else 31:nrow(parts[[2L]]), ]
  }
  row_source(list(parts[[1L]], fail_once, parts[[3L]]), store = store)
}

test_that("a call that fails goes on from its store, with the numbers of one that did not", {
  # two are for recognising it
  for (pass in 4:8) {
    store <- tempfile("store")
    source <- failing(tempfile(), pass, function() stop("the connection is gone"), store)
    set.seed(4)
    first <- tryCatch(fit(spec, y ~ x1 + x2 | domain, data = source), error = identity)
    if (!inherits(first, "error")) break
    expect_s3_class(first, "domgen_error_data")
    expect_match(conditionMessage(first), "the connection is gone")
    kept <- list.files(store)
    expect_gt(length(kept), 0)
    # whatever the random numbers of the session are by now
    set.seed(99)
    model <- fit(spec, y ~ x1 + x2 | domain, data = source)
    expect_equal(model$coefficients, expected$coefficients, tolerance = 1e-12)
    expect_length(list.files(store), 0)
  }
  expect_gt(pass, 5)
})

test_that("a store serves the same call only", {
  store <- tempfile("store")
  source <- failing(tempfile(), 5, function() stop("gone"), store)
  expect_error(fit_to(source), "gone")
  kept <- list.files(store)
  other <- fit(dg_ridge(lambda = 2, feature_map = features_nystrom(15)), y ~ x1 + x2 | domain,
               data = source)
  expect_identical(list.files(store), kept)
  expect_equal(other$lambda, 2)
})

test_that("a damaged file of the store is an error that names it", {
  store <- tempfile("store")
  source <- failing(tempfile(), 5, function() stop("gone"), store)
  expect_error(fit_to(source), "gone")
  file <- list.files(store, "survey", full.names = TRUE)
  writeBin(readBin(file, "raw", 100), file)
  expect_error(fit_to(source), "damaged file", class = "domgen_error_data")
})

test_that("workers give the sums of the session, also where one is lost", {
  skip_on_cran()
  skip_if_not_installed("future")
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  parts <- split(rows, sort(rep_len(1:5, nrow(rows))))
  expect_equal(fit_to(row_source(parts))$coefficients, expected$coefficients, tolerance = 1e-10)

  marks <- tempfile("marks")
  dir.create(marks)
  deadly <- function(part, name, deaths) {
    force(part)
    done <- FALSE
    function(reset) {
      if (reset) {
        done <<- FALSE
        return(NULL)
      }
      if (done) return(NULL)
      done <<- TRUE
      marked <- length(list.files(marks, name))
      if (marked < deaths && Sys.getpid() != session) {
        file.create(file.path(marks, paste0(name, marked)))
        tools::pskill(Sys.getpid(), tools::SIGKILL)
        Sys.sleep(5)
      }
      part
    }
  }
  session <- Sys.getpid()
  fatal <- list(parts[[1L]], deadly(parts[[2L]], "two", 1), parts[[3L]], parts[[4L]], parts[[5L]])
  expect_equal(fit_to(row_source(fatal))$coefficients, expected$coefficients, tolerance = 1e-10)
  expect_length(list.files(marks), 1)
  fatal[[2L]] <- deadly(parts[[2L]], "always", 100)
  expect_error(fit_to(row_source(fatal)), "lost four times", class = "domgen_error_worker")
})

test_that("after an interrupt dg_resume() goes on where the call was, with its numbers", {
  # as Ctrl-C is seen by R code
  source <- failing(tempfile(), 3, function() {
    interrupt <- structure(list(), class = c("interrupt", "condition"))
    signalCondition(interrupt)
  })
  set.seed(4)
  interrupted <- tryCatch(fit(spec, y ~ x1 + x2 | domain, data = source), error = identity)
  expect_s3_class(interrupted, "domgen_error_interrupt")
  expect_match(conditionMessage(interrupted), "^Interrupted in pass [1-9], [a-z]+; `dg_resume")
  set.seed(77)
  model <- dg_resume()
  expect_equal(model$coefficients, expected$coefficients, tolerance = 1e-12)
  # a whole model, which an integrity check lets pass
  expect_silent(check_sealed(model))
})
