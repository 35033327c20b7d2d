# The domains of the rows that a Gaussian process predicts: list(kappa [new x G] or
# NULL; own: kappa(P, P) of each; table: of a feature map; rows: that judge them).
new_domains <- function(object, X, domain, reference) {
  product <- object$product
  kernel <- product$domain_kernel
  if (!uses_domain(kernel)) return(list())
  if (!is.null(product$fixed)) return(fixed_domains(product))
  rows <- judging_rows(X, domain, reference, kernel)
  threads <- object$spec$args$threads
  domains <- list(own = kappa_own(kernel, rows$X, rows$domain, threads), rows = rows)
  if (inherits(product, "product_features")) {
    domains$table <- feature_table(product$map, kernel, rows$X, rows$domain, threads)
  } else {
    domains$kappa <- unname(domain_kernel_new(kernel, rows$X, rows$domain, threads))
  }
  domains
}

# The one domain of a product made by fix_domain().
fixed_domains <- function(product) {
  named <- stats::setNames(list(product$fixed$table),
                           if (inherits(product, "product_features")) "table" else "kappa")
  c(named, list(own = product$fixed$own))
}

# The training domains, as they were in training.
old_domains <- function(object) {
  kernel <- object$product$domain_kernel
  if (!uses_domain(kernel)) return(list())
  kappa <- unname(kernel$kappa)
  list(kappa = kappa, own = diag(kappa), among = kappa)
}

# kappa(P, P) of domains that are described by these rows.
kappa_own <- function(kernel, X, domain, threads) UseMethod("kappa_own")

#' @exportS3Method
kappa_own.domgen_domain_kernel <- function(kernel, X, domain, threads) rep(1, nlevels(domain))

#' @exportS3Method
kappa_own.domain_embedding <- function(kernel, X, domain, threads) {
  if (inherits(kernel$outer, "kernel_stationary")) return(rep(1, nlevels(domain)))
  norms <- if (is.null(kernel$map)) embedding_norms(kernel$kernel, X, domain, threads)
           else rowSums(feature_means(kernel$map, X, domain, threads)^2)
  outer_own(kernel$outer, norms)
}

# kappa between domains that are described by these rows, [new x new].
kappa_among <- function(kernel, X, domain, threads) UseMethod("kappa_among")

#' @exportS3Method
kappa_among.domgen_domain_kernel <- function(kernel, X, domain, threads) {
  domain_kernel_fit(kernel, X, domain, threads)$kappa
}

#' @exportS3Method
kappa_among.domain_embedding <- function(kernel, X, domain, threads) {
  inner <- if (is.null(kernel$map)) embedding_gram(kernel$kernel, X, domain, threads)
           else tcrossprod(feature_means(kernel$map, X, domain, threads))
  unname(kernel_profile(kernel$outer, inner, diag(inner), diag(inner)))
}
