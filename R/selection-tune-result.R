# The selection among scored combinations, and the model.

# Index of the best among some that were tried, by the rule; the first of equals.
which_best <- function(state, among = seq_len(nrow(state$tried))) {
  losses <- tuned_losses(state)[among]
  if (is_scoreless(losses)) abort_all_failed(state)
  which.min(losses)
}

tuned_losses <- function(state) {
  unname(rule_losses(tuned_scores(state), state$metrics[[1L]]$better, state$spec$args$rule))
}

# [domains x combinations]
tuned_scores <- function(state) {
  # not all domains are held out by every kind of folds
  held <- unique(state$task$domain[unlist(lapply(state$splits, `[[`, "held"))])
  do.call(cbind, lapply(state$results, function(r) {
    if (is.null(r$scores)) rep(NA_real_, length(held)) else r$scores
  }))
}

# Among infinite scores there is no choice either.
is_scoreless <- function(losses) all(is.na(losses) | losses == Inf)

abort_all_failed <- function(state) {
  errors <- unlist(lapply(state$results, `[[`, "error"))
  errors <- unique(errors[!is.na(errors)])
  abort("tune", "No combination of parameters has a score", if (length(errors)) {
    paste0("; the first message: ", errors[1L])
  } else if (all(is.na(tuned_losses(state)))) ": every domain lacks a class."
  else if ("interval" %in% metrics_need(state$metrics)) {
    ": training sets have too few domains for finite intervals. Take more folds."
  } else ": all of them are infinite.")
}

best_choice <- function(state) {
  best <- which_best(state)
  if (!identical(state$spec$args$rule, "one_se")) return(best)
  means <- tuned_losses(state)
  # the rule ignores overlapping training sets
  se <- known_error(state$results[[best]]$scores)
  near <- which(means <= means[best] + if (is.na(se)) 0 else se)
  simple <- simplicity(state$tried[near, , drop = FALSE], state$grid, state$spec$object)
  near[order(-simple, means[near])][1L]
}

finish_search <- function(state) {
  best <- best_choice(state)
  values <- choice_values(state, state$tried[best, ])
  spec <- set_parameters(state$spec$object, values)
  # a seed of its own, so that an interrupt before it changes nothing
  model <- with_seed(state$seeds[length(state$seeds)], state$fit(spec))
  model$tuning <- list(
    table = tuning_table(state), best = values, chosen = best,
    scores = tuned_scores(state),
    metric = state$metrics[[1L]], rule = state$spec$args$rule, search = state$spec$args$search,
    held_out = held_out(state$splits, state$task),
    scope = held_scope(state$splits, state$task$domain), grid = state$grid, tried = state$tried,
    time_limit = list(seconds = state$spec$args$max_seconds, reached = state$spent),
    spec = state$spec
  )
  class(model) <- c("dg_tuned", "dg_result", class(model))
  model
}

tuning_table <- function(state) {
  columns <- lapply(names(state$grid), function(name) {
    values <- state$grid[[name]]
    plain <- if (all(vapply(values, function(v) is.atomic(v) && length(v) == 1L, NA))) {
      unlist(values)
    } else make.unique(vapply(values, format_value, ""), " ")
    plain[state$tried[, name]]
  })
  names(columns) <- names(state$grid)
  take <- function(name, type) vapply(state$results, `[[`, type, name)
  table <- data.frame(columns, mean = take("mean", 0), se = take("se", 0),
                      seconds = take("seconds", 0), error = take("error", ""),
                      check.names = FALSE, stringsAsFactors = FALSE)
  with_rule_scores(table, tuned_scores(state), state$metrics[[1L]]$better, state$spec$args$rule)
}
