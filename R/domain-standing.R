# How far a domain stands from others, by their mean embeddings. The score of domain j among m is
# the mean over the k = ceiling(sqrt(m)) others that are nearest, of
#   d_jg = |mu_j - mu_g|^2 / (b + s^2/n_j + s^2/n_g)
# with s^2/n the noise of an embedding of n rows (embedding_noise()) and b
# the squared distance of near domains without that noise: of order 1, for few rows as for many. A
# new domain joins those of training, each of the m = G + 1 is scored against all others, and p is
# the share of scores that are at least as large as the new one's: uniform on 1/m, 2/m, ..., 1 where
# the m are exchangeable (full conformal prediction; Vovk, Gammerman and Shafer, 2005, section 2.2).

# What is remembered of the training domains: s^2 (variance), noise (s^2/n_g), between (b), k, and
# for each domain the sum of its k - 1 smallest distances d from the others (first) and the k-th
# (last).
training_spread <- function(gram, sizes, mean_square) {
  G <- nrow(gram)
  if (G < 2L) return(NULL)
  variance <- within_variance(gram, sizes, mean_square)
  norms <- diag(gram)
  squares <- without_rounding(squared_distances(gram, norms, norms), norms, variance)
  diag(squares) <- Inf
  k <- as.integer(ceiling(sqrt(G + 1)))
  noises <- outer(variance / sizes, variance / sizes, "+")
  near <- row_smallest(squares - noises, min(k, G - 1L))
  spread <- list(variance = variance, noise = variance / sizes, k = k, norms = norms,
                 between = max(stats::median(rowMeans(near)), 0))
  near <- row_smallest(in_noises(squares, noises + spread$between), k)
  spread$first <- rowSums(near[, -k, drop = FALSE])
  # two domains have one neighbour each, and the new one is the second in any case
  spread$last <- pmin(near[, k], .Machine$double.xmax)
  spread
}

# New domains by their d from those of training [new x G]: data frame of distance (the score),
# farthest (that of a training domain), p; attribute left_out: the scores of the training domains
# [new x G].
standing_of <- function(spread, near) {
  score <- rowMeans(row_smallest(near, spread$k))
  # the new one takes the place of the k-th neighbour where it is nearer
  left_out <- pmin(near, rep(spread$last, each = nrow(near))) + rep(spread$first, each = nrow(near))
  left_out <- left_out / spread$k
  # beside domains with the same predictors by design, as in balanced repeated measures, a tenth of
  # the noise of sampling is no difference
  larger <- rowSums(left_out >= score * (1 - 1e-9) | left_out == 0 & score < 0.1)
  # data.frame() takes longer than all else
  standing <- list2DF(list(distance = score, farthest = row_largest(left_out),
                           p = (1 + larger) / (1 + ncol(near))))
  structure(standing, left_out = left_out)
}

# Identical rows and no noise: no distance.
in_noises <- function(squares, units) {
  scaled <- squares / units
  scaled[squares == 0] <- 0
  scaled
}

# Embeddings vanish where the kernel sees nothing but means and scaling takes these away.
without_rounding <- function(squares, norms, variance) {
  squares[squares <= embedding_rounding * max(norms, variance)] <- 0
  squares
}

# As standing_of() does for the domains of rows; NULL where the kernel does not know.
domain_standing <- function(kernel, rows) UseMethod("domain_standing")

#' @exportS3Method
domain_standing.default <- function(kernel, rows) NULL

#' @exportS3Method
domain_standing.domain_embedding <- function(kernel, rows) {
  sizes <- described_sizes(rows)
  embeddings <- new_embeddings(kernel, rows)
  if (is.null(kernel$spread) || is.null(sizes)) return(NULL)
  standing_of(kernel$spread, embedding_distances(kernel$spread, embeddings, sizes))
}

# Domains that are described by sums over their rows may say their sizes.
described_sizes <- function(new) {
  if (is.null(new$coordinates)) tabulate(new$domain, nlevels(new$domain)) else new$sizes
}

# d [new x G]
embedding_distances <- function(spread, embeddings, sizes) {
  squares <- squared_distances(embeddings$inner, embeddings$norms, spread$norms)
  noises <- outer(spread$variance / sizes, spread$noise, "+")
  squares <- without_rounding(squares, spread$norms, spread$variance)
  unname(in_noises(squares, noises + spread$between))
}

# Is a domain so far beyond all of training that predict() says so? One of many exchangeable domains
# is the farthest by chance, but seldom at twice the distance; few domains do not tell what is far.
stands_beyond <- function(standing) {
  standing$p <= 0.05 & standing$distance > far_standing * pmax(standing$farthest, 1)
}

far_standing <- 2

# The numbers of the new domains that stand beyond, with their standing as attribute; NULL if there
# are none. predict() asks each time, so count_near() excludes most domains first: where k training
# domains are within 2, the mean over k is no larger than 2.
domains_beyond <- function(kernel, embeddings, new) {
  spread <- kernel$spread
  # p can be 0.05
  if (length(spread$noise) < 19L) return(NULL)
  sizes <- described_sizes(new)
  if (is.null(sizes)) return(NULL)
  open <- which(count_near(spread, embeddings, sizes) < spread$k)
  if (length(open) == 0L) return(NULL)
  few <- list(inner = embeddings$inner[open, , drop = FALSE], norms = embeddings$norms[open])
  standing <- standing_of(spread, embedding_distances(spread, few, sizes[open]))
  beyond <- stands_beyond(standing)
  if (any(beyond)) structure(open[beyond], standing = standing[beyond, ])
}

# For each new domain the number of training domains that are surely within d = 2, which is
#   |mu_j|^2 - 2 <mu_j, mu_g> + |mu_g|^2 <= 2 (b + s^2/n_j + s^2/n_g),
# a comparison of inner products with a sum.
count_near <- function(spread, embeddings, sizes) {
  half <- far_standing / 2
  of_new <- embeddings$norms / 2 - half * (spread$variance / sizes + spread$between)
  of_training <- spread$norms / 2 - half * spread$noise
  rowSums(embeddings$inner >= outer(of_new, of_training + 1e-9 * max(spread$norms), "+"))
}
