#' Transfer component analysis
#'
#' @description
#' Components that keep the variance of the rows and bring domain means together, without labels:
#' the leading eigenvectors of
#' \deqn{(KLK + \mu I)^{-1} KHK}{(KLK + mu I)^-1 KHK}
#' (Pan et al. 2011), \eqn{H = I - 11'/n}. \eqn{\mathrm{tr}(B'KLKB)}{tr(B'KLKB)} is the squared
#' [maximum mean discrepancy][dg_mmd] of the projected domains. For two domains, \eqn{L_{ij}} is
#' \eqn{1/n_s^2} within domain s and \eqn{-1/(n_1 n_2)} between them; for more, L averages over
#' pairs of domains, \eqn{L = 2G/(G - 1)\, Q}{L = 2G/(G - 1) Q} with DICA's \eqn{Q}.
#'
#' @details
#' For domain generalization, the domains are the training domains. For domain *adaptation*, give
#' the unlabelled rows of the target as `target`: they form one more domain (or several, if they
#' have the domain column).
#'
#' This is the published form. In the 2009 preprint,
#' \eqn{(I + \mu KLK)^{-1}KHK}{(I + mu KLK)^-1 KHK}, a large \eqn{\mu}{mu} means *more* alignment;
#' here it means less. \eqn{K} is not centred in the equation, as in the paper; the scores are
#' centred by the training means, which shifts all of them by the same amount. The paper's
#' normalisation, \eqn{B'KHKB = I}, is `normalise = "whiten"` up to the factor n.
#'
#' **When to use.** Without labels, or with unlabelled rows of the target, if P(y | x) is stable. If
#' domains differ in class proportions, aligning marginals also removes differences between classes.
#'
#' **Eigenvalues**: total sum of squares per unit of (squared discrepancy +
#' \eqn{\mu |b|^2}{mu |b|^2}). They grow with n. Up to n - 1 components.
#'
#' @param x,domain,data,na.action As in [all methods][dg_arguments].
#' @param kernel,domain_kernel,feature_map,scale,threads,... As in [all methods][dg_arguments].
#' @inheritParams dg_dica
#' @param y Response if `x` is not a formula. It is not used.
#' @param mu Positive weight of the squared length of the coefficients, the only regulariser: the
#'   first term of the denominator has rank G - 1. Small values align more. Default 1.
#' @param target Data frame or matrix of unlabelled rows that take part in the projection: the
#'   domain to predict on. With `target` the training rows need no domain, and are then one. Target
#'   rows are not in `scores`.
#' @return As [dg_dica()].
#' @section Errors: As [dg_dica()]. Training rows without a domain, unless there is a `target`;
#' fewer than two domains, counting `target`.
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
  projection_call("dg_tca", environment(), match.call(), parent.frame())
}

tca_row <- function() projection_row(
  "TCA", tca_terms, domain = function(args) is.null(args$target), centred = FALSE,
  parameters = tca_parameters
)

tca_parameters <- function() parameters(
  parameter("mu", "number", 0, open = TRUE, grid = 10^(-2:2), simpler = -1, shown = TRUE,
            ridge = TRUE),
  with_entries(shared_parameters$ncomp, grid = 2^(1:4))
)

tca_terms <- function(args) {
  list(numerator = c(total = 1), denominator = c(domain_pairs = 1, ridge = args$mu))
}
