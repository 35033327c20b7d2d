#' Leave one domain out in closed form
#'
#' @description
#' How well a fitted model predicts each training domain from the others, without fitting
#' again. With A the regularised Gram matrix of all rows, \eqn{A = K + \lambda C^{-1}}{A = K +
#' lambda C^-1} in [dg_ridge()] and the covariance of the responses in [dg_gp()], and \eqn{\alpha =
#' A^{-1} y}{alpha = A^-1 y}, the residuals of domain g when it is left out are
#' \deqn{y_g - f_{-g}(X_g) = \left[(A^{-1})_{gg}\right]^{-1} \alpha_g}{
#'   y_g - f_-g(X_g) = [(A^-1)_gg]^-1 alpha_g}
#' so that one factorisation serves all domains; in a Gaussian process \eqn{[(A^{-1})_{gg}]^{-1}}{
#' [(A^-1)_gg]^-1} is their covariance (Rasmussen and Williams, 2006, equations 5.10-5.12, for a
#' domain instead of a row). With feature maps, f is fitted for each domain from the sums of
#' the other rows; for [dg_ridge()] a second pass over the rows predicts them.
#'
#' @details
#' Everything that is learned without labels stays as it is: the scaling of the predictors,
#' bandwidths, landmarks and frequencies, which [dg_cv()] learns anew from the other domains.
#' With [domain_distribution()] that is as it should be: the left-out domain's unlabelled rows are
#' known when it is predicted.
#'
#' *Ridge regression.* Everything that is learned from labels is learned from the other
#' domains: the coefficients, the offset and the mean of a numeric response. Exceptions:
#' a `lambda` that was not given (and with it how wide the kernel between domains is) was chosen by
#' all domains' labels; with `domain_weights = "equal"` the costs \eqn{c_i} keep the n/G of all
#' domains, and bandwidths that were fitted (`bandwidths = "fitted"`) have seen all labels, so that
#' the error is then too small. A model with probabilities is judged by the classes of its decision
#' values. When neither applies, and bandwidths are given and predictors not scaled, the result is
#' that of [dg_cv()] to rounding. A model with features has not kept its rows: they are taken from
#' the data of the call by which it was fitted.
#'
#' *New levels.* Rows with a level of a predictor that no other domain has get no value (`NA`), as
#' from [dg_cv()]: their domain has no score, and a warning names column and domain.
#'
#' *Several factors.* Of `| school / class` or `| patient + device` what is left out is each
#' combination, a class or a pair, while other rows of its school, patient and device stay: it is
#' new as a combination only, as `print()` says. [dg_cv()] has `hold_out`.
#'
#' *Rows in blocks.* A ridge regression that was fitted to a [row_source()] has kept the fits
#' without each domain (more than 100 domains: without groups of them, at most 100), so that the
#' root mean squared errors of domains are there. Other metrics, which must be means over rows, and
#' domains in groups take two passes over the source of its call. So do Gaussian processes.
#'
#' *Gaussian processes* keep their parameters and the mean of the response. Parameters that
#' were fitted have seen the domain: [dg_cv()], which fits them anew without it, is the
#' honest estimate; this one costs two inverses. The result has `log_density` for each domain, that
#' of all its responses together.
#'
#' *Generalised linear models.* Of a [dg_glm()] each domain is left out by one
#' Newton step from the fit of all rows (Rahnama Rad and Maleki, 2020, for a row instead of a
#' domain): in closed form as above, with the fit's working responses and weights. The step is not
#' the fit without the domain. By how much it misses is shown for the `refits` largest domains, for
#' which the step is farthest from the fit of all: `difference`, beside `change`, by how much the
#' fit without the domain differs from that with it (root mean squares over the domain's rows, of
#' decision values). Where the first is not much smaller than the second, take [dg_cv()].
#' Of `"multinomial"` each class takes the step by itself, with weights p in the place of p(1 - p),
#' which but for the penalty is the step of all together; of `"ordinal"` the distances between
#' thresholds are those that the other rows ask for at their f.
#' With `family = "cox"` there is no closed form: each domain costs one factorisation of a fit's,
#' instead of four to ten of them.
#'
#' *Ensembles.* Of [dg_ensemble()] with stacked weights the values are cross-fitted, see there. Of
#' one with other weights they are the members' left-out values with these weights. So are those of
#' [dg_auto()], whose members, lambdas and weights all domains have chosen: they are too good, and
#' `print()` and `choice$expected` correct for that. Members other than ridge regressions are fitted
#' again. Of [dg_auto()] on a [row_source()] they are those by which it was scored.
#'
#' @param object A model fitted by [dg_ridge()], [dg_glm()], [dg_gp()], [dg_ensemble()] or
#'   [dg_auto()].
#' @inheritParams dg_cv
#' @param ... Must be empty.
#' @return An object of class `dg_cv`, as [dg_cv()] returns it, with scores by domain and, for rows
#'   in memory, predictions by row. For [dg_glm()] it has `one_step` as well, a row for each domain
#'   that was fitted again. For [dg_gp()] its `domains` have a column `log_density`, the logarithm
#'   of the joint predictive density of the domain's responses of positive weight (for a source of
#'   more than 100 domains: of all those in its fold). The column is missing where sums by domain
#'   would take more than 256 MB.
#' @section Errors:
#' Other models, models made from [feature_sums()], a [dg_glm()] of a source, fewer than two domains
#' (with a positive weight), and data that have changed since a model with features was fitted are
#' errors.
#' @references
#' Rahnama Rad, K. and Maleki, A. (2020). A scalable estimate of the out-of-sample prediction error
#' via approximate leave-one-out cross-validation. *Journal of the Royal Statistical Society B*
#' 82(4), 965-996.
#' @seealso [dg_cv()], [dg_ridge()], [dg_gp()]
#' @examples
#' toy <- simulate_dica(domains = 6, n = 40, seed = 1)
#' model <- dg_ridge(y ~ . | domain, data = toy)
#' dg_lodo(model)
#'
#' # lambda by the error of left-out domains
#' sapply(c(0.1, 1, 10), function(lambda) dg_lodo(update(model, lambda = lambda))$mean)
#'
#' dg_lodo(dg_gp(y ~ . | domain, data = toy, optimise = FALSE))
#' @export
dg_lodo <- function(object, ...) UseMethod("dg_lodo")

