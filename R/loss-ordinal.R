# Classes in an order, by one function and thresholds: P(y <= k) = plogis(theta_k - f). With a and b
# the thresholds below and above a row's class, less f,
#   -log p = log(1 + exp(-b)) + log(1 + exp(a)) - log(1 - exp(a - b)),
# two logistic losses of f, and convex in f and theta together.
loss_ordinal <- function() new_loss(
  learner = "dg_glm", kinds = "class", coupled = "thresholds",
  # the order of levels is no loss
  reads = "ordinal",
  check = function(y) {
    if (!is.factor(y) || nlevels(y) < 2L) {
      abort("data", "The response of `family = \"ordinal\"` must be classes, not ",
            if (is.factor(y)) "one class" else "numbers; convert them with `factor()`", ".")
    }
  },
  no_zero = "`family = \"ordinal\"`, whose thresholds are constants without a penalty",
  # those of f = 0, a little apart where a class has no weight
  begin = function(par, Y, costs, offset) {
    shares <- vapply(seq_len(max(Y)), function(k) sum(costs[Y == k]), numeric(1)) / sum(costs)
    shares <- pmax(shares, 1e-6)
    par$thresholds <- stats::qlogis(utils::head(cumsum(shares / sum(shares)), -1L))
    if (is.null(offset)) par else best_thresholds(par, Y, offset, costs)
  },
  update = function(par, Y, f, costs) best_thresholds(par, Y, f, costs),
  smooth = function(y, f, par, width) {
    ends <- class_ends(par$thresholds, y, f)
    below <- stats::plogis(ends$low)
    above <- stats::plogis(ends$high)
    list(value = ordinal_values(ends), slope = 1 - below - above,
         curvature = below * (1 - below) + above * (1 - above))
  },
  scores = function(f, par) ordinal_scores(par$thresholds, f[, 1L]),
  mean = function(values, par) {
    if (ncol(values) > 1L) return(class_shares(values))
    # keeps the column of no rows
    values[] <- stats::plogis(values)
    values
  }
)

# list(low, high): the ends of each row's class less f, infinite at the first and the last.
class_ends <- function(thresholds, y, f) {
  all <- c(-Inf, thresholds, Inf)
  list(low = all[y] - f, high = all[y + 1] - f, width = all[y + 1] - all[y])
}

# -log p.
ordinal_values <- function(ends) {
  -stats::plogis(ends$high, log.p = TRUE) - stats::plogis(-ends$low, log.p = TRUE) -
    log(-expm1(-ends$width))
}

# The logarithms of the probabilities of all classes; of two those of the odds.
ordinal_scores <- function(thresholds, f) {
  classes <- seq_len(length(thresholds) + 1L)
  scores <- vapply(classes, function(k) {
    -ordinal_values(class_ends(thresholds, rep(k, length(f)), f))
  }, numeric(length(f)))
  scores <- matrix(scores, length(f), length(classes))
  if (ncol(scores) == 2L) scores[, 2L, drop = FALSE] - scores[, 1L, drop = FALSE] else scores
}

# Newton's method for the thresholds where f is known; a step is halved until it goes down.
best_thresholds <- function(par, Y, f, costs) {
  used <- which(costs > 0)
  y <- Y[used, 1L]
  f <- f[used]
  costs <- costs[used]
  value <- function(at) {
    # NA where a step overflows
    if (!isFALSE(is.unsorted(at, strictly = TRUE))) return(Inf)
    sum(costs * ordinal_values(class_ends(at, y, f)))
  }
  thresholds <- par$thresholds
  now <- value(thresholds)
  for (iteration in seq_len(50L)) {
    step <- threshold_step(thresholds, y, f, costs)
    t <- 1
    while (t > 1e-10 && !isTRUE(value(thresholds + t * step$step) <= now)) t <- t / 2
    if (t <= 1e-10) break
    thresholds <- thresholds + t * step$step
    now <- value(thresholds)
    if (!isTRUE(step$decrement > 1e-15 * max(now, 1e-300))) break
  }
  par$thresholds <- thresholds
  par
}

threshold_step <- function(thresholds, y, f, costs) {
  K <- length(thresholds)
  ends <- class_ends(thresholds, y, f)
  below <- stats::plogis(ends$low)
  above <- stats::plogis(ends$high)
  # of log(1 - exp(a - b)), 0 at either end
  g <- 1 / expm1(ends$width)
  bend <- g * (1 + g)
  by_class <- function(v) vapply(seq_len(K + 1L), function(k) sum((costs * v)[y == k]), 0)
  upper <- function(v) utils::head(by_class(v), -1L)
  lower <- function(v) by_class(v)[-1L]
  gradient <- upper(-(1 - above) - g) + lower(below + g)
  hessian <- diag(upper(above * (1 - above) + bend) + lower(below * (1 - below) + bend), K)
  between <- by_class(bend)
  for (k in seq_len(K - 1L)) hessian[k, k + 1L] <- hessian[k + 1L, k] <- -between[k + 1L]
  diag(hessian) <- diag(hessian) + 1e-12 * sum(costs)
  # of values so far apart that all is flat there is no step
  step <- on_error(-solve(hessian, gradient), function(e) 0 * gradient)
  list(step = step, decrement = max(-sum(gradient * step), 0))
}
