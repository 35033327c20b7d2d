# Exact projections against the dense pencil of the DICA paper in R, and KPCA
# against kernlab. Both sides start from the rows; results are compared first.
# The dense side takes minutes at n = 4,060: `Rscript
# tests/bench/projections.R quick` leaves that size out. Run from the root of the package.

source("tests/bench/ratio.R")
report_machine()
quick <- "quick" %in% commandArgs(TRUE)

ours_dica <- function(d, y, form = "published") {
  dg_dica(d$x, y, d$domain, kernel = kernel_rbf(bandwidth = d$bandwidth), kernel_y = d$kernel_y,
       form = form, lambda = 0.1, epsilon = 1e-4, ncomp = 2, scale = "none")
}
ours_coir <- function(d, y) {
  dg_coir(d$x, y, d$domain, kernel = kernel_rbf(bandwidth = d$bandwidth), kernel_y = d$kernel_y,
       lambda = 0.1, epsilon = 1e-4, ncomp = 2, scale = "none")
}
ours_udica <- function(d) {
  dg_udica(d$x, domain = d$domain, kernel = kernel_rbf(bandwidth = d$bandwidth), lambda = 0.1, ncomp = 2,
        scale = "none")
}
ours_kpca <- function(d, ncomp) {
  dg_kpca(d$x, kernel = kernel_rbf(bandwidth = d$bandwidth), ncomp = ncomp, scale = "none")
}

gram_in_r <- function(x, sigma) exp(-as.matrix(dist(x))^2 / (2 * sigma^2))
centre_in_r <- function(K) {
  K <- sweep(K, 2, colMeans(K))
  K - rowMeans(K)
}

# (1/n) P K^2 B = (KQK + K + lambda I) B Gamma, solved as it is written.
dense_pencil <- function(d, L = NULL, q = TRUE, lambda = 0.1, epsilon = 1e-4, ncomp = 2) {
  n <- nrow(d$x)
  K <- centre_in_r(gram_in_r(d$x, d$bandwidth))
  N <- if (is.null(L)) K else {
    L <- centre_in_r(L)
    L %*% solve(L + n * epsilon * diag(n), K)
  }
  D <- if (lambda == 0) K else K + lambda * diag(n)
  if (q) {
    G <- nlevels(d$domain)
    M <- K %*% sapply(levels(d$domain), function(g) (d$domain == g) / sum(d$domain == g))
    D <- D + M %*% (diag(G) / G - 1 / G^2) %*% t(M)
  }
  if (lambda == 0) return(leading(eigen(K / n), ncomp))
  leading(eigen(solve(D, N %*% K / n)), ncomp)
}

ours_dcm <- function(d, y, features = features_exact(), ncomp = 2) {
  dg_dcm(d$x, y, d$domain, kernel = kernel_rbf(bandwidth = d$bandwidth), kernel_y = d$kernel_y,
      feature_map = features, lambda = 0.1, epsilon = 1e-4, ncomp = ncomp, scale = "none")
}

# DCM: (P_y K + I) alpha = (P_d K + I) alpha Gamma, then B = (K + lambda I)^-1 alpha.
dense_dcm <- function(d, L, lambda = 0.1, epsilon = 1e-4, ncomp = 2) {
  n <- nrow(d$x)
  I <- diag(n)
  K <- centre_in_r(gram_in_r(d$x, d$bandwidth))
  side <- function(L) {
    L <- centre_in_r(L)
    L %*% solve(L + n * epsilon * I, K) + I
  }
  e <- leading(eigen(solve(side(outer(d$domain, d$domain, "==") + 0), side(L))), ncomp)
  list(values = e$values, vectors = solve(K + lambda * I, e$vectors))
}

leading <- function(e, ncomp) {
  first <- order(-Re(e$values))[seq_len(ncomp)]
  list(values = Re(e$values[first]), vectors = Re(e$vectors[, first, drop = FALSE]))
}

check_agreement <- function(task, fit, dense) {
  values <- max(abs(unname(fit$values) / dense$values - 1))
  A <- qr.Q(qr(unname(fit$directions)))
  B <- qr.Q(qr(dense$vectors))
  angle <- norm(A - B %*% crossprod(B, A), "2")
  cat(sprintf("%s: values agree to %.0e, subspaces to %.0e, residual %.2g\n", task, values, angle,
              max(fit$residual)))
  stopifnot(values < 1e-8, angle < 1e-6, fit$residual < 20)
}

