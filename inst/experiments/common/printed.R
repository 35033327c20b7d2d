# COIR, DICA and DCM as the DCM paper's algorithm 1 prints them: no Gram matrix is centred. With C
# classes there are then C directions, not C - 1, which is how the paper's figure 2 can show two for
# two classes. Only for replication: what is not centred mixes the rows' mean into the directions.
#
# Coefficients B = (K + ridge I)^-1 A of the scores A = KB, for DICA with KQK in the inverse (its
# Woodbury form); P = U diag(u) U' of one-hot classes has u = 1/(n_c + n epsilon) on their counts.

# list(train, test): scores on the first `m` directions, with a mean square of 1 in training.
printed_scores <- function(method, split, kernel, epsilon, m = 2, ridge = 0.1) {
  columns <- setdiff(names(split$train), c("domain", "y"))
  x <- as.matrix(split$train[columns])
  n <- nrow(x)
  K <- kernel_matrix(kernel, x)
  one_hot <- function(f) {
    hot <- outer(as.character(f), levels(droplevels(factor(f))), "==") + 0
    sweep(hot, 2L, sqrt(colSums(hot) + n * epsilon), "/") # U diag(u)^(1/2)
  }
  Y <- one_hot(split$train$y)
  D <- one_hot(split$train$domain)
  R <- chol(K + diag(ridge, n))
  solve_with <- function(b) backsolve(R, backsolve(R, b, transpose = TRUE))
  B <- if (method == "DCM") {
    # (P_y K + I) A = (P_d K + I) A Gamma: what has gamma != 1 is in the span W of both
    W <- svd(cbind(Y, D))
    W <- W$u[, W$d > 1e-8 * W$d[1L], drop = FALSE]
    KW <- K %*% W
    side <- function(P) crossprod(W, P) %*% crossprod(P, KW) + diag(ncol(W))
    solve_with(W %*% leading(solve(side(D), side(Y)), m))
  } else {
    # P K^2 B = (K [+ KQK] + ridge I) B Gamma; Q = E (I/G - 11'/G^2) E', E the domains' means
    V <- solve_with(Y)
    if (method == "DICA") {
      hot <- outer(as.character(split$train$domain), unique(as.character(split$train$domain)), "==")
      E <- sweep(hot, 2L, colSums(hot), "/")
      G <- ncol(E)
      H <- K %*% sweep(E, 1L, rowMeans(E)) / sqrt(G) # Q = (E - mean)(E - mean)'/G
      Z <- solve_with(H)
      V <- V - Z %*% solve(diag(G) + crossprod(H, Z), crossprod(H, V))
    }
    V %*% leading(crossprod(Y, K) %*% (K %*% V) / n, m)
  }
  train <- K %*% B
  unit <- sqrt(colMeans(train^2))
  test <- kernel_matrix(kernel, as.matrix(split$test[columns]), x) %*% B
  name <- function(scores, d) {
    colnames(scores) <- paste0("s", seq_len(ncol(scores)))
    data.frame(d[c("domain", "y")], sweep(scores, 2L, unit, "/"))
  }
  list(train = name(train, split$train), test = name(test, split$test))
}

# Eigenvectors with the largest real parts.
leading <- function(A, m) {
  e <- eigen(A)
  Re(e$vectors[, order(Re(e$values), decreasing = TRUE)[seq_len(min(m, ncol(A)))], drop = FALSE])
}

# FastDCM as its equations 17 and 18 print it, with a term that equation 12 lacks, n epsilon I after
# the product:
#   (K P_y K^2 + K^2) B = (K P_d K^2 + K^2 + n epsilon I) B Gamma,   scores K B.
# Read so that it can be computed (the printed matrices do not conform): K is centred and Nystrom's,
# K = F F' with features F of `landmarks` rows (all: K is exact), labels and domains are exact, as
# in dg_dcm(); B = F b. Its first direction, scores with a mean square of 1; COIR: P_d = 0.
printed_fast_scores <- function(method, split, kernel, epsilon, landmarks = nrow(split$train)) {
  columns <- setdiff(names(split$train), c("domain", "y"))
  x <- as.matrix(split$train[columns])
  n <- nrow(x)
  at <- if (landmarks < n) sort(sample.int(n, landmarks)) else seq_len(n)
  C <- kernel_matrix(kernel, x, x[at, , drop = FALSE])
  R <- chol(C[at, ] + diag(1e-8, length(at)))
  features <- t(backsolve(R, t(C), transpose = TRUE))
  centre <- colMeans(features)
  features <- sweep(features, 2L, centre)
  S <- crossprod(features)
  # F'PF = WW' for P = L (L + n epsilon I)^-1, L of centred one-hot classes
  factor_of <- function(f) {
    hot <- scale(outer(as.character(f), levels(droplevels(factor(f))), "==") + 0, scale = FALSE)
    crossprod(features, hot) %*% solve(chol(crossprod(hot) + diag(n * epsilon, ncol(hot))))
  }
  Y <- factor_of(split$train$y)
  # (S^2 + n epsilon I + DD'S^2) b Gamma = (S^2 + YY'S^2) b: all but two thin factors is one
  # Cholesky factorisation, and as one Gamma is far above the others, powers find it
  root <- chol(crossprod(S) + diag(n * epsilon, nrow(S)))
  solve_with <- function(v) backsolve(root, backsolve(root, v, transpose = TRUE))
  D <- if (method == "DCM") factor_of(split$train$domain) else matrix(0, nrow(S), 1L)
  Z <- solve_with(D)
  inner <- diag(ncol(D)) + crossprod(D, S %*% (S %*% Z))
  b <- solve_with(Y[, 1L])
  for (i in 1:500) {
    squared <- S %*% (S %*% b)
    v <- solve_with(squared + Y %*% crossprod(Y, squared))
    v <- v - Z %*% solve(inner, crossprod(D, S %*% (S %*% v)))
    v <- v / sqrt(sum(v^2)) * sign(sum(v * b))
    done <- max(abs(v - b)) < 1e-9
    b <- v
    if (done) break
  }
  w <- S %*% b
  train <- features %*% w
  unit <- sqrt(mean(train^2))
  on_landmarks <- backsolve(R, w)
  K <- kernel_matrix(kernel, as.matrix(split$test[columns]), x[at, , drop = FALSE])
  name <- function(scores, d) data.frame(d[c("domain", "y")], s1 = drop(scores) / unit)
  list(train = name(train, split$train),
       test = name(K %*% on_landmarks - sum(centre * w), split$test))
}
