# The rank of a new domain where domains differ in their numbers of rows. Few rows lie farther out
# than many, by chance and because they miss some of what a domain has, as one visit of four does.
# So the new domain and training domain g are compared by as many rows of each, drawn alike, with
# the same G - 1 other training domains: if they are of the same kind, either is as likely the
# farther one.

# Most rows of each; beyond, what is due to their number is small.
like_size_rows <- 200L

# standing: of domain_standing(). The same with p, left_out and farthest of domains of like size;
# as it is where all sizes are alike, or rows are not kept.
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
    found <- compare_sized(kernel$spread, sizes, known_parts, sized_parts(kernel, own, known), most)
    standing$p[j] <- (1 + sum(found$left_out >= found$new * (1 - 1e-9))) / (1 + length(sizes))
    standing$farthest[j] <- max(found$left_out)
    left_out[j, ] <- found$left_out
  }
  structure(standing, left_out = left_out)
}

# Of each domain: inner [rows x G], of its rows with the embeddings of training; gram of its rows.
# At most so many rows. Their order is decided by digits of their values that mean nothing, by each
# domain's own: as good as random, and the same however they are sorted.
sized_parts <- function(kernel, rows, known) {
  parts <- with_seed(1L, lapply(split(seq_along(rows$domain), rows$domain), function(i) {
    turn <- 1e4 * drop(rows$X[i, , drop = FALSE] %*% stats::runif(ncol(rows$X)))
    # %% would warn of the digits that huge values lack
    utils::head(i[order(turn - floor(turn))], like_size_rows)
  }))
  lapply(parts, function(i) {
    own <- rows_at(rows, i)
    own$domain <- factor(seq_along(i))
    list(inner = unname(embedding_gram(kernel$kernel, own, known)),
         gram = gram_matrix(kernel$kernel, own, NULL))
  })
}

# Scores [G] of training domains, and of the new one without each of them.
compare_sized <- function(spread, sizes, known, new, most) {
  n <- min(nrow(new[[1L]]$gram), most)
  own <- sized_distances(spread, sizes, new[[1L]], n)
  list(left_out = vapply(seq_along(known), function(g) {
    near_score(sized_distances(spread, sizes, known[[g]], n)[-g], spread$k)
  }, 0), new = vapply(seq_along(known), function(g) near_score(own[-g], spread$k), 0))
}

# Of the first n rows of a part from all training domains.
sized_distances <- function(spread, sizes, part, n) {
  some <- seq_len(min(n, nrow(part$gram)))
  squares <- mean(part$gram[some, some]) + spread$norms -
    2 * colMeans(part$inner[some, , drop = FALSE])
  units <- spread$between + spread$variance / length(some) + spread$variance / sizes
  in_noises(without_rounding(squares, spread$norms), units)
}

near_score <- function(distances, k) {
  above_noise(mean(sort(distances)[seq_len(min(k, length(distances)))]))
}
