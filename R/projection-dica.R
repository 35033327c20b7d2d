#' Domain-invariant components
#'
#' @description
#' Projections of the predictors, in the feature space of a kernel, on a few components. Each
#' component maximises a ratio over coefficients \eqn{B} (n x m) of the centred Gram matrix
#' \eqn{K} of the training rows (Muandet, Balduzzi and Schoelkopf, 2013):
#'
#' | method | maximises | needs | paper |
#' |---|---|---|---|
#' | `dg_dica()` | tr(B'P K^2 B)/n over tr(B'(KQK + K + lambda I)B) | y, domain | eq. 9-11 |
#' | `dg_udica()` | tr(B'K^2 B)/n over tr(B'(KQK + K + lambda I)B) | domain | eq. 12-13 |
#' | `dg_coir()` | tr(B'P K^2 B)/n over tr(B'(K + lambda I)B) | y | section 2.5 |
#' | `dg_kpca()` | tr(B'K^2 B)/n over tr(B'K B) | | section 2.5 |
#'
#' * P keeps what the response depends on (the central subspace):
#'   \eqn{P = L(L + n\varepsilon I)^{-1}}{P = L (L + n epsilon I)^-1}, \eqn{L} the centred Gram
#'   matrix of the kernel on the response.
#' * KQK penalises differences between domains: \eqn{\mathrm{tr}(B'KQKB)}{tr(B'KQKB)} is the
#'   [distributional variance][distributional_variance] of the projected domains. With G domains,
#'   the entry of Q for two rows is \eqn{(G - 1)/(G^2 n_g^2)}{(G - 1) / (G^2 n_g^2)} if both are in
#'   domain g, and \eqn{-1/(G^2 n_g n_h)}{-1 / (G^2 n_g n_h)} if they are in domains g and h.
#'
#' At most C - 1 components exist for C classes, for a numeric response as many as its kernel has
#' numerical rank (some tens); if `ncomp` is larger, all are returned, with a warning. Training and
#' new rows are centred by the training mean.
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param kernel,domain_kernel,feature_map,scale,na.action,threads,... As in [all
#'   methods][dg_arguments].
#' @param ncomp Number of components m.
#' @param lambda Positive ridge on the coefficients (paper, footnote 1), not multiplied by n.
#' @param epsilon Positive regulariser of P, multiplied by n.
#' @param kernel_y Kernel on the response. `NULL`: [kernel_delta()] for classes, [kernel_rbf()] with
#'   the median bandwidth for a numeric response. For ids: see [several_responses].
#' @param form Numerator: `"published"`, the paper's \eqn{P K^2}, is not symmetric, and can have
#'   complex eigenvalues, whose real parts are then used, with a warning. `"symmetric"`, \eqn{K P
#'   K}, the covariance of the inverse regressor, spans another subspace; it is the default with
#'   `smooth`, as in the published form the graph makes scores rougher.
#' @param normalise Length of the directions: `"constraint"` (default), \eqn{b'Db = 1} (the paper);
#'   `"whiten"`, training scores of variance 1; `"published_code"`, \eqn{b'Db = 1/\gamma}{b'Db =
#'   1/gamma} (the authors' programs).
#' @param smooth Non-negative weight of \eqn{\sum (f_i - f_j)^2}{sum (f_i - f_j)^2} over the edges
#'   of a graph of nearest rows, not divided by n; 0: no graph. This is the semi-supervised
#'   extension of the paper's last section, in the form of semi-supervised TCA (Pan et al. 2011, see
#'   [dg_tca()]) with weights 1.
#' @param neighbours Number of nearest rows (scaled predictors); two rows are joined if either is
#'   among the nearest of the other.
#' @param unlabelled Data frame or matrix of further rows without response. They enter the Gram
#'   matrix, its centring, the domains and the graph; P and 1/n use labelled rows only. Without the
#'   domain column they form one further domain.
#' @return With data, an object of class `dg_projection`, a list with
#'   \item{values}{the m eigenvalues \eqn{\gamma}{gamma} (with 1/n), decreasing}
#'   \item{directions}{n x m coefficients of the training rows (then of `unlabelled` or `target`);
#'     with a feature map r x m. The scores of x are \eqn{k(x, X)}{k(x, X)} `directions` - `centre`,
#'     or \eqn{z(x)'}{z(x)'} `directions` - `centre`}
#'   \item{centre, scores}{vector of length m; n x m scores of the training rows, `NULL` for
#'     [sums][feature_sums]}
#'   \item{rank}{number of components that exist}
#'   \item{residual}{of each eigenpair, divided by n `.Machine$double.eps`}
#'   \item{theorem5}{`distributional` = tr(B'KQKB) and `norm` = tr(B'KB), the two quantities in the
#'     paper's bound on the generalisation error}
#'   \item{variance}{total and distributional variance before and after projection}
#'   \item{kernel_y}{kernel on the response with its bandwidth, if there is one}
#'   and what `predict()` needs. Without data, a specification.
#' @section Errors:
#' Missing or unknown columns, a constant response, `lambda` or `epsilon` that is not positive, and
#' Gram matrices above the memory limit ([domgen_options]) are errors.
#' @references
#' Muandet, K., Balduzzi, D. and Schoelkopf, B. (2013). Domain generalization
#' via invariant feature representation. *ICML*. <https://arxiv.org/abs/1301.2115>
#' @seealso [dg_udica()], [several_responses], [predict.dg_projection()], [dg_pipeline()]
#' @examples
#' # carbon dioxide uptake of plants, each a domain; scores of a new plant
#' model <- dg_dica(uptake ~ conc + Type + Treatment | Plant, data = subset(CO2, Plant != "Mc3"))
#' summary(model)
#' predict(model, newdata = subset(CO2, Plant == "Mc3"))
#' @export
dg_dica <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, lambda = 0.1,
                 epsilon = 1e-4, kernel = kernel_rbf(), kernel_y = NULL,
                 domain_kernel = domain_pooled(), feature_map = features_exact(),
                 form = c("published", "symmetric"),
                 normalise = c("constraint", "whiten", "published_code"), smooth = 0,
                 neighbours = 10, unlabelled = NULL,
                 scale = c("pooled", "domain", "both", "rank", "none"),
                 na.action = stats::na.omit, threads = NULL, ...) {
  # in the published form the graph makes scores rougher
  if (missing(form) && is_number(smooth) && smooth > 0) form <- "symmetric"
  projection_call("dg_dica", environment(), match.call(), parent.frame())
}