#' @exportS3Method
dg_lodo.default <- function(object, ...) {
  check_given(object, "object")
  abort_no_lodo(object)
}

abort_no_lodo <- function(object) {
  abort("argument", "`object` must be a model fitted by `dg_ridge()`, `dg_glm()`, ",
        "`dg_gp()`, `dg_ensemble()` or `dg_auto()`, not ", describe(object), "; `dg_cv()` leaves ",
        "domains out of any other.")
}

#' @rdname dg_lodo
#' @export
dg_lodo.dg_learner <- function(object, metric = NULL, ...) {
  check_no_dots(list(...), "metric")
  check_sealed(object)
  env <- parent.frame()
  if (!has_left_out_values(object)) abort_no_lodo(object)
  if (!is.null(object$rows$sizes)) return(kept_lodo(object, metric, env))
  start <- proc.time()[["elapsed"]]
  sample <- lodo_sample(object, env)
  values <- left_out_values(object, sample)
  metrics <- read_plain_metrics(metric, object$y)
  # probabilities have seen the labels of all domains
  object$calibration <- NULL
  as_cv(object, values, metrics, proc.time()[["elapsed"]] - start)
}

# As cross-validation with a fold per domain gives it.
as_cv <- function(object, values, metrics, seconds) {
  task <- list(y = object$y, domain = object$domain, row = object$rows$kept,
               labels = variable_names(object$blueprint), scored_by = object$domain,
               structure = object$blueprint$structure)
  # combinations are left out, of which several have a level of an outer factor
  if (!is.null(task$structure)) {
    task$around <- shared_levels(task$structure, task$domain, outer_factors(task$structure))
  }
  folds <- assign_folds(levels(object$domain), NULL, "folds")
  predictions <- data.frame(row = task$row, domain = task$domain, fold = as.integer(task$domain),
                            rep = 1L, truth = task$y, stringsAsFactors = FALSE)
  predictions <- add_responses(predictions, targets_of(object), values, levels(task$y))
  splits <- fold_splits(folds, task)
  unknown <- unknown_elsewhere(object$rows$levels, object$domain)
  notes <- if (any(unknown)) report_unknown_levels(object$rows$levels, unknown, object$domain)
  results <- lapply(splits, function(split) {
    list(predictions = predictions[split$held, ], seconds = seconds / length(splits),
         warnings = notes)
  })
  warn_no_score(new_cv(object$spec, list(results = results),
                       list(task = task, folds = folds, metrics = metrics, splits = splits)))
}

