# Maps from a decision value to a probability that never falls: Platt's sigmoid, and
# isotonic regression. positive: TRUE or FALSE for each row; weights: positive.

# The probabilities of decision values, NA for NA.
calibrated <- function(map, values) UseMethod("calibrated")

# Does the probability depend on the decision value?
is_informed <- function(map) UseMethod("is_informed")

# N+ + 1 over N + 2, where no decision values are known.
constant_map <- function(positive, weights) {
  n <- side_sums(positive, weights)
  # n / (n + m + 2) that does not overflow
  rate <- 1 / (1 + (n[["negative"]] + 1) / (n[["positive"]] + 1))
  structure(list(slope = 0, intercept = stats::qlogis(rate)),
            class = c("constant_map", "platt_map"))
}

side_sums <- function(positive, weights) {
  sums <- c(negative = sum(weights[!positive]), positive = sum(weights[positive]))
  pmin(sums, .Machine$double.xmax / 4)
}

# Platt (1999) with his targets, which regularise: the cross-entropy
#   sum_i w_i (-t_i log p_i - (1 - t_i) log(1 - p_i)), p_i = 1 / (1 + exp(-(a f_i + b)))
# is minimised over b and a >= 0.
platt_map <- function(f, positive, weights) {
  n <- side_sums(positive, weights)
  target <- ifelse(positive, 1 - 1 / (n[["positive"]] + 2), 1 / (n[["negative"]] + 2))
  share <- weights / max(weights)
  share <- share / sum(share)
  centre <- sum(share * f)
  spread <- weighted_sd(f - centre, weights)
  if (spread > 1e-12 * max(abs(f))) {
    fitted <- minimise_entropy((f - centre) / spread, target, share)
    slope <- fitted[2L] / spread
    intercept <- fitted[1L] - slope * centre
  } else slope <- 0
  # the entropy is convex: without the constraint a < 0 means a = 0 with it
  if (slope <= 0) {
    slope <- 0
    intercept <- stats::qlogis(sum(share * target))
  }
  structure(list(slope = slope, intercept = intercept), class = "platt_map")
}

# c(b, a) by Newton's method with halved steps (Lin, Lin and Weng, 2007, algorithm 1).
minimise_entropy <- function(f, target, share) {
  theta <- c(stats::qlogis(sum(share * target)), 0)
  now <- entropy(theta, f, target, share)
  for (iteration in seq_len(100L)) {
    residual <- share * (now$p - target)
    gradient <- c(sum(residual), sum(residual * f))
    if (max(abs(gradient)) < 1e-11) break
    h <- share * now$variance
    hf <- h * f
    H <- matrix(c(sum(h), sum(hf), sum(hf), sum(hf * f)), 2L) + diag(1e-12, 2L)
    step <- -solve(H, gradient, tol = 0)
    length <- 1
    repeat {
      new <- entropy(theta + length * step, f, target, share)
      enough <- 1e-4 * length * sum(gradient * step) + 1e-15 * abs(now$value)
      if (new$value <= now$value + enough || length < 1e-10) break
      length <- length / 2
    }
    if (length < 1e-10) break
    theta <- theta + length * step
    now <- new
  }
  theta
}

# list(value, p, variance = p (1 - p)) at z = b + a f. Only exp(-|z|) is taken, which does not
# overflow: -log p = log(1 + exp(-|z|)) + max(-z, 0).
entropy <- function(theta, f, target, share) {
  z <- theta[1L] + theta[2L] * f
  size <- abs(z)
  e <- exp(-size)
  q <- 1 / (1 + e)
  list(value = sum(share * ((z + size) / 2 + log1p(e) - target * z)),
       p = q * (e + (1 - e) * (z > 0)), variance = q * q * e)
}

#' @exportS3Method
calibrated.platt_map <- function(map, values) stats::plogis(map$slope * values + map$intercept)

#' @exportS3Method
is_informed.platt_map <- function(map) map$slope > 0

# Isotonic regression of the labels: list(value, probability), the ends of the blocks.
isotonic_map <- function(f, positive, weights) {
  largest <- max(weights)
  order <- order(f)
  tie <- cumsum(c(TRUE, diff(f[order]) > 0))
  share <- weights[order] / largest
  sums <- unname(rowsum(cbind(share, share * positive[order]), tie, reorder = FALSE))
  blocks <- pool_adjacent(sums[, 2L] / sums[, 1L], sums[, 1L])
  last <- cumsum(blocks$size)
  ends <- c(rbind(last - blocks$size + 1L, last))
  single <- duplicated(ends)
  probability <- keep_off_bounds(blocks$level, blocks$weight * largest)
  structure(list(value = f[order][!duplicated(tie)][ends[!single]],
                 probability = rep(probability, each = 2L)[!single]), class = "isotonic_map")
}

# Weighted means of neighbours that are not in increasing order, pooled until all are:
# list(level, weight, size (entries in the block)). All of a run that does not rise belong
# together, so runs are pooled at once as long as many are left.
pool_adjacent <- function(level, weight) {
  size <- rep(1L, length(level))
  repeat {
    run <- cumsum(c(TRUE, diff(level) > 0))
    runs <- run[length(run)]
    if (runs > 0.9 * length(level)) break
    sums <- unname(rowsum(cbind(weight, weight * level, size), run, reorder = FALSE))
    weight <- sums[, 1L]
    level <- sums[, 2L] / weight
    size <- sums[, 3L]
  }
  pool_in_order(level, weight, size)
}

pool_in_order <- function(level, weight, size) {
  top <- 0L
  for (i in seq_along(level)) {
    top <- top + 1L
    y <- level[i]
    w <- weight[i]
    count <- size[i]
    while (top > 1L && level[top - 1L] >= y) {
      top <- top - 1L
      y <- (level[top] * weight[top] + y * w) / (weight[top] + w)
      w <- weight[top] + w
      count <- size[top] + count
    }
    level[top] <- y
    weight[top] <- w
    size[top] <- count
  }
  top <- seq_len(top)
  list(level = level[top], weight = weight[top], size = size[top])
}

# A lowest block without a positive row has 1 / (W + 2) instead of 0, unless the next has less;
# the highest likewise.
keep_off_bounds <- function(level, weight) {
  m <- length(level)
  if (level[1L] == 0) level[1L] <- min(1 / (weight[1L] + 2), if (m > 1L) level[2L])
  if (level[m] == 1) level[m] <- max(1 - 1 / (weight[m] + 2), if (m > 1L) level[m - 1L])
  level
}

#' @exportS3Method
calibrated.isotonic_map <- function(map, values) {
  if (length(map$value) == 1L) return(ifelse(is.na(values), NA_real_, map$probability))
  stats::approx(map$value, map$probability, values, rule = 2, ties = "ordered")$y
}

#' @exportS3Method
is_informed.isotonic_map <- function(map) any(diff(map$probability) > 0)
