# The text that tells whether a value is the one of before, and what is kept under it.

toy <- simulate_dica(domains = 3, rows = 10, p = 2, seed = 1)

test_that("sums of bytes are those of base R", {
  file <- tempfile()
  for (n in c(0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 1000, 70000)) {
    bytes <- as.raw((seq_len(n) * 37 + n) %% 256)
    writeBin(bytes, file)
    expect_identical(domgen:::md5_("", bytes), unname(tools::md5sum(file)))
  }
  expect_identical(domgen:::md5_("abc", charToRaw("def")), domgen:::md5_("", charToRaw("abcdef")))
})

test_that("a fingerprint is that of the value, also where no file can be written", {
  long <- as.numeric(seq_len(3e6))
  values <- list(1, 2, "a", NULL, NA, NA_real_, NaN, list(), list(1, 2), list(list(1), 2), c(1, 2),
                 c(a = 1), 1L, long, replace(long, 3e6, 0), list(long, long), toy,
                 factor("a"), y ~ x, function(x) x + 1, quote(x + 1), c(TRUE, NA), 1i, as.raw(1:3))
  sums <- vapply(values, domgen:::fingerprint, "")
  expect_match(sums, "^[0-9a-f]{32}$")
  expect_identical(anyDuplicated(sums), 0L)
  # however R keeps it
  expect_identical(domgen:::fingerprint(1:1000), domgen:::fingerprint(rep(1:1000, 1)))
  # a temporary folder that is gone, as one that is full
  skip_on_cran()
  alone <- in_new_session({
    unlink(tempdir(), recursive = TRUE, expand = FALSE)
    vapply(input, domgen:::fingerprint, "")
  }, unname(values[1:13]))
  expect_identical(alone, unname(sums[1:13]))
})

test_that("a store on a full disk is an error, and leaves no file that is cut", {
  folder <- tempfile("store")
  source <- row_source(toy, store = folder)
  # as a full disk is: no error, and half of the bytes
  cut <- function(value, file) {
    saveRDS(value, file)
    bytes <- readBin(file, "raw", 1e6)
    writeBin(bytes[seq_len(length(bytes) %/% 2)], file)
  }
  expect_error(with_replaced("write_value", cut, {
    fit(dg_ridge(lambda = 1, features = features_nystrom(5)), y ~ x1 | domain, data = source)
  }), "`store` cannot be written.*full", class = "domgen_error_write")
  expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), character())
})
