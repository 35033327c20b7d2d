# Fitting specifications to some rows and predicting the others: what cross-validation, tuning and
# comparison have in common.

# Every specification on every split, and with refits on what is left without two folds, for the
# standard errors; finish(list of dg_cv, ...) makes the result.
cross_validate <- function(specs, task, folds, metrics, refits, progress, finish, ...) {
  splits <- fold_splits(folds, task)
  plan <- if (refits) pairs_of_folds(splits, task$domain)
  all <- c(splits, plan$splits)
  seeds <- draw_seeds(length(all))
  # the same random numbers for all specifications: differences are theirs
  pieces <- unlist(lapply(seq_along(specs), function(s) {
    lapply(seq_along(all), function(k) {
      list(spec = s, split = all[[k]], seed = seeds[k], label = spec_title(specs[[s]]))
    })
  }), recursive = FALSE)
  work <- split_worker(specs, task, metrics)
  of <- vapply(pieces, `[[`, integer(1), "spec")
  main <- seq_along(splits)
  run_pieces(pieces, work, function(results) {
    runs <- lapply(seq_along(specs), function(s) {
      own <- results[of == s]
      new_cv(specs[[s]], task, folds, metrics, splits, own[main], plan, own[-main])
    })
    # it is the domains that lack a class
    warn_no_score(runs[[1L]])
    finish(runs, ...)
  }, progress)
}

# In a function of its own, so that workers are sent no more than this.
split_worker <- function(specs, task, metrics) {
  # a promise would take its frame along
  list(specs, task, metrics)
  function(piece) {
    spec <- specs[[piece$spec]]
    if (!is.null(piece$split$pair)) return(evaluate_pair(spec, task, piece$split, metrics))
    evaluate_split(spec, task, piece$split, metrics_need(metrics), fit_memo = NULL)
  }
}

# list(domains: scores, seconds), or what is wrong: list(error). Without two folds a class may be
# missing, or a domain too many; the scores themselves are not lost for that.
evaluate_pair <- function(spec, task, split, metrics) {
  tryCatch({
    found <- evaluate_split(spec, task, split, metrics_need(metrics), fit_memo = NULL)
    list(domains = score_domains(found$predictions, metrics), seconds = found$seconds)
  }, domgen_error = function(e) list(error = conditionMessage(e)))
}

spec_title <- function(spec) spec$parts$title

# Fits to the training rows, predicts those held out from their predictors alone: list(
#   predictions, seconds, warnings, parameters: those that were tuned).
evaluate_split <- function(spec, task, split, needs, fit_memo) {
  warnings <- character()
  start <- proc.time()[["elapsed"]]
  values <- withCallingHandlers(
    tryCatch(fit_and_predict(spec, task, split, needs, fit_memo), domgen_error = function(e) {
      held_out <- unique(as.character(task$domain[split$held]))
      abort("fold", "With ", if (length(held_out) == 1L) "domain " else "domains ",
            enumerate(held_out, quote = "\""), " held out: ", conditionMessage(e))
    }),
    domgen_warning = function(w) {
      warnings <<- c(warnings, conditionMessage(w))
      invokeRestart("muffleWarning")
    }
  )
  c(values, list(seconds = proc.time()[["elapsed"]] - start, warnings = unique(warnings)))
}

fit_and_predict <- function(spec, task, split, needs, fit_memo) {
  domain <- task$domain[split$held]
  known <- fit_memo[["known"]]
  if (is.null(known)) {
    train <- recall(fit_memo, "train", split$train, take_rows(task$input, split$train))
    if (!takes_weights(spec)) train$weights <- NULL
    model <- fit_input(spec, train, fit_memo)
    test <- recall(fit_memo, "test", split$held, take_rows(task$input, split$held))
    newdata <- as_newdata(test)
    values <- decide_rows(model, recall(
      fit_memo, "new", list(split$held, judges_domain(model), model$blueprint),
      read_new(model, newdata, domain, NULL, NULL)
    ))
  } else {
    model <- known$model
    values <- known$values
  }
  predictions <- data.frame(row = task$row[split$held], domain = domain, fold = split$fold,
                            rep = split$rep, truth = task$y[split$held], stringsAsFactors = FALSE)
  predictions <- add_responses(predictions, model, values, levels(task$y))
  if ("prob" %in% needs) {
    predictions$prob <- all_classes(respond(model, values, "prob"), levels(task$y), 0)
  }
  if ("se" %in% needs) predictions$se <- predictive_sd(model, newdata, domain)
  list(predictions = predictions, parameters = chosen_parameters(model))
}

# What the data chose: list(name = value), or NULL.
chosen_parameters <- function(model) UseMethod("chosen_parameters")

#' @exportS3Method
chosen_parameters.dg_fit <- function(model) model$tuning$best

#' @exportS3Method
chosen_parameters.dg_auto <- function(model) {
  table <- model$choice$table
  members <- describe_candidates(table[table$member %in% TRUE, ])
  c(model$tuning$best, list(chosen = paste(members, collapse = "; ")))
}

add_responses <- function(predictions, model, values, levels) {
  prediction <- respond(model, values, model$response$kind)
  predictions$prediction <- if (is.null(levels)) prediction
                            else factor(as.character(prediction), levels = levels)
  decision <- respond(model, values, "decision")
  predictions$decision <- if (length(levels) <= 2L) decision else {
    if (!is.matrix(decision)) {
      # of two of them
      decision <- matrix(c(-decision, decision), ncol = 2L,
                         dimnames = list(NULL, model$response$levels))
    }
    all_classes(decision, levels, -Inf)
  }
  predictions
}

# A class that the training domains lacked has probability 0, and the lowest decision value.
all_classes <- function(columns, levels, lacking) {
  full <- matrix(lacking, nrow(columns), length(levels), dimnames = list(NULL, levels))
  full[, colnames(columns)] <- columns
  full
}

# Standard deviation of the response of new rows.
predictive_sd <- function(object, newdata, domain) UseMethod("predictive_sd")

#' @exportS3Method
predictive_sd.dg_gp <- function(object, newdata, domain) {
  found <- predict(object, newdata, domain = domain, se.fit = TRUE)
  sqrt(found$se.fit^2 + found$residual.scale^2)
}

#' @exportS3Method
predictive_sd.dg_chain <- function(object, newdata, domain) {
  if (!inherits(object$learner, "dg_gp")) return(predictive_sd(object$learner, newdata, domain))
  predictive_sd.dg_gp(object, newdata, domain)
}

# That of the training response.
#' @exportS3Method
predictive_sd.dg_null <- function(object, newdata, domain) {
  rep(weighted_sd(object$y - weighted_mean(object$y, object$weights), object$weights),
      NROW(newdata))
}
