# Lints the R code of the checkout by .lintr: R, tests, inst and .ci, or the files that are named.
# A file that was clean under the same rules is not read again: R's cache for this package remembers
# the checksums of such files (R_USER_CACHE_DIR). Prints each lint and fails if there is one.
# Usage: Rscript .ci/lint.R [file...]

# In the C locale the parser of R counts columns of UTF-8 in bytes.
invisible(Sys.setlocale("LC_CTYPE", "C.UTF-8"))

# lint_dir() passes .ci by, leaves out a whole folder where .lintr leaves one linter out of it, and
# reads the settings once for each file, which takes a quarter of the time.
settings <- read.dcf(".lintr")[1L, ]
linters <- eval(parse(text = settings[["linters"]]), asNamespace("lintr"))
names(linters) <- vapply(linters, attr, "", "name")
exclusions <- eval(parse(text = settings[["exclusions"]]))

# A file or folder that is excluded: wholly (NULL), or the linters that are.
whole <- !nzchar(names(exclusions))
excluded <- c(stats::setNames(vector("list", sum(whole)), unlist(exclusions[whole])),
              lapply(exclusions[!whole], names))
linters_of <- function(file) {
  for (place in names(excluded)) {
    if (file == place || startsWith(file, paste0(place, "/"))) {
      if (is.null(excluded[[place]])) return(list())
      linters <- linters[setdiff(names(linters), excluded[[place]])]
    }
  }
  linters
}

files <- commandArgs(trailingOnly = TRUE)
if (!length(files)) {
  files <- list.files(c("R", "tests", "inst", ".ci"), "[.]R$", recursive = TRUE, full.names = TRUE)
}

rules <- c(tools::md5sum(".lintr"), as.character(packageVersion("lintr")), R.version.string)
keys <- vapply(files, function(file) paste(c(file, rules, tools::md5sum(file)), collapse = " "), "")
cache <- file.path(tools::R_user_dir("domgen", "cache"), "clean-files.rds")
clean <- if (file.exists(cache)) readRDS(cache)
unread <- files[!keys %in% clean]

lint_file <- function(file) {
  linters <- linters_of(file)
  if (length(linters)) lintr::lint(file, linters, parse_settings = FALSE)
}
cores <- if (.Platform$OS.type == "windows") 1L else min(parallel::detectCores(), 4L, na.rm = TRUE)
lints <- parallel::mclapply(unread, lint_file, mc.cores = cores)
broken <- vapply(lints, inherits, NA, "try-error")
for (k in seq_along(unread)) {
  if (broken[k]) cat(unread[k], ": lintr failed: ", lints[[k]], sep = "")
  else if (length(lints[[k]])) print(lints[[k]])
}

count <- ifelse(broken, 1L, lengths(lints))
dir.create(dirname(cache), recursive = TRUE, showWarnings = FALSE)
now_clean <- c(keys[files %in% unread[count == 0L]], intersect(clean, keys))
try(saveRDS(unname(now_clean), cache), silent = TRUE)
cat(sprintf("%d files of R, %d of them read now: %d lints\n",
            length(files), length(unread), sum(count)))
quit(status = as.integer(any(count > 0L)))
