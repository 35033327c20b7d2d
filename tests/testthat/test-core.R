# The core's own test needs minutes (`make check-core`); what takes a second runs here.
test_that("every header of the core is in its test, and no name stands for two things", {
  script <- checkout_file(".ci", "check-core")
  skip_on_os("windows")
  said <- suppressWarnings(system2("sh", c(shQuote(script), "quick"), stdout = TRUE, stderr = TRUE))
  expect_null(attr(said, "status"), label = paste(said, collapse = "\n"))
})
