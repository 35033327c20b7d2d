# The expected score of dg_auto() on a new domain.

domains_for_null <- 5L

# Scores of the best of many candidates are optimistic. Those that print() gives are cross-fitted:
# each group of held-out domains is scored with the lambdas and members that are best on the other
# domains. The values are those of the search. Fits that score the other domains were trained on the
# group, so some optimism remains; doubt_members() and left_over allow for it.
cross_fitted <- function(search) {
  group <- as.integer(search$left_out)[match(levels(search$scored_by), search$scored_by)]
  values <- array(NA_real_, dim(search$stack$target))
  for (b in unique(group)) {
    # the other domains may have no score, as where each lacks a class
    chosen <- tryCatch(choose_members(search, search$args$n_members, group != b),
                       domgen_error = function(e) NULL)
    at <- (group == b)[as.integer(search$scored_by)]
    if (!is.null(chosen)) values[at, ] <- chosen$values[at, ]
  }
  values
}

# The scores of what was chosen, by the metric that was asked for.
in_metric <- function(search, chosen) {
  chosen$scores <- known_scores(chosen$values, search$shown)
  chosen$fair <- known_scores(chosen$fair, search$shown)
  chosen$kernels$scores <- known_scores(chosen$kernels$values, search$shown)
  chosen
}

# The selection with its cross-fitted values, `fair`, or the null model (whose scores have no
# optimism) unless the selection is better by these. With few domains cross-fitting leaves two or
# three for the selection, on which the null model easily seems best: the selection's own scores
# count. Between the two stand the plain generalised regressions, which need not be surely better:
# nothing but lambda was selected, which shrinks them to a constant where there is no signal.
doubt_members <- function(search, chosen) {
  chosen$fair <- cross_fitted(search)
  null <- null_title
  if (is.null(search$found[[null]])) return(chosen)
  scores <- search$found[[null]]$scores
  few <- sum(!is.na(scores)) < domains_for_null
  fair <- if (few) chosen$scores else known_scores(chosen$fair, search$scoring)
  if (is_gain(search, scores, fair)) return(chosen)
  plain <- intersect(search$plain, names(search$found))
  chosen <- only(search, if (length(plain)) plain else null)
  if (length(plain) && !is_gain(search, scores, chosen$scores, sure = FALSE)) {
    chosen <- only(search, null)
  }
  c(chosen, list(fair = chosen$values))
}

# By more than the standard error of the difference, if that is to be sure? With few domains that
# error is unreliable.
is_gain <- function(search, before, after, sure = TRUE) {
  sum(!is.na(after - before)) < 2L ||
    is_better(before, after, search$metric$better, search$args$rule,
              if (sure) domains_for_null else Inf)
}

# More rows would take longer than the search. The score of a domain with few rows is biased: the
# root mean square of m rows is too small by 1 / (4 m).
most_scored <- 2000L

rows_for_score <- 50L

# The score that print() gives for a new domain: scores of the members, corrected for the optimism
# of the selection in the rows that it used. If the search used some of the rows, the ridge
# regressions are scored again on all, in closed form. list(mean, se, lower, upper, raw: the mean
# before correction, domains: how many have a score, rows: that are scored)
expected_score <- function(search, chosen, sample) {
  if (search$few) return(expected_of(NA_real_, 0, search$shown$metric))
  raw <- chosen$scores
  scored <- search$sample$domain
  # NULL if no ridge regression could be fitted; to fit generalised regressions again takes longer
  # than the search
  methods <- vapply(search$found[chosen$kernels$keys], function(f) f$candidate$spec$method, "")
  drawn <- if (length(methods) && all(methods %in% c("dg_ridge", "dg_null"))) {
    search_rows(sample, most_scored, search$args$seed, rows_for_score)
  }
  if (length(drawn) > length(scored)) {
    raw <- left_out_scores(search, chosen$kernels$keys, sample, drawn)
    scored <- droplevels(sample$domain[drawn])
  }
  # the proportion of a domain's rows that the selection used
  at <- match(levels(scored), levels(search$sample$domain))
  if (length(drawn) > length(search$sample$y)) {
    # the gain of other members over ridge regressions; the mean for domains not in the search
    more <- (chosen$scores - chosen$kernels$scores)[at]
    raw <- raw + ifelse(is.na(more), known_mean(more), more)
  }
  seen <- pmin(1, c(table(search$sample$domain))[at] / c(table(scored)))
  too_good <- ifelse(is.na(at), 0, seen * (chosen$scores - chosen$fair)[at])
  c(expected_of(raw, too_good, search$shown$metric, unit = unit_error(search, chosen$values)),
    list(rows = length(scored)))
}

# Cross-fitting corrects for less than the optimism of the selection, because fits that score the
# other domains were trained on the held-out one. With more domains that fades: in simulations
# (inst/experiments/auto-score.R, domgen-figures.R) 1 + 4 / G times the correction is right. With
# two domains, where one selects, the correction is too large already.
left_over <- 4

# Error of a mean of cross-fitted scores; NA with two domains.
chosen_error <- function(metric, scores, share = 1 - 1 / min(most_left_out, length(scores))) {
  if (sum(!is.na(scores)) > 2L) score_error(metric, scores, NULL, share) else no_error()
}

# raw, too_good: scores by domain, and their optimism by cross-fitting; share: proportion of the
# rows in training; unit: another standard error.
expected_of <- function(raw, too_good, metric, share = 1 - 1 / min(most_left_out, length(raw)),
                        unit = 0) {
  fair <- raw - too_good
  scored <- !is.na(fair)
  domains <- sum(scored)
  taken <- known_mean(too_good[scored])
  more <- if (domains > 2L && losses(taken, metric$better) < 0) taken * left_over / domains else 0
  error <- chosen_error(metric, fair, share)
  error$se <- sqrt(error$se^2 + unit^2)
  mean <- known_mean(fair) - more
  interval <- mean_interval(mean, error)
  list(mean = mean, raw = known_mean(raw), se = error$se, lower = interval[1L],
       upper = interval[2L], domains = domains)
}

# Scores by domain of the mean of candidates, with more rows than the search: one of these rows, at
# the lambdas that members have.
left_out_scores <- function(search, keys, sample, at) {
  all <- new_search(search$args, sample_part(sample, at), search$shown$metric, FALSE, most_scored)
  values <- lapply(keys, function(key) {
    c <- search$found[[key]]$candidate
    c$spec <- member_spec(search, key, all$sample)
    parts <- quietly(score_candidate(all, c))
    values_at(all, parts, rep(1L, length(parts)))
  })
  score_values(Reduce(`+`, values) / length(values), all$shown)
}
