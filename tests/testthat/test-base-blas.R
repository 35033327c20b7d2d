# A word where OpenBLAS takes the processor for an old one.

# What a new session with these kernels says when it evaluates `script`.
session_with <- function(kernels, script) {
  suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), c("--no-environ", "-e", shQuote(script)),
    env = c(paste0("OPENBLAS_CORETYPE=", kernels),
            paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = .Platform$path.sep)))),
    stdout = TRUE, stderr = TRUE
  ))
}

test_that("old kernels on a processor with AVX2 are named once, when the package is attached", {
  skip_on_cran()
  skip_if(!nzchar(blas_kernels_()), "the BLAS is not OpenBLAS, or the processor has no AVX2")
  attach <- "library(domgen); cat(domgen:::blas_kernels_())"
  said <- session_with("Prescott", attach)
  skip_if(tail(said, 1L) != "Prescott", "this OpenBLAS has no kernels to choose from")
  expect_length(grep("OPENBLAS_CORETYPE=Haswell", said, fixed = TRUE), 1L)
  expect_match(paste(said, collapse = " "), "older processor (Prescott)", fixed = TRUE)

  expect_equal(session_with("Haswell", attach), "Haswell")
  # a worker's package is loaded, not attached
  expect_equal(session_with("Prescott", "cat(domgen:::blas_kernels_())"), "Prescott")
  quiet <- sub("library(domgen)", "suppressPackageStartupMessages(library(domgen))", attach,
               fixed = TRUE)
  expect_equal(session_with("Prescott", quiet), "Prescott")
})

test_that("kernels for AVX2 and another BLAS are passed over in silence", {
  for (kernels in c("", "Haswell", "Zen", "SkylakeX", "Cooperlake", "Sapphirerapids")) {
    expect_null(slow_blas(kernels))
  }
  for (kernels in c("Prescott", "Nehalem", "Sandybridge", "Opteron_SSE3")) {
    expect_match(slow_blas(kernels), kernels, fixed = TRUE)
  }
})
