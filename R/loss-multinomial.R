# More than two classes (or two), a function each: -log p_y, p_c = exp(f_c) / sum_j exp(f_j).
loss_multinomial <- function() new_loss(
  learner = "dg_glm", kinds = "class", coupled = "classes",
  check = function(y) {
    if (!is.factor(y) || nlevels(y) < 2L) {
      abort("data", "The response of `family = \"multinomial\"` must be classes, not ",
            if (is.factor(y)) "one class" else "numbers", ".")
    }
  },
  targets = function(y) outer(as.integer(y), seq_len(nlevels(y)), "==") + 0,
  constant = function(Y, costs, offset) {
    shares <- pmax(colSums(costs * Y) / sum(costs), 1e-3)
    log(shares) - mean(log(shares))
  },
  # each class its part
  smooth = function(y, f, par, width) {
    p <- class_shares(f)
    list(value = (log_sum(f) - f) * y, slope = p - y, curvature = p * (1 - p))
  },
  mean = function(values, par) class_shares(values)
)

class_shares <- function(values) {
  e <- exp(values - row_largest(values))
  e / rowSums(e)
}

log_sum <- function(values) {
  largest <- row_largest(values)
  largest + log(rowSums(exp(values - largest)))
}
