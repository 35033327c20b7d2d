# Scores of the user's own, and those that a call asks for.

#' Your own metrics, and the deviance
#'
#' Scores for the argument `metric` of [dg_cv()], [dg_tune()] and [dg_compare()] beyond those of the
#' table in [dg_cv()].
#'
#' `metric_custom()` makes a metric of a function of the rows of one domain.
#'
#' `metric_deviance()` is the mean unit deviance of the predicted means under a family (McCullagh
#' and Nelder, 1989, section 2.3), lower is better: for `poisson()`, the mean of
#' \eqn{2(y\log(y/\mu) - y + \mu)}{2 (y log(y / mu) - y + mu)} for responses y and predictions
#' \eqn{\mu}{mu}. A prediction outside the family's range (a count below 0) has an infinite
#' deviance, unless it equals the response.
#'
#' `metric_brier()` and `metric_concordance()` are for censored times T. With S the predicted
#' probability of no event until t, the Brier score at t is (Graf and others, 1999)
#' \deqn{\frac{1}{n}\sum_i \left[\frac{S_i^2\, 1(T_i \le t, \mathrm{event})}{G(T_i-)} +
#'   \frac{(1 - S_i)^2\, 1(T_i > t)}{G(t)}\right],}{
#'   mean of S_i^2 1(T_i <= t, event) / G(T_i-) + (1 - S_i)^2 1(T_i > t) / G(t),}
#' with G the Kaplan-Meier estimate of the probability of not being censored. G is that of the
#' domain that is scored, because follow-up differs between domains. A domain whose longest time is
#' before t has no score. `metric_brier()` needs a model with survival probabilities, see
#' [predict.dg_learner()]. Uno's concordance weighs a pair by 1 / G(t-)^2, with t the time of its
#' earlier event (Uno and others, 2011): unlike Harrell's, its limit does not depend on how times
#' are censored before `until`. The `overall` score of a concordance is that of all pairs within
#' domains, so that domains are weighted by their pairs.
#'
#' @order 1
#' @param fun Function that returns one number. Its arguments, matched by name, are `truth` and
#'   `prediction` (vectors) and optionally `decision` (decision values; with more than two classes a
#'   matrix with a column per class) and `prob` (matrix of probabilities, a column per class; the
#'   model must give them). For censored times, `truth` is complex: the time, with imaginary part 1
#'   if the event was observed. It is called once per domain and once with all rows (`overall` of
#'   [dg_cv()]).
#' @param better Direction: `"low"` (the default) if lower values are better, or `"high"`.
#' @param title String: name of the metric in prints and plots. Default `"own score"`.
#' @return A metric, of class `dg_metric`.
#' @section Errors:
#' Functions of other arguments; a `fun` that fails or does not return one number; for
#' `metric_deviance()`, classes, and responses outside the family's range; `metric_brier()` of a
#' model without survival probabilities, and of `times` that are not ascending.
#' @references
#' Graf, E., Schmoor, C., Sauerbrei, W. and Schumacher, M. (1999). Assessment and comparison of
#' prognostic classification schemes for survival data. *Statistics in Medicine* 18, 2529-2545.
#'
#' Uno, H., Cai, T., Pencina, M. J., D'Agostino, R. B. and Wei, L. J. (2011). On the C-statistics
#' for evaluating overall adequacy of risk prediction procedures with censored survival data.
#' *Statistics in Medicine* 30, 1105-1117.
#'
#' McCullagh, P. and Nelder, J. A. (1989). *Generalized Linear Models*, 2nd edition. Chapman and
#' Hall.
#' @seealso [dg_cv()], [dg_glm()]
#' @examples
#' within_5 <- metric_custom(function(truth, prediction) mean(abs(truth - prediction) < 5), "high",
#'                           title = "proportion within 5")
#' toy <- simulate_dica(domains = 5, n = 30, seed = 1)
#' dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = within_5)
#' @export
metric_custom <- function(fun, better = c("low", "high"), title = "own score") {
  check_given(fun, "fun")
  if (!is.function(fun)) {
    abort("argument", "`fun` must be a function of `truth` and `prediction`, not ", describe(fun),
          ".")
  }
  better <- check_choice(better, "better", c("low", "high"))
  if (!is.character(title) || length(title) != 1L || is.na(title) || !nzchar(title)) {
    abort("argument", "`title` must be one string, not ", describe(title), ".")
  }
  given <- metric_arguments(fun)
  value <- function(d) {
    score <- on_error(
      do.call(fun, if (length(given)) d[given] else unname(d[c("truth", "prediction")])),
      function(e) {
        where <- unique(as.character(d$domain))
        abort("argument", "`metric` (", title, ") fails", if (length(where)) {
          paste0(" on the rows of ", enumerate(where, quote = "\""))
        }, ": ", conditionMessage(e))
      }
    )
    if (length(score) != 1L || !is.numeric(score) && !identical(score, NA)) {
      abort("argument", "`metric` must return one number, not ", describe(score), ".")
    }
    as.numeric(score)
  }
  kind <- c(if (!"prob" %in% given) c("number", "censored"), "class")
  structure(list(kind = kind, better = better,
                 title = title, value = value, needs = if ("prob" %in% given) "prob"),
            class = "dg_metric")
}

