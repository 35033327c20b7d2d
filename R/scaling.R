# Scaling of predictors, learned on training rows and replayed on new ones.

scalings <- c("pooled", "none")

# X [n x p]; returns centre and scale, each of length p. A predictor that is
# constant in training is divided by infinity: no new value of it counts.
learn_scaling <- function(X, scale) {
  p <- ncol(X)
  if (scale == "none") return(list(centre = rep(0, p), scale = rep(1, p)))
  centre <- unname(colMeans(X))
  spread <- vapply(seq_len(p), function(j) robust_sd(X[, j] - centre[j]), numeric(1))
  constant <- spread <= 1e-13 * abs(centre)
  if (any(constant)) {
    warn("constant", plural(sum(constant), "predictor"), " constant on the training data, without ",
         "influence: ", enumerate(colnames(X)[constant]), ".")
  }
  list(centre = centre, scale = ifelse(constant, Inf, spread))
}

# Divided by the largest value first: squares of 1e200 or 1e-200 leave the range
# of a double, standard deviations do not.
robust_sd <- function(centred) {
  largest <- max(abs(centred))
  if (largest == 0) return(0)
  largest * sqrt(sum((centred / largest)^2) / max(length(centred) - 1L, 1L))
}

apply_scaling <- function(X, scaling) {
  for (j in seq_len(ncol(X))) X[, j] <- (X[, j] - scaling$centre[j]) / scaling$scale[j]
  X
}
