# Fitting specifications to some rows and predicting the others: what cross-validation, tuning and
# comparison have in common.

# Every specification on every split: a list of dg_cv. names: of several methods, one of which may
# fail as a whole.
cross_validate <- function(plan, ctx, names = NULL) {
  evaluation <- if (is.null(plan$source)) evaluate_rows(plan, ctx) else evaluate_source(plan, ctx)
  failed <- vapply(evaluation$outcomes, function(outcome) {
    all(vapply(outcome$results, has_failed, NA))
  }, NA)
  # with null models alone there is nothing to compare
  asked <- vapply(plan$specs, function(spec) spec$method != "dg_null", NA)
  asked <- which(asked | !any(asked))
  if (all(failed[asked])) stop(evaluation$outcomes[[asked[1L]]]$results[[1L]]$error)
  runs <- Map(new_cv, plan$specs, evaluation$outcomes, MoreArgs = list(evaluation))
  # it is the domains that lack a class
  warn_no_score(runs[[which(!failed)[1L]]])
  warn_failed(runs, names, if (!is.null(plan$source)) "")
  runs
}

# list(task, folds, metrics, splits, outcomes: of each specification list(results: by split, see
# evaluate_split(); pairs: of fits without two folds), plan: of these pairs, or NULL).
evaluate_rows <- function(plan, ctx) {
  splits <- fold_splits(plan$folds, plan$task)
  pairs <- if (plan$refits) pairs_of_folds(splits, plan$task$domain)
  all <- c(splits, pairs$splits)
  # the same random numbers for all specifications: differences are theirs
  seeds <- stored(ctx, "seeds", draw_seeds(length(all)))
  if (!is.null(plan$task$arms)) {
    repeats <- max(vapply(splits, `[[`, numeric(1), "rep"))
    plan$task$shot_orders <- with_seed(seeds[1L], draw_orders(plan$task$domain, repeats))
  }
  work <- split_worker(plan$specs, plan$task, plan$metrics)
  outcomes <- evaluate_splits(as.list(seq_along(plan$specs)), all, seeds, work, ctx,
                              vapply(plan$specs, function(spec) method_of(spec)$title, ""))
  main <- seq_along(splits)
  list(task = plan$task, folds = plan$folds, metrics = plan$metrics, splits = splits, plan = pairs,
       outcomes = lapply(outcomes, function(results) {
         list(results = results[main], pairs = results[-main])
       }))
}

# Outcomes by specification, each a list by split. groups: numbers of specifications that share
# work; work: list(group, split) to outcomes; labels: what is shown of each group.
evaluate_splits <- function(groups, splits, seeds, work, ctx, labels, round = 0L) {
  pieces <- unlist(lapply(seq_along(groups), function(g) {
    # a group on all splits before the next
    lapply(seq_along(splits), function(k) {
      list(key = paste(round, g, k), group = groups[[g]], split = splits[[k]], seed = seeds[k],
           label = labels[[g]])
    })
  }), recursive = FALSE)
  results <- run_pieces(pieces, work, ctx)
  outcomes <- list()
  for (g in seq_along(groups)) {
    of_group <- results[(g - 1L) * length(splits) + seq_along(splits)]
    outcomes[groups[[g]]] <- lapply(seq_along(groups[[g]]), function(i) lapply(of_group, `[[`, i))
  }
  outcomes
}

# In a function of its own, so that workers are sent no more than this.
split_worker <- function(specs, task, metrics) {
  # a promise would take its frame along
  list(specs, task, metrics)
  recalibrated <- any(task$arms$update %in% recalibrations)
  function(piece) {
    result <- evaluate_split(specs[piece$group], task, piece$split, metrics_need(metrics))[[1L]]
    pair <- !is.null(piece$split$pair)
    # without two folds a class may be missing, or a domain too many
    if (pair && has_failed(result)) return(list(list(error = conditionMessage(result$error))))
    if (has_failed(result)) return(failed_piece(list(result)))
    list(if (!pair) result else c(list(scores = score_left_out(result$predictions, metrics)),
                                  result[c("seconds", "shots", if (recalibrated) "predictions")]))
  }
}

# Fits to the training rows, predicts those held out from their predictors alone: for each
# specification a list(predictions, seconds, warnings, parameters: those that were tuned), or
# list(error, seconds, warnings); NULL where begin(i) says that it is not to be begun.
evaluate_split <- function(specs, task, split, needs, begin = function(i) TRUE) {
  # where it fails, it fails for each
  fold <- on_error(split_fold(specs, task, split), identity)
  held_out <- unique(as.character(task$domain[split$held]))
  lapply(seq_along(specs), function(i) {
    if (!begin(i)) return(NULL)
    attempt(held_out, {
      if (inherits(fold, "error")) stop(fold)
      model <- fit_input(specs[[i]], fold$train, fold$shared)
      predictions <- predict_fold(model, fold, task, needs)
      list(predictions = predictions, parameters = chosen_parameters(model),
           shots = if (!is.null(task$arms)) score_shots(seal(model), task, split, predictions))
    })
  })
}

