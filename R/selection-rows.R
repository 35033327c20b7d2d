# Rows for a search with some of the rows: drawn at random within domains, without regard to the
# response except for the proportions of classes. (With rows drawn by the order of the response, the
# predictors of a domain would be related to its response by the sampling.)

# Fewer rows hardly describe the distribution of a domain.
rows_of_domain <- 20L

# At most max_rows rows of list(y, domain), sorted. Each domain an equal share if it has as many;
# where that is less than of_domain, some of the domains, chosen at random.
search_rows <- function(task, max_rows, seed, of_domain = rows_of_domain) {
  n <- length(task$y)
  if (n <= max_rows) return(seq_len(n))
  by_domain <- split(seq_len(n), task$domain, drop = TRUE)
  with_seed(seed, {
    by_domain <- by_domain[search_domains(by_domain, task$y, max_rows, of_domain)]
    share <- even_shares(lengths(by_domain), max_rows)
    chosen <- Map(drawn_rows, by_domain, share, MoreArgs = list(y = task$y))
    sort(unlist(keep_classes(chosen, by_domain, task$y), use.names = FALSE))
  })
}

# Which domains: all, or in random order as many as can have of_domain rows (or all of theirs); of
# each class two that have it come first.
search_domains <- function(by_domain, y, max_rows, of_domain) {
  sizes <- lengths(by_domain)
  wanted <- pmin(sizes, of_domain)
  if (sum(wanted) <= max_rows) return(seq_along(sizes))
  order <- sample.int(length(sizes))
  if (is.factor(y)) {
    first <- lapply(levels(y), function(class) {
      utils::head(which(vapply(by_domain[order], function(i) any(y[i] == class), NA)), 2L)
    })
    order <- order[unique(c(unlist(first), seq_along(order)))]
  }
  count <- max(3L, sum(cumsum(wanted[order]) <= max_rows))
  sort(order[seq_len(min(count, length(order)))])
}

# A class too rare to be drawn takes the place of a row of the commonest class, in two domains that
# have it.
keep_classes <- function(chosen, by_domain, y) {
  if (!is.factor(y)) return(chosen)
  for (class in setdiff(unique(y[unlist(by_domain)]), unique(y[unlist(chosen)]))) {
    holds <- which(vapply(by_domain, function(i) any(y[i] == class), NA))
    for (g in utils::head(holds[sample.int(length(holds))], 2L)) {
      of_class <- by_domain[[g]][y[by_domain[[g]]] == class]
      codes <- as.integer(y[chosen[[g]]])
      commonest <- match(which.max(tabulate(codes)), codes)
      chosen[[g]][commonest] <- of_class[sample.int(length(of_class), 1L)]
    }
  }
  chosen
}

# As many from each as it has, at most an equal share; what does not divide goes to domains at
# random, so that all of the total is spent.
even_shares <- function(sizes, total) {
  share <- pmin(sizes, total %/% length(sizes))
  left <- min(total, sum(sizes)) - sum(share)
  while (left > 0L) {
    open <- which(share < sizes)
    more <- left %/% length(open)
    if (more == 0L) {
      lucky <- open[sample.int(length(open), left)]
      share[lucky] <- share[lucky] + 1L
    } else share[open] <- pmin(sizes[open], share[open] + more)
    left <- min(total, sum(sizes)) - sum(share)
  }
  share
}

# m of the rows i; of classes in proportion: every (length(i) / m)-th from a random start, where
# rows of a class stand together in random order.
drawn_rows <- function(i, m, y) {
  i <- i[sample.int(length(i))]
  if (is.factor(y)) i <- i[order(y[i])]
  i[floor((seq_len(m) - stats::runif(1)) * length(i) / m) + 1]
}
