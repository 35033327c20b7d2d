#' @rdname dica
#' @export
kpca <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, kernel = kernel_rbf(),
                 domain_kernel = domain_pooled(),
                 normalise = c("constraint", "whiten", "published_code"),
                 scale = c("pooled", "none"), na.action = stats::na.omit, threads = NULL, ...) {
  parts <- projection_parts("KPCA", numerator = "variance", domains = FALSE, ridge = FALSE)
  args <- list(ncomp = ncomp, kernel = kernel, domain_kernel = domain_kernel,
               normalise = normalise, scale = scale, threads = threads)
  fit_or_specify(projection_spec("kpca", parts, args), match.call(), parent.frame())
}
