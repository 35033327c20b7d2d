#' Transfer component analysis
#'
#' @description
#' Components that keep the variance of the data and bring the domains' means
#' together, without labels: the leading eigenvectors of
#' \deqn{(KLK + \mu I)^{-1} KHK}{(KLK + mu I)^-1 KHK}
#' (Pan et al. 2011), \eqn{H = I - 11'/n}. \eqn{\mathrm{tr}(B'KLKB)}{tr(B'KLKB)} is the squared
#' [maximum mean discrepancy][dg_mmd] of the projected domains: for two, \eqn{L_{ij}} is
#' \eqn{1/n_s^2} within domain s and \eqn{-1/(n_1 n_2)} between them; for more, the average over
#' the pairs of domains, \eqn{L = 2G/(G - 1)\, Q}{L = 2G/(G - 1) Q} with DICA's \eqn{Q}.
#'
#' @details
#' For domain generalization the domains are the training domains. For domain
#' *adaptation*, give the unlabelled rows of the target as `target`: they are one
#' more domain (or several, if they have the domain column).
#'
#' This is the published form. The 2009 preprint has
#' \eqn{(I + \mu KLK)^{-1}KHK}{(I + mu KLK)^-1 KHK}, where a large \eqn{\mu}{mu} means *more*
#' alignment; here it means less. \eqn{K} is not centred in the equation, as in the paper; the
#' scores are centred by the training means, which moves all of them by the same amount. The paper's
#' own scaling, \eqn{B'KHKB = I}, is `normalise = "whiten"` up to the factor n.
#'
#' **When?** It is the method without labels, or when the target's unlabelled rows are at hand
#' and P(y | x) is believed stable.
#' Aligning marginals also aligns what labels differ in, if domains have different label
#' proportions.
#'
#' **Eigenvalues**: total sum of squares per unit of (squared discrepancy +
#' \eqn{\mu |b|^2}{mu |b|^2}); they grow with n. Up to n - 1 components.
#'
#' @inheritParams dg_dica
#' @param mu Positive weight of the coefficients' length. It is the only
#'   regulariser: nothing else bounds the denominator, whose first term has rank
#'   G - 1. Small values align more.
#' @param target Data frame or matrix of further rows without response, that take
#'   part in the projection: the domain one wants to predict on. With it the training
#'   rows need no domain, and are then one. Not in `scores`.
#' @return As [dg_dica()].
#' @section Errors: As [dg_dica()]. No domain of the training rows (the same for all rows will
#' do where there is a `target`); fewer than two domains, counting `target`.
#' @references
#' Pan, S. J., Tsang, I. W., Kwok, J. T. and Yang, Q. (2011). Domain adaptation
#' via transfer component analysis. *IEEE Transactions on Neural Networks* 22(2), 199-210.
#'
#' Grubinger, T., Birlutiu, A., Schoener, H., Natschlaeger, T. and Heskes, T. (2017).
#' Multi-domain transfer component analysis for domain generalization. *Neural
#' Processing Letters*. (TCA for several domains)
#' @seealso [dg_udica()], which has \eqn{|f|^2} in the denominator as well
#' @examples
#' toy <- simulate_dica(domains = 4, n = 40, seed = 1)
#' source <- droplevels(subset(toy, domain != levels(domain)[4]))
#' target <- subset(toy, domain == levels(domain)[4])
#' model <- dg_tca(~ . - y | domain, data = source, target = target)
#' head(predict(model, newdata = target))
#' @export
dg_tca <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, mu = 1, target = NULL,
                kernel = kernel_rbf(), domain_kernel = domain_pooled(),
                feature_map = features_exact(),
                normalise = c("constraint", "whiten", "published_code"),
                scale = c("pooled", "domain", "both", "rank", "none"),
                na.action = stats::na.omit, threads = NULL, ...) {
  parts <- projection_parts("TCA", tca_terms, domain = is.null(target), centred = FALSE,
                            parameters = tca_parameters)
  fit_or_specify(projection_spec("dg_tca", parts, environment()), match.call(), parent.frame())
}

tca_parameters <- function() parameters(
  parameter("mu", a_number(), grid = 10^(-2:2), simpler = -1, shown = TRUE, ridge = TRUE),
  with_entries(shared_parameters$ncomp, grid = 2^(1:4))
)

tca_terms <- function(args) {
  list(numerator = c(total = 1), denominator = c(domain_pairs = 1, ridge = args$mu))
}
