# The result of a cross-validation: scores by domain, then summarised.

# outcome, evaluation: see evaluate_rows(); with a source there are `scores` instead of
# predictions, and where nobody timed each split, `seconds` of all.
new_cv <- function(spec, outcome, evaluation) {
  task <- evaluation$task
  splits <- evaluation$splits
  metrics <- evaluation$metrics
  results <- if (is.null(outcome$results)) rep(list(list()), length(splits)) else outcome$results
  predictions <- join_folds(results)
  scores <- if (is.null(outcome$scores)) score_predictions(predictions, metrics) else outcome$scores
  domains <- domains_held(splits, task)
  columns <- scores$domains[match(domains$domain, rownames(scores$domains)), , drop = FALSE]
  domains$score <- unname(columns[, 1L])
  if (length(metrics) > 1L) domains[names(metrics)] <- as.data.frame(columns)
  fits <- data.frame(fold = vapply(splits, `[[`, integer(1), "fold"),
                     rep = vapply(splits, `[[`, numeric(1), "rep"),
                     seconds = if (!is.null(outcome$seconds)) outcome$seconds / length(splits)
                               else vapply(results, `[[`, numeric(1), "seconds"))
  fits$period <- unlist(lapply(splits, `[[`, "period"))
  refits <- read_pairs(evaluation$plan, outcome$pairs, task$domain, domains$domain, metrics)
  share <- train_share(splits, task_sizes(task))
  crossed <- crossed_by(task, domains$domain)
  errors <- lapply(stats::setNames(names(metrics), names(metrics)), function(name) {
    score_error(metrics[[name]], unname(columns[, name]), refits$without[[name]], share,
                crossed = crossed)
  })
  structure(c(list(
    domains = domains, predictions = by_column(predictions), mean = known_mean(domains$score),
    se = errors[[1L]]$se, errors = errors, overall = scores$overall,
    fits = cbind(fits, chosen_in_folds(results)), failed = failed_folds(splits, results),
    refits = refits, share = share, folds = evaluation$folds, metrics = metrics,
    held_out = held_out(splits, task), scope = held_scope(splits, task$domain),
    novelty = novelty(splits, task), unit = task$unit,
    crossed = crossed, warnings = table(unlist(lapply(results, `[[`, "warnings"))), spec = spec,
    labels = if (is.null(task$labels)) variable_names(NULL) else task$labels,
    dropped = task$dropped, given = task$n, text_response = task$text_response
  ), collect_shots(results, splits, task, share, evaluation$plan, outcome$pairs, spec),
  collect_periods(splits, evaluation$folds, predictions, metrics[[1L]], task)),
  class = c("dg_cv", "dg_result"))
}

# A row for each domain that was to be held out: domain, fold (of the first repeat, NA for a domain
# in several), rows.
domains_held <- function(splits, task) {
  held <- lapply(splits, `[[`, "held")
  domain <- droplevels(as.factor(task$domain[unlist(held)]))
  fold <- rep(vapply(splits, `[[`, 0L, "fold"), lengths(held))
  first <- rep(vapply(splits, function(split) split$rep == splits[[1L]]$rep, NA), lengths(held))
  data.frame(
    domain = levels(domain),
    fold = vapply(unname(split(fold[first], domain[first])), function(folds) {
      if (length(unique(folds)) == 1L) folds[1L] else NA_integer_
    }, 0L),
    rows = as.integer(rowsum(task_sizes(task)[unlist(held)], as.integer(domain)))
  )
}

# Number of rows for each element of a task, which is a row, or a domain of a source.
task_sizes <- function(task) {
  if (is.null(task$sizes)) rep(1, length(task$domain)) else task$sizes
}

# NULL where all folds failed.
join_folds <- function(results) {
  parts <- Filter(Negate(is.null), lapply(results, `[[`, "predictions"))
  if (length(parts) == 0L) return(NULL)
  # an ensemble may have probabilities in some folds only
  columns <- Reduce(intersect, lapply(parts, names))
  predictions <- do.call(rbind, lapply(parts, `[`, columns))
  predictions <- predictions[order(predictions$rep, predictions$row), ]
  rownames(predictions) <- NULL
  predictions
}

# NA where all folds failed.
score_predictions <- function(predictions, metrics) {
  if (is.null(predictions)) {
    none <- matrix(NA_real_, 0L, length(metrics), dimnames = list(character(), names(metrics)))
    return(list(domains = none, overall = NA_real_))
  }
  domains <- score_left_out(predictions, metrics)
  # of the domains that have one, where others are infinite
  scored <- if (is.null(metrics[[1L]]$infinite)) TRUE
            else predictions$domain %in% rownames(domains)[!is.na(domains[, 1L])]
  list(domains = domains,
       overall = if (any(scored)) score(lapply(predictions, take, scored), metrics[[1L]])
                 else NA_real_)
}

# Parameters selected in each fold, NA for failed folds; a data frame, without columns if there are
# none.
chosen_in_folds <- function(results) {
  chosen <- lapply(results, `[[`, "parameters")
  present <- which(!vapply(chosen, is.null, NA))
  table <- do.call(rbind, lapply(chosen[present], parameter_row))
  if (is.null(table)) return(data.frame(row.names = seq_along(results)))
  table <- table[match(seq_along(results), present), , drop = FALSE]
  rownames(table) <- NULL
  table
}

