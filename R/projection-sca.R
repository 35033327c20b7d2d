#' Scatter component analysis
#'
#' @description
#' Components that separate classes and keep variance, with compact classes and domains close
#' together (Ghifary et al. 2017, eq. 20). In the scores f of the rows, SCA maximises
#' \deqn{\frac{\beta\sum_j n_j(m_j - m)^2 + (1 - \beta)\frac1n\sum_i(f_i - \bar f)^2}
#'   {\delta\,\frac1G\sum_s(m_s - \bar m)^2 + \sum_j\sum_{i\in j}(f_i - m_j)^2 + \lVert
#'   f\rVert^2 + \lambda|b|^2}}{
#'   (beta sum_j n_j (m_j - m)^2 + (1 - beta) sum_i (f_i - f)^2 / n) /
#'   (delta sum_s (m_s - m)^2 / G + sum_j sum_(i in j) (f_i - m_j)^2 + |f|^2 + lambda |b|^2)}
#' with \eqn{m_j} the means of classes, \eqn{m_s} those of domains and \eqn{\bar m} the mean of the
#' \eqn{m_s}.
#'
#' @details
#' In the paper the class terms are *sums* over rows and the others means: with n rows they are n
#' times as large. So `delta` matters from about n upwards, and variance only for `beta` near 0.
#' `average = TRUE` divides the two class terms by the number of labelled rows.
#'
#' For domain *adaptation*, give the unlabelled rows of the target domain as `target`: they enter
#' the scatters of domains and of all rows, but not those of classes.
#'
#' The authors' public program centres only two of the five terms; here all are centred, as in the
#' paper's algorithm 1.
#'
#' **When to use.** For classes, if domains differ in their marginals and have similar class
#' proportions: differing proportions enter the domain scatter and are penalised.
#'
#' **Eigenvalues**: the ratio above. With `beta = 1` there are at most C - 1 components, otherwise
#' up to n - 1, of which those after the first C - 1 are mostly variance. Classes weigh by size
#' (\eqn{n_j}), domains weigh the same. Without labels, `beta = 0` would be [dg_udica()].
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param na.action As in [all methods][dg_arguments].
#' @param kernel,domain_kernel,feature_map,scale,threads,... As in [all methods][dg_arguments].
#' @inheritParams dg_dica
#' @param beta Number from 0 to 1: class separation (1) or variance (0). Default 0.5.
#' @param delta Non-negative weight of the domain scatter (the
#'   [distributional variance][distributional_variance]). Default 1.
#' @param lambda Non-negative ridge on the coefficients. Default 0, as in the paper; its program has
#'   1e-5.
#' @param average If `TRUE`, the class terms are divided by the number of labelled rows. Default
#'   `FALSE`.
#' @inheritParams dg_tca
#' @return As [dg_dica()].
#' @section Errors: As [dg_dica()]. A numeric response, a single class.
#' @references
#' Ghifary, M., Balduzzi, D., Kleijn, W. B. and Zhang, M. (2017). Scatter component analysis: a
#' unified framework for domain adaptation and domain generalization. *IEEE Transactions on Pattern
#' Analysis and Machine Intelligence* 39(7), 1414-1430. <https://arxiv.org/abs/1510.04373>
#' @examples
#' toy <- simulate_dcm(domains = 6, n = 40, seed = 1)
#' dg_sca(y ~ . | domain, data = toy, ncomp = 1, delta = 100)
#' @export
dg_sca <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, beta = 0.5, delta = 1,
                lambda = 0, average = FALSE, target = NULL, kernel = kernel_rbf(),
                domain_kernel = domain_pooled(), feature_map = features_exact(),
                normalise = c("constraint", "whiten", "published_code"),
                scale = c("pooled", "domain", "both", "rank", "none"),
                na.action = stats::na.omit, threads = NULL, ...) {
  projection_call("dg_sca", environment(), match.call(), parent.frame())
}

sca_row <- function() projection_row(
  "SCA", sca_terms, response = "class", domain = function(args) is.null(args$target),
  parameters = sca_parameters
)

sca_parameters <- function() parameters(
  with_entries(shared_parameters$lambda, open = FALSE, grid = NULL),
  parameter("beta", "number", 0, 1, shown = TRUE),
  parameter("delta", "number", 0, grid = beside_class_scatters, shown = TRUE)
)

sca_terms <- function(args) {
  sums <- class_scatters(args$average)
  list(numerator = c(stats::setNames(args$beta, sums["between"]), variance = 1 - args$beta),
       denominator = c(domains = args$delta, stats::setNames(1, sums["within"]), norm = 1,
                       ridge = args$lambda))
}
