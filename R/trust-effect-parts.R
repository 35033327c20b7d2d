# What the curves of a predictor are made of, for one model: of each domain either its curve
# [domains x values], or local effects `steps` [domains x intervals] with `weights` [domains x
# values], by which a curve has its mean over a domain's rows.

# model: with its descriptions fixed, but for "context". A list of parts by class.
effect_parts <- function(model, asked, name) {
  rows <- asked$rows
  look <- list(model = model, data = chosen_rows(rows$data, asked$chosen), name = name,
               domain = droplevels(rows$domain[asked$chosen]), class = asked$class)
  look$codes <- column_codes(column_of(look$data, name))
  grid <- asked$grids[[name]]
  if (asked$type == "context") return(context_parts(look, grid, rows))
  if (asked$type == "ale" && grid$ordered) {
    return(if (is.null(grid$categories)) interval_parts(look, grid$at)
           else category_parts(look, grid$at))
  }
  dependence_parts(look, grid, centred = asked$type == "ale")
}

chosen_rows <- function(data, rows) data[rows, , drop = FALSE]

# Values [rows x sets x classes] with the predictor at codes [rows x sets].
grid_values <- function(look, codes) {
  n <- nrow(codes)
  sets <- seq_len(ncol(codes))
  size <- max(1L, rows_together %/% n)
  found <- lapply(split(sets, (sets - 1L) %/% size), function(some) {
    data <- chosen_rows(look$data, rep(seq_len(n), length(some)))
    column <- column_from(as.vector(codes[, some]), column_of(look$data, look$name))
    data <- set_column(data, look$name, column)
    values <- effect_values(look, data, rep(look$domain, length(some)))
    array(values, c(n, length(some), ncol(values)))
  })
  classes <- dim(found[[1L]])[3L]
  array(unlist(lapply(seq_len(classes), function(k) lapply(found, function(a) a[, , k]))),
        c(n, ncol(codes), classes))
}

# [rows x classes that are looked at]
effect_values <- function(look, data, domain, ...) {
  values <- tool_values(look$model, data, domain = as.character(domain), ...)
  if (is.matrix(values)) values[, look$class, drop = FALSE] else matrix(values)
}

# Means by domain of values [rows x sets], [domains x sets].
domain_averages <- function(values, domain) {
  unname(rowsum(as.matrix(values) + 0, as.integer(domain), reorder = TRUE)) / tabulate(domain)
}

by_class <- function(values, part) {
  lapply(seq_len(dim(values)[3L]), function(k) part(matrix(values[, , k], dim(values)[1L])))
}

# centred: less the mean over all rows, each domain weighing the same.
dependence_parts <- function(look, grid, centred) {
  values <- grid_values(look, matrix(grid$at, length(look$codes), length(grid$at), byrow = TRUE))
  inside <- if (is.null(grid$categories)) within_range(look, grid$at) else {
    domain_averages(outer(look$codes, grid$at, "=="), look$domain) > 0
  }
  by_class(values, function(v) {
    curves <- domain_averages(v, look$domain)
    if (!centred) return(list(curves = curves, inside = inside))
    shares <- domain_averages(outer(look$codes, grid$at, "=="), look$domain)
    list(curves = curves - drop(curves %*% colMeans(shares)), inside = inside, weights = shares)
  })
}

# [domains x values]
within_range <- function(look, at) {
  low <- tapply(look$codes, look$domain, min)
  high <- tapply(look$codes, look$domain, max)
  outer(c(low), at, "<=") & outer(c(high), at, ">=")
}

# Local effects of numbers in the intervals between `at`.
interval_parts <- function(look, at) {
  x <- look$codes
  if (length(at) < 2L) return(flat_parts(look, at))
  k <- findInterval(x, at, rightmost.closed = TRUE, all.inside = TRUE, left.open = TRUE)
  # of the ends themselves too
  counted <- x >= at[1L] & x <= at[length(at)]
  values <- grid_values(look, cbind(at[k], at[k + 1L]))
  share <- pmin(pmax((x - at[k]) / (at[k + 1L] - at[k]), 0), 1)
  weights <- outer(k, seq_along(at), "==") * (1 - share) +
    outer(k + 1L, seq_along(at), "==") * share
  by_class(values, function(v) {
    list(steps = cell_means(v[, 2L] - v[, 1L], k, look$domain, length(at) - 1L, counted),
         weights = domain_averages(weights, look$domain))
  })
}

# A predictor with one value.
flat_parts <- function(look, at) {
  values <- grid_values(look, cbind(look$codes))
  by_class(values, function(v) {
    G <- nlevels(look$domain)
    list(steps = matrix(0, G, 0L), weights = matrix(1, G, length(at)))
  })
}

# Of ordered categories: rows of both sides take a step.
category_parts <- function(look, at) {
  code <- look$codes
  L <- length(at)
  if (L < 2L) return(flat_parts(look, at))
  values <- grid_values(look, cbind(pmax(code - 1L, 1L), code, pmin(code + 1L, L)))
  weights <- outer(code, at, "==") + 0
  by_class(values, function(v) {
    steps <- c(v[, 2L] - v[, 1L], v[, 3L] - v[, 2L])
    place <- c(code - 1L, code)
    list(steps = cell_means(steps, place, rep(look$domain, 2L), L - 1L,
                            place >= 1L & place < L),
         weights = domain_averages(weights, look$domain))
  })
}

# Means [domains x cells], NA where there is no row.
cell_means <- function(values, cell, domain, cells, counted) {
  cell <- factor(cell[counted], seq_len(cells))
  unname(tapply(values[counted], list(domain[counted], cell), mean))
}

# The rows that describe the domains are shifted, those that are predicted are not.
context_parts <- function(look, grid, rows) {
  before <- effect_values(look, look$data, look$domain)
  column <- column_of(rows$data, look$name)
  codes <- column_codes(column)
  changes <- lapply(grid$at, function(at) {
    shifted <- if (is.null(grid$categories)) codes + at else rep(at, length(codes))
    described <- set_column(rows$data, look$name, column_from(shifted, column))
    effect_values(look, look$data, look$domain, reference = described,
                  reference_domain = as.character(rows$domain)) - before
  })
  inside <- matrix(TRUE, nlevels(look$domain), length(grid$at))
  lapply(seq_len(ncol(before)), function(k) {
    change <- vapply(changes, function(v) v[, k], numeric(nrow(before)))
    list(curves = domain_averages(matrix(change, nrow(before)), look$domain), inside = inside)
  })
}
