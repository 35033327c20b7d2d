# The graph of nearest neighbours among the rows of X, for the term
# f' Lambda f = sum over edges of weight (f_i - f_j)^2, Lambda its Laplacian: it
# keeps the scores of near rows near each other, labelled or not. Two rows are
# joined when either is among the `k` nearest of the other; of rows equally far
# the earlier ones count as nearer. `from` < `to` are row numbers, each edge once.
neighbour_laplacian <- function(X, k, threads, arg = "neighbours") {
  k <- check_count(k, arg)
  if (k >= nrow(X)) {
    abort("argument", "`", arg, "` must be less than the number of rows, ", nrow(X), ", not ",
          k, ".")
  }
  edges <- core_result(neighbour_graph_(X, k, threads))
  list(from = edges$from, to = edges$to, weight = rep(1, length(edges$from)), n = nrow(X))
}
