# One process at a time writes to a place.

rows <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
model <- dg_lm(y ~ x1 + x2, data = rows)
predicted <- function(to, ...) predict(model, row_source(rows, partitions = 3), to = to, ...)

new_place <- function(name = "out.csv") {
  folder <- tempfile("place")
  dir.create(folder)
  file.path(normalizePath(folder), name)
}

# A lock that somebody else has made, of this computer unless `host` says otherwise.
lock_by <- function(to, process, host = NULL) {
  name <- strsplit(domgen:::lock_name(), ",")[[1L]]
  if (!is.null(host)) name[1L] <- host
  lock <- file.path(paste0(to, ".part"), "lock")
  dir.create(lock, recursive = TRUE)
  file.create(file.path(lock, paste(c(name[1:2], process, "a1"), collapse = ",")))
  lock
}

# The number of a process that is at work until the test ends, and of one that has ended.
process_of <- function(command) {
  as.integer(system2("sh", c("-c", shQuote(paste(command, ">/dev/null 2>&1 & echo $!"))),
                     stdout = TRUE))
}

test_that("a second process that writes to the same place is told of the first one", {
  skip_on_os("windows")
  to <- new_place()
  process <- process_of("sleep 60")
  on.exit(tools::pskill(process))
  lock <- lock_by(to, process)
  before <- list.files(dirname(to), recursive = TRUE)
  for (overwrite in c(FALSE, TRUE)) {
    expect_error(predicted(to, overwrite = overwrite), paste0(
      "another process writes here, number ", process, " on `.*remove the folder `.*/lock`"
    ), class = "domgen_error_write")
  }
  # it keeps nothing there, and takes nothing away
  expect_identical(list.files(dirname(to), recursive = TRUE), before)
  # as the message says
  unlink(lock, recursive = TRUE, expand = FALSE)
  predicted(to)
  expect_identical(dir(dirname(to)), "out.csv")
})

test_that("a lock of a process that is gone is taken over, of another computer it is not", {
  skip_on_os("windows")
  gone <- process_of("true")
  Sys.sleep(0.1)
  for (name in c("out.csv", "out")) {
    to <- new_place(name)
    # the number of this process, too, may have been that of another
    for (process in c(gone, Sys.getpid())) {
      lock_by(to, process)
      predicted(to, overwrite = TRUE)
      expect_identical(dir(dirname(to)), name)
    }
    lock_by(to, gone, host = "elsewhere")
    expect_error(predicted(to, overwrite = TRUE), paste("number", gone, "on `elsewhere`"),
                 class = "domgen_error_write")
  }
})

test_that("a lock of another user's process is not taken over", {
  skip_on_os("windows")
  to <- new_place()
  gone <- process_of("true")
  lock_by(to, gone)
  expect_error(with_replaced("process_owner", function(file = "") as.character(nchar(file)),
                             predicted(to)),
               "another process writes here", class = "domgen_error_write")
})

# The call ends in what how() does when it has written one block.
ended_by <- function(to, how, class, ...) {
  real <- domgen:::append_bytes
  calls <- 0
  with_replaced("append_bytes", function(...) {
    calls <<- calls + 1
    if (calls == 3) how()
    real(...)
  }, expect_error(predicted(to, ...), class = class))
}

test_that("the place is free when the call ends, however it does, and the same call goes on", {
  to <- new_place()
  locked <- function() dir(paste0(to, ".part"), "^lock")
  ended_by(to, function() {
    expect_length(locked(), 1L)
    domgen:::abort("write", "no room.")
  }, "domgen_error_write")
  expect_identical(locked(), character())
  # as Ctrl-C is seen by R code
  ended_by(to, function() {
    expect_length(locked(), 1L)
    signalCondition(structure(list(), class = c("interrupt", "condition")))
  }, "domgen_error_interrupt")
  expect_identical(locked(), character())
  # what is resumed holds the place as well
  real <- domgen:::append_bytes
  with_replaced("append_bytes", function(...) {
    expect_length(locked(), 1L)
    expect_error(predicted(to), "another process writes here")
    real(...)
  }, dg_resume())
  expect_identical(dir(dirname(to)), "out.csv")
  expect_equal(read.csv(to)$prediction, unname(predict(model, rows)))
})

test_that("who has lost the place does not finish", {
  to <- new_place()
  ended_by(to, function() {
    unlink(file.path(paste0(to, ".part"), "lock"), recursive = TRUE, expand = FALSE)
  }, "domgen_error_write")
  expect_false(file.exists(to))
})

test_that("of processes that begin at once one writes, and the others are told", {
  skip_on_os("windows")
  skip_on_cran()
  to <- new_place()
  # one left a lock behind, which all of them find
  lock_by(to, process_of("true"))
  Sys.sleep(0.1)
  start <- Sys.time() + 0.3
  slow <- domgen:::append_bytes
  said <- with_replaced("append_bytes", function(...) {
    Sys.sleep(0.1)
    slow(...)
  }, parallel::mclapply(1:4, function(i) {
    Sys.sleep(max(0, as.numeric(start - Sys.time(), "secs")))
    tryCatch({
      predicted(to)
      "written"
    }, error = conditionMessage)
  }, mc.cores = 4))
  said <- unlist(said)
  expect_identical(sum(said == "written"), 1L)
  expect_match(said[said != "written"], "another process writes here|is there already")
  expect_identical(dir(dirname(to)), "out.csv")
  expect_equal(read.csv(to)$prediction, unname(predict(model, rows)))
})
