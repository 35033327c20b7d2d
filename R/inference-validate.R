#' Validation by site
#'
#' @description
#' Measures how well a model predicts at each *site*, how much sites differ, and what is to be
#' expected at a further site. A site is a held-out or new domain: a hospital, school, instrument.
#'
#' @details
#' | response | measures at a site, see [site_measures] |
#' |---|---|
#' | class | `auc`, `oe`, `intercept`, `slope`, `brier`, `scaled_brier`, `log_loss` |
#' | class, with `threshold` | `sensitivity`, `specificity` |
#' | number | `rmse`, `r2`, `bias`, `intercept`, `slope` |
#' | count | `oe`, `deviance`, `slope` |
#' | ordinal | `rps`, `concordance` |
#' | censored | `concordance`, `uno`, `slope`; at each of `times` `oe_<t>`, `brier_<t>` |
#'
#' In the mean each site counts once. The interval of a new site is a Bayesian prediction interval.
#' Sites are taken as independent: if neighbouring sites are alike, all intervals are too narrow.
#' [site_means] has the models behind means, intervals, `target`, `covariates` and the ranking.
#'
#' @param object The result of [dg_cv()] or [dg_compare()]; a fitted model with `newdata`; or
#'   predictions of any model with `y` and `domain`: a numeric vector (of two classes, also if they
#'   are called 0 and 1, the probability of the second; of censored times a score that is higher for
#'   earlier events) or a matrix of probabilities with a column for each class (of censored times:
#'   of no event, with a column for each of `times`).
#' @param newdata Data frame of labelled rows of new domains, for a fitted model.
#' @param domain,y Site and response of each row, if they are not columns of `newdata`.
#' @param response Kind of response: `"number"`, `"class"`, `"count"`, `"ordinal"`, `"censored"`.
#'   Default `NULL`: by the response and, of [dg_glm()], its family.
#' @param class Name of the class that is the event. Default `NULL`: the second of two. Must be
#'   given with more than two classes.
#' @param threshold Probability at or above which an event is predicted, for `sensitivity` and
#'   `specificity`. Default `NULL`: none.
#' @param times Times of the survival probabilities of censored times. Default `NULL`: all times of
#'   a cross-validation; without probabilities, concordance and slope only.
#' @param target Named list: what a site must reach, such as `list(auc = 0.7, oe = c(0.8, 1.25))`.
#'   One number is the least value (the largest, for measures of which less is better), two numbers
#'   are a range.
#' @param covariates Data frame with a row for each site: the column named as the domain variable
#'   (or `domain`), and covariates of sites for a meta-regression. Default `NULL`: none.
#' @param level Level of intervals. Default 0.95.
#' @return An object of class `dg_validate`, a list with
#'   \item{summary}{data frame, a row for each method and measure: `method`, `measure`, number of
#'     `domains` with a value, `mean`, its interval `lower` to `upper`, `tau` (on the scale of the
#'     measure), the interval of a new site `new_lower` to `new_upper`, the mean by precision
#'     `weighted`, `weighted_lower` to `weighted_upper` and `weighted_p`, and with `target` the
#'     probability `pass` that a new site reaches it with `pass_lower` to `pass_upper`}
#'   \item{domains}{data frame, a row for each method, measure and site: `method`, `measure`,
#'     `domain`, `rows`, `events` (`NA` without), `estimate`, its standard error `se`, interval
#'     `lower` to `upper`, and `shrunk` with `shrunk_lower` to `shrunk_upper`}
#'   \item{differences, paired}{of a [dg_compare()]: for each method and measure the mean
#'     difference from the baseline, as `summary`; and by site, with errors of paired rows}
#'   \item{regression}{with `covariates`, a data frame: `method`, `measure`, `term`, `estimate` (on
#'     the scale of the measure), `se`, `lower`, `upper`, `p`, and `tau`, what is left of it}
#'   \item{rows}{data frame: `method`, `row`, `domain`, `y`, `p`; of repeats `rep`}
#'   \item{methods, measures}{names of the methods; list of the measures}
#'   \item{kind, class, threshold, times, level, target, labels, origin, held_out, scope,
#'     baseline}{as given or found; `origin` is `"held_out"`, `"fitted"` or `"given"`}
#' @section Errors:
#' A cross-validation without predictions (of a [row_source()]), or without survival probabilities
#' at `times`; `threshold` or ordered classes without probabilities (of classes without
#' probabilities there is `auc` alone);
#' more than two classes without `class`; probabilities outside 0 to 1 or that do not sum to 1,
#' infinite values, and predicted counts of 0 or less; a `target` that the measure cannot have;
#' covariates that lack a site, are constant, or not finite.
#' Sites of `newdata` that were in training give a warning of class
#' `domgen_warning_training_domains`.
#' @seealso [site_measures], [site_means], [plot()][plot.dg_validate], [dg_report()],
#'   [dg_net_benefit()], [dg_calibration()], `vignette("validation")`
#' @examples
#' # weights of chicks that were not in training
#' cv <- dg_cv(dg_lm(), weight ~ Time + Diet | Chick, data = ChickWeight)
#' dg_validate(cv, target = list(bias = c(-20, 20)))
#'
#' # predictions of any model
#' growth <- lm(weight ~ Time, data = ChickWeight)
#' dg_validate(fitted(growth), y = ChickWeight$weight, domain = ChickWeight$Chick)
#'
#' # classes
#' births <- transform(infert, group = stratum %% 6, case = factor(case))
#' cv <- dg_cv(dg_lm(), case ~ spontaneous + induced | group, data = births)
#' dg_validate(cv, target = list(auc = 0.7))
#' @export
dg_validate <- function(object, newdata = NULL, domain = NULL, y = NULL, response = NULL,
                        class = NULL, threshold = NULL, times = NULL, target = NULL,
                        covariates = NULL, level = 0.95) {
  enter_session()
  check_given(object, "object")
  if (!is.null(times)) times <- check_horizons(times)
  if (any(times == 0)) abort("argument", "`times` must be positive: nobody has an event until 0.")
  level <- check_between(level, "level", 0.5, 0.999)
  threshold <- if (!is.null(threshold)) check_between(threshold, "threshold", 0, 1)
  tested <- with_given_names(validation_rows(object, newdata, domain, y, times), substitute(y),
                             substitute(domain))
  if (!is.null(times)) times <- sort(unique(times))
  kind <- read_response_kind(response, tested)
  if (kind == "ordinal" && isTRUE(tested$text)) {
    abort_text_order(tested$methods[[1L]]$truth, tested$labels$response, "`response = \"ordinal\"`")
  }
  if (kind == "censored") tested <- with_times(tested, times)
  else if (!is.null(times)) abort("argument", "`times` must be NULL without censored times.")
  sites <- lapply(tested$methods, site_rows, kind, class)
  chosen <- measures_for(kind, sites, threshold, tested$times)
  target <- check_target(target, chosen)
  values <- lapply(sites, measure_sites, chosen, threshold, !is.null(tested$baseline))
  pooled <- lapply(values, pool_measures, chosen, tested$inflation, level)
  result <- list(
    summary = by_method(Map(summary_rows, pooled, list(chosen), list(target), level)),
    domains = by_method(Map(site_table, values, pooled, sites, list(chosen), level)),
    rows = by_method(lapply(sites, kept_rows)), methods = names(sites), kind = kind,
    measures = chosen, class = sites[[1L]]$class, threshold = threshold, times = tested$times,
    level = level, target = target, inflation = tested$inflation, labels = tested$labels,
    origin = tested$origin, held_out = tested$held_out, scope = tested$scope, title = tested$title,
    notes = c(tested$notes, left_out_words(sites[[1L]]$left_out), lacking_words(sites)),
    hint = if (is.null(response)) tested$hint
  )
  if (!is.null(covariates)) {
    X <- read_covariates(covariates, sites[[1L]], tested$labels)
    result$regression <- by_method(lapply(values, regress_measures, X, tested$inflation, level))
  }
  if (!is.null(tested$baseline)) {
    result$baseline <- tested$baseline
    result <- c(result, compare_measures(values, tested$baseline, tested$inflation, level))
  }
  structure(result, class = c("dg_validate", "dg_result"))
}

