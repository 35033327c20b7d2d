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

# key: made by space_of().
represent_rows <- function(key, sample, threads) {
  represent(key$feature_map, key$kernel, key$domain_kernel, sample, threads)
}

feature_table <- function(map, domain_kernel, points) UseMethod("feature_table")

#' @exportS3Method
feature_table.default <- function(map, domain_kernel, points) NULL

feature_program <- function(map, X, table = NULL) UseMethod("feature_program")

# A map with all that its program needs.
with_factor <- function(map) UseMethod("with_factor")

#' @exportS3Method
with_factor.default <- function(map) map

# The map without its triangular solve, which is linear: solve_sums() solves the sums of its values
# instead, [r x m].
unsolved_map <- function(map) UseMethod("unsolved_map")

#' @exportS3Method
unsolved_map.default <- function(map) map

# Do sums of squares keep their digits when they are solved like this, by both of their sides?
solves_squares <- function(map) UseMethod("solves_squares")

#' @exportS3Method
solves_squares.default <- function(map) FALSE

solve_sums <- function(map, sums) UseMethod("solve_sums")

#' @exportS3Method
solve_sums.default <- function(map, sums) sums

# Does it keep the rows, and their Gram matrix while it is fitted?
is_exact <- function(feature_map) inherits(feature_map, "features_exact")

# The map of the domains' mean embeddings; NULL: by the rows themselves.
embedding_map <- function(feature_map) {
  if (is_exact(feature_map)) return(NULL)
  if (is.null(feature_map$embedding)) feature_map else feature_map$embedding
}

feature_map_rule <- value_rule("part", levels = "dg_features", words =
  "made by `features_exact()`, `features_nystrom()`, `features_rff()` or `features_product()`")

check_feature_map <- function(value, arg) check_value(value, arg, feature_map_rule)

#' Feature maps
#'
#' @description
#' A feature map is how a method represents its kernel on pairs of a domain and a row,
#' \deqn{\bar k((P, x), (P', x')) = \kappa(P, P')\, k(x, x'),}{
#'   k((P, x), (P', x')) = kappa(P, P') k(x, x'),}
#' exactly, or by features \eqn{z(P, x) \in R^r}{z(P, x) in R^r} with
#' \eqn{\langle z(P, x), z(P', x')\rangle \approx \bar k}{<z(P, x), z(P', x')> close to k}. With
#' features, the training rows are read in chunks, so that time is proportional to n and memory does
#' not grow with n.
#'
#' | function | kernel k | domain kernel | features |
#' |---|---|---|---|
#' | `features_exact()` | any | any | none: Gram matrix, n x n |
#' | `features_linear()` | [kernel_linear()] | [domain_pooled()] | z(x) = x, exact |
#' | `features_nystrom()` | any | any | one per landmark |
#' | `features_rff()` | of the distance | [domain_pooled()] | 2 D, see [random_fourier] |
#' | [features_product()] | any | any | products of features of P and x |
#'
#' @section Nystrom features:
#' With q landmarks \eqn{S = (s_1, \dots, s_q)}{S = (s_1, ..., s_q)} among the pairs of domain and x
#' and \eqn{W = \bar k(S, S) = LL'}{W = k(S, S) = LL'},
#' \deqn{z(P, x) = L^{-1} \bar k(S, (P, x)), \qquad
#'   \langle z, z'\rangle = \bar k(\cdot, S) W^{-1} \bar k(S, \cdot)}{
#'   z(P, x) = L^-1 k(S, (P, x)),  <z, z'> = k(., S) W^-1 k(S, .)}
#' (Williams and Seeger, 2001). L is a pivoted Cholesky factor. Landmarks with at most eps^(2/3) =
#' 3.7e-11 of the largest diagonal entry left are dropped: rounding would change the features more
#' than the landmark does.
#'
#' The landmarks are selected by `sampling`:
#'
#' | `sampling` | landmarks | rows used |
#' |---|---|---|
#' | `"rpcholesky"` | randomly pivoted Cholesky (Chen et al., 2025) | max(5 q, 10,000) |
#' | `"kmeans"` | centres of [stats::kmeans()] (Zhang et al., 2008) | max(5 q, 20,000) |
#' | `"uniform"` | drawn at random without replacement | all |
#'
#' If there are more rows, a random subset is used (max(5 q, 2,000) rows with [kernel_custom()]).
#' Randomly pivoted Cholesky draws one pair after the other, with probability proportional to the
#' diagonal of the kernel that the previous pairs leave. It stops when they leave 1e-6 of its sum, a
#' tenth of the smallest `lambda` / n that is selected: a smooth kernel of few predictors needs few.
#' `"kmeans"` starts from landmarks of `"rpcholesky"`. It is more accurate with the same number of
#' landmarks, but slower. It works separately in each domain if there is a domain kernel other than
#' [domain_pooled()].
#'
#' @details
#' With [domain_distribution()], mean embeddings are represented by the same kind of features of
#' their own kernel. A fit then keeps no training rows other than landmarks. With `"rpcholesky"` and
#' `"uniform"`, landmarks are training rows (scaled, without the response). The part of a new
#' domain's embedding outside the span of the features does not contribute to its distances.
#'
#' All random numbers come from R's generator when the method is fitted: use [set.seed()]. The map
#' is stored in the fit.
#' @param n_landmarks Largest number of landmarks, default 200. Fewer are used if fewer are enough
#'   (`"rpcholesky"` and `"kmeans"`) or linearly independent (`"uniform"`, with a warning if the
#'   number was given). Accuracy increases with it; time increases as its square.
#' @param sampling How landmarks are selected: `"rpcholesky"` (default), `"kmeans"` or `"uniform"`.
#' @param n_features Number of frequencies D, default 250; there are 2 D features.
#' @param orthogonal If `TRUE` (default), frequencies are orthogonal in blocks.
#' @return An object of class `dg_features`, for the argument `feature_map` of the methods. It holds
#'   the arguments; random numbers are drawn when the method is fitted.
#' @section Errors:
#' Counts below 1 are errors at once. When the method is fitted, a kernel without known spectral
#' density or a domain kernel with `features_rff()`, and features that overflow, are errors of class
#' `domgen_error`; too few independent landmarks of `"uniform"` are a warning of class
#' `domgen_warning_rank`.
#' @references
#' Chen, Y., Epperly, E. N., Tropp, J. A. and Webber, R. J. (2025). Randomly pivoted Cholesky:
#' practical approximation of a kernel matrix with few entry evaluations.
#' *Communications on Pure and Applied Mathematics* 78, 995-1041. The draws are made by
#' rejection as in Epperly, E. N., Tropp, J. A. and Webber, R. J. (2024). Embrace rejection: kernel
#' matrix approximation by accelerated randomly pivoted Cholesky. arXiv:2410.03969.
#'
#' Williams, C. K. I. and Seeger, M. (2001). Using the Nystrom method to speed
#' up kernel machines. *Advances in Neural Information Processing Systems* 13.
#'
#' Zhang, K., Tsang, I. W. and Kwok, J. T. (2008). Improved Nystrom low-rank approximation and
#' error analysis. *Proceedings of the 25th International Conference on Machine Learning*.
#' @examples
#' features_nystrom(100)
#' features_rff(250)
#' dg_ridge(uptake ~ conc + Type + Treatment | Plant, data = CO2, lambda = 1,
#'          feature_map = features_nystrom(50))
#' @name features_nystrom
NULL

