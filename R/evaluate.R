# Fitting specifications to some rows and predicting the others: what cross-validation, tuning and
# comparison have in common.

# Every specification on every split, and with refits on what is left without two folds, for the
# standard errors: a list of dg_cv.
cross_validate <- function(specs, task, folds, metrics, refits, progress) {
  splits <- fold_splits(folds, task)
  plan <- if (refits) pairs_of_folds(splits, task$domain)
  all <- c(splits, plan$splits)
  # the same random numbers for all specifications: differences are theirs
  seeds <- stored("seeds", draw_seeds(length(all)))
  pieces <- unlist(lapply(seq_along(specs), function(s) {
    lapply(seq_along(all), function(k) {
      list(key = paste(s, k), spec = s, split = all[[k]], seed = seeds[k],
           label = specs[[s]]$parts$title)
    })
  }), recursive = FALSE)
  results <- run_pieces(pieces, split_worker(specs, task, metrics), progress)
  main <- seq_along(splits)
  runs <- Map(function(spec, own) {
    new_cv(spec, task, folds, metrics, splits, own[main], plan, own[-main])
  }, unname(specs), split(results, rep(seq_along(specs), each = length(all))))
  # it is the domains that lack a class
  warn_no_score(runs[[1L]])
  unname(runs)
}

# In a function of its own, so that workers are sent no more than this.
split_worker <- function(specs, task, metrics) {
  # a promise would take its frame along
  list(specs, task, metrics)
  function(piece) {
    found <- evaluate_split(specs[piece$spec], task, piece$split, metrics_need(metrics))[[1L]]
    pair <- !is.null(piece$split$pair)
    # without two folds a class may be missing, or a domain too many: the scores are not lost for it
    if (pair && inherits(found$error, "domgen_error")) {
      return(list(error = conditionMessage(found$error)))
    }
    if (!is.null(found$error)) stop(found$error)
    if (!pair) return(found)
    list(domains = score_domains(found$predictions, metrics), seconds = found$seconds)
  }
}

# Fits to the training rows, predicts those held out from their predictors alone: for each
# specification a list(predictions, seconds, warnings, parameters: those that were tuned), or
# list(error, seconds, warnings); NULL where begin(i) says that it is not to be begun.
evaluate_split <- function(specs, task, split, needs, begin = function(i) TRUE) {
  predicted <- predict_split(specs, task, split, needs)
  held_out <- unique(as.character(task$domain[split$held]))
  lapply(seq_along(specs), function(i) {
    if (!begin(i)) return(NULL)
    start <- proc.time()[["elapsed"]]
    found <- with_warnings(on_error(holding_out(held_out, predicted[[i]]()),
                                    function(e) list(error = e)))
    c(found$value, list(seconds = proc.time()[["elapsed"]] - start,
                        warnings = unique(found$warnings)))
  })
}

# Functions that do so, one a specification.
predict_split <- function(specs, task, split, needs) {
  train <- take_rows(task$input, split$train)
  if (!takes_weights(specs[[1L]])) train$weights <- NULL
  fits <- fit_inputs(specs, train)
  newdata <- as_newdata(take_rows(task$input, split$held))
  domain <- task$domain[split$held]
  new <- remembering(function(key, model) read_new(model, newdata, domain, NULL, NULL))
  rows <- data.frame(row = task$row[split$held], domain = domain, fold = split$fold,
                     rep = split$rep, truth = task$y[split$held], stringsAsFactors = FALSE)
  lapply(fits, function(fit) function() {
    model <- fit()
    values <- decide_rows(model, new(list(judges_domain(model), model$blueprint), model))
    predictions <- add_responses(rows, model, values, levels(task$y))
    if ("prob" %in% needs) {
      predictions$prob <- all_classes(respond(model, values, "prob"), levels(task$y), 0)
    }
    if ("se" %in% needs) predictions$se <- predictive_sd(model, newdata, domain)
    list(predictions = predictions, parameters = chosen_parameters(model))
  })
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
  found <- predict(seal(object), newdata, domain = domain, se.fit = TRUE)
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
