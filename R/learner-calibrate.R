# Class probabilities from the decision values of held-out domains. A learner that has an
# argument `calibration` gets them without further code: fit_input() calls calibrate() for
# the outermost specification, respond() asks class_probabilities().

#' Calibrated class probabilities
#'
#' @description
#' With `calibration = "platt"` or `"isotonic"`, a classifier learns on held-out domains how its
#' decision values translate into class probabilities, which `predict(type = "prob")` then returns.
#' Probabilities from a model's own training rows are overconfident, because the model was fitted to
#' their labels and domains. [dg_svm()], [dg_ridge()] and, for more than two classes, [dg_auto()]
#' have probabilities only with calibration. [dg_ensemble()], [learner_custom()], [dg_forest()],
#' [dg_boost()], [dg_net()], [dg_mixed()] and [dg_gam()] have the argument too; with `"none"`, the
#' default, they return the probabilities of the model itself, where there are any.
#' [dg_calibration()] assesses the probabilities of any classifier.
#'
#' @details
#' ## Held-out decision values
#' Domains are held out one at a time, or in 10 folds of whole domains of about equal size if there
#' are more than 10. The learner is fitted to the other domains (a [dg_pipeline()] with its
#' projection), and gives the held-out rows a decision value f, using the unlabelled rows of their
#' own domain. Scaling, which uses no labels, remains that of all rows. This takes one further fit
#' per fold.
#'
#' Exceptions: [dg_ridge()] with a given `lambda` and given bandwidths uses the closed form of
#' [closed form][closed_form], one domain at a time, without further fits; so does [dg_glm()] in an
#' ensemble, in one Newton step, if `lambda` is given and no domain has a tenth of the information.
#' With nested or crossed domains, whole levels of the outer factor are held out. A [dg_ensemble()]
#' uses the weighted mean of its members' held-out values.
#'
#' ## Maps
#' For each binary submodel, one map from f to a probability p is fitted:
#'
#' * `"platt"` (Platt, 1999): \eqn{p(f) = 1/(1 + e^{-(af + b)})}{p(f) = 1 / (1 + exp(-(a f + b)))},
#'   where b and a >= 0 minimise the weighted cross-entropy against the targets
#'   \eqn{(N_+ + 1)/(N_+ + 2)}{(N+ + 1) / (N+ + 2)} and \eqn{1/(N_- + 2)}{1 / (N- + 2)}, by Newton's
#'   method (Lin, Lin and Weng, 2007). \eqn{N_+, N_-}{N+, N-} are sums of weights.
#' * `"isotonic"` (Zadrozny and Elkan, 2002): the weighted isotonic regression of the labels on f,
#'   linear between the ends of its blocks, constant outside. A lowest block without a positive row
#'   has \eqn{1/(W + 2)}{1 / (W + 2)} instead of 0, with W its sum of weights, but at most the value
#'   of the next block; the highest block likewise. It needs some hundreds of rows.
#'
#' A larger f never lowers p. If the classes do not increase with f on held-out domains, p is the
#' class frequency, with a warning. Three or four domains with very different class frequencies say
#' little about the next domain, whatever the method. Rows count by their `weights`;
#' `domain_weights` does not affect the maps.
#'
#' ## More than two classes
#'
#' | submodels | probabilities |
#' |---|---|
#' | one per pair of classes ([dg_svm()]) | coupled, see below |
#' | one per class (all others) | divided by their sum (Zadrozny and Elkan, 2002) |
#'
#' Pairs are coupled by the second method of Wu, Lin and Weng (2004): p minimises
#' \eqn{\sum_i\sum_{j\ne i}(r_{ji}p_i - r_{ij}p_j)^2}{sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2}
#' with \eqn{\sum_i p_i = 1}{sum_i p_i = 1}, where \eqn{r_{ij}}{r_ij} is the probability of i among
#' i and j. The \eqn{r_{ij}}{r_ij} and p(f) are kept between 1e-7 and 1 - 1e-7.
#'
#' ## Predicted class
#' The predicted class is the most probable one, which can differ from the class that the decision
#' values give.
#'
#' @return The fitted model has an element `calibration`, a list with
#'
#'   | element | content |
#'   |---|---|
#'   | `method` | `"platt"` or `"isotonic"` |
#'   | `maps` | one map per binary submodel |
#'   | `folds` | fold of each domain, 0 for a domain of weight 0 |
#'   | `log_loss` | two numbers, `calibrated` and of the class `frequencies` |
#'   | `warnings` | table of the warnings given while domains were held out |
#'
#'   `log_loss` is cross-fitted: each held-out fold is scored with the maps (or class frequencies)
#'   of the other folds. `print()` shows both numbers.
#' @section Errors:
#' A numeric response, fewer than two domains (with a positive weight), or no two classes that occur
#' in two domains each are errors. A class that occurs in a single domain, and decision values that
#' do not separate the classes of held-out domains, give a warning of class
#' `domgen_warning_calibration`.
#' @references
#' Lin, H.-T., Lin, C.-J. and Weng, R. C. (2007). A note on Platt's probabilistic outputs for
#' support vector machines. *Machine Learning* 68(3), 267-276.
#'
#' Platt, J. C. (1999). Probabilistic outputs for support vector machines and comparisons to
#' regularized likelihood methods. *Advances in Large Margin Classifiers*, 61-74.
#'
#' Wu, T.-F., Lin, C.-J. and Weng, R. C. (2004). Probability estimates for multi-class
#' classification by pairwise coupling. *Journal of Machine Learning Research* 5, 975-1005.
#'
#' Zadrozny, B. and Elkan, C. (2002). Transforming classifier scores into accurate multiclass
#' probability estimates. *Proceedings of the 8th ACM SIGKDD International Conference on Knowledge
#' Discovery and Data Mining*, 694-699.
#' @seealso [dg_calibration()], [predict.dg_learner()], [set_intervals()] for sets of classes
#' @examples
#' toy <- simulate_ellipses(domains = 8, n = 40, seed = 1)
#' new <- toy$domain %in% levels(toy$domain)[7:8]
#' model <- dg_svm(y ~ x1 + x2 | domain, data = toy[!new, ], calibration = "platt")
#' model
#' head(predict(model, toy[new, ], type = "prob"))
#' @name calibration
NULL

