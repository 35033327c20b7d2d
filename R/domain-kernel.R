# Domain kernels. Each is one file with a constructor, format() and of these what differs
# from the default:
#   domain_kernel_fit(kernel, rows, features): what is remembered of the training rows, with kappa
#     [G x G], or NULL where it is constant; with features (those of a map) no rows are kept;
#   domain_kappa(kernel, rows, among): kappa [new x G] of the domains of new rows with those of
#     training; among = TRUE: with each other, [new x new];
#   domain_own(kernel, rows): kappa(P, P) of each;
#   domain_knows(kernel): what it looks at, "rows" (unlabelled ones of the domain), "names" or
#     "nothing", where it is constant; all else that follows from it asks uses_domain() or
#     needs_domain_rows();
# and where it has parameters that a likelihood or an error may fit, those of domain-parameters.R.
# rows: see rows_of(). The element `embedding_kernel` of a kernel compares what describes domains,
# see domain-embedding-kernel.R; `parts` are the domain kernels that it is made of.

new_domain_kernel <- function(name, ...) {
  structure(list(...), class = c(paste0("domain_", part_name(name)), "domgen_domain_kernel"))
}

domain_kernel_fit <- function(kernel, rows, feature_map = NULL) UseMethod("domain_kernel_fit")

domain_kappa <- function(kernel, rows, among = FALSE) UseMethod("domain_kappa")

domain_own <- function(kernel, rows) UseMethod("domain_own")

#' @exportS3Method
domain_own.domgen_domain_kernel <- function(kernel, rows) {
  unname(diag(domain_kappa(kernel, rows, among = TRUE)))
}

domain_knows <- function(kernel) UseMethod("domain_knows")

#' @exportS3Method
domain_knows.domgen_domain_kernel <- function(kernel) "rows"

# A method without a domain kernel.
#' @exportS3Method
domain_knows.NULL <- function(kernel) "nothing"

# The vectors that kappa compares, [new x r], one for each domain of the rows: means of features,
# quantiles. A fitted kernel has those of training as `coordinates`. NULL where there are none.
domain_coordinates <- function(kernel, rows) UseMethod("domain_coordinates")

#' @exportS3Method
domain_coordinates.domgen_domain_kernel <- function(kernel, rows) NULL

# The feature map whose means describe a domain, so that sums over its rows are enough; NULL: they
# are not.
describing_map <- function(kernel) kernel[["map"]]

# Does a prediction depend on which domain a row is in?
uses_domain <- function(kernel) known_of_domains(kernel) != "nothing"

# Does it depend on the other rows of its domain?
needs_domain_rows <- function(kernel) known_of_domains(kernel) == "rows"

known_of_domains <- function(kernel) {
  knows <- domain_knows(kernel)
  if (length(knows) == 1L && knows %in% c("rows", "names", "nothing")) return(knows)
  abort("argument", "`domain_knows()` of the domain kernel ", format(kernel), " must give ",
        "\"rows\", \"names\" or \"nothing\", not ", describe(knows), ".")
}

#' @export
print.domgen_domain_kernel <- function(x, ...) {
  cat_line("kappa(P, P') = ", format(x))
  invisible(x)
}

