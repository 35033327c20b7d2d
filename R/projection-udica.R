#' @rdname dica
#' @export
udica <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, lambda = 0.1,
                  kernel = kernel_rbf(), domain_kernel = domain_pooled(),
                  normalise = c("constraint", "whiten", "published_code"),
                  scale = c("pooled", "none"), na.action = stats::na.omit, threads = NULL, ...) {
  parts <- projection_parts("UDICA", numerator = "variance", domains = TRUE, ridge = TRUE)
  args <- list(ncomp = ncomp, lambda = lambda, kernel = kernel, domain_kernel = domain_kernel,
               normalise = normalise, scale = scale, threads = threads)
  fit_or_specify(projection_spec("udica", parts, args), match.call(), parent.frame())
}
