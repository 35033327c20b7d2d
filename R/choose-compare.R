#' Compare methods on the same held-out domains
#'
#' Cross-validates several methods on the same folds and compares them domain by
#' domain: differences between methods are paired, because some domains are harder
#' than others for all. The null model is always included. Intervals and p values take domains for
#' independent of each other and exchangeable with new ones; rows of a domain may depend on each
#' other.
#'
#' @inheritParams dg_cv
#' @param objects A named list of learners, [dg_pipeline()]s and [dg_tune()]s without data.
#' @param baseline Name of the method that the others are compared with;
#'   `"pooled"` if there is one of that name, else the first.
#' @param refits Fit each method again without each pair of folds, for the intervals? That is
#'   K(K - 1)/2 further fits a method for K folds, at most 45. If `FALSE`, intervals come from the
#'   scores alone, see Details.
#' @details
#' **Intervals** are for the mean difference on new domains of the same kind, of methods trained on
#' as many domains as the folds train on, averaged over training sets. The differences of G domains
#' are not independent, because training sets overlap: their variance \eqn{s^2}{s^2} gives
#' \eqn{s^2/G}{s^2/G}, which can be several times too small. No function of the scores can
#' say by how much (Bengio and Grandvalet, 2004), because it depends on how much a method
#' depends on single domains. With `refits`,
#' \deqn{\mathrm{se}^2 = \frac{s^2}{G} + \max\left(0,\; v_\mathrm{refits} -
#'   v_\mathrm{scores} - \frac{w}{2J}\sum_L \frac1{n_L}\right), \quad
#'   v = \frac1J \sum_{L=1}^J (h_L - 1)\,(\bar d_{-L} - \bar d)^2, \quad h_L = G/n_L,}{
#'   se^2 = s^2/G + max(0, v_refits - v_scores - (w/2) mean_L(1/n_L)),
#'   v = (1/J) sum_L (h_L - 1) (d_-L - d)^2, h_L = G/n_L,}
#' the jackknife over J groups of \eqn{n_L}{n_L} domains (the folds, put together to ten groups
#' where there are more; Busing, Meijer and van der Leeden, 1999, equation 5): \eqn{\bar d_{-L}}{
#' d_-L} is the mean over the domains outside group L, in \eqn{v_\mathrm{refits}}{v_refits} by
#' fits without L and without the domain's own group, in \eqn{v_\mathrm{scores}}{v_scores} by those
#' of the cross-validation, and \eqn{\bar d}{d} is the mean of these means, with weights
#' \eqn{h_L - 1}{h_L - 1}. The interval is Student's, with Satterthwaite's degrees of freedom, at
#' most G - 1. The jackknife counts twice what two domains do together (Efron and Stein, 1981): w is
#' the variance, after row and column effects, of the changes of domain g's difference when group L
#' is left out too. Taking all of w off would be right for the variance, but too little where it is
#' itself uncertain, none too much: half was chosen in the simulations below. Of single scores
#' ([dg_cv()]), which are skewed, nothing is taken off.
#'
#' The standard error is at least
#' \eqn{\mathrm{se}^2 = (1 + n/n_1)\,s^2/G}{se^2 = (1 + n/n_1) s^2/G}, where n_1 of
#' n rows are trained on (Nadeau and Bengio, 2003, section 3), because the jackknife of few domains,
#' or of domains of several kinds, is at times far too small. It is this without `refits`, where one
#' of them fails, where folds are not of whole domains, each held out once (of [row_folds()] and
#' bootstraps), and with two folds: at least twice
#' \eqn{s^2/G}{s^2/G}, too much for stable methods and many domains, and not enough for
#' methods with about as many parameters as there are domains. Repeats are averaged, and refits are
#' those of the first; intervals are then a little too wide.
#'
#' **What they rest on.** New domains must be exchangeable with those of training. No interval here
#' covers as it says where domains drift in time, where the predictors of new domains shift beyond
#' those of training, where few domains have very large levels (log-normal ones) or predictors very
#' far from all others, and, at five domains, where a kind of domain is so rare that training may
#' have none of it.
#'
#' **How often they cover.** In fourteen simulated worlds with exchangeable domains (rows that grow
#' with the domain's mean, unequal noise and slopes, domains of two kinds, skewed and log-normal
#' levels, many zeros, repeated rows, persons, rare categories, ties, classes of unequal prevalence;
#' `inst/experiments/domgen-figures.R` and its table) 95 % intervals with `refits` covered the
#' difference of two models on new domains in 90 to 99 % of the draws at 5 domains and 94 to 99 % at
#' 12 (by the jackknife alone 88 to 98 and 89 to 97 %), those of a score ([dg_cv()]) in 90 to 100
#' and 90 to 99 %, without `refits` in 85 to 98 and 89 to 99 %; lowest are log-normal levels and
#' domains of two kinds. Where domains drift or predictors shift they covered in 62 to 95 %.
#'
#' The jackknife and the factor by themselves were set against each other in simulations with least
#' squares, ridge regressions, one that sees the domains' means, and the choice of one predictor,
#' with normal and skewed domains, left out one at a time or in folds
#' (`inst/experiments/intervals.R` and its table): at 8 and 12 domains intervals of a difference
#' that treat domains as independent cover it in 78 to 100 % of the draws (half of the cases below
#' 92 %), with `refits` in 89 to 100 % (half below 97.5 %, a quarter below 95 %), and the difference
#' of the two models that are trained on all domains, which is another quantity, in 90 to 98 %. At
#' 30 and 100 domains, where fewer draws were made, it is 86 to 100 %. Lowest is a method that
#' jumps, the choice of one predictor; too much (near 100 %) it is for methods that differ little,
#' such as ridge regressions with two penalties: their mean difference hardly varies, but that of
#' two models at hand does, and an interval is never narrower than that of independent domains.
#' Single scores ([dg_cv()]) are covered in 90 to 98 % with and 84 to 97 % without `refits`, 75 to
#' 89 % as if domains were independent. Between procedures that are equal p below 0.05 came in 7 to
#' 10 % as if domains were independent (Friedman's test 9 to 17 %), in 1 to 6 % as given here (8 and
#' 12 domains; Friedman's test 1 to 8 %).
#'
#' Methods whose scores differ by rounding alone, by less than 1e-8 of the largest, are equal: the
#' difference is 0, without an interval.
#'
#' With several methods each interval is for itself: with twenty of them one will miss.
#'
#' **Tests.** `p` belongs to the interval: it is below 0.05 where the interval leaves out zero.
#' `p_rank` is that of Wilcoxon's signed ranks, which ask something else: not whether the *mean*
#' difference is zero, but whether differences lie evenly about zero, so that a few domains with
#' large differences count less. The two can disagree, `summary()` has both. Its
#' exact distribution is that of independent differences; here its deviation from what is expected
#' is divided by the factor by which \eqn{\mathrm{se}}{se} exceeds \eqn{\sqrt{s^2/G}}{sqrt(s^2/G)}
#' (at most the root of the number of domains that differ: where all depend wholly on one, the
#' variance of the ranks' sum is \eqn{3G(G + 1)/(4G + 2)}{3 G (G + 1) / (4 G + 2)}, less than G,
#' times that of independent ones), and p is never below the exact one (two-sided; normal
#' approximation from 26 domains and with ties). With few domains it has no power: below 0.05 it can
#' be with 8 domains where the factor on the variance is below 1.14, with 12 where it is below 1.94,
#' and without `refits` only from 13 domains on: `summary()` says how small it could be. `friedman`
#' asks whether any method but the null model, which would always differ, differs from the
#' others in its ranks: methods are ranked within each domain (1 is best), `rank` is the mean rank
#' (of all methods), and in the statistic the square of each method's deviation from the mean of the
#' ranks is divided by its factor
#' \eqn{\mathrm{se}^2 G/s^2}{se^2 G/s^2}, at least 1 and at most G (of the method that the others
#' are compared with: by the mean of theirs).
#'
#' **Rows in blocks.** With a [row_source()] as `data` each method has passes of its own, on the
#' same folds, and is scored as [dg_cv()] scores it there; `refits` is `FALSE`.
#' @return An object of class `dg_compare`, a list with
#'   \item{table}{data frame, one line per method: `mean` over domains, `overall`
#'     (all rows together, see [dg_cv()]), mean `rank`, the paired `difference` from the method
#'     compared with, its standard error `se`, 95 % interval `lower`, `upper`, the `p` that
#'     belongs to it, `p_rank` of the signed ranks, `seconds` of the fits, without `refits`, and
#'     `error`, the first message of a method that failed in some of the folds or all (then its
#'     scores are `NA`, and the others are compared without it), else `NA`}
#'   \item{inference}{data frame, one line per method: `how` the standard error was found
#'     (`"jackknife"`, `"factor"`, `"none"` where there is no variance), `inflation`, the factor
#'     on \eqn{s^2/G}{s^2/G}, and its degrees of freedom `df`}
#'   \item{friedman}{`statistic`, `df`, `p` of Friedman's test, of the
#'     methods without the null model; `NULL` with fewer than 3}
#'   \item{scores}{matrix, domains x methods}
#'   \item{runs}{the [dg_cv()] result of each method}
#'   \item{against, metrics}{as used; the first metric is compared, of the others `print()` has the
#'     means}
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
#' @seealso [dg_cv()], [plot.dg_compare()]
#' @examples
#' toy <- simulate_ellipses(domains = 8, n = 30, seed = 1)
#' dg_compare(list(pooled = dg_svm(domain_kernel = domain_pooled()), distributional = dg_svm()),
#'            y ~ . | domain, data = toy, folds = 4)
#'
#' # carbon dioxide uptake of plants that were not in training
#' plants <- dg_compare(list(line = dg_lm(), curve = dg_ridge(lambda = 0.01)),
#'                      uptake ~ conc + Type + Treatment | Plant, data = CO2)
#' plants
#' summary(plants)
#' @export
dg_compare <- function(objects, x, y = NULL, domain = NULL, data = NULL, weights = NULL,
                       folds = NULL, metric = NULL, baseline = NULL, refits = TRUE,
                       na.action = stats::na.omit, progress = NULL, hold_out = "all", ...) {
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
  if (!inherits(objects, "list")) objects <- list(objects)
  given <- with_formula(given, parent.frame(), shared_formula(objects, parent.frame()))
  input <- collect_input(specs, evaluate_input(given, parent.frame()))
  if (missing(refits)) refits <- is.null(input$source)
  plan <- read_plan(specs, input, folds, metric, refits, progress, hold_out)
  evaluated(plan, function(plan, ctx) {
    new_comparison(cross_validate(plan, ctx, names(specs)), names(specs), baseline)
  })
}

