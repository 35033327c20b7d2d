# The search for the best combination of parameters, a row of indices into the grid. All that were
# scored are kept.

most_extensions <- 5L

most_cycles <- 5L

# A fitted model. fit(spec): a model of all rows, in memory or not; outcomes(state, specs, choices,
# fits): scores, see row_outcomes().
search_parameters <- function(spec, task, ctx, fit, outcomes) {
  state <- new_tuning(spec, task, ctx)
  state$fit <- fit
  state$outcomes <- outcomes
  if (spec$args$search == "coordinate") search_coordinates(state) else {
    choices <- state$choices
    while (!is.null(choices)) {
      evaluate_choices(state, choices)
      choices <- extended_choices(state)
    }
  }
  finish_search(state)
}

new_tuning <- function(spec, task, ctx) {
  args <- spec$args
  grid <- if (is.null(args$grid)) default_grid(spec$object, sum(task_sizes(task))) else args$grid
  # random numbers, in a fixed order
  drawn <- stored(ctx, "drawn", {
    folds <- args$folds
    # fewer domains than there will be for the model
    if (isTRUE(task$inside) && is_number(folds)) {
      folds <- min(folds, nlevels(droplevels(task$domain)))
    }
    splits <- fold_splits(read_folds(folds, task), task)
    seeds <- draw_seeds(length(splits) + 1L)
    choices <- all_choices(grid)
    if (args$search == "random" && nrow(choices) > args$size) {
      choices <- choices[sort(sample.int(nrow(choices), args$size)), , drop = FALSE]
    }
    list(splits = splits, seeds = seeds, choices = choices, began = seconds_now())
  })
  # with a source metrics must be means over rows
  metrics <- (if (is.null(task$sizes)) read_metrics else source_metrics)(args$metric, task$y)
  check_metrics_fit(metrics, spec, nlevels(task$y))
  deadline <- drawn$began + if (is.null(args$max_seconds)) Inf else args$max_seconds
  list2env(c(drawn, list(
    spec = spec, task = task, metrics = metrics, grid = grid, deadline = deadline, spent = FALSE,
    results = list(), tried = matrix(0L, 0L, length(grid), dimnames = list(NULL, names(grid))),
    extensions = stats::setNames(integer(length(grid)), names(grid)), ctx = ctx
  )), parent = emptyenv())
}

all_choices <- function(grid) {
  as.matrix(expand.grid(lapply(grid, seq_along), KEEP.OUT.ATTRS = FALSE))
}

choice_values <- function(state, choice) {
  stats::setNames(lapply(names(state$grid), function(name) state$grid[[name]][[choice[[name]]]]),
                  names(state$grid))
}

# By the clock, which all workers share.
seconds_now <- function() as.numeric(Sys.time())

# Where the best value of a parameter is the largest or smallest, one more; NULL: none.
extended_choices <- function(state) {
  args <- state$spec$args
  if (!args$extend || args$search != "grid" || state$spent) return(NULL)
  best <- state$tried[which_best(state), ]
  new <- lapply(names(state$grid), function(name) {
    if (!extend_parameter(state, name, best)) return(NULL)
    others <- lapply(state$grid, seq_along)
    others[[name]] <- length(state$grid[[name]])
    as.matrix(expand.grid(others, KEEP.OUT.ATTRS = FALSE))
  })
  unique(do.call(rbind, new))
}

# Adds a value to the grid if there is a next one and the last step was a gain. best: the best
# combination.
extend_parameter <- function(state, name, best) {
  if (state$extensions[[name]] >= most_extensions) return(FALSE)
  value <- next_value(state$grid[[name]], best[[name]])
  if (is.null(value) || !clear_gain(state, name, best)) return(FALSE)
  fits <- tryCatch({
    set_parameters(state$spec$object, stats::setNames(list(value), name))
    TRUE
  }, domgen_error = function(e) FALSE)
  if (!fits) return(FALSE)
  state$grid[[name]] <- c(state$grid[[name]], list(value))
  state$extensions[[name]] <- state$extensions[[name]] + 1L
  TRUE
}

