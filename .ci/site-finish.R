# What pkgdown 2.0.7 leaves open on a built site: formulas become MathML, which needs no script and
# no network; pictures of examples get a text; an empty logo goes. Newer ones leave little of it.
# Rscript .ci/site-finish.R FOLDER
folder <- commandArgs(trailingOnly = TRUE)[1L]
files <- list.files(folder, "[.]html$", recursive = TRUE, full.names = TRUE)
files <- files[!grepl("/deps/", files)]
read_page <- function(file) {
  paste(readLines(file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
}
pages <- lapply(stats::setNames(nm = files), read_page)

# Code is skipped: it comes first where both could match.
formula <- paste0("(?s)<head>.*?</head>|<pre.*?</pre>|<code.*?</code>|<script.*?</script>",
                  "|\\$\\$.+?\\$\\$|\\\\\\(.+?\\\\\\)")
formulas_in <- function(text) {
  found <- regmatches(text, gregexpr(formula, text, perl = TRUE))[[1L]]
  unique(found[!startsWith(found, "<")])
}
as_tex <- function(found) {
  bare <- gsub("^(\\$\\$|\\\\\\()|(\\$\\$|\\\\\\))$", "", found, perl = TRUE)
  for (pair in list(c("&lt;", "<"), c("&gt;", ">"), c("&amp;", "&"))) {
    bare <- gsub(pair[1L], pair[2L], bare, fixed = TRUE)
  }
  mark <- ifelse(startsWith(found, "$$"), "$$", "$")
  paste0(mark, trimws(gsub("\\s+", " ", bare)), mark)
}

# All formulas in one call of pandoc, a numbered heading before each.
as_mathml <- function(found) {
  work <- tempfile(fileext = c(".md", ".html"))
  on.exit(unlink(work, expand = FALSE))
  writeLines(enc2utf8(sprintf("FORMULA-%d\n\n%s\n", seq_along(found), as_tex(found))), work[1L],
             useBytes = TRUE)
  rmarkdown::pandoc_convert(work[1L], to = "html", from = "markdown", output = work[2L],
                            options = c("--mathml", "--wrap=none"))
  pieces <- strsplit(read_page(work[2L]), "<p>FORMULA-[0-9]+</p>")[[1L]][-1L]
  drawn <- regmatches(pieces, regexpr("(?s)<math.*</math>", pieces, perl = TRUE))
  stopifnot(length(drawn) == length(found))
  display <- startsWith(found, "$$")
  drawn[display] <- paste0("<span class=\"formula\">", drawn[display], "</span>")
  stats::setNames(drawn, found)
}

with_formulas <- function(text, drawn) {
  places <- gregexpr(formula, text, perl = TRUE)
  found <- regmatches(text, places)[[1L]]
  known <- !startsWith(found, "<")
  found[known] <- drawn[found[known]]
  regmatches(text, places) <- list(found)
  gsub("<!-- mathjax -->(\\s*<script[^>]*></script>)+", "", text, perl = TRUE)
}

# What the pictures of the examples show, by name; the others are named by their help page.
words <- read.dcf("pkgdown/pictures.dcf")
with_words <- function(text) {
  title <- sub("(?s).*<h1[^>]*>\\s*(.*?)\\s*</h1>.*", "\\1", text, perl = TRUE)
  title <- gsub("<[^>]*>|\"", "", title)
  place <- gregexpr("<img src=\"[^\"/]+-[0-9]+[.]png\" alt=\"\"", text)
  images <- regmatches(text, place)[[1L]]
  if (!length(images)) return(text)
  name <- sub("<img src=\"([^\"]+)[.]png.*", "\\1", images)
  known <- match(name, colnames(words))
  alt <- ifelse(is.na(known), paste0("Picture of an example: ", title), words[1L, known])
  alt <- gsub("\\s+", " ", alt)
  regmatches(text, place) <- list(paste0("<img src=\"", name, ".png\" alt=\"", alt, "\""))
  text
}
# A captioned picture is described by its caption.
with_captions <- function(text) {
  gsub("alt=\"\">\\s*<p class=\"caption\">([^<]*)</p>",
       "alt=\"\\1\"><p class=\"caption\">\\1</p>", text)
}

found <- unique(unlist(lapply(pages, formulas_in)))
drawn <- if (length(found)) as_mathml(found)
for (file in files) {
  text <- with_captions(with_words(with_formulas(pages[[file]], drawn)))
  text <- gsub("<img src=\"\" class=\"logo\" alt=\"\">", "", text, fixed = TRUE)
  writeLines(enc2utf8(text), file, useBytes = TRUE)
}
cat(sprintf("-- %d pages, %d formulas\n", length(files), length(found)))
