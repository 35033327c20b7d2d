#' Cross-validation by domain
#'
#' Holds out whole domains in turn, fits the model to the others, predicts the
#' held-out domains' rows from their predictors alone, and scores each domain by
#' itself. Scaling, bandwidths and everything else are learned from the training
#' domains of the fold. Standard errors take domains for independent of each other and exchangeable
#' with new ones; rows of a domain may depend on each other.
#'
#' @inheritParams dg_dica
#' @inheritParams dg_svm
#' @param object A learner or [dg_pipeline()] without data; or a fitted model, whose
#'   specification is then evaluated anew (on its own data, if none are given); of a
#'   [tuned][dg_tune()] model the whole search, in every fold.
#' @param folds `NULL` leaves one domain out at a time; a number v makes v folds
#'   of domains at random (use [set.seed()]); or made by [domain_folds()], by [row_folds()] (which
#'   holds out rows of known domains), or by the rsample package.
#' @param metric One or more scores, of which the first is the `score`: names from the list
#'   below, or [metric_custom()]; `"rmse"`, `"accuracy"` or (censored times) `"concordance"` if
#'   `NULL`.
#' @param refits Fit the model again without each pair of folds, for the standard errors, those by
#'   `shots` among them? That is K(K - 1)/2 further fits for K folds, at most 45.
#' @param progress Show a progress bar with the time left? `getOption("domgen.progress")`, or
#'   whether the session is interactive, if `NULL`. Where the progressr package is loaded,
#'   progress is told to its handlers instead (`progressr::handlers(global = TRUE)`).
#' @param hold_out Of a formula with several factors of domains: the name of the one whose levels
#'   are held out, or `"all"`, what is held out being new in each, see [dg_cv()].
#' @param shots Numbers of labelled rows, such as `c(1, 2, 5, 10)`: the fit without a domain is also
#'   [adapted][dg_adapt()] to it with so many of its rows, see below. For models that [dg_adapt()]
#'   takes.
#' @section Levels that only the held-out domain has:
#' Levels and coding of categorical predictors are learned from the training rows of each fold. A
#' row with a level that these do not have is not predicted, as by
#' [predict()][predict.dg_learner()]: its prediction is `NA`, its domain has no score and is not in
#' the mean, and a warning of class `domgen_warning_new_level` names column, level and domain. Put
#' rare levels together, or impute them ([na.impute()]).
#' @section Domains of several factors:
#' Behind the bar factors may be nested, `y ~ x | school / class`, or crossed,
#' `y ~ x | patient + device`, or both, `y ~ x | (school / class) + year`. A domain is then a
#' combination, a class or a pair of patient and device, named `"7 / 2"` or `"Anna + B"`: its rows
#' are judged together by the [kernel between domains][domain_distribution]. `hold_out` says what is
#' held out, and `print()` to what that is new:
#' * a named factor, `hold_out = "school"`: all rows of a school together, whatever their class;
#'   with `"class"` the other classes of its school stay in training, with `"device"` so do the rows
#'   of its patients on other devices.
#' * `"all"`: domains that are new in every factor. Of nested ones that is the outer one; of crossed
#'   ones a level of each is held out (`folds = NULL`, as many folds as there are pairs) or a group
#'   of levels of each (`folds = v`, v times v folds), and rows that share either of them with the
#'   rows held out are left out of training, so that it has fewer rows than with one factor.
#'
#' A score is that of a level of the factor that is held out, of crossed ones that of a pair. Pairs
#' that share a patient or a device have scores that go together, so that \eqn{s^2}{s^2} of
#' independent ones is replaced by sums of squares over patients, plus those over devices, minus
#' those over pairs (Cameron, Gelbach and Miller, 2011, equation 2.13, each times L/(L - 1) for its
#' L levels), with degrees of freedom one less than the smaller number of levels. In simulations of
#' 8 x 4 and 6 x 6 levels its 95 % intervals held the truth in 97 to 100 % of worlds, those of
#' independent scores in 70 to 87 %. Where an inner factor is held out, `hold_out = "class"`, sums
#' of squares are over the schools around it: with 6 and 12 schools of 4 classes such intervals held
#' the truth in 94 and 96 % of worlds, those of independent scores in 86 and 92 %
#' (`tests/bench/results/errors.txt`, as for labels below). `refits` has no part in either.
#' @section Scores:
#' Each is computed in every domain by itself, then summarised by its mean over domains.
#' `r metrics_help()`
#' A domain with a single class has no `"auc"`,
#' `"balanced_accuracy"`, `"gmean"`, `"f1"` and `"mcc"`: they are `NA` and left out of the mean. One
#' that lacks some of more than two classes has them of those that it has. A domain without a pair
#' of rows of which is known whose event came first has no `"concordance"`; where the rows of each
#' domain have the same predictors, all its pairs are ties, and it is 1/2.
#' Rows of a domain count alike, whatever their `weights`, which are for fits: a share of 30 animals
#' as much as one of 2.
#'
#' The interval of a mean is Student's, for new domains that are exchangeable with these: it does
#' not cover as it says where domains drift in time or predictors shift, and where few of them lie
#' very far out (of what else it rests on see [dg_compare()]). Where lower is better and
#' all scores are above zero, as of `"rmse"`, `"log_loss"` or a deviance, they are skewed, and it is
#' \eqn{m e^{\pm t\,\mathrm{se}/m}}{m exp(+-t se/m)} about the mean m, Student's on the log scale.
#' Intervals end where the score does, that of an accuracy at 0 and 1. Scores that are equal in all
#' domains have none: they do not say how far other domains differ.
#'
#' Means of `"coverage"` and `"width"` are those on fresh domains. The standard error of
#' `"coverage"` is too large: left-out domains set the width for each other. Widths of all folds are
#' nearly the same, and how they vary with the training domains only `refits` tell: without them
#' `"width"` has no standard error. Errors of `"interval_score"` are those of few large numbers:
#' where tails are heavy or skewed Student's intervals hold less often than they say.
#' @section Partly known domains:
#' With `shots` each held-out domain gets labels: k of its rows at random, by which the model is
#' adapted, and it is scored on rows that have no label for any k: the first k of a random order
#' have labels, those behind the largest k are scored, in 5 orders for each domain, over which its
#' score is averaged. `print()` and [plot()][plot.dg_cv()] show the mean error by k.
#' Of the first metric; domains with fewer than two rows more than the largest k are left out.
#' Domains are described by all of their rows, labelled or not.
#'
#' `se` and that of the paired change from no labels are for new domains, as above: by the factor
#' for overlapping training sets, with `refits` at least by it. Where domains differ by much, take
#' them as the least there is, because errors and changes are skewed. In two such worlds intervals
#' of a change by the factor held the mean over draws in 91 to 93 % at 8 domains and 86 to 96 % at
#' 12; where domains are alike, in 98 to 100 %.
#' @return An object of class `dg_cv`, a list with
#'   \item{domains}{data frame: `domain`, `fold` (of the first repeat, `NA` where a domain is in
#'     several), `rows` (counted in each repeat), `score` (mean over repeats), and with several
#'     metrics a column for each}
#'   \item{predictions}{data frame, one line per row of the data that has no
#'     missing values (and per repeat): `row`, `domain`, `fold`, `rep`, `truth`, `prediction`,
#'     `decision` (with more than two classes a matrix with a column each, `-Inf` where the training
#'     domains lack it), and where a metric needs them `prob` (matrix)
#'     `se`, `lower` and `upper`, or `set` (matrix)}
#'   \item{mean, se}{mean of the scores over domains, and its standard error as an estimate of
#'     the mean over new domains. Training sets of folds overlap, and with few domains
#'     \eqn{s^2/G}{s^2/G}, the variance of G scores as if they were independent, is too small:
#'     it is multiplied by \eqn{1 + n/n_1}{1 + n/n_1} for n_1 of n rows that are trained on, about
#'     2; with `refits`, by what the jackknife over pairs of folds finds, where that is more.
#'     Formulas, sources and what intervals rest on in [dg_compare()]}
#'   \item{errors}{for each metric a list: `se`, `df` (degrees of freedom), `inflation` (factor on
#'     \eqn{s^2/G}{s^2/G}), `how` it was found (`"jackknife"`, `"factor"`, or `"none"` where there
#'     is no variance), `positive`: is the interval on the log scale?, and `range`, where the
#'     metric has one}
#'   \item{refits}{with `refits` a list: the number of `fits`, `seconds`, the `error` message of
#'     one that failed, and the scores `without` a further fold, domains x groups of folds}
#'   \item{overall}{the score of all rows taken together; an overall `"auc"`
#'     compares decision values of different fits, which need not be on one scale}
#'   \item{fits}{data frame, one line per fold: `fold`, `rep`, `seconds`, and the parameters that
#'     [dg_tune()] or members that [dg_auto()] chose in it}
#'   \item{failed}{data frame of `fold`, `rep` and the `error` message of folds that failed, or
#'     `NULL`}
#'   \item{folds, metrics, warnings}{the assignment, the metrics (a named list), and warnings
#'     that fits gave with the number of folds}
#'   \item{share}{mean share of the rows that a fold trains on}
#'   \item{held, labels}{what was held out, in words; the names of response and domain}
#'   \item{novelty, unit, crossed}{of several factors: to what the rows held out are new, what a
#'     score is of, in words; the levels of crossed factors by domain}
#'   \item{shots, shot_scores}{with `shots`: data frame of `shots` (0 first), `mean`, `se`, `df`,
#'     `lower` to `upper` (its 95 % interval), the paired `difference` from no labels,
#'     `se_difference`, `df_difference` (at most G - 1), and the number of `domains`; scores by
#'     domain, domains x shots}
#'   \item{spec}{the learner or pipeline, without data}
#' @section Errors:
#' Fewer than two domains, a projection without a learner, and a metric that does
#' not fit the response or the model are errors. Where a fit or a prediction fails in some of the
#' folds the others stand: a warning of class `domgen_warning_failed` and `print()` say so, with the
#' first message, and the domains have no score. [dg_resume()] tries these folds again, and goes on
#' after an interrupt. It is an error where all folds fail, that of the first.
#' @section Parallel:
#' Folds are fitted on the workers of the plan of the future package, if `future::plan()` has set
#' one with several; results do not depend on it. What a lost worker was at is done again, up to
#' three times; beyond that there is an error of class `domgen_error_worker`, after which
#' [dg_resume()] goes on.
#' @section Rows in blocks:
#' With a [row_source()] as `data` the result is the same but for `predictions`, which are `NULL`.
#' Fits of [dg_ridge()] and [dg_gp()] without each fold follow by subtraction from sums of features
#' by groups of domains, which one pass makes: `lambda`, the width of the kernel between domains,
#' signal and noise are then chosen without the fold, as in memory. What is learned without the
#' response is learned from all rows, and not anew in each fold: scaling, bandwidth, landmarks,
#' embeddings. A [dg_pipeline()], [dg_svm()] and [dg_glm()] are fitted again without each fold, by
#' passes of their own for each; their folds too keep scaling and embeddings. If the fit of one fold
#' fails, the whole method fails. Root mean squared errors by domain
#' follow from the sums where these are kept by domain (64 MB: 2,000 domains with 64 coordinates);
#' else, and for other metrics, one pass predicts each row by the fit without its fold. Metrics must
#' be means over rows: `"rmse"`, `"mae"`, `"accuracy"`, `"brier"`, `"log_loss"`. `folds = NULL`
#' leaves out one domain at a time up to 30 domains, else 30 folds at random. `refits`, folds of
#' rows, and searches ([dg_tune()], [dg_auto()]) as `object` are errors.
#' @references
#' Cameron, A. C., Gelbach, J. B. and Miller, D. L. (2011). Robust inference with multiway
#' clustering. *Journal of Business & Economic Statistics* 29(2), 238-249.
#'
#' Gorodkin, J. (2004). Comparing two K-category assignments by a K-category correlation
#' coefficient. *Computational Biology and Chemistry* 28(5-6), 367-374.
#'
#' Gneiting, T. and Raftery, A. E. (2007). Strictly proper scoring rules, prediction, and
#' estimation. *Journal of the American Statistical Association* 102(477), 359-378.
#'
#' Harrell, F. E., Califf, R. M., Pryor, D. B., Lee, K. L. and Rosati, R. A. (1982). Evaluating the
#' yield of medical tests. *JAMA* 247(18), 2543-2546.
#'
#' Hand, D. J. and Till, R. J. (2001). A simple generalisation of the area under the ROC curve for
#' multiple class classification problems. *Machine Learning* 45(2), 171-186.
#' @seealso [dg_tune()] (tuned inside each fold: `dg_cv(dg_tune(spec), ...)`), [dg_compare()]
#' @examples
#' toy <- simulate_dcm(domains = 5, n = 30, seed = 1)
#' dg_cv(dg_svm(domain_kernel = domain_pooled()), y ~ . | domain, data = toy,
#'       metric = c("accuracy", "auc"))
#'
#' # rows that come in blocks
#' dg_cv(dg_ridge(feature_map = features_nystrom(20)), y ~ . | domain,
#'       data = row_source(toy, partitions = 2))
#'
#' # the weight of chicks on a diet, from those on other diets; of a chick, from other chicks
#' dg_cv(dg_lm(), weight ~ Time | Diet, data = ChickWeight, metric = c("rmse", "mae"))
#' dg_cv(dg_lm(), weight ~ Time + Diet | Chick, data = ChickWeight)
#'
#' # chicks of a diet: a new diet with its chicks, or a new chick of a known diet
#' dg_cv(dg_lm(), weight ~ Time | Diet / Chick, data = ChickWeight)
#' dg_cv(dg_lm(), weight ~ Time | Diet / Chick, data = ChickWeight, hold_out = "Chick", folds = 5)
#'
#' # with a few labelled rows of the new domain
#' dg_cv(dg_ridge(lambda = 1), y ~ . | domain, data = toy, shots = c(1, 5, 10))
#' @export
dg_cv <- function(object, x, y = NULL, domain = NULL, data = NULL, weights = NULL, folds = NULL,
                  metric = NULL, refits = FALSE, na.action = stats::na.omit, progress = NULL,
                  hold_out = "all", shots = NULL, ...) {
  call <- match.call()
  check_no_dots(list(...)[setdiff(names(list(...)), "formula")], names(formals(dg_cv)))
  check_given(object, "object")
  spec <- read_evaluated(object)
  input <- collect_input(list(spec), cv_input(call, object, parent.frame()))
  plan <- read_plan(list(spec), input, folds, metric, refits, progress, hold_out)
  if (!is.null(shots)) {
    if (!is.null(plan$source)) abort("argument", "`shots` must be NULL with a source.")
    plan$task$shots <- check_shots(shots, plan$task, plan$metrics[1L])
    plan$task$shot_metric <- plan$metrics[1L]
    if (!holds_domains(fold_splits(plan$folds, plan$task), plan$task$domain)) {
      abort("argument", "`shots` must be NULL with `folds` of rows: those of the domains are ",
            "known.")
    }
  }
  evaluated(plan, function(plan, ctx) cross_validate(plan, ctx)[[1L]])
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
  task <- cv_task(specs[[1L]], input, hold_out)
  folds <- read_folds(folds, task)
  metrics <- read_metrics(metric, task$y)
  for (spec in specs) check_metrics_fit(metrics, spec)
  list(specs = unname(specs), task = task, folds = folds, metrics = metrics,
       refits = check_flag(refits, "refits"), progress = read_progress(progress))
}

