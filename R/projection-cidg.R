#' Conditional invariant domain generalization
#'
#' @description
#' Components whose class-conditional distributions are the same in all domains (Li et al. 2018).
#' In the scores f of the rows, CIDG maximises
#' \deqn{\frac{\sum_j n_j(m_j - m)^2}{\sum_j\sum_{i\in j}(f_i - m_j)^2 +
#'   \gamma\sum_j\frac1G\sum_s(m_{sj} - \bar m_j)^2 + \alpha\frac1G\sum_s(p_s - \bar p)^2 +
#'   \lVert f\rVert^2 + \lambda|b|^2}}{
#'   sum_j n_j (m_j - m)^2 / (sum_j sum_(i in j) (f_i - m_j)^2 + gamma sum_j sum_s (m_sj -
#'   m_j)^2 / G + alpha sum_s (p_s - p)^2 / G + |f|^2 + lambda |b|^2)}
#' with \eqn{m_{sj}} the mean of class j in domain s, \eqn{\bar m_j} its mean over domains, and
#' \eqn{p_s = \frac1C\sum_j m_{sj}}{p_s = sum_j m_sj / C} the mean of domain s if all classes were
#' equally frequent there.
#'
#' @details
#' The first penalty compares each class across domains, the second one the domains at equal class
#' proportions. Differing proportions are not penalised, unlike in [dg_dica()] and [dg_sca()]. The
#' class terms are sums over rows, as in [dg_sca()], so `gamma` and `alpha` matter from about n
#' upwards; `average = TRUE` divides these terms by n. If a domain lacks a class, the mean over the
#' other domains replaces it, at no cost.
#'
#' **When to use.** As [dg_mda()], if new domains have class proportions like those of training.
#'
#' **Eigenvalues**: the ratio above. At most C - 1 components.
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param na.action As in [all methods][dg_arguments].
#' @param kernel,domain_kernel,feature_map,scale,threads,... As in [all methods][dg_arguments].
#' @inheritParams dg_dica
#' @param lambda Non-negative ridge on the coefficients. Default 0.
#' @param gamma Non-negative weight of the scatter of classes across domains. Default 1.
#' @param alpha Non-negative weight of the scatter of domains at equal class proportions. Default 1.
#' @param average If `TRUE`, the class terms are divided by the number of labelled rows. Default
#'   `FALSE`.
#' @return As [dg_dica()].
#' @section Errors: As [dg_dica()]. A numeric response, a single class.
#' @references
#' Li, Y., Gong, M., Tian, X., Liu, T. and Tao, D. (2018). Domain generalization via conditional
#' invariant representations. *AAAI*. <https://arxiv.org/abs/1807.08479>
#' @examples
#' toy <- simulate_dcm(domains = 6, n = 40, seed = 1)
#' dg_cidg(y ~ . | domain, data = toy, ncomp = 1, gamma = 100, alpha = 100)
#' @export
dg_cidg <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, gamma = 1, alpha = 1,
                 lambda = 0, average = FALSE, kernel = kernel_rbf(),
                 domain_kernel = domain_pooled(), feature_map = features_exact(),
                 normalise = c("constraint", "whiten", "published_code"),
                 scale = c("pooled", "domain", "both", "rank", "none"),
                 na.action = stats::na.omit, threads = NULL, ...) {
  projection_call("dg_cidg", environment(), match.call(), parent.frame())
}

cidg_row <- function() projection_row(
  "CIDG", cidg_terms, response = "class", parameters = cidg_parameters
)

cidg_parameters <- function() parameters(
  with_entries(shared_parameters$lambda, open = FALSE, grid = NULL),
  parameter("gamma", "number", 0, grid = beside_class_scatters, shown = TRUE),
  parameter("alpha", "number", 0, shown = TRUE)
)

cidg_terms <- function(args) {
  sums <- class_scatters(args$average)
  list(numerator = stats::setNames(1, sums["between"]),
       denominator = c(stats::setNames(1, sums["within"]), conditional = args$gamma,
                       prior = args$alpha, norm = 1, ridge = args$lambda))
}
