# Rows for the search of dg_auto() on a source: whole domains, each with enough rows to be
# described, chosen at random without a look at the response, in a pass of their own.

searched_domains <- 200L
searched_rows <- 50L

# Rows not scaled, as read_sample() gives them.
domain_sample <- function(stage, max_rows) {
  survey <- stage$survey
  sample <- stage$sample
  weighty <- which(survey$weights > 0)
  if (survey$n == length(sample$domain)) {
    found <- sample[c("X", "y", "domain", "weights")]
  } else {
    chosen <- sort(weighty[sample.int(length(weighty), min(length(weighty), searched_domains))])
    each <- max(searched_rows, ceiling(max_rows / length(chosen)))
    work <- domain_rows_work(chosen, each, draw_seeds(1L))
    found <- stage_pass(stage, work, "sample")
    order <- order(found$place[, 1L], found$place[, 2L])
    found <- lapply(found[c("X", "y", "domain", "weights")], take, order)
  }
  found$domain <- droplevels(found$domain)
  if (is.factor(found$y)) found$y <- droplevels(found$y)
  c(found, list(blueprint = sample$blueprint))
}

# Of each chosen domain the rows with the smallest of random keys, which do not depend on the plan.
domain_rows_work <- function(chosen, each, seed) {
  force(chosen); force(each); force(seed)
  list(start = function() NULL, add = function(a, b) {
    if (is.null(a)) b else if (is.null(b)) a else smallest_keys(bind_rows(a, b), each)
  }, block = function(sums, rows) {
    n <- nrow(rows$X)
    start <- (seed + 7919 * rows$at$number + rows$at$first) %% .Machine$integer.max
    key <- with_seed(start, stats::runif(n))
    own <- as.integer(rows$domain) %in% chosen
    found <- lapply(c(rows[c("X", "y", "domain", "weights")], list(key = key)), take, own)
    found$place <- cbind(rep(rows$at$number, n), rows$at$first + seq_len(n))[own, , drop = FALSE]
    found <- smallest_keys(found, each)
    if (is.null(sums)) found else smallest_keys(bind_rows(sums, found), each)
  })
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
