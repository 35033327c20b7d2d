# Products with a Gram matrix that is not made: its values are computed again for each of them.

# With more rows no Gram matrix is made where products do.
gram_rows <- 10000L

# points: with their `kernel`.
takes_products <- function(points) nrow(points$X) > gram_rows && !is_custom(points$kernel)

# What ridge_conjugate_() and gram_product_() take in the place of gram_matrix().
gram_products <- function(kernel, points, kappa = NULL) {
  structure(list(program = kernel_program(kernel, points$X, points$X), X = points$X, kappa = kappa,
                 domain = if (!is.null(kappa)) as.integer(points$domain),
                 threads = points$threads), class = "gram_products")
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
