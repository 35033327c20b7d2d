# Runs the test files that match a regular expression, one after the other, so that the last name
# printed before a crash is that of the file; the last line counts what failed.
library(testthat)
Sys.setenv(NOT_CRAN = "true")
files <- sub("^test-(.*)[.]R$", "\\1", list.files("tests/testthat", "^test-.*[.]R$"))
failed <- 0L
for (file in grep(commandArgs(TRUE)[1L], files, value = TRUE)) {
  seconds <- system.time(results <- as.data.frame(
    test_dir("tests/testthat", package = "domgen", load_package = "installed", reporter = "check",
             stop_on_failure = FALSE, filter = paste0("^", file, "$"))
  ))[["elapsed"]]
  wrong <- sum(results$failed > 0 | results$error)
  cat(sprintf("%-30s %3d tests, %d wrong, %.0f s\n", file, nrow(results), wrong, seconds))
  failed <- failed + wrong
}
cat(failed, "failed\n")
