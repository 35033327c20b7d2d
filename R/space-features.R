# The kernel on (domain, x) by features: fitted to training rows, of which
# nothing is kept but the map. What projections and learners ask for are sums
# over rows of features, and linear functions of them at new rows.

# features [dim x n] of the rows, where they are known: until the fit is finished, see
# without_seen().
new_feature_space <- function(feature_map, kernel, domain_kernel, map, dim, rows, features = NULL) {
  structure(list(
    feature_map = feature_map, kernel = kernel, domain_kernel = domain_kernel, map = map, dim = dim,
    columns = colnames(rows$X), threads = rows$threads,
    seen = if (!is.null(features)) {
      list(X = rows$X, domain = as.integer(rows$domain), features = features)
    }
  ), class = "feature_space")
}

# The features [dim x n] of these points, NULL if they are not known.
seen_features <- function(space, points) {
  seen <- space$seen
  same <- !is.null(seen) && identical(seen$X, points$X) &&
    (!uses_domain(space$domain_kernel) || identical(seen$domain, as.integer(points$domain)))
  if (same) seen$features
}

# What a model keeps of its space: nothing of the training rows.
without_seen <- function(space) {
  if (!is.null(space$seen)) space["seen"] <- list(NULL)
  space
}

# f(P, x) = <z(P, x), W> at new rows: [rows x columns of W].
#' @exportS3Method
space_expansion.feature_space <- function(space, rows, A) {
  if (nrow(rows$X) == 0L) return(matrix(0, 0L, ncol(A)))
  storage.mode(A) <- "double"
  values <- expand_rows(space, rows, new_table(space, rows), A)
  check_overflow(values, space$kernel)
  values
}

# A shorter way to <z(P, x), W>; NULL where there is none.
expand_folded <- function(map, space, points, table, A) UseMethod("expand_folded")

#' @exportS3Method
expand_folded.default <- function(map, space, points, table, A) NULL

# The values of linear functions W [r x m] at points, list(X, domain); table: of their domains.
expand_rows <- function(space, points, table, W) {
  seen <- seen_features(space, points)
  if (!is.null(seen)) return(crossprod(seen, W))
  folded <- expand_folded(space$map, space, points, table, W)
  if (!is.null(folded)) return(folded)
  do.call(rbind, in_chunks(space, points, table, function(program, i, X, codes) {
    feature_apply_(program, X, codes, W, space$threads)
  }))
}

# The features themselves, Z [points x r], for a learner, a plot or a test.
space_rows <- function(space, points) {
  if (nrow(points$X) == 0L) return(matrix(0, 0L, space$dim))
  check_feature_memory(nrow(points$X), space$dim)
  features_at(space, points, new_table(space, points))
}

features_at <- function(space, points, table) {
  Z <- do.call(rbind, in_chunks(space, points, table, function(program, i, X, codes) {
    feature_rows_(program, X, codes, space$threads)
  }))
  check_overflow(c(min(Z), max(Z)), space$kernel)
  Z
}

# Z' [r x n].
feature_columns <- function(space, points, table = own_table(space, points)) {
  seen <- seen_features(space, points)
  if (!is.null(seen)) return(seen)
  check_feature_memory(nrow(points$X), space$dim)
  Zt <- in_chunks(space, points, table, function(program, i, X, codes) {
    feature_columns_(program, X, codes, space$threads)
  })
  Zt <- if (length(Zt) == 1L) Zt[[1L]] else do.call(cbind, Zt)
  check_overflow(c(min(Zt), max(Zt)), space$kernel)
  Zt
}

# Sums over points; table: of their domains. wanted: list(
#   cells: codes 1, ..., n_cells; n_cells; second: is Z'Z wanted?;
#   response: F [n x ry], or NULL; labelled: n weights, or NULL).
# list(n, second = Z'Z [r x r], sums [r x cells], counts [cells],
#   cross = Z'F [r x ry], response_second = F'F, response_sums = F'1 (NULL without
#   response), labelled_second = Z' diag(labelled) Z (NULL without labelled)).
moments_of <- function(space, points, table, wanted) {
  if (is_product(space, table)) return(product_moments(space, points, table, wanted))
  parts <- in_chunks(space, points, table, function(program, i, X, codes) {
    part <- take_wanted(wanted, i)
    feature_moments_(program, X, codes, part$cells, part$n_cells, part$response, part$labelled,
                     space$threads, part$second)
  })
  Reduce(add_moments, parts)
}

# The factor of x, list(map, dim), of a map that is its product with one of the domain; NULL for
# other maps.
map_on_x <- function(map) UseMethod("map_on_x")

#' @exportS3Method
map_on_x.default <- function(map) NULL

# Do sums over rows of several domains have a shorter way, see product_moments()?
is_product <- function(space, table) !is.null(table) && !is.null(map_on_x(space$map))

take_wanted <- function(wanted, at) {
  for (name in c("cells", "response", "labelled")) wanted[[name]] <- take(wanted[[name]], at)
  wanted
}

# Sums over disjoint rows add.
add_moments <- function(a, b) {
  Map(function(x, y) if (is.null(x)) NULL else x + y, a, b)
}

# Mean of the features of each domain, [G x r].
feature_means <- function(space, points) {
  wanted <- list(cells = as.integer(points$domain), n_cells = nlevels(points$domain),
                 second = FALSE)
  if (!is.null(seen_features(space, points))) {
    moments <- moments_of(space, points, NULL, wanted)
    return(t(moments$sums) / moments$counts)
  }
  solved_means(space, moments_of(unsolved(space), points, own_table(space, points), wanted))
}

# The space without the triangular solve of each row's features: solved_means() solves the sums, one
# for each domain.
unsolved <- function(space) {
  space$map <- unsolved_map(space$map)
  without_seen(space)
}

solved_means <- function(space, moments) {
  sums <- solve_sums(space$map, moments$sums)
  check_overflow(sums, space$kernel)
  t(sums) / moments$counts
}

#' @exportS3Method
domain_table.feature_space <- function(space, points) {
  feature_table(space$map, space$domain_kernel, points)
}

# The results of body(program, i, X[i, ], domain codes) in a list. The core walks over the points in
# blocks by itself; only a kernel that is evaluated in R needs chunks.
in_chunks <- function(space, points, table, body) {
  seen <- seen_features(space, points)
  if (!is.null(seen)) return(list(body(list(type = "given", values = seen), TRUE, points$X, NULL)))
  codes <- if (!is.null(table)) as.integer(points$domain)
  lapply(kernel_blocks(space$kernel, nrow(points$X), space$dim), function(i) {
    chunk <- take(points$X, i)
    body(feature_program(space$map, chunk, table), i, chunk, take(codes, i))
  })
}

check_feature_memory <- function(n, dim = n) {
  check_memory(n, dim, what = paste("A matrix of", plural(n, "row"), "and",
                                       plural(dim, "feature")), instead = "Use fewer features, or ")
}