# Before anything is fitted.
check_probability <- function(spec, sample) {
  if (!wants_probabilities(spec)) return(invisible())
  if (!is.factor(sample$y)) {
    abort("argument", "`calibration` must be \"none\" when the response is ",
          if (is_censored(sample$y)) "censored times" else "numeric", ", not \"",
          spec_calibration(spec), "\".")
  }
  check_held_out(sample, paste0("calibration = \"", spec_calibration(spec), "\""))
}

# what: the argument whose value asks for it.
check_held_out <- function(sample, what) {
  weighty <- sum(domain_sizes(sample) > 0)
  if (weighty < 2L) {
    abort("data", "`", what, "` needs at least 2 domains",
          if (nlevels(sample$domain) >= 2L) " with a positive weight",
          ", because it is learned on held-out domains, not ", weighty, ".")
  }
}

# The fitted model with `calibration`, a list(method, maps (one for each submodel), folds,
# log_loss, warnings).
calibrate <- function(fitted, sample) {
  if (!wants_probabilities(fitted$spec)) return(fitted)
  method <- spec_calibration(fitted$spec)
  spec <- place_spec(fitted$spec, layout_of(sample$blueprint))
  held_out <- with_warnings({
    if (described_by_rows(fitted)) warn_few_rows(fitted, sizes_by_domain(sample$domain))
    held_out_decisions(spec, sample, fitted)
  })
  values <- held_out$value$values
  sides <- submodel_sides(sample$y, fitted$response)
  maps <- calibration_maps(values, sides, sample$weights, method)
  check_maps(maps, fitted$response)
  fitted$calibration <- list(
    method = method, maps = maps, folds = held_out$value$folds,
    log_loss = held_out_loss(values, sides, sample, fitted$response, method),
    warnings = table(warnings = held_out$warnings)
  )
  fitted
}

