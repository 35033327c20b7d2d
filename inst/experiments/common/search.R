# Fitting, with what a specification leaves open chosen by domain on the training data.

# Warnings say that a projection has fewer useful components than asked for, and the like: in a
# table of hundreds of fits they are noise.
quietly <- function(...) suppressWarnings(...)

# Seconds of an expression. A collection of garbage before each of many small fits would take half
# of the time.
elapsed <- function(expr) system.time(expr, gcFirst = FALSE)[["elapsed"]]

# The values of `grid` with the best score on held-out training domains: list(parameters, score,
# search_seconds).
choose <- function(spec, train, grid, folds = NULL, ...) {
  seconds <- elapsed(
    tuned <- dg_tune(spec, y ~ . | domain, data = train, grid = grid, folds = folds,
                     search = "coordinate", progress = FALSE, ...)
  )
  list(parameters = tuned$tuning$best, score = tuned$tuning$table$mean[tuned$tuning$chosen],
       search_seconds = seconds)
}

nothing_chosen <- list(search_seconds = 0)

fit_timed <- function(spec, train, ...) {
  seconds <- elapsed(model <- fit(spec, y ~ . | domain, data = train, ...))
  list(model = model, seconds = seconds)
}

# Seconds of processor time of an expression: the median of so many measurements, each the mean of
# as many evaluations as take `least` seconds.
user_seconds <- function(expr, of = 3, least = 0.1) {
  expr <- substitute(expr)
  caller <- parent.frame()
  once <- function(times) system.time(for (i in seq_len(times)) eval(expr, caller))[["user.self"]]
  times <- max(1, ceiling(least / max(once(1), 1e-3)))
  stats::median(replicate(of, once(times) / times))
}

# Lines of the model that knows no predictors. `score(model)` gives the measures, here and below.
null_lines <- function(train, score) {
  result_lines("null", score(fit(dg_null(), y ~ . | domain, data = train)))
}

# Lines of `spec` with the parameters of `chosen`, what choose() gives, fitted to `train`. `cv`
# makes the measure cv of the score in cross-validation. `...`: weights, if it has any.
fitted_lines <- function(name, spec, train, score, paper = NULL, chosen = nothing_chosen,
                         cv = function(score) NULL, ...) {
  spec <- do.call(stats::update, c(list(spec), chosen$parameters))
  last <- fit_timed(spec, train, ...)
  result_lines(name, c(score(last$model), cv = cv(chosen$score)), paper,
               parameters = in_words(chosen$parameters), seconds = last$seconds,
               search_seconds = chosen$search_seconds)
}

# Lines of the null model and of `methods`, a list by name, each list(spec, ...) with
#   grid     values of what is chosen; without it, nothing is
#   chooser  a cheaper specification in which it is chosen
#   from     instead, an earlier method whose parameters are taken
#   paper    published values of the measures
# Parameters are chosen on `searched` with its `folds`. `seed` is set before each search and fit;
# `cv` as above.
method_lines <- function(train, score, methods, searched = train, folds = NULL, seed = NULL,
                         cv = function(score) NULL) {
  restart <- function() if (!is.null(seed)) set.seed(seed)
  known <- list()
  chosen_for <- function(method) {
    if (!is.null(method$from)) return(c(known[[method$from]]["parameters"], nothing_chosen))
    if (is.null(method$grid)) return(nothing_chosen)
    choose(if (is.null(method$chooser)) method$spec else method$chooser, searched, method$grid,
           folds)
  }
  found <- list(null_lines(train, score))
  for (name in names(methods)) {
    method <- methods[[name]]
    restart()
    known[[name]] <- chosen_for(method)
    restart()
    found <- c(found, list(fitted_lines(name, method$spec, train, score, method$paper,
                                        known[[name]], cv)))
  }
  bind(found)
}
