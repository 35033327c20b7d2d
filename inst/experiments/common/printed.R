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