# Data frames below each other, their names in a column before the others; without NULL.
named_frames <- function(frames, column) {
  frames <- Filter(Negate(is.null), frames)
  named <- Map(function(frame, name) {
    cbind(stats::setNames(data.frame(rep(name, nrow(frame))), column), frame)
  }, frames, names(frames))
  table <- do.call(rbind, unname(named))
  if (!is.null(table)) rownames(table) <- NULL
  table
}

by_method <- function(frames) named_frames(frames, "method")

by_measure <- function(frames) named_frames(frames, "measure")

# ---- rows -------------------------------------------------------------------------------------

# list(methods: a named list of list(truth, prediction, decision, prob, levels, domain, rep, row),
# family: that of dg_glm() or NULL, inflation, labels, origin: "held_out" of a cross-validation,
# "fitted" or "given", held_out: in words, scope, title, baseline, notes, hint).
# times: of survival probabilities that a model is to predict, or that the columns of a matrix have.
validation_rows <- function(object, newdata, domain, y, times = NULL) UseMethod("validation_rows")

#' @exportS3Method
validation_rows.default <- function(object, newdata, domain, y, times = NULL) {
  abort("argument", "`object` must be the result of dg_cv() or dg_compare(), a fitted model, or a ",
        "vector or matrix of predictions, not ", describe(object), ".")
}

#' @exportS3Method
validation_rows.dg_cv <- function(object, newdata, domain, y, times = NULL) {
  check_no_new_rows(newdata, domain, y)
  list(methods = stats::setNames(list(cv_rows(object)), method_of(object$spec)$title),
       family = innermost(object$spec)$args$family, inflation = 1 + 1 / object$share,
       labels = object$labels, origin = "held_out", held_out = object$held_out,
       scope = object$scope, title = method_of(object$spec)$title,
       notes = c(scope_note(object$scope), cv_notes(object)), text = object$text_response)
}

#' @exportS3Method
validation_rows.dg_compare <- function(object, newdata, domain, y, times = NULL) {
  check_no_new_rows(newdata, domain, y)
  # the null model ranks nothing and has nothing to calibrate
  null <- are_null(object$runs)
  failed <- vapply(object$runs, all_failed, NA)
  runs <- object$runs[!null & !failed]
  if (length(runs) == 0L) abort("argument", "`object` must have a method that did not fail.")
  baseline <- if (object$baseline %in% names(runs)) object$baseline else names(runs)[1L]
  run <- runs[[1L]]
  list(methods = lapply(runs, cv_rows), family = innermost(run$spec)$args$family,
       inflation = 1 + 1 / run$share, labels = run$labels, origin = "held_out",
       held_out = run$held_out, scope = run$scope, title = plural(length(runs), "method"),
       baseline = if (length(runs) > 1L) baseline,
       notes = c(scope_note(run$scope), compared_notes(runs, object$runs[failed])),
       text = run$text_response)
}

compared_notes <- function(runs, failed) {
  said <- unlist(lapply(names(runs), function(name) {
    notes <- cv_notes(runs[[name]])
    if (length(notes)) paste0(name, ": ", notes)
  }))
  c(said, if (length(failed)) {
    paste0("Not here, since all folds failed: ", enumerate(names(failed), quote = ""), ".")
  })
}

# TRUE if new rows have domains of training.
warn_training_domains <- function(new, training, so) {
  both <- intersect(value_labels(unique(new)), value_labels(unique(training)))
  if (length(both)) {
    warn("training_domains", "`newdata` has domains of training (", enumerate(both, quote = "\""),
         "): ", so, ".")
  }
  length(both) > 0L
}

# For other views of the same rows.
#' @exportS3Method
validation_rows.dg_validate <- function(object, newdata, domain, y, times = NULL) {
  check_no_new_rows(newdata, domain, y)
  if (object$kind != "class" || is.null(object$rows$p)) abort_no_validated()
  levels <- c(paste("not", object$class), object$class)
  methods <- lapply(split(object$rows, factor(object$rows$method, unique(object$rows$method))),
                    function(part) {
    list(truth = levels[1L + part$y], prob = cbind(1 - part$p, part$p), levels = levels,
         domain = part$domain, rep = part$rep, row = part$row)
  })
  c(list(methods = methods), object[c("inflation", "labels", "origin", "held_out", "scope",
                                       "title", "baseline", "notes")])
}

check_no_new_rows <- function(newdata, domain, y) {
  if (!is.null(newdata) || !is.null(domain) || !is.null(y)) {
    abort("argument", "`newdata`, `domain` and `y` must not be given with a cross-validation, ",
          "which has its own held-out rows.")
  }
}

cv_rows <- function(cv) {
  predictions <- cv$predictions
  if (is.null(predictions)) {
    abort("argument", "`object` has no predictions: those of a source are not kept.")
  }
  with_matrices(predictions)
}

#' @exportS3Method
validation_rows.dg_learner <- function(object, newdata, domain, y, times = NULL) {
  if (is.null(newdata)) {
    abort("argument", "`newdata` must be given: training rows do not show how a model predicts ",
          "elsewhere.")
  }
  classes <- isTRUE(object$response$kind == "class")
  values <- predict(object, newdata, domain = domain,
                    type = if (classes) "prob" else "response")
  y <- given_response(object, newdata, y, NROW(values))
  given <- domain
  domain <- new_domain(object$blueprint, newdata, domain, NROW(values), FALSE, "newdata")
  seen <- warn_training_domains(domain, object$domain, "their scores are optimistic")
  method <- if (classes) list(truth = value_labels(y), prob = values)
          else list(truth = y, prediction = values)
  if (is_censored(y)) {
    method$decision <- predict(object, newdata, domain = given, type = "decision")
    if (!is.null(times)) {
      method$survival <- predict(object, newdata, domain = given, type = "survival", times = times)
    }
  }
  title <- method_of(object$spec)$title
  list(methods = stats::setNames(list(c(method, list(domain = domain))), title),
       text = object$blueprint$text_response,
       family = object$family, inflation = 1, labels = variable_names(object$blueprint),
       origin = "fitted", title = title,
       held_out = if (seen) "rows that include domains of training" else "rows of new domains")
}

