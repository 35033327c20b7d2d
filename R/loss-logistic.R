# log(1 + exp(-y f)), without a tube.
loss_logistic <- function() {
  new_loss("class", NULL, smooth_logistic, "log(1 + exp(-y f)), whose machine knows probabilities",
           log_odds = TRUE)
}

# Only exp(-|f|) is taken, which does not overflow.
smooth_logistic <- function(y, f, args, width) {
  t <- y * f
  e <- exp(-abs(t))
  # 1 / (1 + exp(t))
  wrong <- ifelse(t > 0, e, 1) / (1 + e)
  list(value = pmax(-t, 0) + log1p(e), slope = -y * wrong, curvature = y^2 * e / (1 + e)^2)
}
