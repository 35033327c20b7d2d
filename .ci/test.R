# Runs tests/testthat, or the files in it whose names match an argument, against the installed
# package. The last line counts the tests; a test that raised an error counts as failed.
#
# They run in a copy: testthat deletes the snapshots of tests that did not run and leaves what was
# drawn, and an interrupted run must not change the checkout either.
library(testthat)
Sys.setenv(NOT_CRAN = "true")
if (nzchar(threads <- Sys.getenv("DOMGEN_THREADS"))) options(domgen.threads = as.integer(threads))
arguments <- commandArgs(trailingOnly = TRUE)

# Some tests look at the sources too.
Sys.setenv(DOMGEN_SOURCES = getwd())
copy <- tempfile("tests")
dir.create(copy)
invisible(file.copy("tests/testthat", copy, recursive = TRUE))
setwd(copy)

# Every failure is shown, and each file only once, when it is done.
reporter <- ProgressReporter$new(update_interval = Inf, max_failures = Inf)
outcome <- tryCatch(
  as.data.frame(test_dir("testthat", package = "domgen", load_package = "installed",
                         filter = if (length(arguments)) arguments[1L], reporter = reporter,
                         stop_on_failure = FALSE)),
  error = function(e) {
    message(conditionMessage(e))
    data.frame(file = "", test = "the tests as a whole", passed = 0L, failed = 1L, error = TRUE,
               skipped = FALSE, real = 0)
  }
)

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
