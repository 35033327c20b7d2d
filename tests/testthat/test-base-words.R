test_that("a printed field goes on in its own column where the console is narrow", {
  model <- dg_ridge(y ~ . | domain, simulate_dica(domains = 4, rows = 20, p = 3, seed = 1),
                    lambda = 1, features = features_product(x = features_nystrom(10)))
  old <- options(width = 80)
  on.exit(options(old))
  lines <- capture.output(print(model))
  expect_lte(max(nchar(lines)), 80L)
  start <- grep("^  features ", lines)
  expect_match(lines[start + 1L], "^ {17}[^ ]")
  options(width = 500)
  wide <- capture.output(print(model))
  expect_lt(length(wide), length(lines))
  expect_identical(gsub(" +", " ", paste(lines, collapse = " ")),
                   gsub(" +", " ", paste(wide, collapse = " ")))
})
