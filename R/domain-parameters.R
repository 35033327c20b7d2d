# The parameters of a domain kernel that a likelihood or an error of held-out domains can fit:
#   domain_parameters(kernel): its parameters, given or open, see domain_parameter();
#   domain_start(kernel, rows, factors): the kernel with every number filled in, bandwidths that
#     are fitted at `factors` times their medians;
#   domain_at(kernel, rows, inner): list(kappa [G x G] or NULL; kernel: with every number in its own
#     unit; inner, that of an earlier call where it has not changed, or what else slopes need);
#   domain_slope(kernel, parameter, at, rows): d kappa [G x G] in the log of a parameter, or in the
#     parameter itself where its link is "logit".
# A kernel without parameters needs none of them.

# part: the element of the kernel that is the parameter, or that has it as the bandwidth at `path`;
# place: that part in a message; link: "log" or "logit", the scale of an optimiser; open: was it not
# given?; lacks: kernels without a derivative, because of which it cannot be fitted.
domain_parameter <- function(part, name, meaning, place = part, path = NULL, size = 1L,
                             link = "log", open = TRUE, lacks = NULL) {
  c(of = "domain", as.list(environment()))
}

domain_parameters <- function(kernel) UseMethod("domain_parameters")

#' @exportS3Method
domain_parameters.default <- function(kernel) list()

free_parameters <- function(kernel) {
  Filter(function(p) p$open && length(p$lacks) == 0L, domain_parameters(kernel))
}

get_domain_parameter <- function(kernel, parameter) {
  value <- kernel[[parameter$part]]
  if (is.list(value)) get_bandwidth(value, parameter$path) else value
}

set_domain_parameter <- function(kernel, parameter, value) {
  part <- kernel[[parameter$part]]
  kernel[[parameter$part]] <- if (is.list(part)) set_bandwidth(part, parameter$path, value)
                              else value
  kernel
}

domain_start <- function(kernel, rows, factors) UseMethod("domain_start")

#' @exportS3Method
domain_start.default <- function(kernel, rows, factors) kernel

domain_at <- function(kernel, rows, inner = NULL) UseMethod("domain_at")

#' @exportS3Method
domain_at.default <- function(kernel, rows, inner = NULL) {
  list(kappa = domain_kernel_fit(kernel, rows)$kappa, kernel = kernel)
}

domain_slope <- function(kernel, parameter, at, rows) UseMethod("domain_slope")

# Kappa depends on the bandwidths of mean embeddings through the kernel on embeddings.
#' @exportS3Method
domain_parameters.domain_embedding <- function(kernel) {
  of_part <- function(part, name, meaning, place, blocked = NULL) {
    lapply(free_bandwidths(kernel[[part]], all = TRUE), function(path) {
      leaf <- kernel_at(kernel[[part]], path)
      domain_parameter(part, paste("bandwidth of", name), meaning, place, path,
                       size = max(length(leaf$bandwidth), 1L), open = is.null(leaf$bandwidth),
                       lacks = if (has_rate(leaf)) blocked else format(leaf))
    })
  }
  c(of_part("kernel", "embeddings", "bandwidth of the mean embeddings", "the mean embeddings",
            leaves_without_slope(kernel$embedding_kernel)),
    of_part("embedding_kernel", "kappa", "bandwidth of kappa, between embeddings",
            "`embedding_kernel`"))
}

fitted_paths <- function(kernel, part) {
  lapply(Filter(function(p) p$part == part, free_parameters(kernel)), `[[`, "path")
}

# Distances between embeddings shrink as the bandwidth of their kernel grows, so that both
# bandwidths would have to move together. During a fit the bandwidths of the kernel on embeddings,
# at the paths `relative`, are therefore in units of that distance.
#' @exportS3Method
domain_start.domain_embedding <- function(kernel, rows, factors) {
  kernel$relative <- fitted_paths(kernel, "embedding_kernel")
  kernel$kernel <- times_bandwidths(kernel_fit(kernel$kernel, rows$X),
                                    fitted_paths(kernel, "kernel"), factors$bandwidth)
  inner <- embedding_gram(kernel$kernel, rows)
  fitted <- fit_embedding_kernel(kernel$embedding_kernel, inner,
                                 tabulate(rows$domain, nlevels(rows$domain)),
                      mean(kernel_own(kernel$kernel, rows$X)))
  kernel$embedding_kernel <- times_bandwidths(fitted, kernel$relative,
                                   factors$embedding_kernel / embedding_distance(inner))
  kernel
}

#' @exportS3Method
domain_at.domain_embedding <- function(kernel, rows, inner = NULL) {
  if (is.null(inner)) inner <- unname(embedding_gram(kernel$kernel, rows))
  kernel$embedding_kernel <- times_bandwidths(kernel$embedding_kernel, kernel$relative,
                                              embedding_distance(inner))
  kernel$relative <- NULL
  kappa <- kernel_profile(kernel$embedding_kernel, inner, diag(inner), diag(inner))
  check_overflow(kappa, kernel$embedding_kernel)
  list(kappa = kappa, inner = inner, kernel = kernel)
}

#' @exportS3Method
domain_slope.domain_embedding <- function(kernel, parameter, at, rows) {
  embedding_kernel <- at$kernel$embedding_kernel
  if (parameter$part == "embedding_kernel") {
    return(bandwidth_profile_slope(embedding_kernel, parameter$path, at$inner))
  }
  program <- kernel_program(kernel$kernel, rows$X, rows$X)
  program <- slope_program(kernel$kernel, program, parameter$path, rows$X)
  G <- nlevels(rows$domain)
  change <- kernel_means_(program, rows$X, as.integer(rows$domain), G, NULL, NULL, G, rows$threads)
  slope <- kernel_profile_slope(embedding_kernel, at$inner, change)
  moved <- embedding_distance_slope(at$inner, change)
  for (path in kernel$relative) {
    slope <- slope + moved * bandwidth_profile_slope(embedding_kernel, path, at$inner)
  }
  slope
}

# Root mean square distance between embeddings; 1 where they differ by rounding only.
embedding_distance <- function(inner) {
  square <- mean_square_distance(inner)
  if (square > 0) sqrt(square) else 1
}

mean_square_distance <- function(inner) {
  square <- mean(squared_distances(inner, diag(inner), diag(inner)))
  if (square > embedding_rounding * max(diag(inner))) square else 0
}

# Its logarithm's derivative when the inner products change.
embedding_distance_slope <- function(inner, change) {
  square <- mean_square_distance(inner)
  moved <- 2 * (mean(diag(change)) - mean(change))
  if (square > 0) moved / (2 * square) else 0
}

times_bandwidths <- function(kernel, paths, factor) {
  for (path in paths) kernel <- set_bandwidth(kernel, path, factor * get_bandwidth(kernel, path))
  kernel
}
