# What README.md and the site's first page say in numbers is what their code and stored experiments
# give; inst/scripts/readme.R writes it.

readme <- new.env()
sys.source(system.file("scripts", "readme.R", package = "domgen"), readme)

# As printed; another BLAS, and other folds of equal scores, round otherwise.
expect_numbers <- function(file, numbers) {
  said <- readme$numbers_said(checkout_file(file), readme$sentences[[file]])
  expect_true(all(names(said) %in% names(numbers)))
  printed <- readme$as_text(numbers)
  exact <- names(said) %in% readme$counts
  expect_identical(said[exact], printed[names(said)[exact]], info = file)
  said <- said[!exact]
  numbers <- numbers[names(said)]
  rounding <- 0.5 * 10^-nchar(sub(".*[.]", "", said))
  near <- abs(as.numeric(said) - numbers) < 1e-3 * pmax(1, abs(numbers)) + rounding
  expect_identical(names(said)[!near], character(), info = file)
}

# What the calls of a file make, but for its comparison, which is returned as a call.
made_in <- function(file) {
  calls <- readme$calls_of(checkout_file(file), c("library", "dg_diagnose", "dg_auto", "predict",
                                                  "plot", "dg_report", "dg_coefficients"))
  home <- new.env(parent = globalenv())
  compares <- vapply(calls, function(call) "dg_compare" %in% all.names(call), NA)
  with_seed(1, for (call in calls[!compares]) eval(call, home))
  run <- calls[[which(compares)]]
  if (identical(run[[1L]], as.name("<-"))) run <- run[[3L]]
  list(call = match.call(dg_compare, run), home = home)
}

test_that("the texts say the numbers that their code prints, and those of stored experiments", {
  skip_on_cran()
  skip_if_not_installed("nlme")
  texts <- lapply(names(readme$sentences), made_in)
  first <- texts[[1L]]
  # of the same methods, rows and folds, so that one comparison gives the numbers of all
  for (text in texts[-1L]) {
    expect_identical(eval(text$call$x, text$home), eval(first$call$x, first$home), ignore_attr = TRUE)
    text$call$x <- first$call$x
    expect_identical(text$call, first$call)
  }
  result <- with_seed(1, eval(first$call, first$home))
  made <- first$home
  coefficients <- dg_coefficients(dg_lm(made$school, data = made$pupils))
  numbers <- c(readme$numbers_of(result, checkout_file("inst", "experiments", "results")),
               readme$published_numbers(made$validation, coefficients))
  for (file in names(readme$sentences)) expect_numbers(file, numbers)
  # the sentences are those of the report, but for rounding
  masked <- function(text) gsub("-?[0-9.]*[0-9]", "#", paste(text, collapse = " "))
  quoted <- grep("^> ", readLines(checkout_file("README.md"), encoding = "UTF-8"), value = TRUE)
  report <- dg_report(made$validation, site = "school", row = "pupil")
  expect_match(masked(unlist(report$text)), masked(sub("^> ", "", quoted)), fixed = TRUE)
})

test_that("no number with decimals stands in these texts but in a sentence that is filled in", {
  for (file in names(readme$sentences)) {
    lines <- readLines(checkout_file(file), encoding = "UTF-8")
    code <- cumsum(grepl("^```", lines)) %% 2 == 1
    text <- gsub("`[^`]*`", "", paste(lines[!code], collapse = " "))
    # versions of R and of systems, and addresses
    text <- gsub("\\bR \\(?[0-9.]+|Debian [0-9]+|[(][^() ]*[)]", "", text)
    decimals <- regmatches(text, gregexpr("-?[0-9]+[.][0-9]+", text))[[1L]]
    said <- readme$numbers_said(checkout_file(file), readme$sentences[[file]])
    expect_identical(setdiff(decimals, said), character(), info = file)
  }
})

test_that("numbers are put where they belong, wherever lines end", {
  file <- tempfile()
  writeLines(c("# 3 lines, 0.5", "", "160 held-out", "schools: RMSE 6.1, on none", "and 7."), file)
  sentence <- "{a} held-out schools: RMSE {b}, on {c} and {d}."
  expect_identical(readme$numbers_said(file, sentence),
                   c(a = "160", b = "6.1", c = "none", d = "7"))
  readme$fill_in(file, sentence, c(a = "9", b = "-0.25", c = "12", d = "none"))
  expect_identical(readLines(file),
                   c("# 3 lines, 0.5", "", "9 held-out", "schools: RMSE -0.25, on 12", "and none."))
  expect_error(readme$numbers_said(file, "{a} of these"), "must be there once")
})
