#' Kernel for numeric and categorical predictors
#'
#' @description
#' The product over predictors of similarities, each of which is 1 where two rows agree:
#' \deqn{k(x, z) = \exp\left(-\sum_{j\ \mathrm{numeric}} \frac{(x_j - z_j)^2}{2\sigma^2}\right)
#'   \prod_{j\ \mathrm{nominal}} \lambda^{1[x_j \ne z_j]}
#'   \prod_{j\ \mathrm{ordered}} \lambda^{|r(x_j) - r(z_j)|/(c_j - 1)}}{
#'   k(x, z) = exp(-sum_numeric (x_j - z_j)^2 / (2 sigma^2))
#'     * prod_nominal lambda^[x_j != z_j]
#'     * prod_ordered lambda^(|r(x_j) - r(z_j)| / (c_j - 1))}
#' with \eqn{\lambda}{lambda} the `smoothing`, r the rank of a level and \eqn{c_j}{c_j} the number
#' of levels of an ordered factor.
#'
#' @details
#' Factors, character and logical columns are categorical; they enter as levels, not as scaled dummy
#' variables. Numeric columns are scaled by the argument `scale` of the method. With `smoothing = 0`
#' rows with different levels have similarity 0; with 1, categories have no effect.
#'
#' The product over numeric and categorical predictors is due to Li and Racine (2003). The nominal
#' factor is that of Aitchison and Aitken (1976), divided by its value for equal levels as in Racine
#' and Li (2004), so that \eqn{\lambda}{lambda} does not depend on the number of levels. The ordered
#' factor of Li and Racine, \eqn{\lambda^{|r - r'|}}{lambda^|r - r'|}, is used with ranks divided by
#' their range, as in the coefficient of Gower (1971): the two ends of a scale are as different as
#' two levels of a nominal predictor. Each factor is positive semi-definite for
#' \eqn{0 \le \lambda \le 1}{0 <= lambda <= 1}, and so is the product.
#'
#' *New levels.* A level that is not in the training data is as different from every other level as
#' two levels of a nominal predictor, with a warning of class `domgen_warning_new_level`;
#' `new_levels = "error"` makes it an error. If another kernel of the method uses dummy variables,
#' as `domain_distribution()` does by default, the value is treated as missing;
#' `domain_distribution(kernel_mixed())` avoids this.
#'
#' *Interactions.* A formula must not have interactions of categorical predictors: the product
#' includes them.
#'
#' *Matrices.* All columns of a matrix are numeric, so the kernel is [kernel_rbf()]. The same holds
#' for a learner after a projection in a [dg_pipeline()].
#'
#' @param bandwidth Bandwidth of the (scaled) numeric predictors: one positive number, or one per
#'   numeric predictor. If `NULL` (default), `bandwidth_factor` times their [median_bandwidth()];
#'   [dg_gp()] and `dg_ridge(bandwidths = "fitted")` fit it.
#' @param smoothing Similarity \eqn{\lambda}{lambda} of two levels, from 0 to 1. Default 0.5.
#' @param ... Not used; an unknown argument is an error.
#' @inheritParams kernel_rbf
#' @return A kernel; see [kernel_rbf()].
#' @section Errors:
#' A `smoothing` outside 0 to 1, interactions of categorical predictors, and feature maps for
#' numeric columns only ([features_rff()], `features_nystrom(sampling = "kmeans")`) are errors. The
#' other samplings of `features_nystrom()` can be used.
#' @references
#' Aitchison, J. and Aitken, C. G. G. (1976). Multivariate binary discrimination by the kernel
#' method. *Biometrika* 63(3), 413-420.
#'
#' Gower, J. C. (1971). A general coefficient of similarity and some of its properties.
#' *Biometrics* 27(4), 857-871.
#'
#' Li, Q. and Racine, J. (2003). Nonparametric estimation of distributions with categorical and
#' continuous data. *Journal of Multivariate Analysis* 86(2), 266-292.
#'
#' Racine, J. and Li, Q. (2004). Nonparametric estimation of regression functions with both
#' categorical and continuous data. *Journal of Econometrics* 119(1), 99-130.
#' @family kernels
#' @examples
#' kernel_mixed()
#' rows <- data.frame(dose = c(1, 2, 2), site = c("a", "a", "b"))
#' kernel_matrix(kernel_mixed(bandwidth = 1, smoothing = 0.3), rows)
#'
#' model <- dg_ridge(breaks ~ wool + tension | loom, kernel = kernel_mixed(),
#'                   domain_kernel = domain_pooled(),
#'                   data = transform(warpbreaks, loom = rep(1:9, 6)))
#' model
#' @export
kernel_mixed <- function(bandwidth = NULL, smoothing = 0.5, bandwidth_factor = 1, ...) {
  numbers <- kernel_rbf(bandwidth, bandwidth_factor, ...)
  smoothing <- check_between(smoothing, "smoothing", 0, 1)
  parts <- list(kernel_on(numbers, "number", asked = TRUE),
                kernel_on(new_kernel("levels", smoothing = smoothing), "category", asked = TRUE))
  kernel <- list(parts = parts, bandwidth = numbers$bandwidth, smoothing = smoothing,
                 bandwidth_factor = bandwidth_factor)
  structure(kernel, class = c("kernel_mixed", "kernel_composite", "domgen_kernel"))
}

# A factor that no column is for is 1.
#' @exportS3Method
place_kernel.kernel_mixed <- function(kernel, columns) {
  whole <- do.call(kernel_mixed, unclass(kernel)[c("bandwidth", "smoothing", "bandwidth_factor")])
  whole$parts <- lapply(whole$parts, place_kernel, columns)
  kernel$parts <- Filter(function(part) is.null(columns) || length(part$columns), whole$parts)
  kernel
}

#' @exportS3Method
kernel_program.kernel_mixed <- function(kernel, x, z) {
  list(type = "product", parts = lapply(kernel$parts, kernel_program, x, z))
}

#' @exportS3Method
kernel_program.kernel_levels <- function(kernel, x, z) {
  if (kernel$smoothing == 0) list(type = "delta")
  else list(type = "categories", gamma = -log(kernel$smoothing))
}

#' @exportS3Method
kernel_grid.kernel_mixed <- function(kernel) {
  c(if (is.null(kernel$bandwidth)) list(bandwidth_factor = c(0.25, 0.5, 1, 2)),
    list(smoothing = c(0.05, 0.2, 0.4, 0.7, 1)))
}

#' @export
format.kernel_levels <- function(x, ...) paste0(format(x$smoothing), "^(levels apart)")
