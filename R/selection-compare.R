#' Compare methods on the same held-out domains
#'
#' Cross-validates several methods on the same folds of domains and compares their scores in pairs:
#' the difference of two methods in each domain, because some domains are harder for all methods.
#' The null model is always included.
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param weights,na.action,progress,... As in [all methods][dg_arguments].
#' @param folds,hold_out As in [dg_cv()].
#' @param objects Named list of learners, [dg_pipeline()]s and [dg_tune()]s without data. Each may
#'   have predictors of its own, `dg_lm(terms = ~ log(x))`, see [own_terms]. A workflow with
#'   [domain_learner()] is fitted as a whole without each fold, to the columns of `data` in rows
#'   that are complete for the formula, whose response it must predict.
#' @param metric One or more scores: names from the table of [dg_cv()], or [metric_custom()]s. The
#'   first is compared; `print()` gives the means of the others. Default `NULL`: `"rmse"`,
#'   `"accuracy"` or (censored times) `"concordance"`.
#' @param baseline Name of the method with which the others are compared. Default: `"pooled"` if
#'   there is a method of that name, else the first that is not called `"null"`.
#' @param refits If `TRUE` (the default), each method is fitted again without each pair of folds,
#'   for the standard errors: K(K - 1)/2 further fits per method for K folds, at most 45. Always
#'   `FALSE` with a [row_source()].
#' @details
#' **Estimand.** The difference is the mean over new domains of the same kind, for methods trained
#' on as many domains as in the folds, averaged over training sets.
#'
#' **Standard error.** Training sets overlap, so that the differences of G domains depend on each
#' other. `refits` measure how much (a jackknife). Without them the standard error is a bound.
#' Formulas, coverage in simulations, and the rank tests: [paired_differences].
#'
#' **Interval and p.** The interval is Student's with Satterthwaite's degrees of freedom, at most
#' \eqn{G - 1}{G - 1}. `p` belongs to it: below 0.05 if the interval excludes 0. Each interval is at
#' 95 % separately; among twenty methods one is expected to miss. Methods whose scores differ by
#' less than 1e-8 of the largest (rounding) have difference 0 and no interval.
#'
#' **Assumptions.** Coverage needs domains that are independent of each other and exchangeable with
#' new ones; rows of a domain may be dependent. It fails if domains drift in time, if predictors
#' shift beyond those of training, if few domains have very large means (log-normal ones) or extreme
#' predictors, and, at five domains, if a kind of domain is so rare that training may lack it. The
#' test is conservative: for equal methods, p was below 0.05 in at most 2 % of simulated data sets.
#'
#' **Rows out of memory.** `data` may be a [row_source()], see its section "Fit and score".
#' @return An object of class `dg_compare`, a list with
#'   \item{table}{data frame, one row per method: `method`, `mean` over domains, `overall` (score of
#'     all rows together, see [dg_cv()]), mean `rank`, the paired `difference` from the baseline,
#'     its standard error `se`, 95 % interval `lower` to `upper` and `p`, `p_rank` of the signed
#'     ranks (symmetry about 0), `seconds` of the fits without `refits`, and `error`, the first
#'     message of a method that failed in some or all folds, else `NA` (scores of failed folds are
#'     `NA`; the other methods are compared without a method that failed in all)}
#'   \item{inference}{data frame, one row per method: `how` the standard error was found
#'     (`"jackknife"`, `"factor"` for the bound, `"none"` if there is no variance), `inflation`, the
#'     ratio of its square to \eqn{s^2/G}{s^2/G}, and its degrees of freedom `df`}
#'   \item{friedman}{list: `statistic`, `df` and `p` of Friedman's test whether any method but the
#'     null model differs in its ranks within domains; `NULL` with fewer than 3 such methods}
#'   \item{scores}{matrix, domains x methods}
#'   \item{runs}{list of the [dg_cv()] results of the methods}
#'   \item{baseline, metrics}{name of the baseline; list of the metrics}
#' @section Errors:
#' `objects` without a learner, two methods of the same name, a method named `"null"` that is not
#' the null model, a `baseline` that is no method, and the errors of [dg_cv()]. If a method fails in
#' all folds the others are compared, with a warning of class `domgen_warning_failed`; it is an
#' error if all methods but the null model fail.
#' @seealso [paired_differences], [dg_cv()]
#' @examples
#' # carbon dioxide uptake of new plants
#' plants <- dg_compare(list(line = dg_lm(), curve = dg_ridge(lambda = 0.01)),
#'                      uptake ~ conc + Type + Treatment | Plant, data = CO2)
#' plants
#' summary(plants)
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(plants)
#' @order 1
#' @export
dg_compare <- function(objects, x, y = NULL, domain = NULL, data = NULL, weights = NULL,
                       folds = NULL, metric = NULL, baseline = NULL, refits = TRUE,
                       na.action = stats::na.omit, progress = NULL, hold_out = "all", ...) {
  enter_session()
  call <- match.call()
  check_no_dots(list(...)[setdiff(names(list(...)), "formula")], names(formals(dg_compare)))
  check_given(objects, "objects")
  if (!missing(x) && inherits(x, c("dg_spec", "dg_fit"))) {
    abort("argument", "`objects` must be one list of all methods, as in `list(dg_lm(), dg_svm())`.")
  }
  specs <- read_specifications(objects)
  baseline <- if (!is.null(baseline)) check_choice(baseline, "baseline", names(specs))
             else if ("pooled" %in% names(specs)) "pooled"
             else names(specs)[if (names(specs)[1L] == "null") min(2L, length(specs)) else 1L]
  given <- as.list(call)[-1L]
  given <- given[names(given) %in% data_arguments]
  objects <- lapply(if (inherits(objects, "list")) objects else list(objects), inner_spec)
  given <- with_formula(given, parent.frame(), shared_formula(objects, parent.frame()))
  input <- collect_input(specs, evaluate_input(given, parent.frame()))
  if (missing(refits)) refits <- is.null(input$source)
  plan <- read_plan(specs, input, folds, metric, refits, progress, hold_out)
  at <- match(baseline, names(specs))
  names <- names_by_response(specs, plan$specs)
  evaluated(plan, function(plan, ctx) {
    new_comparison(cross_validate(plan, ctx, names), names, names[at])
  })
}

