# Which row's value each row gets when a predictor is permuted: numbers of rows, so that a column of
# any type follows.

# For each row another one of its domain, each as likely as the others; a row alone has its own.
other_rows <- function(domain) {
  source <- seq_along(domain)
  for (rows in split(source, domain, drop = TRUE)) {
    order <- rows[sample.int(length(rows))]
    source[order] <- c(order[-1L], order[1L])
  }
  source
}

# For each domain others of which it takes the values, [domains x draws]: each as likely as the
# others, none twice while there are more, and each is taken as often as the others.
draw_donors <- function(domains, draws) {
  G <- length(domains)
  order <- sample.int(G)
  turns <- unlist(lapply(seq_len(ceiling(draws / (G - 1L))), function(k) sample.int(G - 1L)))
  place <- match(seq_len(G), order)
  donors <- vapply(turns[seq_len(draws)], function(turn) {
    order[(place + turn - 1L) %% G + 1L]
  }, integer(G))
  matrix(domains[donors], G, dimnames = list(domains, seq_len(draws)))
}

# Rows of `other`, one for each of `own`, so that the domain has the other's values: at the same
# ranks, or of categories without an order with as few changes as can be.
transported <- function(column, own, other) {
  n <- length(own)
  # as many of each value as the other domain has, in order
  even <- ceiling((seq_len(n) - 0.5) / n * length(other))
  target <- other[order(column[other], stats::runif(length(other)))][even]
  if (has_order(column)) {
    target[order(order(column[own], stats::runif(n)))]
  } else deal_categories(as.character(column), own, target)
}

has_order <- function(column) is.ordered(column) || !(is.factor(column) || is.character(column))

# The first rows of a category, in random order, keep it, as far as there are targets of it.
deal_categories <- function(column, own, target) {
  shuffled <- sample.int(length(own))
  counted <- function(rows) {
    value <- paste0("v", column[rows])
    paste(stats::ave(seq_along(value), value, FUN = seq_along), value)
  }
  have <- counted(own[shuffled])
  want <- counted(target)
  place <- match(have, want)
  left <- setdiff(seq_along(want), place)
  place[is.na(place)] <- left[sample.int(length(left))]
  moved <- integer(length(own))
  moved[shuffled] <- target[place]
  moved
}

# The rows whose values the rows of a fold have when each domain takes those of its donor, by
# domain.
moved_rows <- function(fold, name, donors) {
  column <- column_of(fold$data, name)
  moved <- fold$rows
  # places, as no list knows an element called ""
  giving <- match(donors[match(levels(fold$domain), names(donors))], names(fold$among))
  for (g in seq_along(giving)) {
    own <- which(as.integer(fold$domain) == g)
    moved[own] <- transported(column, fold$rows[own], fold$among[[giving[g]]])
  }
  moved
}