# The arguments that it has by name; none: truth and prediction are its first two.
metric_arguments <- function(fun) {
  offered <- c("truth", "prediction", "decision", "prob")
  arguments <- formals(args(fun))
  if ("..." %in% names(arguments)) return(offered[-4L])
  given <- intersect(offered, names(arguments))
  required <- names(arguments)[vapply(arguments, function(a) identical(a, quote(expr = )), NA)]
  other <- setdiff(required, offered)
  if (length(other) && (length(given) || length(arguments) < 2L || length(required) > 2L)) {
    abort("argument", "`fun` must be a function of `truth` and `prediction` (or `decision`, ",
          "`prob`), not of ", enumerate(other), ".")
  }
  given
}

#' @export
print.dg_metric <- function(x, ...) {
  cat_line("A metric: ", x$title, ", ", if (x$better == "low") "lower" else "higher", " is better")
  invisible(x)
}

# metric: names, a metric_custom(), or a list of both -> named list of metrics, the first of which
# decides.
read_metrics <- function(metric, y) {
  kind <- response_kind(y)
  choices <- names(Filter(function(m) kind %in% m$kind, metrics))
  if (is.null(metric)) return(metrics[choices[1L]])
  if (inherits(metric, "dg_metric")) metric <- list(metric)
  if (is.function(metric)) {
    abort("argument", "`metric` must say which way is better: `metric_custom(fun, \"high\")`.")
  }
  if (length(metric) == 0L || !is.atomic(metric) && !is.list(metric)) {
    check_choice(metric, "metric", choices)
  }
  if (all(c("kind", "better", "value") %in% names(metric))) {
    abort("argument", "`metric` must be a list where it has metrics of one's own: ",
          "`list(\"", choices[1L], "\", metric_custom(fun))`, not `c()`, which takes them apart.")
  }
  metric <- as.list(metric)
  custom <- vapply(metric, inherits, NA, "dg_metric")
  metric[!custom] <- lapply(metric[!custom], check_metric_name, choices, nlevels(y))
  chosen <- Map(function(m, custom) {
    if (custom) check_own_metric(m, kind) else metrics[[m]]
  }, metric, custom)
  # classes have sets instead of intervals
  if (kind == "class") {
    chosen <- lapply(chosen, function(m) {
      if (!is.null(m$of_classes)) m$title <- m$of_classes
      m
    })
  }
  label <- vapply(chosen, `[[`, "", "title")
  label[!custom] <- unlist(metric[!custom])
  given <- names(metric)
  if (!is.null(given)) label[given != ""] <- given[given != ""]
  # columns of the table of domains
  taken <- intersect(label, c("domain", "fold", "rows", if (length(label) > 1L) "score"))
  if (length(taken)) {
    abort("argument", "`metric` must not be called ", enumerate(taken, quote = "\""), ".")
  }
  stats::setNames(chosen, make.unique(label))
}

# The checks that do not need the response. By our names, under which they are printed.
check_metric_names <- function(metric) {
  if (is.character(metric)) metric[] <- vapply(metric, check_metric_name, "", names(metrics))
  metric
}

# Names of the same measures in yardstick, scikit-learn and elsewhere. What begins with "neg_" there
# has the other sign, by which nothing that is chosen or compared differs.
same_metrics <- list(
  rmse = c("root_mean_squared_error", "neg_root_mean_squared_error"),
  mae = c("mean_absolute_error", "neg_mean_absolute_error"),
  r2 = c("rsq_trad", "r2_score", "r_squared"),
  accuracy = c("acc", "accuracy_score"),
  balanced_accuracy = c("bacc", "balanced_accuracy_score", "bal_accuracy"),
  auc = c("roc_auc", "roc_auc_score", "roc_auc_ovo", "auroc", "c_statistic"),
  gmean = c("g_mean", "geometric_mean_score"),
  f1 = "f1_score",
  mcc = c("matthews_corrcoef", "matthews_correlation"),
  log_loss = c("mn_log_loss", "neg_log_loss", "logloss", "cross_entropy"),
  brier = c("neg_brier_score", "brier_score", "brier_score_loss", "brier_class"),
  concordance = c("concordance_survival", "cindex", "c_index", "concordance_index"),
  uno = "concordance_index_ipcw"
)

# Those that are the same measure with two classes only, and what they are with more.
same_of_two <- c(
  bal_accuracy = "with more than two classes also averages specificities",
  brier_class = "with more than two classes is half of it",
  neg_brier_score = "is for two classes"
)

