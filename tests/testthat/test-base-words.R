test_that("a printed field goes on in its own column where the console is narrow", {
  model <- dg_ridge(y ~ . | domain, simulate_dica(domains = 4, n = 20, p = 3, seed = 1),
                    lambda = 1, feature_map = features_product(x = features_nystrom(10)))
  old <- options(width = 80)
  on.exit(options(old))
  lines <- capture.output(print(model))
  expect_lte(max(nchar(lines)), 80L)
  start <- grep("^  feature map ", lines)
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
  expect_output(print(set_reference(model, toy)), "caf.*line")
  skip_if_not_installed("knitr")
  expect_match(knitr::knit_print(cv), "|line break", fixed = TRUE)
})

test_that("wide characters are shortened by their width, and hide no number of a table", {
  skip_if_not(l10n_info()$`UTF-8`)
  shorten <- getFromNamespace("shorten", "domgen")
  expect_identical(shorten(c("abcdefghij", "abc", NA), 7), c("ab...ij", "abc", NA))
  wide <- strrep("\u65e5", 20)
  for (width in 7:20) expect_lte(nchar(shorten(wide, width), "width"), width)
  toy <- toy_domains(3, 10)
  levels(toy$domain) <- paste0(strrep("\u65e5\u672c", 30), 1:3)
  old <- options(width = 80)
  on.exit(options(old))
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy)
  shown <- capture.output(print(cv))
  expect_lte(max(nchar(shown, "width")), 80)
  expect_match(shown, format(signif(cv$domains$score[1], 4)), fixed = TRUE, all = FALSE)
})

test_that("constants of several machines stand in a row without gaps", {
  expect_identical(intercept_words(c(-0.12345, 0.5, 10), TRUE), "-0.1234, 0.5000, 10.0000")
  expect_identical(intercept_words(0, FALSE), "none")
})
