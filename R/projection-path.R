# Projections of the same rows that differ in the ridge only, as in a search for lambda, are solved
# together: of a Gram matrix the denominators share a band form (core/linalg/band.h), which costs at
# most four factors; of features their coordinates.

path_ridges <- 5L

#' @exportS3Method
fit_many.dg_projection_spec <- function(specs, rows) {
  shared <- list(space = remembering(represent_rows), sums = remembering(cell_sums))
  sharing(lapply(specs, fixed_args), function(same) together(specs[same]), function(i, solve, k) {
    fit_projection(specs[[i]], rows, solve, shared)
  })
}

#' @exportS3Method
fit_rows.dg_projection_spec <- function(spec, rows, shared = NULL) {
  fit_many(list(spec), rows)[[1L]]()
}

#' @exportS3Method
takes_passes.dg_projection_spec <- function(spec) !is_exact(spec$args$feature_map)

# solve_projection() for each of these specifications, which differ in the ridge.
together <- function(specs) {
  ridges_of <- remembering(function(n) unique(vapply(specs, ridge_of, n = n, numeric(1))))
  # where one of them fails, each says so itself
  path <- remembering(function(ridges, space, spec, rows, shared) tryCatch(
    solve_projection(space, spec, rows, shared, ridges), domgen_error = function(e) NULL
  ))
  function(space, spec, rows, shared) {
    n <- if (rows$keeps) nrow(rows$sample$X)
         else if (is.null(rows$space)) rows$survey$n
         else rows$sums$sums$n
    ridges <- ridges_of(n)
    several <- length(ridges) >= path_ridges && shares_ridges(space, spec)
    solved <- if (several) {
      path(ridges, space, spec, rows, shared)[[match(ridge_of(spec, n), ridges)]]
    }
    if (is.null(solved)) solve_projection(space, spec, rows, shared) else solved
  }
}

# Of a Gram matrix the band form serves numerators of low rank.
shares_ridges <- function(space, spec) {
  numerator <- names(spec$parts$terms(spec$args)$numerator)
  !is.null(space$feature_map) ||
    !spec$parts$covariance && !any(c("total", "variance") %in% numerator)
}

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
