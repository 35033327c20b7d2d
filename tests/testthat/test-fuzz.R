# A few hundred random calls; `make fuzz CALLS=100000 SEED=2` makes many more.
test_that("random calls give a result or an error of ours", {
  skip_on_cran()
  found <- fuzz(seed = 1, seq_len(600))
  expect(is.null(found), paste(c("Faults:", paste0("  ", found$call, ": ", found$words, "\n    ",
                                                  found$fault)), collapse = "\n"))
})
