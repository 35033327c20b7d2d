# Fitting, with what a specification leaves open chosen by domain on the training data.

# Warnings say that a projection has fewer useful components than asked for, and the like: in a
# table of hundreds of fits they are noise.
quietly <- function(...) suppressWarnings(...)

# The values of `grid` with the best score on held-out training domains: list(parameters, score,
# search_seconds).
choose <- function(spec, formula, train, grid = NULL, folds = NULL, metric = NULL, ...) {
  seconds <- system.time(
    tuned <- quietly(dg_tune(spec, formula, data = train, grid = grid, folds = folds,
                             metric = metric, search = "coordinate", progress = FALSE, ...))
  )[["elapsed"]]
  list(parameters = tuned$tuning$best, score = tuned$tuning$table$mean[tuned$tuning$chosen],
       search_seconds = seconds)
}

# parameters: a named list, as choose() gives.
with_parameters <- function(spec, parameters) do.call(stats::update, c(list(spec), parameters))

fit_timed <- function(spec, formula, train, weights = NULL) {
  seconds <- system.time(quietly({
    model <- if (is.null(weights)) fit(spec, formula, data = train)
             else fit(spec, formula, data = train, weights = weights)
  }))[["elapsed"]]
  list(model = model, seconds = seconds)
}
