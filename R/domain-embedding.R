#' @rdname domain_distribution
#' @export
domain_distribution <- function(kernel = kernel_rbf(), outer = kernel_rbf()) {
  check_kernel(outer, "outer")
  if (is_stationary(outer) && length(outer$sigma) > 1L) {
    abort("argument", "`sigma` of `outer` must be one positive number, not ",
          describe(outer$sigma), ".")
  }
  new_domain_kernel("embedding", kernel = check_kernel(kernel, "kernel"), outer = outer)
}

# Remembers the training rows' embeddings, whose inner products decide kappa: by
# the rows themselves, or by the coordinates of the embeddings [G x r] in a
# feature map of their kernel, which do not grow with the rows.
#' @exportS3Method
domain_kernel_fit.domain_embedding <- function(kernel, rows, features = NULL) {
  features <- embedding_features(features)
  if (is.null(features)) {
    kernel$kernel <- kernel_fit(kernel$kernel, rows$X)
    gram <- embedding_gram(kernel$kernel, rows)
    own <- mean(kernel_own(kernel$kernel, rows$X))
    kernel$X <- rows$X
    kernel$domain <- rows$domain
  } else {
    # landmarks that are not independent lose nothing here, and the features of x warn of theirs
    kernel$map <- quietly(represent(features, kernel$kernel, domain_pooled(), rows, rows$threads),
                          "domgen_warning_rank")
    kernel$kernel <- kernel$map$kernel
    kernel$coordinates <- feature_means(kernel$map, rows)
    gram <- tcrossprod(kernel$coordinates)
    own <- mean(rowSums(space_rows(kernel$map, list(X = spaced_rows(rows$X)))^2))
  }
  kernel$norms <- diag(gram)
  kernel$outer <- fit_outer(kernel$outer, gram, rows$domain, own)
  kernel$kappa <- kernel_profile(kernel$outer, gram, kernel$norms, kernel$norms)
  check_overflow(kernel$kappa, kernel$outer)
  kernel
}

#' @exportS3Method
domain_kappa.domain_embedding <- function(kernel, rows, among = FALSE) {
  if (among) {
    inner <- if (is.null(kernel$map)) embedding_gram(kernel$kernel, rows)
             else tcrossprod(domain_coordinates(kernel, rows))
    return(unname(kernel_profile(kernel$outer, inner, diag(inner), diag(inner))))
  }
  embeddings <- new_embeddings(kernel, rows)
  kappa <- kernel_profile(kernel$outer, embeddings$inner, embeddings$norms, kernel$norms)
  check_overflow(kappa, kernel$outer)
  warn_far_domains(domain_similarity(kernel, kappa, embeddings), levels(rows$domain))
  kappa
}

#' @exportS3Method
domain_own.domain_embedding <- function(kernel, rows) {
  if (is_stationary(kernel$outer)) return(rep(1, nlevels(rows$domain)))
  norms <- if (is.null(kernel$map)) embedding_norms(kernel$kernel, rows)
           else rowSums(domain_coordinates(kernel, rows)^2)
  outer_own(kernel$outer, norms)
}

#' @exportS3Method
domain_coordinates.domain_embedding <- function(kernel, rows) {
  if (!is.null(kernel$map)) feature_means(kernel$map, rows)
}

# A Gaussian kappa whose width is open can be made wider, also where it is fitted already:
# exp(-d^2 / (2 t^2 sigma^2)).
#' @exportS3Method
domain_width_open.domain_embedding <- function(kernel) {
  outer <- kernel$outer
  is_gaussian(outer) && is.null(outer$sigma) && is.null(outer$times)
}

domain_widen <- function(kernel, times) {
  kernel$outer <- kernel_rbf(times = times)
  kernel
}

widened_kappa <- function(kernel, times) {
  if (times == 1) kernel$kappa else kernel$kappa^(1 / times^2)
}

