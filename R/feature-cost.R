# What a feature map costs for each row, in operations (an addition or a multiplication is one), see
# dg_cost(): list(
#   dim      coordinates r
#   values   operations to evaluate them at a row
#   kept     numbers of the fitted map, which every worker has
#   on_x     of a product of a factor of x and one of the domain: what the factor of x costs)
# p: predictors; domains: those of which the map has a table, 0 where it uses none.
map_cost <- function(features, p, domains = 0) UseMethod("map_cost")

#' @exportS3Method
map_cost.default <- function(features, p, domains = 0) {
  abort("argument", "The feature map ", format(features), " does not say what it costs.")
}

# An exponential or a cosine, in operations.
transcendental <- 20

# Distances from each landmark, and a triangular solve.
#' @exportS3Method
map_cost.features_nystrom <- function(features, p, domains = 0) {
  landmarks_cost(features$n_landmarks, p, domains)
}

#' @exportS3Method
map_cost.features_linear <- function(features, p, domains = 0) landmarks_cost(p, p, domains)

landmarks_cost <- function(q, p, domains) {
  list(dim = q, values = q * (2 * p + transcendental) + q^2, kept = q * (p + q + domains))
}

#' @exportS3Method
map_cost.features_rff <- function(features, p, domains = 0) {
  fourier_cost(features$n_features, p, domains)
}

# An angle for each frequency, its cosine and its sine.
fourier_cost <- function(D, p, domains) {
  list(dim = 2 * D, values = D * (2 * p + 2 * transcendental), kept = D * (p + domains))
}

# For product maps the default rank at its largest.
#' @exportS3Method
map_cost.features_product <- function(features, p, domains = 0) {
  if (features$type == "fourier") return(fourier_cost(features$n_features, p, domains))
  on_x <- map_cost(features$x, p)
  if (domains == 0) return(on_x)
  rank <- if (is.null(features$rank)) max(10, 1000 %/% on_x$dim) else features$rank
  rank <- min(rank, domains)
  list(dim = rank * on_x$dim, values = on_x$values + rank * on_x$dim,
       kept = on_x$kept + rank * domains, on_x = on_x)
}