# Names that are titles say what the response is too, where they stay different.
names_by_response <- function(specs, planned) {
  titles <- function(specs) vapply(unname(specs), function(s) method_of(s)$title, "")
  names <- ifelse(names(specs) == titles(specs), titles(planned), names(specs))
  if (anyDuplicated(names)) names(specs) else names
}

read_specifications <- function(objects) {
  if (inherits(inner_spec(objects), c("dg_spec", "dg_fit"))) objects <- list(objects)
  if (!is.list(objects) || length(objects) == 0L) {
    abort("argument", "`objects` must be a named list of learners or pipelines, not ",
          describe(objects), ".")
  }
  specs <- Map(function(object, i) {
    tryCatch(read_evaluated(inner_spec(object)), domgen_error = function(e) {
      which <- paste0("Element ", i, " of `objects`")
      abort("argument", sub("^`object`", which, conditionMessage(e)))
    })
  }, objects, seq_along(objects))
  if (is.null(names(specs))) names(specs) <- rep("", length(specs))
  unnamed <- is.na(names(specs)) | names(specs) == ""
  names(specs)[unnamed] <- vapply(specs[unnamed], function(s) method_of(s)$title, character(1))
  if (!any(vapply(specs, function(s) s$method == "dg_null", NA))) {
    if ("null" %in% names(specs)) {
      abort("argument", "`objects` must not call a method \"null\": the null model is added under ",
            "that name.")
    }
    specs <- c(list(null = dg_null()), specs)
  }
  if (anyDuplicated(names(specs))) {
    abort("argument", "`objects` must have different names, not twice ",
          enumerate(unique(names(specs)[duplicated(names(specs))]), quote = "\""), ".")
  }
  specs
}

new_comparison <- function(runs, names, baseline) {
  names(runs) <- names
  scores <- vapply(runs, function(run) run$domains$score, numeric(nrow(runs[[1L]]$domains)))
  scores <- matrix(scores, ncol = length(runs),
                   dimnames = list(runs[[1L]]$domains$domain, names))
  metrics <- runs[[1L]]$metrics
  # a method without any score does not remove domains from the others' ranks
  done <- !vapply(runs, all_failed, NA)
  compared <- without_rounded_scores(scores)
  ranks <- rank_methods(compared[, done, drop = FALSE], metrics[[1L]]$better)
  differences <- lapply(names, function(name) {
    compare_pair(runs[[name]], runs[[baseline]], compared[, name] - compared[, baseline])
  })
  table <- data.frame(
    method = names, mean = vapply(runs, `[[`, numeric(1), "mean"),
    overall = vapply(runs, `[[`, numeric(1), "overall"),
    rank = replace(rep(NA_real_, length(runs)), done, colMeans(ranks)),
    do.call(rbind, lapply(differences, `[[`, "line")),
    seconds = vapply(runs, function(run) sum(run$fits$seconds), numeric(1)),
    error = vapply(runs, function(run) c(run$failed$error, NA_character_)[1L], ""), row.names = NULL
  )
  inference <- data.frame(method = names, do.call(rbind, lapply(differences, `[[`, "inference")))
  # nearly every method differs from the null model, with which the test would always reject
  among <- done & !are_null(runs)
  inflation <- ifelse(inference$how == "none", NA, inference$inflation)
  test <- if (sum(among) >= 3L) {
    friedman(rank_methods(compared[, among, drop = FALSE], metrics[[1L]]$better), inflation[among])
  }
  structure(list(table = table, inference = inference, friedman = test, scores = scores,
                 runs = runs, baseline = baseline, metrics = metrics),
            class = c("dg_compare", "dg_result"))
}