# Near ones that are other measures: what to use, and in what they differ.
other_metrics <- list(
  rsq = c("r2", "is the squared correlation and does not see a wrong level"),
  mse = c("rmse", "is its square"), mean_squared_error = c("rmse", "is its square"),
  neg_mean_squared_error = c("rmse", "is its square"),
  f_meas = c("f1", "is that of the first class"),
  deviance_poisson = c("metric_deviance(poisson)", "is no name of ours"),
  mean_poisson_deviance = c("metric_deviance(poisson)", "needs a family"),
  neg_mean_poisson_deviance = c("metric_deviance(poisson)", "needs a family"),
  neg_mean_gamma_deviance = c("metric_deviance(Gamma)", "needs a family"),
  poisson_log_loss = c("metric_deviance(poisson)", "is half of it, but for a constant"),
  brier_survival = c("metric_brier(times = )", "needs times"),
  kap = c("mcc", "is chance-corrected in another way"),
  cohen_kappa_score = c("mcc", "is chance-corrected in another way")
)

# Our name of a metric, in any case, as others call it too. classes: how many there are, if known.
check_metric_name <- function(name, choices, classes = 2L) {
  # a deviance is that of a family, which a name does not say
  if (identical(name, "deviance")) {
    abort("argument", "`metric` must name the family of a deviance, as in ",
          "`metric_deviance(poisson)`, not \"deviance\". For classes use \"log_loss\", half the ",
          "deviance.")
  }
  if (is.character(name) && length(name) == 1L && !name %in% choices) {
    letters_of <- function(names) gsub("[^a-z0-9]", "", tolower(names))
    is_asked <- function(names) letters_of(names) == letters_of(name)
    ours <- names(Filter(function(same) any(is_asked(same)), same_metrics))
    two <- same_of_two[is_asked(names(same_of_two))]
    instead <- if (length(two) && classes > 2L) c(ours, two)
               else unlist(other_metrics[is_asked(names(other_metrics))])
    if (!is.null(instead)) {
      use <- if (grepl("(", instead[1L], fixed = TRUE)) paste0("`", instead[1L], "`")
             else dQuote(instead[1L], FALSE)
      abort("argument", "`metric` must be one of ours: use ", use, ", not ", dQuote(name, FALSE),
            ", which ", instead[2L], ".")
    }
    ours <- c(names(metrics)[is_asked(names(metrics))], ours)
    kind <- if (!ours[1L] %in% choices) metrics[[ours[1L]]]$kind
    if (length(kind) && !any(kind %in% Reduce(intersect, lapply(metrics[choices], `[[`, "kind")))) {
      abort("argument", "`metric` must be one of ", enumerate(choices, length(choices), "\""),
            ", not ", quoted(name), ", which is for ", kind_words(kind[1L]),
            if (kind[1L] == "class") ": factor() makes classes of a response of 0 and 1", ".")
    }
    if (length(ours)) name <- ours[1L]
  }
  check_choice(name, "metric", choices)
}

# One score, where only predictions and decision values are at hand.
read_single_metric <- function(metric, y) {
  metrics <- read_metrics(metric, y)
  if (length(metrics) > 1L) {
    abort("argument", "`metric` must be one score, not ", length(metrics), ".")
  }
  if (length(metrics_need(metrics))) {
    abort("argument", "`metric` must be a score of predictions or decision values. For scores of ",
          "probabilities, densities and intervals use `dg_cv()`.")
  }
  metrics
}

check_own_metric <- function(metric, kind) {
  if (!kind %in% metric$kind) {
    if ("prob" %in% metric$needs) {
      abort("argument", "`metric` must not need probabilities of classes (`prob`) for a numeric ",
            "response.")
    }
    abort("argument", "`metric` must be one for ", kind_words(kind), ", not ", metric$title, ".")
  }
  metric
}

# What the metrics need of a model, with the times of survival probabilities as an attribute.
metrics_need <- function(metrics) {
  needs <- unique(unlist(lapply(metrics, `[[`, "needs")))
  times <- sort(unique(unlist(lapply(metrics, `[[`, "times"))))
  if (length(times)) structure(needs, times = times) else needs
}

# Before hours of work. classes: of the response.
check_metrics_fit <- function(metrics, spec, classes) {
  for (name in names(metrics)) {
    inner <- innermost(spec)
    # which all have
    missing <- setdiff(metrics[[name]]$needs, c(spec_gives(inner, classes), "interval"))
    if (length(missing) == 0L) next
    how <- if (missing[1L] == "se") "which gives no predictive density; `dg_gp()` does"
           else if (missing[1L] == "survival") {
             if (inner$method == "learner_custom") "which has no function `survival`"
             else "which gives no survival probabilities"
           } else if ("calibration" %in% names(inner$args)) {
             "which gives probabilities with `calibration = \"platt\"` or \"isotonic\""
           } else "which gives no probabilities"
    abort("argument", "`metric` must not be \"", name, "\" for `", inner$method, "()`, ", how, ".")
  }
}
