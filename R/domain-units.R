# Rows of one object, as the visits of a patient, are not independent: a test of whether domains
# differ moves objects, not rows.

check_units <- function(unit) {
  if (is.null(unit) || length(unique(unit)) > 1L) return(invisible())
  abort("data", "`unit` must have at least two values; all rows have the value ",
        unit[1L], ".")
}

# The domain of each row under permutation, [n x times]. Without `unit` rows are permuted. With it a
# cell, the rows of a unit in one domain, stays together. Units with a single cell exchange their
# domains with each other; a unit with several cells permutes its domains among its own cells. So
# each domain keeps its number of cells, but not of rows.
permuted_domains <- function(domain, unit, times) {
  if (is.null(unit)) {
    return(vapply(seq_len(times), function(b) domain[order(sample.int(length(domain)))], domain))
  }
  unit <- as.integer(unit)
  key <- paste(unit, domain)
  first <- !duplicated(key)
  cell <- match(key, key[first])
  # cells of a group exchange their domains; group 0 has the units with a single cell
  of_unit <- unit[first]
  group <- ifelse(tabulate(of_unit)[of_unit] == 1L, 0L, of_unit)
  place <- order(group)
  label <- domain[first]
  if (all(group == 0L) && !anyDuplicated(label)) {
    warn("units", "Each domain has the rows of one `unit` only: permutations of units do not ",
         "change the domains, so that p is 1 whether they differ or not.")
  }
  vapply(seq_len(times), function(b) {
    label[place] <- label[order(group, stats::runif(length(label)))]
    label[cell]
  }, domain)
}

# A row may equal another one of its domain in all predictors by chance, where predictors have few
# values. If the share of such rows is more than this above what chance explains, they are taken for
# repeated measurements of objects.
repeated_share <- 0.1

warn_repeated <- function(X, domain, unit) {
  if (!is.null(unit) || !is.matrix(X) || !is.numeric(X)) return(invisible())
  repeated <- repeated_rows(X, domain)
  if (repeated$share - repeated$expected <= repeated_share) return(invisible())
  warn("repeated", signif(100 * repeated$share, 2), " % of the rows have the same predictors as ",
       "another row of their domain. If these are repeated measurements of the same objects, p ",
       "is too small: give the object of each row by `unit`.")
}

# list(share: of rows that equal another one of their domain in all predictors; expected: the share
# by chance, if rows are independent). Equal rows are equal in each predictor, so each predictor has
# at least as many: the smallest expected number over predictors is an upper bound.
repeated_rows <- function(X, domain) {
  domain <- as.integer(domain)
  # equal rows have equal sums, others practically never
  key <- rowSums(X * rep(sin(seq_len(ncol(X))), each = nrow(X)))
  columns <- apply(X, 2L, value_chances, domain = domain)
  by_domain <- split(seq_along(domain), domain)
  counts <- vapply(by_domain, function(i) {
    keys <- key[i]
    varies <- apply(X[i, , drop = FALSE], 2L, function(x) any(x != x[1L]))
    if (!any(varies)) return(c(0, 0))
    by_column <- 1 - (1 - columns[i, varies, drop = FALSE])^(length(i) - 1)
    c(sum(duplicated(keys) | duplicated(keys, fromLast = TRUE)), min(colSums(by_column)))
  }, numeric(2))
  list(share = sum(counts[1L, ]) / length(domain), expected = sum(counts[2L, ]) / length(domain))
}

# For each row, the chance that another row of its domain has the same value of a predictor. There
# are two guesses, and the larger one counts: the share of the value in the other domains, and the
# largest probability of a value of a normal distribution that is as wide as the domain and
# rounded as finely as these values (0.4 is its density at the mean).
value_chances <- function(x, domain) {
  code <- match(domain, unique(domain))
  as_often <- function(id) tabulate(match(id, unique(id)))[match(id, unique(id))]
  value <- match(x, unique(x))
  elsewhere <- as_often(value) - as_often(value * (max(code) + 1) + code)
  other <- elsewhere / pmax(1, length(x) - as_often(code))
  gaps <- diff(sort(unique(x)))
  gap <- min(gaps[gaps > 1e-9 * diff(range(x))], Inf)
  spread <- vapply(split(x, code), function(part) min(stats::sd(part), stats::IQR(part) / 1.35), 0)
  pmin(1, pmax(other, 0.4 * gap / spread[code], na.rm = TRUE))
}