#' @exportS3Method
validation_rows.numeric <- function(object, newdata, domain, y, times = NULL) {
  if (!is.null(newdata)) {
    abort("argument", "`newdata` must not be given with predictions: give `y` and `domain`.")
  }
  n <- NROW(object)
  if (is.null(y) || is.null(domain)) {
    abort("argument", "`y` and `domain` must be given with predictions, one for each of ",
          plural(n, "row"), ".")
  }
  y <- read_vector(y, n, "y")
  domain <- read_vector(domain, n, "domain")
  if (is_censored(y)) {
    return(list(methods = list(model = times_as_given(object, y, domain, times)), inflation = 1,
                labels = list(response = "y", domain = "domain"), origin = "given",
                held_out = "rows as given", title = "Model"))
  }
  # events are often the numbers 0 and 1
  events <- is.numeric(y) && all(y %in% c(0, 1, NA))
  method <- list(truth = y, domain = domain)
  if (is.matrix(object) && ncol(object) > 1L) {
    check_probability_matrix(object)
    method$prob <- object
  } else {
    object <- as.vector(object)
    method$prediction <- as.numeric(object)
    if (events || !is.numeric(y)) {
      classes <- if (is.factor(y)) levels(y) else if (events) c("0", "1")
                 else text_levels(value_labels(y))
      if (length(classes) != 2L) {
        abort("argument", "Predictions of ", length(classes), " classes must be a matrix of ",
              "probabilities with a column for each class.")
      }
      method$prob <- cbind(1 - object, object)
      colnames(method$prob) <- classes
    }
  }
  counts <- is.null(method$prob) && is.numeric(y) && all(y >= 0 & y == round(y), na.rm = TRUE) &&
    all(object > 0, na.rm = TRUE)
  list(methods = list(model = method), inflation = 1, text = is.character(y),
       hint = if (counts) "If the whole numbers of `y` are counts, use `response = \"count\"`.",
       labels = list(response = "y", domain = "domain"), origin = "given",
       held_out = "rows as given", title = "Model")
}

# Scores of risk, or a matrix of the probabilities of no event with a column for each time.
times_as_given <- function(object, y, domain, times) {
  method <- list(truth = y, domain = domain)
  if (is.null(dim(object)) && !is.null(times) && length(times) == 1L) object <- as.matrix(object)
  if (is.null(dim(object)) || is.null(times) && ncol(object) == 1L) {
    method$decision <- as.vector(object)
    return(method)
  }
  if (length(times) != ncol(object) || anyDuplicated(times)) {
    abort("argument", "`times` must be the times of the columns of `object`, ",
          plural(ncol(object), "different number"), ".")
  }
  check_probabilities(object)
  named <- suppressWarnings(as.numeric(colnames(object)))
  if (length(named) && !anyNA(named) && any(named != times)) {
    abort("argument", "`times` must be the names of the columns of `object`, ",
          enumerate(colnames(object), quote = ""), ", not ", enumerate(format(times), quote = ""),
          ".")
  }
  object <- object[, order(times), drop = FALSE]
  times <- sort(times)
  if (any(object[, -1L] > object[, -ncol(object)] + 1e-8, na.rm = TRUE)) {
    abort("argument", "`object` must be probabilities of no event until `times`: in no row may ",
          "they rise with time.")
  }
  method$survival <- unname(object)
  colnames(method$survival) <- horizon_names(times)
  # of a model of proportional hazards the logarithm of the hazard and a constant
  last <- pmin(pmax(object[, ncol(object)], 1e-10), 1 - 1e-10)
  method$decision <- log(-log(last))
  method
}

# The survival probabilities of all methods at the times that are asked, or at all that there are.
with_times <- function(tested, times) {
  available <- lapply(tested$methods, function(method) colnames(method$survival))
  available <- Reduce(intersect, available)
  if (length(setdiff(horizon_names(times), available))) {
    abort("argument", "`times` must be times of the survival probabilities of `object` (",
          if (length(available)) enumerate(available, 10L, "") else "it has none",
          "): cross-validate with `metric = list(\"concordance\", metric_brier(",
          format(times[1L]), "))`.")
  }
  if (is.null(times)) {
    times <- as.numeric(available)
    # nobody has an event at once
    times <- times[times > 0]
  }
  tested$times <- times
  tested$methods <- lapply(tested$methods, function(method) {
    if (length(times)) method$survival <- survival_columns(method$survival, times)
    else method["survival"] <- list(NULL)
    method
  })
  if (length(times) == 0L) {
    late <- any(vapply(tested$methods, function(method) !is.null(entries(method$truth)), NA))
    tested$hint <- if (late) {
      "Observed/expected and Brier scores have no estimates with late entry."
    } else paste0("Observed/expected and Brier scores need `times`",
                  if (tested$origin == "held_out") " of dg_cv(metric = metric_brier())", ".")
  }
  tested
}

#' @exportS3Method
validation_rows.matrix <- validation_rows.numeric

# Response and domain of given predictions are called as the variables that were given for them.
with_given_names <- function(tested, y, domain) {
  name <- function(given, default) {
    part <- is.call(given) && is.symbol(given[[1L]]) && as.character(given[[1L]]) %in% c("$", "[[")
    if (part) given <- given[[3L]]
    if (is.symbol(given) || is.character(given) && length(given) == 1L) as.character(given)
    else default
  }
  if (identical(tested$origin, "given")) {
    tested$labels <- list(response = name(y, "y"), domain = name(domain, "domain"))
  }
  tested
}

check_probability_matrix <- function(P) {
  classes <- colnames(P)
  if (is.null(classes) || !all(nzchar(classes)) || anyDuplicated(classes)) {
    abort("argument", "A matrix of probabilities must have the classes as names of its columns.")
  }
  sums <- rowSums(P)
  off <- which(abs(sums - 1) > 1e-6)
  if (length(off)) {
    abort("data", "Probabilities of the classes must sum to 1 in each row, not to ",
          format(sums[off[1L]]), " as in row ", off[1L], ".")
  }
}

read_response_kind <- function(response, tested) {
  if (!is.null(response)) {
    return(check_choice(response, "response", names(measures)))
  }
  method <- tested$methods[[1L]]
  if (is_censored(method$truth)) return("censored")
  family <- tested$family$name
  if (identical(family, "ordinal") || is.ordered(method$truth)) return("ordinal")
  counts <- c("poisson", "quasipoisson", "nbinom2", "nbinom1")
  if (!is.null(family) && family %in% counts) return("count")
  if (is.null(method$prob) && is.numeric(method$truth)) "number" else "class"
}

