# Many classes by submodels for two: a submodel is a column of targets, +1, -1 or 0
# where a row takes no part. All share one Gram matrix or one set of features.

multiclass_schemes <- c("one_vs_one", "one_vs_rest")

# Scores [rows x classes] of which the largest is the predicted class. One against
# the rest: the decision values. One against one: votes, and between classes with
# as many votes the sum of decision values, squeezed into less than half a vote.
class_scores <- function(values, response) {
  pairs <- response$pairs
  if (all(pairs[, 1L] == 0L)) {
    scores <- values
  } else {
    C <- length(response$levels)
    votes <- margins <- matrix(0, nrow(values), C)
    for (m in seq_len(nrow(pairs))) {
      f <- values[, m]
      for (side in 1:2) {
        class <- pairs[m, side]
        sign <- if (side == 2L) 1 else -1
        votes[, class] <- votes[, class] + if (side == 2L) f > 0 else !(f > 0)
        margins[, class] <- margins[, class] + sign * f
      }
    }
    scores <- votes + margins / (3 * (1 + abs(margins)))
  }
  dimnames(scores) <- list(NULL, response$levels)
  scores
}

# The class of the largest score, the first of several; NA where scores are.
largest_class <- function(scores, levels) {
  complete <- !is.na(rowSums(scores))
  class <- rep(NA_integer_, nrow(scores))
  class[complete] <- max.col(scores[complete, , drop = FALSE], ties.method = "first")
  factor(levels[class], levels = levels)
}
