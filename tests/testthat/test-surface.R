# What users see of the package: names of functions and of their arguments.

exported <- function() {
  names <- setdiff(getNamespaceExports("domgen"), c("tidy", "glance", "augment", "fit"))
  lapply(stats::setNames(nm = sort(names)), getExportedValue, ns = "domgen")
}

test_that("a model, specification or result that is asked is `object`, rows are `newdata`", {
  # what the same words mean elsewhere, "function: argument" = why
  other <- c(
    "decision: new" = "rows as a model has read them, no data frame",
    "domain_folds: new" = "which domains are held out, of folds with time",
    "domain_multitask: new" = "the covariance of new domains",
    "learner_custom: fit" = "a function that fits"
  )
  asked <- c("model", "models", "fit", "fitted", "spec", "result", "results", "causes")
  rows <- c("new", "new_data", "newx", "test")
  for (name in names(exported())) {
    own <- names(formals(exported()[[name]]))
    wrong <- as.character(intersect(own, c(asked, rows)))
    if (length(wrong)) wrong <- setdiff(paste0(name, ": ", wrong), names(other))
    expect_identical(wrong, character())
    # of a list of models it is `objects`
    given <- intersect(c("object", "objects"), own)
    if (length(given)) expect_identical(own[1L], given, info = name)
    if ("newdata" %in% own) expect_match(own[1L], "^objects?$", info = name)
    # `data` are those that a formula or a model is fitted to
    if ("data" %in% own && !"x" %in% own) expect_false("newdata" %in% own, info = name)
  }
})

test_that("the error of an argument's or a function's old name gives the new one", {
  renamed <- function(call, old, new) {
    expect_error(call, paste0("`", old, "` is now called `", new, "`"), fixed = TRUE,
                 class = "domgen_error_argument")
  }
  model <- dg_lm(dist ~ speed, data = cars)
  for (f in list(dg_effect, dg_novelty, domain_map, set_intervals, set_reference)) {
    renamed(f(model = model), "model", "object")
    renamed(f(model = model, newdata = cars), "model", "object")
  }
  for (f in list(dg_effect, set_reference)) renamed(f(model, data = cars), "data", "newdata")
  renamed(dg_incidence(causes = list(model), cars, 1), "causes", "objects")

  old <- domgen:::renamed_functions
  expect_identical(intersect(names(old), getNamespaceExports("domgen")), character())
  for (name in names(old)) {
    called <- get(name, as.environment("package:domgen"))
    expect_error(called(1, x = 2), paste0("`", name, "()` is now `", old[[name]], "`"),
                 fixed = TRUE, class = "domgen_error_argument")
    new <- sub("[(].*", "", old[[name]])
    expect_true(new %in% getNamespaceExports("domgen"), info = name)
  }
})

test_that("what authors of parts call is on one page, and the index has what users call", {
  files <- list.files(checkout_file("man"), "[.]Rd$", full.names = TRUE)
  skip_if(length(files) == 0L, "the help pages are not there")
  pages <- lapply(stats::setNames(files, basename(files)), readLines)
  on_page <- function(name) {
    names(Filter(function(lines) paste0("\\alias{", name, "}") %in% lines, pages))
  }
  page <- vapply(names(exported()), on_page, "")
  expect_setequal(names(page)[page == "extending.Rd"], of_authors)
  shown <- Filter(function(name) !"\\keyword{internal}" %in% pages[[name]], page)
  # with the generics of other packages that exported() leaves out: 94
  expect_lte(length(shown), 90L)
  # the map of the package has one line for all that it leaves out
  map <- pages[["domgen-package.Rd"]]
  called <- vapply(of_authors, function(name) any(grepl(paste0("\\b", name, "\\("), map)), NA)
  expect_identical(of_authors[called], character())
  expect_length(grep("extending", map), 1L)
})

test_that("no help page has more than 150 lines of text, but that of parts of one's own", {
  files <- list.files(checkout_file("man"), "[.]Rd$", full.names = TRUE)
  skip_if(length(files) == 0L, "the help pages are not there")
  text <- tempfile()
  on.exit(unlink(text))
  lines <- vapply(files, function(file) {
    tools::Rd2txt(file, text, options = list(underline_titles = FALSE))
    sum(nzchar(trimws(readLines(text, warn = FALSE))))
  }, 0L)
  names(lines) <- basename(files)
  expect_identical(names(lines)[lines > 150L], "extending.Rd")
})
