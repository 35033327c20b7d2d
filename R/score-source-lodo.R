# lodo() of ridge regressions of rows that come in blocks: the fit has kept the fits without each
# set of domains, and the squared errors of each set.

lodo_source <- function(object, metric, env) {
  if (is.null(object$left_out)) {
    abort("data", "Leaving domains out needs at least 2 domains with a positive weight.")
  }
  start <- proc.time()[["elapsed"]]
  response <- object$response
  metrics <- source_metrics(metric, kind_of_response(response))
  splits <- Map(function(held, k) list(held = held, fold = k, rep = 1), object$left_out$sets,
                seq_along(object$left_out$sets))
  task <- model_task(object)
  splits <- lapply(splits, function(s) c(s, list(train = setdiff(task$row, s$held))))
  alone <- all(lengths(object$left_out$sets) == 1L) && !object$rows$weighted
  scores <- if (alone && identical(names(metrics), "rmse")) {
    fits <- new_fits(list(list(scorers = list(kept_scorer(object, splits)))), splits)
    mean_scores(squares_of_fits(fits, task$sizes)$total, response$scale, metrics, task$sizes)
  } else score_again(object, metrics, splits, env)
  folds <- fold_places(splits, task$n)
  folds <- structure(stats::setNames(folds, levels(task$domain)), class = "domgen_folds")
  warn_no_score(new_source_cv(object$spec, task, folds, metrics, splits, list(), scores,
                              proc.time()[["elapsed"]] - start))
}

# What stands for responses that are not kept where only their kind is asked.
kind_of_response <- function(response) {
  if (response$kind == "class") factor(response$levels, response$levels) else 0
}

model_task <- function(object) {
  new_domain_task(levels(object$domain), object$rows$sizes, object$blueprint)
}

# See score-source-fits.R.
kept_scorer <- function(object, splits, table = NULL) {
  left <- object$left_out
  G <- length(object$domain)
  at <- fold_places(splits, G)
  list(rep = 1, fits = length(splits), at = at, product = object$product, table = table,
       coefficients = left$coefficients, offset = left$offset,
       errors = if (is.null(dim(left$errors))) matrix(left$errors[at]),
       m = length(left$offset) / length(splits),
       models = list(structure(list(response = object$response), class = "dg_learner")))
}

# With a survey, for the rows of each domain, and a pass over the rows.
score_again <- function(object, metrics, splits, env) {
  input <- training_input(object, env, needed = "fit it again")
  what <- list("lodo", object$spec, object$formula, names(metrics), object$left_out$offset)
  over_source(input$source, what, function(source) {
    input$source <- source
    rows <- quietly(cv_stage(object$spec, input))
    survey <- rows$survey
    if (!identical(survey$domains, levels(object$domain)) ||
          !identical(survey$sizes, object$rows$sizes)) {
      abort("data", "`object` must be fitted to the source that its call names: it has changed.")
    }
    rows$reading$scaling <- object$blueprint$scaling
    scorer <- kept_scorer(object, splits, rows_table(rows, object$product))
    scorer["errors"] <- list(NULL)
    scores_of_fits(new_fits(list(list(scorers = list(scorer))), splits), rows, metrics)[[1L]]
  })
}
