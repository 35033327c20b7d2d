# Small data sets that many tests share, and the two kinds of expectations that
# testthat has no name for.

toy_domains <- function(domains = 5, rows = 25, seed = 1) {
  simulate_dica(domains = domains, n = rows, p = 3, seed = seed)
}

toy_classes <- function(domains = 5, rows = 25, seed = 1) {
  simulate_dcm(domains = domains, n = rows, p = 3, seed = seed)
}

domains_of <- function(data, codes) {
  droplevels(data[data$domain %in% levels(data$domain)[codes], , drop = FALSE])
}

# The long forms of tests run weekly and by `.ci/run --all`.
long_form <- function() nzchar(Sys.getenv("DOMGEN_LONG"))

# The relative error that rounding may leave in a number that is the result of n operations, whose
# errors of eps each are multiplied by the condition of what they go through.
rounding <- function(condition, n) condition * n * .Machine$double.eps

# Of features, and of sums of them over rows: z = L^-1 k solves a triangular system in the
# landmarks, so that its condition is that of L. Fourier features divide by nothing.
rounding_of_features <- function(map) {
  if (inherits(map, "product_map")) {
    return(rounding_of_features(map$x) * kappa(map$factor, exact = TRUE) * nrow(map$factor))
  }
  if (is.null(map$factor)) return(rounding(1, 100))
  rounding(kappa(map$factor, exact = TRUE), nrow(map$factor))
}

expect_domgen_error <- function(object, message, kind = "domgen_error") {
  testthat::expect_error(object, message, class = kind)
}

# The external data lie in a folder that DOMGEN_DATA names; they are not part of
# the package.
external_data <- function(name) {
  folder <- Sys.getenv("DOMGEN_DATA")
  file <- file.path(folder, paste0(name, ".csv.gz"))
  testthat::skip_if_not(nzchar(folder), paste0("DOMGEN_DATA is not set (needed for ", name, ")"))
  testthat::skip_if_not(file.exists(file), paste0("no file ", name, ".csv.gz in DOMGEN_DATA"))
  utils::read.csv(gzfile(file))
}

# Formula-level oracles of the stationary and inner product kernels.
pair_distance <- function(x, z) {
  outer(seq_len(nrow(x)), seq_len(nrow(z)), Vectorize(function(i, j) sqrt(sum((x[i, ] - z[j, ])^2))))
}

# The messages of errors, each under the call that provokes it. Written by hand:
# testthat's own record of errors differs between its versions.
expect_refusals <- function(code) {
  env <- parent.frame()
  lines <- unlist(lapply(as.list(substitute(code))[-1L], function(call) {
    message <- tryCatch(
      {
        eval(call, env)
        "no error"
      },
      error = function(e) paste0(class(e)[1L], ": ", conditionMessage(e))
    )
    c(paste(">", deparse(call)), message)
  }))
  testthat::expect_snapshot_output(cat(lines, sep = "\n"))
}

# The checkout, for tests that look at the sources.
checkout_file <- function(...) {
  folder <- Sys.getenv("DOMGEN_SOURCES")
  testthat::skip_if_not(nzchar(folder), "only in a checkout: the built package has not all sources")
  file.path(folder, ...)
}

# What is printed says it, wherever its lines break.
expect_said <- function(code, pattern, ...) {
  lines <- trimws(utils::capture.output(code))
  testthat::expect_match(paste(lines, collapse = " "), pattern, ...)
}
