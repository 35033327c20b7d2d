#' @rdname features_nystrom
#' @order 3
#' @export
features_nystrom <- function(n_landmarks = 200, sampling = c("rpcholesky", "kmeans", "uniform")) {
  default <- missing(n_landmarks)
  new_features("nystrom", n_landmarks = check_count(n_landmarks, "n_landmarks"),
               sampling = check_choice(sampling, "sampling", c("rpcholesky", "kmeans", "uniform")),
               default = default)
}

#' @exportS3Method
represent.features_nystrom <- function(feature_map, kernel, domain_kernel, rows, threads) {
  rows <- rows_of(rows, threads)
  kernel <- kernel_fit(kernel, rows$X)
  domain_kernel <- domain_kernel_fit(domain_kernel, rows, feature_map)
  kappa <- domain_kernel$kappa
  rows$domain <- as.integer(rows$domain)
  q <- feature_map$n_landmarks
  n <- nrow(rows$X)
  chosen <- if (q >= n) list(landmarks = rows) else switch(feature_map$sampling,
    rpcholesky = pivot_landmarks(kernel, kappa, rows, q),
    kmeans = list(landmarks = centre_landmarks(kernel, kappa, rows, q)),
    uniform = list(landmarks = rows_at(rows, sample.int(n, q))))
  map <- if (is.null(chosen$factor)) landmark_map(kernel, kappa, chosen$landmarks)
         else new_landmark_map(kernel, kappa, chosen$landmarks, chosen$factor)
  rank <- map$rank
  # a number of pivots is a maximum
  if (rank != q && feature_map$sampling == "uniform" && !isTRUE(feature_map$default)) {
    warn("rank", "`n_landmarks` is ", q, ", but ",
         if (rank == n) paste0("there ", if (n == 1L) "is" else "are", " only ", plural(n, "row"))
         else paste0("only ", rank, " of the landmarks ", if (rank == 1L) "is" else "are",
                     " independent"),
         ": ", rank, if (rank == 1L) " is used." else " are used.")
  }
  new_feature_space(feature_map, kernel, domain_kernel, map, map$rank, rows, chosen$features)
}

# L with W ~ L L' at the landmarks, in the order of its pivots, without those that are
# negligible.
landmark_map <- function(kernel, kappa, landmarks) {
  S <- landmarks$X
  W <- if (nrow(S) > 0L) gram_matrix(kernel, landmarks, kappa) else matrix(0)
  if (all(diag(W) == 0)) {
    abort("data", "The kernel ", format(kernel), " is 0 at all landmarks; `features_nystrom()` ",
          "needs rows where it is not.")
  }
  # chol() warns of a deficient rank, which is no surprise here
  R <- suppressWarnings(chol(W, pivot = TRUE, tol = negligible * max(diag(W))))
  used <- seq_len(attr(R, "rank"))
  new_landmark_map(kernel, kappa, rows_at(landmarks, attr(R, "pivot")[used]),
                   t(R[used, used, drop = FALSE]))
}

# L [q x q], its lower triangle, of independent landmarks in this order.
new_landmark_map <- function(kernel, kappa, landmarks, L) {
  structure(list(
    kernel = kernel, of_rows = TRUE, landmarks = landmarks$X,
    domain = if (!is.null(kappa)) landmarks$domain, factor = L, rank = nrow(L)
  ), class = "landmark_map")
}

# A model of an ensemble may leave out L, most of its size: it follows from the landmarks.
landmark_factor <- function(map) {
  if (!is.null(map$factor)) return(map$factor)
  landmarks <- list(X = map$landmarks, domain = map$domain, threads = 1L)
  t(chol(gram_matrix(map$kernel, landmarks, map$kappa)))
}

# For calls that evaluate the map many times.
#' @exportS3Method
with_factor.landmark_map <- function(map) {
  map["factor"] <- list(landmark_factor(map))
  map
}

without_factor <- function(map, kappa) {
  map["factor"] <- list(NULL)
  map$kappa <- kappa
  map
}

#' @exportS3Method
feature_table.landmark_map <- function(map, domain_kernel, points) {
  t(training_kappa(domain_kernel, points))
}

#' @exportS3Method
feature_program.landmark_map <- function(map, X, table = NULL) {
  list(type = "landmarks", kernel = kernel_program(map$kernel, map$landmarks, X),
       landmarks = map$landmarks, factor = if (!isTRUE(map$unsolved)) landmark_factor(map),
       kappa = table, landmark_domain = map$domain)
}

# k(S, (P, x)), without L^-1.
#' @exportS3Method
unsolved_map.landmark_map <- function(map) replace(map, "unsolved", TRUE)

# The rounding of a square, relative to its largest value, is multiplied by trace(W^-1) max(W).
most_trace <- 1e6

