inside <- function(name) getFromNamespace(name, "domgen")

printed_at <- function(width, code, digits = 7) {
  old <- options(width = width, digits = digits)
  on.exit(options(old))
  capture.output(code)
}

test_that("wrapped lines have the words of the text, in order, and keep to the width", {
  wrap <- inside("wrap_line")
  set.seed(1)
  for (i in 1:200) {
    words <- vapply(sample(1:30, sample(1:20, 1), replace = TRUE), strrep, "", x = "a")
    line <- paste0(strrep(" ", sample(0:6, 1)), paste(words, collapse = " "))
    width <- sample(20:60, 1)
    broken <- wrap(line, width = width)
    expect_true(all(nchar(broken) <= width))
    expect_identical(gsub(" ", "", paste(broken, collapse = "")), gsub(" ", "", line))
    if (nchar(line) <= width) expect_identical(broken, line)
    if (max(nchar(words)) < width - 10) {
      expect_identical(strsplit(trimws(paste(trimws(broken), collapse = " ")), " ")[[1]], words)
    }
  }
})

test_that("what goes on is indented, by two or as asked", {
  wrap <- inside("wrap_line")
  expect_identical(wrap("  one two three", width = 10), c("  one two", "    three"))
  expect_identical(wrap("a  one two", hang = 3, width = 8), c("a  one", "   two"))
  expect_identical(wrap("abcdefghij", width = 4), c("abcd", "  ef", "  gh", "  ij"))
})

test_that("a table that fits is printed as by print.data.frame()", {
  frame <- data.frame(x = c(1.5, NA, -2.25), long_name = c(1e6, 2, 3), n = 1:3)
  plain <- capture.output(print(frame, row.names = FALSE, digits = 3))
  expect_identical(printed_at(80, inside("cat_table")(frame, digits = 3)), plain)
})

test_that("columns that do not fit go below, behind the first", {
  frame <- data.frame(key = c("a", "b"), one = 1:2, two = 3:4, three = 5:6)
  expect_identical(printed_at(14, inside("cat_table")(frame)),
                   c(" key one two", " a     1   3", " b     2   4", "",
                     " key three", " a       5", " b       6"))
})

test_that("every cell of a folded table can be read back, at any width", {
  set.seed(2)
  frame <- data.frame(key = letters[1:4], matrix(sample(1e5, 48), 4))
  for (width in c(15, 30, 61, 80)) {
    lines <- printed_at(width, inside("cat_table")(frame))
    expect_true(all(nchar(lines) <= width))
    blocks <- split(lines[nzchar(lines)], cumsum(!nzchar(lines))[nzchar(lines)])
    read <- lapply(blocks, function(b) utils::read.table(text = b, header = TRUE)[-1L])
    expect_equal(unname(do.call(cbind, read)), unname(frame[-1L]), ignore_attr = TRUE)
  }
})

test_that("a cell beyond half the width is shortened in its middle", {
  frame <- data.frame(key = paste0(strrep("x", 90), "1"), value = 1)
  lines <- printed_at(40, inside("cat_table")(frame))
  expect_true(all(nchar(lines) <= 40))
  expect_match(lines[2], "x\\.\\.\\.x+1 +1$")
})

test_that("names of a matrix are shortened only while they differ", {
  shorten <- inside("shorten_names")
  alike <- paste0("domain number ", 1:20)
  expect_identical(anyDuplicated(shorten(alike, 6)), 0L)
  expect_true(all(nchar(shorten(alike, 12)) <= 12))
})

test_that("digits of the user are relative to R's own", {
  rounded <- inside("rounded")
  with_digits <- function(n, x, digits) {
    old <- options(digits = n)
    on.exit(options(old))
    rounded(x, digits)
  }
  expect_identical(with_digits(7, pi, 4), signif(pi, 4))
  expect_identical(with_digits(5, pi, 4), signif(pi, 2))
  expect_identical(with_digits(10, pi, 4), signif(pi, 7))
  expect_identical(with_digits(1, pi, 4), 3)
})

test_that("a preference for exponents changes nothing that is printed, told or computed", {
  toy <- toy_domains(4, 10)
  classes <- toy_classes(4, 12)
  ridge <- function(...) dg_ridge(y ~ x1 + x2 | domain, data = toy, lambda = 1, ...)
  runs <- list(
    function() summary(ridge()), function() set_reference(ridge(), toy),
    function() dg_lm(y ~ x1 | domain, data = toy), function() summary(dg_dica(y ~ x1 | domain, data = toy)),
    function() dg_svm(y ~ x1 | domain, data = classes, cost = 1),
    function() dg_cv(dg_lm(), y ~ x1 | domain, data = toy)$domains,
    function() dg_importance(dg_lm(), y ~ x1 | domain, data = toy, permutations = 2),
    function() dg_effect(dg_lm(y ~ x1 | domain, data = toy), grid = 3),
    function() dg_novelty(ridge(), toy), function() dg_svm(cost = 2), function() kernel_rbf(2),
    function() dg_tune(dg_ridge(), y ~ x1 | domain, data = toy, grid = list(lambda = c(1, 100)),
                       extend = FALSE),
    function() tryCatch(dg_ridge(lambda = -2), error = conditionMessage),
    function() tryCatch(ridge(feature_map = features_nystrom(1e4)), warning = conditionMessage)
  )
  outcome <- function(run, scipen) {
    old <- options(scipen = scipen)
    on.exit(options(old))
    with_seed(1, {
      found <- run()
      # what base R prints is the user's
      if (is.data.frame(found)) options(old)
      capture.output(if (is.character(found)) cat(found) else print(found))
    })
  }
  without_seconds <- function(lines) grep("seconds| s$", lines, value = TRUE, invert = TRUE)
  for (run in runs) {
    expect_identical(without_seconds(outcome(run, -10)), without_seconds(outcome(run, 0)))
  }
})
