sheet_blocks <- function() {
  file <- system.file("scripts", "cheat-sheet.R", package = "domgen")
  eval(parse(file)[[1L]][[3L]], baseenv())
}

# Calls of exported functions in an expression, the innermost too.
own_calls <- function(code) {
  if (!is.call(code)) return(NULL)
  name <- if (is.name(code[[1L]])) as.character(code[[1L]])
  own <- length(name) && name %in% getNamespaceExports("domgen")
  c(if (own) list(code), unlist(lapply(as.list(code), own_calls), recursive = FALSE))
}

test_that("what the cheat sheet shows are calls of the package with arguments that it has", {
  lines <- unlist(lapply(unname(sheet_blocks()), names))
  expect_gt(length(lines), 40L)
  calls <- unlist(lapply(lines, function(line) lapply(parse(text = line), own_calls)),
                  recursive = FALSE)
  calls <- unlist(calls, recursive = FALSE)
  expect_gt(length(calls), 60L)
  unknown <- lapply(calls, function(call) {
    known <- names(formals(getExportedValue("domgen", as.character(call[[1L]]))))
    setdiff(names(call)[nzchar(names(call))], known)
  })
  expect_identical(as.character(unlist(unknown)), character())
  ours <- gregexpr("\\b(dg|domain|kernel|features)_[a-z]+(?=\\()", lines, perl = TRUE)
  called <- unique(unlist(regmatches(lines, ours)))
  expect_identical(setdiff(called, getNamespaceExports("domgen")), character())
})

test_that("each method and each question of the package stands on the cheat sheet", {
  lines <- unlist(lapply(unname(sheet_blocks()), names))
  functions <- grep("^dg_", getNamespaceExports("domgen"), value = TRUE)
  # dg_kpca() is dg_udica() of a single domain; a message names dg_resume(); parts of one's own
  left_out <- c("dg_kpca", "dg_resume", "dg_parameter")
  named <- vapply(functions, function(name) any(grepl(paste0(name, "("), lines, fixed = TRUE)), NA)
  expect_identical(setdiff(functions[!named], left_out), character())
})

test_that("the cheat sheet is one page, written by its script, of the package's version", {
  file <- checkout_file("inst", "cheatsheet", "domgen.pdf")
  expect_lt(file.size(file), 1e5)
  here <- setwd(checkout_file())
  on.exit(setwd(here))
  written <- tempfile(fileext = ".pdf")
  environment <- new.env()
  environment$commandArgs <- function(...) written
  sys.source(file.path("inst", "scripts", "cheat-sheet.R"), environment)
  read <- function(path) readLines(path, warn = FALSE, encoding = "latin1")
  dated <- "^/(CreationDate|ModDate|Producer)"
  body <- function(path) grep(dated, read(path), value = TRUE, invert = TRUE, useBytes = TRUE)
  expect_identical(length(body(written)), length(body(file)))
  expect_identical(body(written), body(file))
})
