# The core's own test needs minutes (`make check-core`); what takes a second runs here.
test_that("every header of the core is in its test, and no name stands for two things", {
  root <- test_path("..", "..")
  script <- file.path(root, ".ci", "check-core")
  skip_if_not(file.exists(script) && file.exists(file.path(root, "src", "core", "test")),
              "only in a checkout: the built package has neither the script nor the core's test")
  skip_on_os("windows")
  said <- suppressWarnings(system2("sh", c(shQuote(script), "quick"), stdout = TRUE, stderr = TRUE))
  expect_null(attr(said, "status"), label = paste(said, collapse = "\n"))
})
