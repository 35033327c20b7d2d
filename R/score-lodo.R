#' Held-out domains in closed form
#'
#' @description
#' `dg_cv(model)` scores a fitted model on each training domain, predicted from the others, without
#' fitting again, if the model was fitted by [dg_ridge()], [dg_glm()], [dg_gp()], [dg_ensemble()] or
#' [dg_auto()] and nothing is asked that needs fits: other data, `folds`, `refits`, `hold_out`,
#' `shots`, or a `metric` of intervals, of densities, of survival probabilities or of calibrated
#' probabilities. `refit = TRUE` fits it again without each domain, `refit = FALSE` gives the closed
#' form or an error that says why there is none, and `print()` says which of the two was done. By
#' default models of [dg_tune()] are refitted, with their search, and so are those of several domain
#' factors, see "Several factors".
#'
#' With A the regularised Gram matrix of all rows (\eqn{A = K + \lambda C^{-1}}{A = K + lambda C^-1}
#' in [dg_ridge()], the covariance of the responses in [dg_gp()]) and \eqn{\alpha = A^{-1} y}{alpha
#' = A^-1 y}, the residuals of domain g without it in training are
#' \deqn{y_g - f_{-g}(X_g) = \left[(A^{-1})_{gg}\right]^{-1} \alpha_g}{
#'   y_g - f_-g(X_g) = [(A^-1)_gg]^-1 alpha_g}
#' so one factorisation serves all domains. In a Gaussian process \eqn{[(A^{-1})_{gg}]^{-1}}{
#' [(A^-1)_gg]^-1} is their covariance (Rasmussen and Williams, 2006, equations 5.10-5.12, for a
#' domain instead of a row). With feature maps, f is fitted for each domain from the sums of the
#' other rows.
#'
#' @details
#' **Learned without labels, from all domains:** scaling of the predictors, bandwidths, landmarks
#' and frequencies, which `refit = TRUE` learns again from the other domains. With
#' [domain_distribution()], the unlabelled rows of the held-out domain describe it, as they do in
#' prediction.
#'
#' **Ridge regression.** Coefficients, intercept and mean of a numeric response are learned from the
#' other domains. Exceptions, in which scores are optimistic: a `lambda` that was not given (and the
#' bandwidth of the domain kernel, if selected with it) was selected with the labels of all domains;
#' so were fitted bandwidths (`bandwidths = "fitted"`). With `domain_weights = "equal"` the costs
#' \eqn{c_i} keep the n/G of all domains. Without these exceptions, with given bandwidths and
#' unscaled predictors, the result equals that of `refit = TRUE` to rounding. A model with
#' probabilities is scored by the classes of its decision values. A model with a feature map does
#' not keep its rows: they are read again from the data of its call.
#'
#' **Gaussian processes** keep their parameters and the mean of the response. Parameters that were
#' fitted used the labels of the held-out domain, so scores are optimistic; `refit = TRUE` fits them
#' again. The cost is two inverses. `log_density` is that of all responses of a domain together.
#'
#' **Generalised linear models.** Each domain is held out by one Newton step from the fit to all
#' rows (Rahnama Rad and Maleki, 2020, for a domain instead of a row), in closed form with the
#' working responses and weights of the fit. The step approximates the fit without the domain. For
#' the two largest domains, for which the step is least accurate, the model is fitted again without
#' the domain. `one_step` compares decision values in the domain's rows with those of this fit (root
#' mean squares): `difference` is the deviation of the step, `change` that of the fit to all rows.
#' If `difference` is not much smaller than `change`, use `refit = TRUE`. For `"multinomial"` the
#' step is separate for each class, with weights p instead of p(1 - p); it equals the joint step
#' except for the penalty. For `"ordinal"` the distances between thresholds are fitted to the other
#' rows. For `family = "cox"` there is no closed form: each domain costs one factorisation, where a
#' fit costs four to ten.
#'
#' **Ensembles.** The values of [dg_ensemble()] with stacked weights are cross-fitted, see there;
#' with other weights they are the weighted held-out values of the members. So are those of
#' [dg_auto()], whose members, lambdas and weights were selected on all domains: their scores are
#' optimistic, and `print()` and `choice$expected` give a corrected score. Members other than ridge
#' regressions are fitted again. For [dg_auto()] with a [row_source()] the result is
#' `choice$scored`.
#'
#' **New levels.** Rows with a level of a predictor that no other domain has are not predicted
#' (`NA`), as by fits without their domain: it has no score, and a warning names column and domain.
#'
#' **Several factors.** With `| school / class` or `| patient + device` each combination is held
#' out, while other rows of its school, patient or device stay in training: it is new as a
#' combination only, as `print()` says. Fits hold out whole levels, see `hold_out` of [dg_cv()]: by
#' default such models are fitted again.
#'
#' **Rows out of memory.** The model may be fitted to a [row_source()], see its section "Fit and
#'   score".
#'
#' **Result.** For [dg_glm()] it also has `one_step`, a data frame with a row for each domain that
#' was fitted again (`domain`, `rows`, `difference`, `change`). For [dg_gp()] its `domains` have a
#' column `log_density`, the log of the joint predictive density of the domain's responses of
#' positive weight (for a source of more than 100 domains: of all in its group), unless sums by
#' domain would take more than 256 MB. For rows out of memory it has no `predictions`.
#' @section Errors:
#' Models made from [feature_sums()], fewer than two domains with a positive weight, and data that
#' have changed since a model with a feature map was fitted.
#' @references
#' Rahnama Rad, K. and Maleki, A. (2020). A scalable estimate of the out-of-sample prediction error
#' via approximate leave-one-out cross-validation. *Journal of the Royal Statistical Society B*
#' 82(4), 965-996.
#' @seealso [dg_cv()], [dg_ridge()], [dg_gp()]
#' @examples
#' toy <- simulate_dica(domains = 6, n = 40, seed = 1)
#' model <- dg_ridge(y ~ . | domain, data = toy)
#' dg_cv(model)
#' dg_cv(model, refit = TRUE)
#'
#' # the error on held-out domains by lambda
#' sapply(c(0.1, 1, 10), function(lambda) dg_cv(update(model, lambda = lambda))$mean)
#'
#' dg_cv(dg_gp(y ~ . | domain, data = toy, optimise = FALSE))
#' @name closed_form
NULL