# Runs code(plan, ctx) of a call, which dg_resume() can go on with.
evaluated <- function(plan, code) {
  if (is.null(plan$source)) return(resumable(function(ctx) code(plan, ctx), plan$progress))
  metric <- if (inherits(plan$metric, "dg_metric")) "own" else plan$metric
  what <- list("evaluated", plan$specs, format_formula(plan$input$x), plan$input$weights,
               plan$input$na.action, plan$folds, metric)
  over_source(plan$source, what, function(source) {
    plan$input$source <- source
    code(plan, source$ctx)
  }, plan$progress)
}

# Of a tuned model the search: it is part of what made the model.
read_evaluated <- function(object) {
  spec <- if (inherits(object, "dg_tuned")) object$tuning$spec else read_specification(object)
  if (inherits(spec, "dg_tune_spec") && inherits(spec$args$folds, c("domgen_row_folds", "rset"))) {
    abort("argument", "`object` must not be a search with `folds` of rows: inside other folds ",
          "their rows are not all there. Give it folds of domains, or evaluate what it chose, ",
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
    abort("argument", "`", arg, "` must predict the response; put a learner behind the ",
          "projection: `dg_pipeline(", spec$method, "(), dg_svm())`.")
  }
  spec
}

# A fitted model brings its own data when no others are given.
cv_input <- function(call, object, env) {
  given <- as.list(call)[-1L]
  given <- given[names(given) %in% data_arguments]
  if (inherits(object, "dg_fit")) model_input(object, given, env) else evaluate_input(given, env)
}

# The rows that can be used, with truth and domain; the raw input to refit from.
cv_task <- function(spec, input, hold_out = "all") {
  # levels of a character predictor must not depend on the fold
  text <- vapply(input$data, is.character, NA)
  if (any(text)) input$data[text] <- lapply(input$data[text], factor)
  needs <- spec_needs(spec)
  needs$domain <- TRUE
  input <- with_terms(input, needs$columns)
  # what is to be told the fits tell
  sample <- suppressMessages(read_sample(input, needs, "none"), "domgen_message")
  task <- list(
    input = take_rows(input, sample$kept), y = sample$y, domain = sample$domain,
    scored_by = sample$domain, row = sample$kept, n = input_rows(input),
    labels = variable_names(sample$blueprint),
    predictors = setdiff(predictor_columns(sample$blueprint), sample$blueprint$domain_columns)
  )
  hold_out_task(task, sample$blueprint$structure, hold_out)
}
