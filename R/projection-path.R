# Projections of the same rows that differ in the ridge only, as in a search for lambda, are solved
# together: of a Gram matrix the denominators share a band form (core/linalg/band.h), which costs as
# much as four factors; of features their coordinates.

path_ridges <- 5L

#' @exportS3Method
fit_path.dg_projection_spec <- function(specs, sample) {
  sample$represent <- remembering(represent_rows)
  sample$accumulate <- remembering(sample_sums)
  sharing(lapply(specs, fixed_args), function(same) together(specs[same]), function(i, solve, k) {
    fit_projection(specs[[i]], sample, solve)
  })
}

# solve_projection() for each of these specifications, which differ in the ridge.
together <- function(specs) {
  ridges_of <- remembering(function(n) unique(vapply(specs, ridge_of, n = n, numeric(1))))
  # where one of them fails, each says so itself
  path <- remembering(function(ridges, product, spec, sample) tryCatch(
    solve_projection(product, spec, sample, ridges), domgen_error = function(e) NULL
  ))
  function(product, spec, sample) {
    n <- nrow(sample$X)
    ridges <- ridges_of(n)
    several <- length(ridges) >= path_ridges && shares_ridges(product, spec)
    solved <- if (several) path(ridges, product, spec, sample)[[match(ridge_of(spec, n), ridges)]]
    if (is.null(solved)) solve_projection(product, spec, sample) else solved
  }
}

shares_ridges <- function(product, spec) UseMethod("shares_ridges")

# The band form serves numerators of low rank.
#' @exportS3Method
shares_ridges.gram_space <- function(product, spec) {
  numerator <- names(spec$parts$terms(spec$args)$numerator)
  !spec$parts$covariance && !any(c("total", "variance") %in% numerator)
}

#' @exportS3Method
shares_ridges.feature_space <- function(product, spec) TRUE

ridge_rows <- function(spec) {
  Filter(function(row) row$ridge, parameter_rows(spec$parts, names(spec$args)))
}

fixed_args <- function(spec) {
  c(spec$method, spec$args[setdiff(names(spec$args), names(ridge_rows(spec)))])
}

ridge_of <- function(spec, n) {
  denominator <- spec$parts$terms(c(spec$args, n = n))$denominator
  if ("ridge" %in% names(denominator)) denominator[["ridge"]] else 0
}