left_out_words <- function(n) {
  if (n > 0L) {
    paste0("Left out, without response, domain or prediction: ", plural(n, "row"), ".")
  }
}

# Domains without calibration, see of_trained().
lacking_words <- function(sites) {
  lacking <- lapply(sites, function(scored) {
    if (!is.null(scored$p)) as.character(scored$domain)[is.infinite(scored$score)]
  })
  domains <- unique(unlist(lacking))
  if (length(domains)) {
    paste0("No calibration, and no log loss of a class that training lacks, in ",
           enumerate(domains, quote = "\""), ".")
  }
}

# ---- sites ------------------------------------------------------------------------------------

# list(y, p, score: as in `measures`, place: of each row in order to pair methods, rep, domain: a
# factor, class, left_out). p is NULL where there are no probabilities. method: one of those of
# validation_rows().
site_rows <- function(method, kind, class) {
  domain <- as.factor(method$domain)
  n <- length(domain)
  rep <- if (is.null(method$rep)) rep(1, n) else method$rep
  place <- if (is.null(method$row)) seq_len(n) else method$row
  scored <- switch(kind, class = event_rows(method, class), ordinal = ordered_rows(method),
                   number = , count = number_rows(method, kind), censored = time_rows(method))
  # scores of classes that training lacks are infinite, see mark_lacking()
  for (values in scored[c("y", "p", if (kind != "class") "score")]) {
    if (any(is.infinite(values))) abort("data", "Responses and predictions must be finite.")
  }
  ok <- !is.na(scored$y) & !is.na(domain)
  for (values in scored[c("p", "score")]) {
    if (!is.null(values)) ok <- ok & !is.na(rowSums(cbind(values)))
  }
  if (!any(ok)) abort("data", "No row has both a response and a prediction.")
  scored[c("y", "p", "score")] <- lapply(scored[c("y", "p", "score")], take, ok)
  c(scored, list(domain = droplevels(domain[ok]), rep = rep[ok], place = place[ok],
                 left_out = length(unique(place[!ok]))))
}

event_rows <- function(method, class) {
  levels <- class_levels(method)
  truth <- value_labels(method$truth)
  check_known_classes(truth, levels)
  if (is.null(class) && length(levels) > 2L) {
    abort("argument", "`class` must name the event, one of ", enumerate(levels, quote = "\""), ".")
  }
  class <- if (is.null(class)) levels[2L] else check_choice(class, "class", levels)
  column <- match(class, levels)
  p <- method$prob[, column]
  if (!is.null(p)) check_probabilities(p)
  score <- if (is.null(method$decision)) p
           else if (is.matrix(method$decision)) event_scores(method$decision, column)
           else if (column == 2L) method$decision else -method$decision
  list(y = as.integer(truth == class), p = p, score = score, class = class)
}

# The decision value of the event, infinite where training lacks it or all other classes.
event_scores <- function(decision, column) {
  alone <- rowSums(decision[, -column, drop = FALSE] != -Inf) == 0
  replace(decision[, column], alone %in% TRUE, Inf)
}

class_levels <- function(method) {
  if (!is.null(method$levels)) method$levels
  else if (!is.null(method$prob)) colnames(method$prob) else levels(method$truth)
}

check_known_classes <- function(truth, levels) {
  other <- setdiff(truth, c(levels, NA))
  if (length(other)) {
    abort("data", "The response must have the classes of the predictions (",
          enumerate(levels, quote = "\""), "), not ", enumerate(other, quote = "\""), ".")
  }
}

check_probabilities <- function(p) {
  bad <- !is.na(p) & (p < 0 | p > 1)
  if (any(bad)) {
    abort("data", "Probabilities must be from 0 to 1, not ", format(p[bad][1L]), ".")
  }
}

ordered_rows <- function(method) {
  P <- method$prob
  if (is.null(P)) abort_no_validated()
  check_probabilities(P)
  # columns in the order of the classes
  levels <- class_levels(method)
  if (is.factor(method$truth)) levels <- intersect(levels(method$truth), levels)
  check_known_classes(value_labels(method$truth), levels)
  P <- P[, match(levels, colnames(P)), drop = FALSE]
  y <- match(value_labels(method$truth), levels)
  list(y = y, p = unname(P), score = drop(P %*% seq_along(levels)))
}

number_rows <- function(method, kind) {
  if (!is.numeric(method$truth)) {
    abort("data", "`response` \"", kind, "\" needs numbers, not ", describe(method$truth), ".")
  }
  p <- as.numeric(method$prediction)
  y <- as.numeric(method$truth)
  if (kind == "count" && any(y < 0 | p <= 0, na.rm = TRUE)) {
    abort("data", "Counts must be 0 or more and their predicted means above 0.")
  }
  list(y = y, p = p)
}

time_rows <- function(method) {
  if (!is_censored(method$truth)) {
    abort("data", "`response` \"censored\" needs censored times, `survival::Surv(time, status)`, ",
          "not ", describe(method$truth), ".")
  }
  list(y = method$truth, p = method$survival, score = drop(method$decision))
}

abort_no_validated <- function() {
  abort("argument", "`object` has no probabilities: use a model that has them, such as one with ",
        "`calibration = \"platt\"`.")
}

# The measures for which the rows of all methods have what is needed.
measures_for <- function(kind, sites, threshold, times = NULL) {
  with_prob <- all(vapply(sites, function(site) !is.null(site$p), NA))
  if (!is.null(threshold) && (kind != "class" || !with_prob)) {
    abort("argument", "`threshold` must be NULL without probabilities of classes.")
  }
  late <- any(vapply(sites, function(site) !is.null(entries(site$y)), NA))
  chosen <- Filter(function(m) {
    (with_prob || !"prob" %in% m$needs) && (!is.null(threshold) || !"threshold" %in% m$needs) &&
      (!late || !"start" %in% m$needs)
  }, measures[[kind]])
  if (kind == "censored") chosen <- at_times(chosen, times)
  lapply(chosen, function(m) {
    # a standard deviation of bias is large in units of the response
    if (isTRUE(m$response)) m$prior_sd <- m$prior_sd * max(stats::sd(sites[[1L]]$y), 1e-12)
    if ("threshold" %in% m$needs) m$title <- paste(m$title, "at", format(threshold))
    m
  })
}

# A measure at a time becomes one for each time.
at_times <- function(chosen, times) {
  timed <- function(m, k) {
    of <- m$at
    t <- times[k]
    m$title <- paste(m$title, "at", format(t))
    m$of <- function(d, ...) of(d, d$p[, k], t)
    m
  }
  each <- Map(function(m, name) {
    if (is.null(m$at)) return(stats::setNames(list(m), name))
    stats::setNames(lapply(seq_along(times), timed, m = m),
                    paste(name, horizon_names(times), sep = "_", recycle0 = TRUE))
  }, chosen, names(chosen))
  do.call(c, unname(each))
}

