# What recipes loads may warn of a machine without a time zone; here, and not in the first call.
suppressWarnings(requireNamespace("recipes", quietly = TRUE))

# Some random calls; `make fuzz CALLS=100000 SEED=2` makes many more. A fault of one call in a
# hundred is found in the short form with probability 0.95.
test_that("random calls give a result or an error of ours", {
  skip_on_cran()
  found <- fuzz(seed = 1, seq_len(if (long_form()) 1200 else 300))
  expect(is.null(found), paste(c("Faults:", paste0("  ", found$call, ": ", found$words, "\n    ",
                                                  found$fault)), collapse = "\n"))
})

test_that("everything that is exported can be called without arguments", {
  calls <- lapply(stats::setNames(nm = fuzz_functions()), function(name) {
    function() eval(as.call(list(get(name, asNamespace("domgen")))))
  })
  expect_outcomes(calls, c("error", "finite"))
})

test_that("no rows have no predictions, and no probabilities", {
  toy <- toy_classes(4, 15)
  three <- transform(toy, y = factor(rep_len(c("a", "b", "c"), nrow(toy))))
  for (data in list(toy, three)) {
    for (model in quietly(list(dg_svm(y ~ . | domain, data = data, calibration = "platt"),
                               dg_ridge(y ~ . | domain, data = data, calibration = "isotonic"),
                               dg_null(y ~ . | domain, data = data)))) {
      none <- predict(model, data[0L, ], type = "prob")
      expect_identical(dimnames(none), list(NULL, levels(data$y)))
      expect_identical(predict(model, data[0L, ]), data$y[0L])
      # one that predicts by mean embeddings knows the novelty
      more <- 1L + inherits(model$space$domain_kernel, "domain_embedding")
      expect_identical(dim(augment(model, data[0L, ])), c(0L, ncol(data) + more + nlevels(data$y)))
    }
  }
})

test_that("the fuzzer finds what it looks for, and makes a call again", {
  world <- fuzz_world()
  expect_identical(fuzz_call(3, 7, world)$words, fuzz_call(3, 7, world)$words)
  fault <- function(f, ...) fuzz_outcome(fuzz_language(f, list(...)), globalenv(), 0.3)
  expect_match(fault(log, "a"), "R error: non-numeric")
  expect_match(fault(log, -1), "R warning: NaNs")
  expect_match(fault(function() abort("data", "std::length_error")), "C\\+\\+ or R")
  expect_match(fault(function() warn("data", "vector::_M_range_check")), "R warning")
  expect_match(fault(function() NaN), "silent NaN")
  expect_match(fault(function() repeat NULL), "R error: reached")
  expect_identical(fault(function() abort("data", "`x` must be there.")), "")
  expect_identical(fault(identity, y ~ x), "")
})
