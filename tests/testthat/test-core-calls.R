# A process of its own: the script puts what it calls into the global environment, and may end R.
run_core_script <- function(name) {
  script <- checkout_file(".ci", name)
  text <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), shQuote(script),
                                   stdout = TRUE, stderr = TRUE))
  expect_null(attr(text, "status"), info = paste(tail(text, 30), collapse = "\n"))
  text
}

test_that("the calls for valgrind reach every function of the core", {
  expect_match(run_core_script("core-calls.R"), "functions were called", all = FALSE)
})

test_that("no function of the core reads beyond an argument that is too short or out of range", {
  text <- run_core_script("core-arguments.R")
  expect_match(text, "spoilt calls$", all = FALSE)
  expect_false("no error:" %in% text, info = paste(text, collapse = "\n"))
})