# The mean proportion of the rows in training: n1/n in the factor 1 + n/n1 of mean_error(). There n
# are the rows held out (Nadeau and Bengio's J n2), with time fewer than all.
train_share <- function(splits, sizes) {
  all <- if (is.null(splits[[1L]]$period)) sum(sizes) else {
    sum(lengths(lapply(splits, `[[`, "held"))) / length(unique(vapply(splits, `[[`, 0, "rep")))
  }
  mean(vapply(splits, function(split) sum(sizes[unique(split$train)]), 0)) / all
}

# list(fits, seconds, error: message if they cannot be used, without: see mean_error(), by metric),
# or NULL.
read_pairs <- function(plan, pairs, domain, domains, metrics) {
  if (is.null(plan)) return(NULL)
  errors <- unlist(lapply(pairs, `[[`, "error"))
  refits <- list(fits = length(pairs), seconds = sum(unlist(lapply(pairs, `[[`, "seconds"))),
                 error = if (length(errors)) errors[1L] else NA_character_)
  if (length(errors)) return(refits)
  c(refits, list(without = scores_without(plan, lapply(pairs, `[[`, "scores"),
                                          factor(domain, domains))))
}

warn_no_score <- function(cv) {
  lost <- is.na(cv$predictions$prediction)
  if (any(lost)) {
    # rows with a level that the other folds do not have, as in predict()
    notes <- grep(" that training did not have, ", names(cv$warnings), value = TRUE, fixed = TRUE)
    warn_unpredicted(length(unique(cv$predictions$row[lost])), unique(cv$predictions$domain[lost]),
                     notes)
  }
  if (is.na(cv$mean)) {
    warn("score", "`metric` \"", names(cv$metrics)[1L], "\" has no value in any domain",
         if (any(lost)) ""
         else if (!is.null(cv$metrics[[1L]]$infinite)) {
           paste0(": each has ", cv$metrics[[1L]]$infinite)
         }
         else if (is.factor(cv$predictions$truth)) ": each lacks a class"
         else if (is_censored(cv$predictions$truth)) ": each has too few events", ".")
  }
  cv
}

# The error where a selection depends on the score.
abort_no_score <- function() {
  abort("data", "`metric` has no value in any domain: each lacks a class or has a constant ",
        "response.")
}

abort_nothing_to_plot <- function() {
  abort("data", "Nothing to plot: no domain has a score.")
}

# What is held out, and in how many folds, in the words of print().
held_out <- function(splits, task) {
  domain <- task$domain
  repeats <- max(vapply(splits, `[[`, numeric(1), "rep"))
  folds <- length(splits) / repeats
  domains <- length(unique(domain[unlist(lapply(splits, `[[`, "held"))]))
  unit <- if (is.null(task$unit)) "domain" else task$unit
  units <- plural(domains, unit, sub("^(level|combination|domain)", "\\1s", unit))
  scope <- held_scope(splits, domain)
  how <- if (!is.null(splits[[1L]]$period)) {
    held_in_periods(splits, units, domains, scope)
  } else if (scope == "known") {
    paste0("rows of ", plural(domains, "known domain"), " held out in ", plural(folds, "fold"))
  } else if (folds == domains) {
    paste0(units, " held out one at a time")
  } else paste0(units, " held out in ", plural(folds, "fold"))
  with_weights_said(paste0(how, if (repeats > 1) paste0(", ", repeats, " times")), task$weighted)
}

# units: the number of domains with their name.
held_in_periods <- function(splits, units, domains, scope) {
  periods <- plural(length(unique(vapply(splits, `[[`, 0L, "period"))), "period")
  if (scope == "known later") {
    return(paste0("later rows of ", units, " held out in ", periods,
                  ", predicted from earlier rows of all domains"))
  }
  folds <- length(unique(vapply(splits, `[[`, 0, "part")))
  paste0(units, if (folds >= domains) " held out one at a time" else {
    paste(" held out in", plural(folds, "fold"))
  }, " in each of ", periods, ", predicted from ",
  if (scope == "new later") "earlier rows of other domains"
  else "rows of other domains up to that period")
}

# missing: names of domains; metric: their score.
without_score <- function(missing, predictions, metric) {
  infinite <- metric$infinite
  paste0(plural(length(missing), "domain"), " without a score",
         if (anyNA(predictions$prediction)) " (rows could not be predicted)"
         else if (!is.null(infinite)) {
           paste0(", ", enumerate(missing, quote = "\""), " (", infinite, ")")
         }
         else if (!is.null(metric$undefined)) paste0(" (", metric$undefined, ")")
         else if (is.factor(predictions$truth)) " (a class is missing)"
         else if (is_censored(predictions$truth)) " (too few events, or too short a follow-up)")
}

# How a fitted model was held out, missing scores of a cross-validation, and warnings of its fits.
cv_notes <- function(x) {
  missing <- unscored(x)
  c(if (isFALSE(x$refit)) {
      paste("In closed form, with scaling, bandwidths and chosen parameters of all domains;",
            "`refit = TRUE` of dg_cv() learns these again.")
    }, if (length(missing)) without_score(missing, x$predictions, x$metrics[[1L]]), failed_words(x),
    fold_warnings(x$warnings, nrow(x$fits)))
}

fold_warnings <- function(warnings, folds) {
  warnings <- alike_together(warnings)
  paste0("note, ", warnings, " of ", plural(folds, "fold"), ": ", names(warnings), recycle0 = TRUE)
}
