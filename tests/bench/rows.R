# Rows in files: time, memory and error of ridge regression with the distributional kernel and 500
# coordinates, in units of what cannot be avoided (the product of the features, and reading), beside
# linear fits by chunks (biglm, speedglm) and scikit-learn's partial_fit on Fourier features.
#   Rscript tests/bench/rows.R [millions of rows,...] [folder] [tasks,...] [file.csv]
# from the root of the package. Each measurement is a process of its own (rows-run.R); the folder
# takes 140 MB per million rows, and its files are removed. Peers that are not there are left out.
# Lines of file.csv with the same rows and task are replaced: vignettes/large-data.csv is
# what the vignette shows.

source("tests/bench/rows-data.R")
source("tests/bench/python.R")
arguments <- commandArgs(TRUE)
millions <- if (length(arguments)) as.numeric(strsplit(arguments[1L], ",")[[1L]]) else c(1, 2, 4)
root <- if (length(arguments) > 1L) arguments[2L] else tempdir()

measure <- function(task, folder, ...) {
  python <- grepl("^sklearn", task)
  call <- if (python) c("tests/bench/rows-sklearn.py", folder, sub("sklearn ", "", task))
          else c("tests/bench/rows-run.R", task, folder, ...)
  said <- suppressWarnings(system2(if (python) python_with("sklearn") else "Rscript", call,
                                   stdout = TRUE, stderr = TRUE))
  line <- grep("^result,", said, value = TRUE)
  if (length(line) != 1L) {
    cat(task, "failed:", utils::tail(said, 3L), sep = "\n  ")
    return(NULL)
  }
  found <- strsplit(line, ",")[[1L]][-1L]
  data.frame(task = found[1L], rows = as.numeric(found[2L]), seconds = as.numeric(found[3L]),
             cpu = as.numeric(found[4L]), peak_MB = as.numeric(found[5L]),
             error = suppressWarnings(as.numeric(found[6L])))
}

there <- function(package) nzchar(system.file(package = package))

# How often the rows are read: survey, embeddings and features; the survey and features when
# domains are pooled.
passes <- c(product_map = 3, fourier = 3, nystrom = 3, pooled = 2)

known <- c("reading", "product", if (there("biglm")) "biglm", if (there("speedglm")) "speedglm",
           names(passes), if (!is.null(python_with("sklearn"))) c("sklearn 250", "sklearn 500"))

# Always the two that the others are compared with.
tasks <- if (length(arguments) > 2L) {
  union(c("reading", "product"), intersect(known, strsplit(arguments[3L], ",")[[1L]]))
} else known

measure_all <- function(million) {
  folder <- file.path(root, paste0("rows-", million))
  on.exit(unlink(folder, recursive = TRUE, expand = FALSE))
  paths <- write_rows(folder, 1e6 * million)
  size <- sum(file.size(paths)) / 1e6
  lines <- do.call(rbind, lapply(tasks, measure, folder, format(1e6 * million, scientific = FALSE)))
  # in seconds, and in those of processors, where others use the machine too
  for (name in c("seconds", "cpu")) {
    at <- function(task) lines[[name]][lines$task == task]
    lines[[paste0(name, "_of_least")]] <- lines[[name]] /
      (at("product") + passes[lines$task] * at("reading"))
  }
  cat(sprintf(paste0("%g million rows in %d files of %.0f MB in all; of_least: over product and ",
                     "readings, 3 (pooled: 2)\n"), million, length(paths), size))
  print(lines, digits = 3, row.names = FALSE)
  cat("\n")
  lines
}

cat(R.version.string, "\nBLAS:", extSoftVersion()[["BLAS"]], "\nCores:", parallel::detectCores(),
    "\n\nThe error is the root mean square at 50,000 rows of 200 fresh domains; the noise has",
    "0.5.\n\n")
found <- do.call(rbind, lapply(millions, measure_all))
if (length(arguments) > 3L) {
  kept <- found[c("rows", "task", "seconds", "cpu", "peak_MB", "error")]
  if (file.exists(arguments[4L])) {
    before <- read.csv(arguments[4L])
    again <- paste(before$rows, before$task) %in% paste(kept$rows, kept$task)
    kept <- rbind(before[!again, ], kept)
  }
  write.csv(kept[order(kept$rows), ], arguments[4L], row.names = FALSE)
}
if (length(millions) > 1L) {
  for (task in names(passes)) {
    own <- found[found$task == task, ]
    if (nrow(own) < 2L) next
    last <- nrow(own)
    cat(sprintf("%s, %g against %g rows: %.2f times the cpu per row, %.2f times the peak\n", task,
                own$rows[last], own$rows[1L],
                own$cpu[last] / own$rows[last] / (own$cpu[1L] / own$rows[1L]),
                own$peak_MB[last] / own$peak_MB[1L]))
  }
}