#' @rdname features_nystrom
#' @order 1
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

# kappa of the domains of new rows with those of training, [new x G].
training_kappa <- function(kernel, new) {
  check_kappa_values(kernel, unname(domain_kappa(kernel, new)), new$domain, ncol(kernel$kappa),
                     "domain_kappa()")
}

# A kernel, perhaps a user's, must give a matrix of this size, with values for each domain that has
# rows. from: the function that gave it.
check_kappa_values <- function(kernel, kappa, domain, columns, from) {
  size <- c(nlevels(domain), columns)
  if (!is.numeric(kappa) || !identical(dim(kappa), as.integer(size))) {
    abort("argument", "The domain kernel ", format(kernel), " must have a matrix of ",
          paste(size, collapse = " x "), " as kappa, of ", from, ", not ", describe(kappa), ".")
  }
  absent <- which(rowSums(is.na(kappa) & !is.nan(kappa)) > 0 & tabulate(domain, size[1L]) > 0)
  if (length(absent)) {
    abort("data", "The domain kernel ", format(kernel), " has no value for ",
          enumerate(levels(domain)[absent], quote = "\""), ".")
  }
  kappa
}

#' Random Fourier features
#'
#' What are the features of [features_rff()], and for which kernels?
#'
#' @details
#' \deqn{z(x) = D^{-1/2} (\cos w_1'x, \dots, \cos w_D'x, \sin w_1'x, \dots, \sin w_D'x)}{
#'   z(x) = (cos w_1'x, ..., cos w_D'x, sin w_1'x, ..., sin w_D'x) / sqrt(D)}
#' with frequencies w drawn from the spectral density of the kernel (Rahimi and Recht, 2007). With g
#' standard normal:
#'
#' | kernel | w = \eqn{g/\sigma}{g / sigma} times |
#' |---|---|
#' | [kernel_rbf()] | 1 |
#' | [kernel_laplace()] | \eqn{\sqrt{1/\chi^2_1}}{sqrt(1 / chi^2_1)} |
#' | [kernel_matern()] | \eqn{\sqrt{2\nu/\chi^2_{2\nu}}}{sqrt(2 nu / chi^2_(2 nu))} |
#' | [kernel_cauchy()] | \eqn{\sqrt{2s}}{sqrt(2 s)}, s gamma, shape and rate \eqn{\alpha}{alpha} |
#'
#' With `orthogonal = TRUE` the frequencies are orthogonal in blocks of p, with independent lengths
#' from the same distribution (Yu et al., 2016). Each frequency has the same distribution as
#' without, but the error of the features is smaller, most of all for smooth kernels.
#' @name random_fourier
#' @references
#' Rahimi, A. and Recht, B. (2007). Random features for large-scale kernel
#' machines. *Advances in Neural Information Processing Systems* 20.
#'
#' Yu, F. X., Suresh, A. T., Choromanski, K., Holtmann-Rice, D. and Kumar, S. (2016).
#' Orthogonal random features. *Advances in Neural Information Processing Systems* 29.
#' @seealso [features_rff()]
NULL
