#' @rdname domain_distribution
#' @export
domain_distribution <- function(kernel = kernel_rbf(), embedding_kernel = kernel_rbf(), ...) {
  check_no_dots(list(...), names(formals(domain_distribution)))
  new_domain_kernel("embedding", kernel = check_kernel(kernel, "kernel"),
                    embedding_kernel = check_embedding_kernel(embedding_kernel))
}

# Remembers the training rows' embeddings, whose inner products decide kappa: by
# the rows themselves, or by the coordinates of the embeddings [G x r] in a
# feature map of their kernel, which do not grow with the rows.
#' @exportS3Method
domain_kernel_fit.domain_embedding <- function(kernel, rows, feature_map = NULL) {
  # already fitted to a source, whose domains take a pass to describe
  if (!is.null(rows$described) && !is.null(kernel$kappa)) return(kernel)
  feature_map <- embedding_map(feature_map)
  sizes <- if (is.null(rows$described)) tabulate(rows$domain, nlevels(rows$domain))
           else rows$described$sizes
  if (is.null(feature_map)) {
    kernel$kernel <- kernel_fit(kernel$kernel, rows$X)
    gram <- embedding_gram(kernel$kernel, rows)
    mean_square <- mean(kernel_own(kernel$kernel, rows$X))
    kernel$X <- rows$X
    kernel$domain <- rows$domain
  } else {
    # dependent landmarks lose nothing here, and the features of x warn of theirs
    kernel$map <- quietly(represent(feature_map, kernel$kernel, domain_pooled(), rows,
                                    rows$threads),
                          "domgen_warning_rank")
    kernel$kernel <- kernel$map$kernel
    kernel$coordinates <- if (is.null(rows$described)) feature_means(kernel$map, rows)
                          else rows$described$means(kernel$map)
    gram <- tcrossprod(kernel$coordinates)
    mean_square <- mean(rowSums(space_rows(kernel$map, list(X = spaced_rows(rows$X)))^2))
    kernel$map <- without_seen(kernel$map)
  }
  kernel$norms <- diag(gram)
  kernel$spread <- training_spread(gram, sizes, mean_square)
  kernel$embedding_kernel <- fit_embedding_kernel(kernel$embedding_kernel, gram, sizes, mean_square)
  kernel$size <- embedding_kernel_own(kernel$embedding_kernel, mean_square)
  kernel$kappa <- kernel_profile(kernel$embedding_kernel, gram, kernel$norms, kernel$norms)
  check_overflow(kernel$kappa, kernel$embedding_kernel)
  kernel
}

#' @exportS3Method
domain_kappa.domain_embedding <- function(kernel, rows, among = FALSE) {
  if (among) {
    inner <- if (is.null(kernel$map)) embedding_gram(kernel$kernel, rows)
             else tcrossprod(domain_coordinates(kernel, rows))
    return(unname(kernel_profile(kernel$embedding_kernel, inner, diag(inner), diag(inner))))
  }
  embeddings <- new_embeddings(kernel, rows)
  kappa <- kernel_profile(kernel$embedding_kernel, embeddings$inner, embeddings$norms, kernel$norms)
  check_overflow(kappa, kernel$embedding_kernel)
  warn_far_domains(embedding_similarity(kernel, kappa, embeddings), levels(rows$domain),
                   domains_beyond(kernel, embeddings, rows))
  kappa
}

#' @exportS3Method
domain_own.domain_embedding <- function(kernel, rows) {
  if (is_stationary(kernel$embedding_kernel)) return(rep(1, nlevels(rows$domain)))
  norms <- if (is.null(kernel$map)) embedding_norms(kernel$kernel, rows)
           else rowSums(domain_coordinates(kernel, rows)^2)
  embedding_kernel_own(kernel$embedding_kernel, norms)
}

#' @exportS3Method
domain_coordinates.domain_embedding <- function(kernel, rows) {
  # a pass over the rows has described them
  if (!is.null(rows$coordinates)) return(rows$coordinates)
  if (!is.null(kernel$map)) feature_means(kernel$map, rows)
}

# The cosine of domains by the kernel kappa(P, P') <mu_P, mu_P'>: as mean embeddings have it in the
# space of kappa k, with the embeddings' kernel in the place of k.
embedding_similarity <- function(kernel, kappa, embeddings) {
  norms <- embeddings$norms
  # features have next to nothing of an embedding that is far from all landmarks
  if (!is.null(kernel$map) && is_stationary(kernel$kernel)) {
    norms <- pmax(norms, stats::median(kernel$norms))
  }
  diagonal <- embedding_kernel_own(kernel$embedding_kernel, embeddings$norms)
  largest_cosine(kappa * embeddings$inner, diagonal * norms,
                 diag(kernel$kappa) * kernel$norms)
}

# Inner products of new embeddings with those of training, and squared norms.
new_embeddings <- function(kernel, new) {
  coordinates <- domain_coordinates(kernel, new)
  if (is.null(coordinates)) {
    return(list(inner = embedding_gram(kernel$kernel, new, kernel[c("X", "domain")]),
                norms = embedding_norms(kernel$kernel, new)))
  }
  list(inner = tcrossprod(coordinates, kernel$coordinates), norms = rowSums(coordinates^2))
}

# The kernel between embeddings with inner products `gram` [G x G] of domains of these sizes;
# mean_square: mean of k(x, x). It has no coordinates, only a bandwidth to be filled in.
fit_embedding_kernel <- function(embedding_kernel, gram, sizes, mean_square) {
  kernel_fit(embedding_kernel, matrix(0, nrow(gram), 1L),
             embedding_bandwidth(gram, sizes, mean_square))
}

# The median of the distances between embeddings, or the noise of sampling if that is larger.
embedding_bandwidth <- function(gram, sizes, mean_square) {
  pairs <- lower.tri(gram)
  # one domain says nothing of the distance of others
  if (!any(pairs)) return(1)
  norms <- diag(gram)
  squares <- squared_distances(gram, norms, norms)[pairs]
  squares[squares <= embedding_rounding * max(norms)] <- 0
  middle <- max(positive_median(sqrt(squares)), embedding_noise(gram, sizes, mean_square))
  if (middle == 0) 1 else max(middle, .Machine$double.xmin)
}

# A squared distance is a difference of means over pairs of rows.
embedding_rounding <- 1e-13

# Two samples of n and m rows from one distribution have embeddings at a squared distance of
# s^2 (1/n + 1/m) in expectation, with s^2 = E k(x, x) - E k(x, x'), x and x' independent (the
# variance in the feature space): distances below that do not tell domains apart. s^2 is
# estimated within domains, 1/n + 1/m is the median over pairs of domains.
embedding_noise <- function(gram, sizes, mean_square) {
  pairs <- outer(1 / sizes, 1 / sizes, "+")
  sqrt(within_variance(gram, sizes, mean_square) * stats::median(pairs[lower.tri(pairs)]))
}

# s^2
within_variance <- function(gram, sizes, mean_square) {
  within <- sum(sizes) - length(sizes)
  if (within == 0) return(0)
  shares <- sizes / sum(sizes)
  left <- mean_square - sum(shares * diag(gram))
  if (left <= embedding_rounding * mean_square) return(0)
  left * (sum(sizes) / within)
}

#' @export
format.domain_embedding <- function(x, ...) {
  paste0(format_bandwidth(x$embedding_kernel), ", between mean embeddings of ",
         format_bandwidth(x$kernel))
}
