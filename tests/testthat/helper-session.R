# Runs an expression of `input` (a list) in a new R session that has loaded the package, and
# returns its value. Skips where a session cannot find the package.
in_new_session <- function(expr, input) {
  files <- tempfile(c("input", "output", "script"), fileext = c(".rds", ".rds", ".R"))
  on.exit(unlink(files))
  saveRDS(input, files[1L])
  writeLines(c(
    "files <- commandArgs(TRUE)",
    "if (!requireNamespace('domgen', quietly = TRUE)) quit(status = 3L)",
    "library(domgen)",
    "input <- readRDS(files[1L])",
    paste0("value <- local(", paste(deparse(substitute(expr)), collapse = "\n"), ")"),
    "saveRDS(value, files[2L])"
  ), files[3L])
  old <- Sys.getenv("R_LIBS", NA)
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  on.exit(if (is.na(old)) Sys.unsetenv("R_LIBS") else Sys.setenv(R_LIBS = old), add = TRUE)
  arguments <- c("--no-environ", files[3L], files[1L], files[2L])
  output <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), shQuote(arguments),
                                     stdout = TRUE, stderr = TRUE))
  status <- attr(output, "status")
  testthat::skip_if(identical(status, 3L), "a new R session does not find the package")
  if (!is.null(status)) stop("The new session failed: ", paste(output, collapse = "\n"))
  readRDS(files[2L])
}
