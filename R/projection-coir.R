#' @rdname dg_udica
#' @export
dg_coir <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, lambda = 0.1,
                 epsilon = 1e-4, kernel = kernel_rbf(), kernel_y = NULL,
                 domain_kernel = domain_pooled(), feature_map = features_exact(),
                 form = c("published", "symmetric"),
                 normalise = c("constraint", "whiten", "published_code"),
                 scale = c("pooled", "domain", "both", "rank", "none"),
                 na.action = stats::na.omit, threads = NULL, ...) {
  projection_call("dg_coir", environment(), match.call(), parent.frame())
}

coir_row <- function() projection_row("COIR", coir_terms, response = "any", domain = FALSE)

coir_terms <- function(args) {
  list(numerator = c(response = 1), denominator = c(norm = 1, ridge = args$lambda))
}
