#' Components without a response or without domains
#'
#' @description
#' `dg_udica()`, `dg_coir()` and `dg_kpca()` are [dg_dica()] without a response, without domains and
#' without both: the table there says what each maximises. `dg_udica()` and `dg_kpca()` have up to
#' n - 1 components.
#'
#' @inheritParams dg_dica
#' @return As of [dg_dica()]; `rank` of `dg_udica()` and `dg_kpca()` is at most `ncomp`.
#' @section Errors:
#' As of [dg_dica()].
#' @section Distributional variance in the learner:
#' The last section of the DICA paper proposes the [distributional
#' variance][distributional_variance] as a regulariser with which "the invariant features and
#' classifier can be optimized simultaneously", without an equation. That is a learner after *all*
#' components of `dg_udica()`. Their directions have \eqn{b'(KQK + K)b = 1} (eq. 13), so that a
#' linear function f of the scores has the penalty \eqn{\|f\|^2 + \mathbf{f}'Q\mathbf{f}}{|f|^2 +
#' f'Qf}, the second term being the distributional variance of its training values. With the kernel
#' multiplied by w it is \eqn{\|f\|^2/w + \mathbf{f}'Q\mathbf{f}}{|f|^2 / w + f'Qf}:
#'
#' ```
#' dg_pipeline(dg_udica(ncomp = n - 1, kernel = w * kernel_rbf(), lambda = 1e-8), dg_ridge())
#' ```
#'
#' for n training rows, or `ncomp = 300` with `feature_map = features_nystrom(300)`. See
#' `vignette("dica-experiments")` for what it changes.
#' @references
#' Muandet, K., Balduzzi, D. and Schoelkopf, B. (2013). Domain generalization
#' via invariant feature representation. *ICML*. <https://arxiv.org/abs/1301.2115>
#' @seealso [dg_dica()], [dg_pipeline()]
#' @examples
#' # carbon dioxide uptake of plants, each a domain
#' model <- dg_udica(~ conc + uptake + Type | Plant, data = CO2)
#' head(predict(model, CO2))
#'
#' # a specification, to be given data later
#' dg_udica(ncomp = 3, lambda = 0.01)
#' @order 1
#' @export
dg_udica <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, lambda = 0.1,
                  kernel = kernel_rbf(), domain_kernel = domain_pooled(),
                  feature_map = features_exact(),
                  normalise = c("constraint", "whiten", "published_code"),
                  scale = c("pooled", "domain", "both", "rank", "none"),
                  na.action = stats::na.omit, threads = NULL, ...) {
  projection_call("dg_udica", environment(), match.call(), parent.frame())
}

udica_row <- function() projection_row("UDICA", udica_terms, parameters = udica_parameters)

udica_parameters <- function() parameters(
  shared_parameters$lambda, with_entries(shared_parameters$ncomp, grid = 2^(1:4))
)

udica_terms <- function(args) {
  list(numerator = c(variance = 1),
       denominator = c(domains = 1, norm = 1, ridge = args$lambda))
}
