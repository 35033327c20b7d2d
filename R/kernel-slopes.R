# Derivatives of kernels in the bandwidths that were not given. A bandwidth is
# found by its path: the numbers of the parts to walk through in sums and products.

# Paths to the stationary kernels without a bandwidth, or to all. Those inside a normalised
# kernel are not looked for.
free_bandwidths <- function(kernel, path = integer(), all = FALSE) {
  if (inherits(kernel, "kernel_composite")) {
    paths <- lapply(seq_along(kernel$parts), function(i) {
      free_bandwidths(kernel$parts[[i]], c(path, i), all)
    })
    return(do.call(c, paths))
  }
  if (inherits(kernel, "kernel_stationary") && (all || is.null(kernel$sigma))) list(path)
}

get_bandwidth <- function(kernel, path) {
  for (i in path) kernel <- kernel$parts[[i]]
  kernel$sigma
}

set_bandwidth <- function(kernel, path, sigma) {
  if (length(path) == 0L) kernel$sigma <- sigma
  else kernel$parts[[path[1L]]] <- set_bandwidth(kernel$parts[[path[1L]]], path[-1L], sigma)
  kernel
}

# The program of dk / d log sigma for the bandwidth at `path`; or, by predictor, of
# the rate by which ((x_j - z_j) / sigma_j)^2 is multiplied in dk / d log sigma_j.
slope_program <- function(program, path, by_predictor = FALSE) {
  if (length(path) == 0L) return(leaf_slope(program, by_predictor))
  part <- slope_program(program$parts[[path[1L]]], path[-1L], by_predictor)
  if (program$type == "sum") return(part)
  program$parts[[path[1L]]] <- part
  program
}

leaf_slope <- function(program, by_predictor) {
  type <- program$type
  if (type == "matern") {
    type <- switch(as.character(program$nu), "0.5" = "laplace", "1.5" = "matern3",
                   "2.5" = "matern5")
  }
  # the rate of the Gaussian kernel is the kernel
  program$type <- if (by_predictor && type == "rbf") "rbf"
                  else paste0(type, if (by_predictor) "_rate" else "_slope")
  program
}

# For kernels between mean embeddings, whose inner products are `inner` [G x G]:
# the derivative of kernel_profile(kernel, inner, diag(inner), diag(inner)) when
# they change by `change`.
kernel_profile_slope <- function(kernel, inner, change) UseMethod("kernel_profile_slope")

#' @exportS3Method
kernel_profile_slope.kernel_stationary <- function(kernel, inner, change) {
  moved <- outer(diag(change), diag(change), "+") - 2 * change
  -profile_rate(kernel, profile_distance(kernel, inner)) * moved / (2 * kernel$sigma^2)
}

#' @exportS3Method
kernel_profile_slope.kernel_linear <- function(kernel, inner, change) change

#' @exportS3Method
kernel_profile_slope.kernel_poly <- function(kernel, inner, change) {
  kernel$degree * kernel$gamma * change *
    (kernel$gamma * inner + kernel$coef0)^(kernel$degree - 1)
}

#' @exportS3Method
kernel_profile_slope.kernel_exponential <- function(kernel, inner, change) {
  exp(inner / kernel$scale^2) * change / kernel$scale^2
}

#' @exportS3Method
kernel_profile_slope.kernel_composite <- function(kernel, inner, change) {
  slopes <- lapply(kernel$parts, kernel_profile_slope, inner, change)
  if (inherits(kernel, "kernel_sum")) return(Reduce(`+`, slopes))
  Reduce(`+`, lapply(seq_along(slopes), function(i) {
    slopes[[i]] * other_profiles(kernel, i, inner)
  }))
}

#' @exportS3Method
kernel_profile_slope.kernel_normalised <- function(kernel, inner, change) {
  part <- kernel$parts[[1L]]
  value <- kernel_profile(kernel, inner, diag(inner), diag(inner))
  size <- diag(kernel_profile(part, inner, diag(inner), diag(inner)))
  slope <- kernel_profile_slope(part, inner, change)
  own <- ifelse(size > 0, diag(slope) / size, 0)
  root <- sqrt(outer(size, size))
  ifelse(root > 0, slope / root, 0) - value * outer(own, own, "+") / 2
}

# The product of the profiles of all parts but the i-th.
other_profiles <- function(kernel, i, inner) {
  values <- lapply(kernel$parts[-i], kernel_profile, inner, diag(inner), diag(inner))
  Reduce(`*`, values, matrix(1, nrow(inner), ncol(inner)))
}

# The derivative of the profile in the log of the bandwidth at `path`.
bandwidth_profile_slope <- function(kernel, path, inner) {
  if (length(path) == 0L) {
    d <- profile_distance(kernel, inner)
    return(profile_rate(kernel, d) * d)
  }
  slope <- bandwidth_profile_slope(kernel$parts[[path[1L]]], path[-1L], inner)
  if (inherits(kernel, "kernel_sum")) slope else slope * other_profiles(kernel, path[1L], inner)
}

# Squared distance in units of the bandwidth.
profile_distance <- function(kernel, inner) {
  squared_distances(inner, diag(inner), diag(inner)) / kernel$sigma^2
}

# -2 dk/dd of a stationary kernel, d the squared distance in bandwidths.
profile_rate <- function(kernel, d) {
  nu <- if (inherits(kernel, "kernel_matern")) kernel$nu
        else if (inherits(kernel, "kernel_laplace")) 0.5 else Inf
  r <- sqrt(d)
  switch(as.character(nu),
    "Inf" = exp(-d / 2),
    "0.5" = ifelse(r > 0, exp(-r) / r, 0),
    "1.5" = 3 * exp(-sqrt(3) * r),
    "2.5" = 5 / 3 * (1 + sqrt(5) * r) * exp(-sqrt(5) * r))
}
