# What the sets of auto.R have in common: list(data [y, domain, predictors as numbers], metric,
# splits, share of the domains for training, parts: the training domains of each split where they
# are not drawn). Predictors that identify a row or a domain, and second responses, are left out;
# categories are indicators, the same for every method. The sets: auto-sets-shared.R,
# auto-sets-packages.R.

# Rows of all training and of all test domains of a split.
train_rows <- 2000L
test_rows <- 3000L

# Seeds 1301, 1302, ... make the splits: no part of the package was designed with them in view. (101
# to 103, 501, 502, 901, 902, 1201 and 1202 are spent.)
first_seed <- 1300L

# Domains of fewer than at_least rows, which say little of a score, are left out. With `folds` the
# splits are parts of the domains, so that so many splits test each domain once; `rows`: at most so
# many for training where train_rows are too many.
new_set <- function(y, domain, X, metric, splits = 2L, share = 2 / 3, at_least = 4L,
                    folds = NULL, rows = train_rows) {
  if (!is.null(folds)) splits <- folds
  whole <- !is.na(y) & !is.na(domain)
  domain <- factor(domain)
  keep <- whole & domain %in% names(which(table(domain[whole]) >= at_least))
  data <- cbind(data.frame(y = y, domain = domain), X)[keep, , drop = FALSE]
  list(data = droplevels(data), metric = metric, splits = splits, share = share, folds = folds,
       rows = rows)
}

# Categories as indicators, of which the first level has none; ordered ones as numbers.
as_numbers <- function(data, categories = character()) {
  parts <- lapply(names(data), function(name) {
    x <- data[[name]]
    plain <- is.ordered(x) || is.numeric(x) && !name %in% categories
    part <- if (plain) as.matrix(as.numeric(x)) else indicators(x)
    if (!is.null(part)) colnames(part) <- paste0(name, if (ncol(part) > 1L) seq_len(ncol(part)))
    part
  })
  as.data.frame(do.call(cbind, parts))
}

indicators <- function(codes) {
  codes <- factor(codes, exclude = NULL)
  levels(codes)[is.na(levels(codes))] <- "unknown"
  if (nlevels(codes) < 2L) return(NULL)
  stats::model.matrix(~ codes)[, -1L, drop = FALSE]
}

# Is each split drawn anew?
is_drawn <- function(set) {
  !is.null(set$folds) || is.null(set$parts) && set$splits != nlevels(set$data$domain)
}

# Domains that split i leaves for training: a partition of the domains for every so many folds.
outside_fold <- function(names, folds, i) {
  round <- (i - 1L) %/% folds
  set.seed(first_seed + round)
  names[sample(rep_len(seq_len(folds), length(names))) != i - round * folds]
}

# Rows of the training and test domains. With as many splits as domains each is tested once.
split_rows <- function(set, i) {
  domain <- set$data$domain
  names <- levels(domain)
  G <- length(names)
  folded <- if (!is.null(set$folds)) outside_fold(names, set$folds, i)
  set.seed(first_seed + i)
  train <- if (!is.null(set$parts)) set$parts[[i]]
           else if (!is.null(folded)) folded
           else if (set$splits == G) names[-i]
           else sample(names, round(set$share * G))
  list(train = sample_evenly(which(domain %in% train), domain, set$rows),
       test = sample_evenly(which(!domain %in% train), domain, test_rows))
}

# At most so many of the rows, by turns one of each domain.
sample_evenly <- function(rows, domain, most) {
  rows <- rows[sample.int(length(rows))]
  turn <- stats::ave(seq_along(rows), droplevels(domain[rows]), FUN = seq_along)
  sort(utils::head(rows[order(turn)], most))
}

# Medians of the training rows for missing values; predictors that are constant there go.
fill_missing <- function(data, train) {
  for (name in setdiff(names(data), c("y", "domain"))) {
    x <- data[[name]]
    x[is.na(x)] <- stats::median(x[train], na.rm = TRUE)
    data[[name]] <- if (length(unique(x[train])) > 1L) x
  }
  data
}

# Leave one domain out up to 5 domains, else 5 folds of domains, of one domain 5 folds of rows: the
# fold of each row.
inner_folds <- function(domain) {
  domain <- droplevels(domain)
  G <- nlevels(domain)
  if (G == 1L) return(sample(rep_len(1:5, length(domain))))
  sample(rep_len(seq_len(min(G, 5L)), G))[as.integer(domain)]
}

# What a method gets, and what it does not: truth, and number, which of the set's domains these are.
make_task <- function(set, i) {
  rows <- split_rows(set, i)
  data <- fill_missing(set$data, rows$train)
  X <- as.matrix(data[setdiff(names(data), c("y", "domain"))])
  fold <- inner_folds(data$domain[rows$train])
  domain <- data$domain
  list(X = X[rows$train, , drop = FALSE], y = droplevels_y(data$y, rows$train),
       domain = droplevels(domain[rows$train]), fold = fold, metric = set$metric,
       new = X[rows$test, , drop = FALSE], new_domain = droplevels(domain[rows$test]),
       truth = data$y[rows$test], number = as.integer(domain[rows$test]))
}

droplevels_y <- function(y, rows) if (is.factor(y)) droplevels(y[rows]) else y[rows]

# Tells tasks apart whose results must not stand in one table.
fingerprint <- function(task) {
  y <- as.numeric(task$y)
  sprintf("%.8g", sum(cos(seq_along(y)) * y) + sum(cos(seq_along(task$X)) * task$X) +
            sum(cos(seq_along(task$new)) * task$new))
}
