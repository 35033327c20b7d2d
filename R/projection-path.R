# Projections of the same rows that differ in the ridge only, as in a search for lambda, are solved
# together: of a Gram matrix the denominators share a band form (core/linalg/band.h), which costs at
# most four factors; of features their coordinates.

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

# Of a Gram matrix the band form serves numerators of low rank.
shares_ridges <- function(space, spec) {
  numerator <- names(spec$parts$terms(spec$args)$numerator)
  !is.null(space$feature_map) ||
    !spec$parts$covariance && !any(c("total", "variance") %in% numerator)
}

ridge_of <- function(spec, n) {
  denominator <- spec$parts$terms(c(spec$args, n = n))$denominator
  if ("ridge" %in% names(denominator)) denominator[["ridge"]] else 0
}
