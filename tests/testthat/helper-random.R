# Each test draws the same numbers, alone and among others: what fails here fails again. Another
# DOMGEN_TEST_SEED draws others, to find tests that hang on the draw.
test_that <- function(desc, code) {
  set.seed(as.integer(Sys.getenv("DOMGEN_TEST_SEED", "1")))
  call <- sys.call()
  call[[1L]] <- quote(testthat::test_that)
  eval(call, parent.frame())
}
