#' Let the training domains choose the model
#'
#' @description
#' The function to call first, for numbers, counts, classes, ordered classes and censored times. It
#' fits an ensemble ([dg_ensemble()]) of kernel ridge regressions ([dg_ridge()]; with a family of
#' generalised kernel regressions, [dg_glm()]), a random forest ([dg_forest()], if ranger is
#' installed) and, for a numeric response with outliers, a support vector regression ([dg_svm()]).
#' Scaling, kernel, bandwidths, domain kernel, penalties and weights are those with the best score
#' on held-out training domains.
#'
#' @details
#' Up to 10 domains are held out one at a time, more than 10 in 10 groups. A formula gives
#' the held-out predictions of ridge regressions without further fits ([closed_form]). The best
#' candidates are averaged if the average beats the null model ([dg_null()]), which is the result
#' otherwise. [auto_search] lists candidates and rules, [auto_choice] explains `choice`: the score
#' to expect on new domains and the table of candidates. `data` may be a [row_source()], see its
#' section "Fit and score".
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param weights,na.action,calibration,terms,progress,threads,... As in [all
#'   methods][dg_arguments].
#' @param family Distribution of the response, see "Families" of [auto_search]: as in [dg_glm()],
#'   such as `"poisson"`, `Gamma("log")` or `"ordinal"`. Default `NULL`: numbers and several classes
#'   have none (least squares), two classes `"binomial"`, censored times `"cox"`. Rows out of memory
#'   have none.
#' @param metric Score for the selection and the estimate, see [auto_search]: one score of [dg_cv()]
#'   that needs no intervals and no survival probabilities. Default `NULL`: `"rmse"`, `"accuracy"`
#'   or `"concordance"`; with `family` for numbers its deviance ([metric_deviance()]; with
#'   `"nbinom2"` that of `poisson()`, which has no parameter and is least for the true means), for
#'   more than two classes `"log_loss"`. With rare classes, `"auc"`, `"log_loss"` or
#'   `"balanced_accuracy"`.
#' @param rule What is best over held-out domains: `"best"` (the default), the mean score;
#'   `"worst"`, the score of the worst domain; or a number between 0.5 and 1, the score that this
#'   proportion of the domains reaches. See "Rule" in [dg_tune()].
#' @param n_members Maximum number of kernel regressions in the average; each uses a different
#'   scaling or kernel. Default 5.
#' @param folds Groups of domains that are held out together: a number of groups, or the result of
#'   [domain_folds()]. Default `NULL`: each domain separately, in 10 groups if there are more than
#'   10 domains.
#' @param unit Vector or column of `data`: the subject of each row, if subjects occur in several
#'   domains. Default `NULL`: rows of different domains are of different subjects.
#' @param max_seconds Seconds after which no further candidate is started, except the null model;
#'   final fits are not counted. Forest and support vector regression come last. `print()` says when
#'   the limit was reached; the result then depends on the speed of the computer. Default `NULL`.
#' @param max_rows Maximum number of rows in the search. Default 1,200.
#' @param max_ard Largest number of scaled columns with a bandwidth for each. Default 30; 0: never.
#' @param seed Number: seed for the sample of rows and domains in the search and for random forests.
#'   The state of the random number generator is unchanged. Default 1.
#' @return With data, an object of class `dg_auto`: an ensemble as from [dg_ensemble()], without
#'   `held_out` and with
#'   \item{members}{named list of models, [dg_ridge()] or [dg_glm()] the best first; [dg_adapt()]
#'     accepts any of these}
#'   \item{coefficients}{their weights, which sum to 1}
#'   \item{decision}{n x k values of the weighted mean at the training rows, in units of the
#'     response (of times, logarithms of hazards)}
#'   \item{choice}{list of the elements in [auto_choice]}
#'   \item{calibration}{with `calibration`, a list, see [dg_svm()]}
#'   and what `predict()` needs. Without data, a specification for [dg_cv()] and [dg_compare()].
#' @section Errors:
#' Those of [dg_ridge()] and [dg_glm()], and a metric that needs intervals, or probabilities that
#' members do not have. A candidate that fails, or a member that cannot be fitted to all rows, is
#' left out with one warning of class `domgen_warning_left_out`.
#' @seealso [dg_ensemble()] of your own members, [dg_tune()] for other methods, [dg_diagnose()];
#'   `vignette("evidence")` for its estimates against the truth and its rank among other methods
#' @examples
#' # carbon dioxide uptake of plants, predicted for one that was not in training
#' plants <- dg_auto(uptake ~ conc + Type + Treatment | Plant, data = subset(CO2, Plant != "Mc3"),
#'                   max_seconds = 1)
#' plants
#' cbind(subset(CO2, Plant == "Mc3"), predicted = predict(plants, subset(CO2, Plant == "Mc3")))
#'
#' # counts: breaks of two kinds of wool, predicted for a tension of the loom that was not in
#' # training
#' breaks <- dg_auto(breaks ~ wool | tension, data = warpbreaks, family = "poisson",
#'                   max_seconds = 1)
#' predict(breaks, data.frame(wool = c("A", "B"), tension = "new"))
#' @export
dg_auto <- function(x, y = NULL, domain = NULL, data = NULL, family = NULL, metric = NULL,
                    rule = c("best", "worst"), n_members = 5, folds = NULL, unit = NULL,
                    max_seconds = NULL, max_rows = 1200, max_ard = 30,
                    calibration = c("none", "platt", "isotonic"),
                    weights = NULL, terms = NULL, na.action = stats::na.omit, seed = 1,
                    progress = NULL, threads = NULL, ...) {
  spec <- method_spec("dg_auto", "dg_auto_spec", environment())
  fit_or_specify(spec, match.call(), parent.frame())
}

auto_row <- function() learner_row("Ensemble selected on the training domains", domain = TRUE,
                                   offset = TRUE, units = TRUE, parameters = auto_parameters)

auto_parameters <- function() parameters(
  parameter("family", null = TRUE, check = check_family, tuned = FALSE),
  parameter("metric"),
  parameter("rule", check = function(value, arg) check_rule(value, arg, c("best", "worst")),
            tuned = FALSE),
  parameter("n_members", "count"),
  parameter("folds", tuned = FALSE),
  parameter("max_seconds", "number", 0, open = TRUE, null = TRUE, tuned = FALSE),
  parameter("max_rows", "count", 10),
  parameter("max_ard", "count", 0)
)

#' @exportS3Method
spec_needs.dg_auto_spec <- function(spec) {
  needs <- NextMethod()
  family <- spec$args$family
  needs$response <- if (is.null(family)) "open" else family_loss(family)$reads
  needs
}

#' @exportS3Method
fit_rows.dg_auto_spec <- function(spec, rows, shared = NULL) {
  check_several_classes(rows$sample$y)
  start <- proc.time()[["elapsed"]]
  once({
    auto <- if (only_sums(rows)) auto_of_source(spec, rows)
            else with_seed(spec$args$seed, auto_in_memory(spec, rows$sample))
    members <- lapply(unname(auto$members), slim)
    methods <- vapply(members, function(member) sub("^dg_", "", member$spec$method), "")
    names(members) <- make.unique(methods, "_")
    seconds <- proc.time()[["elapsed"]] - start
    new_ensemble(members, auto$weights, rows, class = c("dg_auto", "dg_result"),
                 choice = c(list(expected = auto$expected, seconds = seconds), auto$choice))
  }, "domgen_warning_two_values")
}

# list(members: fitted, weights, expected: the score, choice)
auto_in_memory <- function(spec, sample) {
  selection <- choose_by_domain(spec$args, sample)
  members <- fit_members(selection$search, selection$chosen, sample)
  selection <- without_failed(selection, members)
  chosen <- selection$chosen
  list(members = members[chosen$keys], weights = chosen$weights,
       expected = expected_score(selection$search, chosen, sample), choice = selection$choice)
}

# A member that fails is its error.
fit_members <- function(search, chosen, sample) {
  Map(function(key, weight) {
    tryCatch(fit_member(member_spec(search, key, sample, weight), sample), domgen_error = identity)
  }, stats::setNames(chosen$keys, chosen$keys), chosen$weights)
}

# The selection without members that could not be fitted to all rows, with weights that sum to 1.
without_failed <- function(selection, members) {
  chosen <- selection$chosen
  failed <- vapply(members, inherits, NA, "error")
  if (all(failed)) stop(members[[1L]])
  if (!any(failed)) return(selection)
  warn_candidates(lapply(members[failed], conditionMessage))
  chosen$keys <- chosen$keys[!failed]
  chosen$weights <- chosen$weights[!failed] / sum(chosen$weights[!failed])
  chosen$kernels$keys <- intersect(chosen$kernels$keys, chosen$keys)
  # rows of the table after that of the mean, in this order
  lines <- 1L + seq_along(members)
  selection$choice$table$member[lines] <- !failed
  selection$choice$table$weight[lines] <- replace(rep(NA_real_, length(members)), !failed,
                                                  chosen$weights)
  selection$chosen <- chosen
  selection
}

# Without what follows from its other parts.
slim <- function(object) UseMethod("slim")

#' @exportS3Method
slim.default <- function(object) object

#' @exportS3Method
slim.dg_ridge <- function(object) {
  map <- object$space$map
  if (!is.null(map$landmarks) && !is_custom(object$space$kernel)) {
    object$space$map <- without_factor(map, object$space$domain_kernel$kappa)
  }
  seal(object)
}

#' @exportS3Method
chosen_parameters.dg_auto <- function(model) {
  table <- model$choice$table
  members <- describe_candidates(table[table$member %in% TRUE, ])
  c(model$tuning$best, list(chosen = paste(members, collapse = "; ")))
}
