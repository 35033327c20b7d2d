#' Cross-validation by domain
#'
#' Holds out whole domains in turn, fits the model to the others, predicts the rows of the held-out
#' domains from their predictors, and scores each domain separately. Scaling, bandwidths and all
#' other parameters are learned from the training domains of the fold. Standard errors assume that
#' domains are independent of each other and exchangeable with new ones; rows of a domain may be
#' dependent.
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param weights,na.action,progress,... As in [all methods][dg_arguments].
#' @inheritParams dg_dica
#' @inheritParams dg_svm
#' @param object A learner or [dg_pipeline()] without data; or a fitted model, of which each domain
#'   is held out in [closed form][closed_form] or by fitting again, see `refit`.
#' @param folds Folds of domains: a number v of folds, assigned at random (use [set.seed()]); the
#'   result of [domain_folds()], also with `time`; that of [row_folds()], which holds out rows of
#'   known domains; or an `rset` of rsample, whose data must have the same values in the same rows.
#'   Default `NULL`: one domain at a time (of a [row_source()] of more than 30 domains, 30 folds).
#' @param metric One or more scores: names from the table of [scores], or
#'   [metric_custom()]s; the first is the `score`. Default `NULL`: `"rmse"`, `"accuracy"` or
#'   (censored times) `"concordance"`.
#' @param refits If `TRUE`, the model is fitted again without each pair of folds, for the standard
#'   errors (also those of `shots`): K(K - 1)/2 further fits for K folds, at most 45. Default
#'   `FALSE`.
#' @param hold_out Name of the factor whose levels are held out, if the formula has several factors
#'   of domains. Default `"all"`: held-out domains are new in every factor, see [nested_domains].
#' @param shots Numbers of labelled rows, such as `c(1, 2, 5, 10)`: the fit without a domain is also
#'   updated with that many of its rows, see [shots]. Default `NULL`: none.
#' @param updates With `shots`, one or more ways to use the labelled rows: `"adapt"` ([dg_adapt()],
#'   only for models that it accepts), `"intercept"`, `"slope"` (intercept and slope; both only for
#'   numbers and two classes) and `"local"` (a model of these rows alone), see [shots]. Default
#'   `"adapt"`.
#' @param refit For a fitted model: if `TRUE`, it is fitted again without the held-out domains, to
#'   its own data if none are given, a [tuned][dg_tune()] one with its whole search. If `FALSE`,
#'   held-out values are in closed form from the fit to all rows, where there is one for what is
#'   asked, see [closed_form]. Default `NULL`: in closed form where there is one (not for tuned
#'   models), otherwise fitted again. `print()` says which.
#' @return An object of class `dg_cv`, a list with
#'   \item{domains}{data frame, one row per domain: `domain`, `fold` (of the first repeat; `NA` for
#'     a domain in several folds), `rows` (counted in each repeat), `score` (mean over repeats), and
#'     with several metrics a column for each}
#'   \item{predictions}{data frame, one row per row of the data without missing values (and per
#'     repeat): `row`, `domain`, `fold`, `rep`, `truth`, `prediction`, `decision` (with more than
#'     two classes `decision.<class>`, a column per class, `-Inf` for classes that the training
#'     domains lack), `prob.<class>` if the model has probabilities, and if a metric needs them
#'     `se`, `lower` and `upper`, or `set.<class>`. `$prob` and the like give the matrix of such
#'     columns}
#'   \item{mean, se}{mean score over domains and its standard error as an estimate of the mean over
#'     new domains, which allows for overlapping training sets, see [standard_errors]}
#'   \item{errors}{list per metric: `se`, `df` (degrees of freedom), `inflation` (ratio of the
#'     squared standard error to \eqn{s^2/G}{s^2/G}), `how` it was found (`"jackknife"`, `"factor"`,
#'     or `"none"` if there is no variance), `positive` (`TRUE` if the interval is on the log
#'     scale), and `range` of the metric, if limited}
#'   \item{refits}{with `refits` a list: number of `fits`, `seconds`, the `error` message of a
#'     failed one, and the scores `without` a further fold, domains x groups of folds}
#'   \item{overall}{score of all rows together; an overall `"auc"` compares decision values of
#'     different fits, which may have different scales}
#'   \item{fits}{data frame, one row per fold: `fold`, `rep`, `seconds`, with time `period`, and the
#'     parameters that [dg_tune()] or the members that [dg_auto()] selected in it}
#'   \item{failed}{data frame: `fold`, `rep` and `error` message of folds that failed, or `NULL`}
#'   \item{folds, metrics, warnings}{the assignment to folds; named list of metrics; warnings of
#'     fits with their number of folds}
#'   \item{share}{mean proportion of rows in training; with time, of their number to those held out}
#'   \item{scope}{the domains that `mean` and its interval are for: `"new"`, `"known"` (folds of
#'     rows), and with time `"new later"`, `"known later"` or `"new until"` (new ones, up to the
#'     time of the last training rows)}
#'   \item{held_out, labels, spec}{what was held out, as text; names of the response and the domain;
#'     the learner, without data}
#'   and the elements of [nested_domains] and [shots], where these apply
#' @section Errors: Fewer than two domains, a projection without a learner, and a metric that does
#' not fit the response or the model. If a fit or prediction fails in some folds, the other folds
#' are kept: a warning of class `domgen_warning_failed` and `print()` give the first message, and
#' the domains of the failed folds have no score. If all folds fail, the error is that of the first.
#' The folds of a lost worker are repeated up to three times, then the error has the class
#' `domgen_error_worker`. [dg_resume()] repeats failed folds and continues after this error and
#' after an interrupt.
#' @section Workers and rows out of memory:
#' Workers of the future package (`future::plan()`) fit folds; results do not depend on it. `data`
#' may be a [row_source()], see its section "Fit and score". `predictions` are then `NULL`.
#' @seealso [dg_tune()] (tuned inside each fold: `dg_cv(dg_tune(spec), ...)`), [dg_compare()],
#'   [dg_plan()]
#' @examples
#' # the weight of chicks on a diet, from those on other diets; of a chick, from other chicks
#' dg_cv(dg_lm(), weight ~ Time | Diet, data = ChickWeight, metric = c("rmse", "mae"))
#' dg_cv(dg_lm(), weight ~ Time + Diet | Chick, data = ChickWeight, folds = 10)
#'
#' # rows read in chunks
#' dg_cv(dg_ridge(feature_map = features_nystrom(20)), weight ~ Time | Diet,
#'       data = row_source(as.data.frame(ChickWeight)))
#' @order 1
#' @export
dg_cv <- function(object, x, y = NULL, domain = NULL, data = NULL, weights = NULL, folds = NULL,
                  metric = NULL, refits = FALSE, na.action = stats::na.omit, progress = NULL,
                  hold_out = "all", shots = NULL, updates = "adapt", refit = NULL, ...) {
  enter_session()
  call <- match.call()
  check_no_dots(list(...)[setdiff(names(list(...)), "formula")], names(formals(dg_cv)))
  check_given(object, "object")
  given <- as.list(call)[intersect(names(call), data_arguments)]
  asked <- c(names(Filter(Negate(is.null), given)), if (!is.null(folds)) "folds",
             if (!isFALSE(refits)) "refits", if (!identical(hold_out, "all")) "hold_out",
             if (!is.null(shots)) "shots")
  if (!read_refit(refit, object, asked, metric)) return(closed_cv(object, metric, parent.frame()))
  spec <- read_evaluated(object)
  input <- collect_input(list(spec), cv_input(call, object, parent.frame()))
  plan <- read_plan(list(spec), input, folds, metric, refits, progress, hold_out)
  if (!is.null(shots)) {
    if (!is.null(plan$source)) abort("argument", "`shots` must be NULL with a source.")
    shots <- check_shots(shots, plan$task, plan$metrics[1L])
    if (inherits(plan$folds, "domgen_time_folds")) {
      abort("argument", "`shots` must be NULL with `folds` with time: labelled rows would be ",
            "later than rows that are scored.")
    }
    if (!holds_domains(fold_splits(plan$folds, plan$task), plan$task$domain)) {
      abort("argument", "`shots` must be NULL with `folds` of rows: they hold out rows of known ",
            "domains.")
    }
    plan$task$arms <- shot_arms(shots, check_updates(updates, plan$task, spec))
    plan$task$shot_metric <- plan$metrics[1L]
  }
  evaluated(plan, function(plan, ctx) {
    cv <- cross_validate(plan, ctx)[[1L]]
    if (inherits(object, "dg_fit")) say_refit(cv, TRUE) else cv
  })
}

