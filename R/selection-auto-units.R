# Rows of one unit in several domains, such as a patient on several devices: a model fitted to other
# rows of the unit would be scored too well. Each row is predicted without its domain and without
# the rows of its unit, in folds of units.

unit_folds <- 3L

# The fold of the unit of each row; NULL where no unit is in two groups of domains.
folds_of_units <- function(unit, left_out) {
  if (is.null(unit)) return(NULL)
  unit <- factor(unit)
  groups <- tapply(as.integer(left_out), unit, function(g) length(unique(g)))
  if (all(groups == 1L)) return(NULL)
  fold <- (as.integer(unit) - 1L) %% min(unit_folds, nlevels(unit)) + 1L
  # from other groups of domains and other folds there must be rows to learn from
  count <- table(fold, as.integer(left_out))
  rest <- sum(count) - outer(rowSums(count), colSums(count), "+") + count
  if (all(rest[count > 0L] > 0L)) return(fold)
  abort("data", "`unit` has too many rows of one unit: without a domain and the units of its rows ",
        "no rows remain for the fit.")
}

# list of list(train, held [logical by row]).
unit_splits <- function(unit, left_out) {
  fold <- folds_of_units(unit, left_out)
  if (is.null(fold)) fold <- rep(0L, length(left_out))
  splits <- lapply(unique(as.integer(left_out)), function(g) {
    lapply(unique(fold), function(k) {
      at <- as.integer(left_out) == g
      list(held = at & fold == k, train = !at & (k == 0L | fold != k))
    })
  })
  Filter(function(split) any(split$held), do.call(c, splits))
}

# As left_out_predictions(): the rows of a fold of units have no cost in the fits that predict them.
left_out_of_units <- function(space, sample, task, args, lambdas) {
  fold <- folds_of_units(sample$unit, sample$left_out)
  if (is.null(fold)) return(left_out_predictions(space, sample, task, args, lambdas))
  values <- array(NA_real_, c(dim(task$Y), length(lambdas)))
  for (k in unique(fold)) {
    part <- task
    part$costs[fold == k] <- 0
    predicted <- left_out_predictions(space, sample, part, args, lambdas)
    values[fold == k, , ] <- predicted[fold == k, , ]
  }
  values
}

unit_groups <- 20L

# The standard error of the mean score that is due to the units, the same few in all domains: the
# jackknife that leaves out one at a time, of many one of 20 groups.
unit_error <- function(search, values) {
  if (is.null(folds_of_units(search$sample$unit, search$left_out))) return(0)
  unit <- factor(search$sample$unit)
  group <- as.integer(unit) %% min(unit_groups, nlevels(unit))
  means <- vapply(unique(group), function(k) {
    rest <- group != k
    scoring <- search$shown
    by_row <- c("y", "domain", "weights", "lacking")
    scoring[by_row] <- lapply(scoring[by_row], take, rest)
    scoring$domain <- droplevels(scoring$domain)
    known_mean(score_values(values[rest, , drop = FALSE], scoring))
  }, numeric(1))
  means <- means[!is.na(means)]
  sqrt((length(means) - 1) / length(means) * sum((means - mean(means))^2))
}
