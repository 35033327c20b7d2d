# Feature maps z with <z(d, x), z(d', x')> ~ kappa(d, d') k(x, x'): how a method
# represents its kernel. A map is one file with a constructor and three methods:
#   represent(features, kernel, domain_kernel, rows, threads): the fitted representation
#     (gram_space or feature_space);
#   feature_table(map, domain_kernel, rows): what the map needs to know of domains, from
#     their unlabelled rows; NULL unless there is something;
#   feature_program(map, X, table): what the C++ core evaluates on the rows X.

new_features <- function(name, ...) {
  structure(list(...), class = c(paste0("features_", name), "dg_features"))
}

represent <- function(feature_map, kernel, domain_kernel, rows, threads) UseMethod("represent")

# key: list(features, kernel, domain_kernel, ...), see space_of().
represent_rows <- function(key, sample, threads) {
  represent(key$feature_map, key$kernel, key$domain_kernel, sample, threads)
}

feature_table <- function(map, domain_kernel, rows) UseMethod("feature_table")

#' @exportS3Method
feature_table.default <- function(map, domain_kernel, rows) NULL

feature_program <- function(map, X, table = NULL) UseMethod("feature_program")

# Does it keep the rows, and their Gram matrix while it is fitted?
is_exact <- function(feature_map) inherits(feature_map, "features_exact")

# The map of the domains' mean embeddings; NULL: by the rows themselves.
embedding_map <- function(feature_map) {
  if (is_exact(feature_map)) return(NULL)
  if (is.null(feature_map$embedding)) feature_map else feature_map$embedding
}

check_feature_map <- function(value, arg) {
  check_made_by(value, arg, "dg_features", paste0(
    "`features_exact()`, `features_nystrom()`, `features_rff()` or `features_product()`"))
}

#' Feature maps
#'
#' @description
#' How a method represents its kernel \eqn{\bar k((P, x), (P', x')) =
#' \kappa(P, P')\, k(x, x')}{k((P, x), (P', x')) = kappa(P, P') k(x, x')}:
#' exactly, by the Gram matrix of the training rows, or by features
#' \eqn{z(P, x) \in R^r}{z(P, x) in R^r} with \eqn{\langle z(P, x), z(P', x')\rangle
#' \approx \bar k}{<z(P, x), z(P', x')> close to k}. With features the training rows
#' are passed once, in blocks: time grows as n and memory not at all.
#' \itemize{
#'   \item `features_exact()`: the Gram matrix, n x n.
#'   \item `features_linear()`: z(x) = x for [kernel_linear()] with [domain_pooled()], exactly.
#'   \item `features_nystrom()`: landmarks \eqn{S = (s_1, \dots, s_q)}{S = (s_1, ..., s_q)}
#'     among the pairs of domain and x, \eqn{W = \bar k(S, S) = LL'}{W = k(S, S) = LL'} and
#'     \eqn{z(P, x) = L^{-1} \bar k(S, (P, x))}{z(P, x) = L^-1 k(S, (P, x))}, so that
#'     \eqn{\langle z, z'\rangle = \bar k(\cdot, S) W^{-1} \bar k(S, \cdot)}{
#'     <z, z'> = k(., S) W^-1 k(S, .)} (Williams and Seeger, 2001). It works with
#'     every kernel and domain kernel.
#'   \item `features_rff()`: random Fourier features of [kernel_rbf()],
#'     [kernel_laplace()], [kernel_matern()] and [kernel_cauchy()],
#'     \eqn{z(x) = D^{-1/2} (\cos w_1'x, \dots, \cos w_D'x, \sin w_1'x, \dots, \sin w_D'x)}{
#'     z(x) = (cos w_1'x, ..., cos w_D'x, sin w_1'x, ..., sin w_D'x) / sqrt(D)} with
#'     frequencies w drawn from the kernel's spectral density (Rahimi and Recht, 2007):
#'     \eqn{w = g/\sigma}{w = g/sigma}, g standard normal, for `kernel_rbf()`; for the Matern
#'     kernel of smoothness \eqn{\nu}{nu} (1/2 for `kernel_laplace()`) times
#'     \eqn{\sqrt{2\nu/\chi^2_{2\nu}}}{sqrt(2 nu / chi^2_(2 nu))}; for `kernel_cauchy()` times
#'     \eqn{\sqrt{2s}}{sqrt(2 s)}, s of a gamma distribution with shape and rate
#'     \eqn{\alpha}{alpha}. For [domain_pooled()] only;
#'     with other domain kernels use [features_product()].
#' }
#'
#' @details
#' `sampling` chooses the landmarks:
#' \itemize{
#'   \item `"rpcholesky"`: randomly pivoted Cholesky (Chen, Epperly, Tropp and Webber, 2025):
#'     pairs are drawn one after the other, with probability proportional to what
#'     the pairs before leave of the kernel's diagonal. They are drawn from all
#'     training rows, or from a random subset of max(5 `n_landmarks`, 10,000) of them
#'     (2,000 with [kernel_custom()]).
#'   \item `"kmeans"`: the centres of [stats::kmeans()] started from the former (Zhang, Tsang and
#'     Kwok, 2008), domain by domain when there is a domain kernel other than
#'     [domain_pooled()], from at most max(5 `n_landmarks`, 20,000) rows. More accurate at equal
#'     number, but slower to find.
#'   \item `"uniform"`: rows drawn at random without replacement.
#' } W is factorised by a pivoted Cholesky decomposition, and landmarks on which no
#' more than eps^(2/3) = 3.7e-11 of the largest diagonal entry is left are dropped: there the
#' rounding of a kernel value, amplified in the features, would be larger than what the landmark
#' adds.
#'
#' With `orthogonal = TRUE` the frequencies come in blocks of p orthogonal
#' directions with independent lengths of the right distribution (Yu, Suresh,
#' Choromanski, Holtmann-Rice and Kumar, 2016): each frequency is distributed as
#' without, but the error is smaller, the more so the smoother the kernel.
#'
#' With [domain_distribution()] the mean embeddings are represented by the same
#' kind of features of their own kernel, so that a fit keeps no training rows. What lies
#' outside the span of the features does not enter a new domain's distances.
#'
#' All random numbers come from R's generator, when the method is fitted;
#' `set.seed()` makes a fit reproducible, and the map is stored in it.
#' @param n_landmarks Number of landmarks. Fewer are used when fewer are linearly
#'   independent; a warning says how many, where the number was given. Accuracy grows with it, time
#'   as its square.
#' @param sampling How landmarks are chosen; see Details.
#' @param n_features Number of frequencies D; the map has 2 D coordinates.
#' @param orthogonal Whether the frequencies are orthogonal in blocks.
#' @return An object of class `dg_features`, for the argument `feature_map` of the
#'   methods. It holds the arguments; nothing is drawn before the method is fitted.
#' @section Errors:
#' Counts below 1 are errors at once. When the method is fitted, a kernel that
#' `features_rff()` does not know, a domain kernel with `features_rff()` and
#' features that overflow are errors of class `domgen_error`; too few
#' independent landmarks are a warning of class `domgen_warning_rank`.
#' @references
#' Chen, Y., Epperly, E. N., Tropp, J. A. and Webber, R. J. (2025). Randomly pivoted Cholesky:
#' practical approximation of a kernel matrix with few entry evaluations.
#' *Communications on Pure and Applied Mathematics* 78, 995-1041. The draws are made by
#' rejection as in Epperly, E. N., Tropp, J. A. and Webber, R. J. (2024). Embrace rejection: kernel
#' matrix approximation by accelerated randomly pivoted Cholesky. arXiv:2410.03969.
#'
#' Rahimi, A. and Recht, B. (2007). Random features for large-scale kernel
#' machines. *Advances in Neural Information Processing Systems* 20.
#'
#' Williams, C. K. I. and Seeger, M. (2001). Using the Nystrom method to speed
#' up kernel machines. *Advances in Neural Information Processing Systems* 13.
#'
#' Yu, F. X., Suresh, A. T., Choromanski, K., Holtmann-Rice, D. and Kumar, S. (2016).
#' Orthogonal random features. *Advances in Neural Information Processing Systems* 29.
#'
#' Zhang, K., Tsang, I. W. and Kwok, J. T. (2008). Improved Nystrom low-rank approximation and
#' error analysis. *Proceedings of the 25th International Conference on Machine Learning*.
#' @examples
#' features_nystrom(100)
#' features_rff(250)
#' @name features_nystrom
NULL

