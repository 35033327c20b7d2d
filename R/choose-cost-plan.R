# The passes of a method over the rows of a source, see dg_cost() and fit_rows():
# list(passes: rows of cost_pass(), solve: operations, dim: coordinates, kept: numbers that a worker
# needs of what was fitted before, between: of them those of the kernel between domains).
cost_plan <- function(spec, size) UseMethod("cost_plan")

#' @exportS3Method
cost_plan.dg_spec <- function(spec, size) {
  abort("argument", "`spec` must be `dg_ridge()`, `dg_gp()`, `dg_svm()`, `dg_null()`, a ",
        "projection or a chain of them, not `", spec$method, "()`.")
}

# The survey has all of it.
#' @exportS3Method
cost_plan.dg_null_spec <- function(spec, size) {
  list(passes = NULL, dim = 0, kept = 0, between = 0, solve = 0)
}

#' @exportS3Method
cost_plan.dg_ridge_spec <- function(spec, size) {
  space <- space_cost(spec$args, size)
  sums <- groups_cost(space, size)
  r3 <- space$dim^3
  fits <- 1 + min(left_out_sets, sums$groups)
  # each set of domains is summed up by itself: twice in all, or three times
  open <- is.null(spec$args$lambda)
  summed <- (2 + open) * sums$to_sum
  list(passes = rbind(space$passes, sums$pass), dim = space$dim, kept = space$kept,
       between = space$between,
       solve = fits * r3 / 3 + open * min(lambda_folds, sums$groups) * 4 * r3 / 3 + summed)
}

# One eigendecomposition for all values of signal and noise.
#' @exportS3Method
cost_plan.dg_gp_spec <- function(spec, size) {
  space <- space_cost(spec$args, size)
  sums <- groups_cost(space, size)
  list(passes = rbind(space$passes, sums$pass), dim = space$dim, kept = space$kept,
       between = space$between,
       solve = 10 * space$dim^3 + 2 * sums$to_sum)
}

#' @exportS3Method
cost_plan.dg_svm_spec <- function(spec, size) {
  space <- space_cost(spec$args, size)
  r <- space$dim
  m <- size$targets
  pass <- cost_pass("machine", space$map$values + m * (r * (r + 1) + 10 * r),
                    m * (r^2 + r + 2 * length(step_lengths) + 1), size$iterations)
  pass$operations <- pass$operations * size$iterations
  list(passes = rbind(space$passes, pass), dim = r, kept = space$kept,
       between = space$between,
       solve = size$iterations * m * r^3 / 3)
}

#' @exportS3Method
cost_plan.dg_projection_spec <- function(spec, size) {
  space <- space_cost(spec$args, size)
  r <- space$dim
  # features of the response: as many as it may have
  s <- if (size$targets == 1) response_landmarks + 1 else 0
  operations <- space$map$values + r * (r + 1) + r + 2 * r * s
  pass <- cost_pass("features", operations,
                    r^2 + r * size$domains * size$targets + r * s + s^2)
  list(passes = rbind(space$passes, pass), dim = r, kept = space$kept,
       between = space$between, solve = 25 * r^3)
}

# The learner sees scores, for which each row is projected again.
#' @exportS3Method
cost_plan.dg_chain_spec <- function(spec, size) {
  before <- cost_plan(spec$projection, size)
  ncomp <- spec$projection$args$ncomp
  after <- size
  after$predictors <- ncomp
  learner <- cost_plan(spec$learner, after)
  values <- space_cost(spec$projection$args, size)$map$values + 2 * before$dim * ncomp
  learner$passes$operations <- learner$passes$operations + values * learner$passes$reads
  list(passes = rbind(before$passes, learner$passes), dim = learner$dim,
       kept = before$kept + learner$kept, between = before$between + learner$between,
       solve = before$solve + learner$solve)
}

# What is fitted before the sums of a method are taken: list(passes, map, dim, kept, between).
space_cost <- function(args, size) {
  kernel <- args$domain_kernel
  p <- size$predictors
  G <- size$domains
  map <- map_cost(args$features, p, if (uses_domain(kernel)) G else 0)
  if (!judges_rows(kernel)) {
    return(list(passes = NULL, map = map, dim = map$dim, kept = map$kept, between = 0))
  }
  embedding <- map_cost(embedding_features(args$features), p)
  list(passes = cost_pass("embeddings", embedding$values + embedding$dim, G * (embedding$dim + 1)),
       map = map, dim = map$dim, kept = map$kept + embedding$kept + G * embedding$dim + G^2,
       between = G^2)
}

# The pass of sums by groups of domains, see rows-groups.R: list(pass, groups, to_sum:
# operations to add them all).
groups_cost <- function(space, size) {
  G <- size$domains
  map <- space$map
  by_domain <- !is.null(map$on_x) && G * map$on_x$dim^2 <= domain_numbers
  groups <- if (by_domain) G else min(G, max(10, group_numbers %/% map$dim^2))
  if (by_domain) map <- map$on_x
  m <- size$targets + 1
  r <- map$dim
  list(pass = cost_pass("features", map$values + r * (r + 1) + 2 * r * m,
                        groups * (r^2 + r * m + m^2)),
       groups = groups, to_sum = if (by_domain) 2 * G * space$dim^2 else groups * r^2)
}