# Is the best choice, at the border of a parameter, better than with the value before it, see
# is_better()? TRUE where one of them has no scores.
clear_gain <- function(state, name, best) {
  numbers <- unlist(state$grid[[name]])
  before <- best
  before[[name]] <- order(abs(numbers - numbers[best[[name]]]))[2L]
  scores <- lapply(list(best, before), function(choice) {
    at <- match(paste(choice, collapse = " "), choice_keys(state$tried))
    if (!is.na(at)) state$results[[at]]$scores
  })
  if (is.null(scores[[1L]]) || is.null(scores[[2L]])) return(TRUE)
  all(is.na(scores[[2L]] - scores[[1L]])) ||
    is_better(scores[[2L]], scores[[1L]], state$metrics[[1L]]$better, state$spec$args$rule)
}

# One parameter after the other, the others at their best.
search_coordinates <- function(state) {
  n <- length(state$grid)
  at <- vapply(state$grid, function(values) (length(values) + 1L) %/% 2L, integer(1))
  turn <- unchanged <- 0L
  while (unchanged < n && turn < n * most_cycles && !state$spent) {
    name <- names(state$grid)[turn %% n + 1L]
    choices <- matrix(rep(at, each = length(state$grid[[name]])), ncol = n,
                      dimnames = list(NULL, names(state$grid)))
    choices[, name] <- seq_along(state$grid[[name]])
    evaluate_choices(state, choices)
    among <- stats::na.omit(match(choice_keys(choices), choice_keys(state$tried)))
    best <- if (is_scoreless(tuned_losses(state)[among])) at
            else state$tried[among[which_best(state, among)], ]
    if (!state$spent && state$spec$args$extend && extend_parameter(state, name, best)) next
    unchanged <- if (identical(best[[name]], at[[name]])) unchanged + 1L else 1L
    at <- best
    turn <- turn + 1L
  }
}

choice_keys <- function(choices) apply(choices, 1L, paste, collapse = " ")

# Evaluates what was not tried before.
evaluate_choices <- function(state, choices) {
  choices <- choices[!choice_keys(choices) %in% choice_keys(state$tried), , drop = FALSE]
  if (nrow(choices) == 0L) return(invisible())
  choices <- choices[work_order(state, choices), , drop = FALSE]
  # values that are fine by themselves need not go together
  specs <- lapply(seq_len(nrow(choices)), function(i) {
    tryCatch(set_parameters(state$spec$object, choice_values(state, choices[i, ])),
             domgen_error = function(e) list(error = e, seconds = 0))
  })
  fits <- which(!vapply(specs, function(spec) "error" %in% names(spec), NA))
  outcomes <- lapply(specs, function(spec) if ("error" %in% names(spec)) failed_choice(spec))
  outcomes[fits] <- state$outcomes(state, specs, choices, fits)
  # those that are done in all folds when the time is spent count
  done <- !vapply(outcomes, is.null, NA)
  state$results <- c(state$results, outcomes[done])
  state$tried <- rbind(state$tried, choices[done, , drop = FALSE])
  state$spent <- !all(done)
}

# Outcomes of the specifications `fits`, NULL for those that were not done in time.
row_outcomes <- function(state, specs, choices, fits) {
  groups <- split(fits, shared_key(state, choices)[fits])
  before <- length(state$results)
  work <- piece_worker(specs, state$task, metrics_need(state$metrics), state$deadline,
                       always = if (before == 0L) unlist(groups)[1L])
  results <- evaluate_splits(groups, state$splits, state$seeds, work, state$ctx,
                             rep(method_of(state$spec)$title, length(groups)), before)[fits]
  lapply(results, function(of_choice) {
    if (!any(vapply(of_choice, is.null, NA))) summarise_choice(of_choice, state)
  })
}

failed_choice <- function(outcome) {
  list(scores = NULL, mean = NA_real_, se = NA_real_, seconds = outcome$seconds,
       error = conditionMessage(outcome$error))
}

# In a function of its own, so that workers are sent no more than this. What is not begun before the
# deadline is NULL, but for the choice `always`.
piece_worker <- function(specs, task, needs, deadline = Inf, always = NULL) {
  # a promise would take its frame along
  list(specs, task, needs, deadline, always)
  function(piece) {
    evaluate_split(specs[piece$group], task, piece$split, needs, begin = function(i) {
      piece$group[i] %in% always || seconds_now() <= deadline
    })
  }
}