# What is to be cross-validated, of dg_cv() and dg_compare(): list(specs, task, folds, metrics,
# refits, progress). Rows of a source are counted, and folds made, when the call goes over them:
# list(specs, source, input, folds, metric, refits, progress).
read_plan <- function(specs, input, folds, metric, refits, progress, hold_out = "all") {
  if (!is.null(input$source)) {
    check_source_factors(input, hold_out)
    for (spec in specs) check_source_cv(spec, folds, refits)
    return(list(specs = specs, source = input$source, input = input, folds = folds, metric = metric,
                refits = FALSE, progress = progress))
  }
  for (spec in specs) input <- with_terms(input, spec_needs(spec)$columns)
  task <- cv_task(specs[[1L]], input, hold_out, specs[-1L])
  folds <- read_folds(folds, task)
  metrics <- read_metrics(metric, task$y)
  specs <- lapply(specs, with_title, task$y)
  for (spec in specs) check_metrics_fit(metrics, spec, nlevels(task$y))
  list(specs = unname(specs), task = task, folds = folds, metrics = metrics,
       refits = check_flag(refits, "refits"), progress = read_progress(progress))
}

# Runs code(plan, ctx) of a call, which dg_resume() can continue.
evaluated <- function(plan, code) {
  words <- function(input) c(list(paste("Scores of", format_formula(input$x)), plan$folds,
                                  plan$metric), lapply(plan$specs, fit_words, input))
  over_input(plan$input, words, function(input, ctx) {
    plan$input <- input
    code(plan, ctx)
  }, plan$progress)
}

