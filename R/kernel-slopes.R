# Derivatives of kernels in the bandwidths that were not given. A bandwidth is
# found by its path: the numbers of the parts to walk through in sums and products.

# Paths to the kernels whose bandwidth is to be fitted, open and with a derivative, or to all that
# have one. Those inside a normalised kernel are not looked for.
free_bandwidths <- function(kernel, all = FALSE) {
  bandwidth_paths(kernel, if (all) function(leaf) TRUE
                          else function(leaf) is.null(leaf$bandwidth) && has_rate(leaf))
}

stuck_bandwidths <- function(kernel) {
  bandwidth_paths(kernel, function(leaf) is.null(leaf$bandwidth) && !has_rate(leaf))
}

bandwidth_paths <- function(kernel, wanted, path = integer()) {
  if (inherits(kernel, "kernel_composite")) {
    paths <- lapply(seq_along(kernel$parts), function(i) {
      bandwidth_paths(kernel$parts[[i]], wanted, c(path, i))
    })
    return(do.call(c, paths))
  }
  if (has_bandwidth(kernel) && wanted(kernel)) list(path)
}

has_rate <- function(leaf) !is.null(kernel_rate(leaf, 1))

# The kernels because of which the profile has no derivative in the inner products.
leaves_without_slope <- function(kernel) {
  if (!is.null(kernel$parts)) return(unlist(lapply(kernel$parts, leaves_without_slope)))
  differentiable <- if (is_stationary(kernel)) has_rate(kernel)
                    else !is.null(kernel_profile_slope(kernel, matrix(1), matrix(1)))
  if (!differentiable) format(kernel)
}

# Open bandwidths without a derivative stay at the median, with a warning.
warn_no_derivative <- function(kernel, domain_kernel) {
  lacks <- lapply(stuck_bandwidths(kernel), function(path) format(kernel_at(kernel, path)))
  lost <- list(`\`kernel\`` = unlist(lacks))
  for (p in domain_parameters(domain_kernel)) {
    if (p$open) lost[[p$place]] <- c(lost[[p$place]], p$lacks)
  }
  lost <- Filter(length, lost[order(names(lost))])
  if (length(lost) == 0L) return(invisible())
  warn("derivative", "No derivative is known for ", enumerate(unique(unlist(lost)), quote = ""),
       ": the bandwidth of ", paste(names(lost), collapse = " and that of "),
       " is not fitted and stays at the median.")
}

# The part at the end of a path.
kernel_at <- function(kernel, path) {
  for (i in path) kernel <- kernel$parts[[i]]
  kernel
}

get_bandwidth <- function(kernel, path) kernel_at(kernel, path)$bandwidth

set_bandwidth <- function(kernel, path, bandwidth) {
  if (length(path) == 0L) kernel$bandwidth <- bandwidth
  else kernel$parts[[path[1L]]] <- set_bandwidth(kernel$parts[[path[1L]]], path[-1L], bandwidth)
  kernel
}

# The program of dk / d log sigma for the bandwidth at `path`, from the kernel's program on the
# rows of X; or, by predictor, of the rate by which ((x_j - z_j) / sigma_j)^2 is multiplied in
# dk / d log sigma_j.
slope_program <- function(kernel, program, path, X, by_predictor = FALSE) {
  if (length(path) == 0L) {
    name <- core_name(kernel)
    if (!is.null(name)) {
      program$type <- paste0(name, if (by_predictor) "_rate" else "_slope")
      return(program)
    }
    scaled <- in_bandwidths(kernel, X, X)
    d <- between_rows(scaled$x, scaled$z)
    program$values <- rate_at(kernel, d) * if (by_predictor) 1 else d
    return(program)
  }
  i <- path[1L]
  if (!is.null(kernel$columns)) X <- X[, kernel$columns, drop = FALSE]
  part <- slope_program(kernel$parts[[i]], program$parts[[i]], path[-1L], X, by_predictor)
  if (program$type == "sum") return(part)
  program$parts[[i]] <- part
  program
}

# A rate that is infinite at 0 is multiplied by 0 there.
rate_at <- function(kernel, d) {
  rate <- kernel_rate(kernel, d)
  rate[d == 0 & !is.finite(rate)] <- 0
  rate
}

#' @exportS3Method
kernel_profile_slope.kernel_stationary <- function(kernel, inner, change) {
  moved <- outer(diag(change), diag(change), "+") - 2 * change
  -rate_at(kernel, profile_distance(kernel, inner)) * moved / (2 * kernel$bandwidth^2)
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
  relative <- ifelse(size > 0, diag(slope) / size, 0)
  root <- sqrt(outer(size, size))
  ifelse(root > 0, slope / root, 0) - value * outer(relative, relative, "+") / 2
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
    return(rate_at(kernel, d) * d)
  }
  slope <- bandwidth_profile_slope(kernel$parts[[path[1L]]], path[-1L], inner)
  if (inherits(kernel, "kernel_sum")) slope else slope * other_profiles(kernel, path[1L], inner)
}

# Squared distance in units of the bandwidth.
profile_distance <- function(kernel, inner) {
  squared_distances(inner, diag(inner), diag(inner)) / kernel$bandwidth^2
}
