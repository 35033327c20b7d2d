# The rank of a new domain where domains differ in their numbers of rows. Few rows lie farther out
# than many, by chance and because they miss a part of the domain (one visit of four). So the new
# domain and training domain g are compared by as many rows of each, drawn in the same way, with the
# same G - 1 other training domains: if the two are exchangeable, either is as likely the farther
# one. One draw of few rows varies, so the draw with the median rank counts. (The mean of ranks
# would be small too rarely, the rank of the median distance too often.)

# Maximum number of rows of a domain: with more, its distance hardly depends on their number.
like_size_rows <- 200L

# standing: from domain_standing(), by all rows of each domain. Returned with p, farthest and the
# attribute left_out from equal numbers of rows; unchanged if all domains have the same number of
# rows, or the kernel does not keep its rows.
like_sized <- function(standing, kernel, rows) {
  if (is.null(standing) || is.null(kernel$X)) return(standing)
  known <- list(X = kernel$X, domain = kernel$domain, threads = rows$threads)
  sizes <- tabulate(known$domain, nlevels(known$domain))
  new <- tabulate(rows$domain, nlevels(rows$domain))
  cut <- function(n) pmin(n, like_size_rows)
  unlike <- which(vapply(new, function(n) any(cut(n) != cut(sizes)), NA))
  if (length(unlike) == 0L) return(standing)
  known_parts <- sized_parts(kernel, known, known)
  most <- cut(ceiling(stats::median(sizes)))
  left_out <- attr(standing, "left_out")
  for (j in unlike) {
    own <- rows_at(rows, which(as.integer(rows$domain) == j))
    own$domain <- droplevels(own$domain)
    parts <- c(known_parts, sized_parts(kernel, own, known))
    found <- with_seed(1L, compare_sized(kernel$spread, sizes, parts, most))
    standing$p[j] <- (1 + sum(found$beyond)) / (1 + length(sizes))
    # training domains are as far from the distance by all rows as in the draw
    left_out[j, ] <- pmax(standing$distance[j] + found$farther, 0)
    standing$farthest[j] <- max(left_out[j, ])
  }
  structure(standing, left_out = left_out)
}

# For the distances of any subset of a domain's rows, for each domain: list(inner [rows x G]: inner
# products of its rows with the embeddings of training domains; gram of its rows). Larger domains
# are cut to like_size_rows rows at random. The draw must not depend on the order of rows and
# columns, so rows are first sorted by a weighted sum of their values, with weights of columns from
# their values. Rows that tie in it are alike.
sized_parts <- function(kernel, rows, known) {
  key <- signif(drop(rows$X %*% colMeans(abs(known$X))), 10L)
  parts <- with_seed(1L, lapply(split(seq_along(rows$domain), rows$domain), function(i) {
    i <- i[order(key[i])]
    if (length(i) > like_size_rows) i[sort(sample.int(length(i), like_size_rows))] else i
  }))
  lapply(parts, function(i) {
    own <- rows_at(rows, i)
    own$domain <- factor(seq_along(i))
    list(inner = unname(embedding_gram(kernel$kernel, own, known)),
         gram = gram_matrix(kernel$kernel, own, NULL))
  })
}

# The new domain against each training domain, by n rows of each: list(beyond: is the training
# domain at least as far, farther: by how much), both from the draw in which the new domain has its
# median rank. parts: see sized_parts(), of the training domains, then of the new one.
compare_sized <- function(spread, sizes, parts, most) {
  G <- length(sizes)
  n <- min(nrow(parts[[G + 1L]]$gram), most)
  drawn <- lapply(parts, function(part) sized_distances(spread, sizes, part, n))
  left <- own <- matrix(0, nrow(drawn[[1L]]), G)
  for (g in seq_len(G)) {
    left[, g] <- near_scores(drawn[[g]][, -g, drop = FALSE], spread$k)
    own[, g] <- near_scores(drawn[[G + 1L]][, -g, drop = FALSE], spread$k)
  }
  beyond <- left >= own * (1 - 1e-9)
  middle <- order(rowSums(beyond))[nrow(beyond) %/% 2L + 1L]
  list(beyond = beyond[middle, ], farther = (left - own)[middle, ])
}

# Distances of random subsets of n rows of a part from all training domains, [draws x G].
sized_distances <- function(spread, sizes, part, n) {
  rows <- nrow(part$gram)
  # more draws if fewer rows are drawn
  draws <- max(3L, min(20L, 600L %/% n))
  share <- if (rows <= n) matrix(1 / rows, rows, draws)
           else vapply(seq_len(draws), function(b) {
             replace(numeric(rows), sample.int(rows, n), 1 / n)
           }, numeric(rows))
  own <- colSums(share * (part$gram %*% share))
  squares <- own + rep(spread$norms, each = draws) - 2 * crossprod(share, part$inner)
  units <- spread$between + spread$variance / min(n, rows) + spread$variance / sizes
  in_noises(without_rounding(squares, spread$norms), rep(units, each = draws))
}

near_scores <- function(distances, k) {
  above_noise(rowMeans(row_smallest(distances, min(k, ncol(distances)))))
}
