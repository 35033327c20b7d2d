#' @rdname domain_distribution
#' @export
domain_distribution <- function(kernel = kernel_rbf(), outer = kernel_rbf()) {
  check_kernel(outer, "outer")
  if (inherits(outer, "kernel_stationary") && length(outer$sigma) > 1L) {
    abort("argument", "`sigma` of `outer` must be one positive number, not ",
          describe(outer$sigma), ".")
  }
  new_domain_kernel("embedding", kernel = check_kernel(kernel, "kernel"), outer = outer)
}

# Remembers the training rows' embeddings: their inner products decide kappa.
#' @exportS3Method
domain_kernel_fit.domain_embedding <- function(kernel, X, domain, threads) {
  kernel$kernel <- kernel_fit(kernel$kernel, X)
  gram <- embedding_gram(kernel$kernel, X, domain, threads)
  kernel$norms <- diag(gram)
  kernel$outer <- kernel_fit(kernel$outer, gram_coordinates(gram))
  kernel$kappa <- kernel_profile(kernel$outer, gram, kernel$norms, kernel$norms)
  check_overflow(kernel$kappa, kernel$outer)
  kernel$X <- X
  kernel$domain <- domain
  kernel
}

#' @exportS3Method
domain_kernel_new.domain_embedding <- function(kernel, X, domain, threads) {
  inner <- embedding_gram(kernel$kernel, X, domain, threads, kernel$X, kernel$domain)
  kappa <- kernel_profile(kernel$outer, inner, embedding_norms(kernel$kernel, X, domain, threads),
                          kernel$norms)
  check_overflow(kappa, kernel$outer)
  kappa
}

# Points in Euclidean space with these inner products, [G x G].
gram_coordinates <- function(gram) {
  decomposition <- eigen(gram, symmetric = TRUE)
  decomposition$vectors %*% diag(sqrt(pmax(decomposition$values, 0)), nrow(gram))
}

#' @export
format.domain_embedding <- function(x, ...) {
  paste0(format_bandwidth(x$outer), ", between mean embeddings of ", format_bandwidth(x$kernel))
}
