# Runs tests/testthat, or the files in it whose names match an argument, against the installed
# package. The last line counts the tests; a test that raised an error counts as failed.
# With many files as many R sessions share them as there are processors, at most four, or as
# DOMGEN_TEST_JOBS says: each with one thread of the BLAS, for threads that wait for each other on
# busy processors take several times as long.
#
# They run in a copy: testthat deletes the snapshots of tests that did not run and leaves what was
# drawn, and an interrupted run must not change the checkout either.
library(testthat)
Sys.setenv(NOT_CRAN = "true")
if (nzchar(threads <- Sys.getenv("DOMGEN_THREADS"))) options(domgen.threads = as.integer(threads))
# Some tests look at the sources too.
Sys.setenv(DOMGEN_SOURCES = Sys.getenv("DOMGEN_SOURCES", getwd()))

# Before each comparison testthat sets width, colours, language and collation to those of the user,
# so that a difference would be shown in them, and back: four fifths of its time. Those of the test
# stay.
MultiReporter$set("public", "local_user_output", function(...) invisible())

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
      lost(paste("the tests of", paste(names, collapse = ", ")))
    }
  )[c("file", "test", "passed", "failed", "error", "skipped", "real")]
}

lost <- function(what) {
  data.frame(file = "", test = what, passed = 0L, failed = 1L, error = TRUE, skipped = FALSE,
             real = 0)
}

# Sessions of their own, the first of which is shown at once. Each takes the next few files when it
# is done with some, long ones first, so that all end at about the same time.
run_sessions <- function(names, jobs) {
  queue <- tempfile("queue")
  dir.create(queue)
  names <- names[order(-file.size(file.path("tests", "testthat", paste0("test-", names, ".R"))))]
  saveRDS(split(names, (seq_along(names) - 1L) %/% files_at_a_time), file.path(queue, "files"))
  sessions <- lapply(seq_len(jobs), function(k) start_session(queue, shown = k == 1L))
  do.call(rbind, lapply(sessions, function(session) {
    while (length(line <- readLines(session$running, 1L))) cat(line, "\n", sep = "")
    close(session$running)
    if (file.exists(session$log)) writeLines(readLines(session$log))
    if (file.exists(session$result)) readRDS(session$result) else lost("a session of tests")
  }))
}

files_at_a_time <- 5L

run_queue <- function(queue) {
  parts <- readRDS(file.path(queue, "files"))
  # who makes the folder has the part
  taken <- function(k) dir.create(file.path(queue, k), showWarnings = FALSE)
  do.call(rbind, lapply(seq_along(parts), function(k) if (taken(k)) run_files(parts[[k]])))
}

start_session <- function(queue, shown) {
  files <- tempfile(c("log", "result"))
  script <- c(file.path(R.home("bin"), "Rscript"), ".ci/test.R", "--part", queue, files[2L])
  # not in the background of a shell, where an interrupt would not reach it
  command <- paste("OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}; export OPENBLAS_NUM_THREADS;",
                   "exec", paste(shQuote(script), collapse = " "),
                   if (!shown) paste(">", shQuote(files[1L])), "2>&1")
  list(running = pipe(command, "r"), log = files[1L], result = files[2L])
}

arguments <- commandArgs(trailingOnly = TRUE)
if (identical(arguments[1L], "--part")) {
  saveRDS(run_queue(arguments[2L]), arguments[3L])
  quit()
}

files <- sub("^test-(.*)[.]R$", "\\1", list.files("tests/testthat", "^test-.*[.]R$"))
if (length(arguments)) files <- grep(arguments[1L], files, value = TRUE)
jobs <- as.integer(Sys.getenv("DOMGEN_TEST_JOBS", min(parallel::detectCores(), 4L, na.rm = TRUE)))
jobs <- max(1L, min(jobs, length(files) %/% 8L))
outcome <- if (jobs == 1L) run_files(files) else run_sessions(files, jobs)

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
