# What stands in a checkout beside the package agrees with it.
in_json <- function(text, field) {
  found <- regmatches(text, gregexpr(paste0("\"", field, "\": *\"[^\"]*\""), text))[[1L]]
  sub(".*: *\"([^\"]*)\"$", "\\1", found)
}

description <- function() read.dcf(checkout_file("DESCRIPTION"))[1L, ]

test_that("codemeta.json says what DESCRIPTION says", {
  file <- checkout_file("codemeta.json")
  text <- paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
  known <- description()
  expect_identical(in_json(text, "version")[1L], known[["Version"]])
  expect_identical(in_json(text, "name")[1L], paste0(known[["Package"]], ": ", known[["Title"]]))
  expect_true(all(in_json(text, "email") %in% regmatches(
    known[["Authors@R"]], regexpr("[a-z]+@[a-z.]+", known[["Authors@R"]])
  )))
  expect_match(in_json(text, "license"), paste0(known[["License"]], "[.]0-only$"))
  needed <- unlist(strsplit(known[c("Imports", "LinkingTo")], ",\\s*"))
  base <- c("stats", "tools", "utils")
  expect_setequal(in_json(text, "identifier"), c("domgen", "R", setdiff(needed, base)))
})

test_that("NEWS.md and the citation are of the version in DESCRIPTION", {
  version <- description()[["Version"]]
  expect_match(readLines(checkout_file("NEWS.md"), n = 1L), version, fixed = TRUE)
  citation <- readLines(checkout_file("inst", "CITATION"), encoding = "UTF-8")
  expect_match(citation, paste("R package version", version), fixed = TRUE, all = FALSE)
})

test_that("NEWS.md is read as versions, and the notes of a release are the section of one", {
  news <- readLines(checkout_file("NEWS.md"), encoding = "UTF-8")
  heads <- grep("^# ", news, value = TRUE)
  expect_match(heads, "^# domgen [0-9]+[.][0-9]+[.][0-9]+$")
  versions <- package_version(sub(".* ", "", heads))
  expect_identical(order(versions, decreasing = TRUE), seq_along(versions))
  skip_on_os("windows")
  notes <- function(version) {
    suppressWarnings(system2("sh", c(shQuote(checkout_file(".ci", "release-notes")), version),
                             stdout = TRUE, stderr = FALSE))
  }
  first <- notes("0.1.0")
  words <- function(lines) unlist(strsplit(lines, "[ \n]+"))
  section <- news[seq(match("# domgen 0.1.0", news) + 1L, length(news))]
  expect_identical(setdiff(words(first), ""), setdiff(words(section), ""))
  expect_false(any(startsWith(first, "  ")))
  expect_identical(attr(notes("99.0.0"), "status"), 1L)
})

test_that("what is no part of the package is not built into it", {
  ignored <- readLines(checkout_file(".Rbuildignore"))
  built <- c(".Rbuildignore", "DESCRIPTION", "NAMESPACE", "NEWS.md", "README.md", "R", "inst", "man",
             "src", "tests", "vignettes", "data", "LICENSE")
  there <- list.files(checkout_file(), all.files = TRUE, no.. = TRUE)
  # what tools and builds leave is git's to ignore
  skip_if(Sys.which("git") == "", "git is not there")
  tracked <- suppressWarnings(system2("git", c("-C", shQuote(checkout_file()), "ls-files"),
                                      stdout = TRUE, stderr = FALSE))
  skip_if(length(tracked) == 0L, "not a repository")
  beside <- setdiff(intersect(there, sub("/.*", "", tracked)), built)
  kept <- Filter(function(name) !any(vapply(ignored, grepl, NA, x = name, perl = TRUE)), beside)
  expect_identical(kept, character())
})

test_that("the parts of the verdict that a change can have touched follow from its paths", {
  skip_on_os("windows")
  script <- checkout_file(".ci", "touched")
  skip_if(Sys.which("git") == "" || Sys.which("bash") == "", "git or bash is not there")
  folder <- tempfile("change")
  dir.create(file.path(folder, ".ci"), recursive = TRUE)
  file.copy(script, file.path(folder, ".ci"))
  old <- setwd(folder)
  on.exit({
    setwd(old)
    unlink(folder, recursive = TRUE)
  })
  git <- function(...) system2("git", c("-c user.name=n -c user.email=e", ...), stdout = FALSE)
  git("init -q")
  git("add .")
  git("commit -q -m first")
  touched <- function(files) {
    for (file in files) {
      dir.create(dirname(file), recursive = TRUE, showWarnings = FALSE)
      file.create(file)
    }
    found <- system2("bash", c(".ci/touched", "HEAD"), stdout = TRUE)
    unlink(files)
    found
  }
  expect_identical(touched(character()), character())
  expect_setequal(touched("src/core/test/test-ridge.h"), c("core", "lint"))
  expect_setequal(touched(c("tests/testthat/test-loss.R", "tests/testthat/test-names.R")),
                  c("check", "lint", "tests", "only ^(loss|names)$"))
  expect_setequal(touched(c("tests/testthat/test-loss.R", "tests/testthat/helper-data.R")),
                  c("check", "lint", "tests"))
  shown <- touched("R/output-cv.R")
  expect_true(all(c("tests", "site", "check") %in% shown))
  expect_false(any(c("machines", "core", "experiments") %in% shown))
  expect_false("core" %in% touched("R/kernel-rbf.R"))
  expect_setequal(touched(c(".lintr", ".ci/spelling.R")), c("lint", "spelling"))
  expect_true(all(c("core", "machines", "integrations") %in% touched("src/core/kernel/tree.h")))
})

test_that("a changed header removes the objects of the sources that include it, and no others", {
  script <- checkout_file(".ci", "stale-objects")
  skip_on_os("windows")
  folder <- tempfile()
  on.exit(unlink(folder, recursive = TRUE))
  dir.create(file.path(folder, "core"), recursive = TRUE)
  write <- function(file, text, age) {
    file <- file.path(folder, file)
    writeLines(text, file)
    Sys.setFileTime(file, Sys.time() - age)
  }
  write("inner.h", "struct A {};", 300)
  write("core/outer.h", "#include \"../inner.h\"", 300)
  write("one.cpp", c("#include <Rcpp.h>", "#include \"core/outer.h\""), 300)
  write("other.cpp", "#include <vector>", 300)
  for (object in c("one.o", "other.o")) write(object, "", 200)
  removed <- function() {
    system2("sh", c(shQuote(script), shQuote(folder)), stdout = TRUE)
  }
  expect_length(removed(), 0L)
  write("inner.h", "struct A { int a; };", 100)
  said <- removed()
  expect_match(said, "^one.o is older than .*inner.h$")
  expect_identical(list.files(folder, "[.]o$"), "other.o")
})