check_target <- function(target, chosen) {
  if (is.null(target)) return(NULL)
  unknown <- if (is.list(target)) setdiff(names(target), names(chosen))
  if (length(unknown)) {
    abort("argument", "`target` must be of measures that there are (",
          enumerate(names(chosen), length(chosen)), "), not of ", enumerate(unknown), ".")
  }
  fine <- is.list(target) && !is.null(names(target)) &&
    all(vapply(target, function(t) is.numeric(t) && length(t) %in% 1:2 && !anyNA(t), NA))
  if (!fine) {
    abort("argument", "`target` must be a list of one or two numbers by measure (",
          enumerate(names(chosen), length(chosen)), "), such as `list(", names(chosen)[1L],
          " = 0.7)`, not ", describe(target), ".")
  }
  twice <- names(target)[duplicated(names(target))]
  if (length(twice)) {
    abort("argument", "`target` must have one element of ", twice[1L], ", not several.")
  }
  Map(function(value, name) {
    range <- scales[[chosen[[name]]$scale]]$range
    if (any(value < range[1L] | value > range[2L]) || length(value) == 1L && is.infinite(value)) {
      abort("argument", "`target` of ", name, " must be from ", range[1L], " to ", range[2L],
            ", not ", enumerate(format(value), quote = ""), ".")
    }
    if (length(value) == 2L) return(sort(value))
    better <- chosen[[name]]$better
    if (is.numeric(better)) {
      abort("argument", "`target` of ", name, " must be two numbers, a range.")
    }
    if (better == "high") c(value, Inf) else c(-Inf, value)
  }, target, names(target))
}

# For each measure list(estimate, se, value, value_se [domains]; likelihoods, information: lists of
# functions, see site_value(); effects: of each domain's rows, by place, if `paired`), for repeats
# their means. scored: site_rows().
measure_sites <- function(scored, chosen, threshold, paired) {
  parts <- split(seq_along(scored$y), list(scored$rep, scored$domain), drop = TRUE)
  at <- split(seq_along(parts), scored$domain[vapply(parts, `[`, 0L, 1L)])
  sizes <- lengths(parts)
  lapply(chosen, function(measure) {
    sites <- lapply(parts, function(i) {
      measure$of(lapply(scored[c("y", "p", "score")], take, i), threshold = threshold)
    })
    sites <- with_common_errors(sites, sizes, scales[[measure$scale]])
    mean_of <- function(name) {
      vapply(at, function(k) mean(vapply(sites[k], `[[`, 0, name), na.rm = TRUE), 0)
    }
    list(estimate = mean_of("estimate"), se = mean_of("se"), value = mean_of("value"),
         value_se = mean_of("value_se"),
         likelihoods = lapply(at, function(k) mean_likelihood(sites[k])),
         # of repeats that of the first: they have the same rows
         information = lapply(at, function(k) sites[[k[1L]]]$information),
         effects = if (paired) lapply(at, function(k) {
           effect <- unlist(lapply(sites[k], `[[`, "effect"), use.names = FALSE)
           place <- unlist(lapply(parts[k], function(i) scored$place[i]), use.names = FALSE)
           tapply(effect, place, sum) / length(k)
         }))
  })
}

# The mean over repeats, whose events are the same rows.
mean_likelihood <- function(sites) {
  likelihoods <- lapply(sites, `[[`, "likelihood")
  if (length(sites) == 1L || any(vapply(likelihoods, is.null, NA))) return(likelihoods[[1L]])
  function(value) Reduce(`+`, lapply(likelihoods, function(of) of(value))) / length(likelihoods)
}

# On the scale of the measure, see common_errors(); but where errors are those of events.
with_common_errors <- function(sites, sizes, scale) {
  derived <- vapply(sites, function(site) is.null(site$value_se), NA)
  sites <- Map(on_scale, sites, list(scale), sizes)
  se <- vapply(sites, `[[`, 0, "value_se")
  value <- vapply(sites, `[[`, 0, "value")
  errors <- replace(se, derived, common_errors(se[derived], sizes[derived], value[derived]))
  changed <- which(errors != se)
  sites[changed] <- Map(function(site, error) {
    site$value_se <- error
    site$se <- error / abs(scale$slope(site$estimate))
    site
  }, sites[changed], errors[changed])
  sites
}

# Few rows may be alike by chance, and a site of two such rows would outweigh all others: where
# there are fewer than ten, or all are alike, the variance of a row is that of all sites.
common_errors <- function(se, sizes, value) {
  finite <- is.finite(se)
  # what rounding leaves of zero
  none <- finite & se <= pmax(1e-9 * abs(value), 1e-7 * max(se[finite], 0))
  se[none] <- 0
  few <- finite & (sizes < few_events | none)
  judged <- finite & !none & sizes > 1L & (sizes >= few_events | !any(sizes[finite] >= few_events))
  if (!any(judged)) return(se)
  common <- sum((sizes * se^2 * (sizes - 1))[judged]) / sum((sizes - 1)[judged])
  replace(se, few, sqrt(common / sizes[few]))
}

# The value on the scale and its error, by the derivative where they are not given. The error of a
# logarithm depends on the number of rows, and on which of them are extreme.
on_scale <- function(site, scale, n = 1) {
  if (is.null(site$information) && scale$title != "untransformed") {
    site$information <- function(value, site) n
  }
  if (is.null(site$value)) {
    site$value <- if (is.na(site$estimate)) NA_real_ else scale$to(site$estimate)
    site$value_se <- abs(scale$slope(site$estimate)) * site$se
  }
  site
}

# ---- summaries --------------------------------------------------------------------------------

pool_measures <- function(values, chosen, inflation, level) {
  Map(function(value, measure) {
    random_effects(value$value, value$value_se, measure$prior_sd, inflation, level,
                   likelihoods = value$likelihoods, information = value$information)
  }, values, chosen)
}

summary_rows <- function(pooled, chosen, target, level) {
  by_measure(Map(function(overall, measure, name) {
    scale <- scales[[measure$scale]]
    row <- mean_columns(overall, scale, "mean")
    if (is.null(target)) row
    else cbind(row, pass_columns(overall$new, scale, target[[name]], level))
  }, pooled, chosen, names(chosen)))
}

# The columns of a result of random_effects(), its mean under this name.
mean_columns <- function(overall, scale, name) {
  weighted <- overall$weighted
  new <- overall$new$interval
  cbind(
    stats::setNames(data.frame(overall$domains, scale$from(overall$mean)), c("domains", name)),
    from_scale(overall$lower, overall$upper, scale), tau = overall$tau,
    from_scale(new[1L], new[2L], scale, "new_"),
    weighted = scale$from(weighted$mean),
    from_scale(weighted$lower, weighted$upper, scale, "weighted_"), weighted_p = overall$p
  )
}

