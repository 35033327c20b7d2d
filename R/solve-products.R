# Fits to many rows without their Gram matrix: conjugate gradients need products with it alone, for
# each of which its values are computed again.

# With more rows no Gram matrix is made where products do.
gram_rows <- 10000L

# Landmarks of product_root(), times the root of n: with more of them the root takes longer than the
# products that it saves.
product_landmarks <- 6

# Predictions are then known to about 1e-5 standard deviations of the response.
product_error <- 1e-10

product_steps <- 100L

takes_products <- function(space) nrow(space$X) > gram_rows && !is_custom(space$kernel)

# As solve_gram(); NULL where there must be a matrix.
solve_products <- function(space, task, args) {
  if (!takes_products(space)) return(NULL)
  # kappa is the same for all rows of a domain
  order <- order(space$domain)
  space <- rows_in_order(space, order)
  sorted <- list(Y = task$Y[order, , drop = FALSE], costs = task$costs[order])
  largest <- max(kernel_diag_(kernel_program(space$kernel, space$X, space$X), space$X))
  if (!is.null(space$domain_kernel$kappa)) largest <- largest * max(diag(space$domain_kernel$kappa))
  ridge <- row_ridges(args$lambda, sorted$costs, matrix(largest))
  solved <- solve_conjugate(gram_products(space), product_root(space), largest, ridge, sorted, args,
                            product_error, product_steps)
  if (is.null(solved)) return(NULL)
  back <- order(order)
  for (part in c("coefficients", "decision")) solved[[part]] <- take(solved[[part]], back)
  solved
}

# K, as ridge_conjugate_() and gram_product_() take it too.
gram_products <- function(space) {
  kappa <- space$domain_kernel$kappa
  structure(list(program = kernel_program(space$kernel, space$X, space$X), X = space$X,
                 kappa = kappa, domain = if (!is.null(kappa)) as.integer(space$domain),
                 threads = space$threads), class = "gram_products")
}

#' @exportS3Method
dim.gram_products <- function(x) rep(nrow(x$X), 2L)

#' @exportS3Method
as.matrix.gram_products <- function(x, ...) {
  check_memory(nrow(x), copies = 2)
  kernel_gram_(x$program, x$X, x$kappa, x$domain, x$threads)
}

# Of some rows, and the same columns.
gram_part <- function(K, at) {
  if (is.matrix(K)) return(K[at, at, drop = FALSE])
  for (part in c("X", "domain")) K[[part]] <- take(K[[part]], at)
  K
}

gram_times <- function(K, A) if (is.matrix(K)) K %*% A else gram_product_(K, as.matrix(A))

# U [n x q] with K ~ UU', of landmarks by randomly pivoted Cholesky, whose draws are always the
# same; NULL where the kernel is 0. share: of their usual number.
product_root <- function(space, share = 1) {
  kappa <- space$domain_kernel$kappa
  codes <- as.integer(space$domain)
  points <- list(X = space$X, domain = codes, threads = space$threads)
  wanted <- ceiling(share * product_landmarks * sqrt(nrow(space$X)))
  chosen <- with_seed(1L, pivot_landmarks(space$kernel, kappa, points, wanted))
  if (is.null(chosen$factor)) return(NULL)
  map <- new_landmark_map(space$kernel, kappa, chosen$landmarks, chosen$factor)
  t(feature_columns_(feature_program(map, space$X, kappa), space$X, if (!is.null(kappa)) codes,
                     space$threads))
}
