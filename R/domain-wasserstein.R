#' A kernel between domains by their quantiles
#'
#' @description
#' A function of the Wasserstein distance between the predictors' distributions in the two domains,
#' one predictor at a time. With \eqn{F^{-1}_{Pj}} the quantiles of predictor j in domain P,
#' \deqn{W^2(P, P') = \sum_j \frac1m \sum_{l=1}^m
#'   \left(F^{-1}_{Pj}(u_l) - F^{-1}_{P'j}(u_l)\right)^2,
#'   \qquad u_l = \frac{l - 1/2}{m},}{
#'   W^2(P, P') = sum_j (1/m) sum_l (F_Pj^-1(u_l) - F_P'j^-1(u_l))^2, u_l = (l - 1/2) / m,}
#' the squared 2-Wasserstein distance of the marginals (Peyre and Cuturi, 2019, equation 2.34) by m
#' of their quantiles ([stats::quantile()], type 7), and
#' \eqn{\kappa(P, P') = \exp(-W^2/(2\sigma^2))}{kappa(P, P') = exp(-W^2 / (2 sigma^2))} for
#' `embedding_kernel = kernel_rbf(sigma)`. It is positive semi-definite because W is a distance
#' between vectors of quantiles (Kolouri, Zou and Rohde, 2016).
#'
#' @details
#' Beside [domain_distribution()] it takes time that grows with the rows instead of their square and
#' sees how far two distributions are apart even where they do not overlap, but nothing of how the
#' predictors go together.
#'
#' @param embedding_kernel Kernel on the vectors of quantiles, divided by the root of m, as in
#'   [domain_distribution()]. A bandwidth that is not given is the median of the training domains'
#'   distances W; where [dg_ridge()] and [dg_svm()] choose the penalty themselves, they choose a
#'   multiple of it too.
#' @param ... Not used; an argument that is not known is an error.
#' @param quantiles Number m of quantiles, at most 10,000.
#' @return A domain kernel, for the argument `domain_kernel` of the methods.
#' @section Errors: An `embedding_kernel` that is no function of inner products or distances. A new
#' domain far from all of training gives a warning, as with [domain_distribution()].
#' @references
#' Kolouri, S., Zou, Y. and Rohde, G. K. (2016). Sliced Wasserstein kernels for probability
#' distributions. *CVPR*, 5258-5267.
#'
#' Peyre, G. and Cuturi, M. (2019). Computational optimal transport. *Foundations and Trends in
#' Machine Learning* 11(5-6), 355-607.
#' @seealso [domain_distribution()]
#' @examples
#' toy <- simulate_ellipses(domains = 8, n = 40, seed = 1)
#' dg_ridge(y ~ x1 + x2 | domain, data = toy, domain_kernel = domain_wasserstein())
#' @export
domain_wasserstein <- function(embedding_kernel = kernel_rbf(), quantiles = 20, ...) {
  check_no_dots(list(...), names(formals(domain_wasserstein)))
  new_domain_kernel("wasserstein", embedding_kernel = check_embedding_kernel(embedding_kernel),
                    quantiles = check_count(quantiles, "quantiles", at_most = 1e4L))
}

# [domains x (p m)]
#' @exportS3Method
domain_coordinates.domain_wasserstein <- function(kernel, rows) {
  m <- kernel$quantiles
  u <- (seq_len(m) - 0.5) / m
  parts <- split(seq_along(rows$domain), rows$domain)
  found <- lapply(parts, function(i) {
    c(apply(rows$X[i, , drop = FALSE], 2L, stats::quantile, probs = u, names = FALSE))
  })
  matrix(unlist(found), length(parts), byrow = TRUE) / sqrt(m)
}

#' @exportS3Method
domain_kernel_fit.domain_wasserstein <- function(kernel, rows, feature_map = NULL) {
  kernel$coordinates <- domain_coordinates(kernel, rows)
  kernel$embedding_kernel <- kernel_fit(kernel$embedding_kernel, kernel$coordinates)
  kernel$kappa <- quantile_kappa(kernel, kernel$coordinates, kernel$coordinates)
  kernel
}

#' @exportS3Method
domain_kappa.domain_wasserstein <- function(kernel, rows, among = FALSE) {
  new <- domain_coordinates(kernel, rows)
  if (among) return(quantile_kappa(kernel, new, new))
  kappa <- quantile_kappa(kernel, new, kernel$coordinates)
  own <- embedding_kernel_own(kernel$embedding_kernel, rowSums(new^2))
  warn_far_domains(largest_cosine(kappa, own, diag(kernel$kappa)), levels(rows$domain))
  kappa
}

quantile_kappa <- function(kernel, a, b) {
  # distances of vectors far from 0 lose digits
  if (is_stationary(kernel$embedding_kernel)) {
    shift <- colMeans(kernel$coordinates)
    a <- sweep(a, 2L, shift)
    b <- sweep(b, 2L, shift)
  }
  kappa <- kernel_profile(kernel$embedding_kernel, tcrossprod(a, b), rowSums(a^2), rowSums(b^2))
  check_overflow(kappa, kernel$embedding_kernel)
  kappa
}

#' @export
format.domain_wasserstein <- function(x, ...) {
  paste0(format_bandwidth(x$embedding_kernel), ", between ", plural(x$quantiles, "quantile"),
         " of each predictor")
}
