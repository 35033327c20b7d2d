# A call goes on with what was kept only if its rows are the same: for every kind of source.

toy <- simulate_dica(domains = 4, n = 30, p = 2, seed = 2)
toy$domain <- as.character(toy$domain)
changed <- transform(toy, x1 = x1 + 1)
model <- dg_lm(y ~ x1 + x2, data = toy)

# predict() to a file, or what a full disk leaves of it.
write_to <- function(source, to) suppressWarnings(predict(model, source, to = to))
cut_short <- function(source) {
  to <- tempfile(fileext = ".csv")
  calls <- 0
  real <- domgen:::append_bytes
  with_replaced("append_bytes", function(...) {
    calls <<- calls + 1
    if (calls == 3) domgen:::abort("write", "no room.")
    real(...)
  }, expect_error(write_to(source, to), "no room"))
  to
}

# make(data): a source, again with other rows of the same columns.
expect_recognised <- function(make, other = changed) {
  to <- cut_short(make(toy))
  write_to(make(toy), to)
  expect_equal(utils::read.csv(to)$prediction, unname(predict(model, toy)))
  to <- cut_short(make(toy))
  expect_error(write_to(make(other), to), "begun by another call", class = "domgen_error_argument")
  expect_silent(predict(model, make(other), to = to, overwrite = TRUE))
  expect_equal(utils::read.csv(to)$prediction, unname(predict(model, other)))
}

test_that("data frames and lists are recognised by their values", {
  expect_recognised(function(data) row_source(data, block_size = 20))
  expect_recognised(function(data) row_source(list(data[1:50, ], data[-(1:50), ]), block_size = 20))
})

test_that("files are recognised by size and times, folders by their files too", {
  later <- function(write, name) {
    file <- tempfile(fileext = name)
    known <- NULL
    function(data) {
      # rows that are the same are not written again
      if (!identical(known, data)) write(data, file)
      known <<- data
      row_source(file, block_size = 20)
    }
  }
  expect_recognised(later(function(data, file) {
    utils::write.csv(data, file, row.names = FALSE)
  }, ".csv"))
  expect_recognised(later(saveRDS, ".rds"))
  if (requireNamespace("nanoparquet", quietly = TRUE)) {
    expect_recognised(later(nanoparquet::write_parquet, ".parquet"))
  }
  folder <- tempfile("folder")
  dir.create(folder)
  expect_recognised(function(data) {
    for (k in seq_len(nrow(data) / nrow(toy))) {
      file <- file.path(folder, paste0(k, ".rds"))
      if (!file.exists(file)) saveRDS(toy, file)
    }
    row_source(folder, block_size = 20)
  }, rbind(toy, toy))
})

test_that("a file of the same size and time of change, but other bytes, is another", {
  skip_on_os("windows") # which has no other time
  file <- tempfile(fileext = ".csv")
  digits <- function(data) transform(data, x1 = sprintf("%+.4f", x1), x2 = sprintf("%+.4f", x2))
  utils::write.csv(digits(toy), file, row.names = FALSE)
  time <- file.mtime(file)
  to <- cut_short(row_source(file, block_size = 20))
  size <- file.size(file)
  utils::write.csv(digits(transform(toy, x1 = -x1)), file, row.names = FALSE)
  Sys.setFileTime(file, time)
  expect_identical(list(file.size(file), file.mtime(file)), list(size, time))
  expect_error(write_to(row_source(file, block_size = 20), to), "begun by another call")
})

test_that("a function is recognised by its code, what it captures, and its first rows", {
  giver <- function(data, block = 20) {
    at <- 0
    function(reset) {
      if (reset) at <<- 0
      else if (at < nrow(data)) data[(at <<- at + block) + seq_len(block) - block, ]
    }
  }
  expect_recognised(function(data) row_source(giver(data)))
  # in an environment, in a function that it calls, and behind its first rows
  late <- toy
  late$x1[100] <- 0
  expect_recognised(function(data) {
    own <- list2env(list(rows = list(data)))
    give <- function(at) own$rows[[1L]][at, ]
    at <- 0
    row_source(function(reset) {
      if (reset) at <<- 0
      else if (at < 120) give((at <<- at + 20) - 19:0)
    })
  }, late)
  # from outside of R
  file <- tempfile()
  expect_recognised(function(data) {
    saveRDS(data, file)
    done <- FALSE
    row_source(function(reset) {
      done <<- !reset && !done
      if (done) readRDS(file)
    }, block_size = 20)
  })
  # one with a connection is another each time
  held <- function(data) {
    connection <- textConnection("a")
    at <- 0
    function(reset) {
      if (reset) at <<- 0
      else if (at < 120 && isOpen(connection)) data[(at <<- at + 20) - 19:0, ]
    }
  }
  source <- row_source(held(toy))
  expect_error(write_to(source, cut_short(source)), "begun by another call")
  closeAllConnections()
})

