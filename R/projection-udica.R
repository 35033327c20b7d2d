#' @rdname dg_dica
#' @export
dg_udica <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, lambda = 0.1,
                  kernel = kernel_rbf(), domain_kernel = domain_pooled(),
                  feature_map = features_exact(),
                  normalise = c("constraint", "whiten", "published_code"),
                  scale = c("pooled", "domain", "both", "rank", "none"),
                  na.action = stats::na.omit, threads = NULL, ...) {
  projection_call("dg_udica", environment(), match.call(), parent.frame())
}

udica_row <- function() projection_row("UDICA", udica_terms, parameters = udica_parameters)

udica_parameters <- function() parameters(
  shared_parameters$lambda, with_entries(shared_parameters$ncomp, grid = 2^(1:4))
)

udica_terms <- function(args) {
  list(numerator = c(variance = 1),
       denominator = c(domains = 1, norm = 1, ridge = args$lambda))
}
