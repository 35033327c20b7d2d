# The papers' experiments, each by one command:
#
#   Rscript run.R NAME [--quick | --full] [--draws N] [--out FOLDER]
#   Rscript run.R --list          what there is
#   Rscript run.R --check [NAME]  quick runs, compared with stored ones
#   Rscript run.R --mutate [NAME] does the check notice faults? (minutes; common/mutations.R)
#
# NAME is one of the list, several with commas between them, or `all`. --quick takes seconds, --full
# is the size of the paper; without either, the size of the results that are stored in results/.
# Lines are written to FOLDER/NAME.csv (FOLDER/quick/NAME.csv), by default in the working folder;
# what is there already is not computed again. The stored results are compressed: a new file goes to
# results/NAME.csv.gz by `gzip -9n NAME.csv`. Data are read from the folder in DOMGEN_DATA.

library(domgen)

here <- local({
  file <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  if (length(file)) dirname(normalizePath(gsub("~+~", " ", file[1L], fixed = TRUE)))
  else system.file("experiments", package = "domgen")
})
for (file in list.files(file.path(here, "common"), "[.]R$", full.names = TRUE)) source(file)

usage <- function(...) {
  message(...)
  message("usage: Rscript run.R NAME [--quick | --full] [--draws N] [--out FOLDER], ",
          "or --list, or --check [NAME], or --mutate [NAME]")
  quit(status = 2)
}

read_options <- function(arguments) {
  options <- list(names = character(), size = "normal", draws = NULL, out = ".", list = FALSE,
                  check = FALSE, mutate = FALSE)
  while (length(arguments)) {
    first <- arguments[1L]
    arguments <- arguments[-1L]
    if (first %in% c("--quick", "--full")) options$size <- sub("--", "", first)
    else if (first %in% c("--list", "--check", "--mutate")) options[[sub("--", "", first)]] <- TRUE
    else if (first %in% c("--draws", "--out")) {
      if (length(arguments) == 0L || !nzchar(arguments[1L]) || startsWith(arguments[1L], "--")) {
        usage(first, " needs a value")
      }
      options[[sub("--", "", first)]] <- arguments[1L]
      arguments <- arguments[-1L]
    } else if (startsWith(first, "-")) usage("unknown option ", first)
    else options$names <- c(options$names, strsplit(first, ",")[[1L]])
  }
  if (!is.null(options$draws)) {
    draws <- suppressWarnings(as.numeric(options$draws))
    if (is.na(draws) || draws < 1 || draws != round(draws)) {
      usage("--draws needs a whole number of at least 1, not ", options$draws)
    }
    options$draws <- as.integer(draws)
  }
  options
}

options <- read_options(commandArgs(trailingOnly = TRUE))
known <- read_experiments(here, environment())
if ((options$check || options$mutate) && length(options$names) == 0L) options$names <- "all"
if (identical(options$names, "all")) options$names <- names(known)
unknown <- setdiff(options$names, names(known))
if (length(unknown)) {
  usage("no experiment ", paste(unknown, collapse = ", "), ": there are ",
        paste(names(known), collapse = ", "))
}

if (options$list || length(options$names) == 0L) {
  shown <- list_experiments(known)
  shown$title <- NULL
  print(shown, row.names = FALSE)
} else if (options$check) {
  verdicts <- vapply(options$names, check_experiment, "", known = known,
                     folder = file.path(here, "results"))
  counts <- vapply(c("passed", "failed", "skipped"), function(v) sum(verdicts == v), 0)
  cat(paste(counts, names(counts), collapse = ", "), "\n", sep = "")
  quit(status = as.integer(counts[["failed"]] > 0))
} else if (options$mutate) {
  table <- mutate_experiments(options$names, known, file.path(here, "results"))
  print(table, row.names = FALSE)
  quit(status = as.integer(any(table == "MISSED")))
} else {
  folder <- if (options$size == "quick") file.path(options$out, "quick") else options$out
  for (name in options$names) {
    # not `lines`: that is the function of score.R
    result <- run_experiment(name, known, options$size, options$draws,
                             file.path(folder, paste0(name, ".csv")))
    if (is.null(result)) next
    cat("\n", name, ": ", known[[name]]$title, "\n", sep = "")
    show_results(result, known[[name]], options$size)
  }
}
