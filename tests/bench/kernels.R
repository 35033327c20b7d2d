# Kernel matrices and mean embeddings against kernlab. Run with
#   Rscript tests/bench/kernels.R     from the root of the package

source("tests/bench/ratio.R")
report_machine()

set.seed(1)
sigma <- 4
rbf <- kernlab::rbfdot(sigma = 1 / (2 * sigma^2))
threads <- getOption("domgen.threads", 2L)

X <- matrix(rnorm(5000 * 16), 5000)
stopifnot(max(abs(kernel_matrix(kernel_rbf(sigma), X) - kernlab::kernelMatrix(rbf, X))) < 1e-12)
compare_speed(
  "RBF Gram matrix, n = 5,000, p = 16",
  peer = function() kernlab::kernelMatrix(rbf, X),
  ours = function() kernel_matrix(kernel_rbf(sigma), X, threads = threads),
  at_least = 6, runs = 9L, repeats = 3L
)

X <- matrix(rnorm(4000 * 16), 4000)
domain <- factor(rep_len(1:20, 4000))
H <- sweep(stats::model.matrix(~ domain - 1), 2, as.vector(table(domain)), "/")
mean_gram <- function() {
  K <- kernlab::kernelMatrix(rbf, X)
  t(H) %*% K %*% H
}
stopifnot(max(abs(domain_gram(X, domain, kernel_rbf(sigma)) - mean_gram())) < 1e-12)
compare_speed(
  "mean-embedding Gram matrix, n = 4,000, 20 domains",
  peer = mean_gram,
  ours = function() domain_gram(X, domain, kernel_rbf(sigma), threads = threads),
  at_least = 40, runs = 9L, repeats = 20L
)

X <- matrix(rnorm(2000 * 10), 2000)
# means over predictors in the place of sums
anova <- kernlab::anovadot(sigma = 1 / 2, degree = 1)
stopifnot(max(abs(kernel_matrix(kernel_anova(1, 1), X) - kernlab::kernelMatrix(anova, X) / 10)) < 1e-12)
compare_speed(
  "additive kernel, n = 2,000, p = 10",
  peer = function() kernlab::kernelMatrix(anova, X),
  ours = function() kernel_matrix(kernel_anova(1, 1), X, threads = threads),
  at_least = 10, runs = 5L
)
compare_speed(
  "Gaussian beside pairwise kernel, n = 2,000, p = 10",
  peer = function() kernel_matrix(kernel_rbf(1), X, threads = threads),
  ours = function() kernel_matrix(kernel_anova(2, 1), X, threads = threads),
  at_least = 0.2, runs = 9L, repeats = 3L
)
