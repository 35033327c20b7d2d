# dg_dica() on one million labelled rows end to end: time in units of the matrix
# product of the features that cannot be avoided (Z'Z as a general product, in the
# blocks in which it is made), and peak memory. `Rscript tests/bench/million-rows.R
# [rows] [nystrom|rff]`, from the root of the package; the peak is that of the
# process, so one map at a time.

source("tests/bench/ratio.R")
report_machine()
args <- commandArgs(TRUE)
n <- if (length(args)) as.integer(args[1L]) else 1000000L
map <- if (length(args) > 1L) args[2L] else "nystrom"
features <- switch(map, nystrom = features_nystrom(500), rff = features_rff(500))

set.seed(1)
p <- 20
label <- factor(sample(c("a", "b", "c"), n, TRUE))
domain <- factor(sample(100, n, TRUE))
X <- matrix(rnorm(n * p), n)
X[, 1] <- X[, 1] + as.integer(label)
X[, 2] <- X[, 2] + as.integer(domain) / 30
data <- data.frame(y = label, domain = domain, X)
rm(X, label, domain)
invisible(gc())

peak_memory <- function() {
  status <- tryCatch(readLines("/proc/self/status"), error = function(e) "")
  peak <- grep("^VmHWM", status, value = TRUE)
  if (length(peak)) as.numeric(gsub("[^0-9]", "", peak)) / 2^20 else NA
}

time <- system.time(model <- dg_dica(y ~ . | domain, data = data, ncomp = 2, feature_map = features))
gib <- peak_memory()

r <- model$space$dim
block <- 2048L
Z <- matrix(rnorm(block * r), r)
W <- matrix(rnorm(block * r), block)
product <- seconds(function() for (i in 1:50) Z %*% W) / 50 * n / block
cat(sprintf("%s rows, %d features (%s): %.1f s, %.2f x the product of the features (%.1f s; aim: 2.5); ",
            format(n, big.mark = ","), r, map, time[["elapsed"]], time[["elapsed"]] / product,
            product),
    sprintf("peak memory %.2f GiB (limit: 2)\n", gib), sep = "")
print(model$values)
