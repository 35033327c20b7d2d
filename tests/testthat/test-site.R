# The site's contents agree with the package. `.ci/site` builds it and looks at what it built.
installed_version <- function() as.character(utils::packageVersion("domgen"))

site_entries <- function(section) {
  lines <- readLines(checkout_file("_pkgdown.yml"))
  begin <- grep(paste0("^", section, ":"), lines)
  end <- c(grep("^[a-z]+:", lines), length(lines) + 1L)
  lines <- lines[seq(begin + 1L, min(end[end > begin]) - 1L)]
  # "  - name" or "contents: name" or "contents: [name, name]"
  single <- sub("^  - *", "", grep("^  - ", lines, value = TRUE))
  inline <- sub("^  contents: *", "", grep("^  contents: *[^ ]", lines, value = TRUE))
  c(single, unlist(strsplit(gsub("[][ ]", "", inline), ",")))
}

test_that("each help page stands in one group of the site's reference", {
  files <- list.files(checkout_file("man"), "[.]Rd$", full.names = TRUE)
  internal <- vapply(lapply(files, readLines), function(lines) "\\keyword{internal}" %in% lines, NA)
  pages <- c("domgen-package", sub("[.]Rd$", "", basename(files[!internal])))
  entries <- site_entries("reference")
  expect_identical(entries[duplicated(entries)], character())
  expect_identical(setdiff(pages, entries), character())
  expect_identical(setdiff(entries, pages), character())
})

test_that("each vignette is an article of the site", {
  pages <- sub("[.]Rmd$", "", list.files(checkout_file("vignettes"), "[.]Rmd$"))
  expect_setequal(site_entries("articles"), pages)
})

test_that("each picture of a vignette has a text for those who do not see it", {
  draws <- paste0("\\b(plot|matplot|boxplot|hist|barplot|autoplot|[a-z]+_plot|[a-z]+_curves",
                  "|draw_[a-z0-9_]+)\\(")
  for (file in list.files(checkout_file("vignettes"), "[.]Rmd$", full.names = TRUE)) {
    lines <- readLines(file, encoding = "UTF-8")
    fences <- grep("^```", lines)
    opened <- fences[startsWith(lines[fences], "```{r")]
    for (line in opened) {
      chunk <- lines[seq(line + 1L, min(fences[fences > line]) - 1L)]
      shown <- !grepl("include = FALSE|eval = FALSE", lines[line])
      made <- any(grepl(draws, chunk, perl = TRUE) & !grepl("<- function|^ *#", chunk))
      if (shown && made) {
        expect_match(lines[line], "fig.alt = ", fixed = TRUE, info = basename(file))
      }
    }
  }
})

test_that("utils::news() and citation() read the version, its groups and the papers", {
  readers <- vapply(c("commonmark", "xml2"), function(name) nzchar(system.file(package = name)), NA)
  skip_if(!all(readers), "NEWS.md is not read without commonmark and xml2")
  parsed <- utils::news(package = "domgen")
  expect_identical(parsed$Version[1L], installed_version())
  expect_identical(unique(parsed$Version), c(installed_version(), "0.1.0"))
  expect_true(all(nzchar(parsed$Category[parsed$Version == installed_version()])))
  cited <- utils::citation("domgen")
  expect_identical(unlist(cited$year), c("2026", "2013", "2021"))
  expect_match(cited[1L]$note, installed_version(), fixed = TRUE)
  expect_output(print(utils::toBibtex(cited)), "@InProceedings", fixed = TRUE)
})
