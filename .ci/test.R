# Runs tests/testthat against the installed package. The last line counts the tests; a test that
# raised an error counts as failed.
library(testthat)
Sys.setenv(NOT_CRAN = "true")

# Every failure is shown, and each file only once, when it is done.
reporter <- ProgressReporter$new(update_interval = Inf, max_failures = Inf)
outcome <- tryCatch(
  as.data.frame(test_dir("tests/testthat", package = "domgen", load_package = "installed",
                         reporter = reporter, stop_on_failure = FALSE)),
  error = function(e) {
    message(conditionMessage(e))
    data.frame(passed = 0L, failed = 1L, error = TRUE, skipped = FALSE)
  }
)
failed <- outcome$failed > 0 | outcome$error
skipped <- outcome$skipped & !failed
passed <- outcome$passed > 0 & !failed & !skipped
cat(sprintf("%d passed, %d failed, %d skipped\n", sum(passed), sum(failed), sum(skipped)))
quit(status = as.integer(any(failed)))
