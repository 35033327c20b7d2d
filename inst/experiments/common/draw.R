# Which domains and rows an experiment uses.

# Domains at random: `train` of them to learn from, `test` of the others (all, if NULL) unseen.
split_domains <- function(data, train, test = NULL) {
  names <- levels(droplevels(factor(data$domain)))
  if (length(names) < train + max(test, 1L)) {
    stop(train, " domains to learn from and ", max(test, 1L), " to test on are more than the ",
         length(names), " there are.", call. = FALSE)
  }
  chosen <- sample(names)
  unseen <- if (is.null(test)) chosen[-seq_len(train)] else chosen[train + seq_len(test)]
  part <- function(kept) droplevels(data[data$domain %in% kept, , drop = FALSE])
  list(train = part(chosen[seq_len(train)]), test = part(unseen))
}

# `count` of the domains at random: of the same draw, fewer are among more.
some_domains <- function(data, count) {
  kept <- sample(levels(droplevels(factor(data$domain))))[seq_len(count)]
  droplevels(data[data$domain %in% kept, , drop = FALSE])
}

# At most `rows` rows of each domain, without replacement; with `by`, in the proportions of its
# classes.
draw_rows <- function(data, rows, by = NULL) {
  groups <- split(seq_len(nrow(data)), droplevels(factor(data$domain)))
  chosen <- lapply(groups, function(own) {
    if (length(own) <= rows) return(own)
    if (is.null(by)) return(own[sample.int(length(own), rows)])
    classes <- split(own, droplevels(factor(data[[by]][own])))
    share <- rows * lengths(classes) / length(own)
    take <- pmax(1L, floor(share))
    left <- rows - sum(take)
    # what rounding left goes to the largest remainders
    if (left > 0) {
      largest <- order(share - floor(share), decreasing = TRUE)[seq_len(left)]
      take[largest] <- take[largest] + 1L
    }
    unlist(Map(function(i, m) i[sample.int(length(i), m)], classes, take))
  })
  data[sort(unlist(chosen, use.names = FALSE)), , drop = FALSE]
}
