# The kernel on (domain, x): kappa(P, P') k(x, x'), fitted to training rows. It
# is the one thing that projections and learners know of kernels: they ask for
# the Gram matrix of the training rows and for expansions at new rows, and
# never which kernel or domain kernel it was.

product_kernel <- function(kernel, domain_kernel, sample, threads) {
  kernel <- kernel_fit(kernel, sample$X)
  structure(list(
    kernel = kernel, X = sample$X, domain = sample$domain,
    domain_kernel = domain_kernel_fit(domain_kernel, sample$X, sample$domain, threads)
  ), class = "product_kernel")
}

# K [n x n]
product_gram <- function(product, threads) {
  gram_matrix(product$kernel, product$X, product$domain_kernel$kappa,
              as.integer(product$domain), threads)
}

# The value of a local variable, which is then gone. The core works in the memory of a matrix that
# has no other name and in a copy of any other.
hand_over <- function(K) {
  value <- K
  rm(list = as.character(substitute(K)), envir = parent.frame())
  value
}

# f(P, x) at new rows, [rows x columns of A]: sum_i k((P_i, x_i), (P, x)) A_i, or
# <z(P, x), A> with features. reference: list(X, domain), further unlabelled rows;
# a domain that has some is judged by them, any other by its rows in X.
product_expansion <- function(product, X, domain, A, threads, reference = NULL) {
  UseMethod("product_expansion")
}

#' @exportS3Method
product_expansion.product_kernel <- function(product, X, domain, A, threads, reference = NULL) {
  if (nrow(X) == 0L) return(matrix(0, 0L, ncol(A)))
  kappa <- new_kappa(product, X, domain, threads, reference)
  used <- rowSums(A != 0) > 0
  Z <- product$X[used, , drop = FALSE]
  A <- A[used, , drop = FALSE]
  codes <- as.integer(domain)
  known <- as.integer(product$domain)[used]
  parts <- lapply(kernel_blocks(product$kernel, nrow(X), nrow(Z)), function(rows) {
    own <- take(X, rows)
    kernel_apply_(kernel_program(product$kernel, own, Z), own, Z, A, kappa, take(codes, rows),
                  known, threads)
  })
  values <- if (length(parts) == 1L) parts[[1L]] else do.call(rbind, parts)
  check_overflow(values, product$kernel)
  values
}

# kappa [new domains x G], or NULL when it is constant.
new_kappa <- function(product, X, domain, threads, reference) {
  kernel <- product$domain_kernel
  if (!uses_domain(kernel)) return(NULL)
  if (!is.null(product$fixed)) return(product$fixed$table)
  rows <- judging_rows(X, domain, reference, kernel)
  unname(domain_kernel_new(kernel, rows$X, rows$domain, threads))
}

# The rows that say which distribution each domain has.
judging_rows <- function(X, domain, reference, kernel) {
  rows <- describing_rows(X, domain, reference)
  if (!judges_rows(kernel)) return(rows)
  single <- tabulate(rows$domain, nlevels(domain)) == 1L
  if (any(single)) {
    one <- sum(single) == 1L
    warn("small_domain", if (one) "A domain is" else "Domains are", " judged by a single row",
         if (!one) " each", ": ", enumerate(levels(domain)[single], quote = "\""),
         ". Give more of ", if (one) "its" else "their", " unlabelled rows as `reference`.")
  }
  rows
}

describing_rows <- function(X, domain, reference) {
  if (is.null(reference)) return(list(X = X, domain = domain))
  described <- factor(reference$domain, levels = levels(domain))
  extra <- !is.na(described)
  own <- !domain %in% described[extra]
  list(X = rbind(X[own, , drop = FALSE], reference$X[extra, , drop = FALSE]),
       domain = factor(c(as.character(domain)[own], as.character(described)[extra]),
                       levels = levels(domain)))
}
