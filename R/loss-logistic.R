loss_logistic <- function() new_loss(
  kinds = "class", log_odds = TRUE, help = "log(1 + exp(-y f)), which gives probabilities",
  # only exp(-|f|) is taken, which does not overflow
  smooth = function(y, f, par, width) {
    t <- y * f
    e <- exp(-abs(t))
    # 1 / (1 + exp(t))
    wrong <- ifelse(t > 0, e, 1) / (1 + e)
    list(value = pmax(-t, 0) + log1p(e), slope = -y * wrong, curvature = y^2 * e / (1 + e)^2)
  }
)
