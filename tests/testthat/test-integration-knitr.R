reported <- function() {
  toy <- toy_domains(4, 15)
  labels <- toy_classes(4, 15)
  machine <- dg_svm(y ~ . | domain, data = labels, cost = 1, calibration = "platt")
  methods <- list(dg_lm(), dg_ridge(lambda = 1))
  names(methods) <- c("50 % | of_a *bad* <b>name</b>", "$x^2$ & `b` # [c]")
  set.seed(1)
  list(
    compare = dg_compare(methods, y ~ . | domain, data = toy),
    cv = dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = c("rmse", "r2")),
    tuned = dg_tune(dg_ridge(), y ~ . | domain, data = toy, extend = FALSE,
                    grid = list(lambda = c(1, 10))),
    auto = dg_auto(y ~ . | domain, data = toy, seed = 1, max_seconds = 2),
    diagnose = dg_diagnose(y ~ . | domain, data = toy, permutations = 20, seed = 1),
    calibration = dg_calibration(machine, labels),
    importance = dg_importance(dg_lm(), y ~ . | domain, data = toy, permutations = 2),
    effect = dg_effect(machine, newdata = labels, grid = 4),
    mmd = dg_mmd(as.matrix(iris[1:4]), iris$Species, permutations = 9)
  )
}

# Made once, by the first test that uses them.
delayedAssign("objects", suppressWarnings(reported()))

# The cells of a pipe table, without the escapes.
pipe_cells <- function(text) {
  lines <- grep("^\\|", strsplit(text, "\n")[[1]], value = TRUE)[-2]
  lines <- gsub("\\|", "&#124;", lines, fixed = TRUE)
  cells <- strsplit(sub("^\\|", "", sub("\\|$", "", lines)), "|", fixed = TRUE)
  cells <- do.call(rbind, lapply(cells, trimws))
  cells <- gsub("\\\\(.)", "\\1", cells)
  for (mark in list(c("&#124;", "|"), c("&#91;", "["), c("&#93;", "]"))) {
    cells <- gsub(mark[1], mark[2], cells, fixed = TRUE)
  }
  cells
}

test_that("every result becomes a table of markdown with its numbers, a caption and notes", {
  skip_if_not_installed("knitr")
  for (name in names(objects)) {
    text <- knitr::knit_print(objects[[name]])
    expect_s3_class(text, "knit_asis")
    expect_match(text, "Table: [^ ]", info = name)
    expect_match(text, "\n- ", info = name)
    cells <- pipe_cells(text)
    expect_gt(nrow(cells), 1)
    expect_true(all(nzchar(cells[1, ])), info = name)
  }
  cells <- pipe_cells(knitr::knit_print(objects$cv))
  domains <- objects$cv$domains
  expect_identical(cells[-1, 1], domains$domain)
  expect_identical(cells[1, ], c("Domain", "Rows", "RMSE", "R squared"))
  expect_equal(as.numeric(cells[-1, 3]), domains$score, tolerance = 1e-3)
  compared <- pipe_cells(knitr::knit_print(objects$compare))
  # the best method first
  sorted <- objects$compare$table[order(objects$compare$table$mean), ]
  expect_equal(as.numeric(compared[-1, 2]), sorted$mean, tolerance = 1e-2)
  ends <- sub("\u2212", "-", sub(" to .*", "", compared[-1, 4]))
  lower <- suppressWarnings(as.numeric(ends))
  other <- sorted$method != objects$compare$baseline
  expect_equal(lower[other], sorted$lower[other], tolerance = 5e-2)
})

test_that("a caption of the chunk replaces that of the table", {
  skip_if_not_installed("knitr")
  cv <- dg_cv(dg_lm(), weight ~ Time | Diet, data = ChickWeight)
  expect_match(knitr::knit_print(cv, options = list(tab.cap = "Chicks")), "Table: Chicks\n")
  expect_no_match(knitr::knit_print(cv, options = list(`tbl-cap` = "Chicks")), "Table:")
})

test_that("digits of the session are those of the table", {
  skip_if_not_installed("knitr")
  cv <- dg_cv(dg_lm(), weight ~ Time | Diet, data = ChickWeight)
  old <- options(digits = 10)
  on.exit(options(old))
  cells <- pipe_cells(knitr::knit_print(cv))
  expect_equal(as.numeric(cells[-1, 3]), cv$domains$score, tolerance = 1e-6)
})

# The document of a chunk that shows x, as pandoc reads it.
pandoc_text <- function(x, to) {
  file <- tempfile(fileext = ".md")
  writeLines(knitr::knit_print(x), file)
  out <- tempfile()
  system2(rmarkdown::pandoc_exec(), c("-f", "markdown", "-t", to, "-o", out, file))
  paste(readLines(out), collapse = "\n")
}

