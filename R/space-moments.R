# Moments of the product map z(d, x) = z_P(d) (x) z_x(x). Within a domain z_P is
# constant, so that
#   Z'Z = sum_d z_P(d) z_P(d)' (x) Z_d'Z_d
# with Z_d the features of x at the rows of domain d: n r_x^2 operations, not
# n (r_P r_x)^2. table: z_P [r_P x G]; wanted: see moments_of().
product_moments <- function(space, points, table, wanted) {
  on_x <- replace(space, c("map", "dim"), map_on_x(space$map))
  codes <- factor(as.integer(points$domain), seq_len(ncol(table)))
  domains <- split(seq_along(codes), codes)
  # as many domains at a time as take 64 MB
  most <- max(1, 2^23 %/% on_x$dim^2)
  occupied <- which(lengths(domains) > 0L)
  batches <- split(occupied, (seq_along(occupied) - 1L) %/% most)
  Reduce(add_moments, lapply(batches, function(batch) {
    parts <- lapply(domains[batch], function(i) domain_moments(on_x, points, i, wanted))
    combine_domains(parts, table[, batch, drop = FALSE], wanted)
  }))
}

# Moments of the points i of one domain, with the sums of its own cells only.
domain_moments <- function(on_x, points, i, wanted) {
  wanted <- take_wanted(wanted, i)
  present <- sort(unique(wanted$cells))
  wanted$cells <- match(wanted$cells, present)
  wanted$n_cells <- length(present)
  c(moments_of(on_x, rows_at(points, i), NULL, wanted), list(present = present))
}

combine_domains <- function(parts, table, wanted) {
  all <- function(name) lapply(parts, `[[`, name)
  total <- function(name) Reduce(`+`, all(name))
  sums <- matrix(0, nrow(table) * nrow(parts[[1L]]$sums), wanted$n_cells)
  counts <- numeric(wanted$n_cells)
  for (d in seq_along(parts)) {
    part <- parts[[d]]
    sums[, part$present] <- sums[, part$present] + table[, d] %x% part$sums
    counts[part$present] <- counts[part$present] + part$counts
  }
  cross <- if (!is.null(wanted$response)) {
    Reduce(`+`, lapply(seq_along(parts), function(d) table[, d] %x% parts[[d]]$cross))
  }
  list(n = total("n"),
       second = if (wanted$second) sum_of_products(stack_squares(all("second")), table),
       sums = sums, counts = counts, cross = cross, response_second = total("response_second"),
       response_sums = total("response_sums"),
       labelled_second = if (!is.null(wanted$labelled)) {
         sum_of_products(stack_squares(all("labelled_second")), table)
       })
}

# sum_d z_d z_d' (x) M_d as one matrix product; coordinate (i, a) of the result is
# coordinate i of x times a of the domain.
# stacked: a column M_d for each domain, [r_x^2 x domains].
sum_of_products <- function(stacked, table) {
  r_x <- sqrt(nrow(stacked))
  r_P <- nrow(table)
  weights <- table[rep(seq_len(r_P), r_P), , drop = FALSE] *
    table[rep(seq_len(r_P), each = r_P), , drop = FALSE]
  sum <- array(tcrossprod(stacked, weights), c(r_x, r_x, r_P, r_P))
  matrix(aperm(sum, c(1L, 3L, 2L, 4L)), r_x * r_P)
}

stack_squares <- function(squares) {
  matrix(unlist(squares), length(squares[[1L]]), length(squares))
}