dica_row <- function() projection_row(
  "DICA", dica_terms, response = "any", parameters = dica_parameters
)

dica_parameters <- function() parameters(
  parameter("smooth", "number", 0, simpler = 1, shown = TRUE),
  parameter("neighbours", "count"),
  parameter("unlabelled", rows_like_training, tuned = FALSE)
)

dica_terms <- function(args) {
  list(numerator = c(response = 1),
       denominator = c(domains = 1, norm = 1, ridge = args$lambda, smooth = args$smooth))
}

#' Several responses, and responses that are not numbers or classes
#'
#' How does a projection keep what predicts several responses at once, or trees, sequences and
#' classes with given similarities?
#'
#' @section Several responses:
#' `dg_dica()`, `dg_coir()` and [dg_dcm()] take several numeric responses at once, `cbind(y1, y2) ~
#' x | domain` or a matrix `y`. The kernel on the response then compares rows of that matrix. Its
#' columns are not scaled: do so first if their units differ. A learner predicts one response, so
#' [dg_pipeline()] refuses several: fit the projection, then a learner of each response to its
#' scores (see Examples). Several responses must be in memory, not in a [row_source()] or
#' [feature_sums()].
#' @section Responses by their similarities:
#' With `kernel_y = kernel_precomputed(L)` the response holds ids of rows of `L`: classes with given
#' similarities, or an id per row for trees and sequences (the paper's structured outputs). `L`
#' needs the ids of training rows only: `predict()` does not use the response. With classes and a
#' small `epsilon`, P depends little on their similarities: it keeps the span of `L`.
#' @name several_responses
#' @seealso [dg_dica()], [dg_dcm()], [kernel_precomputed()]
#' @examples
#' # two responses at once; then a learner of each on the scores
#' irises <- transform(iris, site = rep(1:5, 30))
#' both <- dg_dica(cbind(Sepal.Length, Sepal.Width) ~ Petal.Length + Petal.Width | site,
#'                 data = irises, ncomp = 3)
#' scores <- predict(both, irises)
#' dg_ridge(scores, irises$Sepal.Width, irises$site)
NULL