# The value of an expression, and its warnings, which are not given.
with_warnings <- function(code) {
  warnings <- character()
  value <- withCallingHandlers(code, domgen_warning = function(w) {
    warnings <<- c(warnings, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  list(value = value, warnings = warnings)
}

# An error says which domains were held out, and what for.
holding_out <- function(domains, code, purpose = "") {
  tryCatch(code, domgen_error = function(e) {
    abort("fold", "With ", if (length(domains) == 1L) "domain " else "domains ",
          enumerate(domains, quote = "\""), " held out", purpose, ": ", conditionMessage(e))
  })
}

# Decision values of each row by a model that has not seen its domain's labels:
#   list(values [n x submodels], NA where there is none, folds of the domains).
held_out_decisions <- function(spec, sample, fitted) UseMethod("held_out_decisions")

# By fitting again: a pipeline with its projection.
#' @exportS3Method
held_out_decisions.dg_spec <- function(spec, sample, fitted) {
  by_folds(sample, ncol(fitted$decision), " to calibrate probabilities", function(inside) {
    decide_held_out(spec, sample, inside, fitted$response)
  })
}

# As held_out_decisions(), by folds of domains. values(inside): the values [rows x columns] of the
# rows `inside` of a fold, by a fit without them, or NA.
by_folds <- function(sample, columns, purpose, values, most = most_folds) {
  folds <- calibration_folds(sample, most)
  fold <- folds[as.integer(sample$domain)]
  decisions <- matrix(NA_real_, nrow(sample$X), columns)
  for (k in seq_len(max(folds))) {
    inside <- fold == k
    decisions[inside, ] <- holding_out(names(folds)[folds == k], values(inside), purpose)
  }
  decisions[unknown_elsewhere(sample$levels, fold), ] <- NA
  list(values = decisions, folds = folds)
}

# Fits to the rows outside; those inside are judged by the rows of their own domain. NA for
# a submodel that the other domains cannot train, because they lack a class.
decide_held_out <- function(spec, sample, inside, response) {
  counts <- sample$weights > 0 & !inside
  seen <- unique(sample$y[counts])
  if (is.factor(sample$y) && length(seen) < 2L) return(NA_real_)
  rest <- sample_part(sample, !inside & sample$y %in% if (is.factor(seen)) seen else sample$y)
  model <- fit_part(spec, rows_frame(rest))
  values <- decision(model, list(X = sample$X[inside, , drop = FALSE],
                                 domain = droplevels(sample$domain[inside])))
  if (response$kind == "number") {
    # the other domains have a mean and a standard deviation of their own
    value <- respond(model$response, values, "decision")
    return(matrix((value - response$centre) / response$scale))
  }
  same <- match(submodel_codes(response, response$levels),
                submodel_codes(model$response, response$levels))
  values[, same, drop = FALSE]
}

# The rows of a sample, and the classes and domains that these have.
sample_part <- function(sample, at) {
  sample$levels <- take(sample$levels, at)
  sample$X <- sample$X[at, , drop = FALSE]
  for (name in intersect(c("y", "domain", "weights", "kept", "unit"), names(sample))) {
    part <- sample[[name]][at]
    sample[[name]] <- if (is.factor(part)) droplevels(part) else part
  }
  sample
}

# In closed form, see closed_cv(); not with bandwidths or a penalty that have seen all labels.
#' @exportS3Method
held_out_decisions.dg_ridge_spec <- function(spec, sample, fitted) {
  # of several factors whole levels are left out, which the closed form does not
  several <- !is.null(sample$blueprint$structure)
  if (several || spec$args$bandwidths == "fitted" || is.null(spec$args$lambda)) {
    return(NextMethod())
  }
  each_held_out(unname(left_out_values(fitted, sample)), sample, fitted$response)
}

# Of values where each domain is left out alone; NA of submodels that the others cannot train.
each_held_out <- function(values, sample, response) {
  for (at in split(seq_along(sample$y), sample$domain)) {
    others <- sample$y[-at][sample$weights[-at] > 0]
    lacking <- !response$levels %in% others
    values[at, if (length(response$levels) == 2L) any(lacking) else lacking] <- NA
  }
  folds <- stats::setNames(seq_len(nlevels(sample$domain)), levels(sample$domain))
  folds[domain_sizes(sample) == 0] <- 0L
  list(values = values, folds = folds)
}

# One map for each submodel from its decision value to the probability of its positive side.
calibration_maps <- function(values, sides, weights, method) {
  lapply(seq_len(ncol(values)), function(m) {
    side <- sides[, m]
    labelled <- !is.na(side) & weights > 0
    use <- labelled & !is.na(values[, m])
    if (length(unique(side[use])) < 2L) return(constant_map(side[labelled], weights[labelled]))
    map <- if (method == "platt") platt_map else isotonic_map
    map(values[use, m], side[use], weights[use])
  })
}

# Some submodel must have had held-out rows of both sides; those that learn nothing are told.
check_maps <- function(maps, response) {
  lost <- vapply(maps, inherits, logical(1), "constant_map")
  if (all(lost)) {
    abort("data", "`calibration` needs two classes that each occur in at least 2 domains, so ",
          "that they can be distinguished on held-out domains.")
  }
  flat <- !vapply(maps, is_informed, logical(1))
  if (!any(flat)) return(invisible())
  names <- submodel_names(response)[flat]
  warn("calibration", "On held-out domains the decision values do not distinguish ",
       enumerate(names, quote = ""), "; the probabilities are the class frequencies",
       if (length(maps) > 1L) " there", ".")
}

# Mean of -log(probability of the class) over held-out rows: each fold by the maps of the
# other folds, and by their class frequencies, c(calibrated, frequencies).
held_out_loss <- function(values, sides, sample, response, method) {
  folds <- calibration_folds(sample)
  fold <- folds[as.integer(sample$domain)]
  usable <- sample$weights > 0 & !is.na(rowSums(values))
  code <- as.integer(sample$y)
  if (!any(usable)) return(c(calibrated = NA_real_, frequencies = NA_real_))
  loss <- matrix(NA_real_, length(code), 2L)
  for (k in unique(fold[usable])) {
    inside <- usable & fold == k
    rest <- sample$weights * (fold != k)
    maps <- calibration_maps(values, sides, rest, method)
    P <- class_probabilities(values[inside, , drop = FALSE], response, maps)
    loss[inside, 1L] <- -log(P[cbind(seq_len(nrow(P)), code[inside])])
    counts <- vapply(seq_along(response$levels), function(c) sum(rest[code == c]), numeric(1))
    frequencies <- (counts + 1) / sum(counts + 1)
    loss[inside, 2L] <- -log(frequencies[code[inside]])
  }
  c(calibrated = weighted_mean(loss[usable, 1L], sample$weights[usable]),
    frequencies = weighted_mean(loss[usable, 2L], sample$weights[usable]))
}

calibration_facts <- function(calibration) {
  if (is.null(calibration)) return(NULL)
  folds <- calibration$folds[calibration$folds > 0L]
  loss <- lapply(calibration$log_loss, rounded, 3L)
  c(list(fact("probabilities", if (calibration$method == "platt") "Platt scaling" else "isotonic",
              " on ", plural(length(folds), "domain"), " held out ",
              if (anyDuplicated(folds)) paste("in", max(folds), "folds") else "one at a time",
              ", log loss ", loss$calibrated, " (of class frequencies: ", loss$frequencies, ")")),
    lapply(names(calibration$warnings), function(message) {
      fact("note", plural(calibration$warnings[[message]], "time"),
           " while domains were held out: ", message)
    }))
}
