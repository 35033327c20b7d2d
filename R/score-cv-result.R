# The result of a cross-validation: scores by domain, then summarised.

# plan, pairs: the fits without two folds, see pairs_of_folds().
new_cv <- function(spec, task, folds, metrics, splits, results, plan = NULL, pairs = list()) {
  predictions <- join_folds(results)
  fits <- data.frame(fold = vapply(splits, `[[`, integer(1), "fold"),
                     rep = vapply(splits, `[[`, integer(1), "rep"),
                     seconds = vapply(results, `[[`, numeric(1), "seconds"))
  fits <- cbind(fits, chosen_in_folds(results))
  by_domain <- with_failed_domains(if (!is.null(predictions)) score_left_out(predictions, metrics),
                                   splits, task$domain, metrics)
  refits <- read_pairs(plan, pairs, task$domain, by_domain$domain, metrics)
  share <- train_share(splits, rep(1, length(task$y)))
  crossed <- crossed_by(task, by_domain$domain)
  errors <- lapply(stats::setNames(names(metrics), names(metrics)), function(name) {
    values <- if (length(metrics) > 1L) by_domain[[name]] else by_domain$score
    score_error(metrics[[name]], values, refits$without[[name]], share, crossed = crossed)
  })
  structure(c(list(
    domains = by_domain, predictions = predictions,
    mean = known_mean(by_domain$score), se = errors[[1L]]$se,
    errors = errors, overall = overall_score(predictions, metrics[[1L]]), fits = fits,
    failed = failed_folds(splits, results), refits = refits, share = share, folds = folds,
    metrics = metrics,
    held = held_out(splits, task), novelty = novelty(splits, task), unit = task$unit,
    crossed = crossed,
    warnings = table(unlist(lapply(results, `[[`, "warnings"))), spec = spec,
    labels = if (is.null(task$labels)) variable_names(NULL) else task$labels
  ), collect_shots(results, task, share, plan, pairs)), class = c("dg_cv", "dg_result"))
}

# NULL where all folds failed.
join_folds <- function(results) {
  predictions <- do.call(rbind, lapply(results, `[[`, "predictions"))
  if (is.null(predictions)) return(NULL)
  predictions <- predictions[order(predictions$rep, predictions$row), ]
  rownames(predictions) <- NULL
  predictions
}

overall_score <- function(predictions, metric) {
  if (is.null(predictions)) NA_real_ else score(as.list(predictions), metric)
}

# What was chosen in each fold, NA where it failed; data frame, without columns where nothing was.
chosen_in_folds <- function(results) {
  found <- lapply(results, `[[`, "parameters")
  known <- which(!vapply(found, is.null, NA))
  rows <- do.call(rbind, lapply(found[known], parameter_row))
  if (is.null(rows)) return(data.frame(row.names = seq_along(results)))
  rows <- rows[match(seq_along(results), known), , drop = FALSE]
  rownames(rows) <- NULL
  rows
}

# The mean share of the rows that folds train on.
train_share <- function(splits, sizes) {
  mean(vapply(splits, function(split) sum(sizes[unique(split$train)]), 0)) / sum(sizes)
}

# list(fits, seconds, error: why they cannot be used, without: see mean_error(), by metric) or NULL.
read_pairs <- function(plan, pairs, domain, domains, metrics) {
  if (is.null(plan)) return(NULL)
  errors <- unlist(lapply(pairs, `[[`, "error"))
  refits <- list(fits = length(pairs), seconds = sum(unlist(lapply(pairs, `[[`, "seconds"))),
                 error = if (length(errors)) errors[1L] else NA_character_)
  if (length(errors)) return(refits)
  columns <- if (length(metrics) > 1L) names(metrics) else "score"
  without <- scores_without(plan, lapply(pairs, `[[`, "domains"), factor(domain, domains), columns)
  c(refits, list(without = stats::setNames(without, names(metrics))))
}

warn_no_score <- function(cv) {
  lost <- is.na(cv$predictions$prediction)
  if (any(lost)) warn_lost_rows(cv, lost)
  if (is.na(cv$mean)) {
    warn("score", "`metric` \"", names(cv$metrics)[1L], "\" has no value in any domain",
         if (is.factor(cv$predictions$truth) && !any(lost)) ": each lacks a class", ".")
  }
  cv
}

# Rows with a level that the other folds do not have, as predict() takes them.
warn_lost_rows <- function(cv, lost) {
  notes <- grep(" that training did not have, ", names(cv$warnings), value = TRUE, fixed = TRUE)
  warn_unpredicted(length(unique(cv$predictions$row[lost])), unique(cv$predictions$domain[lost]),
                   notes)
}

# Where a choice depends on it.
abort_no_score <- function() {
  abort("data", "`metric` has no value in any domain: each lacks a class, or its response ",
        "is constant.")
}

abort_nothing_to_plot <- function() {
  abort("data", "No domain has a score: there is nothing to plot.")
}

# In words, for print().
held_out <- function(splits, task) {
  domain <- task$domain
  repeats <- max(vapply(splits, `[[`, numeric(1), "rep"))
  folds <- length(splits) / repeats
  domains <- length(unique(domain[unlist(lapply(splits, `[[`, "held"))]))
  unit <- if (is.null(task$unit)) "domain" else task$unit
  units <- plural(domains, unit, sub("^(level|combination|domain)", "\\1s", unit))
  how <- if (!holds_domains(splits, domain)) {
    paste0("rows of ", plural(domains, "known domain"), " held out in ", plural(folds, "fold"))
  } else if (folds == domains) {
    paste0(units, " held out one at a time")
  } else paste0(units, " held out in ", plural(folds, "fold"))
  if (repeats > 1) paste0(how, ", ", repeats, " times") else how
}

without_score <- function(missing, predictions) {
  paste0(plural(missing, "domain"), " without a score",
         if (anyNA(predictions$prediction)) " (rows could not be predicted)"
         else if (is.factor(predictions$truth)) " (a class is missing)")
}

# What is missing of a cross-validation, and what its fits warned of.
cv_notes <- function(x) {
  missing <- length(unscored(x))
  c(if (missing) without_score(missing, x$predictions), failed_words(x),
    fold_warnings(x$warnings, nrow(x$fits)))
}

fold_warnings <- function(warnings, folds) {
  warnings <- alike_together(warnings)
  paste0("note, ", warnings, " of ", plural(folds, "fold"), ": ", names(warnings), recycle0 = TRUE)
}
