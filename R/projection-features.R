# Projections from sums of features, which one pass over the rows takes.

#' @exportS3Method
solve_projection.feature_space <- function(space, spec, rows, shared, ridges = NULL) {
  args <- spec$args
  sample <- rows$sample
  if (method_of(spec)$response == "class") check_classes(sample$y, spec$method)
  if (uses_response(spec) && nlevels(sample$y) == 1L) abort_one_class(sample$y)
  map <- if (uses_response(spec) && is.null(rows$space)) response_map(sample$y, args$kernel_y)
  sums <- shared_value(shared, "sums", list(space, map, rows), cell_sums, space, map, rows)
  if (isTRUE(args$smooth > 0)) sums$laplacian <- feature_laplacian(space, sample, args)
  solved <- project_sums(spec, sums, ridges)
  if (only_sums(rows)) {
    return(for_each_ridge(solved, ridges, function(solved) {
      c(solved, list(size = size_of_scores(solved, sums)))
    }))
  }
  labelled <- labelled_rows(sample)
  seen <- rows_at(sample[c("X", "domain")], if (all(labelled)) TRUE else labelled)
  if (!all(labelled)) seen$reference <- sample[c("X", "domain")]
  # for all ridges at once: the features of the rows are most of the work
  directions <- lapply(if (is.null(ridges)) list(solved) else solved, `[[`, "coefficients")
  all <- space_expansion(space, seen, do.call(cbind, directions))
  last <- 0L
  for_each_ridge(solved, ridges, function(solved) {
    at <- last + seq_along(solved$centre)
    last <<- last + length(at)
    solved$scores <- sweep(all[, at, drop = FALSE], 2L, solved$centre)
    solved
  })
}

# Sums of features over all rows, see space-sums.R.
cell_sums <- function(space, map, rows) {
  if (!is.null(rows$space)) return(rows$sums$sums)
  if (only_sums(rows)) {
    return(pass(rows, cell_work(space, map, rows_table(rows, space)), "features"))
  }
  sample <- rows$sample
  labelled <- sample$labelled
  if (!is.null(labelled)) {
    # a response for every row, NA where there is none
    y <- if (is.null(sample$y)) rep(0, sum(labelled)) else sample$y
    sample$y <- take(y, match(seq_along(labelled), which(labelled)))
    labelled <- as.numeric(labelled)
  }
  accumulate(space, sample, map, labelled)
}

cell_work <- function(space, map, table) {
  force(space); force(map); force(table)
  add <- adding(add_sums)
  pass_work(add = add, block = function(sums, block) {
    add(sums, accumulate(space, block, map, table = table))
  })
}

# The root of the mean squared norm of the scores, from Z'Z and Z'1.
size_of_scores <- function(solved, sums) {
  W <- solved$coefficients
  mean <- drop(crossprod(W, rowSums(sums$sums))) / sums$n
  squares <- colSums(W * (sums$second %*% W)) / sums$n
  sqrt(sum(squares - 2 * solved$centre * mean + solved$centre^2))
}

# Z' Laplacian Z = sum over edges of weight (z_i - z_j)(z_i - z_j)'.
feature_laplacian <- function(space, sample, args) {
  graph <- neighbour_laplacian(sample$X, args$neighbours, args$threads)
  table <- own_table(space, sample)
  total <- 0
  for (first in seq(1L, length(graph$from), by = chunk_rows)) {
    edges <- first:min(length(graph$from), first + chunk_rows - 1L)
    z <- lapply(graph[c("from", "to")], function(end) {
      features_at(space, rows_at(sample, end[edges]), table)
    })
    total <- total + crossprod(sqrt(graph$weight[edges]) * (z$from - z$to))
  }
  total
}

# sums: made by accumulate(); ridges: as in solve_projection().
project_sums <- function(spec, sums, ridges = NULL) {
  cells <- sums$cells
  classes <- if (is.null(sums$response$levels)) "all" else sums$response$levels
  table <- data.frame(domain = match(cells$domain, unique(cells$domain)),
                      class = match(cells$class, classes), count = cells$count)
  labelled <- ifelse(is.na(table$class), 0, table$count)
  terms <- engine_terms(spec, table, sums$n)
  response <- if (uses_response(spec)) {
    factor_moments(response_moments(sums, table, classes), sum(labelled),
                   drop(sums$sums %*% (labelled / table$count)))
  }
  domain <- if (method_of(spec)$covariance) {
    factor_moments(group_moments(sums$sums, table$domain, table$count), sums$n, rowSums(sums$sums))
  }
  moments <- c(response_parts(spec, response, domain), list(
    n = sums$n, second = sums$second, sums = sums$sums, counts = table$count,
    labelled = labelled, labelled_second = sums$labelled_second, laplacian = sums$laplacian
  ))
  solved <- core_result(projection_features_(terms, moments, ridges))
  for_each_ridge(solved, ridges, function(solved) {
    solved$scores <- NULL
    solved$kernel_y <- sums$response$map$kernel
    solved
  })
}

# Z'F, F'F and F'1 of the response.
response_moments <- function(sums, table, classes) {
  response <- sums$response
  if (response$map$kind == "number") return(response[c("cross", "second", "sums")])
  groups <- group_moments(sums$sums, table$class, table$count, length(classes))
  F <- class_features(response$map, classes)
  list(cross = groups$cross %*% F, second = crossprod(F, groups$second %*% F),
       sums = drop(crossprod(F, groups$sums)))
}

# The same for F = the indicators of groups of cells.
group_moments <- function(sums, group, count, n_groups = max(group)) {
  member <- outer(group, seq_len(n_groups), function(g, j) !is.na(g) & g == j) + 0
  counts <- drop(crossprod(member, count))
  list(cross = sums %*% member, second = diag(counts, n_groups), sums = counts)
}

#' @exportS3Method
check_sums.dg_projection_spec <- function(spec, sums) {
  check_fixed(spec, sums)
  kind <- sums$response$kind
  if (method_of(spec)$response == "class" && kind != "class") {
    abort("data", "`", spec$method, "()` needs classes as response; the sums are of ",
          if (kind == "none") "rows without one." else "numbers.")
  }
  if (uses_response(spec) && kind == "none") {
    abort("data", "A response is needed: the sums are of rows without one.")
  }
  if (needs_domain(spec) && !sums$has_domain) {
    abort("data", "`", spec$method, "()` needs domains: the sums are of rows without them.")
  }
  check_domains(spec, list(domain = factor(sums$sums$cells$domain)))
  if (kind == "class" && length(sums$sums$response$levels) < 2L &&
        (uses_response(spec) || method_of(spec)$response == "class")) {
    abort_one_class(factor(sums$sums$response$levels))
  }
  extra <- intersect(c("target", "unlabelled"), names(Filter(Negate(is.null), spec$args)))
  if (isTRUE(spec$args$smooth > 0)) extra <- c(extra, "smooth")
  if (length(extra)) {
    abort("argument", "`", extra[1L], "` needs the rows themselves and cannot be used with sums.")
  }
}