#' Domain kernels
#'
#' @description
#' Every method uses the kernel
#' \deqn{\bar k((P, x), (P', x')) = \kappa(P, P')\, k(x, x')}{
#'   k((P, x), (P', x')) = kappa(P, P') k(x, x')}
#' on pairs of a domain and a row (MTL paper, section 5; DICA paper, equation 14). The domain kernel
#' is the factor kappa:
#'
#' | function | kappa(P, P') | a new domain |
#' |---|---|---|
#' | `domain_pooled()` | 1 | as any other: all rows are one data set |
#' | `domain_multitask(tau)` | 1 if P = P', else `tau` | `tau` with every training domain |
#' | `domain_multitask(kappa = )` | a matrix, by domain name | its entries there, else `new` |
#' | `domain_distribution()` | kernel on mean embeddings | computed from its *unlabelled* rows |
#' | [domain_wasserstein()] | kernel on quantiles | computed from its *unlabelled* rows |
#' | [domain_factors()] | by factor, for nested or crossed domains | by factor |
#'
#' @details
#' `domain_multitask(tau)` (MTL paper, section 5.2) lies between two extremes. With `tau = 0`, each
#' domain has a model of its own. With `tau = 1`, all domains are pooled.
#'
#' `domain_multitask(kappa = )` identifies domains by name, so that the matrix may contain domains
#' without training rows. Without `new`, predictions for a domain that is not in the matrix are an
#' error.
#'
#' `domain_distribution(embedding_kernel = kernel_rbf(sigma))` is
#' \deqn{\kappa(P, P') = \exp(-\lVert\mu_P - \mu_{P'}\rVert^2/(2\sigma^2)),}{
#'   kappa(P, P') = exp(-||mu_P - mu_P'||^2 / (2 sigma^2)),}
#' with \eqn{\mu_P}{mu_P} the mean embedding of domain P: the mean of its rows in the feature space
#' of `kernel`.
#'
#' Sums and products of domain kernels: see [domain_factors()].
#'
#' @section Default bandwidth between domains:
#' Two samples of \eqn{n_g}{n_g} and \eqn{n_h}{n_h} rows from the *same* distribution have mean
#' embeddings at an expected squared distance of
#' \deqn{s^2\left(\frac1{n_g} + \frac1{n_h}\right), \qquad
#'   s^2 = \mathrm{E}\,k(x, x) - \mathrm{E}\,k(x, x'),}{
#'   s^2 (1/n_g + 1/n_h),  s^2 = E k(x, x) - E k(x, x'),}
#' with x and x' independent. Smaller distances are sampling noise, so the default bandwidth is
#' \deqn{\mathrm{bandwidth} = \max\left(\mathrm{median}_{g<h} \lVert\mu_g - \mu_h\rVert,\;
#'   s \left(\mathrm{median}_{g<h}(1/n_g + 1/n_h)\right)^{1/2}\right)}{
#'   bandwidth = max(median_{g<h} ||mu_g - mu_h||, s sqrt(median_{g<h}(1/n_g + 1/n_h)))}
#' times `bandwidth_factor`, with s estimated within domains:
#' \deqn{s^2 = \frac{n \bar k - \sum_g n_g \lVert\mu_g\rVert^2}{n - G},}{
#'   s^2 = (n kbar - sum_g n_g ||mu_g||^2) / (n - G),}
#' where \eqn{\bar k}{kbar} is the mean of k(x, x).
#'
#' If the rows of all domains have the same values of the predictors, as in balanced repeated
#' measures, kappa is 1: the model is pooled. Kappa stays near 1 for a new domain that lacks a few
#' of these rows. If domains differ by more than noise, the bandwidth is the median distance.
#' Squared distances below 1e-13 of the largest \eqn{\lVert\mu_g\rVert^2}{||mu_g||^2} are rounding
#' errors and count as 0. If at least half of the distances are 0, the median of the others is
#' taken. For a single domain the bandwidth is 1.
#'
#' @param tau Number from 0 (separate models) to 1 (pooling). If `NULL`, [dg_gp()] fits it.
#' @param kappa Symmetric positive semi-definite matrix, with the names of the domains as row and
#'   column names.
#' @param new Number: the similarity of a domain that is not in the matrix `kappa` to each domain
#'   that is. Its similarity to itself is the mean of the diagonal of `kappa`. The matrix with the
#'   new domain must be positive semi-definite.
#' @param kernel Kernel whose mean embeddings are taken. Its default bandwidth is the
#'   [median_bandwidth()] of the training rows.
#' @param embedding_kernel Kernel on the embeddings: [kernel_rbf()] (default), [kernel_laplace()],
#'   [kernel_matern()], [kernel_cauchy()], [kernel_exponential()], [kernel_poly()],
#'   [kernel_linear()], or a sum or product of them. For its default bandwidth see the section
#'   below; where [dg_ridge()] and [dg_svm()] choose the penalty, they also choose a multiple of
#'   this bandwidth.
#' @param ... Not used; an unknown argument is an error.
#' @return A domain kernel, for the argument `domain_kernel` of the methods.
#' @section Errors:
#' A `tau` outside 0 to 1, a `kappa` that is not a kernel matrix with names, and an
#' `embedding_kernel` that is not a function of inner products or distances are errors; when the
#' method is fitted, also a training domain that is not in `kappa`. A new domain far from all
#' training domains gives a warning of class `domgen_warning_far_domain`, see [far_rows].
#' @seealso [domain_gram()] for the inner products of mean embeddings.
#' @examples
#' domain_distribution(kernel_rbf(bandwidth = 1), embedding_kernel = kernel_rbf())
#' domain_multitask(0.5)
#' near <- matrix(c(1, 0.8, 0.1, 0.8, 1, 0.1, 0.1, 0.1, 1), 3,
#'                dimnames = rep(list(c("ward A", "ward B", "home")), 2))
#' domain_multitask(kappa = near, new = 0.1)
#' @name domain_distribution
NULL

domain_kernel_rule <- value_rule("part", levels = "domgen_domain_kernel", words =
  "made by `domain_pooled()`, `domain_multitask()` or `domain_distribution()`")

check_domain_kernel <- function(value, arg) check_value(value, arg, domain_kernel_rule)
