# Runs tests/testthat, or the files in it whose names match an argument, against the installed
# package. The last line counts the tests; a test that raised an error counts as failed.
# With many files as many R sessions share them as there are processors, at most four; or as
# DOMGEN_TEST_JOBS says.
#
# They run in a copy: testthat deletes the snapshots of tests that did not run and leaves what was
# drawn, and an interrupted run must not change the checkout either.
library(testthat)
Sys.setenv(NOT_CRAN = "true")
if (nzchar(threads <- Sys.getenv("DOMGEN_THREADS"))) options(domgen.threads = as.integer(threads))
# Some tests look at the sources too.
Sys.setenv(DOMGEN_SOURCES = Sys.getenv("DOMGEN_SOURCES", getwd()))

# Every failure is shown, and each file only once, when it is done.
run_files <- function(names) {
  copy <- tempfile("tests")
  dir.create(copy)
  file.copy(file.path(Sys.getenv("DOMGEN_SOURCES"), "tests", "testthat"), copy, recursive = TRUE)
  old <- setwd(copy)
  on.exit(setwd(old))
  reporter <- ProgressReporter$new(update_interval = Inf, max_failures = Inf)
  tryCatch(
    as.data.frame(test_dir("testthat", package = "domgen", load_package = "installed",
                           filter = paste0("^(", paste(names, collapse = "|"), ")$"),
                           reporter = reporter, stop_on_failure = FALSE)),
    error = function(e) {
      message(conditionMessage(e))
      lost("the tests as a whole")
    }
  )[c("file", "test", "passed", "failed", "error", "skipped", "real")]
}

lost <- function(what) {
  data.frame(file = "", test = what, passed = 0L, failed = 1L, error = TRUE, skipped = FALSE,
             real = 0)
}

# A session of its own; list(log, result, end: waits for it).
start_session <- function(names) {
  files <- tempfile(c("names", "log", "result"))
  writeLines(names, files[1L])
  script <- c(file.path(R.home("bin"), "Rscript"), ".ci/test.R", "--part", files[c(1L, 3L)])
  # not in the background of a shell, where an interrupt would not reach it
  running <- pipe(paste("exec", paste(shQuote(script), collapse = " "), ">", shQuote(files[2L]),
                        "2>&1"), "r")
  list(log = files[2L], result = files[3L], end = function() close(running))
}

collect <- function(session) {
  session$end()
  writeLines(readLines(session$log))
  if (file.exists(session$result)) readRDS(session$result) else lost("a session of tests")
}

arguments <- commandArgs(trailingOnly = TRUE)
if (identical(arguments[1L], "--part")) {
  saveRDS(run_files(readLines(arguments[2L])), arguments[3L])
  quit()
}

names <- sub("^test-(.*)[.]R$", "\\1", list.files("tests/testthat", "^test-.*[.]R$"))
if (length(arguments)) names <- grep(arguments[1L], names, value = TRUE)
jobs <- as.integer(Sys.getenv("DOMGEN_TEST_JOBS", min(parallel::detectCores(), 4L, na.rm = TRUE)))
jobs <- max(1L, min(jobs, length(names) %/% 8L))
parts <- split(names, rep_len(seq_len(jobs), length(names)))
others <- lapply(parts[-1L], start_session)
outcome <- do.call(rbind, c(list(run_files(parts[[1L]])), lapply(unname(others), collect)))

seconds <- sort(tapply(outcome$real, outcome$file, sum), decreasing = TRUE)
cat(sprintf("%.0f seconds in %d files; the slowest:\n", sum(seconds), length(seconds)))
cat(sprintf("%6.1f  %s\n", head(seconds, 10), names(head(seconds, 10))), sep = "")

failed <- outcome$failed > 0 | outcome$error
skipped <- outcome$skipped & !failed
passed <- outcome$passed > 0 & !failed & !skipped
# Last, so that they are seen where only the end of a long log is kept.
cat(sprintf("failed: %s: %s\n", outcome$file[failed], outcome$test[failed]), sep = "")
cat(sprintf("%d passed, %d failed, %d skipped\n", sum(passed), sum(failed), sum(skipped)))
quit(status = as.integer(any(failed)))