# How like the nearest training domain each new one is: the cosine of their mean embeddings in the
# space of kappa k, with the embeddings' kernel in the place of k,
#   kappa(P, P') <mu_P, mu_P'> / sqrt(kappa(P, P) kappa(P', P') |mu_P|^2 |mu_P'|^2).
domain_similarity <- function(kernel, kappa, embeddings) {
  norms <- embeddings$norms
  # features have next to nothing of an embedding that is far from all landmarks
  if (!is.null(kernel$map) && is_stationary(kernel$kernel)) {
    norms <- pmax(norms, stats::median(kernel$norms))
  }
  own <- outer_own(kernel$outer, embeddings$norms) * norms
  known <- diag(kernel$kappa) * kernel$norms
  sizes <- sqrt(outer(pmax(own, 0), pmax(known, 0)))
  cosines <- abs(kappa * embeddings$inner) / sizes
  # a domain at the origin of a linear kernel is not far
  cosines[sizes == 0] <- 1
  apply(cosines, 1L, max)
}

# kappa(P, P) of domains whose embeddings have these squared norms.
outer_own <- function(outer, norms) {
  if (is_stationary(outer)) return(rep(1, length(norms)))
  vapply(unname(norms), function(v) c(kernel_profile(outer, matrix(v), v, v)), numeric(1))
}

# Below that a domain's predictions are those of no domain.
far_similarity <- 0.01

warn_far_domains <- function(similarity, names) {
  far <- similarity < far_similarity
  if (!any(far)) return(invisible())
  one <- sum(far) == 1L
  warn("far_domain", if (one) "Domain " else "Domains ", enumerate(names[far], quote = "\""),
       if (one) " is" else " are", " far from every training domain (similarity at most ",
       signif(max(similarity[far]), 2), " of 1): predictions there fall back to a constant, ",
       "of numbers about the mean of the training rows, of classes the same class in each row.")
}

# Inner products of new embeddings with those of training, and squared norms.
new_embeddings <- function(kernel, rows) {
  coordinates <- domain_coordinates(kernel, rows)
  if (is.null(coordinates)) {
    return(list(inner = embedding_gram(kernel$kernel, rows, kernel[c("X", "domain")]),
                norms = embedding_norms(kernel$kernel, rows)))
  }
  list(inner = tcrossprod(coordinates, kernel$coordinates), norms = rowSums(coordinates^2))
}

# The kernel between embeddings with inner products `gram` [G x G] of the levels of `domain`; own:
# mean of k(x, x). It has no coordinates, only a bandwidth to be filled in.
fit_outer <- function(outer, gram, domain, own) {
  sizes <- tabulate(domain, nlevels(domain))
  kernel_fit(outer, matrix(0, nrow(gram), 1L), embedding_bandwidth(gram, sizes, own))
}

# The median of the distances between embeddings, or the noise of sampling if that is larger.
embedding_bandwidth <- function(gram, sizes, own) {
  pairs <- lower.tri(gram)
  # one domain says nothing of the distance of others
  if (!any(pairs)) return(1)
  norms <- diag(gram)
  squares <- squared_distances(gram, norms, norms)[pairs]
  squares[squares <= embedding_rounding * max(norms)] <- 0
  middle <- max(positive_median(sqrt(squares)), embedding_noise(gram, sizes, own))
  if (middle == 0) 1 else max(middle, .Machine$double.xmin)
}

# A squared distance is a difference of means over pairs of rows.
embedding_rounding <- 1e-13

# Two samples of n and m rows from one distribution have embeddings at a squared distance of
# s^2 (1/n + 1/m) in expectation, with s^2 = E k(x, x) - E k(x, x'), x and x' independent (the
# variance in the feature space): distances below that do not tell domains apart. s^2 is
# estimated within domains, 1/n + 1/m is the median over pairs of domains.
embedding_noise <- function(gram, sizes, own) {
  within <- sum(sizes) - length(sizes)
  if (within == 0) return(0)
  shares <- sizes / sum(sizes)
  left <- own - sum(shares * diag(gram))
  if (left <= embedding_rounding * own) return(0)
  pairs <- outer(1 / sizes, 1 / sizes, "+")
  sqrt(left * (sum(sizes) / within) * stats::median(pairs[lower.tri(pairs)]))
}

#' @export
format.domain_embedding <- function(x, ...) {
  paste0(format_bandwidth(x$outer), ", between mean embeddings of ", format_bandwidth(x$kernel))
}
