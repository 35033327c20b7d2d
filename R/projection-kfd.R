#' Kernel Fisher discriminant
#'
#' @description
#' Components that separate classes and keep each class narrow, ignoring domains. In the scores f of
#' the rows, with \eqn{m_j} the mean of class j and m that of all rows, it maximises
#' \deqn{\frac{\frac1n\sum_j n_j (m_j - m)^2}{
#'   \frac1n\sum_j\sum_{i\in j}(f_i - m_j)^2 + \lambda\lVert b\rVert^2}}{
#'   (1/n) sum_j n_j (m_j - m)^2 / ((1/n) sum_j sum_(i in j) (f_i - m_j)^2 + lambda |b|^2)}
#' over the coefficients b of f (Mika et al. 1999, eq. 8, with the ridge of their section 3; for
#' more than two classes Baudat and Anouar 2000).
#'
#' @details
#' This is [dg_sca()] and [dg_mda()] without their domain terms, and the baseline for both. At most
#' C - 1 components.
#'
#' @param x,y,data,na.action As in [all methods][dg_arguments].
#' @param kernel,domain_kernel,feature_map,scale,threads,... As in [all methods][dg_arguments].
#' @inheritParams dg_dica
#' @param domain Domain of each row, which the method does not use unless `domain_kernel` or `scale`
#'   does.
#' @param lambda Positive ridge on the coefficients. Default 1e-3.
#' @return As [dg_dica()].
#' @section Errors: As [dg_dica()]. A numeric response, a single class.
#' @references
#' Baudat, G. and Anouar, F. (2000). Generalized discriminant analysis using a kernel approach.
#' *Neural Computation* 12(10), 2385-2404.
#'
#' Mika, S., Ratsch, G., Weston, J., Scholkopf, B. and Muller, K.-R. (1999). Fisher discriminant
#' analysis with kernels. *Neural Networks for Signal Processing IX*, 41-48.
#' @examples
#' toy <- simulate_dcm(domains = 6, n = 40, seed = 1)
#' dg_kfd(y ~ . | domain, data = toy, ncomp = 1)
#' @export
dg_kfd <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, lambda = 1e-3,
                kernel = kernel_rbf(), domain_kernel = domain_pooled(),
                feature_map = features_exact(),
                normalise = c("constraint", "whiten", "published_code"),
                scale = c("pooled", "domain", "both", "rank", "none"),
                na.action = stats::na.omit, threads = NULL, ...) {
  projection_call("dg_kfd", environment(), match.call(), parent.frame())
}

kfd_row <- function() projection_row("Kernel Fisher discriminant", kfd_terms, response = "class",
                                     domain = FALSE)

kfd_terms <- function(args) {
  list(numerator = c(average_between = 1),
       denominator = c(average_within = 1, ridge = args$lambda))
}
