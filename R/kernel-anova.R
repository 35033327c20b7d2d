#' Additive kernel: a curve per predictor, and interactions
#'
#' @description
#' Means of Gaussian kernels of single predictors (`degree = 1`), of these and of products of two
#' (`degree = 2`), and so on. With p predictors,
#' \deqn{k(x, z) = \frac1d \sum_{m=1}^{d} \binom{p}{m}^{-1} \sum_{j_1 < \dots < j_m}
#'   k_{j_1}(x, z) \cdots k_{j_m}(x, z), \qquad
#'   k_j(x, z) = \exp\left(-\frac{(x_j - z_j)^2}{2\sigma_j^2}\right)}{
#'   k(x, z) = mean over m = 1, ..., d of
#'     the mean over j_1 < ... < j_m of k_j1(x, z) ... k_jm(x, z),
#'   k_j(x, z) = exp(-(x_j - z_j)^2 / (2 sigma_j^2))}
#' with d the `degree` and \eqn{\sigma_j}{sigma_j} the `bandwidth` of predictor j.
#'
#' @details
#' A model with `degree = 1` and [domain_pooled()] is a sum of one smooth curve per predictor, an
#' additive model; [dg_effect()] shows the curves. `degree = 2` adds a smooth function of each pair
#' of predictors, `degree = 3` of each three. [kernel_rbf()] is the product over all predictors.
#' Where the response is nearly additive, an additive kernel needs fewer rows than a product; where
#' it is not, it cannot fit the rest.
#'
#' The inner sums are the ANOVA kernels of Stitson et al. (1999); their weighted sum is the additive
#' kernel of Duvenaud, Nickisch and Rasmussen (2011), here with weights that give each order the
#' same share. As k(x, x) = 1, `lambda`, `cost` and `signal_sd` mean what they mean with
#' [kernel_rbf()]. Other shares are sums of kernels: `kernel_anova(1) + 0.1 * kernel_anova(2)`. On a
#' single predictor the kernel is `kernel_rbf()`.
#'
#' `kernlab::anovadot()` is a power of the sum over predictors: from degree 2, a predictor can occur
#' several times in a product.
#'
#' Evaluation takes an exponential for each pair of rows and predictor, where `kernel_rbf()` takes
#' one for each pair of rows.
#'
#' Dummy variables of a factor are predictors like others. A constant predictor counts in p and
#' adds a constant to the kernel. Learners do not fit the bandwidths, for want of a derivative, and
#' [dg_auto()] does not try the kernel.
#'
#' @param degree Largest number of predictors in a product: whole number of at least 1, default 2. A
#'   larger number than that of the predictors means all of them.
#' @param bandwidth Bandwidth in units of the (scaled) predictors: one positive number for all of
#'   them, or one per predictor. If `NULL` (default), `bandwidth_factor` times the
#'   [median_bandwidth()] of the training rows, divided by \eqn{\sqrt p}{sqrt(p)}: about the
#'   distance of two rows in one predictor, if all have the same variance.
#' @param bandwidth_factor Positive number that multiplies the default bandwidth; only without
#'   `bandwidth`. Default 1.
#' @param ... Not used; an unknown argument is an error.
#' @return A kernel; see [kernel_rbf()].
#' @section Errors:
#' A `degree` that is not a whole number of at least 1, and the errors of [kernel_rbf()]. So are
#' `embedding_kernel = kernel_anova()`, as embeddings have no single predictors, and
#' [features_rff()]; [features_nystrom()] can be used.
#' @references
#' Duvenaud, D., Nickisch, H. and Rasmussen, C. E. (2011). Additive Gaussian processes. *Advances in
#' Neural Information Processing Systems* 24, 226-234.
#'
#' Stitson, M., Gammerman, A., Vapnik, V., Vovk, V., Watkins, C. and Weston, J. (1999). Support
#' vector regression with ANOVA decomposition kernels. In *Advances in Kernel Methods: Support
#' Vector Learning*, 285-291. MIT Press.
#' @family kernels
#' @examples
#' kernel_anova(degree = 1)
#' kernel_matrix(kernel_anova(degree = 2, bandwidth = 1), as.matrix(iris[1:3, 1:4]))
#'
#' # a smooth additive model of ozone, with months as domains
#' air <- na.omit(airquality)
#' model <- dg_ridge(log(Ozone) ~ Solar.R + Wind + Temp | Month, air, lambda = 0.1,
#'                   kernel = kernel_anova(degree = 1),
#'                   domain_kernel = domain_pooled())
#' plot(dg_effect(model, "Wind", air))
#' @export
kernel_anova <- function(degree = 2, bandwidth = NULL, bandwidth_factor = 1, ...) {
  with_bandwidth("anova", bandwidth, bandwidth_factor, degree = check_count(degree, "degree"),
                 dots = list(...))
}

# Squared distances are sums over predictors.
#' @exportS3Method
kernel_fit.kernel_anova <- function(kernel, X, middle = median_bandwidth(X)) {
  fit_bandwidth(kernel, X, middle / sqrt(ncol(X)))
}

#' @exportS3Method
median_words.kernel_anova <- function(kernel) "the median distance / sqrt(p)"

#' @exportS3Method
kernel_program.kernel_anova <- function(kernel, x, z) {
  list(type = "anova", inv = 1 / kernel$bandwidth, degree = kernel$degree)
}

#' @exportS3Method
kernel_grid.kernel_anova <- function(kernel) bandwidth_grid(kernel)

#' @export
format.kernel_anova <- function(x, ...) {
  paste0("mean ", if (x$degree > 1L) paste("of products of up to", x$degree, ""),
         "[exp(-(x_j - z_j)^2 / (2 bandwidth_j^2))]")
}