# In order, because a scale may reverse the ends.
from_scale <- function(lower, upper, scale, prefix = "") {
  ends <- scale$from(cbind(lower, upper))
  stats::setNames(data.frame(pmin(ends[, 1L], ends[, 2L]), pmax(ends[, 1L], ends[, 2L])),
                  paste0(prefix, c("lower", "upper")))
}

# The probability that a new site lies between these limits, see share_between().
pass_columns <- function(new, scale, limits, level) {
  share <- rep(NA_real_, 3L)
  if (!is.null(limits) && !is.null(new$weights)) {
    ends <- suppressWarnings(scale$to(pmin(pmax(limits, scale$range[1L]), scale$range[2L])))
    share <- share_between(sort(ends), new, level)
  }
  data.frame(pass = share[[1L]], pass_lower = share[[2L]], pass_upper = share[[3L]])
}

site_table <- function(values, pooled, scored, chosen, level) {
  once <- first_places(scored)
  n <- tabulate(scored$domain[once], nlevels(scored$domain))
  y <- if (is_censored(scored$y)) has_event(scored$y) + 0 else if (!is.null(scored$class)) scored$y
  events <- if (is.null(y)) NA_integer_
            else as.integer(rowsum(y[once], as.integer(scored$domain[once])))
  by_measure(Map(function(value, overall, measure) {
    scale <- scales[[measure$scale]]
    half <- stats::qnorm((1 + level) / 2) * value$value_se
    shrunk <- matrix(NA_real_, length(n), 3L)
    if (!is.null(overall$posterior)) {
      shrunk[overall$known, ] <- shrunken_sites(overall$posterior, level)
    }
    ends <- from_scale(value$value - half, value$value + half, scale)
    # of 0 events the estimate is the end
    data.frame(domain = levels(scored$domain), rows = n, events = events,
               estimate = value$estimate, se = value$se,
               lower = pmin(ends$lower, value$estimate), upper = pmax(ends$upper, value$estimate),
               shrunk = scale$from(shrunk[, 1L]),
               from_scale(shrunk[, 2L], shrunk[, 3L], scale, "shrunk_"), row.names = NULL)
  }, values, pooled, chosen))
}

# Repeats predict the same rows.
first_places <- function(scored) !duplicated(data.frame(scored$place, scored$domain))

kept_rows <- function(scored) {
  data <- data.frame(row = scored$place, domain = scored$domain, y = scored$y)
  # a matrix of ordered classes
  data$p <- if (is.null(scored$p)) NA_real_ else scored$p
  if (length(unique(scored$rep)) > 1L) data$rep <- scored$rep
  data
}

# Differences from the baseline on the same rows, by domain with paired errors, and over domains.
compare_measures <- function(values, baseline, inflation, level) {
  others <- values[setdiff(names(values), baseline)]
  base <- values[[baseline]]
  paired <- lapply(others, function(other) Map(pair_values, other, base))
  half <- stats::qnorm((1 + level) / 2)
  by_domain <- function(pair) {
    data.frame(domain = names(pair$value), difference = pair$value, se = pair$se,
               lower = pair$value - half * pair$se, upper = pair$value + half * pair$se)
  }
  # on no scale: a difference may be of either sign
  over_domains <- function(pair) {
    mean_columns(random_effects(pair$value, pair$se, inflation = inflation, level = level),
                 scales$identity, "difference")
  }
  each <- function(describe) {
    by_method(lapply(paired, function(pairs) by_measure(lapply(pairs, describe))))
  }
  list(differences = each(over_domains), paired = each(by_domain))
}

# list(value, se [domains]) of the difference of two methods on the same rows.
pair_values <- function(a, b) {
  domains <- intersect(names(a$estimate), names(b$estimate))
  se <- vapply(domains, function(domain) {
    # by place, as no list knows an element called ""
    of_a <- a$effects[[match(domain, names(a$effects))]]
    of_b <- b$effects[[match(domain, names(b$effects))]]
    if (!setequal(names(of_a), names(of_b))) return(NA_real_)
    sqrt(sum((of_a - of_b[names(of_a)])^2))
  }, 0)
  value <- a$estimate[match(domains, names(a$estimate))] -
    b$estimate[match(domains, names(b$estimate))]
  sizes <- lengths(a$effects[match(domains, names(a$effects))])
  list(value = value, se = common_errors(se, sizes, value))
}

# ---- meta-regression --------------------------------------------------------------------------

# The model matrix of the covariates, a row for each domain of the rows, without the intercept.
read_covariates <- function(covariates, scored, labels) {
  if (!is.data.frame(covariates)) {
    abort("argument", "`covariates` must be a data frame, not ", describe(covariates), ".")
  }
  column <- intersect(c(labels$domain, "domain"), names(covariates))[1L]
  if (is.na(column)) {
    abort("argument", "`covariates` must have the column ",
          paste0("`", unique(c(labels$domain, "domain")), "`", collapse = " or "), ".")
  }
  at <- match(levels(scored$domain), value_labels(covariates[[column]]))
  if (anyNA(at)) {
    abort("data", "`covariates` must have a row for ",
          enumerate(levels(scored$domain)[is.na(at)], quote = "\""), ".")
  }
  columns <- covariates[at, setdiff(names(covariates), column), drop = FALSE]
  once <- unique(covariates[value_labels(covariates[[column]]) %in% levels(scored$domain), ])
  twice <- value_labels(once[[column]])[duplicated(once[[column]])]
  if (length(twice)) {
    abort("data", "`covariates` must not vary within a domain, as in ",
          enumerate(unique(twice), quote = "\""), ".")
  }
  if (ncol(columns) == 0L) abort("data", "`covariates` must have a column beside the domain.")
  for (name in names(columns)) {
    check_understood(columns[[name]], "predictor", paste0("`covariates$", name, "`"))
  }
  columns[] <- lapply(columns, base_column)
  if (anyNA(columns)) abort("data", "`covariates` must have no missing values.")
  numbers <- vapply(columns, is.numeric, NA)
  if (!all(is.finite(unlist(columns[numbers])))) abort("data", "`covariates` must be finite.")
  columns[!numbers] <- lapply(columns[!numbers], function(values) factor(value_labels(values)))
  same <- vapply(columns, function(values) length(unique(values)) < 2L, NA)
  if (any(same)) {
    abort("data", "`covariates` must vary between domains, not be constant as ",
          enumerate(names(columns)[same]), ".")
  }
  X <- stats::model.matrix(~ ., columns)[, -1L, drop = FALSE]
  if (nrow(X) < ncol(X) + 2L) {
    abort("data", "`covariates` must have fewer columns (", ncol(X), " with those of factors) ",
          "than there are domains (", nrow(X), ") less one.")
  }
  X
}

