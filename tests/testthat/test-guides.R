# Help, prints and guides name guides by vignette("name"): each is there, and the command of the
# README installs them.
guides_named <- function(lines) {
  found <- regmatches(lines, gregexpr("vignette\\(\\\\*\"[^\"\\\\]+", lines))
  unique(sub(".*\"", "", unlist(found)))
}

test_that("each guide that a text or a message names is there", {
  guides <- sub("[.]Rmd$", "", list.files(checkout_file("vignettes"), "[.]Rmd$"))
  folders <- c(man = "[.]Rd$", R = "[.]R$", vignettes = "[.]Rmd$", "inst/scripts" = "[.]R$",
               "inst/rmarkdown" = "[.]Rmd$", pkgdown = "[.]md$")
  texts <- unlist(lapply(names(folders), function(folder) {
    list.files(checkout_file(folder), folders[[folder]], full.names = TRUE, recursive = TRUE)
  }))
  named <- lapply(c(texts, checkout_file(c("README.md", "NEWS.md"))), function(file) {
    guides_named(readLines(file, encoding = "UTF-8"))
  })
  expect_gt(length(unique(unlist(named))), 10L)
  expect_identical(setdiff(unlist(named), guides), character())
  # as text, in code, in a string
  lines <- c("`vignette(\"a-b\")`, vignette(\"c\")", "\"vignette(\\\"d\\\")\"")
  expect_identical(guides_named(lines), c("a-b", "c", "d"))
})

test_that("validation and publishing are found wherever somebody begins to read", {
  sought <- c("dg_validate", "dg_report", "dg_coefficients", "dg_net_benefit")
  places <- c("README.md", file.path("man", "domgen-package.Rd"),
              file.path("inst", "scripts", "cheat-sheet.R"),
              file.path("vignettes", "which-method.Rmd"))
  for (place in places) {
    text <- paste(readLines(checkout_file(place), encoding = "UTF-8"), collapse = "\n")
    named <- vapply(sought, grepl, NA, x = text, fixed = TRUE)
    expect_identical(sought[!named], character(), info = place)
  }
})

test_that("the README is read in one go, and ?domgen is a map of a page", {
  expect_lte(length(readLines(checkout_file("README.md"))), 120L)
  map <- utils::capture.output(tools::Rd2txt(checkout_file("man", "domgen-package.Rd")))
  expect_lte(length(map), 60L)
})

test_that("files that the README links to are there", {
  text <- paste(readLines(checkout_file("README.md"), encoding = "UTF-8"), collapse = "\n")
  links <- regmatches(text, gregexpr("\\]\\([^)]+", text))[[1L]]
  expect_gt(length(links), 5L)
  expect_true(all(file.exists(checkout_file(sub("](", "", links, fixed = TRUE)))))
})

test_that("the README's command for guides installs them where vignette() finds them", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available("1.14"), "pandoc is not there")
  expect_match(readLines(checkout_file("README.md")), "`make guides`", all = FALSE, fixed = TRUE)
  makefile <- readLines(checkout_file("Makefile"))
  expect_match(makefile[match("guides:", makefile) + 3L], "Rscript [.]ci/guides[.]R$")
  # into a library of links to all but what it writes
  home <- file.path(tempfile("library"), "domgen")
  on.exit(unlink(dirname(home), recursive = TRUE))
  dir.create(file.path(home, "Meta"), recursive = TRUE)
  installed <- list.files(find.package("domgen"), full.names = TRUE)
  installed <- installed[!basename(installed) %in% c("Meta", "doc")]
  file.symlink(installed, file.path(home, basename(installed)))
  meta <- list.files(system.file("Meta", package = "domgen"), full.names = TRUE)
  file.copy(setdiff(meta, grep("vignette", meta, value = TRUE)), file.path(home, "Meta"))
  old <- setwd(checkout_file())
  on.exit(setwd(old), add = TRUE, after = FALSE)
  libraries <- paste(c(dirname(home), .libPaths()), collapse = .Platform$path.sep)
  status <- system2("env", c(paste0("R_LIBS=", shQuote(libraries)), "Rscript", ".ci/guides.R",
                             "clusters"), stdout = FALSE, stderr = FALSE)
  expect_identical(status, 0L)
  found <- utils::vignette("clusters", "domgen", lib.loc = dirname(home))
  expect_true(file.exists(file.path(found$Dir, "doc", found$PDF)))
  expect_identical(found$Title, "Workers and clusters")
})
