#' @rdname features_nystrom
#' @export
features_nystrom <- function(n_landmarks = 200, sampling = c("rpcholesky", "kmeans", "uniform")) {
  new_features("nystrom", n_landmarks = check_count(n_landmarks, "n_landmarks"),
               sampling = check_choice(sampling, "sampling", c("rpcholesky", "kmeans", "uniform")))
}

#' @exportS3Method
represent.features_nystrom <- function(features, kernel, domain_kernel, sample, threads) {
  kernel <- kernel_fit(kernel, sample$X)
  domain_kernel <- domain_kernel_fit(domain_kernel, sample$X, sample$domain, threads, features)
  rows <- list(X = sample$X, domain = as.integer(sample$domain))
  landmarks <- if (features$n_landmarks >= nrow(rows$X)) rows
  else choose_landmarks(features, kernel, domain_kernel$kappa, rows, threads)
  map <- landmark_map(kernel, domain_kernel$kappa, landmarks, threads)
  warn_rank(features, map$rank, nrow(sample$X))
  new_product_features(features, kernel, domain_kernel, map, map$rank, sample$X)
}

# L with W ~ L L' at the landmarks, in the order of its pivots, without those that are
# negligible.
landmark_map <- function(kernel, kappa, landmarks, threads) {
  S <- landmarks$X
  codes <- if (!is.null(kappa)) landmarks$domain
  W <- if (nrow(S) > 0L) gram_matrix(kernel, S, kappa, codes, threads) else matrix(0)
  if (all(diag(W) == 0)) {
    abort("data", "The kernel ", format(kernel), " is 0 at all landmarks; `features_nystrom()` ",
          "needs rows where it is not.")
  }
  # chol() warns of a deficient rank, which is no surprise here
  R <- suppressWarnings(chol(W, pivot = TRUE, tol = negligible * max(diag(W))))
  rank <- attr(R, "rank")
  pivot <- attr(R, "pivot")[seq_len(rank)]
  used <- seq_len(rank)
  structure(list(
    kernel = kernel, landmarks = S[pivot, , drop = FALSE], domain = codes[pivot],
    factor = t(R[used, used, drop = FALSE]), rank = rank
  ), class = "landmark_map")
}

warn_rank <- function(features, rank, n) {
  asked <- features$n_landmarks
  if (rank == asked) return(invisible())
  warn("rank", "`n_landmarks` is ", asked, ", but ",
       if (rank == n) paste0("there ", if (n == 1L) "is" else "are", " only ", plural(n, "row"))
       else paste0("only ", rank, " of the landmarks ", if (rank == 1L) "is" else "are",
                   " independent"),
       ": ", rank, if (rank == 1L) " is used." else " are used.")
}

#' @exportS3Method
feature_table.landmark_map <- function(map, domain_kernel, X, domain, threads) {
  t(unname(domain_kernel_new(domain_kernel, X, domain, threads)))
}

#' @exportS3Method
feature_program.landmark_map <- function(map, X, table = NULL) {
  list(type = "landmarks", kernel = kernel_program(map$kernel, map$landmarks, X),
       landmarks = map$landmarks, factor = map$factor, kappa = table,
       landmark_domain = map$domain)
}

# Fewer landmarks than rows: list(X [q x p], domain [q]).
choose_landmarks <- function(features, kernel, kappa, rows, threads) {
  q <- features$n_landmarks
  switch(features$sampling,
    rpcholesky = pivot_landmarks(kernel, kappa, rows, q, threads),
    kmeans = centre_landmarks(kernel, kappa, rows, q, threads),
    uniform = take_pairs(rows, sample.int(nrow(rows$X), q)))
}

take_pairs <- function(rows, i) list(X = rows$X[i, , drop = FALSE], domain = rows$domain[i])

at_most_rows <- function(rows, most) {
  if (nrow(rows$X) <= most) rows else take_pairs(rows, sample.int(nrow(rows$X), most))
}

# The factor of the pivoted decomposition has a column per landmark: a subset
# of the rows bounds its memory.
pivot_landmarks <- function(kernel, kappa, rows, q, threads) {
  rows <- at_most_rows(rows, max(5 * q, if (is_custom(kernel)) 2000 else 10000))
  check_feature_memory(nrow(rows$X), q)
  codes <- if (!is.null(kappa)) rows$domain
  program <- kernel_program(kernel, rows$X, rows$X)
  check_overflow(kernel_diag_(program, rows$X), kernel)
  take_pairs(rows, feature_pivots_(program, rows$X, kappa, codes, q, negligible, threads))
}

# Is some part of the kernel evaluated in R?
is_custom <- function(kernel) {
  if (!is.null(kernel$parts)) return(any(vapply(kernel$parts, is_custom, logical(1))))
  inherits(kernel, "kernel_custom") ||
    inherits(kernel, "kernel_stationary") && is.null(core_name(kernel))
}

# Centres of k-means from the pivots, which say how many there are to be where;
# domain by domain unless they are pooled.
centre_landmarks <- function(kernel, kappa, rows, q, threads) {
  if (!all(vapply(kernel_columns(kernel), identical, NA, plain_wish))) {
    abort("argument", "`sampling` must not be \"kmeans\" with ", format(kernel), ": categories ",
          "and ids have no means.")
  }
  rows <- at_most_rows(rows, max(5 * q, 20000))
  if (is.null(kappa)) rows$domain <- rep(1L, nrow(rows$X))
  start <- pivot_landmarks(kernel, kappa, rows, q, threads)
  for (d in unique(start$domain)) {
    own <- start$domain == d
    start$X[own, ] <- centres(kernel, rows$X[rows$domain == d, , drop = FALSE],
                              start$X[own, , drop = FALSE])
  }
  start
}

# In units of the bandwidth, so that a predictor with a large one counts little.
centres <- function(kernel, X, start) {
  # kmeans() would take one centre of one predictor for a number of centres
  if (nrow(start) == 1L) return(t(colMeans(X)))
  # nor does it take as many centres as rows
  if (nrow(start) >= nrow(X)) return(start)
  scale <- rep_len(if (is.null(kernel$sigma)) 1 else kernel$sigma, ncol(X))
  # it warns when it has not converged, which landmarks need not
  found <- suppressWarnings(stats::kmeans(sweep(X, 2L, scale, "/"), sweep(start, 2L, scale, "/")))
  sweep(found$centers, 2L, scale, "*")
}

#' @export
format.features_nystrom <- function(x, ...) {
  how <- c(rpcholesky = "by randomly pivoted Cholesky", kmeans = "by k-means",
           uniform = "drawn uniformly")
  paste0("Nystrom, ", plural(x$n_landmarks, "landmark"), " ", how[[x$sampling]])
}
