# The rank of a new domain where domains differ in their numbers of rows. Few rows lie farther out
# than many, by chance and because they miss a part of the domain (one visit of four). So the new
# domain and training domain g are compared by as many rows of each, drawn in the same way and
# scaled in the same way (as if they were all rows of their domain), with the same G - 1 other
# training domains: if the two are exchangeable, either is as likely the farther one. Rows are drawn
# once, of the new domain the fewer among the more: what is in the middle of several draws is seldom
# far out, and p would be small too rarely.

# Maximum number of rows of a domain: with more, its distance hardly depends on their number.
like_size_rows <- 200L

# standing: from domain_standing(), by all rows of each domain. Returned with p, farthest and the
# attribute left_out from equal numbers of rows; unchanged if all domains have the same number of
# rows, or those of training are not available. view: see novelty_view().
like_sized <- function(standing, view) {
  known <- view$rows$known
  if (is.null(standing) || is.null(known)) return(standing)
  sizes <- tabulate(known$domain, nlevels(known$domain))
  new <- tabulate(view$rows$new$domain, nlevels(view$rows$new$domain))
  cut <- function(n) pmin(n, like_size_rows)
  unlike <- vapply(new, function(n) any(cut(n) != cut(sizes)), NA)
  if (!any(unlike)) return(standing)
  # most training domains have as many rows: the same ones are compared with most of them
  n <- cut(pmin(new, stats::quantile(sizes, 0.25, type = 1L)))
  rows <- sorted_rows(view)
  left_out <- attr(standing, "left_out")
  for (most in unique(n[unlike])) {
    left <- drawn_distances(view, rows$known, pmin(sizes, most))
    for (j in which(unlike & n == most)) {
      own <- nested_distances(view, rows$new[[j]], pmin(sizes, most))
      standing$p[j] <- (1 + sum(left >= own * (1 - 1e-9))) / (1 + length(sizes))
      # training domains are as far from the distance by all rows as in the draw
      left_out[j, ] <- pmax(standing$distance[j] + left - own, 0)
      standing$farthest[j] <- max(left_out[j, ])
    }
  }
  structure(standing, left_out = left_out)
}

# list(known, new): of each domain the numbers of its rows, in an order that does not depend on that
# of rows and columns, so that draws do not: that of a weighted sum of their values, with weights of
# columns from their values. Rows that tie in it are alike.
sorted_rows <- function(view) {
  X <- lapply(view$rows, function(rows) view$scaled(rows$X, rows$domain))
  weights <- colMeans(abs(X$known))
  Map(function(X, rows) {
    key <- signif(drop(X %*% weights), 10L)
    unname(lapply(split(seq_along(key), rows$domain), function(i) i[order(key[i])]))
  }, X, view$rows)
}

# Distances of training domains from the others by n_g rows of each, [G].
drawn_distances <- function(view, rows, n) {
  near <- subset_distances(view, view$rows$known, with_seed(1L, Map(draw_some, rows, n)))
  far_from_others(view, near, seq_along(n))
}

# Of a new domain with these rows by n_g of them from all training domains but g, [G].
nested_distances <- function(view, rows, n) {
  rows <- with_seed(2L, draw_some(rows, length(rows)))
  sizes <- unique(n)
  near <- subset_distances(view, view$rows$new, lapply(sizes, function(n) rows[seq_len(n)]))
  far_from_others(view, near[match(n, sizes), , drop = FALSE], seq_along(n))
}

draw_some <- function(rows, n) rows[sample.int(length(rows), n)]

# Distances of domains that have these rows, by number, from those of training, [sets x G].
subset_distances <- function(view, rows, sets) {
  domain <- factor(rep(seq_along(sets), lengths(sets)))
  X <- view$scaled(rows$X[unlist(sets), , drop = FALSE], domain)
  embeddings <- new_embeddings(view$kernel, list(X = X, domain = domain, threads = rows$threads))
  embedding_distances(view$kernel$spread, embeddings, lengths(sets))
}

# The score of each row of distances, without training domain g of the row.
far_from_others <- function(view, near, g) {
  near[cbind(seq_along(g), g)] <- Inf
  rowMeans(row_smallest(near, min(view$kernel$spread$k, ncol(near) - 1L)))
}
