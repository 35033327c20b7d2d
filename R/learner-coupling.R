# From submodels for two classes to probabilities of all classes. The classes of a submodel
# are response$pairs, see new_targets(); two classes may have none.

submodel_pairs <- function(response) {
  if (is.null(response$pairs)) cbind(1L, 2L) else response$pairs
}

# Is a row on the positive side of each submodel [n x submodels]; NA on neither.
submodel_sides <- function(y, response) {
  code <- as.integer(y)
  apply(submodel_pairs(response), 1L, function(pair) {
    ifelse(code == pair[2L], TRUE, ifelse(pair[1L] == 0L | code == pair[1L], FALSE, NA))
  })
}

# A number for each submodel, by which those of a model with fewer classes are found.
submodel_codes <- function(response, levels) {
  code <- c(0L, match(response$levels, levels))
  pairs <- submodel_pairs(response) + 1L
  code[pairs[, 1L]] * (length(levels) + 1) + code[pairs[, 2L]]
}

submodel_names <- function(response) {
  names <- c("the rest", dQuote(response$levels, FALSE))
  pairs <- submodel_pairs(response) + 1L
  paste(names[pairs[, 2L]], "from", names[pairs[, 1L]])
}

# Estimates of a probability are kept this far from 0 and 1.
least_probability <- 1e-7

# Probabilities [rows x classes] of decision values [rows x submodels].
class_probabilities <- function(values, response, maps) {
  if (nrow(values) == 0L) {
    return(matrix(0, 0L, length(response$levels), dimnames = list(NULL, response$levels)))
  }
  one <- vapply(seq_along(maps), function(m) calibrated(maps[[m]], values[, m]),
                numeric(nrow(values)))
  one <- matrix(pmin(pmax(one, least_probability), 1 - least_probability), nrow(values))
  pairs <- submodel_pairs(response)
  P <- if (nrow(pairs) == 1L) cbind(1 - one, one)
       else if (all(pairs[, 1L] == 0L)) one / rowSums(one)
       else couple_pairs(one, pairs, length(response$levels))
  dimnames(P) <- list(NULL, response$levels)
  P
}

# The p that minimises sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2 with sum p = 1 (Wu, Lin and
# Weng, 2004, second method), where r_ij is the probability of class i on the rows of i and j. With
#   Q_ii = sum_{s != i} r_si^2, Q_ij = -r_ji r_ij
# it is p'Qp, which e e' leaves as it is but for a constant, and p is (Q + e e')^-1 e divided by
# its sum. Q alone is singular when the r_ij are consistent.
# r [rows x submodels]: probability of the class pairs[, 2]. Many rows at a time.
couple_pairs <- function(r, pairs, classes) {
  if (nrow(r) > chunk_rows) {
    parts <- split(seq_len(nrow(r)), (seq_len(nrow(r)) - 1L) %/% chunk_rows)
    return(do.call(rbind, lapply(parts, function(at) {
      couple_pairs(r[at, , drop = FALSE], pairs, classes)
    })))
  }
  p <- pmax(solve_for_ones(coupling_matrices(r, pairs, classes)), 0)
  p / rowSums(p)
}

# Q + e e' of all rows: entry (i, j), i >= j, is a vector with a number for each row.
coupling_matrices <- function(r, pairs, classes) {
  A <- matrix(list(rep(1, nrow(r))), classes, classes)
  for (m in seq_len(nrow(pairs))) {
    i <- pairs[m, 1L]
    j <- pairs[m, 2L]
    of_j <- r[, m]
    of_i <- 1 - of_j
    A[[i, i]] <- A[[i, i]] + of_j^2
    A[[j, j]] <- A[[j, j]] + of_i^2
    A[[max(i, j), min(i, j)]] <- 1 - of_i * of_j
  }
  A
}

# x [rows x k] with A x = e, by elimination without pivots: A is positive definite.
solve_for_ones <- function(A) {
  k <- nrow(A)
  x <- rep(list(rep(1, length(A[[1L, 1L]]))), k)
  for (j in seq_len(k - 1L)) {
    for (i in (j + 1L):k) {
      factor <- A[[i, j]] / A[[j, j]]
      x[[i]] <- x[[i]] - factor * x[[j]]
      for (l in (j + 1L):i) A[[i, l]] <- A[[i, l]] - factor * A[[l, j]]
    }
  }
  for (j in k:1) {
    for (i in seq_len(k - j) + j) x[[j]] <- x[[j]] - A[[i, j]] * x[[i]]
    x[[j]] <- x[[j]] / A[[j, j]]
  }
  do.call(cbind, x)
}
