# The rows of the MTL paper's tables: a learner on all rows pooled, and with a kernel between the
# domains' mean embeddings, by several feature maps; beside them the model without predictors.

# What is searched, one parameter after the other from the middle of its values on and beyond
# their ends: the defaults of the package are in the middle. Bandwidths are multiples of the median
# distance.
marginal_grids <- list(
  cost = 10^(-1:3), domain_kernel.outer.times = 2^(-2:2), times = 2^(-2:2),
  domain_kernel.kernel.times = 2^(-2:2)
)

# Around what another search has found: the names that both know.
grid_around <- function(found, ratios) {
  Map(function(value, ratio) value * ratio^(-1:1), found[names(ratios)], ratios)
}

# `methods`: a list by name, each list(spec, grid; from, ratios): with `from`, it begins with what
# that earlier method was given, and searches only around the values of `ratios` (none: nothing).
# Parameters are chosen on `searched` with its `folds`; `score(model)` gives the measures and
# `paper(method)` their published values; the score in cross-validation is the measure `cv`, in the
# units of `cv`. The first line is the model that knows no predictors.
marginal_methods <- function(train, score, methods, paper, formula = y ~ . | domain,
                             searched = train, folds = domain_folds(searched$domain, 5),
                             cv = identity) {
  found <- list(lines("null", score(fit(dg_null(), formula, data = train))))
  known <- list()
  for (name in names(methods)) {
    method <- methods[[name]]
    spec <- method$spec
    grid <- method$grid
    chosen <- list(parameters = list(), search_seconds = 0)
    if (!is.null(method$from)) {
      before <- known[[method$from]]$parameters
      chosen$parameters <- before[!grepl("^features", names(before))]
      spec <- domgen:::set_parameters(spec, chosen$parameters)
      grid <- grid_around(before, method$ratios)
    }
    if (length(grid)) {
      set.seed(1)
      new <- choose(spec, formula, searched, grid, folds)
      chosen$parameters[names(new$parameters)] <- new$parameters
      chosen$search_seconds <- new$search_seconds
      chosen$cv <- cv(new$score)
      spec <- domgen:::set_parameters(spec, chosen$parameters)
    }
    known[[name]] <- chosen
    set.seed(1)
    last <- fit_timed(spec, formula, train)
    found <- c(found, list(lines(
      name, c(score(last$model), cv = chosen$cv), paper(name),
      parameters = in_words(chosen$parameters), seconds = last$seconds,
      search_seconds = chosen$search_seconds
    )))
  }
  bind(found)
}

# Error in %, the mean over domains, and the same from an accuracy.
percent_wrong <- function(test) {
  function(model) {
    wrong <- quietly(predict(model, test)) != test$y
    c(error = 100 * mean_by_domain(wrong, test$domain))
  }
}

accuracy_to_error <- function(accuracy) 100 * (1 - accuracy)