# NA for terms that these sites cannot tell from others.
regress_measures <- function(values, X, inflation, level) {
  by_measure(lapply(values, function(value) {
    used <- has_error(value$value, value$value_se)
    if (sum(used) < ncol(X) + 2L) return(NULL)
    terms <- which(independent_columns(X[used, , drop = FALSE]))
    if (length(terms) == 0L) return(NULL)
    scaling <- engine_scaling(X[used, terms, drop = FALSE])
    fit <- regress_sites(value$value[used], value$value_se[used],
                         cbind(1, scale_columns(X[used, terms, drop = FALSE], scaling)))
    df <- sum(used) - length(terms) - 1L
    # back in the units of the covariates
    back <- diag(c(1, 1 / scaling$scale))
    back[1L, -1L] <- -scaling$centre / scaling$scale
    estimate <- se <- rep(NA_real_, 1L + ncol(X))
    estimate[c(1L, 1L + terms)] <- back %*% fit$beta
    se[c(1L, 1L + terms)] <- sqrt(diag(back %*% fit$covariance %*% t(back)) * inflation)
    half <- stats::qt((1 + level) / 2, df) * se
    data.frame(term = c("(intercept)", colnames(X)), estimate = estimate, se = se,
               lower = estimate - half, upper = estimate + half,
               p = 2 * stats::pt(-abs(estimate) / se, df), tau = fit$tau, row.names = NULL)
  }))
}

#' Measures of validation by site
#'
#' Which measures [dg_validate()] computes at a site, how they are defined, and what it does where a
#' site has few rows or events.
#'
#' @section Definitions:
#' With y the response and p the prediction of the n rows of a site:
#'
#' | name | response | definition | perfect | scale |
#' |---|---|---|---|---|
#' | `auc` | class | area under the ROC curve; error by DeLong and others (1988) | 1 | logit |
#' | `oe` | class, count | observed over expected events, sum of y / sum of p | 1 | log |
#' | `intercept` | class | a of logit P(y = 1) = a + logit p | 0 | |
#' | `slope` | class | b of logit P(y = 1) = a + b logit p | 1 | |
#' | `brier` | class | mean of (y - p)^2 | 0 | log |
#' | `scaled_brier` | class | 1 - Brier score / that of the site's proportion | 1 | log of 1 - x |
#' | `log_loss` | class | mean of -log(probability of the true class) | 0 | log |
#' | `sensitivity` | class | proportion of events with p at or above `threshold` | 1 | logit |
#' | `specificity` | class | proportion of others with p below `threshold` | 1 | logit |
#' | `rmse` | number | root of the mean of (y - p)^2 | 0 | log |
#' | `r2` | number | 1 - mean of (y - p)^2 / variance of y at the site | 1 | log of 1 - x |
#' | `bias` | number | mean of p - y: above 0, predictions are too high | 0 | |
#' | `intercept`, `slope` | number | a and b of y = a + b p by least squares | 0, 1 | |
#' | `deviance` | count | mean of 2 (y log(y / p) - y + p) | 0 | log |
#' | `slope` | count | b of log E(y) = a + b log p | 1 | |
#' | `rps` | ordinal | mean of the sum over k of (P(y <= k) - 1\[y <= k\])^2 | 0 | log |
#' | `concordance` | ordinal | pairs of rows in the right order, see below | 1 | logit |
#' | `concordance` | censored | Harrell's concordance, see [dg_cv()] | 1 | logit |
#' | `uno` | censored | Uno's concordance, see [metric_concordance()] | 1 | logit |
#' | `slope` | censored | b of log hazard = log h(t) + b f by Cox regression | 1 | |
#' | `oe_<t>` | censored | observed over expected proportion with an event until t | 1 | log |
#' | `brier_<t>` | censored | Brier score at t, see [metric_brier()] | 0 | log |
#'
#' `concordance` is the proportion of pairs of rows with different y in which the row with the
#' higher y has the higher predicted mean class; ties count 1/2.
#'
#' Standard errors are for other rows of the same site and assume independent rows. Rows count alike
#' whatever `weights` a fit had. On the given scale estimates are nearly normal: intervals are
#' symmetric there, and sites are summarised there.
#' @section Censored times:
#' f are the decision values, logarithms of hazards. `oe_365` and `brier_365` are at `times` 365 and
#' need predicted survival probabilities: of a cross-validation those of `metric =
#' metric_brier(365)`, of a fitted model those at `times`. With late entry (`Surv(start, stop,
#' status)`) there are the concordance and the slope only. The observed proportion is 1 - Kaplan and
#' Meier's estimate at the site, the expected one the mean of 1 - S(t). A site without a row that is
#' followed until t has neither, also if all of its rows had an event before t: choose `times` that
#' all sites reach, or the mean lacks the sites with the most events. Standard errors of both
#' include that of the weights of censoring (Graf and others, 1999); those of `uno` take the weights
#' as known.
#' @section Classes that training lacks:
#' Where the domains of training lack the event, or all other classes, its odds are 0 or infinite in
#' the site that is held out: a cross-validation has no `oe`, `intercept` and `slope` there, and no
#' `log_loss` if the site has rows of what training lacks. `print()` names such sites; the others
#' are summarised. A model that is wrong about a class of its training has a log loss of at most
#' -log(1e-15) a row.
#' @section Small sites:
#' A site without both classes has no `auc`; one with fewer than 5 events or 5 others has no
#' `slope`. With fewer than 10 of either, `intercept` and `slope` have Firth's penalty (1993), and
#' the error of `auc` is that of Newcombe (2006, method 4) at (A n1 n0 + 1/2) / (n1 n0 + 1), which
#' allows for the number of pairs: that of Hanley and McNeil (1982, equation 1) with the mean of n1
#' and n0 in the place of each, so that it does not matter which class is the event. With fewer than
#' 10 rows, or rows that are all alike, the standard deviation of a row is pooled over sites and
#' divided by the square root of the site's number of rows. For proportions of 0 or 1, half an event
#' and half a non-event are added, and half an event to a site without events in `oe`. A site with
#' few rows has a large error and so a small weight. A site without an error (all predictions are
#' perfect) has no place on the scale and is not in the mean; `print()` says so. Sites of 5 rows of
#' censored times are too small for `oe_<t>` and `brier_<t>`.
#' @references
#' DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas under two or
#' more correlated receiver operating characteristic curves. *Biometrics* 44, 837-845.
#'
#' Firth, D. (1993). Bias reduction of maximum likelihood estimates. *Biometrika* 80, 27-38.
#'
#' Graf, E., Schmoor, C., Sauerbrei, W. and Schumacher, M. (1999). Assessment and comparison of
#' prognostic classification schemes for survival data. *Statistics in Medicine* 18, 2529-2545.
#'
#' Hanley, J. A. and McNeil, B. J. (1982). The meaning and use of the area under a receiver
#' operating characteristic (ROC) curve. *Radiology* 143, 29-36.
#'
#' Newcombe, R. G. (2006). Confidence intervals for an effect size measure based on the Mann-Whitney
#' statistic. Part 2: asymptotic methods and evaluation. *Statistics in Medicine* 25, 559-573.
#' @seealso [dg_validate()], [site_means] for means and intervals over sites, [dg_cv()] for scores
#'   of rows
#' @name site_measures
NULL

