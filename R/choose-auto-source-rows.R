# Rows for the search of dg_auto() on a source: whole domains, each with enough rows to be
# described, chosen at random without a look at the response, in a pass of their own.

searched_domains <- 200L
searched_rows <- 50L

# Rows not scaled, as read_sample() gives them.
domain_sample <- function(rows, max_rows) {
  survey <- rows$survey
  sample <- rows$sample
  weighty <- which(survey$weights > 0)
  if (survey$n == length(sample$domain)) {
    found <- sample[c("X", "y", "domain", "weights")]
  } else {
    chosen <- sort(weighty[sample.int(length(weighty), min(length(weighty), searched_domains))])
    each <- max(searched_rows, ceiling(max_rows / length(chosen)))
    starts <- c(0, cumsum(session$trip$counts))
    work <- domain_rows_work(chosen, each, draw_seeds(1L), starts)
    found <- pass(rows, work, "sample")
    found <- lapply(found[c("X", "y", "domain", "weights")], take, order(found$place))
  }
  found$domain <- droplevels(found$domain)
  if (is.factor(found$y)) found$y <- droplevels(found$y)
  c(found, list(blueprint = sample$blueprint))
}

# Of each chosen domain the rows with the smallest of random keys. starts: rows before each
# partition.
domain_rows_work <- function(chosen, each, seed, starts) {
  force(chosen); force(each); force(seed); force(starts)
  list(start = function() NULL, add = function(a, b) {
    if (is.null(a)) b else if (is.null(b)) a else smallest_keys(bind_rows(a, b), each)
  }, block = function(sums, rows) {
    own <- as.integer(rows$domain) %in% chosen
    place <- starts[rows$at$number] + rows$at$first - 1 + rows$kept
    found <- c(rows[c("X", "y", "domain", "weights")],
               list(key = row_keys(place, seed), place = place))
    found <- smallest_keys(lapply(found, take, own), each)
    if (is.null(sums)) found else smallest_keys(bind_rows(sums, found), each)
  })
}

# Runs of so many rows have a stream of random numbers each, so that a row has the same key wherever
# partitions and blocks end.
keys_run <- 4096

# place: numbers of rows in the source.
row_keys <- function(place, seed) {
  run <- (place - 1) %/% keys_run
  keys <- numeric(length(place))
  for (r in unique(run)) {
    own <- which(run == r)
    stream <- with_seed((seed + r) %% .Machine$integer.max, stats::runif(keys_run))
    keys[own] <- stream[place[own] - r * keys_run]
  }
  keys
}

bind_rows <- function(a, b) {
  Map(function(x, y) if (is.matrix(x)) rbind(x, y) else c(x, y), a, b)
}

smallest_keys <- function(rows, each) {
  code <- as.integer(rows$domain)
  order <- order(code, rows$key)
  place <- sequence(rle(code[order])$lengths)
  lapply(rows, take, sort(order[place <= each]))
}
