# Projections of the same rows that differ in the ridge only, as in a search for lambda, are solved
# together: of a Gram matrix the denominators share a band form (core/band.h), which costs as much
# as four factors; of features their coordinates.

path_ridges <- 5L

# What project() gives, from the memo; NULL where there is too little to share.
project_on_path <- function(product, spec, sample) {
  if (is.null(sample$memo) || !shares_ridges(product, spec)) return(NULL)
  n <- nrow(sample$X)
  fixed <- fixed_args(spec)
  ridges <- recall(sample$memo, "ridges", fixed, sibling_ridges(sample$memo$siblings, spec, n))
  if (length(ridges) < path_ridges) return(NULL)
  # where one of them fails, each says so itself
  path <- recall(sample$memo, "path", fixed, tryCatch(
    solve_projection(product, spec, sample, ridges), domgen_error = function(e) NULL
  ))
  path[[match(ridge_of(spec, n), ridges)]]
}

shares_ridges <- function(product, spec) UseMethod("shares_ridges")

# The band form serves numerators of low rank.
#' @exportS3Method
shares_ridges.product_kernel <- function(product, spec) {
  numerator <- names(spec$parts$terms(spec$args)$numerator)
  !spec$parts$covariance && !any(c("total", "variance") %in% numerator)
}

#' @exportS3Method
shares_ridges.product_features <- function(product, spec) TRUE

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

# Of the projections like this one among the specifications.
sibling_ridges <- function(specs, spec, n) {
  projections <- lapply(specs, function(s) if (inherits(s, "dg_chain_spec")) s$projection else s)
  alike <- vapply(projections, function(p) identical(fixed_args(p), fixed_args(spec)), NA)
  unique(vapply(projections[alike], ridge_of, n = n, numeric(1)))
}
