# Domain kernels whose kappa is a kernel (their element `embedding_kernel`) on a description of the
# domain: its mean embedding or its quantiles.

check_embedding_kernel <- function(embedding_kernel) {
  check_kernel(embedding_kernel, "embedding_kernel")
  wrong <- bandwidth_paths(embedding_kernel, function(leaf) length(leaf$bandwidth) > 1L)
  if (length(wrong)) {
    abort("argument", "`bandwidth` of `embedding_kernel` must be one positive number, not ",
          describe(get_bandwidth(embedding_kernel, wrong[[1L]])), ".")
  }
  embedding_kernel
}

# kappa(P, P) of domains whose descriptions have these squared norms.
embedding_kernel_own <- function(embedding_kernel, norms) {
  if (is_stationary(embedding_kernel)) return(rep(1, length(norms)))
  vapply(unname(norms), function(v) c(kernel_profile(embedding_kernel, matrix(v), v, v)), 0)
}

# A search can multiply the open bandwidth of a Gaussian kappa (learner-penalty.R), also where
# it is fitted already: exp(-d^2 / (2 t^2 sigma^2)).
has_open_width <- function(domain_kernel) {
  if (!is.null(domain_kernel$parts)) return(any(vapply(domain_kernel$parts, has_open_width, NA)))
  kernel <- domain_kernel$embedding_kernel
  is_gaussian(kernel) && is.null(kernel$bandwidth) && is.null(kernel$bandwidth_factor)
}

widen_open <- function(domain_kernel, bandwidth_factor) {
  if (is.null(domain_kernel$parts)) {
    domain_kernel$embedding_kernel <- kernel_rbf(bandwidth_factor = bandwidth_factor)
  }
  else domain_kernel$parts <- lapply(domain_kernel$parts, function(part) {
    if (has_open_width(part)) widen_open(part, bandwidth_factor) else part
  })
  domain_kernel
}

widen_fitted <- function(domain_kernel, bandwidth_factor) UseMethod("widen_fitted")

#' @exportS3Method
widen_fitted.default <- function(domain_kernel, bandwidth_factor) {
  if (bandwidth_factor != 1) domain_kernel$kappa <- domain_kernel$kappa^(1 / bandwidth_factor^2)
  domain_kernel
}

# A domain whose similarity to all training domains is below this gets a constant prediction.
far_similarity <- 0.01

# How like the nearest training domain each new one is: the largest cosine
#   |k(P, P')| / sqrt(k(P, P) k(P', P')),
# of a kernel with these values [new x G], and k(P, P) of the new domains and of those of training.
largest_cosine <- function(values, of_new, of_training) {
  sizes <- sqrt(outer(pmax(of_new, 0), pmax(of_training, 0)))
  cosines <- abs(values) / sizes
  # a domain at the origin of a linear kernel is not far
  cosines[sizes == 0] <- 1
  row_largest(cosines)
}

# beyond: see domains_beyond().
warn_far_domains <- function(similarity, names, beyond = NULL) {
  far <- similarity < far_similarity
  beside <- !far[beyond]
  if (!any(far, beside)) return(invisible())
  subject <- function(names) {
    one <- length(names) == 1L
    paste0(if (one) "Domain " else "Domains ", enumerate(names, quote = "\""),
           if (one) " is" else " are")
  }
  said <- if (any(far)) {
    paste0(subject(names[far]), " far from every training domain (similarity at most ",
           signif(max(similarity[far]), 2), " of 1): predictions there fall back to a constant ",
           "(numeric response: about the mean of the training rows; classes: the same class for ",
           "each row).")
  }
  if (any(beside)) {
    standing <- attr(beyond, "standing")[beside, ]
    least <- min(standing$distance / standing$farthest)
    said <- c(said, paste0(
      subject(names[beyond[beside]]), " beyond all training domains", if (is.finite(least)) {
        paste0(": ", if (nrow(standing) > 1L) "at least ", signif(least, 2),
               " times as far from the nearest ones as any of them from its own")
      }, "; see dg_novelty()."
    ))
  }
  warn("far_domain", paste(said, collapse = " "))
}
