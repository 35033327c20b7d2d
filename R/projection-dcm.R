#' Domain-based covariance minimisation
#'
#' @description
#' Components along which labels differ and domains do not: the solutions with the largest
#' \eqn{\gamma}{gamma} of
#' \deqn{(P_y K^2 + K) B = (P_d K^2 + K) B \Gamma}{(P_y K^2 + K) B = (P_d K^2 + K) B Gamma}
#' (DCM paper, eq. 12). \eqn{K} is the centred Gram matrix,
#' \eqn{P_y = L(L + n\varepsilon I)^{-1}}{P_y = L (L + n epsilon I)^-1} with \eqn{L} the centred
#' Gram matrix of the kernel on the response, and \eqn{P_d} the same for [kernel_delta()] on the
#' domains. DICA's denominator has the distances between domain means; DCM's has the covariance of
#' the rows' domain means, so that larger domains weigh more.
#'
#' @details
#' With scores \eqn{\alpha = KB}{a = KB} the equation is
#' \eqn{(P_y K + I)\alpha = (P_d K + I)\alpha\Gamma}{(P_y K + I) a = (P_d K + I) a Gamma}. Solutions
#' with \eqn{\gamma \neq 1}{gamma != 1} lie in the span of \eqn{P_y} and \eqn{P_d}, so that the
#' n x n problem shrinks to one of the size of their ranks; nothing is approximated. \eqn{K} is
#' singular, so the coefficients are
#' \eqn{B = (K + \lambda I)^{-1}\alpha}{B = (K + lambda I)^-1 a}. With one domain the denominator is
#' \eqn{I} in feature space, and \eqn{\gamma}{gamma} is 1 + n times the eigenvalue of [dg_coir()]'s
#' symmetric form without ridge.
#'
#' The paper's fast version is `dg_dcm(feature_map = features_nystrom())`. Its algorithm 2 as
#' printed does not conform; this is the same idea in feature space, with exact labels and domains.
#' Equation 12 and algorithm 1 have no ridge. Equations 17 and 18 of the fast version have
#' \eqn{n\varepsilon I}{n epsilon I} after the product with \eqn{K}, that is next to \eqn{K^2}, in
#' the denominator only. `dg_dcm()` uses equation 12 with the ridge \eqn{\lambda}{lambda} above in
#' both versions. `vignette("dcm-experiments")` compares the two.
#'
#' **When to use.** With labels and several domains, if everything that differs between domains in x
#' is a nuisance. Domains weigh by size; in [dg_dica()] they weigh the same. Not if a class occurs
#' in one domain only: label and domain are then the same.
#'
#' **Eigenvalues.** With \eqn{\gamma > 1}{gamma > 1} more of the component's variance lies between
#' labels than between domains, with \eqn{\gamma < 1}{gamma < 1} less. All but a few are exactly 1,
#' with arbitrary directions. Those above 1 are returned: at most C - 1 for C classes, for a numeric
#' response as many as its kernel has numerical rank (some tens).
#'
#' @section Training scores are optimistic:
#' Before the ridge, the training scores are functions of label and domain alone: with classes, a
#' constant for each label plus one for each domain. With a small `lambda` they separate *any*
#' labels, even random ones. Ignore [fitted()] and plots of training rows. Choose `lambda` by
#' [dg_tune()], which holds out domains, and use held-out scores only.
#'
#' @section Rare classes:
#' If classes overlap and one is rare, an SVM with equal weights of rows predicts the frequent class
#' for all rows, and does so on the component of the default `lambda` (on `landmine`, where one row
#' in 16 is a mine, the result is that of [dg_null()]). A small `lambda` only seems to help: the SVM
#' finds a threshold because training scores are optimistic. Instead, give classes equal total
#' weight (`weights` of [fit()] and [dg_compare()]) and choose `lambda` on held-out domains:
#'
#' ```
#' n <- nrow(data)
#' dg_tune(dg_pipeline(dg_dcm(ncomp = 1), dg_svm()), y ~ . | domain, data = data,
#'         weights = as.vector((n / table(data$y))[data$y]), metric = "balanced_accuracy",
#'         grid = list(dcm.lambda = n * 10^(-4:0)))
#' ```
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param na.action As in [all methods][dg_arguments].
#' @param kernel,domain_kernel,feature_map,scale,threads,... As in [all methods][dg_arguments].
#' @inheritParams dg_dica
#' @param lambda Positive ridge on the coefficients of the scores. `NULL` (default) is n/10 for n
#'   training rows, an order of magnitude and not a tuned value. Without a ridge new rows cannot be
#'   projected, and with a small one their scores are mostly noise
#'   (`inst/experiments/dcm-ridges.R`).
#' @param normalise As in [dg_dica()]; `"constraint"` is
#'   \eqn{\alpha'(K P_d K + K)\alpha = 1}{a'(K P_d K + K)a = 1} for the scores before the ridge.
#' @return As [dg_dica()]; `values` are the eigenvalues above 1.
#' @section Errors: As [dg_dica()]. No eigenvalue above 1: a constant response, or labels that
#' explain no more of the rows than domains do.
#' @references Wu, A. (2021). Domain generalization via domain-based covariance
#' minimization. <https://arxiv.org/abs/2110.06298>
#' @seealso [dg_dica()], [dg_tune()]
#' @examples
#' toy <- simulate_dcm(domains = 6, n = 40, seed = 1)
#' train <- subset(toy, domain %in% levels(domain)[1:4])
#' model <- dg_dcm(y ~ . | domain, data = train, ncomp = 1)
#' model$values
#' head(predict(model, newdata = subset(toy, !domain %in% levels(domain)[1:4])))
#' @export
dg_dcm <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, lambda = NULL,
                epsilon = 1e-4, kernel = kernel_rbf(), kernel_y = NULL,
                domain_kernel = domain_pooled(), feature_map = features_exact(),
                normalise = c("constraint", "whiten", "published_code"),
                scale = c("pooled", "domain", "both", "rank", "none"),
                na.action = stats::na.omit, threads = NULL, ...) {
  projection_call("dg_dcm", environment(), match.call(), parent.frame())
}

dcm_row <- function() projection_row(
  "DCM", dcm_terms, response = "any", covariance = TRUE, parameters = dcm_parameters
)

dcm_parameters <- function() parameters(
  with_entries(shared_parameters$lambda, null = TRUE,
               grid = function(n, args) n * 10^(-4:0),
               shown = function(value) if (is.null(value)) "n/10" else format(value))
)

dcm_terms <- function(args) {
  ridge <- if (is.null(args$lambda)) args[["n"]] / 10 else args$lambda
  list(denominator = c(norm = 1, ridge = ridge))
}