toy <- function(domains, rows, sigma_y = 1, seed = 1) {
  d <- simulate_dica(domains = domains, n = 2 * rows, seed = seed)
  d <- d[ave(seq_len(nrow(d)), d$domain, FUN = seq_along) <= rows, ]
  x <- as.matrix(d[grep("^x", names(d))])
  list(x = x, number = d$y, domain = droplevels(d$domain), bandwidth = median_bandwidth(x),
       class = cut(d$y, quantile(d$y, 0:3 / 3), c("low", "middle", "high"), include.lowest = TRUE))
}

# The dense side runs once and its result serves the check as well as the clock.
against_dense <- function(task, d, ours, dense, at_least, runs) {
  answer <- NULL
  row <- compare_speed(task, function() answer <<- dense(), ours, at_least, runs)
  check_agreement(task, ours(), answer)
  invisible(row)
}

labels <- toy(10, 200)
class_gram <- outer(labels$class, labels$class, "==") + 0
n <- nrow(labels$x)
cat("class labels: n =", n, "domains =", nlevels(labels$domain), "\n")
runs <- if (quick) 1L else 3L
against_dense("DICA, labels", labels, function() ours_dica(labels, labels$class),
              function() dense_pencil(labels, class_gram), 50, runs)
against_dense("COIR, labels", labels, function() ours_coir(labels, labels$class),
              function() dense_pencil(labels, class_gram, q = FALSE), 30, 1L)
against_dense("DCM, labels", labels, function() ours_dcm(labels, labels$class),
              function() dense_dcm(labels, class_gram), 150, 1L)
against_dense("UDICA", labels, function() ours_udica(labels), function() dense_pencil(labels), 12,
              1L)
check_agreement("KPCA", ours_kpca(labels, 10), dense_pencil(labels, q = FALSE, lambda = 0,
                                                            ncomp = 10))

A <- gram_in_r(labels$x, labels$bandwidth) + diag(n)
compare_speed("DICA, labels, relative to chol() (at least 1/4)", function() chol(A),
              function() ours_dica(labels, labels$class), 1 / 4, 9L)
compare_speed("KPCA, 10 components", function() {
  kernlab::kpca(labels$x, kernel = "rbfdot", kpar = list(sigma = 1 / (2 * labels$bandwidth^2)),
                feature_map = 10)
}, function() ours_kpca(labels, 10), 25, 5L)

if (!quick) {
  numbers <- toy(29, 140)
  numbers$kernel_y <- kernel_rbf(bandwidth = 1)
  number_gram <- gram_in_r(numbers$number, 1)
  cat("numbers: n =", nrow(numbers$x), "domains =", nlevels(numbers$domain), "\n")
  against_dense("DICA, continuous response", numbers,
                function() ours_dica(numbers, numbers$number),
                function() dense_pencil(numbers, number_gram), 20, 1L)
  against_dense("UDICA", numbers, function() ours_udica(numbers), function() dense_pencil(numbers),
                12, 1L)
}

# Of the size of the Parkinson's data: exact in units of one chol(), with landmarks
# in units of the 4,060 x 200 Gram matrix and its cross-product.
numbers <- toy(29, 140)
numbers$kernel_y <- kernel_rbf(bandwidth = 1)
A <- gram_in_r(numbers$x, numbers$bandwidth) + diag(nrow(numbers$x))
for (method in c("dica", "dcm", "coir")) {
  run <- get(paste0("ours_", method))
  compare_speed(paste(method, "continuous, relative to chol() (at least 1/6)"), function() chol(A),
                function() run(numbers, numbers$number), 1 / 6, 5L)
}
landmarks <- numbers$x[sample(nrow(numbers$x), 200), ]
on_landmarks <- function(method) {
  method(numbers$x, numbers$number, numbers$domain, kernel = kernel_rbf(bandwidth = numbers$bandwidth),
         kernel_y = numbers$kernel_y, feature_map = features_nystrom(200), ncomp = 2, scale = "none")
}
for (method in c("dica", "dcm", "coir")) {
  compare_speed(paste(method, "200 landmarks, relative to Gram and cross-product (at least 1/5)"),
                function() crossprod(kernel_matrix(kernel_rbf(numbers$bandwidth), numbers$x, landmarks)),
                function() on_landmarks(get(paste0("dg_", method))), 1 / 5, 9L)
}
