# What dg_auto() fits: an ensemble of the best candidates of several configurations.

# The blocks are the mean of the best kernel regressions and each candidate of other methods; their
# weights are best on the domains `used`. list(keys, weights, scores by domain, values by row,
# kernels: list(keys, scores, values) of the mean of kernel regressions alone)
choose_members <- function(search, most, used = TRUE) {
  settled <- lapply(search$found, function(f) settle(search, f$parts, used))
  value <- function(key) values_at(search, search$found[[key]]$parts, settled[[key]])
  keys <- kernel_keys(search)
  if (length(keys) == 0L) return(only(search, null_title))
  # [domains x candidates]
  scores <- by_candidate(search, Map(function(f, at) scores_at(f$parts, at), search$found, settled))
  scores <- scores[used, keys, drop = FALSE]
  kinds <- near_best(search, safe_kinds(search, scores), value, used)
  kernels <- best_mean(search, utils::head(kinds, most), value, used)
  others <- setdiff(names(search$found), keys)
  blend <- weigh_blocks(search, c(list(kernels$values), lapply(others, value)), kernels$scores,
                        used)
  kept <- c(rep(blend$weights[1L] / length(kernels$keys), length(kernels$keys)), blend$weights[-1L])
  keys <- c(kernels$keys, others)
  list(keys = keys[kept > 0], weights = kept[kept > 0], scores = blend$scores,
       values = blend$values, kernels = kernels[c("keys", "scores", "values")])
}

# The mean of these alone.
only <- function(search, keys) {
  values <- lapply(search$found[keys], function(entry) {
    values_at(search, entry$parts, settle(search, entry$parts, TRUE))
  })
  values <- Reduce(`+`, values) / length(keys)
  average <- list(keys = keys, scores = known_scores(values, search$scoring), values = values)
  c(average, list(weights = rep(1 / length(keys), length(keys)), kernels = average))
}

kernel_keys <- function(search) {
  names(Filter(function(one) is_kernel(one$candidate), search$found))
}

# The mean of the first k of these candidates, sorted with the best first: the largest k whose
# held-out loss is within a standard error of the least. With few domains this error is unreliable,
# and all candidates are averaged.
best_mean <- function(search, keys, value, used) {
  sums <- Reduce(`+`, lapply(keys, value), accumulate = TRUE)
  # of the mean of the first, of the first two, ...
  means <- score_choices(length(keys), function(k) sums[[k]] / k, search$scoring)
  means_used <- means[used, , drop = FALSE]
  worse <- search_losses(search, means_used)
  # losses or scores: the error is the same
  error <- apply(means_used - means_used[, which.min(worse)], 2L, known_error)
  error[is.na(error)] <- 0
  few <- nlevels(search$scored_by) < domains_for_null
  count <- if (few) length(keys) else max(which(worse - min(worse, na.rm = TRUE) <= error))
  list(keys = keys[seq_len(count)], values = sums[[count]] / count, scores = means[, count])
}

# Few domains cannot select how many configurations to average. Those with a held-out root mean
# squared error more than a quarter above the least are left out, since they pull the mean towards
# the null model. All domains have equal weight (`share`).
near_best <- function(search, keys, value, used) {
  if (nlevels(search$scored_by) >= domains_for_null) return(keys)
  share <- search$stack$share * rep_len(used, nlevels(search$scored_by))[search$scored_by]
  errors <- vapply(keys, function(key) sum(share * (value(key) - search$stack$target)^2), 0)
  keys[errors <= 1.25^2 * min(errors)]
}

# The best candidate of each configuration, the best first. Scaling by domain removes the domain's
# mean and depends on the rows of the new domain. With few domains, whose scores are unreliable, it
# must be better than the best other configuration by more than the standard error of the
# difference. scores: [domains x candidates].
safe_kinds <- function(search, scores) {
  keys <- best_of_kinds(search, scores)
  if (nlevels(search$scored_by) >= domains_for_null) return(keys)
  risky <- vapply(keys, function(key) by_domain(spec_scale(search$found[[key]]$candidate$spec)), NA)
  if (!any(risky) || all(risky)) return(keys)
  best <- scores[, keys[!risky][1L]]
  better <- vapply(keys[risky], function(key) is_clear(search, best, scores[, key]), NA)
  setdiff(keys, keys[risky][!better])
}

is_clear <- function(search, before, after) {
  is_better(before, after, search$metric$better, search$args$rule)
}

# Members with a smaller weight cost time and memory for little gain.
least_weight <- 0.05

# Blocks: the mean of the kernel regressions, then each other candidate. Stacked weights are used if
# they are better than the kernel regressions alone by more than the standard error of the
# difference. list(weights, scores by domain, values by row)
weigh_blocks <- function(search, blocks, alone, used) {
  only <- list(weights = replace(numeric(length(blocks)), 1L, 1), scores = alone,
               values = blocks[[1L]])
  at <- rep_len(used, nlevels(search$scored_by))[search$scored_by]
  weights <- stack_weights(blocks, search$stack, at)
  weights[weights < least_weight] <- 0
  weights <- weights / sum(weights)
  values <- weighted_values(blocks, weights)
  scores <- score_values(values, search$scoring)
  if (!is_clear(search, alone[used], scores[used])) return(only)
  list(weights = weights, scores = scores, values = values)
}

