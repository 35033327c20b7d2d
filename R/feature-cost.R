# What a feature map costs for each row, in operations (an addition or a multiplication is one), see
# dg_cost(): list(
#   dim      coordinates r
#   values   operations to evaluate them at a row
#   product  operations to add a row to Z'Z
#   kept     numbers of the fitted map, which every worker has)
# p: predictors; domains: G, of which the map has a table where it uses them.
map_cost <- function(features, p, domains, uses_domain = FALSE) UseMethod("map_cost")

# An exponential or a cosine, in operations.
transcendental <- 20

#' @exportS3Method
map_cost.features_exact <- function(features, p, domains, uses_domain = FALSE) {
  abort("argument", "`features` must be a map for rows that come in blocks, such as ",
        "`features_nystrom()`, not `features_exact()`, which needs the Gram matrix of all rows.")
}

# Differences from each landmark, and a triangular solve.
landmarks_cost <- function(q, p, domains, uses_domain) {
  table <- if (uses_domain) q * domains else 0
  list(dim = q, values = q * (2 * p + transcendental + uses_domain) + q^2, product = q * (q + 1),
       kept = q * p + q^2 + table)
}

#' @exportS3Method
map_cost.features_nystrom <- function(features, p, domains, uses_domain = FALSE) {
  landmarks_cost(features$n_landmarks, p, domains, uses_domain)
}

#' @exportS3Method
map_cost.features_linear <- function(features, p, domains, uses_domain = FALSE) {
  landmarks_cost(p, p, domains, uses_domain)
}

#' @exportS3Method
map_cost.features_rff <- function(features, p, domains, uses_domain = FALSE) {
  fourier_cost(features$n_features, p, if (uses_domain) domains else 0)
}

fourier_cost <- function(D, p, domains) {
  list(dim = 2 * D, values = D * (2 * p + 2 * transcendental), product = 2 * D * (2 * D + 1),
       kept = D * (p + domains))
}

# Within a domain z_P is constant: Z'Z of the coordinates of x, spread once over those of the domain.
#' @exportS3Method
map_cost.features_product <- function(features, p, domains, uses_domain = FALSE) {
  if (features$type == "fourier") return(fourier_cost(features$n_features, p, domains))
  on_x <- map_cost(features$x, p, domains)
  if (!uses_domain) return(on_x)
  rank <- if (is.null(features$rank)) max(10, 1000 %/% on_x$dim) else features$rank
  rank <- min(rank, domains)
  list(dim = rank * on_x$dim, values = on_x$values, product = on_x$product,
       kept = on_x$kept + rank * domains, by_domain = 2 * (rank * on_x$dim)^2)
}
