# The kernel on (domain, x): kappa(P, P') k(x, x'), fitted to training rows. It
# is the one thing that projections and learners know of kernels: they ask for
# the Gram matrix of the training rows and for expansions at new rows, and
# never which kernel or domain kernel it was.

gram_space <- function(kernel, domain_kernel, sample, threads) {
  kernel <- kernel_fit(kernel, sample$X)
  points <- rows_of(sample, threads)
  domain_kernel <- domain_kernel_fit(domain_kernel, points)
  structure(c(points, list(kernel = kernel, domain_kernel = domain_kernel)), class = "gram_space")
}

# K [n x n]
space_gram <- function(space) {
  gram_matrix(space$kernel, space, space$domain_kernel$kappa)
}

# The mean of k(x, x), the diagonal of K where kappa(P, P) is 1.
mean_diagonal <- function(space) {
  mean(kernel_diag_(kernel_program(space$kernel, space$X, space$X), space$X))
}

# Landmarks of landmark_root(), times the root of n.
usual_landmarks <- 3

# U [n x q] with K ~ UU' from q = per_root * sqrt(n) of its rows, see core/ridge/conjugate.h; NULL
# if K of these rows is not positive definite, as where it is 0 or a user's own.
landmark_root <- function(K, per_root = usual_landmarks) {
  on_error(ridge_landmarks_(K, ceiling(per_root * sqrt(nrow(K)))), function(e) NULL)
}

# Landmarks of product_root(), times the root of n: with more of them the root takes longer than the
# products that it saves.
product_landmarks <- 6

# U [n x q] with K ~ UU', of landmarks by randomly pivoted Cholesky, whose draws are always the
# same; NULL where the kernel is 0. share: of their usual number.
product_root <- function(space, share = 1) {
  kappa <- space$domain_kernel$kappa
  points <- list(X = space$X, domain = as.integer(space$domain), threads = space$threads)
  wanted <- ceiling(share * product_landmarks * sqrt(nrow(space$X)))
  chosen <- with_seed(1L, pivot_landmarks(space$kernel, kappa, points, wanted))
  if (is.null(chosen$factor)) return(NULL)
  map <- new_landmark_map(space$kernel, kappa, chosen$landmarks, chosen$factor)
  t(feature_columns_(feature_program(map, points$X, kappa), points$X,
                     if (!is.null(kappa)) points$domain, points$threads))
}

# The value of a local variable, which is then gone. The core works in the memory of a matrix that
# has no other name and in a copy of any other.
hand_over <- function(K) {
  value <- K
  rm(list = as.character(substitute(K)), envir = parent.frame())
  value
}

# f(P, x) at new rows, [rows x columns of A]: sum_i k((P_i, x_i), (P, x)) A_i, or
# <z(P, x), A> with features. rows: see read_new(); a domain that has rows in their `reference` is
# described by these, any other by its rows in X.
space_expansion <- function(space, rows, A) UseMethod("space_expansion")

#' @exportS3Method
space_expansion.gram_space <- function(space, rows, A) {
  if (nrow(rows$X) == 0L) return(matrix(0, 0L, ncol(A)))
  kappa <- new_table(space, rows)
  used <- rowSums(A != 0) > 0
  Z <- space$X[used, , drop = FALSE]
  A <- A[used, , drop = FALSE]
  codes <- as.integer(rows$domain)
  trained <- as.integer(space$domain)[used]
  parts <- lapply(kernel_blocks(space$kernel, nrow(rows$X), nrow(Z)), function(i) {
    X <- take(rows$X, i)
    kernel_apply_(kernel_program(space$kernel, X, Z), X, Z, A, kappa, take(codes, i),
                  trained, space$threads)
  })
  values <- if (length(parts) == 1L) parts[[1L]] else do.call(rbind, parts)
  check_overflow(values, space$kernel)
  values
}

# What a representation needs to know of the domains of new rows: kappa [new x G], or the table of a
# feature map; NULL where they make no difference. It may be known from more rows than these.
new_table <- function(space, new) {
  if (!uses_domain(space$domain_kernel)) return(NULL)
  if (!is.null(new$table)) return(new$table)
  domain_table(space, domain_members(space, new))
}

# The same for rows that describe their own domains, as those of training do.
own_table <- function(space, sample) {
  if (!uses_domain(space$domain_kernel)) return(NULL)
  domain_table(space, rows_of(sample, space$threads))
}

domain_table <- function(space, points) UseMethod("domain_table")

#' @exportS3Method
domain_table.gram_space <- function(space, points) {
  training_kappa(space$domain_kernel, points)
}

# The rows that say which distribution each domain has.
domain_members <- function(space, new) {
  domain <- new$domain
  members <- describing_rows(new$X, domain, new$reference)
  members$threads <- space$threads
  members
}
