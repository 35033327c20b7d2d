#' Scatter component analysis
#'
#' @description
#' Components that separate classes and keep variance, with classes compact and
#' domains close (Ghifary et al. 2017, eq. 20): in terms of the scores f of the rows,
#' \deqn{\frac{\beta\sum_j n_j(m_j - m)^2 + (1 - \beta)\frac1n\sum_i(f_i - \bar f)^2}
#'   {\delta\,\frac1G\sum_s(m_s - \bar m)^2 + \sum_j\sum_{i\in j}(f_i - m_j)^2 + \lVert
#'   f\rVert^2 + \lambda|b|^2}}{
#'   (beta sum_j n_j (m_j - m)^2 + (1 - beta) sum_i (f_i - f)^2 / n) /
#'   (delta sum_s (m_s - m)^2 / G + sum_j sum_(i in j) (f_i - m_j)^2 + |f|^2 + lambda |b|^2)}
#' is maximised: \eqn{m_j} means of classes, \eqn{m_s} of domains, \eqn{\bar m} the mean of the
#' latter.
#'
#' @details
#' The class terms are *sums* over rows in the paper, the others means: with n
#' rows they are n times as large. So `beta` and `delta` depend on n: `delta` matters from about n
#' upwards, and variance only for `beta` near 0. `average = TRUE` divides the two
#' class terms by the number of labelled rows.
#'
#' For domain *adaptation* give the unlabelled rows of the target as `target`:
#' they enter the domain and total scatters and not those of the classes.
#'
#' The public program for SCA centres only two of the five terms; here all are centred, as in the
#' paper's algorithm 1.
#'
#' **When?** It is the method for classes, when domains differ in their marginals and class
#' proportions are similar: the domain scatter punishes differing ones.
#'
#' **Eigenvalues**: the ratio above. With `beta = 1` there are at most C - 1 components,
#' otherwise up to n - 1, of which those after the first C - 1 are mostly variance. Large classes
#' weigh more (\eqn{n_j}), domains weigh the same. With `beta = 0` and no labels the method would be
#' [dg_udica()].
#'
#' @inheritParams dg_dica
#' @param beta Number from 0 to 1: class separation (1) against variance (0).
#' @param delta Non-negative weight of the domain scatter (their
#'   [distributional variance][distributional_variance]).
#' @param lambda Non-negative ridge on the coefficients; the paper has none, its program 1e-5.
#' @param average Divide the class terms by the number of labelled rows?
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
  parts <- projection_parts("SCA", sca_terms, response = "class", domain = is.null(target),
                            parameters = sca_parameters)
  fit_or_specify(projection_spec("dg_sca", parts, environment()), match.call(), parent.frame())
}

sca_parameters <- function() parameters(
  with_entries(shared_parameters$lambda, check = a_number("non-negative"), grid = NULL),
  parameter("beta", a_share, shown = TRUE),
  parameter("delta", a_number("non-negative"), grid = beside_class_scatters, shown = TRUE)
)

sca_terms <- function(args) {
  sums <- class_scatters(args$average)
  list(numerator = c(stats::setNames(args$beta, sums["between"]), variance = 1 - args$beta),
       denominator = c(domains = args$delta, stats::setNames(1, sums["within"]), norm = 1,
                       ridge = args$lambda))
}