test_that("names of any kind reach HTML and LaTeX as they are", {
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available())
  bad <- c("50 % | of_a *bad* <b>name</b>", "$x^2$ & `b` # [c]", "1. &lt;d&amp;e")
  methods <- stats::setNames(list(dg_lm(), dg_ridge(lambda = 1), dg_null()), bad)
  comparison <- dg_compare(methods, y ~ . | domain, data = toy_domains(4, 15))
  plain <- gsub("\\s+", " ", pandoc_text(comparison, "plain --columns=400"))
  for (name in bad) expect_gte(lengths(gregexpr(name, plain, fixed = TRUE)), 2)
  html <- pandoc_text(comparison, "html --wrap=none")
  expect_match(html, ">50 % | of_a *bad* &lt;b&gt;name&lt;/b&gt;</td>", fixed = TRUE)
  expect_match(html, "<caption>")
  # a note that begins with "1." is no list of its own
  expect_no_match(html, "<ol", fixed = TRUE)
  expect_match(pandoc_text(comparison, "latex"), "\\\\caption")
})

test_that("Sweave and HTML documents of knitr get their own markup", {
  skip_if_not_installed("knitr")
  knit_in <- function(format) {
    old <- knitr::opts_knit$get("out.format")
    knitr::opts_knit$set(out.format = format)
    on.exit(knitr::opts_knit$set(out.format = old))
    methods <- stats::setNames(list(dg_lm()), "50 % of_a <b>")
    knitr::knit_print(dg_compare(methods, y ~ . | domain, data = toy_domains(4, 15)))
  }
  latex <- knit_in("latex")
  expect_match(latex, "\\begin{tabular}", fixed = TRUE)
  expect_match(latex, "baseline: 50 \\% of\\_a \\textless{}b", fixed = TRUE)
  expect_match(latex, "\n50 \\% of\\_a \\textless{}b\\textgreater{} &", fixed = TRUE)
  html <- knit_in("html")
  expect_match(html, "<table", fixed = TRUE)
  expect_match(html, "baseline: 50 % of_a &lt;b&gt;</li>", fixed = TRUE)
})

test_that("kable() and gt() take the table of every result", {
  skip_if_not_installed("knitr")
  for (name in names(objects)) {
    frame <- as.data.frame(objects[[name]])
    shown <- knitr::kable(frame, format = "pipe", digits = 3)
    expect_length(shown, nrow(frame) + 2L)
    if (requireNamespace("gt", quietly = TRUE)) {
      html <- gt::as_raw_html(gt::gt(frame), inline_css = FALSE)
      expect_identical(lengths(gregexpr("<tr", html)), nrow(frame) + 1L, info = name)
    }
  }
})

test_that("a knitted table has the notes and the shots that print() shows, and no more rows", {
  skip_if_not_installed("knitr")
  notes <- function(x) gsub("\\", "", knitr::knit_print(x), fixed = TRUE)
  labels <- toy_classes(12, 8)
  cv <- dg_cv(dg_pipeline(dg_dica(ncomp = 2), dg_ridge(lambda = 1)), y ~ . | domain, data = labels, folds = 3)
  text <- notes(cv)
  expect_identical(nrow(pipe_cells(knitr::knit_print(cv))), 11L)
  expect_match(text, "- and 2 more domains in `$domains`", fixed = TRUE)
  expect_match(text, "- 3 of 3 folds: `ncomp` is 2", fixed = TRUE)
  compared <- dg_compare(list(a = cv$spec), y ~ . | domain, data = labels, folds = 3, refits = FALSE)
  expect_match(notes(compared), "- 3 of 3 folds of a: `ncomp` is 2", fixed = TRUE)
  with_shots <- dg_cv(dg_ridge(lambda = 1), y ~ . | domain, data = toy_domains(4, 10), shots = c(1, 3))
  text <- notes(with_shots)
  expect_match(text, "with labelled rows of each held-out domain")
  expect_match(text, paste0("\n- labels 3, mean ", column_words(with_shots$shots$mean, 3)[3]),
               fixed = TRUE)
  # all pairs of 40 domains are 780
  many <- dg_mmd(as.matrix(iris[1:4])[1:120, ], gl(40, 3))
  cells <- pipe_cells(knitr::knit_print(many))
  expect_identical(nrow(cells), 13L)
  expect_equal(as.numeric(cells[2, 3]), max(many$squared), tolerance = 1e-3)
  expect_match(notes(many), "- and 768 more pairs in as.data.frame()", fixed = TRUE)
  near <- dg_novelty(dg_ridge(y ~ . | domain, data = toy_domains(4, 10), lambda = 1),
                     toy_domains(14, 6))
  expect_identical(nrow(pipe_cells(knitr::knit_print(near))), 13L)
  expect_match(notes(near), "and 2 more domains in `$domains`, nearer", fixed = TRUE)
})

test_that("columns share a page, and two long ones leave room for numbers", {
  long <- strrep("long words ", 8)
  report <- list(headers = c("Domain", "Rows", "95 % CI", "Resembles"), align = c("l", "r", "r", "l"),
                 table = data.frame(long, "12", "0.007 to 0.103", strrep(long, 2)))
  wide <- column_widths(report)
  expect_lte(sum(wide), 84)
  expect_true(all(wide[2:3] >= c(4, 14) + 4))
  report$table <- data.frame("a", "12", "0.007 to 0.103", "b")
  expect_identical(column_widths(report), nchar(c("Domain", "Rows", "0.007 to 0.103", "Resembles")) + 5)
})
