# The kernel on (domain, x) by features: fitted to training rows, of which
# nothing is kept but the map. What projections and learners ask for are sums
# over rows of features, and linear functions of them at new rows.

new_product_features <- function(features, kernel, domain_kernel, map, dim, X) {
  structure(list(
    features = features, kernel = kernel, domain_kernel = domain_kernel, map = map, dim = dim,
    columns = colnames(X)
  ), class = "product_features")
}

# f(P, x) = <z(P, x), W> at new rows: [rows x columns of W].
#' @exportS3Method
product_expansion.product_features <- function(product, X, domain, A, threads, reference = NULL) {
  if (nrow(X) == 0L) return(matrix(0, 0L, ncol(A)))
  storage.mode(A) <- "double"
  table <- new_table(product, X, domain, threads, reference)
  folded <- folded_weights(product, A)
  values <- if (!is.null(folded)) {
    expand_landmarks(product, X, domain, table, folded, threads)
  } else {
    do.call(rbind, in_chunks(product, X, domain, table, function(program, rows, X, codes) {
      feature_apply_(program, X, codes, A, threads)
    }))
  }
  check_overflow(values, product$kernel)
  values
}

# With landmarks, z(x)'A = k(x, S) L^-T A: no triangular solve for each row. NULL
# where that has no meaning or where L^-T A is so large that its cancellation would show.
folded_weights <- function(product, A) {
  if (!inherits(product$map, "landmark_map") || is_custom(product$kernel) || length(A) == 0L) {
    return(NULL)
  }
  weights <- backsolve(product$map$factor, A, upper.tri = FALSE, transpose = TRUE)
  if (isTRUE(max(abs(weights)) <= 1e4 * max(abs(A)))) weights
}

expand_landmarks <- function(product, X, domain, table, weights, threads) {
  map <- product$map
  kernel_apply_(kernel_program(product$kernel, X, map$landmarks), X, map$landmarks, weights,
                if (!is.null(table)) t(table), if (!is.null(table)) as.integer(domain), map$domain,
                threads)
}

# The features themselves, Z [rows x r], for a learner, a plot or a test.
product_rows <- function(product, X, domain, threads, reference = NULL) {
  if (nrow(X) == 0L) return(matrix(0, 0L, product$dim))
  check_feature_memory(nrow(X), product$dim)
  table <- new_table(product, X, domain, threads, reference)
  Z <- features_at(product, X, domain, table, threads)
  check_overflow(c(min(Z), max(Z)), product$kernel)
  Z
}

features_at <- function(product, X, domain, table, threads) {
  do.call(rbind, in_chunks(product, X, domain, table, function(program, rows, X, codes) {
    feature_rows_(program, X, codes, threads)
  }))
}

# One pass over the rows of X, judged by themselves where the map depends on
# domains. cells: codes 1, ..., n_cells; response: F [n x ry]; labelled: n weights.
# list(n, second = Z'Z [r x r], sums [r x cells], counts [cells],
#   cross = Z'F [r x ry], response_second = F'F, response_sums = F'1 (NULL without
#   response), labelled_second = Z' diag(labelled) Z (NULL without labelled)).
feature_moments <- function(product, X, domain, cells, n_cells, response = NULL, labelled = NULL,
                            threads) {
  check_feature_memory(product$dim)
  wanted <- list(cells = cells, n_cells = n_cells, response = response, labelled = labelled,
                 second = TRUE)
  table <- own_table(product, X, domain, threads)
  moments <- moments_of(product, X, domain, table, wanted, threads)
  check_overflow(diag(moments$second), product$kernel)
  moments
}

moments_of <- function(product, X, domain, table, wanted, threads) {
  if (inherits(product$map, "product_map") && !is.null(table)) {
    return(product_moments(product, X, as.integer(domain), table, wanted, threads))
  }
  parts <- in_chunks(product, X, domain, table, function(program, rows, X, codes) {
    part <- take_wanted(wanted, rows)
    feature_moments_(program, X, codes, part$cells, part$n_cells, part$response, part$labelled,
                     threads, part$second)
  })
  Reduce(add_moments, parts)
}

take_wanted <- function(wanted, rows) {
  for (name in c("cells", "response", "labelled")) wanted[[name]] <- take(wanted[[name]], rows)
  wanted
}

# Without a copy where all rows are meant.
take <- function(x, rows) {
  if (is.null(x) || isTRUE(rows)) x
  else if (is.matrix(x)) x[rows, , drop = FALSE]
  else x[rows]
}

# Sums over disjoint rows add.
add_moments <- function(a, b) {
  Map(function(x, y) if (is.null(x)) NULL else x + y, a, b)
}

# Mean of the features of each domain, [G x r].
feature_means <- function(product, X, domain, threads) {
  wanted <- list(cells = as.integer(domain), n_cells = nlevels(domain), second = FALSE)
  table <- own_table(product, X, domain, threads)
  moments <- moments_of(product, X, domain, table, wanted, threads)
  check_overflow(moments$sums, product$kernel)
  t(moments$sums) / moments$counts
}

# What the map needs to know of the domains of new rows; see product_expansion().
new_table <- function(product, X, domain, threads, reference) {
  if (!uses_domain(product$domain_kernel)) return(NULL)
  if (!is.null(product$fixed)) return(product$fixed$table)
  rows <- judging_rows(X, domain, reference, product$domain_kernel)
  feature_table(product$map, product$domain_kernel, rows$X, rows$domain, threads)
}

own_table <- function(product, X, domain, threads) {
  if (!uses_domain(product$domain_kernel)) return(NULL)
  if (!is.null(product$fixed)) return(product$fixed$table)
  feature_table(product$map, product$domain_kernel, X, domain, threads)
}

# The results of body(program, rows, X[rows, ], domain codes) in a list. The core
# walks over the rows in blocks by itself; only a kernel that is evaluated in R
# needs its values before.
in_chunks <- function(product, X, domain, table, body) {
  codes <- if (!is.null(table)) as.integer(domain)
  lapply(kernel_blocks(product$kernel, nrow(X), product$dim), function(rows) {
    chunk <- take(X, rows)
    body(feature_program(product$map, chunk, table), rows, chunk, take(codes, rows))
  })
}

# Refuse before allocating, as check_memory() does.
check_feature_memory <- function(rows, dim = rows) {
  need <- 8 * as.numeric(rows) * dim
  if (need > memory_limit()) {
    abort("memory", "A matrix of ", plural(rows, "row"), " and ", plural(dim, "feature"),
          " would take ", format(signif(need / 2^30, 3), big.mark = ","), " GiB, more than ",
          "`options(domgen.memory_limit = )` (bytes) allows; use fewer features.")
  }
}
