# Quick runs against stored ones, so that a change that breaks a result is seen.

# What values depend on beside the code: the libraries of linear algebra, with the folder of the
# BLAS, as OpenBLAS too may be called libblas.so.3; the core that it takes this processor for; and
# the widest vectors, which the package uses itself.
machine <- local({
  known <- NULL
  function() {
    if (is.null(known)) {
      file <- normalizePath(extSoftVersion()[["BLAS"]], "/", mustWork = FALSE)
      blas <- c(file.path(basename(dirname(file)), basename(file)), basename(La_library()))
      core <- if (any(grepl("openblas", blas))) openblas_core()
      known <<- paste(c(blas, core, widest_vectors()), collapse = " ")
    }
    known
  }
})

# OpenBLAS says it when it is loaded, and not again.
openblas_core <- function() {
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", "-e", "0"),
                                   env = "OPENBLAS_VERBOSE=2", stdout = TRUE, stderr = TRUE))
  sub("^Core: ", "", grep("^Core: ", said, value = TRUE))
}

widest_vectors <- function() {
  said <- if (file.exists("/proc/cpuinfo")) grep("^flags", readLines("/proc/cpuinfo"), value = TRUE)
  has <- function(flag) any(grepl(paste0("\\b", flag, "\\b"), said))
  if (has("avx512f")) "avx512f" else if (has("avx2") && has("fma")) "avx2" else R.version$arch
}

# One line of text for each stored value that a new run misses or lacks, and for each that is new.
# Values of the same machine agree to four digits. On another one, a value may be off by its
# tolerance, and so may the difference between two methods in the same cell and draw.
deviations <- function(new, stored, tolerance, here = machine()) {
  compared <- function(lines) lines[lines$measure %in% names(tolerance), ]
  stored <- compared(stored)
  new <- compared(new)
  by <- cell_columns(stored, NULL)
  at <- match(key(stored, by), key(new, by))
  value <- new$value[at]
  off <- value - stored$value
  allowed <- unname(tolerance[stored$measure])
  exact <- stored$blas == here
  allowed[exact] <- 1e-4 * pmax(abs(stored$value), allowed)[exact]
  # of two methods whose difference is off, only the one that is farther off is reported
  cell <- key(stored, setdiff(by, "method"))
  apart <- stats::ave(off, cell, FUN = function(e) diff(range(e, 0, na.rm = TRUE)))
  largest <- stats::ave(abs(off), cell, FUN = function(e) max(e, 0, na.rm = TRUE)) == abs(off)
  wrong <- is.na(value) != is.na(stored$value) |
    (abs(off) > allowed | !exact & largest & apart > allowed) %in% TRUE
  more <- !key(new, by) %in% key(stored, by)
  c(sprintf("%s: %s instead of %s (tolerance %s)", key(stored[wrong, ], by),
            ifelse(is.na(at[wrong]), "nothing", signif(value[wrong], 6)),
            signif(stored$value[wrong], 6), signif(allowed[wrong], 2)),
    sprintf("%s: %s, and nothing is stored", key(new[more, ], by), signif(new$value[more], 6)))
}

read_quick <- function(name, folder, e) {
  as_lines(utils::read.csv(file.path(folder, "quick", paste0(name, ".csv"))), e, e$cells("quick"))
}

# "passed", "failed" or "skipped"; says why.
check_experiment <- function(name, known, folder) {
  e <- known[[name]]
  begin <- proc.time()
  new <- run_experiment(name, known, "quick")
  if (is.null(new)) return("skipped")
  stored <- read_quick(name, folder, e)
  wrong <- gsub("\r", " ", deviations(as_lines(new, e, e$cells("quick")), stored, e$tolerance))
  verdict <- if (length(wrong)) "failed" else "passed"
  cat(sprintf("== %s: %s in %.0f s%s\n", name, verdict, (proc.time() - begin)[["elapsed"]],
              if (all(stored$blas == machine())) "" else " (values are of another machine)"))
  if (length(wrong)) cat(paste0("   ", wrong, "\n"), sep = "")
  verdict
}
