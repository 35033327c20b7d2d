# The kernel on the response as features: k_y(y, y') ~ <f(y), f(y')>, with
# landmarks that are chosen once, so that rows seen later have the same features.

# How many numbers are looked at for landmarks, and how many may become one.
response_candidates <- 20000L

response_landmarks <- 200L

# y: numbers, a matrix of several responses, class labels or NULL. Classes need no landmarks: their
# features are a table with one row per class, see class_features().
response_map <- function(y, kernel_y) {
  if (is.null(y)) return(NULL)
  kernel <- response_kernel(y, kernel_y)
  if (is.factor(y)) return(list(kind = "class", kernel = kernel))
  c(list(kind = "number", kernel = kernel), number_landmarks(y, kernel))
}

# f(y) = L^-1 k_y(S, y) with L L' = k_y(S, S); `error` is the share of the trace
# of the kernel at the candidates that f leaves out.
number_landmarks <- function(y, kernel) {
  Y <- kernel_points(kernel, candidates(distinct_sorted(y)))
  program <- kernel_program(kernel, Y, Y)
  diagonal <- kernel_diag_(program, Y)
  check_overflow(diagonal, kernel)
  chosen <- kernel_pivoted_cholesky_(program, Y, negligible, min(response_landmarks, nrow(Y)))
  if (chosen$rank == 0L) {
    abort("data", "`kernel_y` must not be zero for every response; ", format(kernel), " is.")
  }
  error <- max(chosen$error, 0) / sum(diagonal)
  if (error > 0.01) {
    warn("rank", "The kernel on the response, ", format(kernel), ", is not smooth: ",
         chosen$rank, " landmarks leave out ", signif(100 * error, 2), "% of its trace.")
  }
  list(landmarks = Y[chosen$pivots, , drop = FALSE],
       factor = chosen$factor[chosen$pivots, , drop = FALSE], error = error)
}

# Rows of several responses are sorted by the first.
distinct_sorted <- function(y) {
  if (!is.matrix(y)) return(sort(unique(y)))
  y <- unique(y)
  y[do.call(order, lapply(seq_len(ncol(y)), function(j) y[, j])), , drop = FALSE]
}

# All of y, sorted and distinct; or, if these are many, a twentieth of the candidates from each end,
# where numbers lie far from each other, and evenly spaced ones between.
candidates <- function(y) {
  n <- NROW(y)
  if (n <= response_candidates) return(y)
  end <- response_candidates %/% 20L
  take(y, c(seq_len(end),
            round(seq(end + 1, n - end, length.out = response_candidates - 2L * end)),
            seq(n - end + 1, n)))
}

# F [n x r] with k_y(y_i, y_j) ~ (F F')_ij, zero where y is missing; NULL where
# cells say all: no response, or classes.
response_rows <- function(map, y, threads) {
  if (is.null(map) || map$kind == "class") return(NULL)
  F <- matrix(0, NROW(y), nrow(map$landmarks))
  observed <- !is_missing(y)
  Y <- kernel_points(map$kernel, take(y, observed))
  program <- list(type = "landmarks", kernel = kernel_program(map$kernel, map$landmarks, Y),
                  landmarks = map$landmarks, factor = map$factor)
  values <- feature_rows_(program, Y, NULL, threads)
  check_overflow(values, map$kernel)
  if (all(observed)) return(values)
  F[observed, ] <- values
  F
}

# T [classes x r] with k_y(c, c') = (T T')_cc' between classes, whose codes are 1, 2, ...
class_features <- function(map, classes) {
  kernel_factor(map$kernel, kernel_points(map$kernel, factor(classes, classes)))
}

response_kernel <- function(y, kernel_y) {
  if (is_censored(y)) {
    abort("data", "A projection that uses the response needs a numeric one or classes, not ",
          "censored times; `dg_udica()` and `dg_kpca()` do not use it.")
  }
  if (is.null(kernel_y)) kernel_y <- if (is.factor(y)) kernel_delta() else kernel_rbf()
  kernel_fit(kernel_y, kernel_points(kernel_y, y))
}

# The kernel on the response and the factor of L, zero in rows without a response.
response_factor <- function(sample, kernel_y) {
  kernel <- response_kernel(sample$y, kernel_y)
  F <- kernel_factor(kernel, kernel_points(kernel, sample$y))
  if (ncol(F) == 0L) {
    abort("data", "`kernel_y` must not be zero for every response; ", format(kernel), " is.")
  }
  factor <- centred_factor(F)
  if (!is.null(sample$labelled)) {
    image <- factor$image
    factor$image <- matrix(0, nrow(sample$X), ncol(image))
    factor$image[sample$labelled, ] <- image
  }
  list(kernel = kernel, factor = factor)
}