read_specifications <- function(objects) {
  if (inherits(objects, c("dg_spec", "dg_fit"))) objects <- list(objects)
  if (!is.list(objects) || length(objects) == 0L) {
    abort("argument", "`objects` must be a named list of learners or pipelines, not ",
          describe(objects), ".")
  }
  specs <- Map(function(object, i) {
    tryCatch(read_evaluated(object), domgen_error = function(e) {
      which <- paste0("Element ", i, " of `objects`")
      abort("argument", sub("^`object`", which, conditionMessage(e)))
    })
  }, objects, seq_along(objects))
  if (is.null(names(specs))) names(specs) <- rep("", length(specs))
  unnamed <- is.na(names(specs)) | names(specs) == ""
  names(specs)[unnamed] <- vapply(specs[unnamed], function(s) s$parts$title, character(1))
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
  # a method without any score takes no domain from the others
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
  # the null model differs from whatever learns something: with it the test would always say so
  own <- done & !are_null(runs)
  inflation <- ifelse(inference$how == "none", NA, inference$inflation)
  test <- if (sum(own) >= 3L) {
    friedman(rank_methods(compared[, own, drop = FALSE], metrics[[1L]]$better), inflation[own])
  }
  structure(list(table = table, inference = inference, friedman = test, scores = scores,
                 runs = runs, baseline = baseline, metrics = metrics),
            class = c("dg_compare", "dg_result"))
}

are_null <- function(runs) {
  vapply(runs, function(run) identical(run$spec$method, "dg_null"), NA)
}

# Methods that are the same but for rounding have the same scores: those of the first.
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

# list(line of the table, inference)
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
