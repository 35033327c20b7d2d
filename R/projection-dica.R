#' Domain-invariant components
#'
#' @description
#' Projections of the predictors, in the feature space of a kernel, on a few
#' components. Each maximises a ratio over coefficients \eqn{B} (n x m) of the
#' centred training rows' Gram matrix \eqn{K}:
#'
#' | method | maximises | paper |
#' |---|---|---|
#' | `dg_dica()` | tr(B'P K^2 B)/n over tr(B'(KQK + K + lambda I)B) | DICA, eq. 9-11, algorithm 1 |
#' | `dg_udica()` | tr(B'K^2 B)/n over tr(B'(KQK + K + lambda I)B) | DICA, eq. 12-13 |
#' | `dg_coir()` | tr(B'P K^2 B)/n over tr(B'(K + lambda I)B) | DICA, section 2.5 |
#' | `dg_kpca()` | tr(B'K^2 B)/n over tr(B'K B) | DICA, section 2.5 |
#'
#' The numerator of DICA and COIR keeps what the response depends on (the
#' central subspace): \eqn{P = L(L + n\varepsilon I)^{-1}}{P = L (L + n epsilon I)^-1} with
#' \eqn{L} the centred Gram matrix of the kernel on the response. The
#' denominator of DICA and UDICA punishes differences between domains:
#' \eqn{\mathrm{tr}(B'KQKB)}{tr(B'KQKB)} is the distributional variance of the projected
#' domains. UDICA needs no response, COIR no domains, KPCA neither.
#'
#' @details
#' All are solved exactly, by one Cholesky factorisation: \eqn{KQK} has rank
#' G - 1 and \eqn{P} the rank of the response's kernel, so that the n x n
#' eigenproblem of the papers shrinks to a small one. Data are centred with the
#' *training* means, also when new rows are projected. The paper "DICA" is
#' Muandet, Balduzzi and Schoelkopf (2013).
#'
#' `form`: the papers' numerator \eqn{P K^2} (`"published"`) is not symmetric
#' and spans another subspace than \eqn{K P K} (`"symmetric"`), the covariance
#' of the inverse regressor itself. The published form can have complex
#' eigenvalues, of which a warning tells.
#'
#' **How many components?** With C classes there are at most C - 1 for `dg_dica()`
#' and `dg_coir()`: two classes give one; for a numeric response as many as its kernel has
#' numerical rank (some tens). `dg_udica()` and `dg_kpca()` have up to n - 1.
#' Asking for more gives a warning and those that exist.
#'
#' @param x A formula `y ~ x1 + x2 | domain` (or `~ x1 + x2 | domain` where no
#'   response is needed) with `data`; or a numeric matrix n x p or a data frame
#'   of predictors. Without `x` the result is a specification for [fit()],
#'   [dg_pipeline()] and [dg_cv()]. Several factors behind the bar are nested, `| school / class`,
#'   or crossed, `| patient + device`, see [dg_cv()]; a domain is then a combination of their
#'   levels. Terms and domains are functions of the row alone, `log(x1)` or `factor(z)`, or learned,
#'   as `poly(x1, 2)`; `rank(x1)` or `cut(z, 3)` are an error.
#' @param y Response when `x` is not a formula: numbers, or class labels as
#'   factor, character or logical. The order of an ordered factor is used by
#'   `dg_glm(family = "ordinal")` alone; other methods ignore it, with a message.
#' @param domain Vector: the domain of each row. May be a column of `data`. Its values are
#'   labelled alike whatever their type: numbers by their decimals in full, "100000", times in UTC.
#' @param data Data frame in which the formula is evaluated; or a [row_source()], rows that lie in
#'   files or a database and come in blocks, see [fit_source].
#' @param ncomp Number of components m.
#' @param lambda Positive ridge on the coefficients (footnote 1 of the DICA
#'   paper). It is not multiplied by n.
#' @param epsilon Positive regulariser of P. It is multiplied by n.
#' @param kernel [Kernel][kernel_rbf] on the predictors.
#' @param kernel_y Kernel on the response; `NULL` is [kernel_delta()] for
#'   classes and [kernel_rbf()] with the median bandwidth for numbers.
#' @param domain_kernel [Kernel between domains][domain_distribution], multiplied
#'   with `kernel`.
#' @param feature_map [Feature map][features_nystrom]: the Gram matrix itself, or features
#'   of which one pass over the rows takes sums. `features_nystrom()` and
#'   `features_rff()` make the method fast for any number of rows.
#' @param form Numerator as published or symmetric; see Details. With `smooth` the default
#'   is `"symmetric"`: in the published form the graph makes scores rougher.
#' @param normalise Length of the directions: `"constraint"`, \eqn{b'Db = 1} (the
#'   papers' constraint); `"whiten"`, training scores of variance 1;
#'   `"published_code"`, \eqn{b'Db = 1/\gamma}{b'Db = 1/gamma}, as in the authors' programs.
#' @param smooth Non-negative weight of \eqn{\sum (f_i - f_j)^2}{sum (f_i - f_j)^2} over the
#'   edges of a graph that joins each row
#'   to its nearest ones (the semi-supervised extension that the paper's last section suggests;
#'   the form is that of semi-supervised TCA, Pan et al. 2011, with weights 1). Not divided by n.
#' @param neighbours Number of nearest rows, in the scaled predictors, that each row is joined
#'   to; rows are joined if either is near the other.
#' @param unlabelled Data frame or matrix of further rows without response. They enter the Gram
#'   matrix, its
#'   centring, the domains and the graph; the response's P and the 1/n count labelled rows only.
#'   Without the domain column they are one domain of their own.
#' @param scale How predictors are scaled: `"pooled"`, by the mean and standard deviation of
#'   the training rows; `"domain"`, by those of the row's own domain, for a new domain from its
#'   unlabelled rows in `newdata` or `reference`, which takes differences of level and spread
#'   between instruments or persons away, and what they say with them; `"both"`, the two side by
#'   side (twice as many columns); `"rank"`, to the normal scores of the training rows,
#'   (rank - 1/2)/n, so that outliers and units do not matter; `"none"`, not at all.
#' @param na.action `na.omit` leaves rows with missing values out, with a
#'   warning; `na.exclude` too, and fills [fitted()] with `NA` there; `na.fail`
#'   refuses them; [na.impute] keeps rows whose predictors have gaps, and puts medians and most
#'   frequent levels there.
#' @param threads Threads for kernel work; `getOption("domgen.threads", 2)` if
#'   `NULL`. The result does not depend on it. The BLAS has its own, see [domgen-package].
#' @param ... Must be empty: an unknown argument is an error.
#' @return With data, an object of class `dg_projection`, a list with
#'   \item{values}{the m eigenvalues \eqn{\gamma}{gamma} (the papers' \eqn{\Gamma}{Gamma}, with
#'   the
#'     1/n), decreasing}
#'   \item{directions}{n x m coefficients of the training rows, after which come those of
#'     `unlabelled` or `target` (with `feature_map` r x m): the
#'     scores of x are \eqn{k(x, X)}{k(x, X)} `directions` - `centre` (with `feature_map`,
#'     \eqn{z(x)'}{z(x)'} `directions` - `centre`)}
#'   \item{centre}{m numbers}
#'   \item{scores}{n x m projections of the training rows; `NULL` for [sums][feature_sums]}
#'   \item{rank}{how many components there are (for `dg_udica()` and `dg_kpca()`, at
#'     most as many as were asked for)}
#'   \item{residual}{of each eigenpair, in units of n times the machine epsilon}
#'   \item{theorem5}{`distributional` = tr(B'KQKB) and `norm` = tr(B'KB), the
#'     two quantities of the paper's bound on the generalisation error}
#'   \item{variance}{total and distributional variance before and after}
#'   \item{kernel_y}{the kernel on the response with its bandwidth, where there is one}
#'   and what `predict()` needs. Without data, a specification.
#' @section Errors:
#' Missing or unknown columns, a constant response, non-positive `lambda` or
#' `epsilon`, unknown arguments, and Gram matrices over the memory limit
#' ([domgen-package]) are errors.
#' @references
#' Muandet, K., Balduzzi, D. and Schoelkopf, B. (2013). Domain generalization
#' via invariant feature representation. *ICML*. <https://arxiv.org/abs/1301.2115>
#' @seealso [predict.dg_projection()], [plot.dg_projection()], [dg_pipeline()]
#' @examples
#' toy <- simulate_dica(domains = 6, n = 40, seed = 1)
#' train <- subset(toy, domain %in% levels(domain)[1:4])
#' test <- subset(toy, !domain %in% levels(domain)[1:4])
#' model <- dg_dica(y ~ . | domain, data = train, ncomp = 2)
#' summary(model)
#' head(predict(model, newdata = test))
#'
#' # a specification, to be given data later
#' dg_udica(ncomp = 3, lambda = 0.01)
#'
#' # carbon dioxide uptake of plants, each a domain
#' plants <- dg_dica(uptake ~ conc + Type + Treatment | Plant, data = CO2)
#' plants
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
  parts <- projection_parts("DICA", dica_terms, response = "any", parameters = dica_parameters)
  fit_or_specify(projection_spec("dg_dica", parts, environment()), match.call(), parent.frame())
}

dica_parameters <- function() parameters(
  parameter("smooth", a_number("non-negative"), simpler = 1, shown = TRUE),
  parameter("neighbours", check_count),
  parameter("unlabelled", or_null(rows_like_training), tuned = FALSE)
)

dica_terms <- function(args) {
  list(numerator = c(response = 1),
       denominator = c(domains = 1, norm = 1, ridge = args$lambda, smooth = args$smooth))
}
