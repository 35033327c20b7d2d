# Means by weights.

# Shares, because sums of weights or numbers near 1e308 overflow.
weighted_mean <- function(y, weights) {
  share <- weights / max(weights)
  sum(share / sum(share) * y)
}

weighted_sd <- function(centred, weights) {
  centred <- centred[weights > 0]
  largest <- max(abs(centred))
  if (largest == 0) return(0)
  largest * sqrt(weighted_mean((centred / largest)^2, weights[weights > 0]))
}