# Choices with the same kernels and features share Gram matrices.
shared_key <- function(state, choices) {
  shared <- vapply(names(state$grid), function(name) {
    place <- find_parameter(state$spec$object, name)
    place$path[1L] %in% c("kernel", "kernel_y", "domain_kernel", "feature_map")
  }, NA)
  if (!any(shared)) return(rep(1L, nrow(choices)))
  choice_keys(choices[, shared, drop = FALSE])
}

# Parameters of the projection change slowest, but its ridges are solved together; numbers grow:
# costs for warm starts.
work_order <- function(state, choices) {
  names <- names(state$grid)
  part <- vapply(names, function(name) {
    where <- find_parameter(state$spec$object, name)
    if (identical(where$part, "learner")) 2L
    else if (isTRUE(found_row(state$spec$object, where)$ridge)) 1L else 0L
  }, integer(1))
  place <- lapply(names[order(part)], function(name) {
    values <- state$grid[[name]]
    if (all(vapply(values, is_number, NA))) unlist(values)[choices[, name]] else choices[, name]
  })
  do.call(order, place)
}

# list(scores by domain, mean, se, seconds, error)
summarise_choice <- function(outcomes, state) {
  errors <- Filter(Negate(is.null), lapply(outcomes, `[[`, "error"))
  seconds <- sum(vapply(outcomes, `[[`, numeric(1), "seconds"), na.rm = TRUE)
  if (length(errors)) return(failed_choice(list(error = errors[[1L]], seconds = seconds)))
  predictions <- do.call(rbind, lapply(outcomes, `[[`, "predictions"))
  scored_choice(score_left_out(predictions, state$metrics), seconds, state)
}

# scores: [domains x metrics]
scored_choice <- function(scores, seconds, state) {
  scores <- stats::setNames(scores[, 1L], rownames(scores))
  share <- train_share(state$splits, task_sizes(state$task))
  list(scores = scores, mean = known_mean(scores),
       se = mean_error(scores, share = share, crossed = crossed_by(state$task, names(scores)))$se,
       seconds = seconds, error = NA_character_)
}

# ---- rows out of memory -----------------------------------------------------------------------
#
# One survey for all combinations. Those that differ in the lambda of a ridge regression share sums
# and the pass that scores; others have their own passes.

#' @exportS3Method
takes_passes.dg_tune_spec <- function(spec) takes_passes(spec$object)

# As row_outcomes().
pass_outcomes <- function(input, shared) function(state, specs, choices, fits) {
  outcomes <- vector("list", length(specs))
  for (group in lambda_groups(specs, fits)) {
    begun <- length(state$results) > 0L || !all(vapply(outcomes, is.null, NA))
    if (begun && seconds_now() > state$deadline) break
    start <- proc.time()[["elapsed"]]
    # the same landmarks for all choices
    scored <- on_error(with_seed(state$seeds[1L],
                                 score_by_passes(specs[group], state, input, shared)),
                       function(e) {
      if (!inherits(e, "domgen_error")) stop(e)
      e
    })
    seconds <- (proc.time()[["elapsed"]] - start) / length(group)
    outcomes[group] <- lapply(seq_along(group), function(i) {
      if (inherits(scored, "error")) failed_choice(list(error = scored, seconds = seconds))
      else scored_choice(scored[[i]]$domains, seconds, state)
    })
  }
  outcomes[fits]
}

# Scores of specifications that differ in lambda, see scores_of_fits().
score_by_passes <- function(specs, state, input, shared) {
  rows <- rows_to_score(specs[[1L]], input, shared)
  fits <- if (length(specs) == 1L) left_out_fits(specs[[1L]], rows, state$splits)
          else left_out_path(specs[[1L]], rows, state$splits,
                             vapply(specs, function(spec) spec$args$lambda, 0))
  scores_of_fits(fits, rows, state$metrics)
}

# Numbers of specifications that differ in nothing but the given lambda of a ridge regression.
lambda_groups <- function(specs, fits) {
  key <- vapply(fits, function(i) {
    spec <- specs[[i]]
    shares <- spec$method == "dg_ridge" && !is.null(spec$args$lambda) &&
      known_of_domains(spec$args$domain_kernel) != "names"
    if (!shares) return(as.character(i))
    spec$args$lambda <- NULL
    value_sum(spec)
  }, "")
  unname(split(fits, factor(key, unique(key))))
}
