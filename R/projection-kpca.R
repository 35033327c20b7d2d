#' @rdname dg_udica
#' @export
dg_kpca <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, kernel = kernel_rbf(),
                 domain_kernel = domain_pooled(), feature_map = features_exact(),
                 normalise = c("constraint", "whiten", "published_code"),
                 scale = c("pooled", "domain", "both", "rank", "none"),
                 na.action = stats::na.omit, threads = NULL, ...) {
  projection_call("dg_kpca", environment(), match.call(), parent.frame())
}

kpca_row <- function() projection_row(
  "KPCA", kpca_terms, domain = FALSE, parameters = kpca_parameters
)

kpca_parameters <- function() parameters(with_entries(shared_parameters$ncomp, grid = 2^(1:4)))

kpca_terms <- function(args) {
  list(numerator = c(variance = 1), denominator = c(norm = 1))
}
