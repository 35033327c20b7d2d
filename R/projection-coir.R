#' @rdname dica
#' @export
coir <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, lambda = 0.1,
                 epsilon = 1e-4, kernel = kernel_rbf(), kernel_y = NULL,
                 domain_kernel = domain_pooled(), form = c("published", "symmetric"),
                 normalise = c("constraint", "whiten", "published_code"),
                 scale = c("pooled", "none"), na.action = stats::na.omit, threads = NULL, ...) {
  parts <- projection_parts("COIR", numerator = "response", domains = FALSE, ridge = TRUE)
  args <- list(ncomp = ncomp, lambda = lambda, epsilon = epsilon, kernel = kernel,
               kernel_y = kernel_y, domain_kernel = domain_kernel, form = form,
               normalise = normalise, scale = scale, threads = threads)
  fit_or_specify(projection_spec("coir", parts, args), match.call(), parent.frame())
}