#' @exportS3Method
solves_squares.landmark_map <- function(map) {
  L <- landmark_factor(map)
  isTRUE(sum(forwardsolve(L, diag(nrow(L)))^2) * max(rowSums(L^2)) <= most_trace)
}

#' @exportS3Method
solve_sums.landmark_map <- function(map, sums) forwardsolve(landmark_factor(map), sums)

# With landmarks, z(x)'A = k(x, S) L^-T A: no triangular solve for each row, unless L^-T A is so
# large that its cancellation would show.
#' @exportS3Method
expand_folded.landmark_map <- function(map, space, points, table, A) {
  if (is_custom(space$kernel) || length(A) == 0L) return(NULL)
  weights <- backsolve(landmark_factor(map), A, upper.tri = FALSE, transpose = TRUE)
  if (!isTRUE(max(abs(weights)) <= 1e4 * max(abs(A)))) return(NULL)
  kernel_apply_(kernel_program(space$kernel, points$X, map$landmarks), points$X, map$landmarks,
                weights, if (!is.null(table)) t(table),
                if (!is.null(table)) as.integer(points$domain), map$domain, space$threads)
}

at_most_rows <- function(points, most) {
  if (nrow(points$X) <= most) points else rows_at(points, sample.int(nrow(points$X), most))
}

# Enough landmarks leave this share of the kernel's trace: a tenth of the smallest lambda over n,
# see penalty_shares.
enough_landmarks <- 1e-6

# The factor of the pivoted decomposition has a column per landmark: a subset of the rows bounds its
# memory. Its rows are the features of these points. list(landmarks, factor: L, NULL where the
# kernel is 0 and there are none; features [q x n], unless a subset was used). For a user's kernel
# the landmarks alone are kept: landmark_map() then shows whether its values are right.
pivot_landmarks <- function(kernel, kappa, points, q) {
  custom <- is_custom(kernel)
  part <- at_most_rows(points, max(5 * q, if (custom) 2000 else 10000))
  drawn <- draw_pivots(kernel, kappa, part, q, features = !custom && nrow(part$X) == nrow(points$X))
  list(landmarks = rows_at(part, drawn$rows), features = drawn$features,
       factor = if (!custom && length(drawn$rows)) drawn$factor)
}

# list(rows: numbers of the landmarks, factor: their L, features [q x n] of all points, where
# wanted, with `ones` rows of ones; left: mean of what they leave of the kernel's diagonal)
draw_pivots <- function(kernel, kappa, points, q, features = FALSE, ones = 0L) {
  check_feature_memory(nrow(points$X), q)
  codes <- if (!is.null(kappa)) as.integer(points$domain)
  program <- kernel_program(kernel, points$X, points$X)
  check_overflow(kernel_diag_(program, points$X), kernel)
  feature_pivots_(program, points$X, kappa, codes, q, negligible, enough_landmarks, features, ones,
                  points$threads)
}

# Centres of k-means that starts at the pivots, which decide how many centres are where; domain by
# domain unless these are pooled.
centre_landmarks <- function(kernel, kappa, points, q) {
  if (!all(vapply(kernel_columns(kernel), identical, NA, default_wish))) {
    abort("argument", "`sampling` must not be \"kmeans\" with ", format(kernel), ": categories ",
          "and ids have no means.")
  }
  points <- at_most_rows(points, max(5 * q, 20000))
  if (is.null(kappa)) points$domain <- rep(1L, nrow(points$X))
  start <- pivot_landmarks(kernel, kappa, points, q)$landmarks
  for (d in unique(start$domain)) {
    at <- start$domain == d
    start$X[at, ] <- centres(kernel, points$X[points$domain == d, , drop = FALSE],
                             start$X[at, , drop = FALSE])
  }
  start
}

# In units of the bandwidth, so that a predictor with a large one counts little.
centres <- function(kernel, X, start) {
  # kmeans() would take one centre of one predictor for a number of centres
  if (nrow(start) == 1L) return(t(colMeans(X)))
  # nor does it take as many centres as rows
  if (nrow(start) >= nrow(X)) return(start)
  scale <- rep_len(if (is.null(kernel$bandwidth)) 1 else kernel$bandwidth, ncol(X))
  # it warns when it has not converged, which landmarks need not
  clusters <- suppressWarnings(stats::kmeans(sweep(X, 2L, scale, "/"),
                                             sweep(start, 2L, scale, "/")))
  sweep(clusters$centers, 2L, scale, "*")
}

#' @export
format.features_nystrom <- function(x, ...) {
  how <- c(rpcholesky = "by randomly pivoted Cholesky", kmeans = "by k-means",
           uniform = "drawn uniformly")
  paste0("Nystrom, ", plural(x$n_landmarks, "landmark"), " ", how[[x$sampling]])
}