test_that("the same variables in another order of another locale are the same function", {
  f <- local({
    B <- 1
    a <- 2
    function() B + a - (3 * 2)
  })
  old <- Sys.getlocale("LC_COLLATE")
  on.exit(Sys.setlocale("LC_COLLATE", old))
  keys <- vapply(c("C", "C.UTF-8", "en_US.UTF-8"), function(name) {
    suppressWarnings(Sys.setlocale("LC_COLLATE", name))
    domgen:::fingerprint(f)
  }, "")
  expect_length(unique(keys), 1L)
})

test_that("what a custom method captures is part of the call", {
  shrunk <- function(by) {
    learner_custom(function(x, y, weights) mean(y) * by,
                   function(object, newdata) rep(object, nrow(newdata)))
  }
  expect_false(domgen:::fingerprint(shrunk(1)) == domgen:::fingerprint(shrunk(2)))
  expect_identical(domgen:::fingerprint(shrunk(1)), domgen:::fingerprint(shrunk(1)))
})

# ---- databases --------------------------------------------------------------------------------

sqlite_of <- function(data) {
  file <- tempfile(fileext = ".sqlite")
  factory <- sqlite_factory(file)
  write_rows(factory, "t", data)
  factory
}

test_that("a table of SQLite is recognised by file, number of rows, and values", {
  a <- sqlite_of(toy)
  b <- sqlite_of(changed)
  of <- function(data) if (identical(data, toy)) a else b
  expect_recognised(function(data) row_source(of(data), table = "t", block_size = 20))
  expect_recognised(function(data) row_source(of(data), query = "SELECT * FROM t; ", block_size = 20))
  # the same rows in another file are another table
  to <- cut_short(row_source(a, table = "t", block_size = 20))
  expect_error(write_to(row_source(sqlite_of(toy), table = "t", block_size = 20), to), "another call")
  # another row at the end, another value in the middle
  for (change in c("INSERT INTO t SELECT * FROM t LIMIT 1",
                   "UPDATE t SET x1 = 0 WHERE rowid = 50")) {
    with_connection(a, function(db) DBI::dbExecute(db, change))
    expect_error(write_to(row_source(a, table = "t", block_size = 20), to), "another call")
  }
})

test_that("a database in memory, and temporary tables, are never gone on with", {
  skip_without_sqlite()
  db <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(db))
  DBI::dbWriteTable(db, "t", toy)
  in_memory <- row_source(db, table = "t", block_size = 20)
  expect_error(write_to(in_memory, cut_short(in_memory)), "cannot be recognised")
  store <- tempfile("store")
  expect_warning(fit(dg_ridge(lambda = 1, feature_map = features_nystrom(5)), y ~ x1 + x2 | domain,
                     data = row_source(db, table = "t", store = store)),
                 "`store` is not used: `t` cannot be recognised", class = "domgen_warning_store")
  expect_false(file.exists(store))
  with_connection(sqlite_of(toy), function(file) {
    DBI::dbExecute(file, "CREATE TEMP TABLE u AS SELECT * FROM t")
    expect_null(domgen:::partition_key(row_source(file, table = "u")$partitions[[1L]]))
  })
})

test_that("a store of sums of one database is not gone on with by another", {
  spec <- dg_ridge(lambda = 1, feature_map = features_nystrom(5))
  fit_to <- function(source) {
    force(source)
    in_source(4, fit(spec, y ~ x1 + x2 | domain, data = source))
  }
  store <- tempfile("store")
  a <- sqlite_of(toy)
  with_replaced("forget", function(ctx) stop("the session ends"), {
    expect_error(fit_to(row_source(a, table = "t", store = store)), "the session ends")
  })
  expect_gt(length(list.files(store)), 0L)
  b <- fit_to(row_source(sqlite_of(changed), table = "t", store = store))
  expect_equal(coef(b), coef(fit_to(row_source(changed))), tolerance = 1e-10)
  # what was kept of the first serves it still
  expect_gt(length(list.files(store)), 0L)
  expect_equal(coef(fit_to(row_source(a, table = "t", store = store))),
               coef(fit_to(row_source(toy))), tolerance = 1e-10)
  expect_length(list.files(store), 0L)
})

test_that("a function whose rows come from a file that has changed is not continued", {
  toy <- simulate_dica(domains = 4, n = 20, p = 2, seed = 1)
  model <- dg_lm(y ~ x1 + x2, data = toy)
  file <- tempfile(fileext = ".rds")
  to <- tempfile(fileext = ".csv")
  on.exit(unlink(c(file, to, paste0(to, ".part")), recursive = TRUE))
  give <- local({
    piece <- 0
    where <- file
    function(reset) {
      piece <<- if (reset) 0 else piece + 1
      rows <- readRDS(where)
      if (!reset && piece <= 3) rows[rep_len(1:3, nrow(rows)) == piece, ]
    }
  })
  source <- row_source(list(give, toy[1:4, ]))
  saveRDS(toy, file)
  with_replaced("sink_end", function(...) stop("cut short"), {
    expect_error(predict(model, source, to = to), "cut short")
  })
  toy$x1[3] <- toy$x1[3] + 1
  saveRDS(toy, file)
  expect_error(predict(model, source, to = to), "begun by another call",
               class = "domgen_error_argument")
  predict(model, source, to = to, overwrite = TRUE)
  expect_equal(utils::read.csv(to)$prediction, unname(predict(model, source)))
})
