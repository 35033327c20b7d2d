# Looks at a site that was built: are all pages there, do links lead somewhere, has each picture
# words for those who do not see it, does each page fit a telephone? The last line counts.
# From the root of the package: Rscript .ci/site-check.R FOLDER
# DOMGEN_SITE=short: articles are not built, and links to those that would be are as good.
folder <- normalizePath(commandArgs(trailingOnly = TRUE)[1L])
pages <- list.files(folder, "[.]html$", recursive = TRUE)
pages <- pages[!startsWith(pages, "deps/")]
trees <- lapply(stats::setNames(file.path(folder, pages), pages), xml2::read_html)
counts <- c(passed = 0L, failed = 0L, skipped = 0L)

# wrong: a line for each fault; NA where it cannot be known here
answer <- function(question, wrong) {
  verdict <- if (identical(wrong, NA)) "skipped" else if (length(wrong)) "failed" else "passed"
  counts[[verdict]] <<- counts[[verdict]] + 1L
  cat("-- ", question, ": ", verdict, "\n", sep = "")
  if (length(wrong)) writeLines(paste("  ", wrong))
}
attributes_of <- function(tree, path, name) {
  found <- xml2::xml_attr(xml2::xml_find_all(tree, path), name)
  found[!is.na(found)]
}

articles <- file.path("articles", c("index.html", sub("[.]Rmd$", ".html",
                                                      list.files("vignettes", "[.]Rmd$"))))
not_built <- if (Sys.getenv("DOMGEN_SITE") == "short") articles

expected_pages <- function() {
  topics <- lapply(list.files("man", "[.]Rd$"), sub, pattern = "[.]Rd$", replacement = ".html")
  c(file.path("reference", c("index.html", topics)), setdiff(articles, not_built), "index.html",
    "authors.html", "news/index.html", "404.html", "LICENSE.html", "search.json")
}

# Anchors of a page: ids, and names of the old kind.
anchors <- lapply(trees, function(tree) {
  c(attributes_of(tree, "//*[@id]", "id"), attributes_of(tree, "//a[@name]", "name"))
})

# The file in the site that a link on a page leads to, with its anchor.
target_of <- function(link, page) {
  parts <- regmatches(link, regexpr("#", link), invert = TRUE)[[1L]]
  path <- sub("[?].*", "", utils::URLdecode(parts[1L]))
  base <- if (startsWith(path, "/")) "" else dirname(page)
  whole <- if (nzchar(path)) file.path(base, path) else page
  steps <- strsplit(whole, "/")[[1L]]
  kept <- character()
  for (step in steps[!steps %in% c("", ".")]) {
    kept <- if (step == "..") kept[-length(kept)] else c(kept, step)
  }
  path <- paste(kept, collapse = "/")
  if (dir.exists(file.path(folder, path))) path <- sub("^/", "", paste0(path, "/index.html"))
  list(path = path, anchor = if (length(parts) > 1L) utils::URLdecode(parts[2L]) else "")
}

is_broken <- function(link, page) {
  to <- target_of(link, page)
  if (to$path %in% not_built) return(FALSE)
  if (!file.exists(file.path(folder, to$path))) return(TRUE)
  nzchar(to$anchor) && to$path %in% pages && !to$anchor %in% anchors[[to$path]]
}

links_of <- function(tree) unique(c(
  attributes_of(tree, "//a[@href]", "href"), attributes_of(tree, "//link[@href]", "href"),
  attributes_of(tree, "//img[@src]", "src"), attributes_of(tree, "//script[@src]", "src"),
  attributes_of(tree, "//source[@srcset]", "srcset")
))

# 404.html is shown at any depth, so that its links belong to the site's address.
wrong_links <- function(page) {
  links <- links_of(trees[[page]])
  links <- links[!grepl("^(https?:|mailto:|data:|#$)", links)]
  odd <- links[grepl("^[a-z]+:|^//", links)]
  broken <- Filter(function(link) is_broken(link, page), setdiff(links, odd))
  if (length(c(odd, broken))) paste(page, "->", c(odd, broken))
}

