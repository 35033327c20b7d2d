# Builds the site of the installed package. From the root of the package:
# Rscript .ci/site-build.R FOLDER [home|reference|articles|news|search ...]   (all unless named)
# DOMGEN_SITE=short: without running examples.
given <- commandArgs(trailingOnly = TRUE)
stopifnot("usage: Rscript .ci/site-build.R FOLDER [PART ...]" = length(given) > 0L)
folder <- given[1L]
parts <- given[-1L]
dir.create(folder, recursive = TRUE, showWarnings = FALSE)

# What is asked of the network (badges, other packages' sites) is not part of the site.
options(pkgdown.internet = FALSE, domgen.progress = FALSE,
        httr2_mock = function(req) httr2::response(status_code = 404L))
# downlit asks CRAN for the site of a package that is not installed here.
utils::assignInNamespace("CRAN_urls", ns = "downlit", value = function() {
  data.frame(Package = character(), URL = character())
})
Sys.setenv(OPENBLAS_NUM_THREADS = Sys.getenv("OPENBLAS_NUM_THREADS", "1"))

site <- pkgdown::as_pkgdown(".", override = list(destination = normalizePath(folder)))
if (!length(parts) || "home" %in% parts) pkgdown::init_site(site)
# devel = FALSE: the installed package, not one compiled anew
make <- list(
  home = function() {
    pkgdown::build_home(site)
    # of the repository, not of the site
    unlink(file.path(folder, "pull_request_template.html"), expand = FALSE)
  },
  reference = function() {
    pkgdown::build_reference(site, devel = FALSE, seed = 1L,
                             examples = Sys.getenv("DOMGEN_SITE") != "short")
  },
  articles = function() pkgdown::build_articles(site),
  news = function() pkgdown::build_news(site),
  search = function() pkgdown::build_search(site)
)
for (part in if (length(parts)) parts else names(make)) {
  seconds <- system.time(make[[part]]())[["elapsed"]]
  cat(sprintf("-- %s: %.0f s\n", part, seconds))
}
# A page for printing, which no other page is made of.
sheet <- file.path("inst", "cheatsheet", "domgen.pdf")
if (file.exists(sheet)) {
  invisible(file.copy(sheet, file.path(folder, "cheat-sheet.pdf"), overwrite = TRUE))
}
