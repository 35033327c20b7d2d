# Builds the guides (vignettes) and puts them where vignette() finds them, in the installed package:
# `R CMD INSTALL .` leaves them out, and `R CMD build` would compile the package once more.
# Usage: Rscript .ci/guides.R [name ...]   from the root of the checkout; without names, all
if (!requireNamespace("rmarkdown", quietly = TRUE) || !rmarkdown::pandoc_available("1.14")) {
  stop("the guides need the package rmarkdown and pandoc.", call. = FALSE)
}
work <- file.path(tempfile("guides"), "domgen")
dir.create(work, recursive = TRUE)
invisible(file.copy(c("DESCRIPTION", "vignettes"), work, recursive = TRUE))
pages <- list.files(file.path(work, "vignettes"), "[.]Rmd$", full.names = TRUE)
names(pages) <- sub("[.]Rmd$", "", basename(pages))
wanted <- commandArgs(trailingOnly = TRUE)
unlink(if (length(wanted)) pages[setdiff(names(pages), wanted)])
pages <- pages[file.exists(pages)]
cores <- if (.Platform$OS.type == "windows") 1L else parallel::detectCores()

build <- function(name) {
  start <- Sys.time()
  # a session each, as R CMD build does
  code <- deparse(call("buildVignette", pages[[name]], dir = dirname(pages[[name]]), quiet = TRUE,
                       clean = FALSE))
  log <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
                                  c("-e", shQuote(paste0("tools::", paste(code, collapse = " ")))),
                                  stdout = TRUE, stderr = TRUE))
  failed <- !is.null(attr(log, "status"))
  seconds <- difftime(Sys.time(), start, units = "secs")
  message(name, if (failed) " failed", sprintf(", %.0f s", seconds))
  if (failed) message(paste(utils::tail(log, 20), collapse = "\n"))
  !failed
}
done <- unlist(parallel::mclapply(names(pages), build, mc.cores = cores, mc.preschedule = FALSE))
unlink(pages[!done])

# What R CMD INSTALL does with vignettes that are built, and has no function for that others may
# call: files in doc, their titles in Meta.
built <- tools::pkgVignettes(dir = work, subdirs = "vignettes", output = TRUE, source = TRUE)
home <- find.package("domgen")
dir.create(file.path(home, "doc"), showWarnings = FALSE)
invisible(file.copy(c(built$docs, built$outputs), file.path(home, "doc"), overwrite = TRUE))
saveRDS(tools:::.build_vignette_index(built), file.path(home, "Meta", "vignette.rds"))
message(sum(done), " guides installed: browseVignettes(\"domgen\")")
quit(status = !all(done))