# Links that leave the site have the form of an address and lead to no machine of ours.
wrong_addresses <- function(page) {
  links <- grep("^https?:", links_of(trees[[page]]), value = TRUE)
  good <- grepl("^https?://[A-Za-z0-9-]+([.][A-Za-z0-9-]+)+(/[^[:space:]]*)?$", links)
  local <- grepl("^https?://(localhost|127[.]|10[.]|192[.]168[.]|0[.]0)", links)
  if (any(local | !good)) paste(page, "->", links[local | !good])
}

without_words <- function(page) {
  images <- xml2::xml_find_all(trees[[page]], "//img")
  alt <- xml2::xml_attr(images, "alt")
  # knitr's words for a chunk without any say nothing
  empty <- is.na(alt) | !nzchar(trimws(alt)) | grepl("^(plot of chunk|unnamed-chunk)", alt)
  if (any(empty)) paste(page, "->", substr(xml2::xml_attr(images, "src")[empty], 1L, 60L))
}

browser <- function() {
  found <- Sys.which(c("chromium", "chromium-browser", "google-chrome"))
  c(found[nzchar(found)], "")[[1L]]
}

# One page with each page of the site in a frame of 390 pixels, measured after it was laid out.
measuring_page <- '<!doctype html><html><body><pre id="found">not run</pre><script>
const pages = [%s], found = [];
const frame = document.createElement("iframe");
frame.style.width = "390px"; frame.style.height = "844px"; frame.style.border = "0";
document.body.appendChild(frame);
function next(i) {
  if (i === pages.length) {
    document.getElementById("found").textContent = "done " + found.join(" ");
    return;
  }
  frame.onload = () => {
    const root = frame.contentDocument.documentElement;
    found.push(root.scrollWidth);
    next(i + 1);
  };
  frame.src = pages[i];
}
next(0);
</script></body></html>'

page_widths <- function(program) {
  file <- tempfile(fileext = ".html")
  profile <- tempfile("profile")
  on.exit(unlink(c(file, profile), recursive = TRUE, expand = FALSE))
  addresses <- paste0("\"file://", utils::URLencode(file.path(folder, pages)), "\"")
  writeLines(sprintf(measuring_page, paste(addresses, collapse = ",")), file)
  shown <- suppressWarnings(system2(program, c(
    "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
    "--host-resolver-rules=\"MAP * ~NOTFOUND\"", "--virtual-time-budget=600000",
    "--window-size=800,1000",
    paste0("--user-data-dir=", profile), "--dump-dom", paste0("file://", file)
  ), stdout = TRUE, stderr = FALSE, timeout = 180))
  found <- sub(".*<pre id=\"found\">done ([0-9 ]*)</pre>.*", "\\1", paste(shown, collapse = " "))
  as.integer(strsplit(found, " ")[[1L]])
}

too_wide <- function() {
  program <- browser()
  if (!nzchar(program)) return(NA)
  widths <- suppressWarnings(page_widths(program))
  measured <- length(widths) == length(pages) && !anyNA(widths)
  if (!measured) return("the browser did not measure the pages")
  sprintf("%s is %d pixels wide", pages, widths)[widths > 390L]
}

answer("every page is built", setdiff(expected_pages(), list.files(folder, recursive = TRUE)))
inner <- unlist(lapply(setdiff(pages, "404.html"), wrong_links))
answer("links within the site lead somewhere", inner)
answer("links that leave the site are addresses", unlist(lapply(pages, wrong_addresses)))
answer("each picture has a text", unlist(lapply(pages, without_words)))
answer("no page is wider than a telephone", too_wide())
cat(sprintf("%d passed, %d failed, %d skipped\n", counts[1L], counts[2L], counts[3L]))
quit(status = counts[["failed"]] > 0L)
