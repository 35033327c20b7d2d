# Weights of members by left-out domains.

# members: specifications, fits: of them: list(weights, held_out).
stacked <- function(members, fits, sample) {
  check_held_out(sample, "weights = \"stacked\"")
  if (is_censored(sample$y)) {
    abort("argument", "`member_weights` must be \"equal\" or numbers for censored times, not ",
          "\"stacked\"; dg_auto() weighs its own members.")
  }
  values <- Map(function(member, fit, name) {
    in_member_of(name, held_out_values(member, sample, fit))
  }, members, fits, names(members))
  # target [n x k] on the common scale, share [n] of the rows of a domain in its vote
  targets <- new_targets(rows_frame(sample), standardise = FALSE)
  task <- list(target = code_rows(targets, sample$y),
               share = row_costs(1, sample$weights / max(sample$weights), sample$domain, "equal"))
  fold <- calibration_folds(sample)
  # the mean by the weights that the rows outside of each row's fold ask for
  mean <- array(NA_real_, dim(task$target))
  of_row <- fold[as.integer(sample$domain)]
  for (k in setdiff(unique(of_row), 0L)) {
    inside <- of_row == k
    weights <- stack_weights(values, task, !inside)
    mean[inside, ] <- weighted_values(values, weights)[inside, ]
  }
  metric <- read_metrics(NULL, sample$y)[[1L]]
  scoring <- list(y = sample$y, domain = sample$domain, metric = metric,
                response = targets)
  scores <- vapply(c(list(ensemble = mean), values), known_scores,
                   numeric(nlevels(sample$domain)), scoring)
  rownames(scores) <- levels(sample$domain)
  list(weights = stack_weights(values, task),
       held_out = list(values = mean, scores = scores, metric = metric, folds = fold))
}

# Values of a member on the common scale, of each row by a fit without its domain.
held_out_values <- function(spec, sample, fitted) UseMethod("held_out_values")

#' @exportS3Method
held_out_values.dg_spec <- function(spec, sample, fitted) {
  scaled <- member_sample(spec, sample)
  spec <- place_spec(spec, member_layout(spec, scaled$blueprint))
  common_known(fitted, held_out_decisions(spec, scaled, fitted)$values, sample)
}

# The search is repeated without each fold.
refitted_values <- function(spec, sample, fitted, most = most_folds) {
  columns <- ncol(common_values(targets_of(fitted), fitted$decision))
  by_folds(sample, columns, " to find the weights", function(inside) {
    # a class that is nowhere else
    if (all(levels(sample$y) %in% sample$y[!inside])) values_without(spec, sample, !inside, inside)
    else NA_real_
  }, most)$values
}

#' @exportS3Method
held_out_values.dg_tune_spec <- refitted_values

# With lambdas, members and weights that all domains chose, its values would be optimistic.
#' @exportS3Method
held_out_values.dg_auto_spec <- refitted_values

#' @exportS3Method
held_out_values.dg_ensemble_spec <- function(spec, sample, fitted) {
  if (identical(spec$args$member_weights, "stacked")) refitted_values(spec, sample, fitted)
  else NextMethod()
}

# The null model has shares of classes, no decision values.
#' @exportS3Method
held_out_values.dg_null_spec <- refitted_values

# Of the rows `held`, by a fit to the rows `train`: [held x k], 0 for a class that these lack.
values_without <- function(spec, sample, train, held) {
  rest <- sample_part(sample, train)
  model <- fit_member(spec, rest)
  new <- list(X = sample$X[held, , drop = FALSE], domain = droplevels(sample$domain[held]))
  predicted <- common_values(targets_of(model), member_values(model, new))
  if (nlevels(sample$y) <= 2L) return(predicted)
  # two of more have one column
  if (nlevels(rest$y) == 2L) predicted <- cbind(1 - predicted, 1 + predicted) / 2
  values <- matrix(0, nrow(predicted), nlevels(sample$y))
  values[, match(levels(rest$y), levels(sample$y))] <- predicted
  values
}

