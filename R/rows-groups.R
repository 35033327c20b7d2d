# Sums of products of features over the rows of each group of domains, from which fits without some
# domains follow by subtraction:
#   second    Z'CZ of each group [r r x groups], the upper triangles
#   cross     Z'CF [r m x groups], F = (Y, 1), the targets and a constant
#   response  F'CF [m m x groups], the upper triangles
# with C the rows' costs. With the product map z_P (x) z_x the sums are of z_x, and each domain is a
# group: n r_x^2 operations, and the domains need not be described before.

# The most numbers that they take, 64 MB; with the product map, whose domains are many, 256 MB.
group_numbers <- 2^23

domain_numbers <- 2^25

# The group of each of G domains: as many groups as fit.
group_domains <- function(space, G) {
  if (sums_by_domain(space, G)) return(seq_len(G))
  groups <- max(10, group_numbers %/% space$dim^2)
  if (groups >= G) seq_len(G) else sample(rep_len(seq_len(groups), G))
}

sums_by_domain <- function(space, G) {
  on_x <- map_on_x(space$map)
  !is.null(on_x) && G * on_x$dim^2 <= domain_numbers
}

# For pass(). A worker's sums, made by start(), are an environment whose matrices are changed in
# place; added ones are lists. code: a function of the response of a block, [n x m]; costs [G]: of
# each domain's rows beside their weights.
group_work <- function(space, table, group, m, code, costs) {
  # a kernel between many domains is large, and all that is needed of it is the table
  space$domain_kernel <- NULL
  force(table); force(group); force(m); force(code); force(costs)
  n <- max(group)
  pass_work(start = function() {
    sums <- new.env(parent = emptyenv())
    sums$second <- matrix(0, space$dim^2, n)
    sums$cross <- matrix(0, space$dim * (m + 1L), n)
    sums$response <- matrix(0, (m + 1L)^2, n)
    sums
  }, block = function(sums, block) {
    # the core adds runs of rows of a group
    order <- if (n > 1L) order(group[as.integer(block$domain)]) else TRUE
    sorted <- rows_at(block[c("X", "domain")], order)
    domains <- as.integer(sorted$domain)
    F <- cbind(code(take(block$y, order)), 1)
    weights <- take(block$weights, order) * costs[domains]
    in_chunks(space, sorted, table, function(program, i, X, codes) {
      feature_group_moments_(program, X, codes, group[take(domains, i)], take(weights, i),
                             take(F, i), n, sums, space$threads)
    })
    sums
  }, add = function(a, b) Map(`+`, sums_as_list(a), sums_as_list(b)))
}

sums_as_list <- function(sums) {
  if (is.environment(sums)) mget(c("second", "cross", "response"), envir = sums) else sums
}

coder <- function(targets) {
  force(targets)
  function(y) code_rows(targets, y)
}

# These sums over all rows. costs [G]; group: of each domain, a function of the space and their
# number; table: of rows_table().
group_sums <- function(rows, space, targets, costs, group = group_domains,
                       table = rows_table(rows, space)) {
  UseMethod("group_sums")
}

#' @exportS3Method
group_sums.dg_rows <- function(rows, space, targets, costs, group = group_domains,
                              table = rows_table(rows, space)) {
  G <- length(costs)
  by_domain <- sums_by_domain(space, G)
  group <- if (by_domain) seq_len(G) else group(space, G)
  if (by_domain) space[c("map", "dim")] <- map_on_x(space$map)
  # a triangular solve of each row's features is as much work as their squares: of more rows than
  # this the sums are solved
  later <- is.null(space$seen) && row_count(rows) > 4 * space$dim * max(group) &&
    solves_squares(space$map)
  work <- group_work(if (later) unsolved(space) else space, if (!by_domain) table, group,
                     target_count(targets), coder(targets), costs)
  sums <- pass(rows, work, "features")
  if (later) sums <- solve_group_sums(space$map, sums_as_list(sums), space$dim)
  new_group_sums(sums, space, group, if (by_domain) table)
}

# Sums of features from those of features without their triangular solve.
solve_group_sums <- function(map, sums, r) {
  map <- with_factor(map)
  sums$cross[] <- solve_sums(map, matrix(sums$cross, r))
  for (g in seq_len(ncol(sums$second))) {
    square <- feature_group_sum_(sums$second, r, g)
    sums$second[, g] <- solve_sums(map, t(solve_sums(map, square)))
  }
  sums
}

# sum_i w_i F_i z_i over all rows, with F = (Y, 1), as coefficients in the space, [r x m + 1]; of a
# Gram matrix those of sum_i w_i F_i k(x_i, .), [n x m + 1].
space_sums <- function(problem) {
  rows <- problem$rows
  if (inherits(problem$space, "gram_space")) {
    return(rows$sample$weights * cbind(code_rows(problem$targets, rows$sample$y), 1))
  }
  each <- rep(1, length(domain_sums(rows)$weights))
  total <- sum_groups(group_sums(rows, problem$space, problem$targets, each, one_group))
  cbind(total$cross, total$sums)
}

# All domains in one.
one_group <- function(space, G) rep(1L, G)

# What a model makes of them. table: z_P of each domain [s x G] where the sums are of z_x.
new_group_sums <- function(sums, space, group, table = NULL) {
  structure(c(sums_as_list(sums), list(dim = space$dim, group = group, table = table)),
            class = "group_sums")
}

# Sums over the rows of some domains, whole groups of them: list(second = Z'CZ [r x r], sums = Z'c
# [r], total = sum c, cross = Z'CY [r x m], response_sums = Y'c [m], response_second = Y'CY [m x
# m]).
sum_groups <- function(sums, domains = seq_along(sums$group)) {
  groups <- unique(sums$group[domains])
  m <- sqrt(nrow(sums$response))
  r <- sums$dim
  response <- matrix(rowSums(sums$response[, groups, drop = FALSE])[mirror_places(m)], m)
  if (is.null(sums$table)) {
    second <- feature_group_sum_(sums$second, r, groups)
    cross <- matrix(rowSums(sums$cross[, groups, drop = FALSE]), r)
  } else {
    table <- sums$table[, groups, drop = FALSE]
    second <- sum_of_products(sums$second[mirror_places(r), groups, drop = FALSE], table)
    # coordinate i of x times a of the domain, for each column of F
    cross <- array(tcrossprod(sums$cross[, groups, drop = FALSE], table), c(r, m, nrow(table)))
    cross <- matrix(aperm(cross, c(1L, 3L, 2L)), r * nrow(table))
  }
  columns <- seq_len(m - 1L)
  list(second = second, sums = cross[, m], total = response[m, m],
       cross = cross[, columns, drop = FALSE], response_sums = response[columns, m],
       response_second = response[columns, columns, drop = FALSE])
}

# Where the entries of a symmetric matrix stand in its upper triangle.
mirror_places <- function(size) {
  places <- matrix(seq_len(size^2), size)
  lower <- lower.tri(places)
  places[lower] <- t(places)[lower]
  as.vector(places)
}
