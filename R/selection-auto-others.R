# Candidates of dg_auto() that are no kernel regressions. They are fitted again without each group
# of domains; there are fewer groups than for ridge regressions.

most_refits <- 5L

# After the kernel regressions, in the last round.
try_others <- function(search) {
  # with a source all fits must follow from sums; working responses select kernels only
  if (isTRUE(search$args$sums) || search$working) return(invisible())
  for (title in names(other_candidates)) {
    specs <- other_candidates[[title]](search)
    if (!is.null(specs)) try_candidate(search, candidate(specs[[1L]], title, specs))
  }
}

refit_values <- function(search, specs, sample = search$sample) {
  values <- vapply(specs, function(spec) {
    values <- array(NA_real_, dim(search$stack$target))
    for (split in unit_splits(sample$unit, refit_groups(search))) {
      values[split$held, ] <- quietly(values_without(spec, sample, split$train, split$held))
    }
    common_to_search(search, values)
  }, search$stack$target)
  array(values, c(dim(search$stack$target), length(specs)))
}

refit_groups <- function(search) factor((as.integer(search$left_out) - 1L) %% most_refits)

# Of values on the common scale those of code_rows().
common_to_search <- function(search, values) {
  response <- search$scoring$response
  switch(response$kind, number = (values - response$centre) / response$scale, class = values,
         censored = within_domains(values, search$costs, search$scored_by))
}

# Is the gain of a mean with the selected members, by the weight that is best for it, more than half
# of its standard error? probes: values of one fit, or of two small forests, whose squared error is
# less by (f1 - f2)^2 / 4 with many trees.
can_gain <- function(search, probes) {
  if (search$few) return(FALSE)
  share <- search$stack$share
  members <- choose_members(search, search$args$n_members)$values
  error <- c(members - search$stack$target)
  other <- c(probes[[length(probes)]])
  step <- c(members) - (c(probes[[1L]]) + other) / 2
  noise <- (c(probes[[1L]]) - other)^2 / 4
  finite <- !is.na(error + step)
  total <- function(x) sum((share * x)[finite])
  weight <- min(1, total(error * step) / max(total(step^2 - noise), 0))
  if (is.na(weight) || weight < least_weight) return(FALSE)
  gain <- error^2 - (error - weight * step)^2 + weight^2 * noise
  domain <- rep_len(as.integer(search$scored_by), length(gain))
  gain <- tapply(gain[finite], domain[finite], mean)
  mean(gain) > if (length(gain) > 2L) known_error(gain) / 2 else 0
}

# ---- random forest ----------------------------------------------------------------------------

# Trees of times take long, and longer the more different times there are.
search_trees <- c(number = 100L, class = 100L, censored = 50L)

search_times <- 50L

# These show whether a forest can matter.
probe_trees <- 25L

# Of the final fit. Numbers: with 100 trees the error is .4 % above that of 500. Classes: 5 %, but
# .4 % where the forest has weight .4 in a mean (tests/bench/auto-forest.R): what few trees add to
# the variance goes with the square of the weight.
forest_trees <- function(y, weight) {
  if (response_kind(y) == "number") 100L else max(100L, as.integer(500 * weight^2))
}

forest_specs <- function(search) {
  # a forest knows of no offset and of no late entry
  if (length(search$known) || !is.null(entries(search$sample$y)) ||
      !requireNamespace("ranger", quietly = TRUE)) return(NULL)
  scale <- if (search$few || nlevels(search$scored_by) < domains_for_null) "pooled" else "both"
  list(dg_forest(scale = scale, threads = search$args$threads))
}

# Two small forests, and a large one only if it can be a member. The random numbers of the small
# ones are their own, so that the large one does not depend on them.
#' @exportS3Method
held_out_path.dg_forest_spec <- function(spec, search, specs = list(spec)) {
  sample <- search$sample
  if (is_censored(sample$y)) sample$y <- coarse_times(sample$y, search_times)
  grow <- function(trees) {
    refit_values(search, list(set_parameters(spec, list(trees = trees))), sample)
  }
  probes <- lapply(1:2, function(seed) with_seed(seed, grow(probe_trees)))
  list(lambdas = 1, values = if (can_gain(search, probes)) {
    grow(search_trees[[response_kind(sample$y)]])
  } else (probes[[1L]] + probes[[2L]]) / 2)
}

# Each time becomes the next of so many quantiles of those with events; later ones stay.
coarse_times <- function(y, count) {
  ends <- unique(stats::quantile(Re(y)[has_event(y)], seq_len(count) / count, type = 1L))
  after <- ends[findInterval(Re(y), ends, left.open = TRUE) + 1L]
  censored_times(ifelse(is.na(after), Re(y), after), Im(y), entries(y))
}

# ---- mixed model ------------------------------------------------------------------------------

domains_for_mixed <- 10L

# Domains of some rows, and more of them than means of predictors, tell effects of domains from
# noise. Of classes the rows count that are not of the most frequent one.
mixed_specs <- function(search) {
  y <- search$sample$y
  domains <- nlevels(search$scored_by)
  p <- ncol(search$sample$X) - length(search$known)
  n <- length(y) - if (is.factor(y)) max(table(y)) else 0L
  fits <- !search$few && domains >= domains_for_mixed && length(y) >= 3L * domains &&
    n >= 10L * p && has_engine(search$args$family, y, length(search$known) > 0L)
  if (!fits) return(NULL)
  family <- search$args$family
  spec <- dg_mixed(domain_means = domains >= 2L * (p + 2L), family = family,
                   scale = if (is.null(family)) "none" else "pooled")
  spec$effort <- "quick"
  list(spec)
}

# First the probe of the engine, if it has one.
#' @exportS3Method
held_out_path.dg_mixed_spec <- function(spec, search, specs = list(spec)) {
  fits <- function(effort) {
    spec$effort <- effort
    list(lambdas = 1, values = refit_values(search, list(spec)))
  }
  probe <- engine_of_family(search$args$family)$probe
  if (!is.null(probe)) {
    probed <- fits(probe)
    if (!can_gain(search, list(probed$values))) return(probed)
  }
  fits("quick")
}

# ---- support vector regression ----------------------------------------------------------------

svr_costs <- c(0.1, 1, 10)

# Kurtosis; 3 for a normal distribution, 6 for Laplace's.
heavy_tails <- 5

svr_specs <- function(search) {
  heavy <- !search$few && is.null(search$args$family) && !is.factor(search$sample$y) &&
    # NaN if residuals are 0, for example with a constant response
    isTRUE(left_out_kurtosis(search) > heavy_tails)
  if (!heavy) return(NULL)
  lapply(svr_costs / mean_weight(search$sample), function(cost) {
    dg_svm(cost = cost, loss = "epsilon_insensitive", domain_kernel = domain_pooled(),
           scale = "pooled", threads = search$args$threads)
  })
}

# Kurtosis of the residuals of the best ridge regression on held-out domains.
left_out_kurtosis <- function(search) {
  keys <- kernel_keys(search)
  best <- keys[which.min(found_losses(search)[match(keys, names(search$found))])]
  entry <- search$found[[best]]
  values <- values_at(search, entry$parts, settle(search, entry$parts, TRUE))
  r <- drop(search$stack$target - values)
  r <- r - mean(r)
  mean(r^4) / mean(r^2)^2
}

# By title, functions of the search: list of specifications, NULL where the method is not tried.
other_candidates <- list("random forest" = forest_specs, "mixed model" = mixed_specs,
                         "support vector regression" = svr_specs)
