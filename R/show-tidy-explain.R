# Tables of what predictors do.

#' @rdname tidy.domgen
#' @export
tidy.dg_importance <- alone(function(x) x$table)

#' @rdname tidy.domgen
#' @export
glance.dg_importance <- alone(function(x) {
  data.frame(metric = x$metric[[1L]]$title, mean = known_mean(x$scores$score),
             predictors = length(x$predictors), permutations = x$permutations,
             domains = nrow(x$scores), fits = x$fits, seconds = x$seconds)
})

#' @rdname tidy.domgen
#' @export
tidy.dg_effect <- alone(function(x) x$average)

#' @rdname tidy.domgen
#' @export
glance.dg_effect <- alone(function(x) {
  data.frame(type = x$type, predictors = length(unique(x$average$predictor)), rows = x$rows,
             averaged = x$averaged, domains = length(unique(x$domains$domain)), refits = x$refits)
})
