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

# Remembers the training rows' embeddings, whose inner products decide kappa: by
# the rows themselves, or by the coordinates of the embeddings [G x r] in a
# feature map of their kernel, which do not grow with the rows.
#' @exportS3Method
domain_kernel_fit.domain_embedding <- function(kernel, X, domain, threads, features = NULL) {
  if (is.null(features) || inherits(features, "features_exact")) {
    kernel$kernel <- kernel_fit(kernel$kernel, X)
    gram <- embedding_gram(kernel$kernel, X, domain, threads)
    kernel$X <- X
    kernel$domain <- domain
  } else {
    kernel$map <- embedding_map(kernel$kernel, X, domain, threads, features)
    kernel$kernel <- kernel$map$kernel
    kernel$coordinates <- feature_means(kernel$map, X, domain, threads)
    gram <- tcrossprod(kernel$coordinates)
  }
  kernel$norms <- diag(gram)
  kernel$outer <- kernel_fit(kernel$outer, gram_coordinates(gram))
  kernel$kappa <- kernel_profile(kernel$outer, gram, kernel$norms, kernel$norms)
  check_overflow(kernel$kappa, kernel$outer)
  kernel
}

# Landmarks that are not independent lose nothing here, and the features of x
# warn of theirs.
embedding_map <- function(kernel, X, domain, threads, features) {
  quietly(represent(features, kernel, domain_pooled(), list(X = X, domain = domain), threads),
          "domgen_warning_rank")
}

#' @exportS3Method
domain_kernel_new.domain_embedding <- function(kernel, X, domain, threads) {
  embeddings <- new_embeddings(kernel, X, domain, threads)
  kappa <- kernel_profile(kernel$outer, embeddings$inner, embeddings$norms, kernel$norms)
  check_overflow(kappa, kernel$outer)
  kappa
}

# Inner products of new embeddings with those of training, and squared norms.
new_embeddings <- function(kernel, X, domain, threads) {
  if (is.null(kernel$map)) {
    return(list(
      inner = embedding_gram(kernel$kernel, X, domain, threads, kernel$X, kernel$domain),
      norms = embedding_norms(kernel$kernel, X, domain, threads)
    ))
  }
  coordinates <- feature_means(kernel$map, X, domain, threads)
  list(inner = tcrossprod(coordinates, kernel$coordinates), norms = rowSums(coordinates^2))
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