# Does dg_cv() fit again? asked: its arguments, by name, that a closed form does not answer.
read_refit <- function(refit, object, asked, metric) {
  if (inherits(object, "dg_fit")) check_sealed(object)
  if (!is.null(refit) && check_flag(refit, "refit")) return(TRUE)
  why <- why_refit(object, asked, metric)
  if (!is.null(refit) && !is.null(why)) {
    abort("argument", "`refit` must be TRUE or NULL: there is no closed form ", why, ".")
  }
  if (!is.null(why) || !is.null(refit)) return(!is.null(why))
  # the search is a part of the method, and the closed form holds out no level of several factors
  inherits(object, "dg_tuned") || !is.null(object$blueprint$structure)
}

# NULL where domains can be held out in closed form.
why_refit <- function(object, asked, metric) {
  if (!has_closed_form(object)) {
    return(paste0("of ", describe(object), ", but of models fitted by `dg_ridge()`, `dg_glm()`, ",
                  "`dg_gp()`, `dg_ensemble()` or `dg_auto()`"))
  }
  if (length(asked)) return(paste0("with `", asked[1L], "`"))
  if (!is.null(object$rows$sizes) && is.null(object$left_out) && is.null(object$choice$scored)) {
    return("of this fit to a source, which keeps no fits without each domain")
  }
  # a calibration used the labels of all domains
  object$calibration <- NULL
  given <- if (gives_probabilities(object)) "prob"
  y <- if (is.null(object$y)) kind_of_response(object$response) else object$y
  if (length(setdiff(metrics_need(read_metrics(metric, y)), given))) {
    "with a `metric` of more than predictions, decision values and probabilities of the model"
  }
}

# The result of dg_cv() in closed form. env: where the data of the model's call are.
closed_cv <- function(object, metric = NULL, env = parent.frame()) UseMethod("closed_cv")

has_closed_form <- function(object) {
  any(vapply(paste0("closed_cv.", class(object)), exists, NA, envir = topenv(), inherits = FALSE))
}

#' @exportS3Method
closed_cv.dg_ridge <- function(object, metric = NULL, env = parent.frame()) {
  if (!is.null(object$rows$sizes)) return(kept_lodo(object, metric, env))
  start <- proc.time()[["elapsed"]]
  values <- left_out_values(object, lodo_sample(object, env))
  object$calibration <- NULL
  cv_of_values(object, values, read_metrics(metric, object$y), start)
}

# Of a fitted model: was it fitted again?
say_refit <- function(cv, refit) {
  cv$refit <- refit
  how <- if (refit) "the model fitted again without them" else "in closed form"
  cv$held_out <- paste(cv$held_out, how, sep = ", ")
  cv
}

# The result in the form of cross-validation. outcome: see new_cv(); start: when it began.
as_cv <- function(object, outcome, task, folds, splits, metrics, start) {
  outcome$seconds <- proc.time()[["elapsed"]] - start
  cv <- warn_no_score(new_cv(object$spec, outcome, list(task = task, folds = folds,
                                                        metrics = metrics, splits = splits)))
  cv <- say_refit(cv, FALSE)
  warn_failed(list(cv), then = "")
  cv
}

