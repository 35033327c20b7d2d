# Runs one test file against the installed package; the last line counts its tests.
library(testthat)
# see .ci/test.R
MultiReporter$set("public", "local_user_output", function(...) invisible())
Sys.setenv(NOT_CRAN = "true")
if (nzchar(threads <- Sys.getenv("DOMGEN_THREADS"))) options(domgen.threads = as.integer(threads))
file <- commandArgs(TRUE)[1L]
seconds <- system.time(results <- as.data.frame(
  test_dir("tests/testthat", package = "domgen", load_package = "installed", reporter = "check",
           stop_on_failure = FALSE, filter = paste0("^", file, "$"))
))[["elapsed"]]
cat(sprintf("%-30s %3d tests, %d wrong, %.0f s\n", file, nrow(results),
            sum(results$failed > 0 | results$error), seconds))
