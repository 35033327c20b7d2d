# Candidates of dg_auto() that are no ridge regressions: fitted again without each group of domains,
# of which fewer than the ridge regressions have.

most_refits <- 5L
# The mean of more changes little, and the fit of all rows has more.
search_trees <- 200L
forest_trees <- 500L
svr_costs <- c(0.1, 1, 10)

# After the ridge regressions, in the last round.
try_others <- function(search) {
  # of a source all must follow from sums
  if (isTRUE(search$args$sums)) return(invisible())
  try_forest(search)
  # not a number where nothing is left, as of a constant response
  if (!is.factor(search$sample$y) && isTRUE(left_out_kurtosis(search) > heavy_tails)) {
    try_candidate(search, candidate("pooled", "svr"))
  }
}

try_forest <- function(search) {
  if (!requireNamespace("ranger", quietly = TRUE)) return(invisible())
  few <- search$few || nlevels(search$judged) < domains_for_null
  try_candidate(search, candidate(if (few) "pooled" else "both", "forest"))
}

# Of a normal distribution 3, of Laplace's 6.
heavy_tails <- 5

# Of what the best ridge regression leaves of the response.
left_out_kurtosis <- function(search) {
  keys <- ridge_keys(search)
  best <- keys[which.min(found_losses(search)[match(keys, names(search$found))])]
  found <- search$found[[best]]
  values <- values_at(search, found$parts, settle(search, found$parts, TRUE))
  r <- drop(search$stack$target - values)
  r <- r - mean(r)
  mean(r^4) / mean(r^2)^2
}

# The specifications of a candidate, one for each choice that left-out domains make.
other_specs <- function(search, c, trees = forest_trees) {
  threads <- search$args$threads
  costs <- svr_costs / mean_weight(search$sample)
  switch(c$kernel,
    forest = list(dg_forest(scale = c$scale, trees = trees, threads = threads)),
    svr = lapply(costs, function(cost) {
      dg_svm(cost = cost, loss = "epsilon_insensitive", domain_kernel = domain_pooled(),
             scale = c$scale, threads = threads)
    })
  )
}

# As score_lambdas(), with the choices in the place of lambda.
score_refits <- function(search, c) {
  specs <- other_specs(search, c, search_trees)
  values <- vapply(specs, function(spec) refit_values(search, spec), search$stack$target)
  dim(values) <- c(dim(search$stack$target), length(specs))
  score_part(search, seq_along(specs), values)
}

# [n x k], on the scale of code_rows().
refit_values <- function(search, spec) {
  sample <- search$sample
  response <- search$judge$response
  values <- array(NA_real_, dim(search$stack$target))
  groups <- factor((as.integer(search$left_out) - 1L) %% most_refits)
  for (split in unit_splits(sample$unit, groups)) {
    values[split$held, ] <- quietly(values_without(spec, sample, split$train, split$held))
  }
  if (response$kind == "number") (values - response$centre) / response$scale else values
}