# The specification to evaluate: that of a tuned model is its search, which is part of the method.
read_evaluated <- function(object) {
  spec <- if (inherits(object, "dg_tuned")) object$tuning$spec else read_specification(object)
  if (inherits(spec, "dg_tune_spec") && are_of_rows(spec$args$folds)) {
    abort("argument", "`object` must not be a search with `folds` of rows: training sets lack ",
          "some of these rows. Use folds of domains in the search, or evaluate its result, ",
          "`dg_cv(model$spec, ...)`.")
  }
  spec
}

read_specification <- function(object, arg = "object") {
  spec <- if (inherits(object, "dg_fit")) object$spec else object
  one <- if (arg == "object") " must be a learner or a pipeline"
         else " must be learners or pipelines"
  if (!inherits(spec, "dg_spec")) {
    abort("argument", "`", arg, "`", one, ", such as `dg_svm()`, not ", describe(object), ".")
  }
  if (inherits(spec, "dg_projection_spec")) {
    abort("argument", "`", arg, "` must predict the response: combine the projection with a ",
          "learner, `dg_pipeline(", spec$method, "(), dg_svm())`.")
  }
  spec
}

# A fitted model brings its own data when no others are given.
cv_input <- function(call, object, env) {
  given <- as.list(call)[-1L]
  given <- given[names(given) %in% data_arguments]
  if (inherits(object, "dg_fit")) model_input(object, given, env) else evaluate_input(given, env)
}

# The rows that can be used, with truth and domain; the raw input to refit from. others: further
# specifications, for which rows must be complete too.
cv_task <- function(spec, input, hold_out = "all", others = list()) {
  # levels of a character predictor must not depend on the fold
  text <- vapply(input$data, is.character, NA)
  if (any(text)) input$data[text] <- lapply(input$data[text], factor)
  input$text <- names(input$data)[text]
  needs <- spec_needs(spec)
  needs$domain <- TRUE
  if ("ordinal" %in% lapply(others, function(spec) spec_needs(spec)$response)) {
    needs$response <- "ordinal"
  }
  input <- with_terms(input, needs$columns)
  # the fits give the messages
  read <- function(input, needs) {
    suppressMessages(read_sample(input, needs, "none"), "domgen_message")
  }
  sample <- read(input, needs)
  n <- length(sample$kept)
  sample <- complete_for_all(sample, input, needs, others, read)
  task <- list(
    input = take_rows(input, sample$kept), y = sample$y, domain = sample$domain,
    scored_by = sample$domain, row = sample$kept, n = input_rows(input),
    columns = origin_columns(input, sample$blueprint),
    labels = variable_names(sample$blueprint), text_response = sample$blueprint$text_response,
    predictors = setdiff(predictor_columns(sample$blueprint), sample$blueprint$domain_columns),
    weighted = have_weights(sample$weights)
  )
  if (length(sample$kept) < n || length(unique(lapply(others, spec_terms))) > 1L) {
    task$dropped <- task$n - length(sample$kept)
  }
  hold_out_task(task, sample$blueprint$structure, hold_out)
}

# The sample of the rows that are complete for all specifications.
complete_for_all <- function(sample, input, needs, others, read) {
  kept <- sample$kept
  asked <- list(needs[c("terms", "carried")])
  for (spec in others) {
    other <- spec_needs(spec)
    if (list(other[c("terms", "carried")]) %in% asked) next
    asked <- c(asked, list(other[c("terms", "carried")]))
    kept <- intersect(kept, quietly(read(input, other))$kept)
  }
  if (length(kept) == 0L) {
    abort("data", "No row is complete for all methods: each of ", input_rows(input), " rows lacks ",
          "a value that some method needs.")
  }
  if (length(kept) == length(sample$kept)) return(sample)
  sample <- read(take_rows(input, kept), needs)
  sample$kept <- kept[sample$kept]
  sample
}