# The rows of the fit: list(X scaled, domain, y, weights).
lodo_sample <- function(object, env, X = object$space$X) {
  sample <- list(X = X, domain = object$domain, y = object$y,
                 weights = object$weights, levels = object$rows$levels)
  if (length(object$rows$kept) == 0L) {
    abort("argument", "`object` must be fitted to rows: sums of features do not tell the domains' ",
          "rows apart.")
  }
  if (is.null(sample$X)) sample$X <- read_again(object, env)
  sample
}

# The scaled predictors from the data of the call.
read_again <- function(object, env) {
  input <- training_input(object, env, needed = "fit it to them again, `update(model, data = )`")
  sample <- quietly(read_sample(input, spec_needs(object$spec), "none"))
  apply_scaling(sample$X, object$blueprint$scaling, sample$domain)
}

# ---- ridge regressions of rows that came in blocks ---------------------------------------------
#
# The fit has kept the fits without each set of domains, and the squared errors of each set.

kept_lodo <- function(object, metric, env) {
  if (is.null(object$left_out)) {
    abort("data", "Leaving domains out needs at least 2 domains with a positive weight.")
  }
  start <- proc.time()[["elapsed"]]
  response <- object$response
  metrics <- source_metrics(metric, kind_of_response(response))
  task <- domain_task(list(survey = list(domains = levels(object$domain),
                                         sizes = object$rows$sizes),
                           sample = list(blueprint = object$blueprint)))
  splits <- Map(function(held, k) {
    list(held = held, fold = k, rep = 1, train = setdiff(task$row, held))
  }, object$left_out$sets, seq_along(object$left_out$sets))
  alone <- all(lengths(object$left_out$sets) == 1L) && !object$rows$weighted
  scores <- if (alone && identical(names(metrics), "rmse")) {
    fits <- new_fits(list(list(scorers = list(kept_scorer(object, splits)))), splits)
    mean_scores(squares_of_fits(fits, task$sizes)$total, response$scale, metrics,
                list(sizes = task$sizes, domains = levels(task$domain)))
  } else score_again(object, metrics, splits, env)
  folds <- fold_places(splits, task$n)
  folds <- structure(stats::setNames(folds, levels(task$domain)), class = "domgen_folds")
  seconds <- (proc.time()[["elapsed"]] - start) / length(splits)
  results <- lapply(splits, function(split) list(seconds = seconds))
  warn_no_score(new_cv(object$spec, list(results = results, scores = scores),
                       list(task = task, folds = folds, metrics = metrics, splits = splits)))
}

# What stands for responses that are not kept where only their kind is asked.
kind_of_response <- function(response) {
  if (response$kind == "class") factor(response$levels, response$levels) else 0
}

# See score-passes-fits.R.
kept_scorer <- function(object, splits, table = NULL) {
  left <- object$left_out
  G <- length(object$domain)
  at <- fold_places(splits, G)
  list(rep = 1, fits = length(splits), at = at, space = object$space, table = table,
       coefficients = left$coefficients, intercept = left$intercept,
       errors = if (is.null(dim(left$errors))) matrix(left$errors[at]),
       m = length(left$intercept) / length(splits),
       models = list(object["response"]))
}

# With a survey, for the rows of each domain, and a pass over the rows.
score_again <- function(object, metrics, splits, env) {
  input <- training_input(object, env, needed = "fit it again")
  what <- list("dg_lodo", object$spec, object$formula, names(metrics), object$left_out$intercept)
  over_source(input$source, what, function(source) {
    input$source <- source
    rows <- quietly(rows_to_score(object$spec, input))
    survey <- rows$survey
    if (!identical(survey$domains, levels(object$domain)) ||
          !identical(survey$sizes, object$rows$sizes)) {
      abort("data", "`object` must be fitted to the source that its call names: it has changed.")
    }
    rows$reading$scaling <- object$blueprint$scaling
    scorer <- kept_scorer(object, splits, rows_table(rows, object$space))
    scorer["errors"] <- list(NULL)
    scores_of_fits(new_fits(list(list(scorers = list(scorer))), splits), rows, metrics)[[1L]]
  })
}
