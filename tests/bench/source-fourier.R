# A ridge regression on rows out of memory with the Fourier map of two stages, in units of what cannot
# be avoided: the symmetric product of 500 features (dsyrk or crossprod(), whichever is faster) and
# one reading of the file. Sums of a block of 50,000 rows alone, then whole fits at two sizes, whose
# difference is the time per row. Processor seconds on one thread; the least of three runs.
# With the sizes 0 the sums alone.
#   OPENBLAS_NUM_THREADS=1 Rscript tests/bench/source-fourier.R [rows,rows] [library]
# library: of another state of the package; call both in turn. OPENBLAS_CORETYPE=SkylakeX where
# OpenBLAS does not know the processor.

given <- commandArgs(TRUE)
sizes <- if (length(given)) as.numeric(strsplit(given[1L], ",")[[1L]]) else c(2e5, 6e5)
library(domgen, lib.loc = if (length(given) > 1L) given[2L])
options(domgen.threads = 1L)

# The least of some runs of each of several functions, in turn.
least <- function(..., runs = 3L) {
  tasks <- list(...)
  times <- replicate(runs, vapply(tasks, function(f) {
    gc(verbose = FALSE)
    sum(system.time(f())[c("user.self", "sys.self")])
  }, 0))
  apply(matrix(times, length(tasks)), 1L, min)
}

D <- 250
p <- 10
G <- 40
Z <- matrix(stats::rnorm(2048 * 2 * D), 2048)
Zt <- t(Z)
products <- list(function() for (i in 1:20) crossprod(Z), function() for (i in 1:20) tcrossprod(Zt))

product <- function(n, times = least(products[[1L]], products[[2L]])) min(times) / 20 * n / 2048

core <- function(n = 50000) {
  set.seed(1)
  domain <- sort(sample.int(G, n, TRUE))
  program <- list(type = "fourier", frequencies = matrix(stats::rnorm(p * D) / 3, p),
                  offset = matrix(stats::rnorm(D * G), D), centre = numeric(p))
  X <- matrix(stats::rnorm(n * p), n)
  F <- cbind(stats::rnorm(n), 1)
  sums <- new.env(parent = emptyenv())
  sums$second <- matrix(0, 4 * D^2, G)
  sums$cross <- matrix(0, 4 * D, G)
  sums$response <- matrix(0, 4, G)
  times <- least(products[[1L]], products[[2L]], function() {
    domgen:::feature_group_moments_(program, X, domain, domain, rep(1, n), F, G, sums, 1L)
  }, function() {
    domgen:::feature_moments_(program, X, domain, domain, G, NULL, NULL, 1L, FALSE)
  }, runs = 9L)
  whole <- product(n, times[1:2])
  cat(sprintf("sums by group of domains: %.2f products; features and their sums: %.2f\n",
              times[3L] / whole, times[4L] / whole))
}

rows <- function(n) {
  set.seed(2)
  X <- matrix(stats::rnorm(p * n), n, dimnames = list(NULL, paste0("x", seq_len(p))))
  d <- sample.int(G, n, TRUE)
  X <- X + stats::rnorm(G)[d]
  data.frame(y = sin(X[, 1L]) + X[, 2L] * X[, 3L] / 2 + stats::rnorm(n), X,
             domain = sprintf("d%02d", d))
}

spec <- dg_ridge(feature_map = features_product("fourier", n_features = D),
                 domain_kernel = domain_distribution())

one_size <- function(n) {
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file, expand = FALSE))
  utils::write.csv(rows(n), file, row.names = FALSE, quote = FALSE)
  source <- row_source(file)
  reading <- least(function() {
    read <- domgen:::spooled(source, NULL, c(label = "domain"))
    on.exit(domgen:::end_rows(read))
    prototype <- domgen:::source_prototype(read, NULL, free = "domain")
    for (one in read$blocks) domgen:::walk_block(one, prototype, function(data, first) TRUE)
  })
  fitted <- least(function() {
    set.seed(3)
    fit(spec, y ~ . | domain, data = source)
  })
  line <- c(rows = n, product = product(n), reading = reading, fit = fitted)
  cat(sprintf("%.0f rows: product %.2f s, reading %.2f s, fit %.2f s: %.2f units\n", n, line[2L],
              reading, fitted, fitted / (line[[2L]] + reading)))
  line
}

core()
if (identical(sizes, 0)) quit()
lines <- vapply(sizes, one_size, numeric(4))
more <- lines[, ncol(lines)] - lines[, 1L]
cat(sprintf("per row: %.1f microseconds, %.2f units\n", 1e6 * more[["fit"]] / more[["rows"]],
            more[["fit"]] / (more[["product"]] + more[["reading"]])))
