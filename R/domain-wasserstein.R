#' Domain kernel on quantiles (Wasserstein distance)
#'
#' @description
#' A function of the Wasserstein distance between the distributions of the predictors in two
#' domains, one predictor at a time:
#' \deqn{W^2(P, P') = \sum_j \frac1m \sum_{l=1}^m
#'   \left(F^{-1}_{Pj}(u_l) - F^{-1}_{P'j}(u_l)\right)^2,
#'   \qquad u_l = \frac{l - 1/2}{m},}{
#'   W^2(P, P') = sum_j (1/m) sum_l (F_Pj^-1(u_l) - F_P'j^-1(u_l))^2, u_l = (l - 1/2) / m,}
#' with \eqn{F^{-1}_{Pj}}{F_Pj^-1} the quantiles of predictor j in domain P ([stats::quantile()],
#' type 7). With `embedding_kernel = kernel_rbf(sigma)`,
#' \eqn{\kappa(P, P') = \exp(-W^2/(2\sigma^2))}{kappa(P, P') = exp(-W^2 / (2 sigma^2))}.
#'
#' @details
#' Compared with [domain_distribution()], time grows with the number of rows, not its square, and
#' distances remain informative if two distributions do not overlap. The dependence between
#' predictors is not used.
#'
#' \eqn{W^2}{W^2} is the squared 2-Wasserstein distance of the marginals (Peyre and Cuturi, 2019,
#' equation 2.34), approximated by m quantiles. Kappa is positive semi-definite because W is a
#' Euclidean distance between vectors of quantiles (Kolouri, Zou and Rohde, 2016).
#'
#' @param embedding_kernel Kernel on the vectors of quantiles, divided by the square root of m; the
#'   choices of [domain_distribution()]. Its default bandwidth is the median distance W of the
#'   training domains; where [dg_ridge()] and [dg_svm()] choose the penalty, they also choose a
#'   multiple of this bandwidth.
#' @param ... Not used; an unknown argument is an error.
#' @param quantiles Number m of quantiles, 1 to 10,000. Default 20.
#' @return A domain kernel, for the argument `domain_kernel` of the methods.
#' @section Errors:
#' An `embedding_kernel` that is not a function of inner products or distances is an error. A new
#' domain far from all training domains gives a warning, as with [domain_distribution()].
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
  quantiles <- lapply(parts, function(i) {
    c(apply(rows$X[i, , drop = FALSE], 2L, stats::quantile, probs = u, names = FALSE))
  })
  matrix(unlist(quantiles), length(parts), byrow = TRUE) / sqrt(m)
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
  diagonal <- embedding_kernel_own(kernel$embedding_kernel, rowSums(new^2))
  warn_far_domains(largest_cosine(kappa, diagonal, diag(kernel$kappa)), levels(rows$domain))
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