# With one domain nothing can be selected: all candidates, with equal weight of three families
# (linear kernels, other kernels, the forest).
choose_all <- function(search) {
  keys <- setdiff(names(search$found), null_title)
  family <- vapply(search$found[keys], function(one) {
    c <- one$candidate
    if (!is_kernel(c)) c$title
    else if (is.null(median_factor(c$spec$args$kernel))) "linear" else "kernel"
  }, "")
  weights <- 1 / (length(unique(family)) * table(family)[family])
  values <- array(NA_real_, dim(search$stack$target))
  list(keys = keys, weights = c(unname(weights)), values = values, fair = values,
       kernels = list(keys = kernel_keys(search), values = values))
}

# The specification of a candidate for these rows, with this weight among members.
member_spec <- function(search, key, sample, weight = 1) {
  entry <- search$found[[key]]
  spec <- entry$candidate$spec
  if (spec$method == "dg_forest") spec$args$trees <- forest_trees(sample$y, weight)
  if (!is_kernel(entry$candidate)) return(spec)
  n <- length(sample$y)
  larger <- n / length(search$sample$y) * (mean_weight(sample) / mean_weight(search$sample))
  # Cox regression takes a root of the Gram matrix, and much longer
  exact <- n <= if (is_censored(sample$y)) exact_rows else gram_rows
  set_parameters(spec, list(lambda = min(entry$lambda * larger, largest_lambda),
                            feature_map = if (exact) features_exact() else features_nystrom(1000)))
}

# Members of generalised regressions give probabilities.
#' @exportS3Method
spec_gives.dg_auto_spec <- function(spec, classes = NULL) {
  args <- spec$args
  c(if (identical(classes, 2L) || !is.null(args$family) || needs_probabilities(args$metric) ||
        wants_probabilities(spec)) "prob", "survival")
}

# Also of members that know no range, such as a forest.
#' @exportS3Method
response_range.dg_auto <- function(object) {
  family <- object$choice$family
  if (is.null(family)) NextMethod() else family_loss(family)$range
}

#' @exportS3Method
held_out_decisions.dg_auto_spec <- function(spec, sample, fitted) {
  held_out_mean(lapply(fitted$members, `[[`, "spec"), sample, fitted, member_held_out)
}

# A forest without each of as few groups of domains as in the search, with half of its trees: all
# groups take at most twice the time of its fit.
member_held_out <- function(spec, sample, member) {
  if (spec$method != "dg_forest") return(held_out_values(spec, sample, member))
  spec$args$trees <- min(spec$args$trees %/% 2L, 100L)
  refitted_values(spec, sample, member, most_refits)
}

# table: the mean, its members, then the others, those of the second round first.
summarise_search <- function(first, final, chosen) {
  keys <- names(final$found)[order(found_losses(final))]
  keys <- c(chosen$keys, setdiff(keys, chosen$keys))
  rest <- if (!identical(first, final)) setdiff(names(first$found), keys)
  rest <- rest[order(found_losses(first)[rest])]
  entries <- c(final$found[keys], first$found[rest])
  # the first round may have used some of the domains only
  of_first <- match(levels(final$scored_by), levels(first$scored_by))
  scores <- cbind(average = chosen$fair, shown_scores(final, keys),
                  shown_scores(first, rest)[of_first, , drop = FALSE])
  rownames(scores) <- levels(final$scored_by)
  # in the first round from the best of it
  base <- matrix(chosen$fair, nrow(scores), ncol(scores))
  if (length(rest)) {
    best <- best_of_kinds(first)[1L]
    base[, match(rest, colnames(scores))] <- shown_scores(first, best)[of_first, ]
  }
  differences <- scores - base
  of <- function(value) unname(c(NA, vapply(entries, value, value(entries[[1L]]))))
  table <- data.frame(
    member = c(NA, names(entries) %in% chosen$keys),
    weight = c(NA, unname(stats::setNames(chosen$weights, chosen$keys)[names(entries)])),
    scale = of(function(f) f$candidate$words$scale),
    kernel = of(function(f) f$candidate$words$kernel),
    domain_kernel = of(function(f) f$candidate$words$domain_kernel),
    lambda = of(function(f) f$lambda),
    rows = rep(c(length(final$scored_by), length(first$scored_by)),
               c(1L + length(keys), length(rest))),
    mean = colMeans(scores, na.rm = TRUE),
    se = apply(scores, 2L, function(column) chosen_error(first$shown$metric, column)$se),
    difference = colMeans(differences, na.rm = TRUE),
    difference_se = apply(differences, 2L, known_error), seconds = of(function(f) f$seconds),
    row.names = NULL
  )
  list(table = with_rule_scores(table, scores, first$shown$metric$better, first$args$rule),
       scores = scores)
}

# By the metric that was asked for, [domains x candidates].
shown_scores <- function(search, keys) {
  by_candidate(search, lapply(stats::setNames(search$found[keys], keys), function(f) {
    known_scores(values_at(search, f$parts, settle(search, f$parts, TRUE)), search$shown)
  }))
}
