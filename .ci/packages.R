# The R side of .ci/setup.
#   missing <package>...                      prints those that cannot be loaded or are too old
#   missing-here <library> <package>...       prints those that this library does not have
#   install <library> <cores> <package>...    installs from CRAN what cannot be loaded
#   reference-blas                            succeeds if R runs on its own slow BLAS

at_least <- c(testthat = "3.1.0")

usable <- function(package) {
  suppressWarnings(requireNamespace(package, quietly = TRUE)) &&
    (is.na(at_least[package]) || packageVersion(package) >= at_least[package])
}

install <- function(library, cores, packages) {
  options(timeout = max(600, getOption("timeout")))
  # fs, which testthat needs, then builds the library it brings, with cmake.
  if (nzchar(Sys.which("cmake"))) Sys.setenv(USE_BUNDLED_LIBUV = "1")
  # Where nothing is set, the first of the mirrors that R itself lists.
  if (is.na(getOption("repos")["CRAN"]) || getOption("repos")["CRAN"] == "@CRAN@") {
    utils::chooseCRANmirror(graphics = FALSE, ind = 1L, local.only = TRUE)
  }
  repositories <- getOption("repos")

  # Of the compilers' output only that of packages that failed is worth reading.
  logs <- tempfile("logs")
  dir.create(logs)
  suppressWarnings(
    install.packages(packages, lib = library, repos = repositories, Ncpus = cores, quiet = TRUE,
                     keep_outputs = logs)
  )
  for (log in list.files(logs, full.names = TRUE)) {
    lines <- readLines(log, warn = FALSE)
    if (!any(startsWith(lines, "* DONE"))) writeLines(c(basename(log), tail(lines, 60)), stderr())
  }
}

arguments <- commandArgs(trailingOnly = TRUE)
switch(arguments[1],
  "missing" = cat(Filter(Negate(usable), arguments[-1])),
  "missing-here" = cat(setdiff(arguments[-(1:2)], dir(arguments[2]))),
  "install" = install(arguments[2], as.integer(arguments[3]), arguments[-(1:3)]),
  "reference-blas" = quit(status = !grepl("/blas/libblas|/libRblas", extSoftVersion()[["BLAS"]])),
  stop("unknown task: ", arguments[1])
)
