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
  # rows of calls that failed before
  gc()
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

# What fails is the user's function, after the rows have been read.
leave_unfinished <- function(model, source) {
  expect_error(predict(model, source, to = function(block, k) stop("gone")), "gone")
}

test_that("a store never gives the rows of another source, and goes on with those of the same", {
  model <- dg_lm(y ~ x1 + x2, data = rows)
  other <- transform(rows, x1 = rev(x1))
  files <- write_files(rows, 2)
  bases <- list(sqlite_factory(), sqlite_factory())
  for (base in bases) for (name in c("t", "u")) {
    write_rows(base, name, transform(rows, domain = as.character(domain)))
  }
  rds <- tempfile(c("jan", "feb"), fileext = ".rds")
  for (file in rds) saveRDS(rows, file)
  same_name <- file.path(c(source_folder(), source_folder()), "part.csv")
  for (file in same_name) file.copy(file.path(files, "part-01.csv"), file)
  reset <- function(data) {
    left <- NULL
    function(again) {
      if (again) left <<- data
      now <- left
      if (!again) left <<- NULL
      if (!again) now
    }
  }
  pairs <- list(
    data = list(rows, other),
    renamed = list(rows, stats::setNames(rows, sub("x3", "x9", names(rows)))),
    csv = as.list(file.path(files, c("part-01.csv", "part-02.csv"))),
    folder = as.list(same_name), rds = as.list(rds),
    order = list(rds, rev(rds)), more = list(rds[1], rds),
    labels = list(list(a = rows), list(b = rows)),
    functions = list(reset(rows), local({
      given <- TRUE
      function(reset) {
        given <<- !given && !reset
        if (given) rows
      }
    }))
  )
  sources <- c(lapply(pairs, lapply, function(x) function(...) row_source(x, ...)), list(
    tables = lapply(c("t", "u"), function(name) {
      function(...) row_source(bases[[1L]], table = name, ...)
    }),
    queries = lapply(c("t", "t WHERE x1 > 0"), function(end) {
      function(...) row_source(bases[[1L]], query = paste("SELECT * FROM", end), ...)
    }),
    bases = lapply(bases, function(base) function(...) row_source(base, table = "t", ...)),
    levels = lapply(list(levels(rows$domain), rev(levels(rows$domain))), function(levels) {
      function(...) row_source(rows, levels = list(domain = levels), ...)
    })
  ))
  for (name in names(sources)) {
    pair <- sources[[name]]
    store <- tempfile("store")
    leave_unfinished(model, pair[[1L]](store = store))
    kept <- list.files(store, recursive = TRUE)
    expect_gt(length(kept), 0)
    expect_error(predict(model, pair[[2L]](store = store), to = tempfile(fileext = ".csv")),
                 "`store` is of another call, which reads another source",
                 class = "domgen_error_argument", info = name)
    expect_identical(list.files(store, recursive = TRUE), kept)
    again <- on_error(leave_unfinished(model, pair[[1L]](store = store)), function(e) e)
    expect_false(inherits(again, "domgen_error"), info = name)
  }
})

test_that("what became of the rows of a file or table makes it no other source", {
  model <- dg_lm(y ~ x1 + x2, data = rows)
  file <- tempfile(fileext = ".rds")
  saveRDS(rows, file)
  store <- tempfile("store")
  leave_unfinished(model, row_source(file, store = store))
  saveRDS(rows[1:7, ], file)
  old <- setwd(dirname(file))
  on.exit(setwd(old))
  found <- predict(model, row_source(basename(file), store = store), to = NULL)
  expect_equal(found, unname(predict(model, rows)), tolerance = 1e-12, ignore_attr = TRUE)
})

test_that("what constants and functions of a formula say is part of the call of a store", {
  call_with <- function(k, formula, store, at = Inf) {
    twice <- function(x) if (k > 0) k * x else twice(-x)
    environment(formula) <- environment()
    failing(at, function() stop("gone"), fit(spec, formula, data = blocks_of(store = store)))
  }
  formulas <- list(y ~ x1 + I(exp(k * x2)) | domain, y ~ x1 + I(twice(x2)) | domain,
                   I(k * y) ~ x1 + x2 | domain)
  for (formula in formulas) {
    store <- tempfile("store")
    expect_error(call_with(1, formula, store, 12), "gone")
    expect_error(call_with(5, formula, store), "`store` is of another call, dg_ridge",
                 class = "domgen_error_argument")
    expect_s3_class(call_with(1, formula, store), "dg_fit")
    expect_length(list.files(store, recursive = TRUE), 0)
  }
})

test_that("a folder `domgen-call` with files of others is refused, and nothing in it goes", {
  for (name in c("mine.rds", "rows.csv", "notes.txt", ".hidden", "folder")) {
    store <- source_folder()
    own <- file.path(store, "domgen-call")
    dir.create(own)
    if (name == "folder") dir.create(file.path(own, name)) else writeLines("a", file.path(own, name))
    expect_error(fit_to(blocks_of(store = store)), "domgen-call.*Give another folder",
                 class = "domgen_error_argument")
    expect_identical(list.files(own, all.files = TRUE, no.. = TRUE), name)
  }
})
