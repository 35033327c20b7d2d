# Projections of the same rows that differ in the ridge only, as in a search for lambda, are solved
# together. With a Gram matrix they share the band form of the denominators (core/linalg/band.h),
# which costs at most four factors; with features the coordinates.

path_ridges <- 5L

# solve_projection(), for all ridges at once where there are several to be fitted.
solve_ridge_path <- function(space, spec, rows, shared) {
  if (length(shared$specs) >= path_ridges && shares_ridges(space, spec)) {
    n <- row_count(rows)
    same <- same_but_ridge(spec, shared)
    ridges <- unique(vapply(same, ridge_of, n = n, numeric(1)))
    # where one of them fails, each says so itself
    path <- if (length(ridges) >= path_ridges) {
      shared_value(shared, "path", list(same, rows), function() {
        tryCatch(solve_projection(space, spec, rows, shared, ridges),
                 domgen_error = function(e) NULL)
      })
    }
    if (!is.null(path)) return(path[[match(ridge_of(spec, n), ridges)]])
  }
  solve_projection(space, spec, rows, shared)
}

# With a Gram matrix, the band form serves numerators of low rank.
shares_ridges <- function(space, spec) {
  numerator <- names(projection_terms(spec)$numerator)
  !is.null(space$feature_map) ||
    !method_of(spec)$covariance && !any(c("total", "variance") %in% numerator)
}

ridge_of <- function(spec, n) {
  ridge <- projection_terms(spec, n)$denominator$ridge
  if (is.null(ridge)) 0 else ridge
}