# Rows without a value, as where the other domains lack a class, have none here either. Calibrated
# decision values of a fold come from maps of the other folds, because the model's maps have seen
# the labels of the fold.
common_known <- function(fitted, values, sample) {
  scored <- !is.na(rowSums(values))
  columns <- ncol(common_values(targets_of(fitted), fitted$decision))
  common <- matrix(NA_real_, nrow(values), columns)
  calibration <- fitted$calibration
  if (is.null(calibration)) {
    common[scored, ] <- common_values(targets_of(fitted), values[scored, , drop = FALSE])
    return(common)
  }
  sides <- submodel_sides(sample$y, fitted$response)
  fold <- calibration_folds(sample)[as.integer(sample$domain)]
  for (k in unique(fold[scored])) {
    inside <- scored & fold == k
    fitted$calibration$maps <- calibration_maps(values, sides, sample$weights * (fold != k),
                                                calibration$method)
    common[inside, ] <- common_values(targets_of(fitted), values[inside, , drop = FALSE])
  }
  common
}

# min_w sum_i s_i |t_i - sum_m w_m f_mi|^2 over w >= 0, sum w = 1: with errors e_m = f_m - t that is
# w'Dw with D_ml = sum_i s_i e_mi e_li. A hair of ridge shares the weight of members that are alike.
stack_weights <- function(values, task, used = TRUE) {
  M <- length(values)
  equal <- rep(1 / M, M)
  k <- ncol(task$target)
  errors <- vapply(values, function(v) c(v - task$target), numeric(length(task$target)))
  errors <- matrix(errors, ncol = M)
  share <- rep(task$share * used, k)
  at <- share > 0 & !is.na(rowSums(errors))
  if (!any(at)) return(equal)
  D <- crossprod(errors[at, , drop = FALSE] * sqrt(share[at]))
  unit <- mean(diag(D))
  if (!is.finite(unit) || unit <= 0) return(equal)
  solved <- quadprog::solve.QP(2 * (D / unit + diag(1e-8, M)), rep(0, M), cbind(rep(1, M), diag(M)),
                               c(1, rep(0, M)), meq = 1L)
  weights <- pmax(solved$solution, 0)
  # what rounding leaves of a bound
  weights[weights < 1e-9] <- 0
  weights / sum(weights)
}

#' @exportS3Method
held_out_decisions.dg_ensemble_spec <- function(spec, sample, fitted) {
  held_out_mean(spec$args$members, sample, fitted)
}

# Members without weight are not needed. of: a function of a member's specification, the rows and
# its fit.
held_out_mean <- function(specs, sample, fitted, of = held_out_values) {
  used <- fitted$coefficients > 0
  values <- Map(of, specs[used], list(sample), fitted$members[used])
  list(values = weighted_values(values, fitted$coefficients[used]),
       folds = calibration_folds(sample))
}

#' @exportS3Method
closed_cv.dg_ensemble <- function(object, metric = NULL, env = parent.frame()) {
  scored <- object$choice$scored
  if (!is.null(scored)) {
    # a model of a source has its scores
    if (is.null(metric) || identical(metric, names(scored$metrics))) return(scored)
    abort("argument", "`metric` must be \"", names(scored$metrics), "\", with which all rows of ",
          "the source were scored.")
  }
  # the calibration used the labels of all domains
  object$calibration <- NULL
  metrics <- read_metrics(metric, object$y)
  start <- proc.time()[["elapsed"]]
  values <- object$held_out$values
  if (is.null(values)) {
    sample <- lodo_sample(object, env, object$X)
    sample$blueprint <- object$blueprint
    values <- reported_once(held_out_decisions(object$spec, sample, object))$values
  }
  if (anyNA(values[!unknown_elsewhere(object$rows$levels, object$domain), ])) {
    abort("data", "`object` has rows without a held-out prediction, as a class is in one domain ",
          "only: use `refit = TRUE`.")
  }
  cv_of_values(object, values, metrics, start)
}
