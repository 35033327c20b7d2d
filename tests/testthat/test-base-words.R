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

test_that("text of another encoding is shown with its bytes", {
  names <- c("caf\xe9", "b\u00e4r", NA, "plain")
  shown <- getFromNamespace("readable", "domgen")(names)
  expect_identical(shown[-1], c("b\u00e4r", NA, "plain"))
  if (l10n_info()$`UTF-8`) expect_identical(shown[1], "caf<e9>")
  toy <- toy_domains(3, 10)
  levels(toy$domain) <- c("b", "caf\xe9", "line\nbreak")
  model <- fit(dg_lm(scale = "domain"), y ~ . | domain, data = toy)
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy)
  pdf(NULL)
  on.exit(dev.off())
  for (show in list(print, summary, plot)) for (x in list(model, cv)) {
    expect_error(capture.output(show(x)), NA)
  }
  expect_output(print(cv), "line break +3")
  expect_output(print(fix_reference(model, toy)), "caf.*line")
  skip_if_not_installed("knitr")
  expect_match(knitr::knit_print(cv), "|line break", fixed = TRUE)
})
