# Accuracy of the feature maps at equal number of features, and the speed of
# their moments. Run with
#   Rscript tests/bench/features.R     from the root of the package
# It ends with an error if an ordering or a limit is not met.

source("tests/bench/ratio.R")
report_machine()
represent <- domgen:::represent
threads <- getOption("domgen.threads", 2L)

fit_features <- function(features, kernel, X) {
  sample <- list(X = X, domain = factor(rep("all", nrow(X))))
  represent(features, kernel, domain_pooled(), sample, threads)
}
feature_rows <- function(fitted, X) {
  domgen:::space_rows(fitted, list(X = X, domain = factor(rep("all", nrow(X)))))
}

# Four domains of 400 rows and eight far ones of 25.
far_domains <- function(seed, p = 5) {
  set.seed(seed)
  centres <- rbind(matrix(rnorm(4 * p), 4), 4 * matrix(rnorm(8 * p), 8))
  domain <- rep(1:12, rep(c(400, 25), c(4, 8)))
  centres[domain, ] + matrix(rnorm(length(domain) * p), length(domain))
}

# Share of the kernel's trace that 200 landmarks leave, and the least possible.
trace_errors <- function(seed) {
  X <- far_domains(seed)
  kernel <- kernel_rbf(sqrt(5))
  left <- function(sampling) {
    fitted <- fit_features(features_nystrom(200, sampling), kernel, X)
    1 - sum(feature_rows(fitted, X)^2) / nrow(X)
  }
  values <- eigen(kernel_matrix(kernel, X), symmetric = TRUE, only.values = TRUE)$values
  c(optimum = sum(values[-(1:200)]) / nrow(X), kmeans = left("kmeans"),
    rpcholesky = left("rpcholesky"), uniform = left("uniform"))
}
errors <- rowMeans(vapply(1:5, trace_errors, numeric(4)))
cat("Nystrom, trace error at 200 landmarks with small far domains (5 seeds)\n")
print(errors, digits = 2)
stopifnot(!is.unsorted(errors, strictly = TRUE))

# Root mean squared error of 256 Fourier frequencies, orthogonal relative to plain.
relative_error <- function(sigma, p = 16, n = 200, runs = 40) {
  set.seed(1)
  X <- matrix(rnorm(n * p), n)
  kernel <- kernel_rbf(sigma)
  K <- kernel_matrix(kernel, X)
  error <- function(orthogonal) {
    sqrt(mean(replicate(runs, {
      fitted <- fit_features(features_rff(256, orthogonal), kernel, X)
      mean((tcrossprod(feature_rows(fitted, X)) - K)^2)
    })))
  }
  error(TRUE) / error(FALSE)
}
ratios <- vapply(c(`2` = 2, `4` = 4, `8` = 8), relative_error, numeric(1))
cat("\nrandom Fourier features, error of orthogonal relative to plain frequencies, by sigma\n")
print(ratios, digits = 2)
stopifnot(ratios < c(1.05, 0.85, 0.55), diff(ratios) < 0)

# One pass over the rows, against the product Z'Z alone on blocks of the same size.
cat("\n")
n <- 200000
set.seed(1)
X <- matrix(rnorm(n * 20), n)
one <- factor(rep("all", n))
fitted <- suppressWarnings(fit_features(features_nystrom(500), kernel_rbf(4), X))
block <- matrix(rnorm(500 * 2048), 500)
transposed <- t(block)
row <- compare_speed(
  "Z'Z of 500 given features, n = 200,000, and moments of 500 landmarks from 20 predictors",
  peer = function() for (i in seq_len(n %/% 2048)) block %*% transposed,
  ours = function() {
    domgen:::moments_of(fitted, list(X = X, domain = one), NULL,
                        list(cells = as.integer(one), n_cells = 1L, second = TRUE))
  },
  at_least = 0.5
)
stopifnot(row$met)