are_null <- function(runs) {
  vapply(runs, function(run) identical(run$spec$method, "dg_null"), NA)
}

# Scores of methods that differ by rounding alone are replaced by those of the first.
without_rounded_scores <- function(scores) {
  for (j in seq_len(ncol(scores))) {
    same <- vapply(seq_len(j), function(i) same_scores(scores[, i], scores[, j]), NA)
    if (any(same)) scores[, j] <- scores[, which(same)[1L]]
  }
  scores
}

same_scores <- function(a, b) {
  if (!identical(is.na(a), is.na(b)) || all(is.na(a))) return(FALSE)
  largest <- max(abs(c(a, b)), na.rm = TRUE)
  is.finite(largest) && max(abs(a - b), na.rm = TRUE) <= 1e-8 * largest
}

# list(line: row of the table, inference)
compare_pair <- function(run, baseline, difference) {
  without <- run$refits$without[[1L]]
  theirs <- baseline$refits$without[[1L]]
  without <- if (!is.null(without) && !is.null(theirs)) {
    list(scores = without$scores - theirs$scores, group = without$group)
  }
  error <- metric_error(run$metrics[[1L]], difference, without, run$share, off = 0.5,
                        crossed = run$crossed)
  list(line = paired_line(difference, error),
       inference = data.frame(how = error$how, inflation = error$inflation, df = error$df))
}

