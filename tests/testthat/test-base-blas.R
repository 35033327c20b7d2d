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
  attach <- "library(domgen); cat(domgen:::old_blas_kernels_())"
  said <- session_with("Prescott", attach)
  skip_if(!identical(tail(said, 1L), "Prescott"),
          "no OpenBLAS that has kernels to choose from, or a processor without AVX2")
  expect_length(grep("OPENBLAS_CORETYPE=Haswell", said, fixed = TRUE), 1L)
  expect_match(paste(said, collapse = " "), "older processor, Prescott", fixed = TRUE)

  expect_equal(session_with("Haswell", attach), character())
  # a worker's package is loaded, not attached
  expect_equal(session_with("Prescott", "cat(domgen:::old_blas_kernels_())"), "Prescott")
  quiet <- sub("library(domgen)", "suppressPackageStartupMessages(library(domgen))", attach,
               fixed = TRUE)
  expect_equal(session_with("Prescott", quiet), "Prescott")
})

test_that("kernels for AVX2 and another BLAS are passed over in silence", {
  for (kernels in c("", "Haswell", "Zen", "SkylakeX", "Cooperlake", "Sapphirerapids")) {
    expect_identical(old_blas_kernels_(kernels), "")
  }
  skip_if(old_blas_kernels_("Prescott") == "", "the processor has no AVX2")
  for (kernels in c("Nehalem", "Sandybridge", "Opteron_SSE3")) {
    expect_identical(old_blas_kernels_(kernels), kernels)
  }
})