# What all specifications have in common there: list(train: input of the fits, y: its response;
# shared; new, domain: what is predicted; rows: where it stands, and its truth).
split_fold <- function(specs, task, split) {
  held <- split$held
  list(train = split_input(specs, task, split), shared = new_shared(specs),
       new = as_newdata(take_rows(task$input, held)), domain = task$scored_by[held],
       y = task$y[split$train],
       rows = data.frame(row = task$row[held], domain = task$domain[held], fold = split$fold,
                         rep = split$rep, truth = task$y[held], stringsAsFactors = FALSE))
}

# The held-out rows, with what the model says of them.
predict_fold <- function(model, fold, task, needs) {
  key <- list(describes_domain(model), reads_domain(model), model$blueprint)
  new <- shared_value(fold$shared, "new", key, read_new, model, fold$new, fold$domain, NULL, NULL)
  values <- decide_rows(model, new)
  predictions <- predicted_rows(fold$rows, model, values, fold$new, fold$domain, levels(task$y),
                                needs)
  predictions <- mark_lacking(predictions, lacking_classes(fold$y))
  if (!"interval" %in% needs) return(predictions)
  add_intervals(predictions, model, fold$train, fold$new, fold$domain, task)
}

# The list that the code gives where these domains are held out, or its error, with seconds and
# warnings.
attempt <- function(held_out, code) {
  start <- proc.time()[["elapsed"]]
  outcome <- with_warnings(on_error(holding_out(held_out, code),
                                    function(e) list(error = drop_call(as_memory_error(e)))))
  c(outcome$value, list(seconds = proc.time()[["elapsed"]] - start,
                        warnings = unique(outcome$warnings)))
}

# A call may hold all rows.
drop_call <- function(e) {
  e["call"] <- list(NULL)
  e
}

# Intervals, or sets of classes, that rest on the training rows alone.
add_intervals <- function(predictions, model, train, newdata, domain, task) {
  if (!is.null(model$blueprint$before)) {
    abort("argument", "`metric` must not be of intervals or sets for a workflow: its model alone ",
          "is fitted again for them, without its preprocessing.")
  }
  sample <- read_sample(train, spec_needs(model$spec), spec_scale(model$spec))
  sample$blueprint$structure$held <- task$structure$held
  levels <- levels(task$y)
  model <- keep_intervals(seal(model), NULL, sample)
  ask <- function(...) predict(model, newdata, domain = domain, level = interval_level, ...)
  if (is.null(levels)) {
    predictions[c("lower", "upper")] <- ask(interval = "prediction")[c("lower", "upper")]
  } else {
    predictions$set <- all_classes(ask(type = "set"), levels, FALSE)
  }
  predictions
}

# The fit to the rows outside of a fold, not sealed.
fit_split <- function(spec, task, split) fit_input(spec, split_input(list(spec), task, split))

# A search among these rows is one inside of a call.
split_input <- function(specs, task, split) {
  train <- take_rows(task$input, split$train)
  train$inside <- TRUE
  if (!takes_weights(specs[[1L]])) train$weights <- NULL
  train
}

# Rows (with their truth) and what the model says of them, as measures want it. levels: of classes;
# needs: what the measures do.
score_data <- function(d, model, values, levels, needs) {
  d <- add_responses(d, targets_of(model), values, levels)
  if ("prob" %in% needs) {
    d$prob <- all_classes(respond(targets_of(model, "prob"), values, "prob"), levels, 0)
  }
  d
}

# As score_data(), with the probabilities that a model has, for dg_validate(), and with what takes
# the new data again.
predicted_rows <- function(d, model, values, newdata, domain, levels, needs) {
  if (!is.null(levels) && gives_probabilities(model)) needs <- union(needs, "prob")
  d <- score_data(d, model, values, levels, needs)
  if ("se" %in% needs) d$se <- predictive_sd(model, newdata, domain)
  if ("survival" %in% needs) {
    d$survival <- predict(seal(model), newdata, domain = domain, type = "survival",
                          times = attr(needs, "times"))
  }
  d
}

# Parameters that were selected by the data: list(name = value), or NULL.
chosen_parameters <- function(model) UseMethod("chosen_parameters")

#' @exportS3Method
chosen_parameters.dg_fit <- function(model) model$tuning$best