# The same of held-out decision values, with a fold per domain. failed: errors of the domains that
# could not be held out, by number.
cv_of_values <- function(object, values, metrics, start, failed = list()) {
  task <- list(y = object$y, domain = object$domain, row = object$rows$kept,
               labels = variable_names(object$blueprint), scored_by = object$domain,
               structure = object$blueprint$structure, weighted = have_weights(object$weights))
  # combinations are held out; several may have the same level of an outer factor
  if (!is.null(task$structure)) {
    task$around <- shared_levels(task$structure, task$domain, outer_factors(task$structure))
  }
  folds <- assign_folds(levels(object$domain), NULL)
  predictions <- data.frame(row = task$row, domain = task$domain, fold = as.integer(task$domain),
                            rep = 1L, truth = task$y, stringsAsFactors = FALSE)
  predictions <- score_data(predictions, object, values, levels(task$y),
                            if (gives_probabilities(object)) "prob")
  splits <- fold_splits(folds, task)
  unknown <- unknown_elsewhere(object$rows$levels, object$domain)
  notes <- if (any(unknown)) report_unknown_levels(object$rows$levels, unknown, object$domain)
  if (length(failed) == length(splits)) stop(failed[[1L]])
  results <- lapply(splits, function(split) {
    error <- failed[[as.character(split$fold)]]
    c(list(warnings = notes), if (!is.null(error)) list(error = drop_call(error)) else {
      list(predictions = mark_lacking(predictions[split$held, ],
                                      lacking_classes(task$y[split$train])))
    })
  })
  as_cv(object, list(results = results), task, folds, splits, metrics, start)
}

# The rows of the fit: list(X scaled, domain, y, weights).
lodo_sample <- function(object, env, X = object$space$X) {
  sample <- list(X = X, domain = object$domain, y = object$y,
                 weights = object$weights, levels = object$rows$levels)
  if (length(object$rows$kept) == 0L) {
    abort("argument", "`object` must be fitted to rows: sums of features do not have the ",
          "domain of each row.")
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

# ---- ridge regressions fitted out of memory ----------------------------------------------------
#
# They keep the fits without each set of domains, and the squared errors of each set.

kept_lodo <- function(object, metric, env) {
  start <- proc.time()[["elapsed"]]
  # what is known of the rows
  seen <- list(survey = c(list(domains = levels(object$domain)),
                          object$rows[c("sizes", "weighted")]),
               sample = list(blueprint = object$blueprint, y = kind_of_response(object$response)))
  metrics <- source_metrics(metric, seen$sample$y)
  check_metrics_fit(metrics, object$spec, NULL)
  task <- domain_task(seen)
  sets <- object$left_out$sets
  folds <- stats::setNames(rep(seq_along(sets), lengths(sets))[order(unlist(sets))],
                           levels(task$domain))
  folds <- structure(folds, class = "domgen_folds")
  splits <- fold_splits(folds, task)
  alone <- all(lengths(sets) == 1L) && !task$weighted && identical(names(metrics), "rmse")
  scores <- if (!alone) score_again(object, metrics, splits, env) else {
    errors <- matrix(object$left_out$errors[fold_places(splits, task$n)])
    scores_of_fits(kept_fits(object, splits, errors = errors), seen, metrics)[[1L]]
  }
  as_cv(object, list(scores = scores), task, folds, splits, metrics, start)
}

# A stand-in for responses that are not kept, if only their kind is needed.
kind_of_response <- function(response) {
  if (response$kind == "class") factor(response$levels, response$levels) else 0
}

# The fits without each domain that a model keeps, as left_out_fits() gives them.
kept_fits <- function(object, splits, table = NULL, errors = NULL) {
  left <- object$left_out
  scorer <- list(rep = 1, fits = length(splits), at = fold_places(splits, length(object$domain)),
                 space = object$space, table = table, coefficients = left$coefficients,
                 intercept = left$intercept, errors = errors,
                 m = length(left$intercept) / length(splits), models = list(object["response"]))
  new_fits(list(list(scorers = list(scorer))), splits, object$response$scale)
}

# The scores by a survey, which says the rows of each domain, and a pass over the rows.
score_again <- function(object, metrics, splits, env) {
  input <- training_input(object, env, needed = "fit it again")
  words <- function(input) {
    c(fit_words(object$spec, input), list("closed_cv", names(metrics), splits))
  }
  over_input(input, words, function(input, ctx) {
    rows <- quietly(rows_to_score(object$spec, input))
    survey <- rows$survey
    if (!identical(survey$domains, levels(object$domain)) ||
          !identical(survey$sizes, object$rows$sizes)) {
      abort("data", "The source in the call of `object` has changed since the fit. Fit it again.")
    }
    rows$reading$scaling <- object$blueprint$scaling
    fits <- kept_fits(object, splits, rows_table(rows, object$space))
    scores_of_fits(fits, rows, metrics)[[1L]]
  })
}
