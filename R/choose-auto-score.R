# What the choice of dg_auto() is worth on a new domain.

domains_for_null <- 5L

# Scores of the best of many are too good. Those that print() gives are cross-fitted: each group of
# domains that is left out is scored by the choice of lambdas and members that the other domains
# make. The values are those of the search. As the fits that judge the other domains have learned
# from the group, some of the optimism is left; doubt_members() and left_over allow for it.
cross_fitted <- function(search) {
  group <- as.integer(search$left_out)[match(levels(search$scored_by), search$scored_by)]
  scores <- rep(NA_real_, length(group))
  for (b in unique(group)) {
    # the other domains may have no score, as where each lacks a class
    chosen <- tryCatch(choose_members(search, search$args$n_members, group != b),
                       domgen_error = function(e) NULL)
    if (!is.null(chosen)) scores[group == b] <- chosen$scores[group == b]
  }
  scores
}

# The choice with its cross-fitted scores, `fair`; the null model, whose scores nothing has chosen,
# unless the choice is better by these. Of few domains cross-fitting leaves two or three to choose
# by, of which the null model easily seems best: there the choice is judged by its own scores.
doubt_members <- function(search, chosen) {
  chosen$fair <- cross_fitted(search)
  null <- candidate_key(candidate(kernel = "null"))
  if (is.null(search$found[[null]])) return(chosen)
  scores <- search$found[[null]]$scores
  few <- sum(!is.na(scores)) < domains_for_null
  if (is_gain(search, scores - if (few) chosen$scores else chosen$fair)) return(chosen)
  c(only_null(search), list(fair = scores))
}

# By more than the standard error of the difference? Of a few domains the error itself is not known.
is_gain <- function(search, difference) {
  gain <- search_losses(search, difference[!is.na(difference)])
  asked <- if (length(gain) >= domains_for_null) standard_error(gain) else 0
  length(gain) < 2L || mean(gain) > asked
}

# More would take longer than the search. A domain of fewer rows says little of its own score: the
# root of a mean square of m is too small by 1 / (4 m).
most_scored <- 2000L

rows_for_score <- 50L

# What print() says of a new domain: scores of the members, less what choosing made too good, in
# rows that the choice has seen; and, where the search had some of the rows only, what all rows
# gain, as the ridge regressions have it in closed form.
# list(mean, se, lower, upper, raw: the mean before it is made good, domains: how many have a score)
# members: the fitted models by their keys.
expected_score <- function(search, chosen, sample, members = NULL) {
  if (search$few) return(expected_of(NA_real_, 0, search$metric))
  raw <- chosen$scores
  scored <- search$sample$domain
  # none where none of the ridge regressions could be fitted
  rows <- if (length(chosen$ridge$keys)) {
    search_rows(sample, most_scored, search$args$seed, rows_for_score)
  }
  if (length(rows) > length(scored)) {
    raw <- left_out_scores(search, chosen$ridge$keys, sample, rows, members)
    scored <- droplevels(sample$domain[rows])
  }
  # the share of a domain's rows that the choice has seen
  at <- match(levels(scored), levels(search$sample$domain))
  if (length(rows) > length(search$sample$y)) {
    # what the others add to the ridge regressions; where a domain was not in the search, on average
    more <- (chosen$scores - chosen$ridge$scores)[at]
    raw <- raw + ifelse(is.na(more), known_mean(more), more)
  }
  seen <- pmin(1, c(table(search$sample$domain))[at] / c(table(scored)))
  too_good <- ifelse(is.na(at), 0, seen * (chosen$scores - chosen$fair)[at])
  expected_of(raw, too_good, search$metric, unit = unit_error(search, chosen$values))
}

# Cross-fitting takes off less than what choosing made too good, because the values of the other
# domains have learned from the one that is left out. That fades with their number: in simulations
# (inst/experiments/auto-score.R, domgen-figures.R) about 1 + 4 / G times as much is right. Two
# domains choose by one, and take off too much as it is.
left_over <- 4

# Of a mean of cross-fitted scores; two say nothing of it.
chosen_error <- function(metric, scores, share = 1 - 1 / min(most_left_out, length(scores))) {
  if (sum(!is.na(scores)) > 2L) score_error(metric, scores, NULL, share) else no_error()
}

# raw, too_good: scores by domain, and what cross-fitting takes off; share: of the rows that are
# trained on; unit: another standard error.
expected_of <- function(raw, too_good, metric, share = 1 - 1 / min(most_left_out, length(raw)),
                        unit = 0) {
  fair <- raw - too_good
  known <- !is.na(fair)
  domains <- sum(known)
  taken <- known_mean(too_good[known])
  more <- if (domains > 2L && losses(taken, metric$better) < 0) taken * left_over / domains else 0
  error <- chosen_error(metric, fair, share)
  error$se <- sqrt(error$se^2 + unit^2)
  mean <- known_mean(fair) - more
  interval <- mean_interval(mean, error)
  list(mean = mean, raw = known_mean(raw), se = error$se, lower = interval[1L],
       upper = interval[2L], domains = domains)
}

# Scores by domain of the mean of candidates, with more rows than the search.
# members: fitted, some of which may know their values.
left_out_scores <- function(search, keys, sample, rows, members = NULL) {
  sample <- sample_part(sample, rows)
  values <- lapply(keys, function(key) {
    scored_by <- !is.null(search$found[[key]]$candidate$crossfits)
    known <- if (!scored_by) members[[key]]$left_out
    if (is.null(known)) candidate_values(search, key, sample) else known
  })
  scoring <- list(y = sample$y, domain = sample$domain, metric = search$metric,
                response = search_task(sample, search$args)$response)
  score_values(Reduce(`+`, values) / length(values), scoring)
}

# Bandwidths that were fitted are those that have not seen the domain.
candidate_values <- function(search, key, sample) {
  c <- search$found[[key]]$candidate
  if (c$kernel == "null") {
    return(null_values(search_task(sample, search$args),
                       left_out_groups(sample, search$args$folds), sample$unit))
  }
  crossfits <- if (is.null(c$crossfits)) list(list(bandwidth = c$bandwidth)) else c$crossfits
  values <- NULL
  for (scoring in crossfits) {
    spec <- member_spec(search, key, sample, scoring$bandwidth)
    args <- spec$args
    scaled <- quietly(scale_sample(sample, spec_scale(spec)))
    scaled$left_out <- left_out_groups(scaled, search$args$folds)
    space <- quietly(space_of(args, rows_frame(scaled)), "domgen_warning_rank")
    found <- left_out_of_units(space, scaled, ridge_task(scaled, args), args, args$lambda)
    found <- matrix(found, length(sample$y))
    if (is.null(values)) values <- found
    rows <- sample$domain %in% scoring$levels
    values[rows, ] <- found[rows, ]
  }
  values
}
