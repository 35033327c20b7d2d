# The rank of a new domain where domains differ in their numbers of rows. Few rows lie farther out
# than many, by chance and because they miss a part of the domain (one visit of four). So any two of
# the new and the training domains are compared by as many rows of each, drawn in the same way and
# scaled in the same way (as if they were all rows of their domain), by their distances from the
# other training domains. A domain's score says how much farther it lies than those it is compared
# with, and the new one is ranked among all scores: a training domain has its score in the same way.

# Maximum number of rows of a domain that are compared, unless each domain has more.
like_size_rows <- 200L
# A distance is infinite beside domains that are all alike.
far_off <- 1e9
# Numbers of rows at which domains are compared: quantiles of those of training.
like_size_steps <- 8L

# standing: from domain_standing(), by all rows of each domain. Returned with p, farthest and the
# attribute left_out from equal numbers of rows; unchanged if all domains have the same number of
# rows, or those of training are not available. view: see novelty_view().
like_sized <- function(standing, view) {
  training <- view$rows$known
  if (is.null(standing) || is.null(training)) return(standing)
  sizes <- tabulate(training$domain, nlevels(training$domain))
  new <- tabulate(view$rows$new$domain, nlevels(view$rows$new$domain))
  unlike <- which(vapply(new, function(n) any(n != sizes), NA))
  if (length(unlike) == 0L) return(standing)
  most <- max(like_size_rows, min(sizes))
  steps <- stats::quantile(pmin(sizes, most), (0:like_size_steps) / like_size_steps, type = 1L)
  steps <- unique(as.integer(steps))
  shuffled <- shuffled_rows(view)
  # a new domain of fewer rows than each of training is compared by all of them
  steps <- sort(unique(c(steps, new[unlike][new[unlike] < steps[1L]])))
  near <- lapply(steps, function(n) near_by_rows(view, "known", shuffled$known, n))
  left_out <- attr(standing, "left_out")
  for (j in unlike) {
    distance <- min(standing$distance[j], far_off)
    used <- steps[steps <= new[j] & steps >= min(new[j], sizes)]
    joined <- lapply(used, function(n) near_by_rows(view, "new", shuffled$new[j], n))
    both <- Map(rbind, near[match(used, steps)], joined)
    scores <- scores_by_rows(both, used, c(sizes, new[j]), view$kernel$spread$k)
    apart <- scores[-length(scores)] - scores[length(scores)]
    # rounding is no difference
    apart[abs(apart) <= 1e-9 * max(abs(scores), distance)] <- 0
    standing$p[j] <- mean(c(0, apart) >= 0)
    # training domains stand beside the distance by all rows as in the comparison
    left_out[j, ] <- pmax(distance + apart, 0)
    standing$farthest[j] <- max(left_out[j, ])
  }
  structure(standing, left_out = left_out)
}

# list(known, new): of each domain the numbers of its rows in random order. The draw starts from an
# order that does not depend on that of rows and columns, so that the result does not: that of a
# weighted sum of their values, with weights of columns from their values. Rows that tie in it are
# alike. Nor does it depend on other new domains.
shuffled_rows <- function(view) {
  X <- lapply(view$rows, function(side) view$scaled(side$X, side$domain))
  weights <- colMeans(abs(X$known))
  sorted <- Map(function(X, side) {
    key <- signif(drop(X %*% weights), 10L)
    unname(lapply(split(seq_along(key), side$domain), function(i) i[order(key[i])]))
  }, X, view$rows)
  shuffled <- function(i) i[sample.int(length(i))]
  list(known = with_seed(1L, lapply(sorted$known, shuffled)),
       new = lapply(sorted$new, function(i) with_seed(2L, shuffled(i))))
}

# Distances of domains from those of training, described by their first n rows, [domains x G]; NA of
# domains with fewer rows, and Inf of a training domain from itself.
near_by_rows <- function(view, side, domains, n) {
  data <- view$rows[[side]]
  has <- which(lengths(domains) >= n)
  at <- unlist(lapply(domains[has], utils::head, n))
  domain <- factor(rep(seq_along(has), each = n))
  X <- view$scaled(data$X[at, , drop = FALSE], domain)
  embeddings <- new_embeddings(view$kernel, list(X = X, domain = domain, threads = data$threads))
  distances <- embedding_distances(view$kernel$spread, embeddings, rep(n, length(has)))
  near <- matrix(NA_real_, length(domains), ncol(distances))
  near[has, ] <- pmin(distances, far_off)
  if (side == "known") near[cbind(has, has)] <- Inf
  near
}

# z_i = sum_j m_ij^2 (d_i - d_j) / s(m_ij) / sum_j m_ij^2 of each domain, the new one last: d_i is
# its distance by m_ij rows from the training domains but i and j, s(m) the standard deviation of
# distances by m rows. In units of s at the largest m. near: near_by_rows() for each of `steps`.
scores_by_rows <- function(near, steps, sizes, k) {
  step <- findInterval(sizes, steps)
  step <- outer(step, step, pmin)
  k <- max(1L, min(k, length(sizes) - 3L))
  unit <- spread_by_rows(near, k)
  apart <- 0 * step
  for (s in seq_along(steps)) {
    distances <- nearest_without(near[[s]], k)
    at <- step == s
    apart[at] <- (distances - t(distances))[at] / unit[s]
  }
  # two training domains have no third one from which both would be far
  apart[is.nan(apart)] <- 0
  weights <- matrix(steps[step]^2, nrow(step))
  diag(weights) <- 0
  rowSums(weights * apart) / rowSums(weights) * unit[length(unit)]
}

# Mean of the k smallest distances of each row without column j, [domains x domains]; the new
# domain, the last, is no column.
nearest_without <- function(near, k) {
  smallest <- row_smallest(near, k + 1L)
  sums <- rowSums(smallest[, seq_len(k), drop = FALSE])
  among <- near <= smallest[, k]
  sums <- cbind(ifelse(among, sums - near + smallest[, k + 1L], sums), sums)
  sums / k
}

# Standard deviation of distances at each number of rows; where fewer than five domains have as
# many, that of fewer rows.
spread_by_rows <- function(near, k) {
  distances <- lapply(near, function(d) rowMeans(row_smallest(d[!is.na(d[, 1L]), ], k)))
  last <- max(1L, sum(lengths(distances) >= 5L))
  spread <- vapply(distances[pmin(seq_along(near), last)], stats::sd, 0)
  replace(spread, spread == 0, 1)
}