#' Means and intervals over sites
#'
#' How [dg_validate()], [dg_net_benefit()] and [dg_forecast()] summarise the values of sites
#' ([site_measures]) in a mean, and what they expect of a new site. Debray and others (2017)
#' introduce such summaries.
#'
#' @section Mean over sites:
#' The value of site g on its scale is \eqn{\theta_g + e_g}{theta_g + e_g} with \eqn{\theta_g \sim
#' N(\mu, \tau^2)}{theta_g ~ N(mu, tau^2)}. In the mean each site counts once, on the scale of the
#' measure; it is transformed back, so that it is about the value of the middle site and not the
#' arithmetic mean of the estimates, which `print()` shows where it is outside the interval. A site
#' whose variance is more than nine times the median counts less, in proportion. The interval is
#' Student's, from the squares of the values, which covers enough whatever the errors of the sites
#' are (Ibragimov and Mueller, 2010); the error is at least that of the rows. \eqn{\tau}{tau} is the
#' median of the posterior distribution under "A new site". Folds of a cross-validation share
#' training rows: the variance of the mean is multiplied by 1 + n / n_1 for n_1 of n rows in
#' training, as in [dg_compare()].
#'
#' Sites are taken as independent in all intervals. If neighbouring sites are alike, the intervals
#' are too narrow.
#' @section A new site:
#' Intervals from one estimate of \eqn{\tau}{tau} cover too little with few sites. `new_lower` to
#' `new_upper` are quantiles of the posterior predictive distribution of \eqn{\theta}{theta} at a
#' new site, by quadrature over \eqn{\tau}{tau}, with a flat density of \eqn{\mu}{mu} that is moved
#' to the mean in which each site counts once, and a half-normal one of \eqn{\tau}{tau}. Its
#' standard deviation is 0.5 or 1 on the scale of the measure, or twice what the sites differ by
#' (Paule and Mandel, 1982) if that is more. They are for the measure with many rows of the new
#' site, not for the value in few rows, and are never narrower than the interval of the mean, nor
#' than where the middle of the sites themselves lies. They assume that the new site is of the kind
#' of these. `target` gives the probability `pass` that a new site passes. It averages over what is
#' not known and is below 1 though all sites may pass: `pass_lower` to `pass_upper` is the interval
#' of the proportion of such sites, by the posterior of mean and \eqn{\tau}{tau}, and at least
#' Student's interval of the mean of the sites' own probabilities to pass, since sites may not be
#' normal; it is rounded outwards to 0.001. Where sites are of two kinds that lie closer to the
#' target than their errors, it can leave out the truth.
#'
#' In simulations (`vignette("validation")`), 95 % intervals of a new site cover 91-100 %, but those
#' of `r2`, `brier` and `scaled_brier`, which are skewed over sites where slopes differ, 84-100 %.
#' Where sites differ little, intervals are wide: few sites cannot show that others are alike.
#' @section Weighted by precision:
#' `weighted` with `weighted_lower` to `weighted_upper` is the posterior mean of \eqn{\mu}{mu}. It
#' is the mean of sites only if precise sites have the same values as others, and then has a
#' narrower interval where sites differ in size more than in value. `weighted_p` is the p of the
#' difference of both means, whose variance given \eqn{\tau}{tau} is known, averaged over the
#' posterior; `print()` names measures with p < 0.05. Errors that go with values by chance (AUC,
#' proportions, events, mean losses) are replaced here by those to expect at the mean.
#' @section Few events:
#' Where events are few, values and errors on the scale are correlated, and weights by them are
#' biased. A likelihood then takes the place of the normal one (Stijnen, Hamza and Ozdemir, 2010),
#' at sites with fewer than 40 events or 40 non-events (for `auc` 10):
#'
#' | measure | likelihood at a site |
#' |---|---|
#' | `oe` of classes | binomial, with the variance of events whose p differ |
#' | `oe` of counts | Poisson, with the dispersion of the site |
#' | `intercept` of classes | of the rows' events |
#' | `slope` of classes | nearly that given the number of events (Davison, 1988) |
#' | `slope` of counts | given the sum of the counts, with the dispersion of the site |
#' | `sensitivity`, `specificity` | binomial |
#' | `auc`, `concordance`, `uno` | binomial, of as many pairs as give its standard error |
#' | `oe` of censored times | binomial, of as many rows as give its standard error |
#' | `slope` of censored times | the partial likelihood |
#'
#' \eqn{\mu}{mu} with its interval and \eqn{\tau}{tau} are then those of the posterior distribution
#' under "A new site", but with a density of \eqn{\mu}{mu} that is the root of the information, at
#' most that at 0: it is proper also where no site has an event. To count each site once, it is
#' moved by the difference of the two means, of which a site's part is the score of its marginal
#' likelihood over the information, and stretched by the ratio of their standard deviations
#' (simulations: `vignette("validation")`).
#' @section Meta-regression and ranking:
#' **Meta-regression** is by least squares in which each site counts once, as in the mean, with
#' errors HC3 (MacKinnon and White, 1985) and the same allowance for folds; it does not use the
#' likelihood of few events. A term that is not identified at the sites with a value is `NA`.
#'
#' **Ranking.** `shrunk` is the posterior mean of each site, on the scale of the measure and back:
#' a site with few rows is shrunk towards the mean.
#' @references
#' Ibragimov, R. and Mueller, U. K. (2010). t-statistic based correlation and heterogeneity robust
#' inference. *Journal of Business and Economic Statistics* 28, 453-468.
#'
#' MacKinnon, J. G. and White, H. (1985). Some heteroskedasticity-consistent covariance matrix
#' estimators with improved finite sample properties. *Journal of Econometrics* 29, 305-325.
#'
#' Paule, R. C. and Mandel, J. (1982). Consensus values and weighting factors. *Journal of Research
#' of the National Bureau of Standards* 87, 377-385.
#'
#' Stijnen, T., Hamza, T. H. and Ozdemir, P. (2010). Random effects meta-analysis of event outcome
#' in the framework of the generalized linear mixed model with applications in sparse data.
#' *Statistics in Medicine* 29, 3046-3067.
#'
#' Davison, A. C. (1988). Approximate conditional inference in generalized linear models. *Journal
#' of the Royal Statistical Society B* 50, 445-461.
#'
#' Debray, T. P. A. and others (2017). A guide to systematic review and meta-analysis of prediction
#' model performance. *BMJ* 356, i6460.
#' @seealso [dg_validate()], `vignette("validation")` with the coverage in simulations
#' @name site_means
NULL