#' @rdname features_nystrom
#' @export
features_exact <- function() new_features("exact")

#' @exportS3Method
represent.features_exact <- function(feature_map, kernel, domain_kernel, rows, threads) {
  gram_space(kernel, domain_kernel, rows, threads)
}

#' @export
format.features_exact <- function(x, ...) "exact (Gram matrix)"

#' @export
print.dg_features <- function(x, ...) {
  cat_line("features: ", format(x))
  invisible(x)
}

# ---- what a feature map costs for each row, see dg_resources()
# -------------------------------------
#
# In operations (an addition or a multiplication is one). list(
#   dim      coordinates r
#   values   operations to evaluate them at a row
#   kept     numbers of the fitted map, which every worker has
#   on_x     of a product of a factor of x and one of the domain: what the factor of x costs)
# p: predictors; domains: those of which the map has a table, 0 where it uses none.
map_cost <- function(feature_map, p, domains = 0) UseMethod("map_cost")

#' @exportS3Method
map_cost.default <- function(feature_map, p, domains = 0) {
  abort("argument", "The feature map ", format(feature_map), " does not say what it costs.")
}

# An exponential or a cosine, in operations.
transcendental <- 20

# Distances from each landmark, and a triangular solve.
#' @exportS3Method
map_cost.features_nystrom <- function(feature_map, p, domains = 0) {
  landmarks_cost(feature_map$n_landmarks, p, domains)
}

#' @exportS3Method
map_cost.features_linear <- function(feature_map, p, domains = 0) landmarks_cost(p, p, domains)

landmarks_cost <- function(q, p, domains) {
  list(dim = q, values = q * (2 * p + transcendental) + q^2, kept = q * (p + q + domains))
}

#' @exportS3Method
map_cost.features_rff <- function(feature_map, p, domains = 0) {
  fourier_cost(feature_map$n_features, p, domains)
}

# An angle for each frequency, its cosine and its sine.
fourier_cost <- function(D, p, domains) {
  list(dim = 2 * D, values = D * (2 * p + 2 * transcendental), kept = D * (p + domains))
}

# For product maps the default rank at its largest.
#' @exportS3Method
map_cost.features_product <- function(feature_map, p, domains = 0) {
  if (feature_map$type == "fourier") return(fourier_cost(feature_map$n_features, p, domains))
  on_x <- map_cost(feature_map$x, p)
  if (domains == 0) return(on_x)
  rank <- if (is.null(feature_map$rank)) max(10, 1000 %/% on_x$dim) else feature_map$rank
  rank <- min(rank, domains)
  list(dim = rank * on_x$dim, values = on_x$values + rank * on_x$dim,
       kept = on_x$kept + rank * domains, on_x = on_x)
}
