test_that("the calls for valgrind reach every function of the core", {
  script <- file.path(Sys.getenv("DOMGEN_SOURCES"), ".ci", "core-calls.R")
  skip_if_not(nzchar(Sys.getenv("DOMGEN_SOURCES")) && file.exists(script), "not run from the sources")
  # a process of its own: the script puts what it calls into the global environment
  text <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), shQuote(script),
                                   stdout = TRUE, stderr = TRUE))
  expect_null(attr(text, "status"), info = paste(text, collapse = "\n"))
  expect_match(text, "functions were called", all = FALSE)
})
