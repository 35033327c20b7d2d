# Passes over blocks: sums in a tree, workers that are lost, calls that go on.

rows <- simulate_dica(domains = 6, n = 50, seed = 9)
spec <- dg_ridge(lambda = 1, feature_map = features_nystrom(15))
fit_to <- function(source) in_source(4, fit(spec, y ~ x1 + x2 | domain, data = source))
expected <- fit_to(row_source(rows))

test_that("sums of blocks are added two, four, eight at a time", {
  for (n in c(1, 2, 5, 8, 13)) {
    sums <- list()
    for (k in seq_len(n)) {
      sums <- domgen:::push_sum(sums, k, 1, function(a, b) paste0("(", a, " ", b, ")"))
    }
    expect_identical(vapply(sums, `[[`, 1, "size"), rev(2^(which(intToBits(n) == 1) - 1)))
  }
  expect_identical(sums[[1L]]$value, "(((1 2) (3 4)) ((5 6) (7 8)))")
})

test_that("runs of blocks are powers of two, and all blocks come in their order", {
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

# Ends the call in how() when a file of the spool is read for the time of this number.
failing <- function(at, how, code) {
  real <- domgen:::read_value
  reads <- 0
  with_replaced("read_value", function(file) {
    reads <<- reads + 1
    if (reads == at) how()
    real(file)
  }, code)
}

blocks_of <- function(...) row_source(rows, block_size = 20, ...)

test_that("a call that fails goes on from its store, with its rows and numbers", {
  for (at in c(1, 8, 20, 28)) {
    store <- tempfile("store")
    con <- sqlite_factory()
    write_rows(con, "t", transform(rows, domain = as.character(domain)))
    source <- row_source(con, table = "t", block_size = 20, store = store)
    set.seed(4)
    first <- tryCatch(failing(at, function() stop("the power is out"),
                              fit(spec, y ~ x1 + x2 | domain, data = source)), error = identity)
    if (!inherits(first, "error")) break
    expect_match(conditionMessage(first), "the power is out")
    expect_gt(length(list.files(store, recursive = TRUE)), 0)
    # whatever has become of the rows, and whatever the random numbers of the session are by now
    with_connection(con, function(open) DBI::dbExecute(open, "DELETE FROM t WHERE x1 > 0"))
    set.seed(99)
    model <- fit(spec, y ~ x1 + x2 | domain, data = source)
    expect_equal(model$coefficients, expected$coefficients, tolerance = 1e-12)
    expect_length(list.files(store, recursive = TRUE), 0)
  }
  expect_gt(at, 8)
})

test_that("a store serves one call until it ends", {
  store <- tempfile("store")
  source <- blocks_of(store = store)
  expect_error(failing(12, function() stop("gone"), fit_to(source)), "gone")
  kept <- list.files(store, recursive = TRUE)
  refused <- function(spec, formula, message) {
    expect_error(fit(spec, formula, data = source), message, class = "domgen_error_argument")
    expect_identical(list.files(store, recursive = TRUE), kept)
  }
  refused(dg_ridge(lambda = 2, feature_map = features_nystrom(15)), y ~ x1 + x2 | domain,
          "`store` is of another call, dg_ridge y ~ x1 \\+ x2 \\| domain, with other arguments")
  refused(spec, y ~ x1 | domain, "`store` is of another call, which reads other columns")
  refused(dg_lm(), y ~ x1 | domain, "`store` is of another call, which reads other columns")
  refused(spec, y ~ abs(x1) + x2 | domain, "`store` is of another call, dg_ridge y ~ x1 \\+ x2")
  expect_error(fit(spec, y ~ x1 + x2 | domain, data = source, weights = abs(x1)),
               "with other arguments", class = "domgen_error_argument")
  refused(dg_kpca(feature_map = features_nystrom(5)), y ~ x1 + x2 | domain, "another call, dg_ridge")
  expect_equal(fit_to(source)$coefficients, expected$coefficients, tolerance = 1e-12)
  # of a source with a store all calls can be made, one after the other
  model <- fit_to(source)
  expect_equal(predict(model, source), predict(model, rows), tolerance = 1e-10)
  expect_length(list.files(store, recursive = TRUE), 0)
})

test_that("a damaged file of the store is an error that names it", {
  store <- tempfile("store")
  source <- blocks_of(store = store)
  expect_error(failing(20, function() stop("gone"), fit_to(source)), "gone")
  file <- list.files(store, "survey", full.names = TRUE, recursive = TRUE)
  writeBin(readBin(file, "raw", 100), file)
  expect_error(fit_to(source), "survey.*is damaged", class = "domgen_error_data")
})

test_that("the spool goes with the call, or with the last who can resume it", {
  left <- function() list.files(tempdir(), "^domgen-rows-")
  model <- fit_to(blocks_of())
  expect_identical(left(), character())
  expect_no_match(rawToChar(Filter(as.logical, serialize(model, NULL, ascii = TRUE))), "domgen-rows-")
  interrupt <- function() signalCondition(structure(list(), class = c("interrupt", "condition")))
  expect_error(failing(12, interrupt, fit_to(blocks_of())), class = "domgen_error_interrupt")
  expect_length(left(), 1L)
  expect_equal(dg_resume()$coefficients, expected$coefficients, tolerance = 1e-12)
  expect_identical(left(), character())
  expect_error(failing(12, function() stop("gone"), fit_to(blocks_of())), "gone")
  gc()
  expect_identical(left(), character())
  # elsewhere, where the user says so
  home <- source_folder()
  old <- options(domgen.spool = home)
  on.exit(options(old))
  failing(5, function() expect_length(list.files(home), 1L), fit_to(blocks_of()))
  expect_identical(list.files(home), character())
  options(domgen.spool = file.path(home, "none"))
  expect_error(fit_to(blocks_of()), "`domgen.spool` must be a folder", class = "domgen_error_argument")
})

test_that("a full disk is an error where rows cannot be kept, and costs time where numbers cannot", {
  real <- domgen:::serialize_to
  writes <- 0
  # as a full disk is: no error, and half of the bytes
  full <- function(from) with_replaced("serialize_to", function(value, connection) {
    writes <<- writes + 1
    if (writes < from) return(real(value, connection))
    bytes <- serialize(value, NULL, xdr = FALSE)
    writeBin(bytes[seq_len(length(bytes) %/% 2)], connection)
    stop("no space left")
  }, fit_to(blocks_of()))
  expect_error(full(3), "rows-[0-9]+` cannot be written. Is the disk full", class = "domgen_error_write")
  expect_identical(list.files(tempdir(), "^domgen-rows-"), character())
  # the spool of 6 domains has so many blocks, and what is known of them
  writes <- -ceiling(nrow(rows) / 20)
  expect_equal(full(2)$coefficients, expected$coefficients, tolerance = 1e-12)
})

test_that("workers give the sums of the session, also where one is lost", {
  skip_on_cran()
  skip_if_not_installed("future")
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  parts <- split(rows, sort(rep_len(1:5, nrow(rows))))
  expect_equal(fit_to(row_source(parts))$coefficients, expected$coefficients, tolerance = 1e-10)

  # a kernel that ends the worker that computes it, until there are so many marks
  marks <- tempfile("marks")
  dir.create(marks)
  session <- Sys.getpid()
  fit_deadly <- function(deaths) {
    deadly <- kernel_custom(function(a, b) {
      marked <- length(list.files(marks))
      if (marked < deaths && Sys.getpid() != session) {
        file.create(file.path(marks, marked))
        tools::pskill(Sys.getpid(), tools::SIGKILL)
        Sys.sleep(5)
      }
      tcrossprod(a, b)
    })
    in_source(4, fit(dg_ridge(lambda = 1, feature_map = features_nystrom(2), kernel = deadly,
                              domain_kernel = domain_pooled()), y ~ x1 + x2 | domain,
                     data = blocks_of()))
  }
  expect_equal(fit_deadly(1)$coefficients, fit_deadly(0)$coefficients, tolerance = 1e-10)
  expect_length(list.files(marks), 1)
  expect_error(fit_deadly(100), "lost four times", class = "domgen_error_worker")
})

test_that("after an interrupt dg_resume() goes on where the call was, with its numbers", {
  for (at in c(2, 12, 25)) {
    set.seed(4)
    # as Ctrl-C is seen by R code
    interrupted <- tryCatch(failing(at, function() {
      signalCondition(structure(list(), class = c("interrupt", "condition")))
    }, fit(spec, y ~ x1 + x2 | domain, data = blocks_of())), error = identity)
    expect_s3_class(interrupted, "domgen_error_interrupt")
    expect_match(conditionMessage(interrupted), "^Interrupted.*; `dg_resume")
    set.seed(77)
    model <- dg_resume()
    expect_equal(model$coefficients, expected$coefficients, tolerance = 1e-12)
    # a whole model, which an integrity check lets pass
    expect_silent(check_sealed(model))
  }
})