#' Standard errors and tests of paired differences
#'
#' How does [dg_compare()] find the standard error, interval and p of a difference of two methods,
#' or [dg_cv()] those of a score, how reliable are they, and what do the rank tests say?
#'
#' @section Standard error:
#' The differences of G domains are dependent, because training sets overlap.
#' With \eqn{s^2}{s^2} their sample variance, \eqn{s^2/G}{s^2/G} would be the squared standard error
#' of the mean of independent differences. It can be several times too small, the more so the more
#' a method depends on single domains. No function of the scores alone is an unbiased estimate
#' (Bengio and Grandvalet, 2004). With `refits`,
#' \deqn{\mathrm{se}^2 = \frac{s^2}{G} + \max\left(0,\; v_\mathrm{refits} -
#'   v_\mathrm{scores} - \frac{w}{2J}\sum_L \frac1{n_L}\right), \quad
#'   v = \frac1J \sum_{L=1}^J (h_L - 1)\,(\bar d_{-L} - \bar d)^2, \quad h_L = G/n_L,}{
#'   se^2 = s^2/G + max(0, v_refits - v_scores - (w/2) mean_L(1/n_L)),
#'   v = (1/J) sum_L (h_L - 1) (d_-L - d)^2, h_L = G/n_L,}
#' the jackknife over J groups of \eqn{n_L}{n_L} domains (the folds, combined to ten groups if there
#' are more; Busing, Meijer and van der Leeden, 1999, equation 5). Here \eqn{\bar d_{-L}}{d_-L} is
#' the mean over the domains outside group L: in \eqn{v_\mathrm{refits}}{v_refits} by fits without L
#' and without the domain's own group, in \eqn{v_\mathrm{scores}}{v_scores} by the fits of the
#' cross-validation. \eqn{\bar d}{d} is the mean of these means with weights \eqn{h_L - 1}{h_L - 1}.
#' The jackknife counts interactions of two domains twice (Efron and Stein, 1981). w estimates them:
#' the table of domains g x groups L has the change of g's difference if L is left out of training,
#' and w is the residual variance of this table after row and column effects. Subtracting all of w
#' would make the variance estimate unbiased, but intervals would cover too little if w is
#' uncertain. Half of w was selected in the simulations below. For single scores ([dg_cv()]), which
#' are skewed, nothing is subtracted.
#'
#' The standard error is at least \eqn{\mathrm{se}^2 = (1 + n/n_1)\,s^2/G}{se^2 = (1 + n/n_1) s^2/G}
#' with n_1 of n rows in training (Nadeau and Bengio, 2003, section 3), because the jackknife can be
#' far too small with few domains or several kinds of domains. The standard error equals this bound
#' without `refits`, if a refit fails, with two folds, and with folds in which domains are split or
#' not held out exactly once ([row_folds()], bootstraps). The bound is more than twice
#' \eqn{s^2/G}{s^2/G}. It is too large for stable methods with many domains, and too small for
#' methods with about as many parameters as domains. With repeats, scores are averaged over all of
#' them but refits are those of the first, so intervals are slightly too wide.
#' @section Coverage in simulations:
#' In fourteen scenarios with exchangeable domains, 95 % intervals with `refits` covered the
#' difference of two models on new domains in 90-99 % of draws at 5 domains and 94-99 % at 12; those
#' of single scores covered in 90-100 and 90-99 % (without `refits` 85-98 and 89-99 %). Lowest were
#' log-normal means and domains of two kinds. With drift or shifted predictors coverage was 62-95 %
#' (`inst/experiments/domgen-figures.R`).
#'
#' In simulations with 8 and 12 domains, where intervals were compared for least squares, ridge
#' regressions and selection of one predictor, 95 % intervals covered the mean difference in 89-100
#' % of draws with `refits` and 78-100 % if dependence was ignored; at 30 and 100 domains `refits`
#' gave 86-100 %. Coverage was lowest for selection of one predictor and near 100 % for methods that
#' differ little. Single scores were covered in 90-98 % with and 84-97 % without `refits`, 75-89 %
#' if dependence was ignored (`inst/experiments/intervals.R`).
#' @section Level and power:
#' The test is very conservative. For equal methods and 6, 12 and 40 domains p was below 0.05 in 0-2
#' % of 500 draws (in 0.4-10 % if dependence was ignored), in scenarios with equal, different and
#' skewed domains. One domain at a time it is the factor for overlapping training sets that makes it
#' so: the jackknife alone gave 0.2-6 %. With three folds, and methods that differ by their training
#' sets only, it is the jackknife too (0-6 %). Differences that would be found in 90-99 % of draws,
#' were the standard deviation of their mean known, were found in 33-86 %, by the jackknife alone in
#' 55-97 %; those of 14-37 % in 4-16 % and 10-36 % (`inst/experiments/domgen-tests.R`).
#' @section Rank tests:
#' `p_rank` is that of Wilcoxon's signed ranks. It tests whether differences are
#' symmetric about 0, not whether their mean is 0, so a few domains with large differences count
#' less and the two p values can disagree; `summary()` gives both. The exact distribution assumes
#' independent differences. To allow for overlapping training sets, the deviation of the statistic
#' from its expectation is divided by the ratio of \eqn{\mathrm{se}}{se} to
#' \eqn{\sqrt{s^2/G}}{sqrt(s^2/G)} (at most the root of the number of domains that differ: if all
#' depend wholly on one, the variance of the rank sum is \eqn{3G(G + 1)/(4G + 2)}{3 G (G + 1) /
#' (4 G + 2)}, less than G, times that of independent ones), and p is at least the exact one
#' (two-sided; normal approximation from 26 domains and with ties). It has no power with few
#' domains: `p_rank` can be below 0.05 with 8 domains if the variance ratio is below 1.14, with 12
#' if it is below 1.94, and without `refits` only from 13 domains. `summary()` gives the smallest
#' possible value.
#'
#' `friedman` tests whether any method differs from the others in its ranks, without the null model,
#' which would nearly always differ. Methods are ranked within each domain (1 is best); `rank` is
#' the mean rank among all methods. In the statistic, the squared deviation of each method's mean
#' rank is divided by its variance ratio \eqn{\mathrm{se}^2 G/s^2}{se^2 G/s^2}, at least 1 and at
#' most G (for the baseline, the mean of the others' ratios).
#' @name paired_differences
#' @references
#' Bengio, Y. and Grandvalet, Y. (2004). No unbiased estimator of the variance of K-fold
#' cross-validation. *Journal of Machine Learning Research* 5, 1089-1105.
#'
#' Busing, F. M. T. A., Meijer, E. and van der Leeden, R. (1999). Delete-m jackknife for unequal m.
#' *Statistics and Computing* 9, 3-8.
#'
#' Efron, B. and Stein, C. (1981). The jackknife estimate of variance. *The Annals of Statistics*
#' 9(3), 586-596.
#'
#' Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. *Machine Learning*
#' 52(3), 239-281.
#' @seealso [dg_compare()], [dg_cv()], [standard_errors] of other functions
NULL
