# The rows of the MTL paper's tables: a learner on all rows pooled, and with a kernel between the
# domains' mean embeddings, by several feature maps; beside them the model without predictors.

# What is searched, one parameter after the other from the middle of its values on, and beyond their
# ends: bandwidths from the package's default, the median distance.
marginal_grids <- list(
  cost = 10^(-1:3), domain_kernel.outer.times = 2^(-2:2), times = 2^(-2:2),
  domain_kernel.kernel.times = 2^(-2:2)
)

# `methods`: a list by name, each list(spec, grid), or list(spec, from) for the same kernel by other
# features, with the parameters that were chosen for that earlier method. They are chosen on
# `searched` with its `folds`. `score(model)` gives the measures and `paper(method)` their published
# values; the score in cross-validation, in the units that `cv` makes of it, is the measure cv. The
# first line is the model that knows no predictors.
marginal_methods <- function(train, score, methods, paper, formula = y ~ . | domain,
                             searched = train, folds = domain_folds(searched$domain, 5),
                             cv = identity) {
  found <- list(result_lines("null", score(fit(dg_null(), formula, data = train))))
  known <- list()
  for (name in names(methods)) {
    method <- methods[[name]]
    set.seed(1)
    chosen <- if (is.null(method$from)) choose(method$spec, formula, searched, method$grid, folds)
              else list(parameters = known[[method$from]]$parameters, search_seconds = 0)
    known[[name]] <- chosen
    set.seed(1)
    spec <- with_parameters(method$spec, chosen$parameters)
    last <- fit_timed(spec, formula, train)
    found <- c(found, list(result_lines(
      name, c(score(last$model), cv = if (is.null(method$from)) cv(chosen$score)), paper(name),
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
