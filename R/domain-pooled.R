#' @rdname domain_distribution
#' @export
domain_pooled <- function() new_domain_kernel("pooled")

#' @exportS3Method
domain_knows.domain_pooled <- function(kernel) "nothing"

#' @exportS3Method
domain_kernel_fit.domain_pooled <- function(kernel, rows, feature_map = NULL) kernel

#' @exportS3Method
domain_kappa.domain_pooled <- function(kernel, rows, among = FALSE) NULL

#' @export
format.domain_pooled <- function(x, ...) "1 (pooled)"
