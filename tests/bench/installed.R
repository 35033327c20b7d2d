# What an installation costs: the processor seconds and the peak memory of compiling each unit, with
# R's own flags; the processor seconds of library(domgen) in a new session (least of ten), and those
# of the packages that it loads; the size of what is installed.
# Usage: Rscript tests/bench/installed.R units CHECKOUT...      compiling, one unit at a time
#        Rscript tests/bench/installed.R library LIBRARY...     loading, and sizes
# Needs python3, which asks the system for the peak memory.

run <- c(
  "import os, resource, subprocess, sys",
  "failed = subprocess.call(sys.argv[1:])",
  "used = resource.getrusage(resource.RUSAGE_CHILDREN)",
  "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, failed)"
)

config <- function(what) {
  system2(file.path(R.home("bin"), "R"), c("CMD", "config", what), stdout = TRUE)
}

compile_units <- function(checkout) {
  script <- tempfile(fileext = ".py")
  writeLines(run, script)
  packages <- Filter(function(p) nzchar(system.file(package = p)),
                     c("Rcpp", "RcppEigen", "RcppParallel"))
  flags <- c(paste0("-I", vapply(packages, function(p) system.file("include", package = p), "")),
             config("--cppflags"), "-DNDEBUG", "-w", config("CXXPICFLAGS"), config("CXXFLAGS"))
  units <- list.files(file.path(checkout, "src"), "[.]cpp$", full.names = TRUE)
  used <- vapply(units, function(unit) {
    said <- system2("python3", c(script, config("CXX"), flags, "-c", unit, "-o", tempfile()),
                    stdout = TRUE)
    used <- scan(text = said, quiet = TRUE)
    if (used[3L] != 0) stop(unit, " does not compile", call. = FALSE)
    used[1:2]
  }, numeric(2L))
  data.frame(unit = sub("[.]cpp$", "", basename(units)), seconds = round(used[1L, ], 1),
             MB = round(used[2L, ]), row.names = NULL)
}

load_seconds <- function(code) {
  seconds <- function() {
    said <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(paste0(
      "cat(sum(system.time(suppressMessages({", code, "}))[-3L]))"
    ))), stdout = TRUE)
    as.numeric(utils::tail(said, 1L))
  }
  min(replicate(10L, seconds()))
}

describe_library <- function(library) {
  folder <- file.path(library, "domgen")
  parts <- list.files(folder)
  size <- vapply(parts, function(part) {
    files <- list.files(file.path(folder, part), recursive = TRUE, full.names = TRUE)
    sum(file.size(if (length(files)) files else file.path(folder, part)))
  }, 0) / 2^20
  imports <- intersect(c("Rcpp", "RcppParallel", "generics", "quadprog"),
                       sub(" .*", "", strsplit(packageDescription("domgen", library)$Imports,
                                               ",[[:space:]]*")[[1L]]))
  own <- load_seconds(sprintf("library(domgen, lib.loc = '%s')", library))
  others <- vapply(imports, function(p) load_seconds(sprintf("loadNamespace('%s')", p)), 0)
  list(seconds = c(`library(domgen)` = own, others),
       MB = round(c(sum(size), sort(size, decreasing = TRUE)[1:5]), 2))
}

arguments <- commandArgs(TRUE)
for (of in arguments[-1L]) {
  cat("\n", of, "\n", sep = "")
  if (arguments[1L] == "units") {
    table <- compile_units(of)
    print(table, row.names = FALSE)
    cat("sum", sum(table$seconds), "s, largest", max(table$MB), "MB\n")
  } else print(describe_library(of))
}
